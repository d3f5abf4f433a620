/*
 * Watches a job: its log and its state are two transfers in one poll loop.  Decides
 * when to ask again and when to give up; does not decide what the end means.
 */

#include "src/cli/follow.h"

#include "src/cli/figure.h"
#include "src/cli/log_frames.h"
#include "src/cli/print.h"
#include "src/cli/progress.h"
#include "src/clock.h"
#include "src/job_state.h"
#include "src/money.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TURN_MS = 100,        /* how late Ctrl-C and the progress line may be */
    POLL_S = 60,          /* deadline of one question */
    LOG_AFTER_END_S = 10, /* the log's last bytes may come behind the end */
    PLAIN_STEP = 10, /* percent between progress lines where there is no terminal */
};
#define ASK_EVERY (500 * USEC_PER_MSEC)

struct watch {
    const struct follow *follow;
    usec_t started_at;
    struct cJSON *job; /* as last seen, or NULL */
    usec_t final_at;   /* when it was first seen ended; 0: not yet */
    usec_t lost_since; /* 0: the daemon answers */
    bool was_reached;

    struct http_transfer *ask;
    usec_t ask_due;

    struct http_transfer *log;
    usec_t log_due;
    bool log_is_done;
    struct log_frames frames;
    bool is_line_begun;

