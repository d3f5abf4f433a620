/* Signatures of blocks of jobs.  Decides which jobs need not be looked at for a part of
 * a name or a type; whether a job has them is decided by its row. */

#include "daemon/store_block.h"

#include "daemon/store_private.h"

#include <string.h>

/* Parts of names: of three characters by those, longer ones by each four in a row, of
 * which there are more, so that fewer blocks have them all by chance. */
enum {
    SHORT = 3,
    LONG = 4,
    BLOCKS_A_LOOK = 2000
};

/* FNV-1a, 32 bits (Fowler, Noll, Vo).  `kind` tells types from names. */
static uint32_t bit_of(char kind, const char *at, size_t len)
{
    uint32_t hash = (UINT32_C(2166136261) ^ (unsigned char)kind) * UINT32_C(16777619);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)at[i]) * UINT32_C(16777619);
    return hash % (STORE_BLOCK_BYTES * 8);
}

static uint32_t bit_of_type(const char *type)
{
    return bit_of('t', type, strlen(type));
}

static void set(struct store_block *block, uint32_t bit)
{
    block->bits[bit / 8] |= (unsigned char)(1U << bit % 8);
}

static bool has(const unsigned char *bits, uint32_t bit)
{
    return bits[bit / 8] >> bit % 8 & 1;
}

static void add_parts(struct store_block *block, const char *name, size_t len)
{
    size_t name_len = strlen(name);

    for (size_t i = 0; i + len <= name_len; i++)
        set(block, bit_of('n', name + i, len));
}

static void add_job(struct store_block *block, const char *name, const char *type)
{
    add_parts(block, name, SHORT);
    add_parts(block, name, LONG);
    set(block, bit_of_type(type));
}

static bool may_have_part(const unsigned char *bits, const char *part)
{
    size_t part_len = strlen(part);
    size_t len = part_len < LONG ? SHORT : LONG;

    for (size_t i = 0; i + len <= part_len; i++)
        if (!has(bits, bit_of('n', part + i, len)))
            return false;
    return true;
}

static bool may_pass(const unsigned char *bits, const struct job_filter *filter)
{
    return (!filter->name_part || may_have_part(bits, filter->name_part))
           && (!filter->instance_type || has(bits, bit_of_type(filter->instance_type)));
}

static const char sql_add_block[] =
    "INSERT INTO job_block (block, bits) VALUES (?1, ?2)";

static int write_block(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;

    if (store_prepare(store, sql_add_block, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, store->block.number);
    sqlite3_bind_blob(statement, 2, store->block.bits, sizeof store->block.bits,
                      SQLITE_STATIC);
    return store_run(store, statement, "write the signature of a block", err);
}

int store_note_job(struct store *store, const struct job *job, struct err *err)
{
    int64_t number = job->job_id / STORE_BLOCK_JOBS;

    if (number != store->block.number) {
        if (write_block(store, err) < 0)
            return -1;
        store->block = (struct store_block){ .number = number };
    }
    add_job(&store->block, job->name, job->instance_type);
    return 0;
}

static const char sql_block_jobs[] =
    "SELECT name, instance_type FROM job WHERE job_id >= ?1";

int store_read_block(struct store *store, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int step;

    store->block =
        (struct store_block){ .number = (store->next_job_id - 1) / STORE_BLOCK_JOBS };
    if (store_prepare(store, sql_block_jobs, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, store->block.number * STORE_BLOCK_JOBS);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW)
        add_job(&store->block, (const char *)sqlite3_column_text(statement, 0),
                (const char *)sqlite3_column_text(statement, 1));
    return step == SQLITE_DONE ? 0 : store_fail(store, "read a block of jobs", err);
}

static const char sql_blocks[] =
    "SELECT block, bits FROM job_block WHERE block <= ?1 ORDER BY block DESC LIMIT ?2";

int store_pass_blocks(struct store *store, const struct job_filter *filter,
                      int64_t *high, struct err *err)
{
    auto_statement sqlite3_stmt *statement = NULL;
    int64_t number = (*high - 1) / STORE_BLOCK_JOBS;
    int step;

    if (!filter->name_part && !filter->instance_type)
        return 0;
    if (number == store->block.number) {
        if (may_pass(store->block.bits, filter))
            return 0;
        *high = number-- * STORE_BLOCK_JOBS;
    }
    if (store_prepare(store, sql_blocks, &statement, err) < 0)
        return -1;
    sqlite3_bind_int64(statement, 1, number);
    sqlite3_bind_int(statement, 2, BLOCKS_A_LOOK);
    while ((step = sqlite3_step(statement)) == SQLITE_ROW) {
        if (sqlite3_column_int64(statement, 0) != number
            || sqlite3_column_bytes(statement, 1) != STORE_BLOCK_BYTES
            || may_pass(sqlite3_column_blob(statement, 1), filter))
            return 0; /* what has no signature may have anything */
        *high = number-- * STORE_BLOCK_JOBS;
    }
    return step == SQLITE_DONE ? 0 : store_fail(store, "read signatures of jobs", err);
}
