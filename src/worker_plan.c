/* A worker's plan as JSON, there and back.  Decides only the names of its members;
 * they are those of struct worker_plan. */

#include "src/json.h"
#include "src/launch_plan.h"
#include "src/text.h"

#include <stdlib.h>

/* Room for the ranks and metrics of any instance type, and a bound on what a damaged
 * plan can ask for. */
enum {
    RANKS_MAX = 1024,
    METRICS_MAX = 1024
};

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
    free(plan->source_archive);
    free(plan->cgroup);
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
    json_set_text(json, "ml_folder", plan->ml_folder);
    json_set_text(json, "work_folder", plan->work_folder);
    json_set_text(json, "checkpoint_path", plan->checkpoint_path);
    json_set_text(json, "source_archive", plan->source_archive);
    json_set_text(json, "cgroup", plan->cgroup);
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

static int rank_from_json(const struct cJSON *json, struct rank_plan *rank,
                          struct err *err)
{
    if (small_from_json(json, "rank", &rank->rank, err) < 0
        || small_from_json(json, "local_rank", &rank->local_rank, err) < 0
        || words_from_json(json, "argv", &rank->argv, err) < 0
        || words_from_json(json, "env", &rank->env, err) < 0)
        return -1;
    if (!rank->argv[0])
        return err_set(err, ERR_INVALID, "argv: is empty");
    return 0;
}

static int ranks_from_json(const struct cJSON *array, struct worker_plan *plan,
                           struct err *err)
{
    size_t count = json_count(array);

    if (count == 0 || count > RANKS_MAX)
        return err_set(err, ERR_INVALID, "ranks: 1 to %d were expected", RANKS_MAX);
    plan->ranks = xcalloc(count, sizeof *plan->ranks);
    plan->rank_count = count;
    count = 0;
    json_each (item, array) {
        if (rank_from_json(item, &plan->ranks[count], err) < 0)
            return err_wrap(err, "ranks[%zu]", count);
        count++;
    }
    return 0;
}

static int metrics_from_json(const struct cJSON *array, struct worker_plan *plan,
                             struct err *err)
{
    size_t count = json_count(array);

    if (count > METRICS_MAX)
        return err_set(err, ERR_INVALID, "metrics: at most %d were expected",
                       METRICS_MAX);
    plan->metrics = xcalloc(count, sizeof *plan->metrics);
    plan->metric_count = count;
    count = 0;
    json_each (item, array) {
        struct metric_definition *metric = &plan->metrics[count++];

        if (text_from_json(item, "name", &metric->name, err) < 0
            || text_from_json(item, "regex", &metric->regex, err) < 0)
            return err_wrap(err, "metrics[%zu]", count - 1);
    }
    return 0;
}

static int frame_from_json(const struct cJSON *json, struct worker_plan *plan,
                           struct err *err)
{
    plan->source_archive = xstrdup(json_get_text(json, "source_archive"));
    plan->cgroup = xstrdup(json_get_text(json, "cgroup"));
    if (text_from_json(json, "job_id", &plan->job_id, err) < 0
        || text_from_json(json, "job_name", &plan->job_name, err) < 0
        || small_from_json(json, "attempt", &plan->attempt, err) < 0
        || small_from_json(json, "worker", &plan->worker, err) < 0
        || small_from_json(json, "world_size", &plan->world_size, err) < 0
        || small_from_json(json, "worker_count", &plan->worker_count, err) < 0
        || text_from_json(json, "host_name", &plan->host_name, err) < 0
        || text_from_json(json, "ml_folder", &plan->ml_folder, err) < 0
        || text_from_json(json, "work_folder", &plan->work_folder, err) < 0
        || text_from_json(json, "checkpoint_path", &plan->checkpoint_path, err) < 0)
        return -1;
    /* Bounded so that seconds as microseconds on the boot clock cannot overflow. */
    if (int_from_json(json, "max_run_s", INT32_MAX, &plan->max_run_s, err) < 0)
        return -1;
    return int_from_json(json, "grace_s", INT32_MAX, &plan->grace_s, err);
}

int worker_plan_from_json(const struct cJSON *json, struct worker_plan **out,
                          struct err *err)
{
    struct worker_plan *plan = xcalloc(1, sizeof *plan);

    if (frame_from_json(json, plan, err) < 0
        || metrics_from_json(json_get(json, "metrics"), plan, err) < 0
        || ranks_from_json(json_get(json, "ranks"), plan, err) < 0) {
        worker_plan_free(plan);
        return -1;
    }
    *out = plan;
    return 0;
}
