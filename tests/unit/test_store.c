/* The database: what it keeps, what it refuses, and that what is written once cannot be
 * changed, whoever tries. The one test that opens it by SQLite itself. */

#include "daemon/store.h"
#include "daemon/store_private.h"
#include "daemon/store_reservation.h"
#include "src/files.h"
#include "src/text.h"
#include "tests/unit/cases.h"
#include "tests/unit/life.h"

#include <check.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static char *folder;
static struct store *store;

static void make_store(void)
{
    store = store_made(&folder);
}

static void free_store(void)
{
    store_gone(store, folder);
    store = NULL;
}

static char *database(void)
{
    return xasprintf("%s/railhead.db", folder);
}

static void must(int result, const struct err *err)
{
    if (result < 0)
        ck_abort_msg("%s", err->text);
}

static void commit(void)
{
    struct err err;

    must(store_commit(store, &err), &err);
}

static int reopen(struct err *err)
{
    auto_free char *path = database();

    store_close(store);
    store = NULL;
    return store_open(path, &store, err);
}

static int64_t insert(const char *name, const char *owner, enum job_state state)
{
    auto_job struct job *job = job_new(store_next_job_id(store));
    struct err err;

    job_id_make(LIFE_WALL_ZERO, job->id);
    job->name = xstrdup(name);
    job->owner = xstrdup(owner);
    job->instance_type = xstrdup("ml.c5.xlarge");
    job->scheduler = xstrdup("local");
    job->instance_count = 2;
    job->emulated = true;
    job->state = state;
    job->tags = xstrdup("{}");
    job->created_us = LIFE_WALL_ZERO + job->job_id;
    job->changed_us = LIFE_WALL_ZERO + 2 * job->job_id;
    must(store_insert_job(store, job, &err), &err);
    return job->job_id;
}

/* Runs a statement on the closed database; the error's text, NULL when it was done. */
static char *by_sqlite(const char *sql)
{
    auto_free char *path = database();
    sqlite3 *db = NULL;
    char *message = NULL;
    char *copy = NULL;

    store_close(store);
    store = NULL;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        copy = xstrdup(message ? message : sqlite3_errmsg(db));
    sqlite3_free(message);
    sqlite3_close(db);
    return copy;
}

/* --- the log --- */

static int ignore(void *context, const struct job_event *event, struct err *err)
{
    (void)context;
    (void)event;
    (void)err;
    return 0;
}

