/* Files read and replaced whole, folders made and removed, with what a job may leave
 * there. */

#include "src/files.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of its own for each test, removed after it with what is left. */
static char home[64];
static int start = -1;

static void make_home(void)
{
    start = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    ck_assert_int_ge(start, 0);
    snprintf(home, sizeof home, "/tmp/test-files-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(home));
}

static void remove_home(void)
{
    ck_assert_int_eq(fchdir(start), 0);
    close(start);
    remove_tree(home);
}

/* The caller frees. */
static char *beneath(const char *name)
{
    return xasprintf("%s/%s", home, name);
}

static void write_file(const char *path, const char *text)
{
    struct err err = { 0 };

    ck_assert_msg(file_replace(path, text, strlen(text), 0644, false, &err) == 0, "%s",
                  err.text);
}

static void make_folder(const char *path)
{
    struct err err = { 0 };

    ck_assert_msg(folder_make(path, 0755, &err) == 0, "%s", err.text);
}

static bool exists(const char *path)
{
    struct stat status;

    return lstat(path, &status) == 0;
}

/* --- reading --- */

START_TEST(a_file_is_read_whole_with_a_nul_behind)
{
    auto_free char *path = beneath("file");
    auto_free char *bytes = NULL;
    auto_free char *again = NULL;
    struct err err;
    size_t len = 0;

    ck_assert_int_eq(file_replace(path, "a\0b", 3, 0644, false, &err), 0);
    ck_assert_int_eq(file_read(path, 3, &bytes, &len, &err), 0);
    ck_assert_uint_eq(len, 3);
    ck_assert_mem_eq(bytes, "a\0b", 4);
    ck_assert_int_eq(file_read(path, 3, &again, NULL, &err), 0);
}
END_TEST

START_TEST(one_byte_above_the_limit_is_refused)
{
    auto_free char *path = beneath("file");
    char *bytes = NULL;
    struct err err;

    write_file(path, "1234");
    ck_assert_int_lt(file_read(path, 3, &bytes, NULL, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_ptr_null(bytes);
}
END_TEST

START_TEST(large_files_are_read_whole)
{
    auto_free char *path = beneath("file");
    size_t size = 100000;
    auto_free char *text = xmalloc(size);
    auto_free char *bytes = NULL;
    struct err err;
    size_t len = 0;

    for (size_t i = 0; i < size; i++)
        text[i] = (char)('a' + i % 26);
    ck_assert_int_eq(file_replace(path, text, size, 0644, false, &err), 0);
    ck_assert_int_eq(file_read(path, size, &bytes, &len, &err), 0);
    ck_assert_uint_eq(len, size);
    ck_assert_mem_eq(bytes, text, size);
}
END_TEST

START_TEST(files_in_proc_are_read_though_their_size_is_0)
{
    auto_free char *bytes = NULL;
    struct err err;
    size_t len = 0;

    ck_assert_int_eq(file_read("/proc/self/status", 1 << 20, &bytes, &len, &err), 0);
    ck_assert_uint_gt(len, 0);
}
END_TEST

START_TEST(an_absent_file_is_not_found)
{
    auto_free char *path = beneath("none");
    char *bytes = NULL;
    struct err err;

    ck_assert_int_lt(file_read(path, 9, &bytes, NULL, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.text, path));
}
END_TEST

START_TEST(a_folder_is_no_file)
{
    char *bytes = NULL;
    struct err err;

    ck_assert_int_lt(file_read(home, 9, &bytes, NULL, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, strerror(EISDIR)));
}
END_TEST

START_TEST(beneath_a_folder_only_regular_files_are_read)
{
    auto_close int folder = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    auto_free char *file = beneath("file");
    auto_free char *bytes = NULL;
    char *none = NULL;
    struct err err;
    size_t len = 0;

    write_file(file, "text");
    ck_assert_int_eq(symlinkat("file", folder, "link"), 0);
    ck_assert_int_eq(mkfifoat(folder, "fifo", 0600), 0);
    ck_assert_int_eq(mkdirat(folder, "folder", 0700), 0);
    ck_assert_int_eq(file_read_at(folder, "file", 10, &bytes, &len, &err), 0);
    ck_assert_str_eq(bytes, "text");
    ck_assert_uint_eq(len, 4);
    ck_assert_int_lt(file_read_at(folder, "link", 10, &none, NULL, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, strerror(ELOOP)));
    ck_assert_int_lt(file_read_at(folder, "fifo", 10, &none, NULL, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_lt(file_read_at(folder, "folder", 10, &none, NULL, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_lt(file_read_at(folder, "none", 10, &none, NULL, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_int_lt(file_read_at(folder, "file", 3, &none, NULL, &err), 0);
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_ptr_null(none);
}
END_TEST

/* --- replacing --- */

START_TEST(a_file_is_replaced_whole_with_its_mode)
{
    auto_free char *path = beneath("file");
    auto_free char *bytes = NULL;
    struct stat status;
    struct err err;
    mode_t before = umask(0077);

    write_file(path, "the first, which is longer");
    ck_assert_int_eq(file_replace(path, "second", 6, 0640, true, &err), 0);
    umask(before);
    ck_assert_int_eq(file_read(path, 100, &bytes, NULL, &err), 0);
    ck_assert_str_eq(bytes, "second");
    ck_assert_int_eq(stat(path, &status), 0);
    ck_assert_uint_eq(status.st_mode & 07777, 0640);
    /* No other file was left behind. */
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(rmdir(home), 0);
    ck_assert_int_eq(mkdir(home, 0700), 0);
}
END_TEST

START_TEST(a_durable_file_may_lie_in_the_present_folder_or_at_the_root)
{
    struct err err;

    ck_assert_int_eq(chdir(home), 0);
    ck_assert_int_eq(file_replace("here", "x", 1, 0600, true, &err), 0);
    ck_assert(exists("here"));
    ck_assert_int_lt(file_replace("/proc-none/x", "x", 1, 0600, true, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

START_TEST(a_replacement_that_fails_leaves_nothing_behind)
{
    auto_free char *path = beneath("folder");
    auto_free char *inside = beneath("folder/inside");
    struct err err;

    make_folder(inside);
    ck_assert_int_lt(file_replace(path, "x", 1, 0600, false, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "rename"));
    ck_assert_int_eq(rmdir(inside), 0);
    ck_assert_int_eq(rmdir(path), 0);
    ck_assert_int_eq(rmdir(home), 0);
    ck_assert_int_eq(mkdir(home, 0700), 0);
}
END_TEST

START_TEST(a_link_is_replaced_and_its_target_is_not)
{
    auto_free char *target = beneath("target");
    auto_free char *link = beneath("link");
    auto_free char *bytes = NULL;
    struct stat status;
    struct err err;

    write_file(target, "old");
    ck_assert_int_eq(symlink("target", link), 0);
    write_file(link, "new");
    ck_assert_int_eq(file_read(target, 10, &bytes, NULL, &err), 0);
    ck_assert_str_eq(bytes, "old");
    ck_assert_int_eq(lstat(link, &status), 0);
    ck_assert(S_ISREG(status.st_mode));
}
END_TEST

START_TEST(writing_goes_over_a_pipe_that_is_smaller_than_the_bytes)
{
    size_t size = 1 << 20;
    auto_free char *bytes = xcalloc(size, 1);
    struct err err;
    size_t got = 0;
    char chunk[4096];
    ssize_t count;
    int ends[2];
    pid_t child;

    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        _exit(write_all(ends[1], bytes, size, NULL) == 0 ? 0 : 1);
    }
    close(ends[1]);
    while ((count = read(ends[0], chunk, sizeof chunk)) > 0)
        got += (size_t)count;
    ck_assert_uint_eq(got, size);
    close(ends[0]);
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    ck_assert_int_lt(write_all(ends[1], "x", 1, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, strerror(EPIPE)));
    signal(SIGPIPE, SIG_DFL);
    close(ends[1]);
}
END_TEST

/* --- folders --- */

START_TEST(a_folder_is_made_with_what_is_missing_above_it)
{
    auto_free char *path = beneath("a/b//c/");
    auto_free char *made = beneath("a/b/c");
    struct err err;

    make_folder(path);
    ck_assert(exists(made));
    make_folder(path);
    ck_assert_int_eq(chdir(home), 0);
    make_folder("d/e");
    ck_assert(exists("d/e"));
    make_folder("/");
    ck_assert_int_lt(folder_make("", 0755, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

START_TEST(a_file_in_the_way_of_a_folder_is_an_error)
{
    auto_free char *file = beneath("file");
    auto_free char *under = beneath("file/a/b");
    struct err err;

    write_file(file, "x");
    ck_assert_int_lt(folder_make(file, 0755, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, strerror(ENOTDIR)));
    ck_assert_int_lt(folder_make(under, 0755, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, strerror(ENOTDIR)));
}
END_TEST

START_TEST(a_folder_holds_itself_and_what_is_beneath)
{
    ck_assert(path_is_within("/opt/ml", "/opt/ml"));
    ck_assert(path_is_within("/opt/ml", "/opt/ml/"));
    ck_assert(path_is_within("/opt/ml/", "/opt/ml"));
    ck_assert(path_is_within("/opt/ml/input", "/opt/ml"));
    ck_assert(path_is_within("/opt", "/"));
    ck_assert(!path_is_within("/opt/mlx", "/opt/ml"));
    ck_assert(!path_is_within("/opt", "/opt/ml"));
    ck_assert(!path_is_within("/ml", "/opt"));
}
END_TEST

START_TEST(a_relative_path_becomes_absolute)
{
    auto_free char *same = path_absolute("/a/b");
    auto_free char *expected = NULL;
    auto_free char *here = NULL;

    ck_assert_str_eq(same, "/a/b");
    ck_assert_int_eq(chdir(home), 0);
    here = path_absolute("a/b");
    expected = beneath("a/b");
    ck_assert_str_eq(here, expected);
}
END_TEST

START_TEST(in_a_folder_that_was_removed_a_path_stays_relative)
{
    auto_free char *gone = beneath("gone");
    auto_free char *path = NULL;

    make_folder(gone);
    ck_assert_int_eq(chdir(gone), 0);
    ck_assert_int_eq(rmdir(gone), 0);
    path = path_absolute("a");
    ck_assert_str_eq(path, "a");
}
END_TEST

static TCase *file_cases(void)
{
    TCase *cases = tcase_create("files");

    tcase_add_checked_fixture(cases, make_home, remove_home);
    tcase_add_test(cases, a_file_is_read_whole_with_a_nul_behind);
    tcase_add_test(cases, one_byte_above_the_limit_is_refused);
    tcase_add_test(cases, large_files_are_read_whole);
    tcase_add_test(cases, files_in_proc_are_read_though_their_size_is_0);
    tcase_add_test(cases, an_absent_file_is_not_found);
    tcase_add_test(cases, a_folder_is_no_file);
    tcase_add_test(cases, beneath_a_folder_only_regular_files_are_read);
    tcase_add_test(cases, a_file_is_replaced_whole_with_its_mode);
    tcase_add_test(cases, a_durable_file_may_lie_in_the_present_folder_or_at_the_root);
    tcase_add_test(cases, a_replacement_that_fails_leaves_nothing_behind);
    tcase_add_test(cases, a_link_is_replaced_and_its_target_is_not);
    tcase_add_test(cases, writing_goes_over_a_pipe_that_is_smaller_than_the_bytes);
    return cases;
}

static TCase *folder_cases(void)
{
    TCase *cases = tcase_create("folders");

    /* Thousands of folders, on a disk that may be busy. */
    tcase_set_timeout(cases, 60);
    tcase_add_checked_fixture(cases, make_home, remove_home);
    tcase_add_test(cases, a_folder_is_made_with_what_is_missing_above_it);
    tcase_add_test(cases, a_file_in_the_way_of_a_folder_is_an_error);
    tcase_add_test(cases, a_folder_holds_itself_and_what_is_beneath);
    tcase_add_test(cases, a_relative_path_becomes_absolute);
    tcase_add_test(cases, in_a_folder_that_was_removed_a_path_stays_relative);
    return cases;
}

Suite *suite_files(void)
{
    Suite *suite = suite_create("files");

    suite_add_tcase(suite, file_cases());
    suite_add_tcase(suite, folder_cases());
    return suite;
}
