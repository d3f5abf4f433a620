/* Where our cgroups are, on the tables of hosts of each kind. */

#include "src/cgroup_folder.h"
#include "tests/unit/cases.h"

#include <check.h>

#define MODERN_MOUNTS                        \
    "22 1 254:0 / / rw - ext4 /dev/vda rw\n" \
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define HYBRID_MOUNTS                                                             \
    "31 30 0:27 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"               \
    "32 30 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" \
    "33 30 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define HYBRID_OWN "9:cpu,cpuacct:/jobs\n4:memory:/process_api/c09a\n0::/\n"

/* clang-format off */
static const struct {
    const char *mounts;
    const char *own;
    const char *controller;
    const char *folder;
} rows[] = {
    { MODERN_MOUNTS, "0::/system.slice/railheadd.service\n", NULL, "/sys/fs/cgroup/system.slice/railheadd.service" },
    { MODERN_MOUNTS, "0::/\n", NULL, "/sys/fs/cgroup" },
    { MODERN_MOUNTS, "0::/\n", "memory", NULL },
    { HYBRID_MOUNTS, HYBRID_OWN, NULL, "/sys/fs/cgroup/unified" },
    { HYBRID_MOUNTS, HYBRID_OWN, "memory", "/sys/fs/cgroup/memory/process_api/c09a" },
    { HYBRID_MOUNTS, HYBRID_OWN, "cpuacct", "/sys/fs/cgroup/cpu,cpuacct/jobs" },
    { HYBRID_MOUNTS, HYBRID_OWN, "mem", NULL },
    { HYBRID_MOUNTS, HYBRID_OWN, "io", NULL },
    /* A container: a part of the hierarchy is mounted. */
    { "33 30 0:29 /docker/1f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "4:memory:/docker/1f/a\n", "memory",
      "/sys/fs/cgroup/memory/a" },
    { "33 30 0:29 /docker/1f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "4:memory:/docker/1f\n", "memory",
      "/sys/fs/cgroup/memory" },
    { "33 30 0:29 /docker/1f /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "4:memory:/other\n", "memory", NULL },
    /* Outside of our cgroup namespace. */
    { MODERN_MOUNTS, "0::/../x\n", NULL, NULL },
    { MODERN_MOUNTS, "", NULL, NULL },
    { "", "0::/\n", NULL, NULL },
    { "22 1 254:0\nnonsense - \n", "0::/\n", NULL, NULL },
};
/* clang-format on */

START_TEST(our_folder_is_the_mount_and_our_place_in_it)
{
    auto_free char *folder =
        cgroup_folder_from(rows[_i].mounts, rows[_i].own, rows[_i].controller);

    ck_assert_pstr_eq(folder, rows[_i].folder);
}
END_TEST

Suite *suite_cgroup_folder(void)
{
    Suite *suite = suite_create("cgroup_folder");
    TCase *tests = tcase_create("cgroup_folder");

    tcase_add_loop_test(tests, our_folder_is_the_mount_and_our_place_in_it, 0,
                        ARRAY_SIZE(rows));
    suite_add_tcase(suite, tests);
    return suite;
}
