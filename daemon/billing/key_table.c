/* A hash table of byte strings: open addressing, linear probing, nothing is ever taken
 * out. */

#include "daemon/billing/key_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a by eight bytes at a time, its high bits folded in: keys are mostly a few whole
 * numbers. */
static uint32_t hash_of(const void *key, size_t len)
{
    const char *at = key;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    while (len > 0) {
        size_t step = len < sizeof(uint64_t) ? len : sizeof(uint64_t);
        uint64_t word = 0;

        memcpy(&word, at, step);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32;
        at += step;
        len -= step;
    }
    return (uint32_t)(hash ^ hash >> 15);
}

static void place(struct key_table *table, size_t number)
{
    size_t mask = table->slot_count - 1;
    size_t slot = table->hashes[number] & mask;

    while (table->slots[slot])
        slot = (slot + 1) & mask;
    table->slots[slot] = (uint32_t)number + 1;
}

static void grow(struct key_table *table)
{
    size_t wanted = table->slot_count ? 2 * table->slot_count : 64;

    assert(wanted <= UINT32_MAX);
    free(table->slots);
    table->slots = xcalloc(wanted, sizeof *table->slots);
    table->slot_count = wanted;
    table->starts = xrealloc(table->starts, (wanted / 2 + 1) * sizeof *table->starts);
    table->hashes = xrealloc(table->hashes, wanted / 2 * sizeof *table->hashes);
    table->starts[0] = 0;
    for (size_t i = 0; i < table->count; i++)
        place(table, i);
}

static size_t add(struct key_table *table, const void *key, size_t len, uint32_t hash)
{
    size_t number = table->count;

    if (table->len + len > table->room || !table->bytes) {
        table->room = 2 * (table->len + len) + 1; /* also for a first key of no bytes */
        table->bytes = xrealloc(table->bytes, table->room);
    }
    memcpy(table->bytes + table->len, key, len);
    table->len += len;
    table->hashes[number] = hash;
    table->starts[++table->count] = table->len;
    place(table, number);
    return number;
}

size_t key_table_put(struct key_table *table, const void *key, size_t len)
{
    uint32_t hash = hash_of(key, len);
    size_t slot;

    if (2 * (table->count + 1) > table->slot_count)
        grow(table);
    slot = hash & (table->slot_count - 1);
    for (uint32_t held; (held = table->slots[slot]);
         slot = (slot + 1) & (table->slot_count - 1)) {
        size_t start = table->starts[held - 1];

        if (table->hashes[held - 1] == hash && table->starts[held] - start == len
            && memcmp(table->bytes + start, key, len) == 0)
            return held - 1;
    }
    return add(table, key, len, hash);
}

const void *key_table_key(const struct key_table *table, size_t number)
{
    assert(number < table->count);
    return table->bytes + table->starts[number];
}

void key_table_clear(struct key_table *table)
{
    free(table->bytes);
    free(table->starts);
    free(table->hashes);
    free(table->slots);
    *table = (struct key_table){ 0 };
}
