#ifndef SRC_TEXT_H
#define SRC_TEXT_H

#include "src/base.h"

/* A growing piece of text, and the few questions that are asked of text everywhere. */

struct text {
    char *bytes; /* always ends in NUL once anything was added; NULL before */
    size_t len;
    size_t room;
};

#define auto_text __attribute__((cleanup(text_clear)))

void text_add(struct text *text, const void *bytes, size_t len);
void text_puts(struct text *text, const char *words);
void text_printf(struct text *text, const char *format, ...) PRINTF_LIKE(2, 3);
/** Drops the first `len` bytes. */
void text_drop(struct text *text, size_t len);
void text_clear(struct text *text);
/** The text, which the caller frees; never NULL.  The struct is empty after. */
char *text_steal(struct text *text);

/** The unit of 1024 that leaves `bytes` the fewest digits, "B" to "TiB"; *size is how
 * many bytes it has.  Pure. */
const char *text_bytes_unit(double bytes, double *size);

/** The member of `choices` (ends in NULL) nearest to `word` by edit distance, or NULL
 * when none is near enough to be what was meant (distance above 1 + a third of the
 * length). */
const char *text_nearest(const char *word, const char *const *choices);

/** Whether these bytes are valid UTF-8 without NUL. */
bool text_is_utf8(const char *bytes, size_t len);

/** How many bytes at the start are; less than `len` is the place of the first wrong
 * byte. */
size_t text_utf8_prefix(const char *bytes, size_t len);

/** Whether both are the same words, or both NULL. */
bool text_is_same(const char *left, const char *right);
bool text_starts_with(const char *text, const char *start);
/** Value of a hexadecimal digit, of either case; -1 for what is none. */
int text_hex_digit(char digit);
/** Whether there is a byte that no terminal, log or label should get. */
bool text_has_control(const char *text);
/** Length of the byte order mark that some editors put before a text; mostly 0. */
size_t text_mark(const char *bytes, size_t len);

/** A list of words that ends in NULL.  The list owns the words. */
size_t words_count(char *const *words);
void words_add(char ***words, char *word); /* takes the word */
void words_free(char **words);

#endif