START_TEST(a_log_that_we_do_not_understand_is_an_error)
{
    struct cJSON *spec;
    struct err err;

    commit();
    ck_assert_ptr_null(by_sqlite(
        "INSERT INTO job_event VALUES (5, 1, 10, 'teleported', NULL, NULL),"
        " (6, 1, 10, 'submitted', NULL, '{'), (7, 1, 10, 'submitted', NULL, '{}')"));
    must(reopen(&err), &err);
    ck_assert_int_lt(store_each_event(store, 5, ignore, NULL, &err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "teleported"));
    ck_assert_int_lt(store_each_event(store, 6, ignore, NULL, &err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
    ck_assert_int_lt(store_get_spec(store, 6, &spec, &err), 0);
    ck_assert_int_lt(store_get_spec(store, 7, &spec, &err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
    ck_assert_int_lt(store_get_spec(store, 8, &spec, &err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
}
END_TEST

/* --- the file --- */

START_TEST(what_was_committed_is_there_again_and_the_rest_is_not)
{
    int64_t kept = insert("kept", "ana", JOB_PENDING);
    struct job_row row;
    struct err err;

    ck_assert(store_is_dirty(store));
    commit();
    ck_assert(!store_is_dirty(store));
    ck_assert_int_eq(store_commit_count(store), 1);
    commit(); /* nothing to write: no commit */
    ck_assert_int_eq(store_commit_count(store), 1);
    insert("dropped", "ana", JOB_PENDING);
    must(reopen(&err), &err);
    must(store_find_job(store, "kept", &row, &err), &err);
    ck_assert_int_lt(store_find_job(store, "dropped", &row, &err), 0);
    ck_assert_int_eq(store_next_job_id(store), kept + 1);
}
END_TEST

START_TEST(a_second_daemon_is_refused)
{
    auto_free char *path = database();
    struct store *second = NULL;
    struct err err;

    ck_assert_int_lt(store_open(path, &second, &err), 0);
    ck_assert_int_eq(err.code, ERR_CONFLICT);
    ck_assert_ptr_nonnull(strstr(err.text, "is in use by another railheadd"));
    ck_assert_ptr_null(second);
    insert("still-works", "ana", JOB_PENDING);
    commit();
}
END_TEST

START_TEST(a_newer_schema_is_refused_and_left_as_it_is)
{
    struct err err;

    ck_assert_ptr_null(by_sqlite("PRAGMA user_version = 4711"));
    ck_assert_int_lt(reopen(&err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "schema 4711"));
    ck_assert_ptr_nonnull(strstr(err.text, "use the newer program"));
    ck_assert_int_lt(reopen(&err), 0);
}
END_TEST

/* --- steps of the schema that are still to come --- */

static const struct schema_step next_steps[] = {
    { 1, "0001", "THIS IS NEVER RUN AGAIN" },
    { 2, "0002", "CREATE TABLE added (a INTEGER) STRICT; UPDATE job SET owner = 'bo'" },
    { 3, "0003", "UPDATE job SET owner = 'cy'; INSERT INTO not_there VALUES (1)" },
};

START_TEST(an_older_database_is_brought_up_step_by_step)
{
    struct job_row row;
    struct err err;

    insert("kept", "ana", JOB_PENDING);
    commit();
    must(store_migrate(store, next_steps, 2, &err), &err);
    must(store_migrate(store, next_steps, 2, &err), &err); /* nothing is left to do */
    must(store_find_job(store, "kept", &row, &err), &err);
    ck_assert_str_eq(row.owner, "bo");
    ck_assert_int_lt(reopen(&err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "schema 2, this program knows up to 1"));
}
END_TEST

START_TEST(a_step_that_fails_leaves_what_was_before_it)
{
    struct job_row row;
    struct err err;

    insert("kept", "ana", JOB_PENDING);
    commit();
    ck_assert_int_lt(store_migrate(store, next_steps, 3, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "from schema 2 to 3"));
    ck_assert_ptr_nonnull(strstr(err.text, "not_there"));
    must(store_find_job(store, "kept", &row, &err), &err);
    ck_assert_str_eq(row.owner, "bo");
    must(store_migrate(store, next_steps, 2, &err), &err);
}
END_TEST

START_TEST(a_database_of_another_program_is_refused_and_left_as_it_is)
{
    struct job_row row;
    struct err err;

    insert("kept", "ana", JOB_PENDING);
    commit();
    ck_assert_ptr_null(by_sqlite("PRAGMA user_version = 0"));
    ck_assert_int_lt(reopen(&err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "from schema 0 to 1"));
    ck_assert_ptr_null(by_sqlite("PRAGMA user_version = 1"));
    must(reopen(&err), &err);
    must(store_find_job(store, "kept", &row, &err), &err);
}
END_TEST

START_TEST(a_damaged_file_is_refused_by_name_and_kept)
{
    auto_free char *path = database();
    auto_free char *kept = NULL;
    char garbage[4097];
    struct err err;

    memset(garbage, 'x', sizeof garbage);
    garbage[sizeof garbage - 1] = '\0';
    store_close(store);
    store = NULL;
    scratch_write(folder, "railhead.db", garbage);
    ck_assert_int_lt(reopen(&err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
    ck_assert_msg(text_starts_with(err.text, path), "%s", err.text);
    ck_assert_msg(strstr(err.text, "file is not a database")
                      && !strstr(err.text, "PRAGMA"),
                  "%s", err.text);
    must(file_read(path, 8192, &kept, NULL, &err), &err);
    ck_assert_str_eq(kept, garbage);
}
END_TEST

START_TEST(a_place_that_cannot_be_opened_is_named)
{
    auto_free char *path = xasprintf("%s/no/such/folder.db", folder);
    struct store *none = NULL;
    struct err err;

    ck_assert_int_lt(store_open(path, &none, &err), 0);
    ck_assert_int_eq(err.code, ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, path));
    ck_assert_ptr_null(none);
}
END_TEST

/* clang-format off */
static const struct {
    const char *sql;
    const char *refusal; /* NULL: may be done */
} attempts[] = {
    { "UPDATE interval_open SET boot_us = 0", "the ledger is append-only" },
    { "DELETE FROM interval_open", "the ledger is append-only" },
    { "UPDATE interval_close SET seconds = 0", "the ledger is append-only" },
    { "DELETE FROM interval_close", "the ledger is append-only" },
    { "INSERT INTO interval_close SELECT 99, open_seq, start_s, boot_us, 0, 0, NULL, '', x'' FROM interval_close LIMIT 1",
      "the ledger is append-only" },
    { "INSERT INTO interval_close VALUES (99, 99, 0, 0, -1, 0, NULL, '', x'')", "CHECK constraint failed: seconds >= 0" },
    { "UPDATE price SET hourly_nanousd = 0", "the ledger is append-only" },
    { "DELETE FROM price", "the ledger is append-only" },
    { "UPDATE job_event SET at_us = 0", "job_event is append-only" },
    { "UPDATE charge_label SET owner = 'bo'", "the ledger is append-only" },
    { "REPLACE INTO interval_open SELECT 99, job_id, kind, attempt, worker, label, NULL, 'at-open', '', 0, 0, '', x'' FROM interval_open LIMIT 1",
      "the ledger is append-only" },
    { "REPLACE INTO interval_close SELECT seq, open_seq, start_s, boot_us, 0, 0, NULL, '', x'' FROM interval_close LIMIT 1",
      "the ledger is append-only" },
    { "REPLACE INTO price SELECT seq, 'x', 0, 0, '', '', '', '', x'' FROM price LIMIT 1", "the ledger is append-only" },
    { "INSERT INTO price VALUES (99, 'x', -1, 0, '', '', '', '', x'')", "CHECK constraint failed: hourly_nanousd >= 0" },
    { "INSERT INTO price VALUES (0, 'x', 1, 0, '', '', '', '', x'')", "the ledger is append-only" },
    { "DELETE FROM charge_label", "the ledger is append-only" },
    { "UPDATE interval_price SET price = 0", "the ledger is append-only" },
    { "DELETE FROM interval_price", "the ledger is append-only" },
    { "REPLACE INTO interval_price SELECT 99, open_seq, from_second, 0, price, x'' FROM interval_price LIMIT 1",
      "the ledger is append-only" },
    { "UPDATE reservation SET instances = 0", "the ledger is append-only" },
    { "DELETE FROM reservation", "the ledger is append-only" },
    { "REPLACE INTO reservation SELECT seq, pool, instance_type, 0, price, from_us, x'' FROM reservation", "the ledger is append-only" },
    { "INSERT INTO reservation VALUES (99, 'x', 'x', -1, NULL, 0, x'')", "CHECK constraint failed: instances >= 0" },
    { "UPDATE job SET owner = 'bo'", NULL },
};
/* clang-format on */

START_TEST(the_ledger_can_only_grow)
{
    char text[] = "high";
    /* The second one cuts the interval. */
    struct profile_price prices[] = {
        { 204000000, 0, text, text, text, text },
        { 404000000, LIFE_WALL_ZERO + USEC_PER_SEC, text, text, text, text },
    };
    const struct profile profile = { .prices = prices, .price_count = 2 };
    const struct price_book book = { .at_change = true };
    const struct reservation reserved = { .pool = "p", .instance_type = "t" };
    const struct offer offer = { .profile = &profile, .pool = text };
    auto_life struct life life = { .store = store,
                                   .metered = true,
                                   .offer = &offer,
                                   .book = &book };
    auto_free char *refusal = NULL;
    struct err err;

    ck_assert_int_eq(store_add_reservation(store, &reserved, &err), 0);
    life_live(&life, "submit 1, place, ready 0 10, launch 0 11, end 0 3000 completed");
    commit();
    refusal = by_sqlite(attempts[_i].sql);
    if (attempts[_i].refusal)
        ck_assert_str_eq(refusal ? refusal : "(done)", attempts[_i].refusal);
    else
        ck_assert_msg(!refusal, "%s", refusal);
}
END_TEST

Suite *suite_store(void);

Suite *suite_store(void)
{
    Suite *suite = suite_create("store");
    TCase *tests = tcase_create("database");

    tcase_add_checked_fixture(tests, make_store, free_store);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_log_that_we_do_not_understand_is_an_error);
    tcase_add_test(tests, what_was_committed_is_there_again_and_the_rest_is_not);
    tcase_add_test(tests, a_second_daemon_is_refused);
    tcase_add_test(tests, a_newer_schema_is_refused_and_left_as_it_is);
    tcase_add_test(tests, an_older_database_is_brought_up_step_by_step);
    tcase_add_test(tests, a_step_that_fails_leaves_what_was_before_it);
    tcase_add_test(tests, a_database_of_another_program_is_refused_and_left_as_it_is);
    tcase_add_test(tests, a_damaged_file_is_refused_by_name_and_kept);
    tcase_add_test(tests, a_place_that_cannot_be_opened_is_named);
    tcase_add_loop_test(tests, the_ledger_can_only_grow, 0, ARRAY_SIZE(attempts));
    suite_add_tcase(suite, tests);
    return suite;
}
