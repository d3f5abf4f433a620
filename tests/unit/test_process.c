/* A child starts clean, fails loudly, and is never taken for another process. */

#include "src/process.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const plain_env[] = { "PATH=/usr/bin:/bin", "LC_ALL=C", NULL };

static int wait_for_end(int pidfd)
{
    struct pollfd end = { .fd = pidfd, .events = POLLIN };
    int status = -1;

    ck_assert_int_eq(poll(&end, 1, 10000), 1);
    ck_assert(process_reap(pidfd, &status));
    return status;
}

static int run(const char *const *argv, const char *const *envp, int output_fd)
{
    auto_close int pidfd = -1;
    struct err err;
    pid_t pid;

    if (process_spawn(argv, envp, (struct process_files){ -1, output_fd }, &pid, &pidfd,
                      &err)
        < 0)
        ck_abort_msg("%s", err.text);
    return wait_for_end(pidfd);
}

/* Runs a line of shell and gives what it said; it must end well. */
static char *said(const char *line)
{
    const char *const argv[] = { "/bin/sh", "-c", line, NULL };
    char bytes[4096];
    ssize_t len;
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(run(argv, plain_env, ends[1]), 0);
    close(ends[1]);
    len = read(ends[0], bytes, sizeof bytes - 1);
    close(ends[0]);
    ck_assert_int_ge(len, 0);
    return xstrndup(bytes, (size_t)len);
}

static int exit_of_shell(const char *line)
{
    const char *const argv[] = { "/bin/sh", "-c", line, NULL };

    return run(argv, plain_env, -1);
}

START_TEST(stdout_and_stderr_go_to_the_output)
{
    auto_free char *output = said("echo out; echo err >&2");

    ck_assert_str_eq(output, "out\nerr\n");
}
END_TEST

START_TEST(the_output_may_be_any_descriptor)
{
    const char *const argv[] = { "/bin/sh", "-c", "echo out; echo err >&2", NULL };
    char bytes[64] = "";
    int ends[2];

    /* _i is 0, 1 or 2: where the child's own streams will be. */
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(dup2(ends[1], _i), _i);
    ck_assert_int_eq(run(argv, plain_env, _i), 0);
    ck_assert_int_eq(read(ends[0], bytes, sizeof bytes - 1), 8);
    ck_assert_str_eq(bytes, "out\nerr\n");
}
END_TEST

START_TEST(without_an_output_it_is_dev_null)
{
    ck_assert_int_eq(exit_of_shell("[ /proc/self/fd/1 -ef /dev/null ] && "
                                   "[ /proc/self/fd/2 -ef /dev/null ]"),
                     0);
}
END_TEST

START_TEST(stdin_is_dev_null)
{
    ck_assert_int_eq(exit_of_shell("[ /proc/self/fd/0 -ef /dev/null ]"), 0);
}
END_TEST

START_TEST(the_environment_is_what_was_given_and_no_more)
{
    const char *const argv[] = { "/usr/bin/env", NULL };
    const char *const envp[] = { "A=1", "B=x y", NULL };
    char bytes[64] = "";
    int ends[2];

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    ck_assert_int_eq(run(argv, envp, ends[1]), 0);
    ck_assert_int_gt(read(ends[0], bytes, sizeof bytes - 1), 0);
    ck_assert_str_eq(bytes, "A=1\nB=x y\n");
}
END_TEST

START_TEST(no_other_descriptor_is_passed_on)
{
    auto_free char *names = NULL;

    /* Without O_CLOEXEC on purpose. */
    ck_assert_int_eq(dup2(STDERR_FILENO, 77), 77);
    names = said("ls /proc/self/fd");
    ck_assert_str_eq(names, "0\n1\n2\n3\n"); /* 3 is the folder that ls reads */
}
END_TEST

