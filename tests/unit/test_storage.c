/* Where S3 is: JSON and back, and files of keys, good and bad. */

#include "src/json.h"
#include "src/storage.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char keys_file[] = "# mine\n"
                                "[default]\n"
                                "aws_access_key_id = AKIDDEFAULT\n"
                                "aws_secret_access_key=one/two+three==\r\n"
                                "region = eu-west-1\n"
                                "\n"
                                "[ team ]\n"
                                "  aws_access_key_id\t=\tAKIDTEAM  \n"
                                "aws_secret_access_key = s\n"
                                "aws_session_token = t=\n"
                                "; aws_access_key_id = not this\n"
                                "[half]\n"
                                "aws_access_key_id = AKIDHALF\n"
                                "[other half]\n"
                                "aws_secret_access_key = s\n";

static char path[] = "/tmp/railhead-keys.XXXXXX";

static void write_keys(void)
{
    int fd;

    memcpy(path + sizeof path - 7, "XXXXXX", 6);
    fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, keys_file, strlen(keys_file)),
                     (ssize_t)strlen(keys_file));
    close(fd);
}

static void remove_keys(void)
{
    unlink(path);
}

START_TEST(keys_of_a_profile_are_read_without_blanks)
{
    struct storage storage = { .session_token = xstrdup("old") };
    struct err err;

    ck_assert_int_eq(storage_read_keys(path, "default", &storage, &err), 0);
    ck_assert_str_eq(storage.access_key, "AKIDDEFAULT");
    ck_assert_str_eq(storage.secret_key, "one/two+three==");
    ck_assert_ptr_null(storage.session_token);
    ck_assert_ptr_null(storage.region);
    ck_assert_int_eq(storage_read_keys(path, "team", &storage, &err), 0);
    ck_assert_str_eq(storage.access_key, "AKIDTEAM");
    ck_assert_str_eq(storage.session_token, "t=");
    storage_clear(&storage);
}
END_TEST

START_TEST(a_profile_that_is_not_there_is_not_found)
{
    struct storage storage = { 0 };
    struct err err;

    ck_assert_int_lt(storage_read_keys(path, "nobody", &storage, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.text, "[nobody]"));
    ck_assert_int_lt(storage_read_keys("/nowhere/keys", "x", &storage, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

START_TEST(half_a_pair_of_keys_is_refused_and_changes_nothing)
{
    struct storage storage = { .access_key = xstrdup("kept") };
    struct err err;

    ck_assert_int_lt(storage_read_keys(path, "half", &storage, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "aws_secret_access_key"));
    ck_assert_int_lt(storage_read_keys(path, "other half", &storage, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "aws_access_key_id"));
    ck_assert_str_eq(storage.access_key, "kept");
    storage_clear(&storage);
}
END_TEST

START_TEST(keys_that_others_may_read_are_refused)
{
    struct storage storage = { 0 };
    struct err err;

    ck_assert_int_eq(chmod(path, 0640), 0);
    ck_assert_int_lt(storage_read_keys(path, "default", &storage, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "chmod 600"));
    ck_assert_ptr_null(storage.access_key);
}
END_TEST

START_TEST(json_and_back_gives_the_same)
{
    struct storage from = {
        .endpoint = xstrdup("http://127.0.0.1:9000"),
        .region = xstrdup("eu-west-1"),
        .addressing = S3_VIRTUAL,
        .access_key = xstrdup("a"),
        .secret_key = xstrdup("s"),
    };
    auto_json struct cJSON *json = storage_to_json(&from);
    struct storage to;
    struct err err;

    ck_assert_int_eq(storage_from_json(json, &to, &err), 0);
    ck_assert_str_eq(to.endpoint, from.endpoint);
    ck_assert_str_eq(to.region, from.region);
    ck_assert_int_eq(to.addressing, S3_VIRTUAL);
    ck_assert_str_eq(to.access_key, "a");
    ck_assert_str_eq(to.secret_key, "s");
    ck_assert_ptr_null(to.session_token);
    storage_clear(&from);
    storage_copy(&from, &to);
    storage_clear(&to);
    ck_assert_str_eq(from.endpoint, "http://127.0.0.1:9000");
    storage_clear(&from);
}
END_TEST

START_TEST(another_addressing_is_refused)
{
    auto_json struct cJSON *json = json_object_new();
    struct storage to = { 0 };
    struct err err;

    json_set_text(json, "addressing", "sideways");
    ck_assert_int_lt(storage_from_json(json, &to, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

Suite *suite_storage(void)
{
    Suite *suite = suite_create("storage");
    TCase *files = tcase_create("files of keys");
    TCase *json = tcase_create("json");

    tcase_add_checked_fixture(files, write_keys, remove_keys);
    tcase_add_test(files, keys_of_a_profile_are_read_without_blanks);
    tcase_add_test(files, a_profile_that_is_not_there_is_not_found);
    tcase_add_test(files, half_a_pair_of_keys_is_refused_and_changes_nothing);
    tcase_add_test(files, keys_that_others_may_read_are_refused);
    tcase_add_test(json, json_and_back_gives_the_same);
    tcase_add_test(json, another_addressing_is_refused);
    suite_add_tcase(suite, files);
    suite_add_tcase(suite, json);
    return suite;
}
