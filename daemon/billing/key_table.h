#ifndef DAEMON_BILLING_KEY_TABLE_H
#define DAEMON_BILLING_KEY_TABLE_H

#include "src/base.h"

/* Numbers keys from 0 in the order in which they come first, and finds them again. */

struct key_table {
    char *bytes; /* the keys, one behind the other */
    size_t len;
    size_t room;
    size_t *starts; /* by number; one more than there are keys */
    uint32_t *hashes;
    size_t count;
    uint32_t *slots;   /* number + 1; 0: free */
    size_t slot_count; /* a power of two, at least twice `count` */
};

/** The number of a key; one that is new gets the number that `count` was. */
size_t key_table_put(struct key_table *table, const void *key, size_t len);

/** A key by its number; valid until the next one is put. */
const void *key_table_key(const struct key_table *table, size_t number);

void key_table_clear(struct key_table *table);

#endif
