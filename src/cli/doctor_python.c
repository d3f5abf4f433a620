/* The doctor's look at Python, PyTorch, torchrun and mpirun.  Runs children, each with
 * a deadline. */

#include "src/cli/doctor.h"
#include "src/clock.h"
#include "src/process.h"
#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The interpreter that railheadd uses unless told otherwise. */
static const char python[] = "/usr/bin/python3";

/* Importing torch on a cold disk takes several seconds. */
enum {
    PROBE_S = 60,
    OUTPUT_MAX = 65536
};

/*
 * One line of JSON.  Std.from_str("0") is the fault of torch 1.13 under Python 3.11: it
 * gives None, and torchrun calls it with its own default.
 */
static const char probe[] =
    "import json, sys\n"
    "found = {'python': '%d.%d.%d' % sys.version_info[:3]}\n"
    "try:\n"
    "    import torch\n"
    "    found['torch'] = torch.__version__\n"
    "    from torch.distributed.elastic.multiprocessing.api import Std\n"
    "    found['torchrun'] = Std.from_str('0') is not None\n"
    "except ImportError as error:\n"
    "    found['missing'] = str(error)\n"
    "print(json.dumps(found))\n";

/* All that comes until the end of output or the deadline. */
static void read_until(int fd, usec_t deadline, struct text *out)
{
    char piece[4096];
    struct pollfd wait = { .fd = fd, .events = POLLIN };

    while (out->len < OUTPUT_MAX) {
        usec_t left = deadline - clock_boot();
        ssize_t got;

        if (left <= 0
            || (poll(&wait, 1, (int)(left / USEC_PER_MSEC) + 1) < 0 && errno != EINTR))
            return;
        if (!wait.revents)
            continue;
        got = read(fd, piece, sizeof piece);
        if (got <= 0)
            return;
        text_add(out, piece, (size_t)got);
    }
}

/* Fails when it could not be started, and when it had to be killed at its deadline. */
static int run_child(const char *const *argv, int deadline_s, struct text *out,
                     int *status, struct err *err)
{
    usec_t deadline = clock_boot() + deadline_s * USEC_PER_SEC;
    auto_close int output = -1;
    auto_close int child_end = -1;
    auto_close int pidfd = -1;
    struct pollfd wait;
    int ends[2];
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return err_sys(err, errno, "pipe");
    output = ends[0];
    child_end = ends[1];
    if (process_spawn(argv, (const char *const *)environ,
                      (struct process_files){ -1, child_end }, &pid, &pidfd, err)
        < 0)
        return -1;
    close(steal_fd(&child_end));
    read_until(output, deadline, out);
    wait = (struct pollfd){ .fd = pidfd, .events = POLLIN };
    if (poll(&wait, 1, clock_boot() < deadline ? 1000 : 0) <= 0 || !wait.revents) {
        process_kill(pidfd, SIGKILL);
        poll(&wait, 1, 1000);
        process_reap(pidfd, status);
        return err_set(err, ERR_UNAVAILABLE, "%s did not end within %d s", argv[0],
                       deadline_s);
    }
    process_reap(pidfd, status);
    return 0;
}

static void add_torch(struct findings *findings, const struct cJSON *found)
{
    const char *torch = json_get_text(found, "torch");
    const char *missing = json_get_text(found, "missing");

    if (!torch) {
        findings_add(findings, "torch", SEVERITY_WARNING,
                     "apt-get install --no-install-recommends python3-torch",
                     "%s has no PyTorch (%s); jobs that need it will fail", python,
                     missing ? missing : "not importable");
        return;
    }
    findings_add(findings, "torch", SEVERITY_OK, NULL, "PyTorch %s", torch);
    if (json_get_bool(found, "torchrun"))
        findings_add(findings, "torchrun", SEVERITY_OK, NULL,
                     "torchrun works as it is");
    else
        findings_add(
            findings, "torchrun", SEVERITY_NOTE,
            "none is needed in jobs; by hand: torchrun -r 1 -t 1 ...",
            "torchrun of PyTorch %s fails on its own defaults under this Python; Railhead repairs it for `launcher: torchrun` and does not need it otherwise",
            torch);
}

void doctor_check_python(struct findings *findings)
{
    const char *argv[] = { python, "-c", probe, NULL };
    auto_text struct text out = { 0 };
    auto_json struct cJSON *found = NULL;
    const char *line;
    struct err err;
    int status = 0;

    if (run_child(argv, PROBE_S, &out, &status, &err) < 0) {
        findings_add(findings, "python", SEVERITY_WARNING,
                     "apt-get install python3, or name another one by `python:`", "%s",
                     err.text);
        return;
    }
    /* Libraries may have warned before; the answer is the last line. */
    while (out.len > 0 && out.bytes[out.len - 1] == '\n')
        out.bytes[--out.len] = '\0';
    line = out.len ? strrchr(out.bytes, '\n') : NULL;
    line = line ? line + 1 : out.bytes;
    if (!line || !WIFEXITED(status) || WEXITSTATUS(status) != 0
        || json_parse(line, strlen(line), &found, NULL) < 0) {
        findings_add(findings, "python", SEVERITY_WARNING, NULL,
                     "%s does not work: %.200s", python, line ? line : "no output");
        return;
    }
    findings_add(findings, "python", SEVERITY_OK, NULL, "%s is Python %s", python,
                 json_get_text(found, "python"));
    add_torch(findings, found);
}

/* Open MPI is the one whose arguments and environment launch_mpi.c knows. */
void doctor_check_mpirun(struct findings *findings)
{
    static const char remedy[] =
        "apt-get install --no-install-recommends openmpi-bin; only `distribution: mpi` needs it";
    auto_free char *path = program_find("mpirun", getenv("PATH"));
    const char *argv[] = { path, "--version", NULL };
    auto_text struct text out = { 0 };
    struct err err;
    int status = 0;

    if (!path) {
        findings_add(findings, "mpirun", SEVERITY_NOTE, remedy,
                     "there is no mpirun in PATH");
        return;
    }
    if (run_child(argv, PROBE_S, &out, &status, &err) < 0)
        findings_add(findings, "mpirun", SEVERITY_WARNING, remedy, "%s", err.text);
    else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || out.len == 0
             || !strstr(out.bytes, "Open MPI"))
        findings_add(findings, "mpirun", SEVERITY_WARNING, remedy,
                     "%s is not that of Open MPI, or does not work", path);
    else
        findings_add(findings, "mpirun", SEVERITY_OK, NULL, "%s: %.*s", path,
                     (int)strcspn(out.bytes, "\n"), out.bytes);
}
