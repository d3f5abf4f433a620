/* Copies of the database: what they hold, and what is refused before it is put in
 * place. */

#include "daemon/store_backup.h"
#include "src/files.h"
#include "tests/unit/cases.h"
#include "tests/unit/life.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static char *folder;
static struct store *store;
static char *database;
static char *elsewhere; /* where it is restored to */

static void must(int result, const struct err *err)
{
    if (result < 0)
        ck_abort_msg("%s", err->text);
}

/* A job that has ended and one that runs. */
static void make_store(void)
{
    auto_life struct life ended = { .name = "ended", .metered = true };
    auto_life struct life running = { .name = "running", .metered = true };
    struct err err;

    store = store_made(&folder);
    database = xasprintf("%s/railhead.db", folder);
    elsewhere = xasprintf("%s/other.db", folder);
    ended.store = store;
    running.store = store;
    life_live(&ended, "submit 1, place, ready 0 10, launch 0 11, end 0 3000 completed");
    life_live(&running, "submit 1, place, ready 0 20, launch 0 21");
    must(store_commit(store, &err), &err);
}

static void free_store(void)
{
    free(database);
    free(elsewhere);
    store_gone(store, folder);
    store = NULL;
}

static int new_file(void)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    ck_assert_int_ge(fd, 0);
    return fd;
}

static int back_up(int fd, struct store_facts *facts, struct err *err)
{
    struct store *snapshot;
    int result;

    must(store_open_read(database, &snapshot, err), err);
    result = store_backup(snapshot, database, fd, facts, err);
    store_close(snapshot);
    return result;
}

/* A backup as a file; the caller frees its path. */
static char *backup_file(struct store_facts *facts)
{
    auto_close int from = new_file();
    auto_close int to = -1;
    char *path = xasprintf("%s/backup", folder);
    char block[4096];
    ssize_t got;
    struct err err;

    must(back_up(from, facts, &err), &err);
    to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (off_t at = 0; (got = pread(from, block, sizeof block, at)) > 0; at += got)
        must(write_all(to, block, (size_t)got, &err), &err);
    return path;
}

static bool is_there(const char *path, const char *ending)
{
    auto_free char *name = xasprintf("%s%s", path, ending);

    return access(name, F_OK) == 0;
}

/* The look at a copy. */
static int note_facts(void *context, struct store *copy,
                      const struct store_facts *facts, struct err *err)
{
    (void)copy;
    (void)err;
    *(struct store_facts *)context = *facts;
    return 0;
}

static int restore(const char *file, struct store_facts *facts, struct err *err)
{
    return store_restore(file, elsewhere, note_facts, facts, err);
}

/* Nothing of it is left. */
static void is_refused(const char *file, enum err_code code, const char *words)
{
    struct store_facts facts;
    struct err err;

    ck_assert_int_lt(restore(file, &facts, &err), 0);
    ck_assert_msg(err.code == code && strstr(err.text, words), "%d %s", (int)err.code,
                  err.text);
    ck_assert(!is_there(elsewhere, "") && !is_there(elsewhere, ".restored")
              && !is_there(elsewhere, ".restored-wal"));
}

/* --- making one --- */

START_TEST(a_backup_is_of_the_moment_when_it_was_opened)
{
    auto_life struct life later = { .name = "later", .store = store };
    auto_close int fd = new_file();
    auto_close int second = new_file();
    struct store_facts facts;
    struct store *snapshot;
    struct err err;

    must(store_open_read(database, &snapshot, &err), &err);
    life_live(&later, "submit 1");
    must(store_commit(store, &err), &err);
    must(store_backup(snapshot, database, fd, &facts, &err), &err);
    store_close(snapshot);
    ck_assert_int_eq(facts.jobs, 2);
    must(back_up(second, &facts, &err), &err);
    ck_assert_int_eq(facts.jobs, 3);
}
END_TEST

