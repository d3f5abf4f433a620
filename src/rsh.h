#ifndef SRC_RSH_H
#define SRC_RSH_H

#include "src/base.h"
#include "src/err.h"

/*
 * How mpirun starts something on another instance of its job: as by ssh, but through
 * the worker that is there, so that what is started is that worker's to end.
 *
 *   mpirun --mca plm_rsh_agent /LIBEXEC/railhead-rsh --leave-session-attached ...
 *   railhead-rsh [OPTION...] HOST COMMAND [WORD...]
 *
 * railhead-rsh finds HOST in its environment:
 *
 *   RAILHEAD_RSH_HOSTS   a line "NAME FOLDER" for each name by which mpirun may know a
 *                        host: the folder of its worker (worker_plan.peers), as in
 *                        "algo-2 /state/jobs/ID-1-1\n127.1.0.2 /state/jobs/ID-1-1\n"
 *
 * which the launcher's rank has, and every RANK_REMOTE too where trees of daemons are
 * wanted.  A worker listens on FOLDER/rsh when it has a RANK_REMOTE, or when a rank of
 * its own has RAILHEAD_RSH_HOSTS.  The words are joined by spaces, as ssh does, and
 * run by /bin/sh -c in the environment of the worker's rank and in its working folder.
 * The command has the stdin, stdout and stderr of railhead-rsh itself.  mpirun's daemon
 * must stay attached: one that puts itself into the background has ended for us.
 *
 *   railhead-rsh --rank PROGRAM [WORD...]      (as mpirun's orte_fork_agent)
 *
 * stands between mpirun, or its daemon, and the user's program, for two reasons.  It
 * tells the worker how the program ended before mpirun learns it: so the first rank
 * that fails is named.  And it holds an end back while others are being stopped
 * (SIGUSR1: from now on, SIGUSR2: no more): for mpirun kills all ranks within seconds
 * of the first that dies, and its own timer for that (odls_base_sigkill_timeout) it
 * sits out in full after every failure.  Where the workers are it has from
 * RAILHEAD_RSH_WORKER and RAILHEAD_RSH_MPIRUN: its own worker's folder, and that of
 * mpirun's.  The worker sets all of this where it has RAILHEAD_RSH_HOSTS or a
 * RANK_REMOTE.
 *
 * The socket is of packets (SOCK_SEQPACKET).  One request: the command line, with three
 * descriptors; then a packet "signal N" for each signal to pass on.  Answers:
 * "started", "exited CODE", "killed SIGNAL" or "refused WHY", the last three once.  Of
 * --rank: one packet "ended RANK STATUS", STATUS as of waitpid, without descriptors or
 * answer; to its own worker always, with STATUS 0 where another worker has the true
 * one.
 */

#define RSH_HOSTS  "RAILHEAD_RSH_HOSTS"
#define RSH_WORKER "RAILHEAD_RSH_WORKER"
#define RSH_MPIRUN "RAILHEAD_RSH_MPIRUN"

/* Variables, with blanks between, that name Pipe channels: what starts a rank below a
 * launcher, --rank or railhead-torchrun.py, puts rank-L/ before the last part of each,
 * L the local rank, and keeps this one from the program (src/stage.h). */
#define RSH_PIPES "RAILHEAD_PIPES"

/* By which mpirun (Open MPI 4) says what becomes of its ranks, and on which descriptor
 * it speaks for itself (src/worker/mpi_own.h): for it alone, so --rank keeps both from
 * the program. */
#define RSH_MPI_STATES "OMPI_MCA_state_base_verbose"
#define RSH_MPI_OWN    "OPAL_OUTPUT_STDERR_FD"

/* By which those of --rank are known among processes, and when their programs have
 * ended. */
#define RSH_RANK_NAME "railhead-rank"
#define RSH_DONE_NAME "railhead-done"

enum {
    /* The kernel takes no longer word (MAX_ARG_STRLEN). */
    RSH_COMMAND_MAX = 128 * 1024 - 1,
    RSH_ANSWER_MAX = 4096,
    RSH_STREAMS = 3
};

/** A socket that listens on FOLDER/rsh (replaced when it is there), non-blocking; the
 * caller closes.  FOLDER may be longer than a socket's path may be. -1 on failure. */
MUST_CHECK int rsh_listen(const char *folder, struct err *err);

/** The next that called, non-blocking; the caller closes.  -1: nobody, or one of
 * another user, who is turned away. */
int rsh_accept(int listener);

/** A connection to the worker of FOLDER, blocking; the caller closes.  ERR_UNAVAILABLE:
 * it does not listen (yet). */
MUST_CHECK int rsh_connect(const char *folder, struct err *err);

/** The request, with the caller's own three streams. */
MUST_CHECK int rsh_ask(int connection, const char *command, struct err *err);

/** Takes the request. 1: *command is the caller's to free, streams[] to close, or
 * streams[0] is -1 when none came; 0: it is not here yet; -1: the other side is gone or
 * said something else. */
int rsh_take(int connection, char **command, int streams[RSH_STREAMS]);

/** One packet of text, never in parts; one that finds nobody is dropped. */
void rsh_say(int connection, const char *format, ...) PRINTF_LIKE(2, 3);

/** Takes a packet of text. 1: `text` has it, NUL behind; 0: none is here yet (of a
 * non-blocking one); -1: the other side is gone. */
int rsh_hear(int connection, char text[RSH_ANSWER_MAX]);

#endif
