/* Job specs: refused with what is wrong, or completed to a spec that reads the same
 * again. */

#include "src/job_spec.h"
#include "tests/fuzz/fuzz.h"

static struct job_spec *read_spec(const struct cJSON *json)
{
    auto_problems struct problems problems = { 0 };
    struct job_spec *spec = job_spec_parse(json, &problems);

    assert(fuzz_are_told(&problems, spec));
    return spec;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_json struct cJSON *given = fuzz_value(data, size);
    auto_job_spec struct job_spec *spec = given ? read_spec(given) : NULL;
    auto_json struct cJSON *complete = NULL;
    auto_json struct cJSON *stored = NULL;
    auto_job_spec struct job_spec *again = NULL;
    auto_json struct cJSON *complete_again = NULL;

    if (!spec)
        return 0;
    complete = job_spec_to_json(spec);
    stored = fuzz_again(complete);
    again = read_spec(stored);
    assert(again);
    complete_again = job_spec_to_json(again);
    assert(fuzz_same(complete, complete_again));
    return 0;
}
