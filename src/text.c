/*
 * Growing text, UTF-8, the nearest word, and lists of words.
 *
 * Sizes are the caller's to bound: memory that runs out aborts.
 */

#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer words are no slip of the keyboard; the bound also keeps a row on the stack. */
enum {
    NEAREST_LENGTH_MAX = 63
};

static void text_reserve(struct text *text, size_t more)
{
    size_t need = text->len + more + 1;
    size_t room = text->room ? text->room : 64;

    if (need <= text->room)
        return;
    while (room < need)
        room *= 2;
    text->bytes = xrealloc(text->bytes, room);
    text->room = room;
}

void text_add(struct text *text, const void *bytes, size_t len)
{
    text_reserve(text, len);
    if (len)
        memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
    text->bytes[text->len] = '\0';
}

void text_puts(struct text *text, const char *words)
{
    text_add(text, words, strlen(words));
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list args;
    auto_free char *words = NULL;

    va_start(args, format);
    words = xvasprintf(format, args);
    va_end(args);
    text_puts(text, words);
}

void text_drop(struct text *text, size_t len)
{
    if (len > text->len)
        len = text->len;
    if (!len)
        return;
    /* The NUL behind moves along. */
    memmove(text->bytes, text->bytes + len, text->len - len + 1);
    text->len -= len;
}

void text_clear(struct text *text)
{
    free(text->bytes);
    *text = (struct text){ 0 };
}

char *text_steal(struct text *text)
{
    char *bytes = text->bytes ? text->bytes : xstrdup("");

    *text = (struct text){ 0 };
    return bytes;
}

const char *text_bytes_unit(double bytes, double *size)
{
    static const char *const names[] = { "B", "KiB", "MiB", "GiB", "TiB" };
    size_t i = 0;

    for (*size = 1; i + 1 < ARRAY_SIZE(names) && bytes >= *size * 1024; i++)
        *size *= 1024;
    return names[i];
}

/* Levenshtein's distance, row by row; words have at most NEAREST_LENGTH_MAX bytes. */
static size_t edit_distance(const char *from, const char *to)
{
    size_t row[NEAREST_LENGTH_MAX + 1];
    size_t columns = strlen(to);

    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; from[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            size_t best = diagonal + (from[i - 1] != to[j - 1]);

            diagonal = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[columns];
}

const char *text_nearest(const char *word, const char *const *choices)
{
    size_t len = strlen(word);
    size_t best = 1 + len / 3;
    const char *nearest = NULL;

    if (len > NEAREST_LENGTH_MAX)
        return NULL;
    for (; *choices; choices++) {
        size_t distance;

        if (strlen(*choices) > NEAREST_LENGTH_MAX)
            continue;
        distance = edit_distance(word, *choices);
        /* Of equals the first wins; the last allowed distance counts once. */
        if (distance < best || (distance == best && !nearest)) {
            best = distance;
            nearest = *choices;
        }
    }
    return nearest;
}

/*
 * The well-formed sequences of Unicode 15, table 3-7: what the first byte says about
 * the number of bytes and the range of the second (no overlong forms, no surrogates,
 * nothing above 10FFFF).
 */
/* clang-format off */
static const struct {
    unsigned char first_low, first_high;
    unsigned char second_low, second_high;
    unsigned char length;
} sequences[] = {
    { 0xc2, 0xdf, 0x80, 0xbf, 2 },
    { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
    { 0xe1, 0xec, 0x80, 0xbf, 3 },
    { 0xed, 0xed, 0x80, 0x9f, 3 },
    { 0xee, 0xef, 0x80, 0xbf, 3 },
    { 0xf0, 0xf0, 0x90, 0xbf, 4 },
    { 0xf1, 0xf3, 0x80, 0xbf, 4 },
    { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};
/* clang-format on */

/* Length of the sequence of two bytes or more at the start, or 0 when there is none. */
static size_t sequence_length(const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < ARRAY_SIZE(sequences); i++) {
        size_t length = sequences[i].length;

        if (bytes[0] < sequences[i].first_low || bytes[0] > sequences[i].first_high)
            continue;
        if (length > len || bytes[1] < sequences[i].second_low
            || bytes[1] > sequences[i].second_high)
            return 0;
        for (size_t j = 2; j < length; j++)
            if ((bytes[j] & 0xc0) != 0x80)
                return 0;
        return length;
    }
    return 0;
}

/* Whether eight bytes are ASCII without NUL: a byte of 0 borrows into its top bit. */
static bool eight_are_ascii(const unsigned char *bytes)
{
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return ((word | (word - UINT64_C(0x0101010101010101)))
            & UINT64_C(0x8080808080808080))
           == 0;
}

size_t text_utf8_prefix(const char *bytes, size_t len)
{
    const unsigned char *all = (const unsigned char *)bytes;
    size_t at = 0;

    while (at < len) {
        size_t length;

        if (len - at >= 8 && eight_are_ascii(all + at)) {
            at += 8;
            continue;
        }
        if (all[at] == 0)
            break;
        length = all[at] < 0x80 ? 1 : sequence_length(all + at, len - at);
        if (length == 0)
            break;
        at += length;
    }
    return at;
}

bool text_is_utf8(const char *bytes, size_t len)
{
    return text_utf8_prefix(bytes, len) == len;
}

bool text_is_same(const char *left, const char *right)
{
    return left && right ? strcmp(left, right) == 0 : left == right;
}

bool text_starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

int text_hex_digit(char digit)
{
    if (digit >= '0' && digit <= '9')
        return digit - '0';
    if (digit >= 'a' && digit <= 'f')
        return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F')
        return digit - 'A' + 10;
    return -1;
}

bool text_has_control(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7F)
            return true;
    return false;
}

size_t text_mark(const char *bytes, size_t len)
{
    static const char mark[] = { '\xef', '\xbb', '\xbf' };

    return len >= sizeof mark && memcmp(bytes, mark, sizeof mark) == 0 ? sizeof mark
                                                                       : 0;
}

size_t words_count(char *const *words)
{
    size_t count = 0;

    while (words && words[count])
        count++;
    return count;
}

void words_add(char ***words, char *word)
{
    size_t count = words_count(*words);

    *words = xrealloc(*words, (count + 2) * sizeof **words);
    (*words)[count] = word;
    (*words)[count + 1] = NULL;
}

void words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}
