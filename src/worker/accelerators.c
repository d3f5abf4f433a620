/* Asks nvidia-smi at each sample anew, and lets neuron-monitor run on: each as it is
 * made for.  Decides when one that gives nothing of use is not asked again. */

#include "src/worker/accelerators.h"

#include "src/process.h"
#include "src/worker/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Answers in a row that cannot be used, or do not come before the next sample: then
 * the driver is not well, and every further question is one more process that hangs. */
enum {
    FAILURES_MAX = 3
};

/* A PiB, in MiB: no field of a GPU is as large. */
#define FIELD_MAX 1073741824.0

/* So many cores has the largest host, by far. */
enum {
    CORES_MAX = 1024
};

struct accelerators {
    char *const *env;
    char *nvidia_smi;     /* path; NULL: there is none, or it is given up */
    char *neuron_monitor; /* the same */
    bool looked_for;
    int failures; /* of nvidia-smi, in a row */
    struct tool gpus;
    struct tool neuron;
};

static const char *value_of(char *const *env, const char *name)
{
    size_t len = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return NULL;
}

struct accelerators *accelerators_new(char *const *env)
{
    struct accelerators *accelerators = xcalloc(1, sizeof *accelerators);

    accelerators->env = env;
    accelerators->gpus = TOOL_NONE;
    accelerators->neuron = TOOL_NONE;
    return accelerators;
}

void accelerators_free(struct accelerators *accelerators)
{
    if (!accelerators)
        return;
    tool_end(&accelerators->gpus);
    tool_end(&accelerators->neuron);
    free(accelerators->nvidia_smi);
    free(accelerators->neuron_monitor);
    free(accelerators);
}

/* --- nvidia-smi --- */

enum gpu_field {
    GPU_UTILIZATION,
    GPU_MEMORY_USED,
    GPU_MEMORY_TOTAL,
    GPU_POWER,
    GPU_FIELDS
};

/* "37, 1024, 40960, 65.21": percent, MiB, MiB, W. */
static const char gpu_query[] =
    "--query-gpu=utilization.gpu,memory.used,memory.total,power.draw";
static const char gpu_format[] = "--format=csv,noheader,nounits";

/* True for a number, and for "[N/A]" and its like, which give null. */
static bool read_field(const char *words, bool in_mib, struct cJSON **out)
{
    double number;

    if (*words == '[') {
        *out = json_null_new();
        return true;
    }
    if (!json_is_number_text(words))
        return false;
    number = strtod(words, NULL);
    if (number < 0 || number > FIELD_MAX)
        return false;
    *out = in_mib ? json_int_new((int64_t)number << 20) : json_number_new(words);
    return true;
}

static struct cJSON *read_gpu(char *line)
{
    static const char *const names[GPU_FIELDS] = {
        [GPU_UTILIZATION] = "percent",
        [GPU_MEMORY_USED] = "memory_bytes",
        [GPU_MEMORY_TOTAL] = "memory_total_bytes",
        [GPU_POWER] = "power_watts",
    };
    auto_json struct cJSON *gpu = json_object_new();
    char *rest = line;

    for (int field = 0; field < GPU_FIELDS; field++) {
        char *words = strsep(&rest, ",");
        struct cJSON *value;

        if (!words)
            return NULL;
        words += strspn(words, " ");
        if (!read_field(words, field == GPU_MEMORY_USED || field == GPU_MEMORY_TOTAL,
                        &value))
            return NULL;
        json_set(gpu, names[field], value);
    }
    return rest ? NULL : steal_ptr(&gpu);
}

struct cJSON *accelerators_read_gpus(const char *words)
{
    auto_free char *lines = xstrdup(words);
    auto_json struct cJSON *gpus = json_array_new();
    char *rest = NULL;

    for (char *line = strtok_r(lines, "\r\n", &rest); line;
         line = strtok_r(NULL, "\r\n", &rest)) {
        struct cJSON *gpu = read_gpu(line);

        if (!gpu)
            return NULL;
        json_append(gpus, gpu);
    }
    return json_count(gpus) > 0 ? steal_ptr(&gpus) : NULL;
}

static void hear_gpus(struct accelerators *accelerators, struct cJSON *sample)
{
    struct tool *tool = &accelerators->gpus;
    struct cJSON *gpus = NULL;

    if (tool->pidfd < 0)
        return;
    tool_hear(tool);
    if (tool->finished && tool->heard.len > 0)
        gpus = accelerators_read_gpus(tool->heard.bytes);
    tool_end(tool);
    accelerators->failures = gpus ? 0 : accelerators->failures + 1;
    if (gpus)
        json_set(sample, "gpus", gpus);
}

