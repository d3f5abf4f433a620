/* The catalog: the files that we ship, files that are wrong, prices in time, and this
 * host. */

#include "src/clock.h"
#include "src/profile.h"
#include "src/profile_host.h"
#include "src/text.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

static struct catalog shipped(void)
{
    const char *source = getenv("RAILHEAD_SOURCE");
    auto_free char *folder = xasprintf("%s/instance-profiles", source ? source : ".");
    struct catalog catalog;
    struct err err;

    if (catalog_load(folder, &catalog, &err) < 0)
        ck_abort_msg("%s", err.text);
    return catalog;
}

static usec_t day(const char *date)
{
    usec_t at;

    ck_assert_int_eq(time_parse(date, &at, NULL), 0);
    return at;
}

START_TEST(the_shipped_catalog_has_all_types_and_this_host)
{
    struct catalog catalog = shipped();

    ck_assert_uint_eq(catalog.count, 33 + 1);
    for (size_t i = 1; i < catalog.count; i++)
        ck_assert_int_lt(strcmp(catalog.profiles[i - 1].name, catalog.profiles[i].name),
                         0);
    ck_assert_ptr_nonnull(catalog_find(&catalog, "local"));
    catalog_clear(&catalog);
}
END_TEST

START_TEST(a_type_has_what_its_file_says)
{
    struct catalog catalog = shipped();
    const struct profile *trn1 = catalog_find(&catalog, "ml.trn1.32xlarge");
    const struct profile *c5n = catalog_find(&catalog, "ml.c5n.xlarge");

    ck_assert_str_eq(trn1->family, "trn1");
    ck_assert_int_eq(trn1->vcpus, 128);
    ck_assert_int_eq(trn1->memory_mib, 512 * 1024);
    ck_assert_str_eq(trn1->accelerator_kind, "neuroncore");
    ck_assert_str_eq(trn1->accelerator_name, "Trainium");
    ck_assert_int_eq(trn1->accelerator_count, 16);
    ck_assert_int_eq(trn1->accelerator_memory_gib, 32);
    ck_assert_int_eq(trn1->neuron_cores, 32);
    ck_assert_str_eq(trn1->network_gbps, "800");
    ck_assert(trn1->efa);
    ck_assert_int_eq(trn1->efa_interfaces, 8);
    ck_assert_int_eq(trn1->nvme_gb, 7600);
    ck_assert_str_eq(c5n->accelerator_kind, "none");
    ck_assert_ptr_null(c5n->accelerator_name);
    ck_assert_int_eq(c5n->memory_mib, 10752);
    ck_assert(!c5n->efa);
    ck_assert_ptr_null(catalog_find(&catalog, "ml.p3.2xlarge")->network_gbps);
    catalog_clear(&catalog);
}
END_TEST

START_TEST(an_unknown_type_is_never_the_nearest_one)
{
    struct catalog catalog = shipped();
    static const struct catalog empty;

    ck_assert_ptr_null(catalog_find(&catalog, "ml.p3.xlarge"));
    ck_assert_ptr_null(catalog_find(&catalog, "ml.c5"));
    ck_assert_ptr_null(catalog_find(&catalog, "c5.xlarge"));
    ck_assert_ptr_null(catalog_find(&catalog, ""));
    ck_assert_ptr_null(catalog_find(&empty, "local"));
    catalog_clear(&catalog);
}
END_TEST

START_TEST(a_price_is_the_one_in_force_at_that_time)
{
    struct catalog catalog = shipped();
    const struct profile *p4d = catalog_find(&catalog, "ml.p4d.24xlarge");
    usec_t cut = day("2025-06-01");

    ck_assert_int_eq(profile_price_at(p4d, cut - 1)->hourly, 37688000000);
    ck_assert_str_eq(profile_price_at(p4d, cut - 1)->basis, "published");
    ck_assert_int_eq(profile_price_at(p4d, cut)->hourly, 25251288300);
    ck_assert_str_eq(profile_price_at(p4d, cut)->basis, "derived");
    ck_assert_int_eq(profile_price_at(p4d, 0)->hourly, 37688000000);
    ck_assert_ptr_null(profile_price_at(p4d, -1));
    catalog_clear(&catalog);
}
END_TEST

