/* Reads CSV whose first line names the columns. */

#include "src/csv_read.h"

#include "src/text.h"

#include <string.h>

struct reader {
    const char *next;
    const char *end;
    int line; /* of the next byte */
};

static bool is_end_of_row(const struct reader *reader)
{
    return reader->next == reader->end || *reader->next == '\n'
           || (*reader->next == '\r' && reader->next + 1 < reader->end
               && reader->next[1] == '\n');
}

static int read_quoted(struct reader *reader, struct text *field, struct err *err)
{
    int began = reader->line;

    for (reader->next++; reader->next < reader->end; reader->next++) {
        if (*reader->next == '\n')
            reader->line++;
        if (*reader->next == '"') {
            if (reader->next + 1 == reader->end || reader->next[1] != '"') {
                reader->next++;
                return 0;
            }
            reader->next++;
        }
        text_add(field, reader->next, 1);
    }
    return err_set(err, ERR_INVALID, "line %d: a quote is not closed", began);
}

/* One field, up to the comma or the end of its row. */
static int read_field(struct reader *reader, struct text *field, struct err *err)
{
    text_clear(field);
    text_puts(field, "");
    if (reader->next < reader->end && *reader->next == '"') {
        if (read_quoted(reader, field, err) < 0)
            return -1;
        if (!is_end_of_row(reader) && *reader->next != ',')
            return err_set(err, ERR_INVALID,
                           "line %d: a quoted field goes on behind its quote",
                           reader->line);
        return 0;
    }
    for (; !is_end_of_row(reader) && *reader->next != ','; reader->next++)
        text_add(field, reader->next, 1);
    return 0;
}

/* False at the end of a row, which is passed over. */
static bool pass_comma(struct reader *reader)
{
    if (reader->next < reader->end && *reader->next == ',') {
        reader->next++;
        return true;
    }
    if (reader->next < reader->end && *reader->next == '\r')
        reader->next++;
    if (reader->next < reader->end)
        reader->next++;
    reader->line++;
    return false;
}

static int read_row(struct reader *reader, char ***fields, struct err *err)
{
    auto_text struct text field = { 0 };

    do {
        if (read_field(reader, &field, err) < 0)
            return -1;
        words_add(fields, xstrdup(field.bytes));
    } while (pass_comma(reader));
    return 0;
}

/* Length of the "a" of "a.b"; 0: the name is a whole one. */
static size_t outer_len(const char *name)
{
    const char *dot = strchr(name, '.');

    return dot && dot[1] ? (size_t)(dot - name) : 0;
}

/* Whether `inner` is a member of the object `name`: "a.b" of "a". */
static bool is_within(const char *inner, const char *name)
{
    size_t len = outer_len(inner);

    return len > 0 && strlen(name) == len && strncmp(inner, name, len) == 0;
}

/* A member cannot be text and an object. */
static int check_pair(const char *name, const char *before, struct err *err)
{
    if (strcmp(name, before) == 0)
        return err_set(err, ERR_INVALID, "line 1: the column '%s' stands there twice",
                       name);
    if (is_within(name, before) || is_within(before, name))
        return err_set(err, ERR_INVALID,
                       "line 1: the columns '%s' and '%s' exclude each other", before,
                       name);
    return 0;
}

static int check_names(char *const *names, struct err *err)
{
    for (size_t i = 0; names[i]; i++) {
        if (!*names[i])
            return err_set(err, ERR_INVALID, "line 1: column %zu has no name", i + 1);
        for (size_t j = 0; j < i; j++)
            if (check_pair(names[i], names[j], err) < 0)
                return -1;
    }
    return 0;
}

/* All members of an object "a" from the first of its columns on; NULL when every field
 * of it is empty. */
static struct cJSON *object_of(char *const *names, char *const *fields)
{
    size_t len = outer_len(*names);
    struct cJSON *object = NULL;
    const char *outer = *names;

    for (; *names; names++, fields++) {
        if (outer_len(*names) != len || strncmp(*names, outer, len) != 0 || !**fields)
            continue;
        if (!object)
            object = json_object_new();
        json_set_text(object, *names + len + 1, *fields);
    }
    return object;
}

static struct cJSON *row_of(char *const *names, char *const *fields)
{
    struct cJSON *row = json_object_new();

    for (size_t i = 0; names[i]; i++) {
        size_t len = outer_len(names[i]);
        auto_free char *outer = xstrndup(names[i], len);
        struct cJSON *object;

        if (!len && *fields[i])
            json_set_text(row, names[i], fields[i]);
        if (!len || json_get(row, outer))
            continue;
        object = object_of(&names[i], &fields[i]);
        if (object)
            json_set(row, outer, object);
    }
    return row;
}

static int read_rows(struct reader *reader, char *const *names, struct cJSON *rows,
                     struct err *err)
{
    while (reader->next < reader->end) {
        char **fields = NULL;
        int line = reader->line;
        int result = read_row(reader, &fields, err);
        size_t count = words_count(fields);
        bool is_empty = count == 1 && !*fields[0];

        if (result == 0 && !is_empty && count != words_count(names))
            result = err_set(err, ERR_INVALID,
                             "line %d: %zu fields, and %zu columns are named", line,
                             count, words_count(names));
        else if (result == 0 && !is_empty)
            json_append(rows, row_of(names, fields));
        words_free(fields);
        if (result < 0)
            return -1;
    }
    return 0;
}

int csv_read(const char *bytes, size_t len, struct cJSON **rows, struct err *err)
{
    size_t mark = text_mark(bytes, len);
    struct reader reader = { .next = bytes + mark, .end = bytes + len, .line = 1 };
    auto_json struct cJSON *found = json_array_new();
    char **names = NULL;
    int result;

    if (!text_is_utf8(bytes, len))
        return err_set(err, ERR_INVALID, "it is not UTF-8 text");
    result = read_row(&reader, &names, err);
    if (result == 0)
        result = check_names(names, err);
    if (result == 0)
        result = read_rows(&reader, names, found, err);
    words_free(names);
    if (result == 0)
        *rows = steal_ptr(&found);
    return result;
}
