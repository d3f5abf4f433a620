/* The report of usage: finds the writer of the form that is asked for. */

#include "daemon/billing/usage.h"

#include <string.h>

static const struct {
    const char *name;
    usage_writer_t *write;
} formats[] = {
    { "json", usage_write_json },
    { "csv", usage_write_csv },
    { "intervals", usage_write_intervals },
    { "focus", usage_write_focus },
    { "cur", usage_write_cur },
    { "html", usage_write_html },
};

static usage_writer_t *find_writer(const char *format)
{
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
        if (strcmp(formats[i].name, format) == 0)
            return formats[i].write;
    return NULL;
}

static int write_report(struct usage *usage, const char *format, FILE *out,
                        struct err *err)
{
    usage_writer_t *writer = find_writer(format ? format : "json");

    if (!writer)
        return err_set(err, ERR_INVALID, "there is no form \"%s\" of the report",
                       format);
    if (usage_book_open(usage, err) < 0)
        return -1;
    return writer(usage, out, err);
}

int bill_usage(const struct bill_request *request, FILE *out, struct problems *problems,
               struct err *err)
{
    struct usage_ask ask = { 0 };
    struct usage usage = { .ask = &ask,
                           .request = request->json,
                           .store = request->store,
                           .state = request->state };
    int result = usage_ask_read(request, &ask, problems, err);

    if (result == 0)
        result = write_report(&usage, json_get_text(request->json, "format"), out, err);
    usage_book_clear(&usage.book);
    usage_ask_clear(&ask);
    return result;
}
