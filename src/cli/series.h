#ifndef SRC_CLI_SERIES_H
#define SRC_CLI_SERIES_H

#include "src/base.h"
#include "src/text.h"

/* Values over time, summed up for people: how many, between what, the last one, and the
 * course they took as a small picture.  Takes any number of values in little room. */

struct series_value {
    const char *name;
    int64_t owner;     /* the rank or instance whose value it is */
    const char *words; /* the value in decimal, or NaN, Infinity, -Infinity */
    const char *step;  /* decimal, or NULL */
    const char *at;    /* RFC 3339 */
};

struct series_set;

struct series_set *series_set_new(void);
void series_set_free(struct series_set *set);
void series_set_cleanup(struct series_set **set);
#define auto_series __attribute__((cleanup(series_set_cleanup)))

/** Takes a value in; those of one name and owner come by time. */
void series_take(struct series_set *set, const struct series_value *value);

/** Whether anything was taken. */
bool series_set_is_empty(const struct series_set *set);

/**
 * A table with a line a series, by name and owner.  Names that end in _bytes are told
 * in units of 1024.  In the picture a value that is no finite number is a "!".
 *
 * @owner_title  what an owner is: "RANK"
 */
void series_print(struct series_set *set, const char *owner_title, struct text *out);

#endif
