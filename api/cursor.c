/* Makes and opens the cursors of lists.  Decides which cursor is one of ours, and for
 * which request; what a position means is the list's. */

#include "api/cursor.h"

#include "api/routes.h"
#include "src/digest.h"
#include "src/files.h"
#include "src/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the key --- */

static int make_key(const char *path, struct err *err)
{
    struct cursor_key key;

    random_bytes(key.bytes, sizeof key.bytes);
    return file_replace(path, key.bytes, sizeof key.bytes, 0600, true, err);
}

int cursor_key_load(const char *folder, struct cursor_key *key, struct err *err)
{
    auto_free char *path = xasprintf("%s/cursor.key", folder);
    auto_free char *bytes = NULL;
    size_t len;

    if (access(path, F_OK) < 0 && make_key(path, err) < 0)
        return -1;
    if (file_read(path, sizeof key->bytes, &bytes, &len, err) < 0)
        return -1;
    if (len != sizeof key->bytes)
        return err_set(
            err, ERR_INTERNAL,
            "%s: expected %zu bytes, has %zu: remove it, and cursors given before are refused",
            path, sizeof key->bytes, len);
    memcpy(key->bytes, bytes, sizeof key->bytes);
    return 0;
}

/* --- base64url without padding (RFC 4648, section 5) --- */

static const char digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void add_base64(struct text *out, const unsigned char *bytes, size_t len)
{
    uint32_t bits = 0;
    unsigned count = 0;

    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | bytes[i];
        for (count += 8; count >= 6; count -= 6)
            text_add(out, &digits[bits >> (count - 6) & 63], 1);
    }
    if (count)
        text_add(out, &digits[bits << (6 - count) & 63], 1);
}

/* False when it is none, or has bits at its end that are of no byte. */
static bool read_base64(const char *words, struct text *out)
{
    uint32_t bits = 0;
    unsigned count = 0;

    for (; *words; words++) {
        const char *digit = strchr(digits, *words);

        if (!digit)
            return false;
        bits = bits << 6 | (uint32_t)(digit - digits);
        count += 6;
        if (count >= 8) {
            unsigned char byte = (unsigned char)(bits >> (count - 8) & 0xff);

            text_add(out, &byte, 1);
            count -= 8;
        }
    }
    return count < 6 && (bits & ((1U << count) - 1)) == 0;
}

/* --- positions, two characters a byte --- */

static const char characters[] = "0123456789.";

enum {
    NONE = 15 /* behind the last of an odd number */
};

static void add_position(struct text *out, const char *position)
{
    size_t len = strlen(position);

    assert(len > 0 && strspn(position, characters) == len);
    for (size_t i = 0; i < len; i += 2) {
        ptrdiff_t first = strchr(characters, position[i]) - characters;
        ptrdiff_t second =
            i + 1 < len ? strchr(characters, position[i + 1]) - characters : NONE;
        unsigned char byte = (unsigned char)(first << 4 | second);

        text_add(out, &byte, 1);
    }
}

/* NULL when it is none.  The caller frees. */
static char *read_position(const unsigned char *bytes, size_t len)
{
    auto_text struct text position = { 0 };

    for (size_t i = 0; i < 2 * len; i++) {
        unsigned code = i % 2 ? bytes[i / 2] & 15 : bytes[i / 2] >> 4;

        if (code == NONE && i > 0 && i + 1 == 2 * len)
            break;
        if (code >= sizeof characters - 1)
            return NULL;
        text_add(&position, &characters[code], 1);
    }
    return text_steal(&position);
}

/* --- cursors --- */

bool cursor_decode(const char *words, struct cursor *out)
{
    enum {
        HEAD = CURSOR_BINDING_BYTES + CURSOR_MAC_BYTES
    };
    auto_text struct text bytes = { 0 };

    if (!read_base64(words, &bytes) || bytes.len <= HEAD)
        return false;
    memcpy(out->binding, bytes.bytes, sizeof out->binding);
    memcpy(out->mac, bytes.bytes + sizeof out->binding, sizeof out->mac);
    out->position =
        read_position((const unsigned char *)bytes.bytes + HEAD, bytes.len - HEAD);
    return out->position != NULL;
}

