/* URIs of data.  Decides which there are and how they are written; whether anything is
 * there is not asked. */

#include "src/uri.h"

#include "src/json.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

/* In bytes; a path that is encoded as a whole still fits. */
enum {
    PATH_LEN_MAX = 1024,
    URI_LEN_MAX = 4 * PATH_LEN_MAX
};

/* NULL when a % has not two digits behind it, or stands for NUL. */
static char *decoded(const char *encoded)
{
    auto_text struct text path = { 0 };

    for (; *encoded; encoded++) {
        char byte = *encoded;

        if (byte == '%') {
            int high = text_hex_digit(encoded[1]);
            int low = high < 0 ? -1 : text_hex_digit(encoded[2]);

            if (low < 0 || high + low == 0)
                return NULL;
            byte = (char)(high << 4 | low);
            encoded += 2;
        }
        text_add(&path, &byte, 1);
    }
    return text_steal(&path);
}

char *uri_to_path(const char *uri)
{
    if (!text_starts_with(uri, "file://"))
        return NULL;
    uri += strlen("file://");
    if (text_starts_with(uri, "localhost/"))
        uri += strlen("localhost");
    return *uri == '/' && !strpbrk(uri, "?#") ? decoded(uri) : NULL;
}

char *uri_of_path(const char *path)
{
    /* RFC 3986: unreserved, and what a path may have besides. */
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~/!$&'()*+,;=:@";
    struct text uri = { 0 };

    text_puts(&uri, "file://");
    for (; *path; path++) {
        if (strchr(plain, *path))
            text_add(&uri, path, 1);
        else
            text_printf(&uri, "%%%02X", (unsigned)(unsigned char)*path);
    }
    return text_steal(&uri);
}

/* S3's rule for general purpose buckets, but for reserved prefixes. */
static bool is_bucket(const char *name, size_t len)
{
    static const char ends[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    static const char inner[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";

    if (len < 3 || len > 63 || strspn(name, inner) < len)
        return false;
    for (size_t i = 1; i < len; i++)
        if (name[i] == '.' && name[i - 1] == '.')
            return false;
    return strchr(ends, name[0]) && strchr(ends, name[len - 1]);
}

static void check_s3(const char *uri, const struct member_place *place)
{
    const char *bucket = uri + strlen("s3://");
    size_t len = strcspn(bucket, "/");

    if (!is_bucket(bucket, len))
        member_problem(
            place,
            "3 to 63 lower case letters, digits, hyphens and dots; first and last a letter or digit",
            "'%.*s' is not a name for a bucket", (int)(len < 64 ? len : 64), bucket);
}

bool path_has_dots(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        size_t len;

        part += *part == '/';
        len = strcspn(part, "/");
        if ((len == 1 || len == 2) && strncmp(part, "..", len) == 0)
            return true;
    }
    return false;
}

/* RFC 3986, 5.2.4: what is shown, stored and compared is where a path leads. */
static char *without_dots(const char *path)
{
    auto_text struct text plain = { 0 };
    bool is_folder = false;

    text_puts(&plain, "");
    for (path++; path; path = strchr(path, '/') ? strchr(path, '/') + 1 : NULL) {
        size_t len = strcspn(path, "/");

        is_folder = len <= 2 && strncmp(path, "..", len) == 0;
        if (!is_folder)
            text_printf(&plain, "/%.*s", (int)len, path);
        else if (len == 2 && plain.len > 0)
            plain.len = (size_t)(strrchr(plain.bytes, '/') - plain.bytes);
        plain.bytes[plain.len] = '\0';
    }
    if (is_folder)
        text_puts(&plain, "/");
    return text_steal(&plain);
}

/* As it is read: a URI of which a path is made, or one that stays as it was written. */
static char *plain_uri(const char *text)
{
    auto_free char *path = *text == '/' ? xstrdup(text) : uri_to_path(text);
    auto_free char *plain = NULL;

    if (path && path_has_dots(path))
        plain = without_dots(path);
    if (plain || *text == '/')
        return uri_of_path(plain ? plain : path);
    return xstrdup(text);
}

static void check_file(const char *uri, const struct cJSON *value,
                       const struct member_place *place)
{
    auto_free char *path = uri_to_path(uri);
    char shown[MEMBER_SHOWN_SIZE];

    if (!path)
        member_problem(
            place,
            "write file:///ABSOLUTE/PATH, with %25 for a %, %3F for a ? and %23 for a #",
            "%s does not name an absolute path", member_shown(value, shown));
}

bool member_uri(const struct cJSON *value, const struct member_place *place, char **out)
{
    size_t before = place->problems->count;
    const char *text = json_text(value);
    bool is_path = text && *text == '/';
    char shown[MEMBER_SHOWN_SIZE];

    if (!member_text(value, place, is_path ? PATH_LEN_MAX : URI_LEN_MAX, &text))
        return false;
    if (text_has_control(text))
        member_problem(place, NULL, "has a control character");
    else if (text_starts_with(text, "s3://"))
        check_s3(text, place);
    else if (text_starts_with(text, "file://"))
        check_file(text, value, place);
    else if (!is_path)
        member_problem(
            place, "write file:///ABSOLUTE/PATH, an absolute path, or s3://BUCKET/KEY",
            "%s is neither a file:// nor an s3:// URI", member_shown(value, shown));
    if (place->problems->count > before)
        return false;
    *out = plain_uri(text);
    return true;
}