START_TEST(a_price_says_who_says_so_and_how_sure)
{
    struct catalog catalog = shipped();
    const struct profile *c5 = catalog_find(&catalog, "ml.c5.xlarge");
    const struct profile *trn1 = catalog_find(&catalog, "ml.trn1.32xlarge");
    const struct profile_price *price = profile_price_at(c5, day("2026-11-30"));

    ck_assert_int_eq(price->hourly, 204000000);
    ck_assert_str_eq(price->as_of, "2026-09-01");
    ck_assert_str_eq(price->confidence, "high");
    ck_assert_str_eq(price->source, "fmbench, price_list_sep2026, jhuapl_wiki");
    price = profile_price_at(trn1, day("2026-11-30"));
    ck_assert_str_eq(price->basis, "derived");
    ck_assert_str_eq(price->confidence, "low");
    catalog_clear(&catalog);
}
END_TEST

START_TEST(processes_follow_neuroncores_then_gpus_then_one)
{
    struct catalog catalog = shipped();

    ck_assert_int_eq(profile_default_processes(
                         catalog_find(&catalog, "ml.trn1.32xlarge")),
                     32);
    ck_assert_int_eq(profile_default_processes(
                         catalog_find(&catalog, "ml.p4d.24xlarge")),
                     8);
    ck_assert_int_eq(profile_default_processes(
                         catalog_find(&catalog, "ml.c5.18xlarge")),
                     1);
    catalog_clear(&catalog);
}
END_TEST

START_TEST(this_host_is_as_it_is_and_unpriced)
{
    struct catalog catalog = shipped();
    const struct profile *local = catalog_find(&catalog, "local");

    ck_assert_int_ge(local->vcpus, 1);
    ck_assert_int_gt(local->memory_mib, 0);
    ck_assert_ptr_null(profile_price_at(local, clock_wall()));
    catalog_clear(&catalog);
}
END_TEST

/* --- files that are wrong --- */

static void check_file(const struct test_case *one)
{
    char *folder = scratch_folder();
    struct catalog catalog = { 0 };
    struct err err = { 0 };
    auto_free char *got = NULL;

    scratch_write(folder, "own.yaml", one->input);
    if (catalog_load(folder, &catalog, &err) < 0) {
        ck_assert_int_eq(err.code, ERR_INVALID);
        ck_assert_msg(text_starts_with(err.text, folder), "%s", err.text);
        got = xasprintf("%s\n", err.text + strlen(folder) + 1);
    } else {
        got = xstrdup("well\n");
    }
    catalog_clear(&catalog);
    scratch_remove(folder);
    case_expects(one, got);
}

START_TEST(a_mistake_in_a_file_is_named_with_file_and_member)
{
    cases_run("profiles.txt", check_file);
}
END_TEST

static void check_example(const char *yaml)
{
    char *folder = scratch_folder();
    struct catalog catalog;
    struct err err;

    scratch_write(folder, "own.yaml", yaml);
    if (catalog_load(folder, &catalog, &err) < 0)
        ck_abort_msg("%s in:\n%s", err.text, yaml);
    catalog_clear(&catalog);
    scratch_remove(folder);
}

START_TEST(the_examples_of_the_manual_are_valid)
{
    manual_examples("railhead-instance.5", check_example);
}
END_TEST

START_TEST(a_type_in_two_files_is_refused)
{
    static const char file[] = "instances: [{name: ml.x.y, vcpus: 1, memory_gib: 1}]\n";
    char *folder = scratch_folder();
    struct catalog catalog;
    struct err err;

    scratch_write(folder, "a.yaml", file);
    scratch_write(folder, "b.yaml", file);
    scratch_write(folder, "README", "not a profile");
    ck_assert_int_lt(catalog_load(folder, &catalog, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, "instance type ml.x.y is defined twice"));
    scratch_remove(folder);
}
END_TEST

START_TEST(a_folder_without_profiles_is_told)
{
    char *folder = scratch_folder();
    auto_free char *missing = xasprintf("%s/none", folder);
    struct catalog catalog;
    struct err err;

    ck_assert_int_lt(catalog_load(folder, &catalog, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.text, "has no instance profiles"));
    ck_assert_int_lt(catalog_load(missing, &catalog, &err), 0);
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    scratch_remove(folder);
}
END_TEST

