/* Every pair of state and event, what is due when, and that no order of events leaves a
 * job stuck. */

#include "src/text.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
    enum job_state from;
    const char *possible; /* "event>State" */
} rows[] = {
    { JOB_NEW,         " submitted>Pending " },
    { JOB_PENDING,     " placed>Starting stop_asked>Stopping wait_expired>MaxWaitTimeExceeded " },
    { JOB_STARTING,    " worker_ready>Starting worker_launched>Starting worker_uploading>Starting"
                       " worker_ended>Starting worker_lost>Starting ready>Downloading stop_asked>Stopping"
                       " interrupt_asked>Starting retry>Restarting interrupted>Interrupted failed>Failed"
                       " stopped>Stopped timed_out>MaxRuntimeExceeded " },
    { JOB_DOWNLOADING, " worker_launched>Downloading worker_uploading>Downloading worker_ended>Downloading"
                       " worker_lost>Downloading launched>Training uploading>Uploading stop_asked>Stopping"
                       " interrupt_asked>Downloading retry>Restarting interrupted>Interrupted failed>Failed"
                       " stopped>Stopped timed_out>MaxRuntimeExceeded " },
    { JOB_TRAINING,    " worker_uploading>Training worker_ended>Training worker_lost>Training"
                       " uploading>Uploading stop_asked>Stopping interrupt_asked>Training retry>Restarting"
                       " interrupted>Interrupted completed>Completed failed>Failed stopped>Stopped"
                       " timed_out>MaxRuntimeExceeded " },
    { JOB_UPLOADING,   " worker_ended>Uploading worker_lost>Uploading stop_asked>Uploading retry>Restarting"
                       " interrupted>Interrupted completed>Completed failed>Failed stopped>Stopped"
                       " timed_out>MaxRuntimeExceeded wait_expired>MaxWaitTimeExceeded " },
    { JOB_INTERRUPTED, " placed>Starting stop_asked>Stopping wait_expired>MaxWaitTimeExceeded " },
    { JOB_RESTARTING,  " placed>Starting stop_asked>Stopping wait_expired>MaxWaitTimeExceeded " },
    { JOB_STOPPING,    " worker_ready>Stopping worker_launched>Stopping worker_uploading>Stopping"
                       " worker_ended>Stopping worker_lost>Stopping ready>Stopping uploading>Uploading"
                       " stopped>Stopped completed>Completed failed>Failed timed_out>MaxRuntimeExceeded"
                       " wait_expired>MaxWaitTimeExceeded " },
    { JOB_COMPLETED,              " warm_ended>Completed " },
    { JOB_FAILED,                 " warm_ended>Failed " },
    { JOB_STOPPED,                " warm_ended>Stopped " },
    { JOB_MAX_RUNTIME_EXCEEDED,   " " },
    { JOB_MAX_WAIT_TIME_EXCEEDED, " " },
};

