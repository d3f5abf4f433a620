/* Runs that were measured elsewhere, from JSON or CSV: refused with what is wrong, or
 * compared, with figures that are JSON and the same each time. */

#include "daemon/compare.h"
#include "src/csv_read.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    RUNS_MAX = 48
};

static const struct compare_ask ask = { .by = "instance_type",
                                        .objective_band = 0.01,
                                        .work_band = 0.01,
                                        .seed = 1 };

static void drop(struct compare_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        compare_run_clear(&runs[i]);
    free(runs);
}

/* The caller owns it; NULL: refused. */
static struct cJSON *compared(const struct cJSON *given)
{
    auto_problems struct problems problems = { 0 };
    const struct member_place root = { .problems = &problems };
    const struct member_place place = member_below(&root, "import");
    auto_comparison struct comparison comparison = { 0 };
    struct compare_run *runs = NULL;
    size_t count = 0;
    struct err err;

    compare_import(given, &place, ask.by, &runs, &count);
    assert(fuzz_are_told(&problems, problems.count == 0));
    if (problems.count > 0) {
        drop(runs, count);
        return NULL;
    }
    if (compare_make(&ask, runs, count, &comparison, &err) < 0) {
        assert(fuzz_is_refusal(&err));
        return NULL;
    }
    assert(*comparison.sentence && comparison.run_count == count);
    return compare_to_json(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_json struct cJSON *given = NULL;
    auto_json struct cJSON *once = NULL;
    auto_json struct cJSON *twice = NULL;
    auto_json struct cJSON *read = NULL;

    if (size == 0
        || (json_parse((const char *)data, size, &given, NULL) < 0
            && csv_read((const char *)data, size, &given, NULL) < 0)
        || json_count(given) > RUNS_MAX)
        return 0;
    once = compared(given);
    twice = compared(given);
    assert(!once == !twice);
    if (!once)
        return 0;
    read = fuzz_again(once);
    assert(fuzz_same(once, read) && fuzz_same(once, twice));
    return 0;
}
