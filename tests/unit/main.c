/* Runs the suites that suites.h lists.  `unit` runs all, `unit NAME...` those named. It
 * decides nothing else. */

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) Suite *suite_##name(void);
#include "tests/unit/suites.h"
#undef SUITE

static const struct {
    const char *name;
    Suite *(*make)(void);
} suites[] = {
#define SUITE(name) { #name, suite_##name },
#include "tests/unit/suites.h"
#undef SUITE
    { NULL, NULL },
};

static bool is_wanted(const char *name, char *const *wanted)
{
    if (!*wanted)
        return true;
    for (; *wanted; wanted++)
        if (strcmp(*wanted, name) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    SRunner *runner = srunner_create(NULL);
    int failed;

    (void)argc;
    /* Seconds until a check is taken to hang.  The 4 of libcheck are short for a build
     * with sanitizers on a busy machine. */
    setenv("CK_DEFAULT_TIMEOUT", "60", 0);
    for (size_t i = 0; suites[i].name; i++)
        if (is_wanted(suites[i].name, argv + 1))
            srunner_add_suite(runner, suites[i].make());
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
