/*
 * The door to cJSON: strict reading, numbers that keep their text, typed getters,
 * building.
 *
 * cJSON alone is too lax (raw control characters, bytes that are no UTF-8, half a
 * surrogate pair) and makes every number a double.  So json_scan first checks the text
 * and makes the copy that cJSON reads, in which numbers are marked strings; after the
 * parse these become its raw items.
 *
 * What members mean, and whether one may appear twice, is for the callers.
 */

#include "src/json.h"

#include "src/json_scan.h"
#include "src/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cJSON returns NULL only when memory is out. */
static cJSON *or_abort(cJSON *item)
{
    return xcheck(item);
}

/* --- reading --- */

/* As deep as JSON_DEPTH_MAX. */
static void marks_to_numbers(cJSON *item)
{
    for (; item; item = item->next) {
        if (item->child) {
            marks_to_numbers(item->child);
        } else if (cJSON_IsString(item) && item->valuestring[0] == JSON_NUMBER_MARK) {
            memmove(item->valuestring, item->valuestring + 1,
                    strlen(item->valuestring));
            item->type = cJSON_Raw | (item->type & ~0xff);
        }
    }
}

int json_parse(const char *bytes, size_t len, struct cJSON **out, struct err *err)
{
    auto_free char *copy = xmalloc(json_scan_room(len));
    size_t copy_len = 0;
    cJSON *value;

    if (json_scan(bytes, len, copy, &copy_len, err) < 0)
        return -1;
    value = or_abort(cJSON_ParseWithLength(copy, copy_len));
    marks_to_numbers(value);
    *out = value;
    return 0;
}

void json_free(struct cJSON *value)
{
    cJSON_Delete(value);
}

void json_cleanup(struct cJSON **value)
{
    cJSON_Delete(*value);
}

struct cJSON *json_copy(const struct cJSON *value)
{
    return value ? or_abort(cJSON_Duplicate(value, true)) : NULL;
}

static int by_name(const void *left, const void *right)
{
    return strcmp((*(cJSON *const *)left)->string, (*(cJSON *const *)right)->string);
}

static void sort_members(cJSON *object)
{
    size_t count = json_count(object);
    cJSON **members = xcalloc(count + 1, sizeof *members);

    for (size_t i = 0; i < count; i++)
        members[i] = cJSON_DetachItemViaPointer(object, object->child);
    qsort(members, count, sizeof(cJSON *), by_name);
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(object, members[i]); /* keeps the name that it has */
    free(members);
}

/* As deep as JSON_DEPTH_MAX. */
void json_sort(struct cJSON *value)
{
    if (cJSON_IsObject(value))
        sort_members(value);
    for (cJSON *item = value ? value->child : NULL; item; item = item->next)
        json_sort(item);
}

char *json_print(const struct cJSON *value)
{
    char *text = cJSON_PrintUnformatted(value);

    if (!text)
        abort();
    return text;
}

void json_add_sorted(struct text *out, const struct cJSON *value)
{
    auto_json struct cJSON *sorted = json_copy(value);
    auto_free char *words = NULL;

    json_sort(sorted);
    words = json_print(sorted);
    text_puts(out, words);
}

enum json_kind json_kind(const struct cJSON *value)
{
    switch (value ? value->type & 0xff : cJSON_NULL) {
    case cJSON_False:
    case cJSON_True:
        return JSON_BOOL;
    case cJSON_Raw:
        return JSON_NUMBER;
    case cJSON_String:
        return JSON_TEXT;
    case cJSON_Array:
        return JSON_ARRAY;
    case cJSON_Object:
        return JSON_OBJECT;
    default:
        return JSON_NULL;
    }
}

const char *json_kind_name(enum json_kind kind)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",       [JSON_BOOL] = "true or false",
        [JSON_NUMBER] = "a number", [JSON_TEXT] = "text",
        [JSON_ARRAY] = "a list",    [JSON_OBJECT] = "an object",
    };

    return names[kind];
}

const char *json_name(const struct cJSON *member)
{
    return member->string;
}

const char *json_text(const struct cJSON *value)
{
    return cJSON_IsString(value) ? value->valuestring : NULL;
}

const char *json_number(const struct cJSON *value)
{
    return cJSON_IsRaw(value) ? value->valuestring : NULL;
}

bool json_is_true(const struct cJSON *value)
{
    return cJSON_IsTrue(value);
}

bool json_to_int(const struct cJSON *value, int64_t *out)
{
    const char *number = json_number(value);
    long long parsed;

    if (!number || strpbrk(number, ".eE"))
        return false;
    errno = 0;
    parsed = strtoll(number, NULL, 10);
    if (errno)
        return false;
    *out = parsed;
    return true;
}

bool json_to_double(const struct cJSON *value, double *out)
{
    const char *number = json_number(value);
    double parsed;

    if (!number)
        return false;
    parsed = strtod(number, NULL);
    if (!isfinite(parsed))
        return false;
    *out = parsed;
    return true;
}

size_t json_count(const struct cJSON *container)
{
    return (size_t)cJSON_GetArraySize(container);
}

/* An array's items have no names. */
const struct cJSON *json_get(const struct cJSON *object, const char *name)
{
    json_each (item, object)
        if (item->string && *item->string == *name && strcmp(item->string, name) == 0)
            return item;
    return NULL;
}

int64_t json_get_int(const struct cJSON *object, const char *name, int64_t absent)
{
    int64_t number = absent;

    (void)json_to_int(json_get(object, name), &number);
    return number;
}

const char *json_get_text(const struct cJSON *object, const char *name)
{
    return json_text(json_get(object, name));
}

bool json_get_bool(const struct cJSON *object, const char *name)
{
    return json_is_true(json_get(object, name));
}

