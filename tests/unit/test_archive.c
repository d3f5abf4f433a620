/* Equal trees make equal archives; no archive harms what lies outside its folder. */

#include "src/archive.h"
#include "src/files.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every test works in a new folder; names below are relative to it. */
static char home[32];

static void set_up(void)
{
    strcpy(home, "/tmp/unit-archive-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(home));
    ck_assert_int_eq(chdir(home), 0);
    ck_assert_int_eq(mkdir("tree", 0755), 0);
    ck_assert_int_eq(mkdir("out", 0755), 0);
}

static void tear_down(void)
{
    ck_assert_int_eq(chdir("/"), 0);
    remove_tree(home);
}

/* Not by process_spawn: valgrind has no pidfds. */
static void shell(const char *line)
{
    auto_free char *words = xasprintf("PATH=/usr/bin:/bin LC_ALL=C; %s", line);
    char sh[] = "sh", option[] = "-ec";
    char *argv[] = { sh, option, words, NULL };
    pid_t pid;
    int status;

    ck_assert_int_eq(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(status == 0, "%s", line);
}

static void pack(const char *folder, const char *file, char hex[DIGEST_HEX_SIZE])
{
    struct err err;

    if (archive_pack(folder, file, hex, &err) < 0)
        ck_abort_msg("%s", err.text);
}

static void unpack(const char *file)
{
    struct err err;

    if (archive_unpack(file, "out", &err) < 0)
        ck_abort_msg("%s", err.text);
}

static void check_pack_refused(enum err_code code, const char *words)
{
    char hex[DIGEST_HEX_SIZE] = "unset";
    struct err err;

    ck_assert_int_lt(archive_pack("tree", "a.tgz", hex, &err), 0);
    ck_assert_int_eq(err.code, code);
    ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
    ck_assert_str_eq(hex, "unset");
    ck_assert_int_lt(access("a.tgz", F_OK), 0);
}

static void check_unpack_refused(enum err_code code, const char *words)
{
    char before[PATH_MAX];
    char after[PATH_MAX];
    struct err err;

    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    ck_assert_int_lt(archive_unpack("a.tgz", "out", &err), 0);
    ck_assert_int_eq(err.code, code);
    ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
    ck_assert_ptr_nonnull(getcwd(after, sizeof after));
    ck_assert_str_eq(after, before);
}

static const char full_tree[] =
    "cd tree; umask 022; mkdir -p pkg/empty b; echo 1 > train.py;"
    "echo 2 > pkg/x; : > pkg/nothing; echo '#!/bin/sh' > b/run;"
    "chmod 700 b/run; ln -s ../train.py pkg/link; ln -s gone b/dangling;"
    "head -c 200000 /dev/urandom > random; printf x > \"$(printf 'n\\351\\n')\";"
    "d=$(printf 'd%.0s' $(seq 200)); mkdir $d; echo 3 > $d/$d;"
    "ln -s $d/$d long";

START_TEST(equal_trees_make_equal_bytes)
{
    char one[DIGEST_HEX_SIZE];
    char other[DIGEST_HEX_SIZE];
    auto_free char *check = NULL;

    shell(full_tree);
    pack("tree", "one.tgz", one);
    /* Other times, modes, order on disk, links in number. */
    shell(
        "mkdir copy; for f in $(ls -r tree | grep -v '^n'); do cp -r tree/$f copy/$f; done;"
        "cp tree/n* copy; touch -d 2001-02-03 copy/train.py; chmod 600 copy/train.py;"
        "chmod 755 copy/b/run; rm copy/pkg/x; echo 2 > spare; ln spare copy/pkg/x; chmod 777 copy/pkg");
    pack("copy//", "other.tgz", other);
    ck_assert_str_eq(one, other);
    shell("cmp one.tgz other.tgz");
    check = xasprintf("echo '%s  one.tgz' | sha256sum --check --quiet", one);
    shell(check);
}
END_TEST

START_TEST(different_trees_make_different_bytes)
{
    static const char *const changes[] = {
        "echo 2 > tree/train.py",     "chmod +x tree/train.py",
        "mv tree/train.py tree/x.py", "mkdir tree/more",
        "ln -s x.py tree/y",
    };
    char before[DIGEST_HEX_SIZE];
    char after[DIGEST_HEX_SIZE];

    shell("echo 1 > tree/train.py");
    pack("tree", "a.tgz", before);
    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        shell(changes[i]);
        pack("tree", "a.tgz", after);
        ck_assert_str_ne(before, after);
        memcpy(before, after, sizeof before);
    }
}
END_TEST

START_TEST(what_was_packed_is_what_is_unpacked)
{
    char hex[DIGEST_HEX_SIZE];

    shell(full_tree);
    pack("tree", "a.tgz", hex);
    umask(022);
    unpack("a.tgz");
    shell(
        "diff -r --no-dereference tree out; test -x out/b/run; test ! -x out/train.py;"
        "test $(stat -c %a out/b/run out/train.py | tr '\\n' ,) = 755,644,");
    pack("out", "b.tgz", hex);
    shell("cmp a.tgz b.tgz");
}
END_TEST

START_TEST(tar_itself_reads_what_was_packed)
{
    char hex[DIGEST_HEX_SIZE];

    shell(full_tree);
    pack("tree", "a.tgz", hex);
    shell(
        "tar xzf a.tgz -C out 2> said; test ! -s said; diff -r --no-dereference tree out");
}
END_TEST

START_TEST(an_empty_tree_can_travel_too)
{
    char hex[DIGEST_HEX_SIZE];

    pack("tree", "a.tgz", hex);
    unpack("a.tgz");
    shell("test -z \"$(ls -A out)\"");
}
END_TEST

START_TEST(what_tools_leave_behind_is_left_out)
{
    char hex[DIGEST_HEX_SIZE];

    shell(
        "cd tree; mkdir -p .git p/.git p/__pycache__ p/.github; touch .git/x p/.git/x p/m.pyc .pyc;"
        "touch p/__pycache__/x p/m.py p/mpyc p/.gitignore; mkfifo .git/fifo; ln -s / x.pyc");
    pack("tree", "a.tgz", hex);
    unpack("a.tgz");
    shell("test \"$(cd out; find . | sort | tr '\\n' ' ')\" = "
          "'. ./p ./p/.github ./p/.gitignore ./p/m.py ./p/mpyc '");
}
END_TEST

/* clang-format off */
static const struct {
    const char *make; /* within tree */
    const char *words;
} bad_trees[] = {
    { "ln -s /etc/passwd l",                   "l: a link to \"/etc/passwd\"" },
    { "ln -s .. l",                            "l: a link" },
    { "mkdir d; ln -s ../.. d/l",              "d/l: a link" },
    { "mkdir d; ln -s ../../x d/l",            "d/l: a link" },
    { "ln -s . d; ln -s d/../x l",             "l: a link" },
    { "mkdir -p d/e; ln -s ../e/../../../x d/e/l", "d/e/l: a link" },
    { "mkfifo f",                              "f: is neither" },
};

static const struct {
    const char *make; /* within tree */
} good_links[] = {
    { "ln -s a l" }, { "ln -s . l" }, { "mkdir d; ln -s .. d/l" }, { "mkdir d; ln -s ../a d/l" },
    { "mkdir -p d/e; ln -s ../../a d/e/l" }, { "ln -s ./d//e/. l" }, { "ln -s ..a l" },
    { "ln -s a/..b l" }, { "ln -s l l" },
};

/* Each makes a.tgz, by tar; what is refused was within `in`. */
static const struct {
    const char *make;
    const char *words;
    enum err_code code;
} hostile[] = {
    { "touch evil; cd in; tar czPf ../a.tgz ../evil; rm ../evil",        "../evil", ERR_INVALID },
    { "mkdir in/d; touch evil; cd in; tar czPf ../a.tgz d/../../evil; rm ../evil", "d/../../evil", ERR_INVALID },
    { "touch evil; tar czPf a.tgz \"$PWD/evil\"; rm evil",               "/evil: leads out", ERR_INVALID },
    { "ln -s /etc in/l; tar czf a.tgz -C in l",                          "l: a link to \"/etc\"", ERR_INVALID },
    { "ln -s .. in/l; tar czf a.tgz -C in l",                            "l: a link to \"..\"", ERR_INVALID },
    { "mkdir in/d; ln -s ../.. in/d/l; tar czf a.tgz -C in d",           "d/l: a link", ERR_INVALID },
    { "ln -s . in/d; ln -s d/../evil in/l; tar czf a.tgz -C in d l",     "l: a link", ERR_INVALID },
    /* A link, then a file through it: the link is well, the way is not. */
    { "mkdir in/d; ln -s d in/l; tar cf a.tar -C in d l; rm in/l; mkdir in/l; touch in/l/evil;"
      "tar rf a.tar -C in l/evil; gzip a.tar; mv a.tar.gz a.tgz",        "l/evil", ERR_INVALID },
    { "touch in/a; ln in/a in/b; tar czf a.tgz -C in a b",               "b: is a hard link", ERR_INVALID },
    { "mkfifo in/f; tar czf a.tgz -C in f",                              "f: is neither", ERR_INVALID },
    /* Bombs: little to carry, much to unpack. */
    { "truncate -s 3G in/big; tar cSzf a.tgz -C in big",                 "big: more than", ERR_LIMIT },
    { "truncate -s 1G in/a in/b; touch in/c; echo x > in/d; tar cSzf a.tgz -C in a b c d", "d: more than", ERR_LIMIT },
    { "mkdir in/d; tar cf d.tar -C in d d d d d d d d d d; : > a.tar; head -c 5120 d.tar > ten;"
      "for i in 1 2 3 4; do cat ten ten ten ten ten ten ten ten ten ten > more; mv more ten; done;"
      "{ cat ten; tar cf - -C in d; } | gzip -1 > a.tgz",                "d/: more than 100000 files", ERR_LIMIT },
    { "echo x > in/f; tar czf b.tgz -C in f; head -c 60 b.tgz > a.tgz",  "damaged archive", ERR_INVALID },
    { "head -c 300000 /dev/urandom > in/f; tar czf b.tgz -C in f; head -c 200000 b.tgz > a.tgz",
                                                                         "damaged archive, at f", ERR_INVALID },
    { "head -c 30000 /dev/urandom > a.tgz",                              "damaged archive", ERR_INVALID },
    { "echo '#!/bin/sh' | gzip > a.tgz",                                 "damaged archive", ERR_INVALID },
};
/* clang-format on */

START_TEST(a_tree_that_reaches_out_of_itself_is_refused_by_name)
{
    auto_free char *line = xasprintf("cd tree; %s", bad_trees[_i].make);

    shell(line);
    check_pack_refused(ERR_INVALID, bad_trees[_i].words);
}
END_TEST

START_TEST(a_link_that_stays_inside_is_kept)
{
    auto_free char *line = xasprintf("cd tree; %s", good_links[_i].make);
    char hex[DIGEST_HEX_SIZE];

    shell(line);
    pack("tree", "a.tgz", hex);
    unpack("a.tgz");
    shell("test \"$(cd tree; find . -printf '%p %l\\n' | sort)\" = "
          "\"$(cd out; find . -printf '%p %l\\n' | sort)\"");
}
END_TEST

START_TEST(a_socket_is_refused_by_name)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "tree/socket" };
    auto_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    check_pack_refused(ERR_INVALID, "socket: is neither");
}
END_TEST

