/* What foreign programs say of accelerators, in the forms that they are known to have
 * and in those that they should not. */

#include "src/worker/accelerators.h"
#include "tests/unit/cases.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *words;
    const char *json; /* NULL: it is not understood */
} gpu_rows[] = {
    { "37, 1024, 40960, 65.21\n",
      "[{\"percent\":37,\"memory_bytes\":1073741824,\"memory_total_bytes\":42949672960,\"power_watts\":65.21}]" },
    { "0, 0, 1, 0.00\r\n100, 1, 1, 400.5",
      "[{\"percent\":0,\"memory_bytes\":0,\"memory_total_bytes\":1048576,\"power_watts\":0.00},"
      "{\"percent\":100,\"memory_bytes\":1048576,\"memory_total_bytes\":1048576,\"power_watts\":400.5}]" },
    { "[N/A], [Not Supported], 16384, [Unknown Error]\n",
      "[{\"percent\":null,\"memory_bytes\":null,\"memory_total_bytes\":17179869184,\"power_watts\":null}]" },
    { "", NULL },
    { "\n", NULL },
    { "No devices were found\n", NULL },
    { "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n", NULL },
    { "37, 1024, 40960\n", NULL },
    { "37, 1024, 40960, 65.21, 9\n", NULL },
    { "37, 1024, 40960, 65.21 W\n", NULL },
    { "nan, 1024, 40960, 65.21\n", NULL },
    { "inf, 1024, 40960, 65.21\n", NULL },
    { "-1, 1024, 40960, 65.21\n", NULL },
    { "0x10, 1024, 40960, 65.21\n", NULL },
    { "37, 1e300, 40960, 65.21\n", NULL },
    { "37, 1024, 40960, 65.21\nWARNING: infoROM is corrupted at gpu 0000:00:1E.0\n", NULL },
};

static const struct {
    const char *line;
    const char *json;
    int64_t device_bytes;
} neuron_rows[] = {
    { "{\"neuron_runtime_data\":[{\"report\":{\"neuroncore_counters\":{\"neuroncores_in_use\":"
      "{\"0\":{\"neuroncore_utilization\":42.8},\"3\":{\"neuroncore_utilization\":0}}},"
      "\"memory_used\":{\"neuron_runtime_used_bytes\":{\"host\":1,\"neuron_device\":4096}}}}]}",
      "[{\"core\":0,\"percent\":42.8},{\"core\":3,\"percent\":0}]", 4096 },
    { "{\"neuron_runtime_data\":["
      "{\"report\":{\"neuroncore_counters\":{\"neuroncores_in_use\":{\"0\":{\"neuroncore_utilization\":1}}},"
      "\"memory_used\":{\"neuron_runtime_used_bytes\":{\"neuron_device\":10}}}},"
      "{\"report\":{\"neuroncore_counters\":{\"neuroncores_in_use\":{\"1\":{\"neuroncore_utilization\":2}}},"
      "\"memory_used\":{\"neuron_runtime_used_bytes\":{\"neuron_device\":20}}}}]}",
      "[{\"core\":0,\"percent\":1},{\"core\":1,\"percent\":2}]", 30 },
    /* No program uses a core. */
    { "{\"neuron_runtime_data\":[],\"system_data\":{}}", "[]", 0 },
    /* A group that failed, as its "error" says. */
    { "{\"neuron_runtime_data\":[{\"report\":{\"neuroncore_counters\":{\"error\":\"no driver\"}}}]}", "[]", 0 },
    { "{\"neuron_runtime_data\":[{\"report\":{\"neuroncore_counters\":{\"neuroncores_in_use\":"
      "{\"0\":{\"neuroncore_utilization\":\"high\"}}}}}]}", "[]", 0 },
    { "{\"neuron_runtime_data\":7}", NULL, 0 },
    { "{}", NULL, 0 },
    { "[]", NULL, 0 },
    { "{\"neuron_runtime_data\":[", NULL, 0 },
    { "neuron-monitor: no devices", NULL, 0 },
    { "", NULL, 0 },
};
/* clang-format on */

static void check_json(struct cJSON *value, const char *wanted)
{
    auto_json struct cJSON *owned = value;
    auto_free char *got = owned ? json_print(owned) : NULL;

    if (wanted)
        ck_assert_pstr_eq(got, wanted);
    else
        ck_assert_ptr_null(got);
}

START_TEST(words_of_nvidia_smi_are_figures_or_nothing)
{
    check_json(accelerators_read_gpus(gpu_rows[_i].words), gpu_rows[_i].json);
}
END_TEST

START_TEST(a_report_of_neuron_monitor_is_figures_or_nothing)
{
    int64_t bytes = 0;

    check_json(accelerators_read_neuron(neuron_rows[_i].line,
                                        strlen(neuron_rows[_i].line), &bytes),
               neuron_rows[_i].json);
    ck_assert_int_eq(bytes, neuron_rows[_i].device_bytes);
}
END_TEST

Suite *suite_accelerators(void)
{
    Suite *suite = suite_create("accelerators");
    TCase *tests = tcase_create("accelerators");

    tcase_add_loop_test(tests, words_of_nvidia_smi_are_figures_or_nothing, 0,
                        ARRAY_SIZE(gpu_rows));
    tcase_add_loop_test(tests, a_report_of_neuron_monitor_is_figures_or_nothing, 0,
                        ARRAY_SIZE(neuron_rows));
    suite_add_tcase(suite, tests);
    return suite;
}