void cursor_clear(struct cursor *cursor)
{
    free(cursor->position);
    cursor->position = NULL;
}

#define auto_cursor __attribute__((cleanup(cursor_clear)))

/* What every page of a list has in common, in one order: that of the route's names. */
static void bind_to(const struct request *request,
                    unsigned char binding[CURSOR_BINDING_BYTES])
{
    auto_text struct text asked = { 0 };
    unsigned char digest[DIGEST_SIZE];

    text_printf(&asked, "%s\n%s\n", request->route->operation, request->capture);
    for (const char *const *name = request->route->parameters; *name; name++) {
        const char *value = request_parameter(request, *name);

        if (value && strcmp(*name, "cursor") != 0 && strcmp(*name, "limit") != 0)
            text_printf(&asked, "%s %zu %s\n", *name, strlen(value), value);
    }
    digest_of(asked.bytes, asked.len, digest);
    memcpy(binding, digest, CURSOR_BINDING_BYTES);
}

static void sign(const struct cursor_key *key, const struct cursor *cursor,
                 unsigned char mac[CURSOR_MAC_BYTES])
{
    char hex[2 * CURSOR_BINDING_BYTES + 1];
    auto_free char *words = NULL;
    unsigned char whole[DIGEST_SIZE];

    digest_to_hex(cursor->binding, sizeof cursor->binding, hex);
    words = xasprintf("cursor %s %s", hex, cursor->position);
    digest_hmac(key->bytes, sizeof key->bytes, words, whole);
    memcpy(mac, whole, CURSOR_MAC_BYTES);
}

char *cursor_seal(const struct cursor_key *key, const struct request *request,
                  const char *position)
{
    auto_cursor struct cursor cursor = { .position = xstrdup(position) };
    auto_text struct text bytes = { 0 };
    struct text words = { 0 };

    bind_to(request, cursor.binding);
    sign(key, &cursor, cursor.mac);
    text_add(&bytes, cursor.binding, sizeof cursor.binding);
    text_add(&bytes, cursor.mac, sizeof cursor.mac);
    add_position(&bytes, position);
    add_base64(&words, (const unsigned char *)bytes.bytes, bytes.len);
    return text_steal(&words);
}

char *cursor_open(const struct cursor_key *key, const struct request *request,
                  struct problems *problems)
{
    const char *words = request_parameter(request, "cursor");
    auto_cursor struct cursor cursor = { 0 };
    unsigned char mac[CURSOR_MAC_BYTES];
    unsigned char binding[CURSOR_BINDING_BYTES];

    if (!words)
        return NULL;
    if (cursor_decode(words, &cursor))
        sign(key, &cursor, mac);
    if (!cursor.position || !digest_is_same(mac, cursor.mac, sizeof mac)) {
        problems_add(problems, "cursor", "begin without one",
                     "it is none that this server gave");
        return NULL;
    }
    bind_to(request, binding);
    if (memcmp(binding, cursor.binding, sizeof binding) != 0) {
        problems_add(problems, "cursor",
                     "repeat that request's path and parameters; limit may differ",
                     "it was given for a request with other filters");
        return NULL;
    }
    return steal_ptr(&cursor.position);
}

void cursor_seal_page(const struct cursor_key *key, const struct request *request,
                      struct cJSON *page)
{
    static const char *const members[] = { "next_cursor", "resume_cursor" };

    for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
        const char *position = json_get_text(page, members[i]);
        auto_free char *sealed = NULL;

        if (!position)
            continue;
        sealed = cursor_seal(key, request, position);
        json_replace(page, members[i], json_text_new(sealed));
    }
}
