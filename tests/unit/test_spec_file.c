/* What jobctl makes of a spec before it is sent: where its data is. */

#include "src/cli/spec_file.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* The spec of a file in `folder` that has `members` besides what is required. */
static void check_file(const char *folder, const char *members, struct spec_file *file,
                       struct problems *problems)
{
    auto_free char *yaml = xasprintf("command: [a]\ninstance_type: t\n%s", members);
    auto_free char *path = xasprintf("%s/job.yaml", folder);
    struct err err;

    scratch_write(folder, "job.yaml", yaml);
    if (spec_file_read(path, file, &err) < 0)
        ck_abort_msg("%s", err.text);
    ck_assert_int_eq(spec_file_check(file, problems, &err), problems->count ? -1 : 0);
    file->path = file->shown = "";
}

static void is_beside(const char *uri, const char *folder, const char *rest)
{
    auto_free char *path = xasprintf("%s%s", folder, rest);
    auto_free char *expected = uri_of_path(path);

    ck_assert_str_eq(uri, expected);
}

START_TEST(paths_begin_at_the_folder_of_the_spec)
{
    char *folder = scratch_folder();
    auto_free char *above = xstrndup(folder, (size_t)(strrchr(folder, '/') - folder));
    auto_spec_file struct spec_file file = { 0 };
    auto_problems struct problems problems = { 0 };
    const struct cJSON *inputs;

    check_file(folder,
               "inputs: {a: data/a b, b: ./x, c: {uri: ../up, mode: Pipe}, d: /abs,\n"
               "         e: 's3://bucket/k', f: 'file:///y', g.h: .}\n"
               "output_path: out\ncheckpoint: {uri: ckpt, local_path: /c}\n",
               &file, &problems);
    ck_assert_uint_eq(problems.count, 0);
    ck_assert_uint_eq(file.spec->channel_count, 7);
    is_beside(file.spec->channels[0].uri, folder, "/data/a b");
    is_beside(file.spec->channels[1].uri, folder, "/x");
    is_beside(file.spec->channels[2].uri, above, "/up");
    ck_assert_int_eq(file.spec->channels[2].mode, CHANNEL_PIPE);
    ck_assert_str_eq(file.spec->channels[3].uri, "file:///abs");
    ck_assert_str_eq(file.spec->channels[4].uri, "s3://bucket/k");
    ck_assert_str_eq(file.spec->channels[5].uri, "file:///y");
    is_beside(file.spec->channels[6].uri, folder, "/");
    is_beside(file.spec->output_path, folder, "/out");
    is_beside(file.spec->checkpoint_uri, folder, "/ckpt");
    ck_assert_str_eq(file.spec->checkpoint_path, "/c");
    /* What is sent is the same, as it was written. */
    inputs = json_get(file.json, "inputs");
    is_beside(json_get_text(inputs, "a"), folder, "/data/a b");
    is_beside(json_get_text(json_get(inputs, "c"), "uri"), folder, "/../up");
    scratch_remove(folder);
}
END_TEST

static void is_refused(const char *members, const char *path, const char *message)
{
    char *folder = scratch_folder();
    auto_spec_file struct spec_file file = { 0 };
    auto_problems struct problems problems = { 0 };

    check_file(folder, members, &file, &problems);
    ck_assert_uint_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].path, path);
    ck_assert_msg(strstr(problems.items[0].message, message) != NULL, "%s",
                  problems.items[0].message);
    scratch_remove(folder);
}

START_TEST(what_is_wrong_stays_so)
{
    is_refused("output_path: 's3:/bucket/k'\n", "output_path", "neither a file://");
    is_refused("output_path: ''\n", "output_path", "is empty");
    is_refused("inputs: [a]\n", "inputs", "expected an object, got a list");
    is_refused("inputs: {a: 5}\n", "inputs.a", "got 5");
    is_refused("inputs: {a: x, a: y}\n", "inputs.a", "appears more than once");
    is_refused("output_path: x\noutput_path: y\n", "output_path",
               "appears more than once");
    is_refused("inputs: {a: {uri: x, uri: y}}\n", "inputs.a.uri",
               "appears more than once");
}
END_TEST

Suite *suite_spec_file(void)
{
    Suite *suite = suite_create("spec_file");
    TCase *cases = tcase_create("spec_file");

    tcase_add_test(cases, paths_begin_at_the_folder_of_the_spec);
    tcase_add_test(cases, what_is_wrong_stays_so);
    suite_add_tcase(suite, cases);
    return suite;
}
