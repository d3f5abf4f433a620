/* Decides why a worker ends.  Signals nobody and writes nothing: whoever is told that
 * the cause was decided acts on it. */

#include "src/worker/ending.h"

#include "src/text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The journal is UTF-8, whatever a foreign program said. */
static char *clean(char *words)
{
    if (!text_is_utf8(words, strlen(words)))
        for (char *byte = words; *byte; byte++)
            if ((unsigned char)*byte >= 0x80)
                *byte = '?';
    return words;
}

void ending_init(struct ending *ending)
{
    *ending = (struct ending){ .cause = END_COMPLETED, .exit_code = -1, .rank = -1 };
}

void ending_clear(struct ending *ending)
{
    free(ending->message);
    ending->message = NULL;
}

static char *signal_name(int signal_number)
{
    const char *name = sigabbrev_np(signal_number);

    if (name)
        return xasprintf("SIG%s", name);
    return xasprintf("SIG%d", signal_number); /* a real-time signal */
}

static void decide_signal(struct ending *ending, int rank, int signal_number, bool oom)
{
    auto_free char *name = signal_name(signal_number);

    ending->signal_number = signal_number;
    ending->cause = oom ? END_OOM : END_SIGNAL;
    if (oom)
        ending->message =
            xasprintf("rank %d was killed by the kernel's out-of-memory killer", rank);
    else
        ending->message = xasprintf("rank %d was killed by signal %d (%s)", rank,
                                    signal_number, name);
}

bool ending_rank(struct ending *ending, int rank, int status, bool oom, usec_t boot)
{
    if (ending->decided || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return false;
    ending->decided = true;
    ending->rank = rank;
    ending->boot = boot;
    if (WIFSIGNALED(status)) {
        decide_signal(ending, rank, WTERMSIG(status), oom);
        return true;
    }
    ending->cause = END_FAILED;
    ending->exit_code = WEXITSTATUS(status);
    ending->message = xasprintf("rank %d exited with code %d", rank, ending->exit_code);
    return true;
}

bool ending_because(struct ending *ending, enum end_cause cause, const char *format,
                    ...)
{
    va_list args;

    if (ending->decided)
        return false;
    ending->decided = true;
    ending->cause = cause;
    va_start(args, format);
    ending->message = clean(xvasprintf(format, args));
    va_end(args);
    return true;
}

void ending_remark(struct ending *ending, const char *remark)
{
    auto_free char *before = steal_ptr(&ending->message);

    ending->message = before ? xasprintf("%s; %s", before, remark) : xstrdup(remark);
}

void ending_to_json(const struct ending *ending, struct cJSON *line)
{
    int exit_code = ending->cause == END_COMPLETED ? 0 : ending->exit_code;

    json_set_text(line, "cause", end_cause_name(ending->cause));
    json_set(line, "exit_code",
             exit_code < 0 ? json_null_new() : json_int_new(exit_code));
    json_set(line, "signal",
             ending->signal_number ? json_int_new(ending->signal_number)
                                   : json_null_new());
    json_set(line, "first_failing_rank",
             ending->rank < 0 ? json_null_new() : json_int_new(ending->rank));
    json_set(line, "first_failure_boot_us",
             ending->rank < 0 ? json_null_new() : json_int_new(ending->boot));
    json_set_text(line, "message", ending->message);
}
