/* How cgroups of workers that are gone are emptied, on folders that look like those of
 * version 1: the real ones are tried by tests/flow/isolation.sh. */

#include "schedulers/local_cgroup.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void end_cgroup(const char *path)
{
    struct loop *loop;
    struct local_cgroups *cgroups;
    struct err err;

    ck_assert_int_eq(loop_new(&loop, &err), 0);
    ck_assert_int_eq(local_cgroups_new(loop, &cgroups, &err), 0);
    local_cgroups_end(cgroups, path);
    local_cgroups_free(cgroups);
    loop_free(loop);
}

static pid_t start_sleeper(void)
{
    pid_t pid = fork();

    if (pid == 0)
        for (;;)
            pause();
    return pid;
}

START_TEST(where_there_is_no_cgroup_kill_each_process_is_killed)
{
    char *folder = scratch_folder();
    pid_t listed[] = { start_sleeper(), start_sleeper() };
    pid_t bystander = start_sleeper();
    auto_free char *list = xasprintf("%d\n%d\n", (int)listed[0], (int)listed[1]);
    int status;

    scratch_write(folder, "cgroup.procs", list);
    end_cgroup(folder);
    for (size_t i = 0; i < ARRAY_SIZE(listed); i++) {
        ck_assert_int_eq(waitpid(listed[i], &status, 0), listed[i]);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    ck_assert_int_eq(waitpid(bystander, &status, WNOHANG), 0);
    kill(bystander, SIGKILL);
    waitpid(bystander, &status, 0);
    scratch_remove(folder);
}
END_TEST

START_TEST(an_empty_cgroup_is_removed)
{
    char *folder = scratch_folder();

    end_cgroup(folder);
    ck_assert_int_lt(access(folder, F_OK), 0);
    free(folder);
}
END_TEST

START_TEST(a_cgroup_that_is_gone_is_well)
{
    end_cgroup("/no/such/cgroup");
}
END_TEST

Suite *suite_local_cgroup(void)
{
    Suite *suite = suite_create("local_cgroup");
    TCase *tests = tcase_create("local_cgroup");

    tcase_add_test(tests, where_there_is_no_cgroup_kill_each_process_is_killed);
    tcase_add_test(tests, an_empty_cgroup_is_removed);
    tcase_add_test(tests, a_cgroup_that_is_gone_is_well);
    suite_add_tcase(suite, tests);
    return suite;
}