/* What the environment of a rank has that is not for every program may be secret. */
static void start(struct accelerators *accelerators, struct tool *tool,
                  const char *const *argv)
{
    static const char *const names[] = { "PATH",
                                         "HOME",
                                         "LD_LIBRARY_PATH",
                                         "RAILHEAD_JOB_ID",
                                         "RAILHEAD_ATTEMPT",
                                         "RAILHEAD_WORKER" };
    char **words = NULL;
    char **env = NULL;

    for (; *argv; argv++)
        words_add(&words, xstrdup(*argv));
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *value = value_of(accelerators->env, names[i]);

        if (value)
            words_add(&env, xasprintf("%s=%s", names[i], value));
    }
    tool_start(tool, words, env);
    words_free(words);
    words_free(env);
}

static void ask_gpus(struct accelerators *accelerators)
{
    const char *const argv[] = { accelerators->nvidia_smi, gpu_query, gpu_format,
                                 NULL };

    if (accelerators->nvidia_smi && accelerators->failures < FAILURES_MAX)
        start(accelerators, &accelerators->gpus, argv);
}

/* --- neuron-monitor --- */

/* One runtime's cores; several runtimes use different ones. */
static void add_cores(struct cJSON *cores, const struct cJSON *in_use)
{
    json_each (item, in_use) {
        double percent;
        struct cJSON *core;

        if (json_count(cores) >= CORES_MAX
            || !json_to_double(json_get(item, "neuroncore_utilization"), &percent))
            continue;
        core = json_object_new();
        json_set_int(core, "core", strtol(json_name(item), NULL, 10));
        json_set_double(core, "percent", percent);
        json_append(cores, core);
    }
}

struct cJSON *accelerators_read_neuron(const char *line, size_t len,
                                       int64_t *device_bytes)
{
    auto_json struct cJSON *report = NULL;
    const struct cJSON *runtimes;
    struct cJSON *cores;

    if (json_parse(line, len, &report, NULL) < 0)
        return NULL;
    runtimes = json_get(report, "neuron_runtime_data");
    if (!runtimes || json_kind(runtimes) != JSON_ARRAY)
        return NULL;
    cores = json_array_new();
    *device_bytes = 0;
    json_each (runtime, runtimes) {
        const struct cJSON *data = json_get(runtime, "report");
        const struct cJSON *memory = json_get(data, "memory_used");

        add_cores(cores, json_get(json_get(data, "neuroncore_counters"),
                                  "neuroncores_in_use"));
        *device_bytes += json_get_int(json_get(memory, "neuron_runtime_used_bytes"),
                                      "neuron_device", 0);
    }
    return cores;
}

/* The last whole line is the newest report; what comes before it is passed over. */
static void hear_neuron(struct accelerators *accelerators, struct cJSON *sample)
{
    struct tool *tool = &accelerators->neuron;
    struct cJSON *cores;
    int64_t device_bytes;
    const char *end;
    const char *begin;

    tool_hear(tool);
    end = tool->heard.len ? memrchr(tool->heard.bytes, '\n', tool->heard.len) : NULL;
    if (end) {
        begin = end > tool->heard.bytes ? memrchr(tool->heard.bytes, '\n',
                                                  (size_t)(end - tool->heard.bytes))
                                        : NULL;
        begin = begin ? begin + 1 : tool->heard.bytes;
        cores = accelerators_read_neuron(begin, (size_t)(end - begin), &device_bytes);
        text_drop(&tool->heard, (size_t)(end + 1 - tool->heard.bytes));
        if (cores) {
            json_set(sample, "neuron_cores", cores);
            json_set_int(sample, "neuron_memory_bytes", device_bytes);
        }
    }
    if (tool->finished) /* or says nothing that ends: it is not started again */
        tool_end(tool);
}

/* --- both --- */

/* At the first sample, so that a job that is over before it pays nothing. */
static void look_for(struct accelerators *accelerators)
{
    const char *path = value_of(accelerators->env, "PATH");

    accelerators->looked_for = true;
    accelerators->nvidia_smi = program_find("nvidia-smi", path);
    accelerators->neuron_monitor = program_find("neuron-monitor", path);
    if (accelerators->neuron_monitor) {
        const char *const argv[] = { accelerators->neuron_monitor, NULL };

        start(accelerators, &accelerators->neuron, argv);
    }
}

void accelerators_sample_last(struct accelerators *accelerators, struct cJSON *sample)
{
    hear_gpus(accelerators, sample);
    hear_neuron(accelerators, sample);
}

void accelerators_sample(struct accelerators *accelerators, struct cJSON *sample)
{
    if (!accelerators->looked_for)
        look_for(accelerators);
    accelerators_sample_last(accelerators, sample);
    ask_gpus(accelerators);
}
