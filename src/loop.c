/* The door to sd-event.  Decides in which order things are seen: what arrived before
 * what was put off to the end of the round. */

#include "src/loop.h"

#include "src/clock.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>

/* sd-event may put a timer off by so much to wake up less often. */
enum {
    TIMER_ACCURACY_US = 1000
};

/* Where descriptors never fall silent, a "last" source would never have its turn: after
 * so long it goes first. */
enum {
    LAST_PATIENCE_US = 10000
};

struct loop {
    sd_event *event;
    struct loop_source *lasts; /* all "last" sources */
};

struct loop_source {
    struct loop *loop;
    sd_event_source *source;
    loop_callback_t *callback;
    void *context;
    usec_t overdue_at; /* of a "last" source that was woken; else INT64_MAX */
    struct loop_source *next_last; /* of a "last" source */
};

int loop_new(struct loop **out, struct err *err)
{
    sd_event *event = NULL;
    int result = sd_event_new(&event);

    if (result < 0)
        return err_sys(err, -result, "make an event loop");
    *out = xcalloc(1, sizeof **out);
    (*out)->event = event;
    return 0;
}

/* Sources that are still there keep sd-event's loop alive until they are freed. */
void loop_free(struct loop *loop)
{
    if (!loop)
        return;
    sd_event_unref(loop->event);
    free(loop);
}

int loop_run(struct loop *loop)
{
    return sd_event_loop(loop->event);
}

void loop_exit(struct loop *loop, int code)
{
    sd_event_exit(loop->event, code);
}

static struct loop_source *source_new(struct loop *loop, loop_callback_t *callback,
                                      void *context)
{
    struct loop_source *source = xcalloc(1, sizeof *source);

    source->loop = loop;
    source->overdue_at = INT64_MAX;
    source->callback = callback;
    source->context = context;
    return source;
}

/* Fails only on a source that is no more, or in a forked child: our bug. */
static void source_enable(sd_event_source *source, int how)
{
    int result = sd_event_source_set_enabled(source, how);

    assert(result >= 0);
}

static int source_hand_out(struct loop_source *source, int result, const char *what,
                           struct loop_source **out, struct err *err)
{
    if (result < 0) {
        loop_source_free(source);
        return err_sys(err, -result, "wait for %s", what);
    }
    *out = source;
    return 0;
}

/* One a dispatch is enough: the next dispatch looks again.  A clock that is read costs
 * less than a timer that is set and unset in every round. */
static void run_overdue(const struct loop *loop)
{
    for (struct loop_source *last = loop->lasts; last; last = last->next_last) {
        if (last->overdue_at == INT64_MAX || clock_boot() < last->overdue_at)
            continue;
        last->overdue_at = INT64_MAX;
        source_enable(last->source, SD_EVENT_OFF);
        last->callback(last->context);
        return;
    }
}

/* A callback may free its own source: after it the struct is not touched.  sd-event
 * holds its half until the dispatch is over. */
static int call(void *userdata)
{
    const struct loop_source *source = userdata;
    const struct loop *loop = source->loop;

    source->callback(source->context);
    run_overdue(loop);
    return 0;
}

static int on_fd(sd_event_source *event_source, int fd, uint32_t revents,
                 void *userdata)
{
    (void)event_source;
    (void)fd;
    (void)revents;
    return call(userdata);
}

int loop_add_fd(struct loop *loop, int fd, loop_callback_t *callback, void *context,
                struct loop_source **out, struct err *err)
{
    struct loop_source *source = source_new(loop, callback, context);
    /* EPOLLHUP and EPOLLERR need no asking. */
    int result =
        sd_event_add_io(loop->event, &source->source, fd, EPOLLIN, on_fd, source);

    return source_hand_out(source, result, "a descriptor", out, err);
}

static int on_timer(sd_event_source *event_source, uint64_t at, void *userdata)
{
    (void)event_source;
    (void)at;
    return call(userdata);
}

static int add_time(struct loop *loop, sd_event_time_handler_t handler,
                    struct loop_source *owner, sd_event_source **out)
{
    int result = sd_event_add_time(loop->event, out, CLOCK_BOOTTIME, 0,
                                   TIMER_ACCURACY_US, handler, owner);

    if (result >= 0)
        result = sd_event_source_set_enabled(*out, SD_EVENT_OFF);
    return result;
}

int loop_add_timer(struct loop *loop, loop_callback_t *callback, void *context,
                   struct loop_source **out, struct err *err)
{
    struct loop_source *source = source_new(loop, callback, context);
    int result = add_time(loop, on_timer, source, &source->source);

    return source_hand_out(source, result, "a time", out, err);
}

static void set_time(sd_event_source *source, usec_t at)
{
    int result = sd_event_source_set_time(source, at > 0 ? (uint64_t)at : 0);

    assert(result >= 0);
    source_enable(source, SD_EVENT_ONESHOT);
}

void loop_timer_set(struct loop_source *timer, usec_t at)
{
    if (at == INT64_MAX)
        source_enable(timer->source, SD_EVENT_OFF);
    else
        set_time(timer->source, at);
}

static int on_signal(sd_event_source *event_source, const struct signalfd_siginfo *info,
                     void *userdata)
{
    (void)event_source;
    (void)info;
    return call(userdata);
}

int loop_add_signal(struct loop *loop, int signal_number, loop_callback_t *callback,
                    void *context, struct loop_source **out, struct err *err)
{
    struct loop_source *source = source_new(loop, callback, context);
    sigset_t set;
    int result;

    sigemptyset(&set);
    sigaddset(&set, signal_number);
    sigprocmask(SIG_BLOCK, &set, NULL);
    result = sd_event_add_signal(loop->event, &source->source, signal_number, on_signal,
                                 source);
    return source_hand_out(source, result, "a signal", out, err);
}

static int on_last(sd_event_source *event_source, void *userdata)
{
    struct loop_source *source = userdata;

    (void)event_source;
    source->overdue_at = INT64_MAX;
    return call(userdata);
}

int loop_add_last(struct loop *loop, loop_callback_t *callback, void *context,
                  struct loop_source **out, struct err *err)
{
    struct loop_source *source = source_new(loop, callback, context);
    int result = sd_event_add_defer(loop->event, &source->source, on_last, source);

    if (result >= 0)
        result = sd_event_source_set_enabled(source->source, SD_EVENT_OFF);
    if (result >= 0)
        result = sd_event_source_set_priority(source->source, SD_EVENT_PRIORITY_IDLE);
    source->next_last = loop->lasts;
    loop->lasts = source;
    return source_hand_out(source, result, "the end of a round", out, err);
}

void loop_wake(struct loop_source *last)
{
    if (last->overdue_at != INT64_MAX)
        return; /* patience runs from the first call */
    last->overdue_at = clock_boot() + LAST_PATIENCE_US;
    source_enable(last->source, SD_EVENT_ONESHOT);
}

void loop_notify_ready(void)
{
    sd_notify(0, "READY=1");
}

static void forget_last(const struct loop_source *source)
{
    struct loop_source **at = &source->loop->lasts;

    while (*at && *at != source)
        at = &(*at)->next_last;
    if (*at)
        *at = source->next_last;
}

void loop_source_free(struct loop_source *source)
{
    if (!source)
        return;
    forget_last(source);
    sd_event_source_disable_unref(source->source);
    free(source);
}
