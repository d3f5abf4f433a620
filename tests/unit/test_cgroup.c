/* What a cgroup's files say, on folders that look like one: the real kernel is asked by
 * tests/flow/worker_faults.sh. */

#include "src/files.h"
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

START_TEST(the_first_version_tells_of_the_kernels_kills_too)
{
    char *folder = scratch_folder();
    struct cgroup cgroup;
    struct err err;

    scratch_write(folder, "tasks", "");
    scratch_write(folder, "memory.oom_control",
                  "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    ck_assert_int_eq(cgroup_open(NULL, &cgroup, &err), 0);
    ck_assert_int_eq(cgroup_limit_memory(&cgroup, folder, 0, &err), 0);
    ck_assert_int_eq(cgroup_oom_kills(&cgroup), 3);
    cgroup_settle_kills(&cgroup);
    ck_assert_int_eq(cgroup_oom_kills(&cgroup), 3);
    cgroup_settle_kills(&cgroup);
    ck_assert_int_eq(cgroup_oom_kills(&cgroup), 0);
    cgroup_close(&cgroup);
    scratch_remove(folder);
}
END_TEST

static char *content_of(const char *folder, const char *name)
{
    auto_free char *path = xasprintf("%s/%s", folder, name);
    char *bytes = NULL;

    ck_assert_int_eq(file_read(path, 4096, &bytes, NULL, NULL), 0);
    return bytes;
}

/* clang-format off */
static const struct {
    const char *file; /* of the folder, which takes the limit */
    const char *swap;
    const char *swap_words;
} limit_rows[] = {
    { "memory.max",            "memory.swap.max",             "0"    },
    { "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "4096" },
};
/* clang-format on */

START_TEST(a_limit_is_written_where_the_controller_is)
{
    char *folder = scratch_folder();
    auto_free char *words = NULL;
    auto_free char *swap = NULL;
    struct cgroup cgroup;
    struct err err;

    scratch_write(folder, limit_rows[_i].file, "");
    scratch_write(folder, limit_rows[_i].swap, "");
    scratch_write(folder, "tasks", "");
    ck_assert_int_eq(cgroup_open(_i == 0 ? folder : NULL, &cgroup, &err), 0);
    ck_assert_int_eq(cgroup_limit_memory(&cgroup, folder, 4096, &err), 0);
    words = content_of(folder, limit_rows[_i].file);
    swap = content_of(folder, limit_rows[_i].swap);
    ck_assert_str_eq(words, "4096");
    ck_assert_str_eq(swap, limit_rows[_i].swap_words);
    cgroup_close(&cgroup);
    scratch_remove(folder);
}
END_TEST

START_TEST(a_controller_that_takes_no_limit_is_an_error)
{
    char *folder = scratch_folder();
    struct cgroup cgroup;
    struct err err;

    scratch_write(folder, "tasks", "");
    ck_assert_int_eq(cgroup_open(NULL, &cgroup, &err), 0);
    ck_assert_int_lt(cgroup_limit_memory(&cgroup, folder, 4096, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    cgroup_close(&cgroup);
    scratch_remove(folder);
}
END_TEST

START_TEST(no_cgroup_is_well)
{
    struct cgroup cgroup;
    struct err err;

    ck_assert_int_eq(cgroup_open(NULL, &cgroup, &err), 0);
    ck_assert_int_eq(cgroup_limit_memory(&cgroup, NULL, 4096, &err), 0);
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
    tcase_add_test(tests, the_first_version_tells_of_the_kernels_kills_too);
    tcase_add_loop_test(tests, a_limit_is_written_where_the_controller_is, 0,
                        ARRAY_SIZE(limit_rows));
    tcase_add_test(tests, a_controller_that_takes_no_limit_is_an_error);
    tcase_add_test(tests, no_cgroup_is_well);
    tcase_add_test(tests, a_folder_that_cannot_be_made_is_none);
    tcase_add_test(tests, an_empty_folder_is_removed_at_the_end);
    suite_add_tcase(suite, tests);
    return suite;
}
