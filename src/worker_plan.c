/* A worker's plan as JSON, there and back.  Decides only the names of its members;
 * they are those of struct worker_plan. */

#include "src/json.h"
#include "src/launch_plan.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

/* Room for the ranks, metrics and channels of any job, and a bound on what a damaged
 * plan can ask for. */
enum {
    ITEMS_MAX = 1024
};

static const char *const rank_kind_names[] = {
    [RANK_PROGRAM] = "program",
    [RANK_LAUNCHER] = "launcher",
    [RANK_SERVER] = "server",
    [RANK_REMOTE] = "remote",
};

const char *rank_kind_name(enum rank_kind kind)
{
    return rank_kind_names[kind];
}

static void free_lists(struct worker_plan *plan)
{
    for (size_t i = 0; i < plan->config_count; i++) {
        free(plan->configs[i].name);
        free(plan->configs[i].text);
    }
    free(plan->configs);
    for (size_t i = 0; i < plan->channel_count; i++)
        channel_clear(&plan->channels[i]);
    free(plan->channels);
    for (size_t i = 0; i < plan->metric_count; i++) {
        free(plan->metrics[i].name);
        free(plan->metrics[i].regex);
    }
    free(plan->metrics);
    for (size_t i = 0; i < plan->rank_count; i++) {
        words_free(plan->ranks[i].argv);
        words_free(plan->ranks[i].env);
    }
    free(plan->ranks);
}

void worker_plan_free(struct worker_plan *plan)
{
    if (!plan)
        return;
    free(plan->job_id);
    free(plan->job_name);
    free(plan->host_name);
    free(plan->hosts);
    free(plan->ml_folder);
    free(plan->work_folder);
    free(plan->checkpoint_path);
    free(plan->output_uri);
    free(plan->checkpoint_uri);
    storage_clear(&plan->storage);
    words_free(plan->peers);
    free(plan->source_archive);
    free(plan->cgroup);
    free(plan->memory_cgroup);
    free_lists(plan);
    free(plan);
}

static struct cJSON *words_to_json(char *const *words)
{
    struct cJSON *array = json_array_new();

    for (char *const *word = words; word && *word; word++)
        json_append_text(array, *word);
    return array;
}

static struct cJSON *ranks_to_json(const struct worker_plan *plan)
{
    struct cJSON *array = json_array_new();

    for (size_t i = 0; i < plan->rank_count; i++) {
        struct cJSON *rank = json_object_new();

        json_set_text(rank, "kind", rank_kind_name(plan->ranks[i].kind));
        json_set_int(rank, "rank", plan->ranks[i].rank);
        json_set_int(rank, "local_rank", plan->ranks[i].local_rank);
        json_set(rank, "argv", words_to_json(plan->ranks[i].argv));
        json_set(rank, "env", words_to_json(plan->ranks[i].env));
        json_append(array, rank);
    }
    return array;
}

static struct cJSON *metrics_to_json(const struct worker_plan *plan)
{
    struct cJSON *array = json_array_new();

    for (size_t i = 0; i < plan->metric_count; i++) {
        struct cJSON *metric = json_object_new();

        json_set_text(metric, "name", plan->metrics[i].name);
        json_set_text(metric, "regex", plan->metrics[i].regex);
        json_append(array, metric);
    }
    return array;
}

static struct cJSON *configs_to_json(const struct worker_plan *plan)
{
    struct cJSON *array = json_array_new();

    for (size_t i = 0; i < plan->config_count; i++) {
        struct cJSON *config = json_object_new();

        json_set_text(config, "name", plan->configs[i].name);
        json_set_text(config, "text", plan->configs[i].text);
        json_append(array, config);
    }
    return array;
}

/* By name, as a spec has them. */
static struct cJSON *channels_to_json(const struct worker_plan *plan)
{
    struct cJSON *object = json_object_new();

    for (size_t i = 0; i < plan->channel_count; i++)
        json_set(object, plan->channels[i].name, channel_to_json(&plan->channels[i]));
    return object;
}

/* What is moved before, beside and after the ranks. */
static void staging_to_json(const struct worker_plan *plan, struct cJSON *json)
{
    json_set(json, "configs", configs_to_json(plan));
    json_set(json, "channels", channels_to_json(plan));
    json_set_int(json, "local_processes", plan->local_processes);
    json_set_text(json, "output_uri", plan->output_uri);
    json_set_bool(json, "output_compressed", plan->output_compressed);
    json_set_text(json, "checkpoint_uri", plan->checkpoint_uri);
    json_set(json, "storage", storage_to_json(&plan->storage));
    json_set(json, "peers", plan->peers ? words_to_json(plan->peers) : json_null_new());
}

struct cJSON *worker_plan_to_json(const struct worker_plan *plan)
{
    struct cJSON *json = json_object_new();

