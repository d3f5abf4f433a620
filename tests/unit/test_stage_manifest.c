/* Manifests, and the names that keys and references get in a channel. */

#include "src/json.h"
#include "src/stage/manifest.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *text, struct objects *objects, struct err *err)
{
    return manifest_parse(text, strlen(text), objects, err);
}

START_TEST(a_manifest_is_a_prefix_and_names)
{
    auto_objects struct objects objects = { 0 };
    auto_free char *source = NULL;
    struct err err = { 0 };

    ck_assert_int_eq(parse("[{\"prefix\": \"s3://bkt/p/\"}, \"x y\", \"z/1\"]",
                           &objects, &err),
                     0);
    ck_assert_uint_eq(objects.count, 2);
    ck_assert_str_eq(object_name(&objects, 1), "z/1");
    ck_assert_int_eq(objects.items[0].size, -1);
    source = object_source(&objects, 0);
    ck_assert_str_eq(source, "s3://bkt/p/x y");
}
END_TEST

static const struct {
    const char *text;
    const char *why;
} bad_manifests[] = {
    { "{}", "a list was expected" },
    { "[]", "{\"prefix\": URI} was expected" },
    { "[\"a\"]", "{\"prefix\": URI} was expected" },
    { "[{\"prefix\": 1}]", "{\"prefix\": URI} was expected" },
    { "[{\"prefix\": \"http://b/\"}]", "is neither file:///PATH nor s3://BUCKET/KEY" },
    { "[{\"prefix\": \"s3://bkt/\"}, \"a\", 7]", "[2]: a text was expected" },
    { "[{\"prefix\": \"s3://bkt/\"}, {\"prefix\": \"s3://other/\"}]", "[1]: a text" },
    { "[", "line 1" },
};

START_TEST(what_is_no_manifest_is_refused)
{
    auto_objects struct objects objects = { 0 };
    struct err err = { 0 };

    ck_assert_int_lt(parse(bad_manifests[_i].text, &objects, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(strstr(err.text, bad_manifests[_i].why), "%s", err.text);
}
END_TEST

static int add_line(const char *text, char *const *attributes, struct objects *objects)
{
    auto_json struct cJSON *line = NULL;
    struct err err;

    ck_assert_int_eq(json_parse(text, strlen(text), &line, &err), 0);
    return manifest_add_references(line, attributes, "s3://bkt/p/list", objects, &err);
}

START_TEST(references_are_named_from_the_manifests_folder)
{
    auto_objects struct objects objects = { 0 };
    auto_free char *source = NULL;

    ck_assert_int_eq(
        add_line("{\"a-ref\": \"s3://bkt/p/x/1\", \"n\": 1, "
                 "\"b-ref\": \"s3://other/q/2\", \"c-ref\": \"file:///d/3\"}",
                 NULL, &objects),
        0);
    ck_assert_uint_eq(objects.count, 3);
    ck_assert_str_eq(object_name(&objects, 0), "x/1");
    ck_assert_str_eq(object_name(&objects, 1), "q/2");
    ck_assert_str_eq(object_name(&objects, 2), "d/3");
    source = object_source(&objects, 1);
    ck_assert_str_eq(source, "s3://other/q/2");
}
END_TEST

START_TEST(references_are_those_that_are_named)
{
    static char name[] = "b-ref";
    char *const attributes[] = { name, NULL };
    auto_objects struct objects objects = { 0 };

    ck_assert_int_eq(add_line("{\"a-ref\": 5, \"b-ref\": \"s3://bkt/p/2\"}", attributes,
                              &objects),
                     0);
    ck_assert_uint_eq(objects.count, 1);
    ck_assert_int_lt(add_line("{\"b-ref\": 5}", attributes, &objects), 0);
    ck_assert_int_lt(add_line("{\"b-ref\": \"ftp://x\"}", attributes, &objects), 0);
}
END_TEST

static const struct {
    const char *prefix, *key, *name;
} prefixes[] = {
    { "", "a/b", "a/b" },
    { "p/", "p/a", "a" },
    { "p/", "p/a/b", "a/b" },
    { "p", "p/a", "a" },
    { "p", "p2/a", "p2/a" },
    { "d/part", "d/part-0", "part-0" },
    { "d/one.csv", "d/one.csv", "one.csv" },
    { "p/", "p//a", "/a" },
};

START_TEST(a_key_is_named_from_its_prefix)
{
    ck_assert_str_eq(name_beneath_prefix(prefixes[_i].prefix, prefixes[_i].key),
                     prefixes[_i].name);
}
END_TEST

START_TEST(a_source_is_a_path_or_a_key)
{
    struct err err = { 0 };
    char *source = NULL;

    ck_assert_int_eq(source_of_uri("file:///a%20b", &source, &err), 0);
    ck_assert_str_eq(source, "/a b");
    ck_assert(!source_is_s3(source));
    free(source);
    ck_assert_int_eq(source_of_uri("s3://bkt/a%20b", &source, &err), 0);
    ck_assert_str_eq(source, "s3://bkt/a%20b");
    ck_assert(source_is_s3(source));
    free(source);
    ck_assert_int_lt(source_of_uri("relative", &source, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

Suite *suite_stage_manifest(void)
{
    Suite *suite = suite_create("stage_manifest");
    TCase *cases = tcase_create("all");

    tcase_add_test(cases, a_manifest_is_a_prefix_and_names);
    tcase_add_loop_test(cases, what_is_no_manifest_is_refused, 0,
                        (int)ARRAY_SIZE(bad_manifests));
    tcase_add_test(cases, references_are_named_from_the_manifests_folder);
    tcase_add_test(cases, references_are_those_that_are_named);
    tcase_add_loop_test(cases, a_key_is_named_from_its_prefix, 0,
                        (int)ARRAY_SIZE(prefixes));
    tcase_add_test(cases, a_source_is_a_path_or_a_key);
    suite_add_tcase(suite, cases);
    return suite;
}