/* --- the tools' output --- */

START_TEST(nvidia_smi_lists_gpus)
{
    struct host_devices devices = { 0 };

    ck_assert(host_devices_from_nvidia_smi("Tesla V100-SXM2-16GB, 16384 MiB\n"
                                           "Tesla V100-SXM2-16GB, 16160 MiB\n",
                                           &devices));
    ck_assert_str_eq(devices.name, "Tesla V100-SXM2-16GB");
    ck_assert_int_eq(devices.count, 2);
    ck_assert_int_eq(devices.memory_gib, 16);
    ck_assert_int_eq(devices.cores, 0);
    free(devices.name);
}
END_TEST

START_TEST(nvidia_smi_may_not_know_the_memory)
{
    struct host_devices devices = { 0 };

    ck_assert(host_devices_from_nvidia_smi("NVIDIA GB10, [N/A]\n", &devices));
    ck_assert_str_eq(devices.name, "NVIDIA GB10");
    ck_assert_int_eq(devices.count, 1);
    ck_assert_int_eq(devices.memory_gib, 0);
    free(devices.name);
}
END_TEST

START_TEST(nvidia_smi_without_gpus_lists_none)
{
    struct host_devices devices = { 0 };

    ck_assert(!host_devices_from_nvidia_smi("", &devices));
    ck_assert(!host_devices_from_nvidia_smi("No devices were found\n", &devices));
    ck_assert(!host_devices_from_nvidia_smi(
        "NVIDIA-SMI has failed, make sure that the driver is running.\n", &devices));
    ck_assert_int_eq(devices.count, 0);
}
END_TEST

START_TEST(neuron_ls_lists_devices_and_their_cores)
{
    struct host_devices devices = { 0 };

    ck_assert(host_devices_from_neuron_ls(
        "[{\"neuron_device\": 0, \"bdf\": \"10:1c.0\", \"connected_to\": [1], "
        "\"nc_count\": 2, \"memory_size\": 34359738368, \"neuron_processes\": []},"
        " {\"neuron_device\": 1, \"bdf\": \"10:1d.0\", \"connected_to\": null, "
        "\"nc_count\": 2, \"memory_size\": 34359738368, \"neuron_processes\": []}]\n",
        &devices));
    ck_assert_str_eq(devices.name, "Neuron");
    ck_assert_int_eq(devices.count, 2);
    ck_assert_int_eq(devices.cores, 4);
    ck_assert_int_eq(devices.memory_gib, 32);
    free(devices.name);
}
END_TEST

START_TEST(neuron_ls_without_devices_lists_none)
{
    struct host_devices devices = { 0 };

    ck_assert(!host_devices_from_neuron_ls("[]", &devices));
    ck_assert(!host_devices_from_neuron_ls("[{}]", &devices));
    ck_assert(!host_devices_from_neuron_ls("{}", &devices));
    ck_assert(!host_devices_from_neuron_ls("neuron-ls: no neuron devices", &devices));
    ck_assert_int_eq(devices.count, 0);
}
END_TEST

START_TEST(meminfo_tells_the_memory)
{
    ck_assert_int_eq(host_memory_mib("MemTotal:       16303428 kB\nMemFree: 1 kB\n"),
                     15921);
    ck_assert_int_eq(host_memory_mib("MemFree: 1 kB\n"), 0);
}
END_TEST

/* Children are watched by pidfds, which valgrind does not know: there is nothing to
 * test then. */
static bool has_pidfds(void)
{
    auto_close int fd = pidfd_open(getpid(), 0);

    return fd >= 0;
}

/* Tools that we write ourselves stand in for the makers', by PATH. */
static void host_with_tool(const char *name, const char *script, struct profile *host)
{
    char *folder = scratch_folder();
    auto_free char *command = xasprintf("#!/bin/sh\n%s\n", script);
    auto_free char *before = xstrdup(getenv("PATH"));

    scratch_program(folder, name, command);
    ck_assert_int_eq(setenv("PATH", folder, 1), 0);
    profile_of_host(host);
    ck_assert_int_eq(setenv("PATH", before, 1), 0);
    scratch_remove(folder);
}

