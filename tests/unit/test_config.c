/* The daemon's configuration: what holds by default, what a file changes, what is
 * refused. */

#include "daemon/config.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int load(const char *yaml, struct config *out, struct err *err)
{
    char *folder = scratch_folder();
    auto_free char *path = xasprintf("%s/railhead.yaml", folder);
    int result;

    scratch_write(folder, "railhead.yaml", yaml);
    result = config_load(path, out, err);
    if (result < 0) {
        /* The path is another one each time. */
        ck_assert_msg(text_starts_with(err->text, path), "%s", err->text);
        memmove(err->text, err->text + strlen(folder) + 1,
                strlen(err->text + strlen(folder)));
    }
    scratch_remove(folder);
    return result;
}

static struct config loaded(const char *yaml)
{
    struct config config;
    struct err err;

    if (load(yaml, &config, &err) < 0)
        ck_abort_msg("%s", err.text);
    return config;
}

static struct config defaults(void)
{
    struct config config;
    struct err err;

    if (config_load(NULL, &config, &err) < 0)
        ck_abort_msg("%s", err.text);
    return config;
}

START_TEST(without_a_file_there_are_defaults)
{
    struct config config = defaults();

    ck_assert(!config.has_own_socket);
    ck_assert_ptr_null(config.listen);
    ck_assert_str_eq(config.python, "/usr/bin/python3");
    ck_assert_uint_eq(words_count(config.pass_environment), 6);
    ck_assert_str_eq(config.pass_environment[2], "LC_*");
    ck_assert(!config.emulate);
    ck_assert_int_eq(config.emulate_count, 16);
    ck_assert(config.isolate);
    ck_assert_uint_eq(config.pool_count, 0);
    ck_assert_int_eq(config.body_limit_bytes, 1 << 20);
    ck_assert_int_eq(config.source_limit_bytes, 512 << 20);
    ck_assert_int_eq(config.connection_limit, 1024);
    ck_assert_int_eq(config.client_connection_limit, 512);
    ck_assert_int_eq(config.held_limit_bytes, 64 << 20);
    ck_assert_int_eq(config.header_limit_s, 10);
    ck_assert_int_eq(config.body_limit_s, 20);
    ck_assert_int_eq(config.idle_limit_s, 60);
    ck_assert_int_eq(config.rank_log_bytes, 1073741824);
    ck_assert_int_eq(config.reprice, REPRICE_AT_OPEN);
    ck_assert_ptr_null(config.account_id);
    ck_assert_ptr_null(config.account_name);
    config_clear(&config);
}
END_TEST

START_TEST(a_file_of_comments_changes_nothing)
{
    struct config config = loaded("# emulate: true\n\n   # python: /x\n");

    ck_assert(!config.emulate);
    ck_assert_str_eq(config.python, "/usr/bin/python3");
    config_clear(&config);
}
END_TEST

