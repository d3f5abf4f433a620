/* "AlgorithmError: ..." and kin, as SageMaker users grep for.  Who is to blame was
 * decided with the job's end. */

#include "daemon/failure_reason.h"

#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0U) != 0x80U;
}

static size_t characters(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += begins_character(*text);
    return count;
}

/* Cuts to so many characters. */
static void cut(char *text, size_t most)
{
    for (; *text; text++) {
        if (begins_character(*text) && most-- == 0) {
            *text = '\0';
            return;
        }
    }
}

static const char *failing_rank(const struct job_end *end, char out[24])
{
    if (end->first_failing_rank < 0)
        return "a rank";
    snprintf(out, 24, "rank %d", end->first_failing_rank);
    return out;
}

/* Without the line feed that ends it. */
static char *trimmed(const char *words)
{
    size_t len = strlen(words);

    while (len > 0 && strchr(" \t\r\n", words[len - 1]))
        len--;
    return xstrndup(words, len);
}

/* What the program said of it: the exception that ended it, then what it wrote to
 * output/failure unless that tells the same; NULL when it said nothing. */
static char *own_words(const struct job *job)
{
    const struct job_worker *worker = job_decisive_worker(job);
    const char *written = worker ? json_get_text(worker->said, "failure") : NULL;
    auto_free char *failure = written ? trimmed(written) : NULL;
    const char *exception = worker ? json_get_text(worker->said, "traceback") : NULL;

    if (failure && *failure && exception && !strstr(failure, exception))
        return xasprintf("%s: %s", exception, failure);
    if (failure && *failure)
        return steal_ptr(&failure);
    return exception && *exception ? xstrdup(exception) : NULL;
}

/* How it ended comes last and is never cut: the words are. */
static char *program_failed(const struct job *job, const char *how)
{
    static const char class[] = "AlgorithmError: ";
    auto_free char *words = own_words(job);
    auto_free char *last = NULL;
    char rank[24];

    if (!words)
        return NULL;
    last = xasprintf(", %s, %s", how, failing_rank(&job->end, rank));
    cut(words, FAILURE_REASON_MAX - strlen(class) - characters(last));
    return xasprintf("%s%s%s", class, words, last);
}

/* What the program said, else what its worker did. */
static char *failed(const struct job *job, const char *how, const char *message)
{
    char *told = program_failed(job, how);
    char rank[24];

    if (told)
        return told;
    if (*message)
        return xasprintf("AlgorithmError: %s; see its log", message);
    return xasprintf("AlgorithmError: %s: %s; see its log",
                     failing_rank(&job->end, rank), how);
}

static char *exited(const struct job *job, const char *message)
{
    auto_free char *how = xasprintf("exit code: %d", job->end.exit_code);

    return failed(job, how, message);
}

static char *killed(const struct job *job, const char *message)
{
    auto_free char *how = xasprintf("killed by signal %d", job->end.signal);

    return failed(job, how, message);
}

static char *reason_of(const struct job *job, const char *message)
{
    char rank[24];

    switch (job->end.cause) {
    case END_FAILED:
        return exited(job, message);
    case END_SIGNAL:
        return killed(job, message);
    case END_OOM:
        return xasprintf(
            "AlgorithmError: %s ran out of memory: use an instance type with more, or smaller batches",
            failing_rank(&job->end, rank));
    case END_LAUNCH:
        return xasprintf("ClientError: the program could not be started: %s", message);
    case END_INPUT:
        return xasprintf("ClientError: Data download failed: %s", message);
    case END_OUTPUT:
        return xasprintf("ClientError: Artifact upload failed: %s", message);
    case END_INTERRUPTED:
        return xasprintf(
            "CapacityError: interrupted in attempt %d of %d, and not tried again%s%s",
            job->attempt, job->max_attempts, *message ? ": " : "", message);
    case END_LOST:
        return xasprintf("InternalServerError: a worker vanished: %s", message);
    case END_INFRASTRUCTURE:
        return xasprintf("InternalServerError: %s", message);
    case END_COMPLETED:
    case END_MAX_RUN:
    case END_MAX_WAIT:
    case END_USER_STOP:
    case END_BUDGET:
    case END_PEER:
        break;
    }
    return xstrdup(end_cause_name(job->end.cause));
}

char *failure_reason_of(const struct job *job)
{
    char *reason;

    if (job->state != JOB_FAILED)
        return NULL;
    reason = reason_of(job, job->end.message ? job->end.message : "");
    cut(reason, FAILURE_REASON_MAX);
    return reason;
}
