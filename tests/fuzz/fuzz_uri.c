/* Where data is: a URI that is taken is plain (read again it stays), a path that it
 * names is absolute and without dots, and comes back from its own URI. */

#include "src/text.h"
#include "src/uri.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

/* NULL: refused.  The caller frees. */
static char *read_uri(const char *text)
{
    auto_problems struct problems problems = { 0 };
    const struct member_place place = { .name = "uri", .problems = &problems };
    auto_json struct cJSON *value = json_text_new(text);
    char *uri = NULL;

    assert(fuzz_are_told(&problems, true));
    assert(member_uri(value, &place, &uri) == (problems.count == 0));
    assert(fuzz_are_told(&problems, uri));
    return uri;
}

static void check_path(const char *uri)
{
    auto_free char *path = uri_to_path(uri);
    auto_free char *again = NULL;
    auto_free char *path_again = NULL;

    if (!path) {
        assert(text_starts_with(uri, "s3://"));
        return;
    }
    again = uri_of_path(path);
    path_again = uri_to_path(again);
    assert(*path == '/' && !path_has_dots(path));
    assert(strcmp(path, path_again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = fuzz_text(data, size);
    auto_free char *uri = NULL;
    auto_free char *again = NULL;

    if (!text_is_utf8(text, strlen(text)))
        return 0;
    uri = read_uri(text);
    if (!uri)
        return 0;
    again = read_uri(uri);
    assert(again && strcmp(uri, again) == 0);
    check_path(uri);
    return 0;
}