START_TEST(a_file_changes_what_it_names)
{
    struct config config = loaded(
        "state: /srv/railhead\nsocket: /run/railhead/railhead.sock\n"
        "listen: 127.0.0.1:8470\ninstance_profiles: /srv/profiles\n"
        "python: /opt/python\npass_environment: [HOME, FOO_*]\n"
        "emulate: true\nemulate_count: 3\nisolate: false\n"
        "limits: {body_bytes: 4096, source_bytes: 8192, connections: 7,\n"
        "         connections_per_client: 3, held_bytes: 2097152,\n"
        "         header_seconds: 1, body_seconds: 2, idle_seconds: 3600,\n"
        "         rank_log_bytes: 33554432}\n"
        "pools:\n"
        "- {instance_type: ml.c5.xlarge}\n"
        "- {instance_type: ml.p4d.24xlarge, scheduler: fake, count: 4, "
        "usd_per_hour: \"0.30\", emulated: false}\n"
        "- {instance_type: ml.c5.2xlarge, scheduler: fake, pricing: free, "
        "emulated: true, name: old rack}\n"
        "- {instance_type: ml.c5.4xlarge, pricing: reserved}\n"
        "billing: {reprice: at-change, account_id: cc-4711, account_name: \"ML\"}\n");

    ck_assert_str_eq(config.state, "/srv/railhead");
    ck_assert_str_eq(config.socket, "/run/railhead/railhead.sock");
    ck_assert_str_eq(config.listen, "127.0.0.1:8470");
    ck_assert_str_eq(config.instance_profiles, "/srv/profiles");
    ck_assert_str_eq(config.python, "/opt/python");
    ck_assert_uint_eq(words_count(config.pass_environment), 2);
    ck_assert_str_eq(config.pass_environment[1], "FOO_*");
    ck_assert(config.emulate);
    ck_assert_int_eq(config.emulate_count, 3);
    ck_assert(!config.isolate);
    ck_assert_int_eq(config.body_limit_bytes, 4096);
    ck_assert_int_eq(config.source_limit_bytes, 8192);
    ck_assert_int_eq(config.connection_limit, 7);
    ck_assert_int_eq(config.client_connection_limit, 3);
    ck_assert_int_eq(config.held_limit_bytes, 2 << 20);
    ck_assert_int_eq(config.header_limit_s, 1);
    ck_assert_int_eq(config.body_limit_s, 2);
    ck_assert_int_eq(config.idle_limit_s, 3600);
    ck_assert_int_eq(config.rank_log_bytes, 33554432);
    ck_assert_uint_eq(config.pool_count, 4);
    ck_assert_str_eq(config.pools[0].scheduler, "local");
    ck_assert_int_eq(config.pools[0].count, 1);
    ck_assert(!config.pools[0].has_price);
    ck_assert_int_eq(config.pools[0].emulated, -1);
    ck_assert_str_eq(config.pools[1].scheduler, "fake");
    ck_assert_int_eq(config.pools[1].count, 4);
    ck_assert_int_eq(config.pools[1].hourly, 300000000);
    ck_assert_int_eq(config.pools[1].emulated, 0);
    ck_assert_str_eq(config.pools[1].name, "ml.p4d.24xlarge");
    ck_assert_int_eq(config.pools[1].pricing, PRICING_STANDARD);
    ck_assert_str_eq(config.pools[2].name, "old rack");
    ck_assert_int_eq(config.pools[2].pricing, PRICING_FREE);
    ck_assert_int_eq(config.pools[3].pricing, PRICING_RESERVED);
    ck_assert_int_eq(config.reprice, REPRICE_AT_CHANGE);
    ck_assert_str_eq(config.account_id, "cc-4711");
    ck_assert_str_eq(config.account_name, "ML");
    ck_assert_int_eq(config.pools[2].emulated, 1);
    config_clear(&config);
}
END_TEST

static void check_refused(const struct test_case *one)
{
    struct config config = { 0 };
    struct err err = { 0 };
    auto_free char *got = NULL;

    if (load(one->input, &config, &err) == 0)
        got = xstrdup("well\n");
    else
        got = xasprintf("%s\n", err.text);
    config_clear(&config);
    case_expects(one, got);
}

START_TEST(every_mistake_is_told_at_once_with_its_path)
{
    cases_run("config.txt", check_refused);
}
END_TEST

START_TEST(keys_of_s3_come_from_a_file_of_their_own)
{
    char *folder = scratch_folder();
    auto_free char *keys = xasprintf("%s/keys", folder);
    auto_free char *yaml =
        xasprintf("s3: {endpoint: \"http://127.0.0.1:9000\", addressing: virtual, "
                  "credentials_file: %s, profile: team}",
                  keys);
    struct config config;

    scratch_write(folder, "keys",
                  "[default]\naws_access_key_id = other\n[team]\n"
                  "aws_access_key_id = AKIA\naws_secret_access_key = hidden\n");
    ck_assert_int_eq(chmod(keys, 0600), 0);
    config = loaded(yaml);
    ck_assert_str_eq(config.storage.endpoint, "http://127.0.0.1:9000");
    ck_assert_str_eq(config.storage.region, "us-east-1");
    ck_assert_int_eq(config.storage.addressing, S3_VIRTUAL);
    ck_assert_str_eq(config.storage.access_key, "AKIA");
    ck_assert_str_eq(config.storage.secret_key, "hidden");
    config_clear(&config);
    scratch_remove(folder);
}
END_TEST

