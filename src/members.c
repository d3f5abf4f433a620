/*
 * Strict reading by tables.  Decides how a mistake is told: path, value, remedy.  What
 * a member means is decided by the reader in its row.
 */

#include "src/members.h"

#include "src/clock.h"
#include "src/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a message quotes of a name or a value, in bytes. */
enum {
    QUOTED_MAX = 48
};

/* Where to cut, never within a character. */
static size_t quoted_len(const char *text)
{
    size_t len = strnlen(text, QUOTED_MAX + 1);

    if (len > QUOTED_MAX)
        for (len = QUOTED_MAX; len > 0 && ((unsigned char)text[len] & 0xC0U) == 0x80U;)
            len--;
    return len;
}

/* A message and a path are one line each. */
static void blank_controls(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            *text = '?';
}

static void path_add(struct text *path, const struct member_place *place)
{
    size_t len;

    if (!place->above)
        return;
    path_add(path, place->above);
    if (!place->name) {
        text_printf(path, "[%zu]", place->index);
        return;
    }
    len = quoted_len(place->name);
    text_puts(path, path->len ? "." : "");
    text_add(path, place->name, len);
    text_puts(path, len == 0 ? "''" : place->name[len] ? "..." : "");
}

/* What is not kept need not be worked out: bounds the time of a hostile input. */
static bool is_full(const struct member_place *place)
{
    return place->problems->count >= PROBLEMS_MAX;
}

void member_problem(const struct member_place *place, const char *hint,
                    const char *format, ...)
{
    auto_text struct text path = { 0 };
    auto_free char *message = NULL;
    va_list args;

    if (is_full(place))
        return;
    path_add(&path, place);
    if (path.len)
        blank_controls(path.bytes);
    va_start(args, format);
    message = xvasprintf(format, args);
    va_end(args);
    problems_add(place->problems, path.len ? path.bytes : "", hint, "%s", message);
}

struct member_place member_below(const struct member_place *above, const char *name)
{
    return (struct member_place){ above, name, 0, above->problems };
}

struct member_place member_element(const struct member_place *above, size_t index)
{
    return (struct member_place){ above, NULL, index, above->problems };
}

static void shown_text(const char *text, char out[MEMBER_SHOWN_SIZE])
{
    size_t len = quoted_len(text);

    snprintf(out, MEMBER_SHOWN_SIZE, "'%.*s%s'", (int)len, text,
             text[len] ? "..." : "");
    blank_controls(out);
}

const char *member_shown(const struct cJSON *value, char out[MEMBER_SHOWN_SIZE])
{
    enum json_kind kind = json_kind(value);

    switch (kind) {
    case JSON_TEXT:
        shown_text(json_text(value), out);
        break;
    case JSON_NUMBER:
        snprintf(out, MEMBER_SHOWN_SIZE, "%.60s", json_number(value));
        break;
    case JSON_BOOL:
        snprintf(out, MEMBER_SHOWN_SIZE, "%s", json_is_true(value) ? "true" : "false");
        break;
    case JSON_NULL:
    case JSON_ARRAY:
    case JSON_OBJECT:
        snprintf(out, MEMBER_SHOWN_SIZE, "%s", json_kind_name(kind));
        break;
    }
    return out;
}

/* Every problem of a value reads "expected WHAT, got VALUE". */
static bool expected(const struct cJSON *value, const struct member_place *place,
                     const char *hint, const char *what)
{
    char shown[MEMBER_SHOWN_SIZE];

    member_problem(place, hint, "expected %s, got %s", what,
                   member_shown(value, shown));
    return false;
}