START_TEST(a_tree_that_is_too_large_is_refused_by_name)
{
    shell("truncate -s 3G tree/big");
    check_pack_refused(ERR_LIMIT, "big: more than");
}
END_TEST

START_TEST(an_archive_within_its_own_tree_is_refused)
{
    char hex[DIGEST_HEX_SIZE];
    struct err err;

    ck_assert_int_lt(archive_pack("tree", "tree/a.tgz", hex, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_lt(access("tree/a.tgz", F_OK), 0);
}
END_TEST

START_TEST(what_is_no_folder_cannot_be_packed)
{
    char hex[DIGEST_HEX_SIZE];
    struct err err;

    shell("touch file; ln -s tree link");
    ck_assert_int_lt(archive_pack("missing", "a.tgz", hex, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_int_lt(archive_pack("file", "a.tgz", hex, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_int_lt(archive_pack("tree", "missing/a.tgz", hex, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_int_eq(archive_pack("link", "a.tgz", hex, &err), 0);
}
END_TEST

START_TEST(a_full_disk_is_said_and_leaves_no_archive)
{
    char hex[DIGEST_HEX_SIZE];
    struct err err;

    shell("head -c 300000 /dev/urandom > tree/f; ln -s /dev/full a.tgz");
    ck_assert_int_lt(archive_pack("tree", "a.tgz", hex, &err), 0);
    ck_assert_int_eq(err.code, ERR_DISK_FULL);
    ck_assert_int_lt(access("a.tgz", F_OK), 0);
}
END_TEST

START_TEST(a_hostile_archive_is_refused_and_nothing_leaves_the_folder)
{
    auto_free char *line = xasprintf("mkdir in; %s", hostile[_i].make);

    shell(line);
    check_unpack_refused(hostile[_i].code, hostile[_i].words);
    shell(
        "test ! -e evil; test ! -e ../evil; test ! -e out/d/evil; test ! -e out/evil");
}
END_TEST

START_TEST(an_archive_made_by_tar_is_unpacked)
{
    umask(022);
    shell(
        "mkdir tree/d; echo 1 > tree/d/x; chmod 6777 tree/d/x; chmod 000 tree/d/x || true;"
        "chmod 6711 tree/d/x; ln -s d/x tree/l; tar czf a.tgz -C tree .");
    unpack("a.tgz");
    shell("cmp tree/d/x out/d/x; test \"$(readlink out/l)\" = d/x;"
          "test $(stat -c %a out/d/x) = 755; test $(stat -c %u out/d/x) = $(id -u)");
}
END_TEST

START_TEST(where_there_is_no_file_or_folder_nothing_is_unpacked)
{
    char hex[DIGEST_HEX_SIZE];
    struct err err;

    ck_assert_int_lt(archive_unpack("missing.tgz", "out", &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    pack("tree", "a.tgz", hex);
    ck_assert_int_lt(archive_unpack("a.tgz", "missing", &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
}
END_TEST

static TCase *packing_tests(void)
{
    TCase *tests = tcase_create("packing");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, equal_trees_make_equal_bytes);
    tcase_add_test(tests, different_trees_make_different_bytes);
    tcase_add_test(tests, what_tools_leave_behind_is_left_out);
    tcase_add_loop_test(tests, a_tree_that_reaches_out_of_itself_is_refused_by_name, 0,
                        ARRAY_SIZE(bad_trees));
    tcase_add_test(tests, a_socket_is_refused_by_name);
    tcase_add_test(tests, a_tree_that_is_too_large_is_refused_by_name);
    tcase_add_test(tests, an_archive_within_its_own_tree_is_refused);
    tcase_add_test(tests, what_is_no_folder_cannot_be_packed);
    tcase_add_test(tests, a_full_disk_is_said_and_leaves_no_archive);
    return tests;
}

static TCase *unpacking_tests(void)
{
    TCase *tests = tcase_create("unpacking");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60); /* a hundred thousand entries, under sanitizers too */
    tcase_add_test(tests, what_was_packed_is_what_is_unpacked);
    tcase_add_test(tests, tar_itself_reads_what_was_packed);
    tcase_add_test(tests, an_empty_tree_can_travel_too);
    tcase_add_loop_test(tests, a_link_that_stays_inside_is_kept, 0,
                        ARRAY_SIZE(good_links));
    tcase_add_loop_test(tests,
                        a_hostile_archive_is_refused_and_nothing_leaves_the_folder, 0,
                        ARRAY_SIZE(hostile));
    tcase_add_test(tests, an_archive_made_by_tar_is_unpacked);
    tcase_add_test(tests, where_there_is_no_file_or_folder_nothing_is_unpacked);
    return tests;
}

Suite *suite_archive(void);

Suite *suite_archive(void)
{
    Suite *suite = suite_create("archive");

    suite_add_tcase(suite, packing_tests());
    suite_add_tcase(suite, unpacking_tests());
    return suite;
}