START_TEST(a_missing_file_is_told)
{
    struct config config;
    struct err err;

    ck_assert_int_lt(config_load("/no/such/railhead.yaml", &config, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.text, "/no/such/railhead.yaml"));
}
END_TEST

START_TEST(the_state_folder_follows_the_user)
{
    struct config config;

    ck_assert_int_eq(setenv("HOME", "/srv/ana", 1), 0);
    ck_assert_int_eq(unsetenv("XDG_STATE_HOME"), 0);
    config = defaults();
    ck_assert_str_eq(config.state, geteuid() == 0 ? "/var/lib/railhead"
                                                  : "/srv/ana/.local/state/railhead");
    config_clear(&config);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", "/s", 1), 0);
    config = defaults();
    ck_assert_str_eq(config.state,
                     geteuid() == 0 ? "/var/lib/railhead" : "/s/railhead");
    config_clear(&config);
}
END_TEST

START_TEST(the_socket_follows_the_state_folder_unless_it_is_set)
{
    struct config config = loaded("state: /srv/a\n");
    struct err err;

    ck_assert_str_eq(config.socket, "/srv/a/railhead.sock");
    ck_assert_int_eq(config_set_state(&config, "/srv/b", &err), 0);
    ck_assert_str_eq(config.state, "/srv/b");
    ck_assert_str_eq(config.socket, "/srv/b/railhead.sock");
    config_clear(&config);
    config = loaded("socket: /run/s\n");
    ck_assert_int_eq(config_set_state(&config, "/srv/b", &err), 0);
    ck_assert_str_eq(config.socket, "/run/s");
    config_clear(&config);
}
END_TEST

START_TEST(a_socket_path_that_the_kernel_cannot_take_is_told)
{
    struct config config = loaded("state: /srv/a\n");
    char state[128];
    struct err err;

    memset(state, 'x', sizeof state - 1);
    state[0] = '/';
    state[sizeof state - 1] = '\0';
    ck_assert_int_lt(config_set_state(&config, state, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "has at most 107"));
    config_clear(&config);
}
END_TEST

START_TEST(the_profiles_of_a_build_tree_are_found_by_the_environment)
{
    struct config config;

    ck_assert_int_eq(setenv("RAILHEAD_INSTANCE_PROFILES", "/tree/profiles", 1), 0);
    config = defaults();
    ck_assert_str_eq(config.instance_profiles, "/tree/profiles");
    config_clear(&config);
    config = loaded("instance_profiles: /srv/profiles\n");
    ck_assert_str_eq(config.instance_profiles, "/srv/profiles");
    config_clear(&config);
    ck_assert_int_eq(unsetenv("RAILHEAD_INSTANCE_PROFILES"), 0);
    config = defaults();
    ck_assert_str_eq(config.instance_profiles, RAILHEAD_DATADIR "/instance-profiles");
    config_clear(&config);
}
END_TEST

START_TEST(only_loopback_is_listened_on)
{
    static const char *const well[] = { "127.0.0.1:8470", "127.9.9.9:1", "[::1]:65535",
                                        "127.0.0.1:0" };
    static const char *const refused[] = {
        "0.0.0.0:80",       "10.0.0.1:80",  "[::]:80",      "::1:80",
        "localhost:80",     "127.0.0.1",    ":80",          "127.0.0.1:",
        "127.0.0.1:65536",  "127.0.0.1:8x", "[127.0.0.1:1", "[127.0.0.1]:1",
        "127.0.0.1:000080",
    };
    struct err err;

    for (size_t i = 0; i < ARRAY_SIZE(well); i++)
        ck_assert_msg(config_check_listen(well[i], &err) == 0, "%s", well[i]);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        ck_assert_msg(config_check_listen(refused[i], &err) < 0, "%s", refused[i]);
        ck_assert_int_eq(err.code, ERR_INVALID);
    }
}
END_TEST

static void check_example(const char *yaml)
{
    struct config config = loaded(yaml);

    config_clear(&config);
}

START_TEST(the_examples_of_the_manual_are_valid)
{
    manual_examples("railhead.yaml.5", check_example);
}
END_TEST