/* A life and what it comes to: state, then cause, exit code and rank of the end when it is final. */
static const struct {
    const char *steps;
    const char *outcome;
} lives[] = {
    { "submit 2", "Pending" },
    { "submit 2, place", "Starting" },
    { "submit 2, place, ready 0 10", "Starting" },
    { "submit 2, place, ready 0 10, ready 1 12", "Downloading" },
    { "submit 2, place, ready 0 10, launch 0 11, ready 1 12", "Downloading" },
    { "submit 2, place, ready 0 10, launch 0 11, ready 1 12, launch 1 13", "Training" },
    { "submit 1, place, ready 0 10, launch 0 11, end 0 20 completed", "Completed completed 0 -1" },
    { "submit 2, place, ready 0 10, launch 0 11, ready 1 12, launch 1 13, end 0 20 completed", "Training" },
    { "submit 2, place, ready 0 10, launch 0 11, ready 1 12, launch 1 13, end 0 20 completed, end 1 30 completed",
      "Completed completed 0 -1" },

    /* Lines were torn. */
    { "submit 1, place, ready 0 10, end 0 20 completed", "Completed completed 0 -1" },
    { "submit 1, place, end 0 20 completed", "Completed completed 0 -1" },
    { "submit 1, place, upload 0 20 completed, end 0 30 completed", "Completed completed 0 -1" },
    { "submit 2, place, ready 0 10, end 0 20 completed, end 1 21 completed", "Completed completed 0 -1" },

    /* Before it started. */
    { "submit 2, stop user_stop", "Stopped user_stop -1 -1" },
    { "submit 2, stop max_wait", "MaxWaitTimeExceeded max_wait -1 -1" },
    { "submit 2, stop budget", "Stopped budget -1 -1" },
    { "submit 2, expire", "MaxWaitTimeExceeded max_wait -1 -1" },
    { "submit 2, place, fail launch", "Failed launch -1 -1" },
    { "submit 2, place, stop user_stop", "Stopping" },
    { "submit 2, place, stop user_stop, fail infrastructure", "Failed infrastructure -1 -1" },
    { "submit 1, place, stop user_stop, ready 0 10", "Stopping" },
    { "submit 1, place, stop user_stop, ready 0 10, end 0 11 user_stop", "Stopped user_stop -1 -1" },
    { "submit 1, place, stop max_wait, ready 0 10, end 0 11 user_stop", "MaxWaitTimeExceeded max_wait -1 -1" },
    { "submit 1, place, ready 0 10, end 0 11 launch", "Failed launch -1 -1" },
    { "submit 2, place, ready 0 10, end 0 11 launch", "Starting" },
    { "submit 2, place, ready 0 10, end 0 11 launch, ready 1 12, end 1 13 peer", "Failed launch -1 -1" },
    { "submit 2, place, lose 0 0, ready 1 12, end 1 13 peer", "Failed lost -1 -1" },
    { "submit 2, place, ready 0 10, launch 0 11, lose 1 0, end 0 20 max_run", "Failed lost -1 -1" },
    /* A worker that never got ready cannot keep the other from its end. */
    { "submit 2, place, ready 0 10, launch 0 11, end 0 20 max_run, lose 1 30",
      "MaxRuntimeExceeded max_run -1 -1" },

    /* The first that failed by itself decides, by time and not by the order of reports. */
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 failed, end 1 21 failed",
      "Failed failed 10 0" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 21 failed, end 1 20 failed",
      "Failed failed 11 1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 failed 19, end 1 30 failed 18",
      "Failed failed 11 1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 peer, end 1 21 failed",
      "Failed failed 11 1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 completed, end 1 21 failed",
      "Failed failed 11 1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 user_stop, end 1 21 signal",
      "Failed signal -1 -1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 30 oom 19, end 1 25 failed 20",
      "Failed oom -1 -1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 max_run, end 1 21 peer",
      "MaxRuntimeExceeded max_run -1 -1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 max_run, end 1 21 max_run",
      "MaxRuntimeExceeded max_run -1 -1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 infrastructure, end 1 21 peer",
      "Failed infrastructure -1 -1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, lose 0 15, end 1 21 peer",
      "Failed lost -1 -1" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, lose 0 15, end 1 14 failed",
      "Failed failed 11 1" },

    /* max_run was over at 1010, and the grace lasted: the peer failed for want of that worker. */
    { "submit 2 1, place, ready 0 10, ready 1 11, launch 0 12, launch 1 12, end 1 1100 failed 1050, end 0 5000 max_run",
      "MaxRuntimeExceeded max_run -1 -1" },
    { "submit 2 1, place, ready 0 10, ready 1 11, launch 0 12, launch 1 12, end 1 1100 failed 1009, end 0 5000 max_run",
      "Failed failed 11 1" },

    /* A stop that was asked does not decide the end: the exit does. */
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop", "Stopping" },
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop, end 0 20 user_stop", "Stopped user_stop -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop, end 0 20 completed", "Completed completed 0 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, stop budget, end 0 20 budget", "Stopped budget -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, stop budget, end 0 20 failed", "Failed failed 10 0" },
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop, end 0 20 failed", "Failed failed 10 0" },
    { "submit 1, place, ready 0 10, launch 0 11, stop max_wait, end 0 20 user_stop",
      "MaxWaitTimeExceeded max_wait -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop, end 0 20 max_run",
      "MaxRuntimeExceeded max_run -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop, lose 0 15", "Failed lost -1 -1" },
    /* Who did not hear of a stop and was killed has been stopped. */
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop, lose 0 15 user_stop", "Stopped user_stop -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, stop max_wait, lose 0 15 max_wait", "MaxWaitTimeExceeded max_wait -1 -1" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, lose 0 15 interrupted", "Interrupted" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, end 0 20 max_run, lose 1 15 peer",
      "MaxRuntimeExceeded max_run -1 -1" },
    /* But what never showed itself has failed at nothing. */
    { "submit 2, place, stop user_stop, lose 0 0, lose 1 0", "Stopped user_stop -1 -1" },
    { "submit 2, place, stop user_stop, ready 0 10, lose 1 0, end 0 20 user_stop", "Stopped user_stop -1 -1" },
    { "submit 2, place, stop max_wait, lose 0 0, lose 1 0", "MaxWaitTimeExceeded max_wait -1 -1" },

    /* Outputs are stored when no process is left anywhere. */
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, upload 0 20 completed", "Training" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, upload 0 20 completed, upload 1 21 completed",
      "Uploading" },
    { "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, upload 0 20 completed, end 1 21 completed",
      "Uploading" },
    { "submit 1, place, ready 0 10, launch 0 11, upload 0 20 completed, end 0 30 completed", "Completed completed 0 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, upload 0 20 completed, end 0 30 output", "Failed output -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, upload 0 20 failed, end 0 30 failed", "Failed failed 10 0" },
    { "submit 1, place, ready 0 10, upload 0 20 input", "Uploading" },
    { "submit 1, place, ready 0 10, upload 0 20 input, end 0 30 input", "Failed input -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, upload 0 20 max_run, end 0 30 max_run", "MaxRuntimeExceeded max_run -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, upload 0 20 completed, lose 0 30", "Failed lost -1 -1" },
    /* What failed before it was lost had failed. */
    { "submit 1, place, ready 0 10, launch 0 11, upload 0 20 failed, lose 0 30", "Failed failed 10 0" },
    /* A stop lets an upload go on. */
    { "submit 1, place, ready 0 10, launch 0 11, upload 0 20 completed, stop user_stop", "Uploading" },
    { "submit 1, place, ready 0 10, launch 0 11, upload 0 20 completed, stop user_stop, end 0 30 completed",
      "Completed completed 0 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop, upload 0 20 user_stop", "Uploading" },
    { "submit 1, place, ready 0 10, launch 0 11, stop user_stop, upload 0 20 user_stop, end 0 30 user_stop",
      "Stopped user_stop -1 -1" },
    { "submit 1, place, ready 0 10, launch 0 11, stop max_wait, upload 0 20 user_stop, end 0 30 user_stop",
      "MaxWaitTimeExceeded max_wait -1 -1" },

    /* Another attempt follows what `retry` names, as often as it says. */
    { "submit 1 0 2 infrastructure, place, lose 0 0", "Restarting" },
    { "submit 1 0 2 infrastructure, place, fail infrastructure", "Restarting" },
    { "submit 1 0 2 infrastructure, place, fail launch", "Failed launch -1 -1" },
    { "submit 1 0 2 infrastructure, place, ready 0 10, end 0 20 infrastructure", "Restarting" },
    { "submit 1 0 2 infrastructure, place, ready 0 10, end 0 20 failed", "Failed failed 10 0" },
    { "submit 1 0 2 failed, place, ready 0 10, end 0 20 failed", "Restarting" },
    { "submit 1 0 2 input+output, place, ready 0 10, upload 0 20 input, end 0 21 input", "Restarting" },
    { "submit 1 0 2 input+output, place, ready 0 10, launch 0 11, upload 0 20 completed, end 0 21 output", "Restarting" },
    /* Unless the worker says that the same would fail again. */
    { "submit 1 0 2 input, place, ready 0 10, end 0 20 input!", "Failed input -1 -1" },
    { "submit 1 0 2 input, place, ready 0 10, upload 0 20 input!, lose 0 21", "Failed input -1 -1" },
    { "submit 1 0 2 output, place, ready 0 10, launch 0 11, upload 0 20 completed, end 0 21 output!", "Failed output -1 -1" },
    { "submit 2 0 2 input, place, ready 0 10, ready 1 10, end 0 20 input!, end 1 21 input", "Failed input -1 -1" },
    { "submit 2 0 2 input, place, ready 0 10, ready 1 10, end 0 21 input!, end 1 20 input", "Restarting" },
    { "submit 1 0 2 oom, place, ready 0 10, launch 0 11, end 0 20 oom", "Restarting" },
    { "submit 1 0 2 signal, place, ready 0 10, launch 0 11, end 0 20 signal", "Restarting" },
    { "submit 1 0 1 infrastructure, place, lose 0 0", "Failed lost -1 -1" },
    { "submit 1 0 2 infrastructure, place, lose 0 0, place", "Starting" },
    { "submit 1 0 2 infrastructure, place, lose 0 0, place, lose 0 0", "Failed lost -1 -1" },
    { "submit 1 0 3 infrastructure, place, lose 0 0, place, lose 0 0", "Restarting" },
    { "submit 1 0 2 infrastructure, place, lose 0 0, place, ready 0 10, launch 0 11, end 0 20 completed",
      "Completed completed 0 -1" },
    /* All workers have ended first; who was stopped for its peer is no cause. */
    { "submit 2 0 2 infrastructure, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, lose 0 15", "Training" },
    { "submit 2 0 2 infrastructure, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, lose 0 15, end 1 20 peer",
      "Restarting" },
    { "submit 2 0 2 infrastructure, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11, lose 0 15, end 1 14 failed",
      "Failed failed 11 1" },
    /* max_run counts over all attempts: 2 s here. */
    { "submit 1 2 2 infrastructure, place, ready 0 10, launch 0 11, lose 0 2009", "Restarting" },
    { "submit 1 2 2 infrastructure, place, ready 0 10, launch 0 11, lose 0 2010", "Failed lost -1 -1" },
    { "submit 1 2 3 infrastructure, place, ready 0 10, launch 0 11, lose 0 1010, place, ready 0 2000, launch 0 2001, lose 0 3000",
      "Failed lost -1 -1" },
    /* A stop wins over another attempt. */
    { "submit 1 0 2 infrastructure, place, ready 0 10, launch 0 11, stop user_stop, lose 0 20", "Failed lost -1 -1" },
    { "submit 1 0 2 infrastructure, place, lose 0 0, stop user_stop", "Stopped user_stop -1 -1" },
    { "submit 1 0 2 infrastructure, place, lose 0 0, expire", "MaxWaitTimeExceeded max_wait -1 -1" },

    /* An interruption: the attempt's end decides, as ever. */
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120", "Training" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, end 0 20 interrupted", "Interrupted" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, upload 0 20 interrupted", "Uploading" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, upload 0 20 interrupted, end 0 21 interrupted",
      "Interrupted" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, end 0 20 interrupted, place", "Starting" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, end 0 20 completed", "Completed completed 0 -1" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, end 0 20 failed", "Failed failed 10 0" },
    { "submit 1 0 2 infrastructure, place, ready 0 10, launch 0 11, interrupt 120, end 0 20 interrupted",
      "Failed interrupted -1 -1" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, end 0 20 interrupted, place, ready 0 30, launch 0 31,"
      " interrupt 120, end 0 40 interrupted", "Failed interrupted -1 -1" },
    { "submit 2 0 2 interrupted, place, ready 0 10, ready 1 10, end 0 20 peer, end 1 20 interrupted", "Interrupted" },
    /* The machine went away with its worker. */
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, lose 0 20", "Interrupted" },
    /* A stop that comes later wins over another attempt. */
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, stop user_stop, end 0 20 interrupted",
      "Stopped user_stop -1 -1" },
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, end 0 20 interrupted, stop user_stop",
      "Stopped user_stop -1 -1" },
    /* The next attempt knows nothing of it. */
    { "submit 1 0 2 interrupted, place, ready 0 10, launch 0 11, interrupt 120, end 0 20 interrupted, place, ready 0 30,"
      " launch 0 31, lose 0 40", "Failed lost -1 -1" },

    /* A warm pool outlives its job and changes nothing of its end. */
    { "submit 1 0 1 infrastructure 60, place, ready 0 10, launch 0 11, end 0 20 completed", "Completed completed 0 -1" },
    { "submit 1 0 1 infrastructure 60, place, ready 0 10, launch 0 11, end 0 20 completed, cool 30 two",
      "Completed completed 0 -1" },

    /* Its system told the worker to end; nobody asked us. */
    { "submit 1, place, ready 0 10, launch 0 11, end 0 20 user_stop", "Stopped user_stop -1 -1" },
};
/* clang-format on */

