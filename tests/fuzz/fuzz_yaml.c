/* YAML: what is taken is a value that JSON can say, and YAML, of which JSON is a part,
 * reads that as nothing else. */

#include "src/yaml.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_json struct cJSON *value = NULL;
    auto_json struct cJSON *by_json = NULL;
    auto_json struct cJSON *by_yaml = NULL;
    auto_free char *words = NULL;
    struct err err;

    if (yaml_parse((const char *)data, size, &value, &err) < 0) {
        assert(!value && fuzz_is_refusal(&err));
        return 0;
    }
    by_json = fuzz_again(value);
    assert(fuzz_same(value, by_json));
    /* Refused: names of above 1024 bytes, characters that YAML calls unprintable or, in
     * 1.1, line breaks. */
    words = json_print(value);
    if (yaml_parse(words, strlen(words), &by_yaml, &err) == 0)
        assert(fuzz_same(value, by_yaml));
    return 0;
}