START_TEST(no_signal_is_blocked_or_ignored)
{
    auto_free char *lines = NULL;
    unsigned long long blocked;
    unsigned long long ignored;
    sigset_t set;

    signal(SIGINT, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    lines = said("exec grep -E '^Sig(Blk|Ign)' /proc/self/status");
    ck_assert_int_eq(sscanf(lines, "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
    ck_assert_uint_eq(blocked, 0);
    /* 32 and 33 are glibc's own: its posix_spawn ignores them until the program's
     * threads begin. */
    ck_assert_uint_eq(ignored & ~0x180000000ULL, 0);
}
END_TEST

START_TEST(a_child_leads_a_session_of_its_own)
{
    auto_free char *line = said("read -r line < /proc/self/stat; echo \"$line\"");
    int pid;
    int group;
    int session;

    ck_assert_int_eq(sscanf(line, "%d %*s %*s %*d %d %d", &pid, &group, &session), 3);
    ck_assert_int_eq(group, pid);
    ck_assert_int_eq(session, pid);
    ck_assert_int_ne(session, getsid(0));
}
END_TEST

static void check_refused(const char *const *argv, const char *const *envp,
                          enum err_code code, int error)
{
    struct err err;
    pid_t pid = -7;
    int pidfd = -7;

    ck_assert_int_lt(process_spawn(argv, envp, (struct process_files){ -1, -1 }, &pid,
                                   &pidfd, &err),
                     0);
    ck_assert_int_eq(err.code, code);
    ck_assert_ptr_nonnull(strstr(err.text, argv[0]));
    ck_assert_ptr_nonnull(strstr(err.text, strerror(error)));
    ck_assert_int_eq(pid, -7);
    ck_assert_int_eq(pidfd, -7);
    /* No child was left behind. */
    ck_assert_int_lt(waitpid(-1, NULL, WNOHANG), 0);
    ck_assert_int_eq(errno, ECHILD);
}

START_TEST(a_program_that_is_not_there_is_an_error_of_the_call)
{
    const char *const argv[] = { "/no/such/program", NULL };

    check_refused(argv, plain_env, ERR_NOT_FOUND, ENOENT);
}
END_TEST

START_TEST(a_file_that_may_not_run_is_an_error_of_the_call)
{
    const char *const argv[] = { "/etc/passwd", NULL };

    check_refused(argv, plain_env, ERR_DENIED, EACCES);
}
END_TEST

START_TEST(too_long_a_command_line_is_an_error_of_the_call)
{
    auto_free char *word = xmalloc(200000); /* one word may have 128 KiB */
    const char *const argv[] = { "/bin/true", word, NULL };

    memset(word, 'w', 199999);
    word[199999] = '\0';
    check_refused(argv, plain_env, ERR_INTERNAL, E2BIG);
}
END_TEST

START_TEST(a_name_is_looked_for_in_the_path_of_the_child)
{
    char folder[] = "/tmp/unit-process-XXXXXX";
    const char *const argv[] = { "only-there", NULL };
    auto_free char *path = NULL;
    auto_free char *variable = NULL;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    path = xasprintf("%s/only-there", folder);
    variable = xasprintf("PATH=/no/such/folder::/proc/self/exe:%s:/bin", folder);
    ck_assert_int_eq(symlink("/bin/false", path), 0);
    ck_assert_int_eq(run(argv, (const char *const[]){ "X=1", variable, NULL }, -1),
                     W_EXITCODE(1, 0));
    check_refused(argv, plain_env, ERR_NOT_FOUND, ENOENT);
    ck_assert_int_eq(unlink(path), 0);
    /* A folder is no program, though it may be entered. */
    ck_assert_int_eq(mkdir(path, 0755), 0);
    check_refused(argv, (const char *const[]){ variable, NULL }, ERR_NOT_FOUND, ENOENT);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(rmdir(folder), 0);
}
END_TEST

START_TEST(a_name_without_a_path_is_not_found)
{
    const char *const argv[] = { "true", NULL };
    const char *const none[] = { NULL };
    const char *const empty[] = { "PATH=", NULL };
    const char *const similar[] = { "XPATH=/bin", "PATHS=/bin", NULL };

    check_refused(argv, none, ERR_NOT_FOUND, ENOENT);
    check_refused(argv, empty, ERR_NOT_FOUND, ENOENT);
    check_refused(argv, similar, ERR_NOT_FOUND, ENOENT);
}
END_TEST

START_TEST(a_status_is_as_waitpid_has_it)
{
    ck_assert_int_eq(exit_of_shell("exit 0"), 0);
    ck_assert_int_eq(exit_of_shell("exit 17"), W_EXITCODE(17, 0));
    ck_assert_int_eq(exit_of_shell("exit 255"), W_EXITCODE(255, 0));
    ck_assert_int_eq(exit_of_shell("kill -9 $$"), W_EXITCODE(0, SIGKILL));
    ck_assert_int_eq(exit_of_shell("kill -15 $$"), W_EXITCODE(0, SIGTERM));
    ck_assert_int_eq(WTERMSIG(exit_of_shell("ulimit -c 0; kill -6 $$")), SIGABRT);
}
END_TEST

START_TEST(what_runs_is_not_reaped_and_can_be_killed)
{
    const char *const argv[] = { "/bin/sleep", "1000", NULL };
    auto_close int pidfd = -1;
    struct err err;
    pid_t pid;
    int status = -7;

    ck_assert_int_eq(process_spawn(argv, plain_env, (struct process_files){ -1, -1 },
                                   &pid, &pidfd, &err),
                     0);
    ck_assert(!process_reap(pidfd, &status));
    ck_assert_int_eq(status, -7);
    process_kill(pidfd, SIGKILL);
    ck_assert_int_eq(wait_for_end(pidfd), W_EXITCODE(0, SIGKILL));
    /* Once more: nothing is left to reap, and nobody is hit. */
    process_kill(pidfd, SIGKILL);
    ck_assert(!process_reap(pidfd, &status));
}
END_TEST

START_TEST(who_is_not_our_child_is_not_reaped)
{
    auto_close int pidfd = -1;
    struct process_id parent = { .pid = getppid() };
    struct err err;
    int status;

    ck_assert_int_eq(process_start_ticks(parent.pid, &parent.start_ticks, &err), 0);
    ck_assert_int_eq(process_open(&parent, &pidfd, &err), 0);
    ck_assert(!process_reap(pidfd, &status));
}
END_TEST

START_TEST(a_name_with_blanks_and_parentheses_does_not_hide_the_start)
{
    struct err err;
    uint64_t before;
    uint64_t after = 0;

    ck_assert_int_eq(process_start_ticks(getpid(), &before, &err), 0);
    ck_assert_uint_gt(before, 0);
    ck_assert_int_eq(prctl(PR_SET_NAME, ") R 1 (2 3) "), 0);
    ck_assert_int_eq(process_start_ticks(getpid(), &after, &err), 0);
    ck_assert_uint_eq(after, before);
}
END_TEST

START_TEST(a_process_is_known_by_pid_and_start_together)
{
    struct process_id id = { .pid = getpid() };
    int pidfd = -7;
    struct err err;

    ck_assert_int_eq(process_start_ticks(id.pid, &id.start_ticks, &err), 0);
    id.start_ticks++;
    ck_assert_int_lt(process_open(&id, &pidfd, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_int_eq(pidfd, -7);
    id.start_ticks--;
    ck_assert_int_eq(process_open(&id, &pidfd, &err), 0);
    ck_assert_int_ge(pidfd, 0);
    ck_assert_int_eq(fcntl(pidfd, F_GETFD), FD_CLOEXEC);
    close(pidfd);
}
END_TEST

START_TEST(a_zombie_is_there_and_a_reaped_one_is_gone)
{
    const char *const argv[] = { "/bin/true", NULL };
    auto_close int pidfd = -1;
    auto_close int again = -1;
    struct process_id id;
    struct pollfd end;
    struct err err;
    int none = -7;

    ck_assert_int_eq(process_spawn(argv, plain_env, (struct process_files){ -1, -1 },
                                   &id.pid, &pidfd, &err),
                     0);
    end = (struct pollfd){ .fd = pidfd, .events = POLLIN };
    ck_assert_int_eq(poll(&end, 1, 10000), 1);
    ck_assert_int_eq(process_start_ticks(id.pid, &id.start_ticks, &err), 0);
    ck_assert_int_eq(process_open(&id, &again, &err), 0);
    ck_assert_int_eq(wait_for_end(pidfd), 0);
    ck_assert_int_lt(process_open(&id, &none, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_int_lt(process_start_ticks(id.pid, &id.start_ticks, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_int_eq(none, -7);
}
END_TEST

static TCase *start_tests(void)
{
    TCase *tests = tcase_create("start");

    tcase_add_test(tests, stdout_and_stderr_go_to_the_output);
    tcase_add_loop_test(tests, the_output_may_be_any_descriptor, 0, 3);
    tcase_add_test(tests, without_an_output_it_is_dev_null);
    tcase_add_test(tests, stdin_is_dev_null);
    tcase_add_test(tests, the_environment_is_what_was_given_and_no_more);
    tcase_add_test(tests, no_other_descriptor_is_passed_on);
    tcase_add_test(tests, no_signal_is_blocked_or_ignored);
    tcase_add_test(tests, a_child_leads_a_session_of_its_own);
    tcase_add_test(tests, a_program_that_is_not_there_is_an_error_of_the_call);
    tcase_add_test(tests, a_file_that_may_not_run_is_an_error_of_the_call);
    tcase_add_test(tests, too_long_a_command_line_is_an_error_of_the_call);
    tcase_add_test(tests, a_name_is_looked_for_in_the_path_of_the_child);
    tcase_add_test(tests, a_name_without_a_path_is_not_found);
    return tests;
}

static TCase *identity_tests(void)
{
    TCase *tests = tcase_create("identity");

    tcase_add_test(tests, a_status_is_as_waitpid_has_it);
    tcase_add_test(tests, what_runs_is_not_reaped_and_can_be_killed);
    tcase_add_test(tests, who_is_not_our_child_is_not_reaped);
    tcase_add_test(tests, a_name_with_blanks_and_parentheses_does_not_hide_the_start);
    tcase_add_test(tests, a_process_is_known_by_pid_and_start_together);
    tcase_add_test(tests, a_zombie_is_there_and_a_reaped_one_is_gone);
    return tests;
}

Suite *suite_process(void);

Suite *suite_process(void)
{
    Suite *suite = suite_create("process");

    suite_add_tcase(suite, start_tests());
    suite_add_tcase(suite, identity_tests());
    return suite;
}
