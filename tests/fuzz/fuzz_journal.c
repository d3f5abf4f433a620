/* A worker's journal as it grows: wherever it is torn, the lines are those that it has,
 * each once and in order; what is no line is passed over and told. */

#include "schedulers/local_journal.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void note(struct text *told, const struct journal_line *line)
{
    auto_json struct cJSON *again = fuzz_again(line->data);

    assert(fuzz_same(line->data, again));
    assert(line->seq >= 1 && line->boot_us >= 0 && line->wall_us >= 0);
    text_printf(told, "%lld %s %lld %lld\n", (long long)line->seq,
                journal_kind_name(line->kind), (long long)line->boot_us,
                (long long)line->wall_us);
}

static void on_line(void *context, const struct journal_line *line)
{
    note(context, line);
}

/* False: a line is none. */
static bool read_whole(const char *bytes, size_t len, struct text *told)
{
    const char *end;
    bool well = true;

    for (; (end = memchr(bytes, '\n', len)); bytes = end + 1) {
        auto_json struct cJSON *json = NULL;
        struct journal_line line;
        struct err err;

        if (journal_line_parse(bytes, (size_t)(end - bytes), &json, &line, &err) == 0) {
            note(told, &line);
        } else {
            assert(fuzz_is_refusal(&err) && !json);
            well = false;
        }
        len -= (size_t)(end + 1 - bytes);
    }
    return well;
}

/* Reads all that there is. */
static bool follow(struct local_journal *journal, struct text *told)
{
    bool well = true;
    bool more = true;

    while (more) {
        struct err err;

        if (local_journal_read(journal, on_line, told, &more, &err) < 0) {
            assert(fuzz_is_refusal(&err));
            well = false;
        }
    }
    return well;
}

/* The first byte says into how many bytes each write is cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct local_journal journal = { .fd = memfd_create("journal", MFD_CLOEXEC) };
    auto_text struct text whole = { 0 };
    auto_text struct text torn = { 0 };
    size_t piece = size > 0 ? 1 + data[0] * (size_t)8 : 1;
    bool well = true;

    if (size > JOURNAL_LINE_MAX)
        size = JOURNAL_LINE_MAX;
    for (size_t at = 1; at < size; at += piece) {
        size_t len = size - at < piece ? size - at : piece;

        assert(write(journal.fd, data + at, len) == (ssize_t)len);
        well = follow(&journal, &torn) && well;
    }
    text_puts(&whole, "");
    text_puts(&torn, "");
    if (size > 1)
        assert(read_whole((const char *)data + 1, size - 1, &whole) == well);
    assert(strcmp(whole.bytes, torn.bytes) == 0);
    local_journal_close(&journal);
    return 0;
}
