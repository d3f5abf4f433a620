/* What a cgroup's files say, on folders that look like one: the real kernel is asked by
 * tests/flow/worker_faults.sh. */

#include "src/worker/cgroup.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <sys/stat.h>

/* clang-format off */
static const struct {
    const char *events; /* memory.events; NULL: there is no such file */
    int kills;
} rows[] = {
    { NULL,                                                         0 },
    { "",                                                           0 },
    { "low 0\nhigh 0\nmax 3\noom 1\noom_kill 0\noom_group_kill 5\n", 0 },
    { "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\noom_group_kill 0\n", 2 },
};
/* clang-format on */

START_TEST(memory_events_tell_of_the_kernels_kills)
{
    char *folder = scratch_folder();
    struct cgroup cgroup;
    struct err err;

    if (rows[_i].events)
        scratch_write(folder, "memory.events", rows[_i].events);
    ck_assert_int_eq(cgroup_open(folder, &cgroup, &err), 0);
    ck_assert_int_eq(cgroup_oom_kills(&cgroup), rows[_i].kills);
    cgroup_close(&cgroup);
    scratch_remove(folder);
}
END_TEST

START_TEST(no_cgroup_is_well)
{
    struct cgroup cgroup;
    struct err err;

    ck_assert_int_eq(cgroup_open(NULL, &cgroup, &err), 0);
    ck_assert_int_eq(cgroup_oom_kills(&cgroup), 0);
    cgroup_kill(&cgroup);
    cgroup_close(&cgroup);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_none)
{
    struct cgroup cgroup;
    struct err err;

    ck_assert_int_lt(cgroup_open("/no/such/cgroup", &cgroup, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    cgroup_kill(&cgroup);
    cgroup_close(&cgroup);
}
END_TEST

START_TEST(an_empty_folder_is_removed_at_the_end)
{
    char *folder = scratch_folder();
    auto_free char *path = xasprintf("%s/ranks", folder);
    struct cgroup cgroup;
    struct stat stat_now;
    struct err err;

    ck_assert_int_eq(cgroup_open(path, &cgroup, &err), 0);
    ck_assert_int_eq(stat(path, &stat_now), 0);
    cgroup_close(&cgroup);
    ck_assert_int_lt(stat(path, &stat_now), 0);
    scratch_remove(folder);
}
END_TEST

Suite *suite_cgroup(void)
{
    Suite *suite = suite_create("cgroup");
    TCase *tests = tcase_create("cgroup");

    tcase_add_loop_test(tests, memory_events_tell_of_the_kernels_kills, 0,
                        ARRAY_SIZE(rows));
    tcase_add_test(tests, no_cgroup_is_well);
    tcase_add_test(tests, a_folder_that_cannot_be_made_is_none);
    tcase_add_test(tests, an_empty_folder_is_removed_at_the_end);
    suite_add_tcase(suite, tests);
    return suite;
}