const struct cJSON *json_first(const struct cJSON *container)
{
    return container ? container->child : NULL;
}

const struct cJSON *json_next(const struct cJSON *item)
{
    return item->next;
}

static int compare_names(const void *left, const void *right)
{
    const char *const *left_name = left;
    const char *const *right_name = right;

    return strcmp(*left_name, *right_name);
}

/* Where a value stands; most have nothing to be said about, so the words of the path
 * are made when they are needed. */
struct place {
    const struct place *above; /* NULL: the whole */
    const struct cJSON *value;
};

static void add_path(struct text *path, const struct place *place)
{
    size_t index = 0;

    if (!place->above)
        return;
    add_path(path, place->above);
    if (cJSON_IsObject(place->above->value)) {
        text_printf(path, "%s%s", path->len ? "." : "", json_name(place->value));
        return;
    }
    for (const cJSON *item = place->above->value->child; item != place->value;
         item = item->next)
        index++;
    text_printf(path, "[%zu]", index);
}

/* Sorted, equal names stand side by side: O(n log n) however many members there are. */
static void check_names(const struct cJSON *object, const struct place *place,
                        struct problems *problems)
{
    size_t count = json_count(object);
    auto_free const char **names = NULL;
    size_t used = 0;

    if (count < 2)
        return;
    names = xcalloc(count, sizeof *names);
    json_each (member, object)
        names[used++] = json_name(member);
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count; i++) {
        auto_text struct text path = { 0 };

        /* A third one is no news. */
        if (strcmp(names[i], names[i - 1]) != 0
            || (i > 1 && strcmp(names[i], names[i - 2]) == 0))
            continue;
        add_path(&path, place);
        text_printf(&path, "%s%s", path.len ? "." : "", names[i]);
        problems_add(problems, path.bytes, NULL, "appears more than once");
    }
}

/* As deep as JSON_DEPTH_MAX. */
static void check_duplicates(const struct cJSON *value, const struct place *above,
                             struct problems *problems)
{
    const struct place place = { above, value };

    if (json_kind(value) == JSON_OBJECT)
        check_names(value, &place, problems);
    json_each (item, value)
        check_duplicates(item, &place, problems);
}

void json_check_duplicates(const struct cJSON *value, struct problems *problems)
{
    check_duplicates(value, NULL, problems);
}

/* --- building --- */

struct cJSON *json_object_new(void)
{
    return or_abort(cJSON_CreateObject());
}

struct cJSON *json_array_new(void)
{
    return or_abort(cJSON_CreateArray());
}

/* What is no UTF-8 (a file's name, a program's output) becomes U+FFFD, byte by byte:
 * all that we print is JSON. */
static char *repair_utf8(const char *text)
{
    const char *end = text + strlen(text);
    struct text whole = { 0 };

    while (text < end) {
        size_t good = text_utf8_prefix(text, (size_t)(end - text));

        text_add(&whole, text, good);
        text += good;
        if (text < end) {
            text_puts(&whole, "\xef\xbf\xbd");
            text++;
        }
    }
    return text_steal(&whole);
}

struct cJSON *json_text_new(const char *text)
{
    auto_free char *repaired = NULL;

    if (!text)
        return json_null_new();
    if (text_is_utf8(text, strlen(text)))
        return or_abort(cJSON_CreateString(text));
    repaired = repair_utf8(text);
    return or_abort(cJSON_CreateString(repaired));
}

struct cJSON *json_int_new(int64_t number)
{
    char digits[24];

    snprintf(digits, sizeof digits, "%" PRId64, number);
    return or_abort(cJSON_CreateRaw(digits));
}

struct cJSON *json_number_new(const char *number)
{
    assert(json_is_number_text(number));
    return or_abort(cJSON_CreateRaw(number));
}

struct cJSON *json_bool_new(bool value)
{
    return or_abort(cJSON_CreateBool(value));
}

struct cJSON *json_null_new(void)
{
    return or_abort(cJSON_CreateNull());
}

void json_set(struct cJSON *object, const char *name, struct cJSON *item)
{
    if (!cJSON_AddItemToObject(object, name, item))
        abort();
}

void json_replace(struct cJSON *object, const char *name, struct cJSON *item)
{
    if (!cJSON_ReplaceItemInObjectCaseSensitive(object, name, item))
        abort();
}

void json_set_text(struct cJSON *object, const char *name, const char *text)
{
    json_set(object, name, json_text_new(text));
}

void json_set_int(struct cJSON *object, const char *name, int64_t number)
{
    json_set(object, name, json_int_new(number));
}

void json_set_double(struct cJSON *object, const char *name, double number)
{
    char digits[32];

    if (!isfinite(number)) {
        json_set_null(object, name);
        return;
    }
    /* 17 significant digits name every double; most need fewer. */
    for (int precision = 15; precision <= 17; precision++) {
        double back;

        snprintf(digits, sizeof digits, "%.*g", precision, number);
        back = strtod(digits, NULL);
        if (!isless(back, number) && !isgreater(back, number))
            break;
    }
    json_set_number(object, name, digits);
}

void json_set_number(struct cJSON *object, const char *name, const char *number)
{
    json_set(object, name, json_number_new(number));
}

void json_set_bool(struct cJSON *object, const char *name, bool value)
{
    json_set(object, name, json_bool_new(value));
}

void json_set_null(struct cJSON *object, const char *name)
{
    json_set(object, name, json_null_new());
}

void json_append(struct cJSON *array, struct cJSON *item)
{
    if (!cJSON_AddItemToArray(array, item))
        abort();
}

void json_append_text(struct cJSON *array, const char *text)
{
    json_append(array, json_text_new(text));
}

bool json_is_number_text(const char *number)
{
    const char *end = number + strlen(number);

    return json_number_end(number, end) == end;
}
