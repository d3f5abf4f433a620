/* JSON: what is taken is UTF-8 and reads the same however it is printed; numbers keep
 * their value. */

#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_number(const struct cJSON *number)
{
    auto_json struct cJSON *object = NULL;
    double once, twice;
    int64_t whole;

    assert(json_is_number_text(json_number(number)));
    if (json_to_int(number, &whole))
        assert(strtoll(json_number(number), NULL, 10) == whole);
    if (!json_to_double(number, &once))
        return;
    object = json_object_new();
    json_set_double(object, "n", once);
    assert(json_to_double(json_get(object, "n"), &twice));
    assert(memcmp(&once, &twice, sizeof once) == 0);
}

/* The nesting is bounded by JSON_DEPTH_MAX. */
static void check_numbers(const struct cJSON *value)
{
    if (json_number(value))
        check_number(value);
    json_each (item, value)
        check_numbers(item);
}

static void check_printed(const struct cJSON *value, const char *words)
{
    auto_json struct cJSON *again = NULL;
    auto_free char *plain = json_print(value);
    auto_free char *plain_again = NULL;

    assert(json_parse(words, strlen(words), &again, NULL) == 0);
    plain_again = json_print(again);
    assert(strcmp(plain, plain_again) == 0);
}

/* Of members that appear twice it is not said which comes first. */
static void check_sorted(const struct cJSON *value)
{
    auto_problems struct problems problems = { 0 };
    auto_text struct text words = { 0 };
    auto_json struct cJSON *sorted = NULL;

    json_check_duplicates(value, &problems);
    assert(fuzz_are_told(&problems, problems.count == 0));
    if (problems.count > 0)
        return;
    sorted = json_copy(value);
    json_sort(sorted);
    json_add_sorted(&words, value);
    check_printed(sorted, words.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_json struct cJSON *value = NULL;
    auto_free char *plain = NULL;
    auto_free char *pretty = NULL;
    struct err err;

    if (json_parse((const char *)data, size, &value, &err) < 0) {
        assert(!value && fuzz_is_refusal(&err));
        return 0;
    }
    assert(text_is_utf8((const char *)data, size));
    plain = json_print(value);
    pretty = json_print_pretty(value);
    check_printed(value, plain);
    check_printed(value, pretty);
    check_sorted(value);
    check_numbers(value);
    return 0;
}
