/* Channels there and back, and URIs. */

#include "src/channel.h"
#include "src/json.h"
#include "src/text.h"
#include "src/yaml.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static int read_channel(const char *name, const char *yaml, struct channel *out,
                        struct err *err)
{
    auto_json struct cJSON *json = NULL;

    ck_assert_int_eq(yaml_parse(yaml, strlen(yaml), &json, err), 0);
    return channel_from_json(name, json, out, err);
}

/* Its JSON, which must give the same again, also by way of a copy. */
static void becomes(const char *yaml, const char *expected)
{
    struct channel first, copy, again;
    auto_json struct cJSON *json = NULL;
    auto_json struct cJSON *json_again = NULL;
    auto_free char *printed = NULL;
    auto_free char *printed_again = NULL;
    struct err err;

    ck_assert_int_eq(read_channel("train", yaml, &first, &err), 0);
    channel_copy(&copy, &first);
    channel_clear(&first);
    json = channel_to_json(&copy);
    printed = json_print(json);
    ck_assert_str_eq(printed, expected);
    ck_assert_str_eq(copy.name, "train");
    ck_assert_int_eq(channel_from_json(copy.name, json, &again, &err), 0);
    channel_clear(&copy);
    json_again = channel_to_json(&again);
    printed_again = json_print(json_again);
    ck_assert_str_eq(printed_again, expected);
    channel_clear(&again);
}

START_TEST(a_channel_is_completed_and_reads_the_same_again)
{
    becomes("s3://bucket/data",
            "{\"uri\":\"s3://bucket/data\",\"mode\":\"File\",\"distribution\":"
            "\"FullyReplicated\",\"data_type\":\"S3Prefix\",\"compression\":\"None\","
            "\"record_wrapper\":\"None\"}");
    becomes("{uri: /data/a b, mode: Pipe, distribution: ShardedByS3Key, "
            "data_type: AugmentedManifestFile, compression: Gzip, record_wrapper: "
            "RecordIO, content_type: text/csv, shuffle: {seed: -9223372036854775808}, "
            "attribute_names: [source-ref, label]}",
            "{\"uri\":\"file:///data/a%20b\",\"mode\":\"Pipe\",\"distribution\":"
            "\"ShardedByS3Key\",\"data_type\":\"AugmentedManifestFile\","
            "\"compression\":\"Gzip\",\"record_wrapper\":\"RecordIO\","
            "\"content_type\":\"text/csv\",\"shuffle\":{\"seed\":-9223372036854775808},"
            "\"attribute_names\":[\"source-ref\",\"label\"]}");
    becomes("{uri: 's3://bucket/data/', mode: FastFile}",
            "{\"uri\":\"s3://bucket/data/\",\"mode\":\"FastFile\",\"distribution\":"
            "\"FullyReplicated\",\"data_type\":\"S3Prefix\",\"compression\":\"None\","
            "\"record_wrapper\":\"None\"}");
}
END_TEST

static void uri_becomes(const char *uri, const char *expected)
{
    struct channel channel;
    struct err err;

    ck_assert_int_eq(read_channel("train", uri, &channel, &err), 0);
    ck_assert_str_eq(channel.uri, expected);
    channel_clear(&channel);
}

START_TEST(dots_in_paths_are_resolved_as_they_are_read)
{
    uri_becomes("/a/./b//c/../d", "file:///a/b/d");
    uri_becomes("file:///../a%20b/c/", "file:///a%20b/c/");
    uri_becomes("file:///a/b/..", "file:///a/");
    uri_becomes("/..", "file:///");
    uri_becomes("file:///a/.hidden/..more/...", "file:///a/.hidden/..more/...");
    uri_becomes("s3://bucket/a/../b", "s3://bucket/a/../b");
}
END_TEST

START_TEST(a_damaged_channel_is_an_error_that_names_it)
{
    struct channel channel;
    struct err err;

    ck_assert_int_lt(read_channel("train", "{uri: data, mode: file}", &channel, &err),
                     0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "train.uri: 'data' is neither"));
    ck_assert_ptr_nonnull(strstr(err.text, "train.mode: expected one of File"));
}
END_TEST

static void path_is(const char *uri, const char *expected)
{
    auto_free char *path = uri_to_path(uri);

    if (expected)
        ck_assert_str_eq(path, expected);
    else
        ck_assert_msg(!path, "%s gave %s", uri, path);
}

START_TEST(a_file_uri_has_an_absolute_path_and_nothing_else)
{
    path_is("file:///", "/");
    path_is("file:///data/train/", "/data/train/");
    path_is("file://localhost/data", "/data");
    path_is("file:///a%20b%2fc%C3%A9%25", "/a b/c\xC3\xA9%");
    path_is("file:///a+b\xC3\xA9", "/a+b\xC3\xA9");
    path_is("file://data/train", NULL);
    path_is("file:/data", NULL);
    path_is("file://", NULL);
    path_is("file:///a?b", NULL);
    path_is("file:///a#b", NULL);
    path_is("file:///a%2", NULL);
    path_is("file:///a%", NULL);
    path_is("file:///a%zz", NULL);
    path_is("file:///a%00b", NULL);
    path_is("s3://bucket/key", NULL);
    path_is("/data", NULL);
}
END_TEST

START_TEST(every_path_comes_back_from_its_uri)
{
    char path[257] = "/";
    auto_free char *uri = NULL;
    auto_free char *back = NULL;

    for (int byte = 1; byte < 256; byte++)
        path[byte] = (char)byte;
    uri = uri_of_path(path);
    back = uri_to_path(uri);
    ck_assert_str_eq(back, path);
    ck_assert(!text_has_control(uri));
    free(uri);
    uri = uri_of_path("/a b/c?d#e%f");
    ck_assert_str_eq(uri, "file:///a%20b/c%3Fd%23e%25f");
}
END_TEST

Suite *suite_channel(void)
{
    Suite *suite = suite_create("channel");
    TCase *cases = tcase_create("channel");

    tcase_add_test(cases, a_channel_is_completed_and_reads_the_same_again);
    tcase_add_test(cases, dots_in_paths_are_resolved_as_they_are_read);
    tcase_add_test(cases, a_damaged_channel_is_an_error_that_names_it);
    tcase_add_test(cases, a_file_uri_has_an_absolute_path_and_nothing_else);
    tcase_add_test(cases, every_path_comes_back_from_its_uri);
    suite_add_tcase(suite, cases);
    return suite;
}