static bool expected_move(enum job_state from, const char *event, enum job_state *to)
{
    auto_free char *key = xasprintf(" %s>", event);
    const char *at = strstr(rows[from].possible, key);
    auto_free char *name = NULL;

    if (!at)
        return false;
    at += strlen(key);
    name = xstrndup(at, strcspn(at, " "));
    ck_assert(job_state_from_name(name, to));
    return true;
}

START_TEST(a_pair_leads_where_the_table_says_or_is_refused)
{
    enum job_state from = (enum job_state)_i;

    ck_assert_int_eq(rows[from].from, from);
    for (int kind = 0; kind < EV_COUNT; kind++) {
        const char *event = job_event_name((enum job_event_kind)kind);
        enum job_state wanted, got = JOB_NEW;
        bool is_possible = expected_move(from, event, &wanted);

        ck_assert_msg(job_move(from, (enum job_event_kind)kind, &got) == is_possible,
                      "%s %s", job_state_name(from), event);
        if (is_possible)
            ck_assert_msg(got == wanted, "%s %s", job_state_name(from), event);
        if (is_possible)
            ck_assert_msg(!job_state_is_final(from) || wanted == from, "%s %s",
                          job_state_name(from), event);
    }
}
END_TEST

START_TEST(a_refused_event_says_why_and_changes_nothing)
{
    for (int kind = 0; kind < EV_COUNT; kind++) {
        struct job_event event = { .seq = 1, .kind = (enum job_event_kind)kind };
        auto_job struct job *job = job_new(1);
        auto_free char *before = NULL;
        auto_free char *after = NULL;
        enum job_state to;
        struct err err;

        job->state = (enum job_state)_i;
        job->name = xstrdup("one");
        if (job_move(job->state, event.kind, &to))
            continue;
        before = life_print(job);
        ck_assert_int_lt(job_apply(job, &event, &err), 0);
        ck_assert_int_eq(err.code, ERR_CONFLICT);
        ck_assert_ptr_nonnull(strstr(err.text, job_state_name(job->state)));
        ck_assert_ptr_nonnull(strstr(err.text, job_event_name(event.kind)));
        after = life_print(job);
        ck_assert_str_eq(before, after);
    }
}
END_TEST

