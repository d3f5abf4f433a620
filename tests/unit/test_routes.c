/* Which method and path has which handler; what refused methods are told. */

#include "api/routes.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *method;
    const char *path;
    const char *operation;
    const char *capture;
} found[] = {
    { "POST", "/v1/training-jobs",                  "submitTrainingJob",         "" },
    { "GET",  "/v1/training-jobs",                  "listTrainingJobs",          "" },
    { "HEAD", "/v1/training-jobs",                  "listTrainingJobs",          "" },
    { "GET",  "/v1/training-jobs/bert-01",          "getTrainingJob",            "bert-01" },
    { "GET",  "/v1/training-jobs/stop",             "getTrainingJob",            "stop" },
    { "POST", "/v1/training-jobs/a/stop",           "stopTrainingJob",           "a" },
    { "POST", "/v1/training-jobs/a/interrupt",      "interruptTrainingJob",      "a" },
    { "GET",  "/v1/training-jobs/a/logs",           "getTrainingJobLogs",        "a" },
    { "GET",  "/v1/training-jobs/a/metrics",        "getTrainingJobMetrics",     "a" },
    { "GET",  "/v1/training-jobs/a/transitions",    "getTrainingJobTransitions", "a" },
    { "GET",  "/v1/training-jobs/a/plan",           "getTrainingJobPlan",        "a" },
    { "PUT",  "/v1/sources/0f",                     "putSource",                 "0f" },
    { "GET",  "/v1/sources/0f",                     "getSource",                 "0f" },
    { "HEAD", "/v1/sources/0f",                     "getSource",                 "0f" },
    { "GET",  "/v1/instance-types",                 "listInstanceTypes",         "" },
    { "GET",  "/v1/backup",                         "getBackup",                 "" },
    { "GET",  "/healthz",                           "getHealth",                 "" },
    { "GET",  "/readyz",                            "getReadiness",              "" },
};

static const char *const unknown[] = {
    "", "/", "/v1", "/v1/", "/v1/training-jobs/", "/v1/training-jobs//stop",
    "/v1/training-jobs/a/", "/v1/training-jobs/a/stop/", "/v1/training-jobs/a/b/stop",
    "/v1/training-jobs/a/stopp", "/v1/training-jobsx", "/V1/training-jobs", "/healthz/",
    "/v1/sources", "v1/training-jobs",
};

static const struct {
    const char *method;
    const char *path;
    const char *allow;
} refused[] = {
    { "DELETE", "/v1/training-jobs",         "POST, GET, HEAD" },
    { "POST",   "/v1/training-jobs/a",       "GET, HEAD" },
    { "GET",    "/v1/training-jobs/a/stop",  "POST" },
    { "HEAD",   "/v1/training-jobs/a/stop",  "POST" },
    { "POST",   "/v1/sources/0f",            "PUT, GET, HEAD" },
    { "PUT",    "/healthz",                  "GET, HEAD" },
    { "get",    "/healthz",                  "GET, HEAD" },
};
/* clang-format on */

START_TEST(a_known_path_and_method_find_their_row)
{
    char capture[REQUEST_CAPTURE_SIZE];
    char *allow = NULL;
    const struct route *route =
        route_find(found[_i].method, found[_i].path, capture, &allow);

    ck_assert_ptr_nonnull(route);
    ck_assert_str_eq(route->operation, found[_i].operation);
    ck_assert_str_eq(capture, found[_i].capture);
    ck_assert_ptr_null(allow);
}
END_TEST

START_TEST(an_unknown_path_has_no_row_and_allows_nothing)
{
    char capture[REQUEST_CAPTURE_SIZE];
    char *allow = NULL;

    ck_assert_ptr_null(route_find("GET", unknown[_i], capture, &allow));
    ck_assert_ptr_null(allow);
}
END_TEST

START_TEST(a_wrong_method_is_told_the_right_ones)
{
    char capture[REQUEST_CAPTURE_SIZE];
    auto_free char *allow = NULL;

    ck_assert_ptr_null(
        route_find(refused[_i].method, refused[_i].path, capture, &allow));
    ck_assert_str_eq(allow, refused[_i].allow);
}
END_TEST

START_TEST(a_part_that_is_too_long_matches_nothing)
{
    char path[REQUEST_CAPTURE_SIZE + 64] = "/v1/training-jobs/";
    size_t start = strlen(path);
    char capture[REQUEST_CAPTURE_SIZE];
    char *allow = NULL;

    memset(path + start, 'x', REQUEST_CAPTURE_SIZE - 1);
    ck_assert_ptr_nonnull(route_find("GET", path, capture, &allow));
    ck_assert_uint_eq(strlen(capture), REQUEST_CAPTURE_SIZE - 1);
    path[start + REQUEST_CAPTURE_SIZE - 1] = 'x';
    ck_assert_ptr_null(route_find("GET", path, capture, &allow));
    ck_assert_ptr_null(allow);
}
END_TEST

START_TEST(every_row_has_room_for_its_parameters)
{
    size_t count;
    const struct route *routes = routes_all(&count);

    ck_assert_uint_gt(count, 0);
    for (size_t i = 0; i < count; i++) {
        size_t names = 0;

        while (routes[i].parameters[names])
            names++;
        ck_assert_uint_le(names, REQUEST_PARAMETERS_MAX);
    }
}
END_TEST

START_TEST(no_two_rows_have_the_same_method_and_pattern)
{
    size_t count;
    const struct route *routes = routes_all(&count);

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            ck_assert(strcmp(routes[i].method, routes[j].method) != 0
                      || strcmp(routes[i].pattern, routes[j].pattern) != 0);
}
END_TEST

Suite *suite_routes(void)
{
    Suite *suite = suite_create("routes");
    TCase *tests = tcase_create("routes");

    tcase_add_loop_test(tests, a_known_path_and_method_find_their_row, 0,
                        ARRAY_SIZE(found));
    tcase_add_loop_test(tests, an_unknown_path_has_no_row_and_allows_nothing, 0,
                        ARRAY_SIZE(unknown));
    tcase_add_loop_test(tests, a_wrong_method_is_told_the_right_ones, 0,
                        ARRAY_SIZE(refused));
    tcase_add_test(tests, a_part_that_is_too_long_matches_nothing);
    tcase_add_test(tests, every_row_has_room_for_its_parameters);
    tcase_add_test(tests, no_two_rows_have_the_same_method_and_pattern);
    suite_add_tcase(suite, tests);
    return suite;
}
