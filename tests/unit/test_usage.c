/* The kernel's counters of ranks: how they are summed, and that they count. */

#include "src/worker/usage.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char io_stat[] =
    "254:0 rbytes=4096 wbytes=100 rios=1 wios=2 dbytes=7 dios=0\n"
    "8:16 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0\n";

static const char net_dev[] =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n"
    "    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n"
    "  eth0: 100 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n"
    "enp0s31f6:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n";

START_TEST(devices_are_summed)
{
    ck_assert_int_eq(usage_sum_io(io_stat, "rbytes"), 4097);
    ck_assert_int_eq(usage_sum_io(io_stat, "wbytes"), 102);
    ck_assert_int_eq(usage_sum_io("", "rbytes"), 0);
}
END_TEST

START_TEST(interfaces_are_summed_without_the_loopback_one)
{
    int64_t rx;
    int64_t tx;

    usage_sum_network(net_dev, &rx, &tx);
    ck_assert_int_eq(rx, 105);
    ck_assert_int_eq(tx, 26);
    usage_sum_network("", &rx, &tx);
    ck_assert_int_eq(rx, 0);
}
END_TEST

START_TEST(a_cgroups_files_come_first)
{
    char *folder = scratch_folder();
    struct cgroup cgroup;
    struct usage usage;
    struct err err;

    scratch_write(folder, "cpu.stat",
                  "usage_usec 1234567\nuser_usec 1\nsystem_usec 2\n");
    scratch_write(folder, "io.stat", io_stat);
    scratch_write(folder, "memory.current", "4096\n");
    scratch_write(folder, "memory.peak", "8192\n");
    ck_assert_int_eq(cgroup_open(folder, &cgroup, &err), 0);
    usage_read(&cgroup, &usage);
    ck_assert_int_eq(usage.cpu_usec, 1234567);
    ck_assert(usage.cpu_of_cgroup);
    ck_assert_int_eq(usage.memory_bytes, 4096);
    ck_assert_int_eq(usage.peak_bytes, 8192);
    ck_assert_int_eq(usage.read_bytes, 4097);
    ck_assert(usage.io_of_cgroup);
    cgroup_close(&cgroup);
    scratch_remove(folder);
}
END_TEST

START_TEST(the_first_version_tells_of_memory)
{
    char *folder = scratch_folder();
    struct cgroup cgroup;
    struct usage usage;
    struct err err;

    scratch_write(folder, "tasks", "");
    scratch_write(folder, "memory.usage_in_bytes", "4096\n");
    scratch_write(folder, "memory.max_usage_in_bytes", "8192\n");
    ck_assert_int_eq(cgroup_open(NULL, &cgroup, &err), 0);
    ck_assert_int_eq(cgroup_limit_memory(&cgroup, folder, 0, &err), 0);
    usage_read(&cgroup, &usage);
    ck_assert_int_eq(usage.memory_bytes, 4096);
    ck_assert_int_eq(usage.peak_bytes, 8192);
    ck_assert(!usage.cpu_of_cgroup);
    cgroup_close(&cgroup);
    scratch_remove(folder);
}
END_TEST

/* Computes for a while, says so, and waits to be killed. */
static _Noreturn void burn(int fd)
{
    auto_free char *memory = xmalloc((size_t)32 << 20);

    memset(memory, 1, (size_t)32 << 20);
    for (volatile uint64_t i = 0; i < 50000000; i++)
        ;
    (void)!write(fd, memory, 1);
    for (;;)
        pause();
}

START_TEST(without_a_cgroup_children_are_counted_alive_and_dead)
{
    const struct cgroup none = { .fd = -1 };
    struct usage before;
    struct usage during;
    struct usage after;
    char byte;
    int ends[2];
    pid_t pid;

    ck_assert_int_eq(pipe(ends), 0);
    usage_read(&none, &before);
    pid = fork();
    if (pid == 0)
        burn(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    usage_read(&none, &during);
    ck_assert_int_ge(during.cpu_usec, before.cpu_usec + 20000);
    ck_assert_int_ge(during.memory_bytes, 32 << 20);
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    usage_read(&none, &after);
    ck_assert_int_ge(after.cpu_usec, before.cpu_usec + 20000);
    ck_assert_int_ge(after.peak_bytes, 32 << 20);
    ck_assert_int_lt(after.memory_bytes, 32 << 20);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

Suite *suite_usage(void)
{
    Suite *suite = suite_create("usage");
    TCase *tests = tcase_create("usage");

    tcase_add_test(tests, devices_are_summed);
    tcase_add_test(tests, interfaces_are_summed_without_the_loopback_one);
    tcase_add_test(tests, a_cgroups_files_come_first);
    tcase_add_test(tests, the_first_version_tells_of_memory);
    tcase_add_test(tests, without_a_cgroup_children_are_counted_alive_and_dead);
    suite_add_tcase(suite, tests);
    return suite;
}
