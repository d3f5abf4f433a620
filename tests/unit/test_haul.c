/* What workers move, added up and in words. */

#include "daemon/haul.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORKERS = 3
};

static struct haul workers[WORKERS];

static void clear(void)
{
    haul_clear(workers, WORKERS);
}

static void note(int worker, const char *line)
{
    auto_json struct cJSON *json = NULL;
    struct err err;

    if (json_parse(line, strlen(line), &json, &err) < 0)
        ck_abort_msg("%s", err.text);
    haul_note(&workers[worker], json);
}

static void expect(const char *wanted)
{
    auto_free char *got = haul_message(workers, WORKERS);

    ck_assert_str_eq(got ? got : "(nothing)", wanted);
}

/* clang-format off */
static const struct {
    const char *lines[3]; /* all of worker 0 */
    const char *message;
} rows[] = {
    { { NULL }, "(nothing)" },
    { { "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":0,\"bytes_total\":4294967296,\"boot_us\":5}" },
      "Downloading input data: train, 0.0 of 4.0 GiB" },
    { { "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":0,\"bytes_total\":4294967296,\"boot_us\":1000000}",
        "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":1288490189,\"bytes_total\":4294967296,\"boot_us\":7000000}" },
      "Downloading input data: train, 1.2 of 4.0 GiB, 204.8 MiB/s, 15 s left" },
    /* Nothing is known of the whole. */
    { { "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":0,\"bytes_total\":null,\"boot_us\":0}",
        "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":2048,\"bytes_total\":null,\"boot_us\":2000000}" },
      "Downloading input data: train, 2.0 KiB, 1.0 KiB/s" },
    { { "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":100,\"bytes_total\":900,\"boot_us\":0}",
        "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":200,\"bytes_total\":900,\"boot_us\":1000000}" },
      "Downloading input data: train, 200 of 900 B, 100 B/s, 7 s left" },
    /* Another channel: its rate is its own. */
    { { "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":0,\"bytes_total\":900,\"boot_us\":0}",
        "{\"phase\":\"downloading\",\"what\":\"test\",\"bytes\":0,\"bytes_total\":50,\"boot_us\":1000000}",
        "{\"phase\":\"downloading\",\"what\":\"test\",\"bytes\":10,\"bytes_total\":50,\"boot_us\":2000000}" },
      "Downloading input data: test, 10 of 50 B, 10 B/s, 4 s left" },
    /* Begun again, after a failure. */
    { { "{\"phase\":\"uploading\",\"what\":\"model\",\"bytes\":500,\"bytes_total\":900,\"boot_us\":0}",
        "{\"phase\":\"uploading\",\"what\":\"model\",\"bytes\":0,\"bytes_total\":900,\"boot_us\":1000000}" },
      "Uploading generated training model: model, 0 of 900 B" },
    { { "{\"phase\":\"restoring\",\"what\":\"checkpoints\",\"bytes\":1,\"bytes_total\":3,\"boot_us\":1}" },
      "Restoring what an earlier attempt has left: checkpoints, 1 of 3 B" },
    /* Words of the stage that we do not know; what is no number counts as absent. */
    { { "{\"phase\":\"mending\",\"what\":\"checkpoints\",\"bytes\":\"many\",\"boot_us\":1}" },
      "mending: checkpoints, 0 B" },
    { { "{\"phase\":\"mending\"}" }, "mending: 0 B" },
    { { "{}" }, "(nothing)" },
};
/* clang-format on */

START_TEST(a_worker_says_what_how_much_how_fast_and_how_long)
{
    clear();
    for (size_t i = 0; i < ARRAY_SIZE(rows[_i].lines) && rows[_i].lines[i]; i++)
        note(0, rows[_i].lines[i]);
    expect(rows[_i].message);
}
END_TEST

START_TEST(workers_of_one_phase_are_added_up)
{
    auto_json struct cJSON *json = NULL;
    auto_free char *text = NULL;

    clear();
    for (int second = 0; second <= 1; second++) {
        for (int worker = 1; worker < WORKERS; worker++) {
            auto_free char *line = xasprintf(
                "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":%d,\"bytes_total\":100,"
                "\"objects\":%d,\"objects_total\":4,\"boot_us\":%d}",
                second * 10 * worker, second, second * 1000000);

            note(worker, line);
        }
    }
    note(0, "{\"phase\":\"uploading\",\"bytes\":7}");
    expect("Uploading generated training model: 7 B");
    haul_clear(workers, 1);
    expect("Downloading input data: train, 30 of 200 B, 30 B/s, 6 s left");
    json = haul_to_json(workers, WORKERS);
    text = json_print(json);
    ck_assert_str_eq(text, "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":30,"
                           "\"bytes_total\":200,\"objects\":2,\"objects_total\":8,"
                           "\"bytes_per_second\":30,\"seconds_left\":6}");
}
END_TEST

START_TEST(what_is_not_known_is_null)
{
    auto_json struct cJSON *json = NULL;
    auto_free char *text = NULL;

    clear();
    ck_assert_ptr_null(haul_to_json(workers, WORKERS));
    note(0, "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":30}");
    json = haul_to_json(workers, WORKERS);
    text = json_print(json);
    ck_assert_str_eq(text, "{\"phase\":\"downloading\",\"what\":\"train\",\"bytes\":30,"
                           "\"bytes_total\":null,\"objects\":0,\"objects_total\":null,"
                           "\"bytes_per_second\":null,\"seconds_left\":null}");
}
END_TEST

START_TEST(a_long_name_is_cut_at_a_character)
{
    auto_free char *message = NULL;

    clear();
    /* 62 B, then a character of three: its first byte would be the last that fits.
     */
    note(
        0,
        "{\"phase\":\"downloading\",\"bytes\":0,\"what\":\""
        "01234567890123456789012345678901234567890123456789012345678901\xe2\x82\xac\"}");
    message = haul_message(workers, WORKERS);
    ck_assert_ptr_nonnull(strstr(message, "78901, 0 B"));
}
END_TEST

Suite *suite_haul(void);

Suite *suite_haul(void)
{
    Suite *suite = suite_create("haul");
    TCase *tests = tcase_create("progress");

    tcase_add_loop_test(tests, a_worker_says_what_how_much_how_fast_and_how_long, 0,
                        ARRAY_SIZE(rows));
    tcase_add_test(tests, workers_of_one_phase_are_added_up);
    tcase_add_test(tests, what_is_not_known_is_null);
    tcase_add_test(tests, a_long_name_is_cut_at_a_character);
    suite_add_tcase(suite, tests);
    return suite;
}