START_TEST(a_backup_says_what_it_holds)
{
    struct store_facts facts;
    char hash[DIGEST_HEX_SIZE];

    free(backup_file(&facts));
    ck_assert_int_gt(facts.events, facts.jobs);
    ck_assert_int_gt(facts.ledger_rows, 0);
    ck_assert_int_eq(facts.head_seq, store_chain_end(store, hash));
    ck_assert_str_eq(facts.head_hash, hash);
    ck_assert_int_eq(facts.broken_seq, 0);
    ck_assert(!is_there(database, ".backup"));
}
END_TEST

START_TEST(what_a_backup_that_was_killed_has_left_is_replaced)
{
    auto_close int fd = new_file();
    struct store_facts facts;
    struct err err;

    scratch_write(folder, "railhead.db.backup", "half of one");
    must(back_up(fd, &facts, &err), &err);
    ck_assert(!is_there(database, ".backup"));
}
END_TEST

START_TEST(two_backups_are_not_made_at_a_time)
{
    auto_free char *other = xasprintf("%s.backup", database);
    auto_close int held = open(other, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    auto_close int fd = new_file();
    struct store_facts facts;
    struct err err;

    ck_assert_int_eq(flock(held, LOCK_EX), 0);
    ck_assert_int_lt(back_up(fd, &facts, &err), 0);
    ck_assert_int_eq(err.code, ERR_UNAVAILABLE);
    ck_assert(is_there(database, ".backup"));
}
END_TEST

/* --- putting one in place --- */

START_TEST(what_is_restored_is_what_was_backed_up)
{
    struct store_facts facts, restored;
    auto_free char *path = backup_file(&facts);
    struct store *other;
    struct job_row row;
    struct err err;

    must(restore(path, &restored, &err), &err);
    ck_assert_int_eq(restored.jobs, facts.jobs);
    ck_assert_int_eq(restored.events, facts.events);
    ck_assert_str_eq(restored.head_hash, facts.head_hash);
    ck_assert(!is_there(elsewhere, ".restored") && !is_there(elsewhere, "-wal"));
    must(store_open(elsewhere, &other, &err), &err);
    must(store_find_job(other, "running", &row, &err), &err);
    ck_assert_str_eq(row.status, "InProgress");
    ck_assert_int_eq(store_next_job_id(other), store_next_job_id(store));
    store_close(other);
}
END_TEST

static bool was_restored(struct store *in, int64_t job_id, int attempt)
{
    bool was = false;
    struct err err;

    must(store_was_restored(in, job_id, attempt, &was, &err), &err);
    return was;
}

START_TEST(a_restored_database_knows_what_was_under_way)
{
    struct store_facts facts;
    auto_free char *path = backup_file(&facts);
    struct store *other;
    struct job_row row;
    struct err err;

    must(restore(path, &facts, &err), &err);
    must(store_open(elsewhere, &other, &err), &err);
    must(store_find_job(store, "running", &row, &err), &err);
    ck_assert(!was_restored(store, row.job_id, 1));
    ck_assert(was_restored(other, row.job_id, 1));
    ck_assert(!was_restored(other, row.job_id, 2));
    must(store_find_job(store, "ended", &row, &err), &err);
    ck_assert(!was_restored(other, row.job_id, 1));
    store_close(other);
}
END_TEST

static void count_one(void *context, const char *id)
{
    ck_assert_uint_eq(strlen(id), JOB_ID_SIZE - 1);
    ++*(int *)context;
}

START_TEST(jobs_that_ran_are_found_for_their_folders)
{
    struct err err;
    int count = 0;

    /* Both have an interval, whatever their end. */
    must(store_each_ran(store, count_one, &count, &err), &err);
    ck_assert_int_eq(count, 2);
}
END_TEST

START_TEST(nothing_is_restored_over_a_database_or_its_log)
{
    static const char *const there[] = { "other.db", "other.db-wal",
                                         "other.db-journal" };
    struct store_facts facts;
    auto_free char *path = backup_file(&facts);
    auto_free char *kept = NULL;
    auto_free char *name = xasprintf("%s/%s", folder, there[_i]);
    struct err err;

    scratch_write(folder, there[_i], "precious");
    ck_assert_int_lt(restore(path, &facts, &err), 0);
    ck_assert_int_eq(err.code, ERR_CONFLICT);
    ck_assert_ptr_nonnull(strstr(err.text, name));
    must(file_read(name, 100, &kept, NULL, &err), &err);
    ck_assert_str_eq(kept, "precious");
}
END_TEST

START_TEST(nothing_is_restored_under_a_daemon)
{
    struct store_facts facts;
    auto_free char *path = backup_file(&facts);
    struct err err;

    ck_assert_int_lt(store_restore(path, database, note_facts, &facts, &err), 0);
    ck_assert_int_eq(err.code, ERR_CONFLICT);
    ck_assert_ptr_nonnull(strstr(err.text, "in use"));
}
END_TEST

START_TEST(what_is_no_backup_is_refused)
{
    auto_free char *path = xasprintf("%s/backup", folder);
    struct store_facts facts;

    is_refused(path, ERR_NOT_FOUND, "No such file");
    scratch_write(folder, "backup", "");
    is_refused(path, ERR_INVALID, "is no SQLite database");
    scratch_write(folder, "backup",
                  "a text of more than a hundred bytes, which begins "
                  "as no database does, and goes on until there are "
                  "enough of them");
    is_refused(path, ERR_INVALID, "is no SQLite database");
    free(backup_file(&facts));
    scratch_write(folder, "backup-wal", "what is not in the file yet");
    is_refused(path, ERR_INVALID, "is a database with its log");
}
END_TEST

/* Writes over some bytes of a backup. */
static char *altered(off_t at, const char *bytes, size_t len)
{
    struct store_facts facts;
    char *path = backup_file(&facts);
    auto_close int fd = open(path, O_WRONLY | O_CLOEXEC);

    ck_assert_int_eq(pwrite(fd, bytes, len, at), (ssize_t)len);
    return path;
}

/* user_version, big-endian, is at byte 60 of SQLite's header. */
START_TEST(a_database_that_is_not_ours_is_refused)
{
    auto_free char *path = altered(60, "\0\0\0\0", 4);

    is_refused(path, ERR_INVALID, "is no database of railheadd");
}
END_TEST

START_TEST(a_backup_of_a_newer_program_is_refused)
{
    auto_free char *path = altered(60, "\0\0\x12\x67", 4);

    is_refused(path, ERR_INTERNAL, "schema 4711");
}
END_TEST

START_TEST(a_backup_that_is_damaged_or_cut_is_refused)
{
    struct store_facts facts;
    auto_free char *path = backup_file(&facts);
    char garbage[4096];

    memset(garbage, 0x5a, sizeof garbage);
    free(altered(4096, garbage, sizeof garbage));
    is_refused(path, ERR_INTERNAL, "damaged");
    free(backup_file(&facts));
    ck_assert_int_eq(truncate(path, 8 * 4096), 0);
    is_refused(path, ERR_INTERNAL, "damaged");
}
END_TEST

Suite *suite_store_backup(void);

Suite *suite_store_backup(void)
{
    Suite *suite = suite_create("store_backup");
    TCase *tests = tcase_create("copies");

    tcase_add_checked_fixture(tests, make_store, free_store);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_backup_is_of_the_moment_when_it_was_opened);
    tcase_add_test(tests, a_backup_says_what_it_holds);
    tcase_add_test(tests, what_a_backup_that_was_killed_has_left_is_replaced);
    tcase_add_test(tests, two_backups_are_not_made_at_a_time);
    tcase_add_test(tests, what_is_restored_is_what_was_backed_up);
    tcase_add_test(tests, a_restored_database_knows_what_was_under_way);
    tcase_add_test(tests, jobs_that_ran_are_found_for_their_folders);
    tcase_add_loop_test(tests, nothing_is_restored_over_a_database_or_its_log, 0, 3);
    tcase_add_test(tests, nothing_is_restored_under_a_daemon);
    tcase_add_test(tests, what_is_no_backup_is_refused);
    tcase_add_test(tests, a_database_that_is_not_ours_is_refused);
    tcase_add_test(tests, a_backup_of_a_newer_program_is_refused);
    tcase_add_test(tests, a_backup_that_is_damaged_or_cut_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}
