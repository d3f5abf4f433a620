#ifndef SRC_WORKER_NURSERY_H
#define SRC_WORKER_NURSERY_H

/** Bears a worker for every message on stdin (src/nursery.h), until its other end is
 * closed.  Gives the exit status.  The words of `argv` are written over in each child,
 * so that ps shows its folder. */
int nursery_run(int argc, char **argv);

#endif