    json_set_text(json, "job_id", plan->job_id);
    json_set_text(json, "job_name", plan->job_name);
    json_set_int(json, "attempt", plan->attempt);
    json_set_int(json, "worker", plan->worker);
    json_set_int(json, "world_size", plan->world_size);
    json_set_int(json, "worker_count", plan->worker_count);
    json_set_bool(json, "isolate", plan->isolate);
    json_set_text(json, "host_name", plan->host_name);
    json_set_text(json, "hosts", plan->hosts);
    json_set_text(json, "ml_folder", plan->ml_folder);
    json_set_text(json, "work_folder", plan->work_folder);
    json_set_text(json, "checkpoint_path", plan->checkpoint_path);
    staging_to_json(plan, json);
    json_set_int(json, "memory_bytes", plan->memory_bytes);
    json_set_text(json, "source_archive", plan->source_archive);
    json_set_text(json, "cgroup", plan->cgroup);
    json_set_text(json, "memory_cgroup", plan->memory_cgroup);
    json_set_int(json, "rank_log_bytes", plan->rank_log_bytes);
    json_set_int(json, "max_run_s", plan->max_run_s);
    json_set_int(json, "grace_s", plan->grace_s);
    json_set(json, "metrics", metrics_to_json(plan));
    json_set(json, "ranks", ranks_to_json(plan));
    return json;
}

static int words_from_json(const struct cJSON *object, const char *name, char ***out,
                           struct err *err)
{
    const struct cJSON *array = json_get(object, name);
    char **words = xcalloc(json_count(array) + 1, sizeof *words);
    size_t used = 0;

    json_each (item, array) {
        const char *word = json_text(item);

        if (!word) {
            words_free(words);
            return err_set(err, ERR_INVALID, "%s: a text was expected", name);
        }
        words[used++] = xstrdup(word);
    }
    *out = words;
    return 0;
}

static int text_from_json(const struct cJSON *object, const char *name, char **out,
                          struct err *err)
{
    const char *text = json_get_text(object, name);

    if (!text)
        return err_set(err, ERR_INVALID, "%s: a text was expected", name);
    *out = xstrdup(text);
    return 0;
}

static int int_from_json(const struct cJSON *object, const char *name, int64_t max,
                         int64_t *out, struct err *err)
{
    const struct cJSON *member = json_get(object, name);
    int64_t number;

    if (!member || !json_to_int(member, &number) || number < 0 || number > max)
        return err_set(err, ERR_INVALID, "%s: a whole number was expected", name);
    *out = number;
    return 0;
}

static int small_from_json(const struct cJSON *object, const char *name, int *out,
                           struct err *err)
{
    int64_t number = 0;

    if (int_from_json(object, name, INT32_MAX, &number, err) < 0)
        return -1;
    *out = (int)number;
    return 0;
}

static int kind_from_json(const struct cJSON *json, enum rank_kind *out,
                          struct err *err)
{
    const char *name = json_get_text(json, "kind");

    for (size_t i = 0; name && i < ARRAY_SIZE(rank_kind_names); i++) {
        if (strcmp(name, rank_kind_names[i]) == 0) {
            *out = (enum rank_kind)i;
            return 0;
        }
    }
    return err_set(err, ERR_INVALID, "kind: the kind of a rank was expected");
}

static int rank_from_json(const struct cJSON *json, struct worker_plan *plan,
                          struct err *err)
{
    struct rank_plan *rank = &plan->ranks[plan->rank_count++];

    if (kind_from_json(json, &rank->kind, err) < 0
        || small_from_json(json, "rank", &rank->rank, err) < 0
        || small_from_json(json, "local_rank", &rank->local_rank, err) < 0
        || words_from_json(json, "argv", &rank->argv, err) < 0
        || words_from_json(json, "env", &rank->env, err) < 0)
        return -1;
    if (!rank->argv[0] && rank->kind != RANK_REMOTE)
        return err_set(err, ERR_INVALID, "argv: is empty");
    return 0;
}

static int metric_from_json(const struct cJSON *json, struct worker_plan *plan,
                            struct err *err)
{
    struct metric_definition *metric = &plan->metrics[plan->metric_count++];

    if (text_from_json(json, "name", &metric->name, err) < 0)
        return -1;
    return text_from_json(json, "regex", &metric->regex, err);
}

static int config_from_json(const struct cJSON *json, struct worker_plan *plan,
                            struct err *err)
{
    struct config_file *config = &plan->configs[plan->config_count++];

    if (text_from_json(json, "name", &config->name, err) < 0)
        return -1;
    return text_from_json(json, "text", &config->text, err);
}

static int channel_read(const struct cJSON *json, struct worker_plan *plan,
                        struct err *err)
{
    struct channel *channel = &plan->channels[plan->channel_count];

    if (!json_name(json))
        return err_set(err, ERR_INVALID, "a name was expected");
    if (channel_from_json(json_name(json), json, channel, err) < 0)
        return -1;
    plan->channel_count++;
    return 0;
}

