#ifndef SCHEDULERS_LOCAL_NURSERY_H
#define SCHEDULERS_LOCAL_NURSERY_H

#include "schedulers/scheduler.h"
#include "src/base.h"
#include "src/err.h"
#include "src/loop.h"

#include <sys/types.h>

/*
 * The process that bears our workers: railhead-worker --nursery (src/nursery.h).  It is
 * started with the first worker, again when it is gone, and ends with the daemon; what
 * it has borne lives on.
 */

struct local_nursery;

/** A worker was born: its pid and its pidfd, which the receiver owns; or pid 0 and why
 * not.  `context` is that of its request. */
typedef void local_nursery_callback_t(void *context, pid_t pid, int pidfd,
                                      const char *why_not);

struct local_nursery *local_nursery_new(struct loop *loop,
                                        const struct sched_settings *settings,
                                        local_nursery_callback_t *callback);
/** Requests that are not answered yet are forgotten. */
void local_nursery_free(struct local_nursery *nursery);

/** Asks for a worker of `folder` with this plan.  The callback comes later,
 * once.  When the nursery dies before it has answered, the next one is asked: then two
 * may be born, and must agree by themselves who works. */
MUST_CHECK int local_nursery_ask(struct local_nursery *nursery, const char *folder,
                                 const struct worker_plan *plan, void *context,
                                 struct err *err);

/** Nobody wants the answer for this context any more. */
void local_nursery_forget(struct local_nursery *nursery, const void *context);

#endif
