#ifndef SRC_JSON_H
#define SRC_JSON_H

#include "src/base.h"
#include "src/err.h"
#include "src/problems.h"
#include "src/text.h"

/*
 * The door to cJSON.  Outside json.c a value is `const struct cJSON *`.
 *
 * Numbers keep their text: 64-bit integers stay whole and 0.1 stays 0.1, whatever a
 * double would make of them (cJSON's own numbers are doubles; ours are its raw items).
 */

struct cJSON;

enum json_kind {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
};

/* Deeper nesting is refused. */
enum {
    JSON_DEPTH_MAX = 64
};

#define auto_json __attribute__((cleanup(json_cleanup)))

/**
 * Reads one JSON text (RFC 8259, strict: UTF-8, no NUL in text, no trailing bytes).
 *
 * ERR_INVALID names line and column.  Members that appear twice are kept: see
 * json_check_duplicates.  The caller frees with json_free.
 */
MUST_CHECK int json_parse(const char *bytes, size_t len, struct cJSON **out,
                          struct err *err);

void json_free(struct cJSON *value);
void json_cleanup(struct cJSON **value);
struct cJSON *json_copy(const struct cJSON *value);

/** Compact, or indented by two blanks and ending in a line feed.  The caller frees. */
char *json_print(const struct cJSON *value);
char *json_print_pretty(const struct cJSON *value);
/** Adds it to `out`, compact, the members of every object in the order of their names
 * (by bytes), so that equal values print alike. */
void json_add_sorted(struct text *out, const struct cJSON *value);
/** Puts the members of every object in that order. */
void json_sort(struct cJSON *value);

/* --- reading --- */

enum json_kind json_kind(const struct cJSON *value);
/** "text", "a number", ... for messages. */
const char *json_kind_name(enum json_kind kind);
const char *json_name(const struct cJSON *member); /* of a member of an object */
const char *json_text(const struct cJSON *value);  /* NULL unless text */
/** As it was written; NULL unless a number. */
const char *json_number(const struct cJSON *value);
bool json_is_true(const struct cJSON *value);
/** Whole numbers without fraction or exponent that fit; false otherwise. */
bool json_to_int(const struct cJSON *value, int64_t *out);
bool json_to_double(const struct cJSON *value, double *out); /* finite */
size_t json_count(const struct cJSON *container);
/** Or NULL; a NULL object is well. */
const struct cJSON *json_get(const struct cJSON *object, const char *name);
/* Conveniences on files and rows that we wrote ourselves: a default stands in for what
 * is absent or of another kind. */
int64_t json_get_int(const struct cJSON *object, const char *name, int64_t absent);
const char *json_get_text(const struct cJSON *object, const char *name); /* or NULL */
bool json_get_bool(const struct cJSON *object, const char *name); /* absent: false */

const struct cJSON *json_first(const struct cJSON *container);
const struct cJSON *json_next(const struct cJSON *item);
/* NOLINTBEGIN(bugprone-macro-parentheses): `item` is declared. */
#define json_each(item, container) \
    for (const struct cJSON *item = json_first(container); item; item = json_next(item))
/* NOLINTEND(bugprone-macro-parentheses) */

/** Adds a problem for every member that appears twice, anywhere, with its path. */
void json_check_duplicates(const struct cJSON *value, struct problems *problems);

/* --- building; every function that takes an item takes it over --- */

struct cJSON *json_object_new(void);
struct cJSON *json_array_new(void);
/** NULL makes null; what is no UTF-8 becomes U+FFFD. */
struct cJSON *json_text_new(const char *text);
struct cJSON *json_int_new(int64_t number);
struct cJSON *json_number_new(const char *number); /* text that is a JSON number */
struct cJSON *json_bool_new(bool value);
struct cJSON *json_null_new(void);
void json_set(struct cJSON *object, const char *name, struct cJSON *item);
/** In the place of the member of that name, which there is. */
void json_replace(struct cJSON *object, const char *name, struct cJSON *item);
/** As json_text_new. */
void json_set_text(struct cJSON *object, const char *name, const char *text);
void json_set_int(struct cJSON *object, const char *name, int64_t number);
/** In the fewest digits that name it; null when it is not finite. */
void json_set_double(struct cJSON *object, const char *name, double number);
void json_set_number(struct cJSON *object, const char *name, const char *number);
void json_set_bool(struct cJSON *object, const char *name, bool value);
void json_set_null(struct cJSON *object, const char *name);
void json_append(struct cJSON *array, struct cJSON *item);
void json_append_text(struct cJSON *array, const char *text);

/** Whether `number` is a number as JSON writes it. */
bool json_is_number_text(const char *number);

#endif
