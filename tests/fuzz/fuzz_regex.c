/* Patterns of metrics: whatever is taken finds within the line, and ends (libFuzzer's
 * own time-out).  The pattern is the input's first line. */

#include "src/job_spec_members.h"
#include "src/regex.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_find(struct regex *regex, const char *line, size_t len)
{
    struct regex_match match;

    if (regex_find(regex, line, len, &match) == REGEX_FOUND) {
        assert(match.start <= len && match.len <= len - match.start);
        assert(match.step_start <= len && match.step_len <= len - match.step_start);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = fuzz_text(data, size);
    char *line = text;
    const char *pattern = fuzz_line(&line);
    struct regex *regex;
    struct err err;

    if (strlen(pattern) > SPEC_METRIC_REGEX_MAX)
        return 0;
    if (regex_new(pattern, &regex, &err) < 0) {
        assert(fuzz_is_refusal(&err));
        return 0;
    }
    check_find(regex, line ? line : "", line ? strlen(line) : 0);
    check_find(regex, pattern, strlen(pattern));
    regex_free(regex);
    return 0;
}
