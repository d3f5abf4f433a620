/* How far the other workers of a job are, as their journals have it. */

#include "src/worker/peers.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define READY "{\"seq\":1,\"kind\":\"ready\",\"boot_us\":1,\"wall_us\":1}\n"

/* We are worker 0; worker 1 has the folder. */
struct scene {
    char *folder;
    char *folders[3];
    struct worker_plan plan;
    struct peers *peers;
    int held; /* its journal, locked as by its worker */
};

static void scene_open(struct scene *scene)
{
    auto_free char *path = NULL;

    *scene = (struct scene){ .folder = scratch_folder() };
    scratch_write(scene->folder, "journal.jsonl", "");
    scene->folders[0] = scene->folder;
    scene->folders[1] = scene->folder;
    scene->plan = (struct worker_plan){ .worker_count = 2, .peers = scene->folders };
    scene->peers = peers_new(&scene->plan);
    ck_assert_ptr_nonnull(scene->peers);
    path = xasprintf("%s/journal.jsonl", scene->folder);
    scene->held = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    ck_assert_int_eq(flock(scene->held, LOCK_EX | LOCK_NB), 0);
}

static void say(const struct scene *scene, const char *words)
{
    ck_assert_int_eq(write(scene->held, words, strlen(words)), (ssize_t)strlen(words));
    peers_look(scene->peers);
}

static void say_kind(const struct scene *scene, const char *kind, const char *more)
{
    auto_free char *line =
        xasprintf("{\"seq\":2,\"kind\":\"%s\",\"boot_us\":1,\"wall_us\":1%s}\n", kind,
                  more);

    say(scene, line);
}

static void scene_close(struct scene *scene)
{
    if (scene->held >= 0)
        close(scene->held);
    peers_free(scene->peers);
    scratch_remove(scene->folder);
}

START_TEST(a_worker_goes_from_stage_to_stage)
{
    struct scene scene;

    scene_open(&scene);
    say(&scene, READY);
    ck_assert_int_eq(peers_stage(scene.peers, 1), PEER_RUNS);
    ck_assert(!peers_all_at(scene.peers, PEER_RANKS_DONE));
    say_kind(&scene, "ranks_done", "");
    ck_assert(peers_all_at(scene.peers, PEER_RANKS_DONE));
    ck_assert(!peers_all_at(scene.peers, PEER_UPLOADING));
    say_kind(&scene, "uploading", ",\"cause\":\"failed\"");
    ck_assert_int_eq(peers_stage(scene.peers, 1), PEER_UPLOADING);
    ck_assert_int_eq(peers_cause(scene.peers, 1), END_FAILED);
    say_kind(&scene, "ended", ",\"cause\":\"output\"");
    ck_assert(peers_all_at(scene.peers, PEER_ENDED));
    ck_assert_int_eq(peers_cause(scene.peers, 1), END_OUTPUT);
    scene_close(&scene);
}
END_TEST

START_TEST(a_line_in_two_parts_is_one_line)
{
    struct scene scene;

    scene_open(&scene);
    say(&scene, READY "{\"seq\":2,\"kind\":\"ranks_d");
    ck_assert_int_eq(peers_stage(scene.peers, 1), PEER_RUNS);
    say(&scene, "one\",\"boot_us\":1,\"wall_us\":1}\n");
    ck_assert_int_eq(peers_stage(scene.peers, 1), PEER_RANKS_DONE);
    scene_close(&scene);
}
END_TEST

START_TEST(a_cause_that_we_do_not_know_is_no_success)
{
    struct scene scene;

    scene_open(&scene);
    say_kind(&scene, "ended", ",\"cause\":\"eaten\"");
    ck_assert_int_eq(peers_cause(scene.peers, 1), END_INFRASTRUCTURE);
    scene_close(&scene);
}
END_TEST

START_TEST(one_that_vanished_is_gone_and_lost)
{
    struct scene scene;

    scene_open(&scene);
    say(&scene, READY);
    close(scene.held);
    scene.held = -1;
    peers_look(scene.peers);
    ck_assert_int_eq(peers_stage(scene.peers, 1), PEER_GONE);
    ck_assert_int_eq(peers_cause(scene.peers, 1), END_LOST);
    ck_assert(peers_all_at(scene.peers, PEER_ENDED));
    scene_close(&scene);
}
END_TEST

START_TEST(the_last_words_of_one_that_has_left_count)
{
    struct scene scene;

    scene_open(&scene);
    say(&scene, READY);
    ck_assert_int_gt(dprintf(scene.held, "{\"seq\":2,\"kind\":\"ended\",\"boot_us\":1,"
                                         "\"wall_us\":1,\"cause\":\"completed\"}\n"),
                     0);
    close(scene.held);
    scene.held = -1;
    peers_look(scene.peers);
    ck_assert_int_eq(peers_stage(scene.peers, 1), PEER_ENDED);
    ck_assert_int_eq(peers_cause(scene.peers, 1), END_COMPLETED);
    scene_close(&scene);
}
END_TEST

/* Its worker would leave if it found its journal locked. */
START_TEST(one_that_has_not_begun_is_waited_for_and_not_touched)
{
    struct scene scene;

    scene_open(&scene);
    flock(scene.held, LOCK_UN);
    peers_look(scene.peers);
    ck_assert_int_eq(peers_stage(scene.peers, 1), PEER_RUNS);
    ck_assert(!peers_all_at(scene.peers, PEER_RANKS_DONE));
    scene_close(&scene);
}
END_TEST

/* A job can write beside its journal; a device has no end. */
START_TEST(a_journal_that_is_no_file_is_not_read)
{
    struct scene scene;
    auto_free char *path = NULL;

    scene_open(&scene);
    path = xasprintf("%s/journal.jsonl", scene.folder);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("/dev/zero", path), 0);
    peers_look(scene.peers);
    ck_assert_int_eq(peers_stage(scene.peers, 1), PEER_RUNS);
    scene_close(&scene);
}
END_TEST

START_TEST(a_worker_alone_waits_for_nobody)
{
    struct worker_plan plan = { .worker_count = 1 };
    struct peers *none = peers_new(&plan);

    ck_assert_ptr_null(none);
    peers_look(none);
    ck_assert(peers_all_at(none, PEER_ENDED));
    ck_assert_int_eq(peers_stage(none, 0), PEER_RUNS);
    peers_free(none);
}
END_TEST

Suite *suite_peers(void)
{
    Suite *suite = suite_create("peers");
    TCase *tcase = tcase_create("peers");

    tcase_add_test(tcase, a_worker_goes_from_stage_to_stage);
    tcase_add_test(tcase, a_line_in_two_parts_is_one_line);
    tcase_add_test(tcase, a_cause_that_we_do_not_know_is_no_success);
    tcase_add_test(tcase, one_that_vanished_is_gone_and_lost);
    tcase_add_test(tcase, the_last_words_of_one_that_has_left_count);
    tcase_add_test(tcase, one_that_has_not_begun_is_waited_for_and_not_touched);
    tcase_add_test(tcase, a_journal_that_is_no_file_is_not_read);
    tcase_add_test(tcase, a_worker_alone_waits_for_nobody);
    suite_add_tcase(suite, tcase);
    return suite;
}