START_TEST(the_tools_are_asked_where_they_are_on_path)
{
    struct profile host;

    if (!has_pidfds())
        return;
    host_with_tool("nvidia-smi",
                   "[ \"$*\" = '--query-gpu=name,memory.total --format=csv,noheader' ] "
                   "&& echo 'NVIDIA A10G, 23028 MiB'",
                   &host);
    ck_assert_str_eq(host.accelerator_kind, "gpu");
    ck_assert_str_eq(host.accelerator_name, "NVIDIA A10G");
    ck_assert_int_eq(host.accelerator_count, 1);
    ck_assert_int_eq(host.accelerator_memory_gib, 22);
    profile_clear(&host);
    host_with_tool("neuron-ls",
                   "echo '[{\"nc_count\": 2, \"memory_size\": 34359738368}]'", &host);
    ck_assert_str_eq(host.accelerator_kind, "neuroncore");
    ck_assert_int_eq(host.neuron_cores, 2);
    profile_clear(&host);
}
END_TEST

START_TEST(warnings_of_a_tool_do_not_disturb)
{
    struct profile host;

    if (!has_pidfds())
        return;
    host_with_tool("neuron-ls",
                   "echo 'a warning, [odd] 1 MiB' >&2; "
                   "echo '[{\"nc_count\": 2, \"memory_size\": 34359738368}]'",
                   &host);
    ck_assert_int_eq(host.neuron_cores, 2);
    profile_clear(&host);
}
END_TEST

START_TEST(a_tool_that_hangs_is_not_waited_for)
{
    struct profile host;
    usec_t start = clock_boot();

    if (!has_pidfds())
        return;
    host_with_tool("nvidia-smi", "exec /bin/sleep 60", &host);
    ck_assert_str_eq(host.accelerator_kind, "none");
    ck_assert_int_lt(clock_boot() - start, 30 * USEC_PER_SEC);
    profile_clear(&host);
}
END_TEST

START_TEST(a_tool_that_fails_means_no_accelerator)
{
    struct profile host;

    host_with_tool("nvidia-smi", "echo 'NVIDIA A10G, 23028 MiB'; exit 9", &host);
    ck_assert_str_eq(host.accelerator_kind, "none");
    ck_assert_int_eq(host.accelerator_count, 0);
    profile_clear(&host);
}
END_TEST

Suite *suite_profile(void)
{
    Suite *suite = suite_create("profile");
    TCase *cases = tcase_create("profile");

    tcase_set_timeout(cases, 60); /* one waits for a deadline of 5 s */
    tcase_add_test(cases, the_shipped_catalog_has_all_types_and_this_host);
    tcase_add_test(cases, a_type_has_what_its_file_says);
    tcase_add_test(cases, an_unknown_type_is_never_the_nearest_one);
    tcase_add_test(cases, a_price_is_the_one_in_force_at_that_time);
    tcase_add_test(cases, a_price_says_who_says_so_and_how_sure);
    tcase_add_test(cases, processes_follow_neuroncores_then_gpus_then_one);
    tcase_add_test(cases, this_host_is_as_it_is_and_unpriced);
    tcase_add_test(cases, a_mistake_in_a_file_is_named_with_file_and_member);
    tcase_add_test(cases, the_examples_of_the_manual_are_valid);
    tcase_add_test(cases, a_type_in_two_files_is_refused);
    tcase_add_test(cases, a_folder_without_profiles_is_told);
    tcase_add_test(cases, nvidia_smi_lists_gpus);
    tcase_add_test(cases, nvidia_smi_may_not_know_the_memory);
    tcase_add_test(cases, nvidia_smi_without_gpus_lists_none);
    tcase_add_test(cases, neuron_ls_lists_devices_and_their_cores);
    tcase_add_test(cases, neuron_ls_without_devices_lists_none);
    tcase_add_test(cases, meminfo_tells_the_memory);
    tcase_add_test(cases, the_tools_are_asked_where_they_are_on_path);
    tcase_add_test(cases, warnings_of_a_tool_do_not_disturb);
    tcase_add_test(cases, a_tool_that_hangs_is_not_waited_for);
    tcase_add_test(cases, a_tool_that_fails_means_no_accelerator);
    suite_add_tcase(suite, cases);
    return suite;
}
