/* The write-ahead log: what a reader leaves of it, and that it becomes short again. */

#include "daemon/store.h"
#include "tests/unit/life.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MIB = 1 << 20,
    USUAL_LOG = 16 * MIB,
    LONG_LOG = 40 * MIB
};

static char *folder, *path;
static struct store *store;

static void make_store(void)
{
    store = store_made(&folder);
    path = xasprintf("%s/railhead.db", folder);
}

static void free_store(void)
{
    free(path);
    store_gone(store, folder);
}

/* A commit of some 2 MiB. */
static void commit_much(void)
{
    auto_job struct job *job = job_new(store_next_job_id(store));
    struct err err;

    job_id_make(LIFE_WALL_ZERO, job->id);
    job->name = xasprintf("job-%lld", (long long)job->job_id);
    job->owner = xasprintf("%0*d", MIB, 0);
    job->instance_type = xstrdup("ml.c5.xlarge");
    job->scheduler = xstrdup("local");
    job->tags = xasprintf("{\"a\":\"%0*d\"}", MIB, 0);
    job->state = JOB_PENDING;
    ck_assert_int_eq(store_insert_job(store, job, &err), 0);
    ck_assert_int_eq(store_commit(store, &err), 0);
}

static off_t log_size(void)
{
    auto_free char *name = xasprintf("%s-wal", path);
    struct stat status;

    ck_assert_int_eq(stat(name, &status), 0);
    return status.st_size;
}

/* Frames of the log that are not in the database, by the index of the log (SQLite's
 * "WAL-mode file format", sections 2.1 and 2.3). */
static long frames_left(void)
{
    auto_free char *name = xasprintf("%s-shm", path);
    FILE *index = fopen(name, "re");
    uint32_t words[25];

    ck_assert_ptr_nonnull(index);
    ck_assert_uint_eq(fread(words, sizeof words, 1, index), 1);
    fclose(index);
    return (long)words[4] - (long)words[24];
}

START_TEST(what_a_reader_kept_in_the_log_is_brought_in_before_the_next_reads)
{
    struct store *reader;
    struct err err;

    ck_assert_int_eq(store_open_read(path, &reader, &err), 0);
    while (log_size() < LONG_LOG)
        commit_much();
    store_close(reader);
    ck_assert_int_gt(frames_left(), USUAL_LOG / 4096);
    store_bring_in_log(path);
    ck_assert_int_eq(frames_left(), 0);
    commit_much();
    ck_assert_int_le(log_size(), USUAL_LOG);
}
END_TEST

START_TEST(a_log_that_no_reader_kept_stays_as_long_as_it_was_made)
{
    for (int i = 0; i < 20; i++)
        commit_much();
    ck_assert_int_lt(log_size(), 2 * USUAL_LOG);
    ck_assert(!store_log_is_long(path));
}
END_TEST

Suite *suite_store_wal(void)
{
    Suite *suite = suite_create("store_wal");
    TCase *cases = tcase_create("log");

    tcase_add_checked_fixture(cases, make_store, free_store);
    tcase_add_test(cases,
                   what_a_reader_kept_in_the_log_is_brought_in_before_the_next_reads);
    tcase_add_test(cases, a_log_that_no_reader_kept_stays_as_long_as_it_was_made);
    suite_add_tcase(suite, cases);
    return suite;
}
