#ifndef SRC_MEMBERS_H
#define SRC_MEMBERS_H

#include "src/base.h"
#include "src/err.h"
#include "src/json.h"
#include "src/money.h"
#include "src/problems.h"

/*
 * Strict reading of an object by a table of its members: what is unknown, of the wrong
 * type or out of range becomes a problem with path, value and remedy, and reading goes
 * on, so that all is found at once.
 *
 * A place is a chain on the stack; its path is written out only when there is something
 * to say.
 */

struct member_place {
    const struct member_place *above; /* NULL: the whole input */
    const char *name; /* of a member; NULL: element `index` of an array */
    size_t index;
    struct problems *problems;
};

/* Reads one value into what the caller fills. */
typedef void member_reader_t(void *into, const struct cJSON *value,
                             const struct member_place *place);

struct member {
    const char *name;
    member_reader_t *read; /* NULL: known but not supported, see `hint` */
    bool required;
    const char *hint; /* remedy when it is required and absent, or not supported */
};

/* A table is at most this long. */
enum {
    MEMBERS_MAX = 64
};

/** Reads `object` by a table of `count` rows.  A member that appears twice is read once
 * (json_check_duplicates reports it); null is refused. */
void members_read(void *into, const struct cJSON *object,
                  const struct member_place *place, const struct member *table,
                  size_t count);

/** The place of a member, or of an element of an array, below `above`. */
struct member_place member_below(const struct member_place *above, const char *name);
struct member_place member_element(const struct member_place *above, size_t index);

/** Adds a problem at a place. `hint` may be NULL. */
void member_problem(const struct member_place *place, const char *hint,
                    const char *format, ...) PRINTF_LIKE(3, 4);

/* Room for a value in a message. */
enum {
    MEMBER_SHOWN_SIZE = 80
};

/** The value for a message: short, on one line.  Returns `out`. */
const char *member_shown(const struct cJSON *value, char out[MEMBER_SHOWN_SIZE]);

/* Each of these gives true and sets *out, or adds a problem and gives false.  Texts are
 * borrowed from the value. */
bool member_text(const struct cJSON *value, const struct member_place *place,
                 size_t bytes_max, const char **out); /* 1 .. bytes_max bytes */
/** For what is text and may be empty: says that `value` is none.  Gives false. */
bool member_not_text(const struct cJSON *value, const struct member_place *place);
bool member_int(const struct cJSON *value, const struct member_place *place,
                int64_t min, int64_t max, int64_t *out);
bool member_bool(const struct cJSON *value, const struct member_place *place,
                 bool *out);
/** Whole seconds: 90, or "90s", "15m", "24h", "2d". */
bool member_duration(const struct cJSON *value, const struct member_place *place,
                     int64_t min_s, int64_t max_s, int64_t *out);
/** One of `choices`, which ends in NULL; *out is its index. */
bool member_choice(const struct cJSON *value, const struct member_place *place,
                   const char *const *choices, size_t *out);
/** A decimal as a number, or as text that is a JSON number; *out is the text. */
bool member_decimal(const struct cJSON *value, const struct member_place *place,
                    const char **out);
/** An amount of dollars above 0, as member_decimal, with at most nine decimals. */
bool member_usd(const struct cJSON *value, const struct member_place *place,
                nanousd_t *out);
/** The price of an instance-hour: as member_usd, at most MONEY_HOURLY_MAX. */
bool member_hourly(const struct cJSON *value, const struct member_place *place,
                   nanousd_t *out);
/** "USD", the currency of every amount. */
bool member_currency(const struct cJSON *value, const struct member_place *place);
/** An object (array) of at most `max` members. */
bool member_object(const struct cJSON *value, const struct member_place *place,
                   size_t max);
bool member_array(const struct cJSON *value, const struct member_place *place,
                  size_t max);

/** ERR_INVALID with every problem in its text, as far as they fit ("and 3 more").
 * Returns -1. */
int members_fail(const struct problems *problems, struct err *err);

#endif