START_TEST(a_life_comes_to_its_true_end)
{
    auto_life struct life life = { 0 };
    const struct job *job;
    auto_free char *outcome = NULL;

    life_live(&life, lives[_i].steps);
    job = life.job;
    if (job_state_is_final(job->state))
        outcome = xasprintf("%s %s %d %d", job_state_name(job->state),
                            end_cause_name(job->end.cause), job->end.exit_code,
                            job->end.first_failing_rank);
    else
        outcome = xstrdup(job_state_name(job->state));
    ck_assert_msg(strcmp(outcome, lives[_i].outcome) == 0, "%s: %s, not %s",
                  lives[_i].steps, outcome, lives[_i].outcome);
}
END_TEST

START_TEST(the_bill_opens_at_the_last_ready)
{
    auto_life struct life life = { 0 };

    life_live(&life, "submit 3, place, ready 1 30, ready 0 10");
    ck_assert(!life.job->billing);
    life_live(&life, "ready 2 20");
    ck_assert(life.job->billing);
    ck_assert_int_eq(life.job->ready_boot_us, 30 * USEC_PER_MSEC);
    ck_assert_int_eq(life.job->ready_wall_us, LIFE_WALL_ZERO + 30 * USEC_PER_MSEC);
}
END_TEST

START_TEST(the_attempt_ends_with_its_last_worker)
{
    auto_life struct life life = { 0 };

    life_live(&life,
              "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11,"
              "end 0 50 completed, end 1 40 completed");
    ck_assert_int_eq(job_end_boot(life.job), 50 * USEC_PER_MSEC);
}
END_TEST