/* A list of the plan; every item adds itself to what was made for all of them. */
static int list_from_json(const struct cJSON *json, const char *name,
                          struct worker_plan *plan,
                          int (*read)(const struct cJSON *, struct worker_plan *,
                                      struct err *),
                          struct err *err)
{
    size_t index = 0;

    json_each (item, json_get(json, name)) {
        if (read(item, plan, err) < 0)
            return err_wrap(err, "%s[%zu]", name, index);
        index++;
    }
    return 0;
}

static int count_from_json(const struct cJSON *json, const char *name, size_t *out,
                           struct err *err)
{
    *out = json_count(json_get(json, name));
    if (*out > ITEMS_MAX)
        return err_set(err, ERR_INVALID, "%s: at most %d were expected", name,
                       ITEMS_MAX);
    return 0;
}

static int lists_from_json(const struct cJSON *json, struct worker_plan *plan,
                           struct err *err)
{
    size_t configs;
    size_t channels;
    size_t metrics;
    size_t ranks;

    if (count_from_json(json, "configs", &configs, err) < 0
        || count_from_json(json, "channels", &channels, err) < 0
        || count_from_json(json, "metrics", &metrics, err) < 0
        || count_from_json(json, "ranks", &ranks, err) < 0)
        return -1;
    plan->configs = xcalloc(configs, sizeof *plan->configs);
    plan->channels = xcalloc(channels, sizeof *plan->channels);
    plan->metrics = xcalloc(metrics, sizeof *plan->metrics);
    plan->ranks = xcalloc(ranks, sizeof *plan->ranks);
    if (list_from_json(json, "configs", plan, config_from_json, err) < 0
        || list_from_json(json, "channels", plan, channel_read, err) < 0
        || list_from_json(json, "metrics", plan, metric_from_json, err) < 0)
        return -1;
    return list_from_json(json, "ranks", plan, rank_from_json, err);
}

static int staging_from_json(const struct cJSON *json, struct worker_plan *plan,
                             struct err *err)
{
    plan->output_uri = xstrdup(json_get_text(json, "output_uri"));
    plan->output_compressed = json_get_bool(json, "output_compressed");
    plan->checkpoint_uri = xstrdup(json_get_text(json, "checkpoint_uri"));
    if (json_kind(json_get(json, "peers")) == JSON_ARRAY
        && words_from_json(json, "peers", &plan->peers, err) < 0)
        return -1;
    if (small_from_json(json, "local_processes", &plan->local_processes, err) < 0)
        return -1;
    if (storage_from_json(json_get(json, "storage"), &plan->storage, err) < 0)
        return err_wrap(err, "storage");
    return 0;
}

static int frame_from_json(const struct cJSON *json, struct worker_plan *plan,
                           struct err *err)
{
    plan->isolate = json_get_bool(json, "isolate");
    plan->source_archive = xstrdup(json_get_text(json, "source_archive"));
    plan->cgroup = xstrdup(json_get_text(json, "cgroup"));
    plan->memory_cgroup = xstrdup(json_get_text(json, "memory_cgroup"));
    if (text_from_json(json, "job_id", &plan->job_id, err) < 0
        || text_from_json(json, "job_name", &plan->job_name, err) < 0
        || small_from_json(json, "attempt", &plan->attempt, err) < 0
        || small_from_json(json, "worker", &plan->worker, err) < 0
        || small_from_json(json, "worker_count", &plan->worker_count, err) < 0
        || small_from_json(json, "world_size", &plan->world_size, err) < 0
        || text_from_json(json, "host_name", &plan->host_name, err) < 0
        || text_from_json(json, "hosts", &plan->hosts, err) < 0
        || text_from_json(json, "ml_folder", &plan->ml_folder, err) < 0
        || text_from_json(json, "work_folder", &plan->work_folder, err) < 0
        || text_from_json(json, "checkpoint_path", &plan->checkpoint_path, err) < 0)
        return -1;
    return int_from_json(json, "memory_bytes", INT64_MAX, &plan->memory_bytes, err);
}

/* Bounded so that seconds as microseconds on the boot clock cannot overflow. */
static int limits_from_json(const struct cJSON *json, struct worker_plan *plan,
                            struct err *err)
{
    if (int_from_json(json, "rank_log_bytes", INT64_MAX, &plan->rank_log_bytes, err) < 0
        || int_from_json(json, "max_run_s", INT32_MAX, &plan->max_run_s, err) < 0)
        return -1;
    return int_from_json(json, "grace_s", INT32_MAX, &plan->grace_s, err);
}

int worker_plan_from_json(const struct cJSON *json, struct worker_plan **out,
                          struct err *err)
{
    struct worker_plan *plan = xcalloc(1, sizeof *plan);

    if (frame_from_json(json, plan, err) < 0 || limits_from_json(json, plan, err) < 0
        || staging_from_json(json, plan, err) < 0
        || lists_from_json(json, plan, err) < 0) {
        worker_plan_free(plan);
        return -1;
    }
    *out = plan;
    return 0;
}