    struct progress_display display;
    struct progress_meter meter;
    char likely_usd[MONEY_TEXT_SIZE];
    char *plain_subject; /* what the last plain line was of */
    int plain_percent;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

bool follow_is_final(const struct cJSON *job)
{
    const char *name = json_get_text(job, "secondary_status");
    enum job_state state;

    return name && job_state_from_name(name, &state) && job_state_is_final(state);
}

int follow_exit_code(const struct cJSON *job)
{
    const char *status = json_get_text(job, "status");

    return status && strcmp(status, "Completed") == 0 ? 0 : EXIT_JOB_FAILED;
}

static void found(struct watch *watch)
{
    if (watch->lost_since) {
        progress_display_clear(&watch->display);
        print_note("railheadd is back");
    }
    watch->lost_since = 0;
    watch->was_reached = true;
}

/* A daemon that restarts is away for a moment; the job is not touched by it. */
static int lost(struct watch *watch, struct err *err)
{
    usec_t now = clock_boot();

    if (err->code != ERR_UNAVAILABLE || !watch->was_reached)
        return -1;
    if (!watch->lost_since) {
        progress_display_clear(&watch->display);
        print_note("%s; trying again for up to %d s", err->text, FOLLOW_RECONNECT_S);
        watch->lost_since = now;
    }
    return now - watch->lost_since > FOLLOW_RECONNECT_S * USEC_PER_SEC ? -1 : 0;
}

static void print_new(struct watch *watch, const struct text *new)
{
    if (new->len == 0)
        return;
    progress_display_clear(&watch->display);
    fwrite(new->bytes, 1, new->len, stdout);
    fflush(stdout);
    watch->is_line_begun = new->bytes[new->len - 1] != '\n';
}

/* What was cut is no part of the log, so stdout has nothing of it. */
static void print_notes(struct watch *watch, char *notes)
{
    char *rest = notes;
    const char *line;

    while ((line = strsep(&rest, "\n")) && *line) {
        progress_display_clear(&watch->display);
        print_note("%s: %s", watch->follow->name, line);
    }
}

static void take_bytes(void *context, const char *bytes, size_t len)
{
    struct watch *watch = context;
    auto_text struct text new = { 0 };
    auto_text struct text notes = { 0 };

    found(watch);
    log_frames_feed(&watch->frames, bytes, len, &new, &notes);
    print_new(watch, &new);
    print_notes(watch, notes.bytes);
}

/* Once it is known where each rank's log began, and how far it came, all of it is asked
 * for. */
static char *path_of_log(struct watch *watch)
{
    const struct follow *follow = watch->follow;
    bool resumes = follow->log_resumes_at && watch->frames.count > 0;
    struct text path = { 0 };

    log_frames_restart(&watch->frames);
    text_puts(&path, resumes ? follow->log_resumes_at : follow->log_path);
    remote_add_query(&path, "frames", "true");
    return text_steal(&path);
}

static int start_log(struct watch *watch, struct err *err)
{
    auto_free char *path = NULL;

    if (!watch->follow->log_path || watch->log || watch->log_is_done
        || clock_boot() < watch->log_due)
        return 0;
    path = path_of_log(watch);
    return http_start(remote_client(watch->follow->remote),
                      &(struct http_request){ .method = "GET",
                                              .path = path,
                                              .on_bytes = take_bytes,
                                              .context = watch },
                      &watch->log, err);
}

static int start_ask(struct watch *watch, struct err *err)
{
    const struct follow *follow = watch->follow;
    auto_free char *path = remote_job_path(follow->name, "");

    if ((follow->log_alone && !follow->progress) || watch->ask || watch->final_at
        || clock_boot() < watch->ask_due)
        return 0;
    return http_start(remote_client(follow->remote),
                      &(struct http_request){ .method = "GET",
                                              .path = path,
                                              .deadline_s = POLL_S },
                      &watch->ask, err);
}

/* 0 when the whole of it has come. */
static int end_of_log(const struct http_transfer *log, struct err *err)
{
    auto_json struct cJSON *none = NULL;
    struct http_answer http;

    if (http_result(log, &http, err) < 0)
        return -1;
    if (http.status >= 200 && http.status < 300)
        return 0;
    return remote_read(&http, &none, NULL, err);
}

static int take_log(struct watch *watch, struct err *err)
{
    auto_transfer struct http_transfer *log = NULL;
    auto_text struct text rest = { 0 };

    if (watch->frames.broken)
        return err_set(err, ERR_INTERNAL, "the server's answer is not a log");
    if (!watch->log || !http_is_done(watch->log))
        return 0;
    log = steal_ptr(&watch->log);
    watch->log_due = clock_boot() + ASK_EVERY;
    if (end_of_log(log, err) == 0) {
        log_frames_finish(&watch->frames, &rest);
        print_new(watch, &rest);
        watch->log_is_done = true;
        return 0;
    }
    if (lost(watch, err) == 0)
        return 0;
    if (watch->follow->log_alone || err->code == ERR_UNAVAILABLE)
        return -1;
    progress_display_clear(&watch->display);
    print_note("the log: %s", err->text);
    watch->log_is_done = true;
    return 0;
}

static int take_ask(struct watch *watch, struct err *err)
{
    auto_transfer struct http_transfer *ask = NULL;
    struct cJSON *job = NULL;
    struct http_answer http;

    if (!watch->ask || !http_is_done(watch->ask))
        return 0;
    ask = steal_ptr(&watch->ask);
    watch->ask_due = clock_boot() + ASK_EVERY;
    if (http_result(ask, &http, err) < 0 || remote_read(&http, &job, NULL, err) < 0)
        return lost(watch, err);
    found(watch);
    json_free(watch->job);
    watch->job = job;
    if (follow_is_final(job))
        watch->final_at = clock_boot();
    return 0;
}

static bool number_of(const struct cJSON *value, double *out)
{
    const char *words = figure_words(value);
    char *end = NULL;

    if (!words || !*words)
        return false;
    *out = strtod(words, &end);
    return *end == '\0';
}

static int64_t elapsed_of(const struct cJSON *job)
{
    const char *from = json_get_text(job, "training_start_time");
    usec_t at;

    if (!from)
        from = json_get_text(job, "created_at");
    if (!from || time_parse(from, &at, NULL) < 0 || clock_wall() < at)
        return 0;
    return (clock_wall() - at) / USEC_PER_SEC;
}

/* What the server expects, of a job that runs. */
static void forecast_of(struct watch *watch, struct progress *progress)
{
    const struct cJSON *forecast = json_get(watch->job, "forecast");
    const char *cost = json_get_text(forecast, "cost_usd");
    nanousd_t amount;

    if (!json_get_text(forecast, "eta"))
        return;
    progress->left_s = json_get_int(forecast, "seconds", 0)
                       - json_get_int(watch->job, "billable_seconds", 0);
    if (cost && money_parse(cost, &amount, NULL) == 0)
        progress->likely_usd = money_format_short(amount, watch->likely_usd);
}

static void progress_of(struct watch *watch, struct progress *progress)
{
    const struct cJSON *job = watch->job;
    const struct cJSON *work = json_get(json_get(job, "spec"), "work");
    const char *metric = json_get_text(work, "metric");
    const char *status = json_get_text(job, "secondary_status");

    *progress = (struct progress){ 0 };
    progress->status = status ? status : "Pending";
    /* Checkpoints that are stored beside the training are not what it waits for. */
    if (status && strcmp(status, "Training") != 0)
        progress_haul_read(json_get(job, "progress"), &progress->haul);
    progress->elapsed_s = elapsed_of(job);
    progress->unit = json_get_text(work, "unit");
    progress->cost_usd = figure_words(json_get(job, "cost_usd"));
    progress->emulated = json_get_bool(job, "emulated");
    forecast_of(watch, progress);
    progress->waits_for = json_get_text(json_get(job, "queue"), "reason");
    number_of(json_get(work, "planned"), &progress->planned);
    progress->has_done =
        number_of(json_get(json_get(job, "price_performance"), "work"), &progress->done)
        || (metric
            && number_of(json_get(json_get(json_get(job, "metrics"), metric), "last"),
                         &progress->done));
    if (progress->has_done)
        progress_meter_add(&watch->meter, clock_boot(), progress->done);
    progress_meter_rate(&watch->meter, &progress->per_second);
}

/* Where there is no terminal: a line for every state, for everything that is moved, and
 * for every tenth of that or of the work. */
static void show_plain(struct watch *watch, const struct progress *progress)
{
    auto_text struct text line = { 0 };
    auto_free char *subject = xasprintf("%s %s", progress->status,
                                        progress->haul.what ? progress->haul.what : "");
    int percent = progress_percent(progress);
    bool is_new = !watch->plain_subject || strcmp(watch->plain_subject, subject) != 0;

    if (!is_new && percent < watch->plain_percent + PLAIN_STEP)
        return;
    watch->plain_percent = percent < 0 ? 0 : percent - percent % PLAIN_STEP;
    free(watch->plain_subject);
    watch->plain_subject = steal_ptr(&subject);
    progress_line(progress, 0, &line);
    print_note("%s: %s", watch->follow->name, line.bytes);
}

static void show(struct watch *watch)
{
    auto_text struct text line = { 0 };
    struct progress progress;

    if (!watch->follow->progress || !watch->job || watch->lost_since)
        return;
    progress_of(watch, &progress);
    if (!isatty(STDERR_FILENO)) {
        show_plain(watch, &progress);
        return;
    }
    /* Not behind half a line of the job's. */
    if (watch->final_at || (watch->is_line_begun && isatty(STDOUT_FILENO)))
        return;
    progress_line(&progress, progress_width(), &line);
    progress_display_draw(&watch->display, line.bytes);
}

static bool is_over(const struct watch *watch)
{
    const struct follow *follow = watch->follow;

    if (follow->log_alone)
        return watch->log_is_done;
    if (!watch->final_at)
        return false;
    return !follow->log_path || watch->log_is_done
           || clock_boot() - watch->final_at > LOG_AFTER_END_S * USEC_PER_SEC;
}

/* 0: go on; 1: *end is set; -1: failed. */
static int turn(struct watch *watch, enum follow_end *end, struct err *err)
{
    const struct follow *follow = watch->follow;

    if (interrupted) {
        *end = FOLLOW_INTERRUPTED;
        return 1;
    }
    if (follow->timeout_s
        && clock_boot() - watch->started_at >= follow->timeout_s * USEC_PER_SEC) {
        *end = FOLLOW_TIMED_OUT;
        return 1;
    }
    if (start_log(watch, err) < 0 || start_ask(watch, err) < 0)
        return -1;
    http_drive(remote_client(follow->remote), TURN_MS);
    if (take_log(watch, err) < 0 || take_ask(watch, err) < 0)
        return -1;
    show(watch);
    *end = FOLLOW_ENDED;
    return is_over(watch);
}

int follow_job(const struct follow *follow, enum follow_end *end, struct cJSON **job,
               struct err *err)
{
    struct watch watch = { .follow = follow,
                           .started_at = clock_boot(),
                           .was_reached = follow->was_reached,
                           .frames = { .plain = follow->log_plain } };
    struct sigaction action = { .sa_handler = on_interrupt };
    struct sigaction before;
    int rc;

    interrupted = 0;
    sigaction(SIGINT, &action, &before);
    do
        rc = turn(&watch, end, err);
    while (rc == 0);
    sigaction(SIGINT, &before, NULL);
    progress_display_clear(&watch.display);
    if (watch.is_line_begun && isatty(STDOUT_FILENO))
        fputc('\n', stdout);
    http_transfer_free(watch.ask);
    http_transfer_free(watch.log);
    log_frames_clear(&watch.frames);
    free(watch.plain_subject);
    if (rc < 0) {
        json_free(watch.job);
        return -1;
    }
    *job = watch.job;
    return 0;
}