START_TEST(peers_must_end_once_a_worker_ended_otherwise_than_well)
{
    auto_life struct life well = { 0 };
    auto_life struct life badly = { 0 };

    life_live(&well, "submit 2");
    ck_assert(!job_has_failed_worker(well.job));
    life_live(&well, "place, ready 0 10, ready 1 10, launch 0 11, launch 1 11,"
                     "end 0 20 completed");
    ck_assert(!job_has_failed_worker(well.job));
    life_live(&badly, "submit 2, place, lose 1 10");
    ck_assert(job_has_failed_worker(badly.job));
}
END_TEST

START_TEST(a_warm_pool_ends_once_and_only_where_there_is_one)
{
    auto_life struct life cold = { 0 };
    auto_life struct life warm = { 0 };
    struct err err;

    life_live(&cold, "submit 1, place, ready 0 10, launch 0 11, end 0 20 completed");
    ck_assert(job_is_over(cold.job));
    ck_assert_ptr_null(job_warm_status(cold.job));
    ck_assert(!life_try(&cold, "cool 30", &err));
    ck_assert_int_eq(err.code, ERR_CONFLICT);

    life_live(&warm, "submit 1 0 1 infrastructure 60, place, ready 0 10, launch 0 11");
    ck_assert_str_eq(job_warm_status(warm.job), "InUse");
    life_live(&warm, "end 0 20 completed");
    ck_assert(!job_is_over(warm.job));
    ck_assert_str_eq(job_warm_status(warm.job), "Available");
    ck_assert_int_eq(job_warm_start(warm.job), 20 * USEC_PER_MSEC);
    life_live(&warm, "cool 30 two");
    ck_assert(job_is_over(warm.job));
    ck_assert_str_eq(job_warm_status(warm.job), "Reused");
    ck_assert_str_eq(warm.job->reused_by, "two");
    ck_assert(!life_try(&warm, "cool 31", &err));
    ck_assert_int_eq(err.code, ERR_CONFLICT);
}
END_TEST

