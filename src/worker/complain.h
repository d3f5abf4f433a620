#ifndef SRC_WORKER_COMPLAIN_H
#define SRC_WORKER_COMPLAIN_H

/** Adds a line to worker.log in the worker's folder, which is made by the first one.
 * For what has no place in the journal; what cannot be written is lost. */
void complain(const char *folder, const char *line);

#endif