static const struct member *row_of(const char *name, const struct member *table,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* Gives the row that was meant, if one is near enough. */
static const struct member *unknown_member(const struct member_place *place,
                                           const struct member *table, size_t count)
{
    const char *names[MEMBERS_MAX + 1];
    auto_free char *hint = NULL;
    char shown[MEMBER_SHOWN_SIZE];
    const char *nearest = NULL;
    size_t used = 0;

    if (is_full(place))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (table[i].read)
            names[used++] = table[i].name;
    names[used] = NULL;
    if (!place->name[quoted_len(place->name)])
        nearest = text_nearest(place->name, names);
    if (nearest)
        hint = xasprintf("did you mean %s?", nearest);
    shown_text(place->name, shown);
    member_problem(place, hint, "unknown member %s", shown);
    return nearest ? row_of(nearest, table, count) : NULL;
}

static void member_read(void *into, const struct cJSON *value,
                        const struct member_place *place, const struct member *row)
{
    if (!row->read)
        member_problem(place, row->hint, "'%s' is not supported by this version",
                       row->name);
    else if (json_kind(value) == JSON_NULL)
        member_problem(place, "give a value or leave the member out", "has no value");
    else
        row->read(into, value, place);
}

static uint64_t bit_of(const struct member *row, const struct member *table)
{
    return row ? UINT64_C(1) << (size_t)(row - table) : 0;
}

void members_read(void *into, const struct cJSON *object,
                  const struct member_place *place, const struct member *table,
                  size_t count)
{
    uint64_t seen = 0;  /* one bit a row: MEMBERS_MAX */
    uint64_t meant = 0; /* misspelled, which is problem enough */

    if (json_kind(object) != JSON_OBJECT) {
        expected(object, place, NULL, "an object");
        return;
    }
    json_each (value, object) {
        struct member_place at = member_below(place, json_name(value));
        const struct member *row = row_of(at.name, table, count);

        if (!row)
            meant |= bit_of(unknown_member(&at, table, count), table);
        else if (!(seen & bit_of(row, table)))
            member_read(into, value, &at, row);
        seen |= bit_of(row, table);
    }
    for (size_t i = 0; i < count; i++) {
        struct member_place at = member_below(place, table[i].name);

        if (table[i].required && !((seen | meant) & bit_of(&table[i], table)))
            member_problem(&at, table[i].hint, "is missing");
    }
}

bool member_not_text(const struct cJSON *value, const struct member_place *place)
{
    enum json_kind kind = json_kind(value);
    bool scalar = kind == JSON_NUMBER || kind == JSON_BOOL;

    return expected(value, place, scalar ? "quote it" : NULL, "text");
}

bool member_text(const struct cJSON *value, const struct member_place *place,
                 size_t bytes_max, const char **out)
{
    const char *text = json_text(value);
    size_t len;

    if (!text)
        return member_not_text(value, place);
    len = strlen(text);
    if (len == 0) {
        member_problem(place, NULL, "is empty");
        return false;
    }
    if (len > bytes_max) {
        member_problem(place, NULL, "is %zu bytes long, at most %zu are allowed", len,
                       bytes_max);
        return false;
    }
    *out = text;
    return true;
}

bool member_int(const struct cJSON *value, const struct member_place *place,
                int64_t min, int64_t max, int64_t *out)
{
    int64_t number;

    if (!json_to_int(value, &number) || number < min || number > max) {
        char what[96];
        const char *text = json_text(value);
        bool quoted = text && json_is_number_text(text);

        snprintf(what, sizeof what, "a whole number from %" PRId64 " to %" PRId64, min,
                 max);
        return expected(value, place, quoted ? "leave the quotes out" : NULL, what);
    }
    *out = number;
    return true;
}

bool member_bool(const struct cJSON *value, const struct member_place *place, bool *out)
{
    if (json_kind(value) != JSON_BOOL)
        return expected(value, place, "write true or false", "true or false");
    *out = json_is_true(value);
    return true;
}

bool member_duration(const struct cJSON *value, const struct member_place *place,
                     int64_t min_s, int64_t max_s, int64_t *out)
{
    const char *text = json_text(value);
    bool read;
    int64_t seconds;

    read =
        text ? duration_parse(text, &seconds, NULL) == 0 : json_to_int(value, &seconds);
    if (!read || seconds < min_s || seconds > max_s) {
        char what[96];

        snprintf(what, sizeof what, "a time from %" PRId64 " to %" PRId64 " seconds",
                 min_s, max_s);
        return expected(
            value, place,
            "write whole seconds, or text like \"90s\", \"15m\", \"24h\", \"2d\"",
            what);
    }
    *out = seconds;
    return true;
}

bool member_choice(const struct cJSON *value, const struct member_place *place,
                   const char *const *choices, size_t *out)
{
    const char *text = json_text(value);
    auto_text struct text what = { 0 };
    auto_free char *hint = NULL;
    const char *nearest;

    for (size_t i = 0; text && choices[i]; i++)
        if (strcmp(choices[i], text) == 0) {
            *out = i;
            return true;
        }
    text_puts(&what, choices[1] ? "one of " : "");
    for (size_t i = 0; choices[i]; i++)
        text_printf(&what, "%s%s", i ? ", " : "", choices[i]);
    nearest = text ? text_nearest(text, choices) : NULL;
    if (nearest)
        hint = xasprintf("did you mean %s?", nearest);
    return expected(value, place, hint, what.bytes);
}

bool member_decimal(const struct cJSON *value, const struct member_place *place,
                    const char **out)
{
    const char *number = json_number(value);

    if (!number)
        number = json_text(value);
    if (!number || !json_is_number_text(number) || strlen(number) > 64)
        return expected(value, place, NULL, "a number");
    *out = number;
    return true;
}

bool member_usd(const struct cJSON *value, const struct member_place *place,
                nanousd_t *out)
{
    static const char hint[] = "write US dollars, the only currency, like 40 or 12.50";
    const char *number = json_number(value);
    nanousd_t amount;

    if (!number)
        number = json_text(value);
    if (!number || money_parse(number, &amount, NULL) < 0 || amount == 0)
        return expected(
            value, place, hint,
            "an amount above 0 and up to 9223372036 with at most nine decimals");
    *out = amount;
    return true;
}

bool member_hourly(const struct cJSON *value, const struct member_place *place,
                   nanousd_t *out)
{
    nanousd_t hourly;

    if (!member_usd(value, place, &hourly))
        return false;
    if (hourly > MONEY_HOURLY_MAX) {
        member_problem(place, "write dollars an instance-hour",
                       "is above 100000 USD an hour, the most that a price may be");
        return false;
    }
    *out = hourly;
    return true;
}

bool member_currency(const struct cJSON *value, const struct member_place *place)
{
    const char *text;

    if (!member_text(value, place, 64, &text))
        return false;
    if (strcmp(text, "USD") != 0)
        member_problem(place, "convert it and write USD",
                       "'%s' is not USD, the only currency of the ledger", text);
    return strcmp(text, "USD") == 0;
}

static bool container(const struct cJSON *value, const struct member_place *place,
                      enum json_kind kind, size_t max)
{
    size_t count;

    if (json_kind(value) != kind)
        return expected(value, place, NULL, json_kind_name(kind));
    count = json_count(value);
    if (count > max) {
        member_problem(place, NULL, "has %zu entries, at most %zu are allowed", count,
                       max);
        return false;
    }
    return true;
}

bool member_object(const struct cJSON *value, const struct member_place *place,
                   size_t max)
{
    return container(value, place, JSON_OBJECT, max);
}

bool member_array(const struct cJSON *value, const struct member_place *place,
                  size_t max)
{
    return container(value, place, JSON_ARRAY, max);
}

int members_fail(const struct problems *problems, struct err *err)
{
    auto_text struct text all = { 0 };
    /* Room for the longest ending, and for what callers put before it by err_wrap. */
    const size_t room = sizeof err->text - 320;

    for (size_t i = 0; i < problems->count; i++) {
        const struct problem *one = &problems->items[i];
        auto_text struct text line = { 0 };

        text_printf(&line, "%s%s%s%s", i ? "; " : "", one->path, *one->path ? ": " : "",
                    one->message);
        if (one->hint)
            text_printf(&line, " (%s)", one->hint);
        if (i > 0 && all.len + line.len > room) {
            text_printf(&all, "; and %zu more", problems->count - i);
            break;
        }
        text_add(&all, line.bytes, line.len);
    }
    return err_set(err, ERR_INVALID, "%s", all.len ? all.bytes : "invalid");
}