START_TEST(peers_must_end_once_a_worker_stores_what_a_failure_left)
{
    auto_life struct life life = { 0 };

    life_live(&life,
              "submit 2, place, ready 0 10, ready 1 10, launch 0 11, launch 1 11,"
              "upload 0 20 completed");
    ck_assert(!job_has_failed_worker(life.job));
    life_live(&life, "upload 1 21 failed");
    ck_assert(job_has_failed_worker(life.job));
}
END_TEST

START_TEST(an_attempt_leaves_its_ends_and_its_time_behind)
{
    auto_life struct life life = { 0 };
    const struct job *job;

    life_live(&life, "submit 2 0 3 infrastructure, place, ready 0 1000, ready 1 2000,"
                     "launch 0 2001, launch 1 2001, lose 0 3000, end 1 5500 peer");
    job = life.job;
    ck_assert(job->attempt_over);
    ck_assert_int_eq(job->attempt_end.cause, END_LOST);
    ck_assert_int_eq(job_used_run_s(job), 3); /* 3.5 s, from the last ready */
    life_live(&life, "place");
    ck_assert_int_eq(job->attempt, 2);
    ck_assert(!job->attempt_over);
    ck_assert(!job->workers[0].ready);
    ck_assert_int_eq(job->past[0].end.cause, END_LOST);
    ck_assert_int_eq(job->past[0].workers[0].end.cause, END_LOST);
    ck_assert_int_eq(job->past[0].workers[1].end.cause, END_PEER);
    life_live(&life, "ready 0 8000, ready 1 8000, lose 1 9000, end 0 9000 peer, place");
    ck_assert_int_eq(job_used_run_s(job), 4);
    ck_assert_int_eq(job->past[1].workers[1].end.cause, END_LOST);
}
END_TEST

