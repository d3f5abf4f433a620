/*
 * Cursors of lists: what we sealed opens as what it was, and for those alone who ask
 * the same; nothing else opens, not even by one character changed.
 *
 * The first byte of the input says which character; then a cursor that is none, a
 * position, a filter, a line each.
 */

#include "api/cursor.h"
#include "api/routes.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static const struct cursor_key key = { { 1, 2, 3 } };

static struct request asked(const char *owner, const char *cursor)
{
    struct request request = { 0 };

    request.route = route_find("GET", "/v1/training-jobs", request.capture, NULL);
    assert(request.route);
    request.parameters[request.parameter_count++] =
        (struct parameter){ "owner", owner };
    request.parameters[request.parameter_count++] =
        (struct parameter){ "cursor", cursor };
    return request;
}

/* NULL: refused.  The caller frees. */
static char *opened(const char *owner, const char *cursor)
{
    const struct request request = asked(owner, cursor);
    auto_problems struct problems problems = { 0 };
    char *position = cursor_open(&key, &request, &problems);

    assert(fuzz_are_told(&problems, position));
    return position;
}

static char *sealed(const char *owner, const char *position)
{
    const struct request request = asked(owner, "");

    return cursor_seal(&key, &request, position);
}

/* Whatever opens is what we would give. */
static void check_any(const char *owner, const char *cursor)
{
    auto_free char *position = opened(owner, cursor);
    auto_free char *again = position ? sealed(owner, position) : NULL;

    assert(!again || strcmp(cursor, again) == 0);
}

static void check_sealed(const char *owner, const char *position, size_t place)
{
    auto_free char *cursor = sealed(owner, position);
    auto_free char *back = opened(owner, cursor);
    auto_free char *other = xasprintf("%s-", owner);

    assert(back && strcmp(back, position) == 0);
    free(back);
    back = opened(other, cursor);
    assert(!back);
    cursor[place % strlen(cursor)] ^= 1;
    back = opened(owner, cursor);
    assert(!back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = size > 0 ? fuzz_text(data + 1, size - 1) : xstrdup("");
    char *rest = text;
    const char *cursor = fuzz_line(&rest);
    const char *position = fuzz_line(&rest);
    const char *owner = fuzz_line(&rest);

    if (!owner)
        return 0;
    check_any(owner, cursor);
    if (*position && strspn(position, "0123456789.") == strlen(position))
        check_sealed(owner, position, data[0]);
    return 0;
}
