#ifndef SRC_LOOP_H
#define SRC_LOOP_H

#include "src/base.h"
#include "src/err.h"

/* The one loop, on sd-event: whoever waits for something has a source here.  One
 * thread; a callback does not block. */

struct loop;
struct loop_source;

typedef void loop_callback_t(void *context);

MUST_CHECK int loop_new(struct loop **out, struct err *err);
void loop_free(struct loop *loop);
/** Runs until loop_exit; gives its code. */
int loop_run(struct loop *loop);
void loop_exit(struct loop *loop, int code);

/** Calls when `fd` can be read (or is at its end). The fd stays the caller's and is
 * closed after the source is freed. */
MUST_CHECK int loop_add_fd(struct loop *loop, int fd, loop_callback_t *callback,
                           void *context, struct loop_source **out, struct err *err);

/** Calls once when the boot clock reaches `at`; see loop_timer_set.  Starts unset. */
MUST_CHECK int loop_add_timer(struct loop *loop, loop_callback_t *callback,
                              void *context, struct loop_source **out, struct err *err);
/** Sets the time, on the boot clock; INT64_MAX unsets. */
void loop_timer_set(struct loop_source *timer, usec_t at);

/** Calls on a signal, which is blocked in this process from here on. */
MUST_CHECK int loop_add_signal(struct loop *loop, int signal_number,
                               loop_callback_t *callback, void *context,
                               struct loop_source **out, struct err *err);

/** Calls once after loop_wake when nothing else is ready: after all that arrived in
 * this round, but at most 10 ms later where it never falls silent. */
MUST_CHECK int loop_add_last(struct loop *loop, loop_callback_t *callback,
                             void *context, struct loop_source **out, struct err *err);
void loop_wake(struct loop_source *last);

/** Tells the service manager (sd_notify), if there is one, that the daemon serves. */
void loop_notify_ready(void);

/** Frees; NULL is well. Safe inside its own callback. */
void loop_source_free(struct loop_source *source);

#endif