/* What one worker can go through; " %d " becomes its number. */
static const char *const worker_lives[] = {
    "lose",
    "ready lose",
    "ready launch lose",
    "ready end:failed",
    "ready end:launch",
    "ready end:infrastructure",
    "ready end:max_run",
    "ready end:user_stop",
    "ready end:peer",
    "ready upload:input lose",
    "ready upload:input end:input",
    "ready launch end:interrupted",
    "ready launch end:completed",
    "ready launch end:failed",
    "ready launch end:max_run",
    "ready launch end:user_stop",
    "ready launch end:peer",
};

enum {
    STEPS_MAX = 3,
    NO_STOP = 2 * STEPS_MAX + 1
};

static int split(const char *life, char steps[STEPS_MAX][32])
{
    return sscanf(life, "%31s %31s %31s", steps[0], steps[1], steps[2]);
}

static void add_step(struct text *story, int worker, const char *step, int at)
{
    size_t verb = strcspn(step, ":");

    text_printf(story, ", %.*s %d %d", (int)verb, step, worker, at);
    if (step[verb])
        text_printf(story, " %s", step + verb + 1);
}

/* Bit k of `order`: step k is worker 1's.  False when it is no order of these two. */
static bool tell_story(struct text *story, const char *const two[2], unsigned order,
                       int stop_at)
{
    char steps[2][STEPS_MAX][32];
    const int count[2] = { split(two[0], steps[0]), split(two[1], steps[1]) };
    int next[2] = { 0, 0 };

    if (order >> (count[0] + count[1]) || stop_at > NO_STOP)
        return false;
    text_puts(story, "submit 2, place");
    for (int k = 0; k < count[0] + count[1]; k++) {
        int worker = (int)(order >> k & 1U);

        if (next[worker] == count[worker])
            return false;
        if (k == stop_at)
            text_puts(story, ", stop user_stop");
        add_step(story, worker, steps[worker][next[worker]++], 10 + k);
    }
    return true;
}

START_TEST(no_order_of_events_leaves_a_job_stuck)
{
    const char *two[2] = { worker_lives[_i], NULL };
    int told = 0;

    for (size_t other = 0; other < ARRAY_SIZE(worker_lives); other++) {
        two[1] = worker_lives[other];
        for (unsigned order = 0; order < 1U << (2 * STEPS_MAX); order++) {
            /* Stopped at the first step, in the middle, never. */
            for (int stop_at = 0; stop_at <= 6; stop_at += 2) {
                auto_text struct text story = { 0 };
                auto_life struct life life = { 0 };

                if (!tell_story(&story, two, order, stop_at == 6 ? NO_STOP : stop_at))
                    break;
                life_live(&life, story.bytes);
                ck_assert_msg(job_state_is_final(life.job->state), "%s: still %s",
                              story.bytes, job_state_name(life.job->state));
                told++;
            }
        }
    }
    ck_assert_int_gt(told, 100);
}
END_TEST

Suite *suite_job_machine(void);

Suite *suite_job_machine(void)
{
    Suite *suite = suite_create("job_machine");
    TCase *tests = tcase_create("moves");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_pair_leads_where_the_table_says_or_is_refused, 0,
                        JOB_STATE_COUNT);
    tcase_add_loop_test(tests, a_refused_event_says_why_and_changes_nothing, 0,
                        JOB_STATE_COUNT);
    tcase_add_loop_test(tests, a_life_comes_to_its_true_end, 0, ARRAY_SIZE(lives));
    tcase_add_test(tests, the_bill_opens_at_the_last_ready);
    tcase_add_test(tests, the_attempt_ends_with_its_last_worker);
    tcase_add_test(tests, peers_must_end_once_a_worker_ended_otherwise_than_well);
    tcase_add_test(tests, a_warm_pool_ends_once_and_only_where_there_is_one);
    tcase_add_test(tests, peers_must_end_once_a_worker_stores_what_a_failure_left);
    tcase_add_test(tests, an_attempt_leaves_its_ends_and_its_time_behind);
    tcase_add_loop_test(tests, no_order_of_events_leaves_a_job_stuck, 0,
                        ARRAY_SIZE(worker_lives));
    suite_add_tcase(suite, tests);
    return suite;
}
