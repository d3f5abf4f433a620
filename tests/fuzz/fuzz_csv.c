/* CSV: whatever is read is rows of texts; a table that we write is read as it was, no
 * field of it lost.  The input is read as CSV, and as fields with tabs between. */

#include "src/csv.h"
#include "src/csv_read.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS_MAX = 16
};

static void check_member(const struct cJSON *member)
{
    if (json_kind(member) == JSON_OBJECT) {
        assert(json_count(member) > 0);
        json_each (part, member)
            assert(json_text(part) && *json_text(part));
    } else {
        assert(json_text(member) && *json_text(member));
    }
}

static void check_any(const char *bytes, size_t len)
{
    auto_problems struct problems problems = { 0 };
    auto_json struct cJSON *rows = NULL;
    struct err err;

    if (csv_read(bytes, len, &rows, &err) < 0) {
        assert(fuzz_is_refusal(&err) && !rows);
        return;
    }
    json_check_duplicates(rows, &problems);
    assert(problems.count == 0);
    json_each (row, rows)
        json_each (member, row)
            check_member(member);
}

/* --- what we write --- */

struct row {
    char *fields[COLUMNS_MAX];
    size_t count;
};

static struct row split(char *line)
{
    struct row row = { 0 };

    while (line && row.count < COLUMNS_MAX)
        row.fields[row.count++] = strsep(&line, "\t");
    return row;
}

static void add_row(struct text *csv, const struct row *row)
{
    for (size_t i = 0; i < row->count; i++)
        csv_add(csv, row->fields[i]);
    csv_end(csv);
}

static const char *field_of(const struct cJSON *row, const char *name)
{
    const char *dot = strchr(name, '.');
    auto_free char *outer =
        dot && dot != name && dot[1] ? xstrndup(name, (size_t)(dot - name)) : NULL;

    return outer ? json_get_text(json_get(row, outer), dot + 1)
                 : json_get_text(row, name);
}

static void check_table(const struct row *names, const struct row *fields)
{
    auto_text struct text csv = { 0 };
    auto_json struct cJSON *rows = NULL;

    add_row(&csv, names);
    add_row(&csv, fields);
    if (csv_read(csv.bytes, csv.len, &rows, NULL) < 0)
        return; /* a name that is empty, or stands there twice */
    for (size_t i = 0; i < names->count; i++) {
        const char *back = field_of(json_first(rows), names->fields[i]);

        assert(strcmp(back ? back : "", fields->fields[i]) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *text = fuzz_text(data, size);
    char *lines = text;
    struct row names, fields;

    if (size > 0)
        check_any((const char *)data, size);
    /* A byte order mark is not a part of the first name. */
    if (!text_is_utf8(text, strlen(text)) || text_mark(text, strlen(text)) > 0)
        return 0;
    names = split(fuzz_line(&lines));
    fields = split(fuzz_line(&lines));
    if (names.count == fields.count)
        check_table(&names, &fields);
    return 0;
}