START_TEST(the_shipped_file_is_that_of_a_system_service)
{
    auto_free char *yaml = source_file("etc/railhead.yaml");
    struct config config = loaded(yaml);

    ck_assert_str_eq(config.state, "/var/lib/railhead");
    ck_assert_str_eq(config.socket, "/run/railhead/railhead.sock");
    ck_assert_ptr_null(config.listen);
    config_clear(&config);
}
END_TEST

/* What is commented out in the shipped file is what holds by default, so that the file
 * tells the truth. */
START_TEST(the_shipped_comments_are_the_defaults)
{
    auto_free char *yaml = source_file("etc/railhead.yaml");
    auto_text struct text uncommented = { 0 };
    struct config config;
    struct config plain = defaults();

    for (const char *line = yaml; *line;) {
        size_t len = strcspn(line, "\n") + 1;
        const char *from = text_starts_with(line, "#:") ? line + 2 : line;

        text_add(&uncommented, from, (size_t)(line + len - from));
        line += len;
    }
    config = loaded(uncommented.bytes);
    ck_assert_str_eq(config.python, plain.python);
    ck_assert_uint_eq(words_count(config.pass_environment),
                      words_count(plain.pass_environment));
    for (size_t i = 0; plain.pass_environment[i]; i++)
        ck_assert_str_eq(config.pass_environment[i], plain.pass_environment[i]);
    ck_assert_int_eq(config.emulate, plain.emulate);
    ck_assert_int_eq(config.isolate, plain.isolate);
    ck_assert_int_eq(config.emulate_count, plain.emulate_count);
    ck_assert_int_eq(config.body_limit_bytes, plain.body_limit_bytes);
    ck_assert_int_eq(config.source_limit_bytes, plain.source_limit_bytes);
    ck_assert_int_eq(config.connection_limit, plain.connection_limit);
    ck_assert_int_eq(config.client_connection_limit, plain.client_connection_limit);
    ck_assert_int_eq(config.held_limit_bytes, plain.held_limit_bytes);
    ck_assert_int_eq(config.header_limit_s, plain.header_limit_s);
    ck_assert_int_eq(config.body_limit_s, plain.body_limit_s);
    ck_assert_int_eq(config.idle_limit_s, plain.idle_limit_s);
    ck_assert_int_eq(config.rank_log_bytes, plain.rank_log_bytes);
    ck_assert_int_eq(config.reprice, plain.reprice);
    config_clear(&config);
    config_clear(&plain);
}
END_TEST

START_TEST(the_quick_start_emulates_in_the_open)
{
    auto_free char *yaml = source_file("etc/quickstart.yaml");
    struct config config = loaded(yaml);

    ck_assert(config.emulate);
    config_clear(&config);
}
END_TEST

Suite *suite_config(void)
{
    Suite *suite = suite_create("config");
    TCase *cases = tcase_create("config");

    tcase_add_test(cases, without_a_file_there_are_defaults);
    tcase_add_test(cases, a_file_of_comments_changes_nothing);
    tcase_add_test(cases, a_file_changes_what_it_names);
    tcase_add_test(cases, every_mistake_is_told_at_once_with_its_path);
    tcase_add_test(cases, keys_of_s3_come_from_a_file_of_their_own);
    tcase_add_test(cases, a_missing_file_is_told);
    tcase_add_test(cases, the_state_folder_follows_the_user);
    tcase_add_test(cases, the_socket_follows_the_state_folder_unless_it_is_set);
    tcase_add_test(cases, a_socket_path_that_the_kernel_cannot_take_is_told);
    tcase_add_test(cases, the_profiles_of_a_build_tree_are_found_by_the_environment);
    tcase_add_test(cases, only_loopback_is_listened_on);
    tcase_add_test(cases, the_examples_of_the_manual_are_valid);
    tcase_add_test(cases, the_shipped_file_is_that_of_a_system_service);
    tcase_add_test(cases, the_shipped_comments_are_the_defaults);
    tcase_add_test(cases, the_quick_start_emulates_in_the_open);
    suite_add_tcase(suite, cases);
    return suite;
}
