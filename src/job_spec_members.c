/*
 * The larger members of a spec, each by a table or a loop of its own.  Decides what one
 * member may say by itself; what members say together is job_spec_parse.c's.
 */

#include "src/job_spec_members.h"

#include "src/money.h"
#include "src/regex.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

static void take_text(const struct cJSON *value, const struct member_place *place,
                      size_t bytes_max, char **out)
{
    const char *text;

    if (!member_text(value, place, bytes_max, &text))
        return;
    if (text_has_control(text))
        member_problem(place, NULL, "has a control character");
    else
        *out = xstrdup(text);
}

/* Work is counted from one millionth up, as money's arithmetic has it. */
static void take_amount(const struct cJSON *value, const struct member_place *place,
                        char **out)
{
    const char *number;
    micro_t micro;
    struct err err;

    if (!member_decimal(value, place, &number))
        return;
    if (micro_parse(number, &micro, &err) < 0)
        member_problem(place, NULL, "%s", err.text);
    else if (micro == 0)
        member_problem(place, NULL, "is 0; at least 0.000001 is expected");
    else
        *out = xstrdup(number);
}

/* --- command --- */

void spec_read_command(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct job_spec *spec = into;
    char **words;
    size_t index = 0;

    if (json_kind(value) == JSON_TEXT) {
        member_problem(
            place,
            "write [\"program\", \"argument\", ...]; for a shell line [\"/bin/sh\", \"-c\", \"...\"]",
            "expected a list of words, got text");
        return;
    }
    if (!member_array(value, place, SPEC_WORDS_MAX))
        return;
    if (json_count(value) == 0) {
        member_problem(place, "name a program", "is empty");
        return;
    }
    words = xcalloc(json_count(value) + 1, sizeof *words);
    spec->command = words;
    json_each (word, value) {
        struct member_place at = member_element(place, index);
        const char *text = json_text(word);

        /* An empty argument is one, too; an empty program is none. */
        if ((text && !*text && index > 0)
            || member_text(word, &at, SPEC_EXEC_ONE_MAX, &text))
            words[index] = xstrdup(text);
        else
            words[index] = xstrdup("");
        index++;
    }
}

/* --- hyperparameters, environment, tags: the user's own names --- */

static void check_hyperparameter_name(const char *name,
                                      const struct member_place *place)
{
    if (!*name || strlen(name) > SPEC_NAME_MAX)
        member_problem(place, NULL, "a name has 1 to %d bytes", (int)SPEC_NAME_MAX);
    else if (text_has_control(name) || strchr(name, '='))
        member_problem(
            place, "choose a name without it",
            "the name has '=' or a control character, which no environment variable can carry");
}

void spec_read_hyperparameters(void *into, const struct cJSON *value,
                               const struct member_place *place)
{
    struct job_spec *spec = into;
    auto_free char *printed = NULL;

    if (!member_object(value, place, SPEC_HYPERPARAMETERS_MAX))
        return;
    json_each (one, value) {
        struct member_place at = member_below(place, json_name(one));

        check_hyperparameter_name(at.name, &at);
    }
    printed = json_print(value);
    if (strlen(printed) > SPEC_HYPERPARAMETERS_BYTES_MAX)
        member_problem(place, "put large values into a file in source_dir",
                       "are %zu bytes as JSON, at most %d are allowed", strlen(printed),
                       (int)SPEC_HYPERPARAMETERS_BYTES_MAX);
    json_free(spec->hyperparameters);
    spec->hyperparameters = json_copy(value);
}

static bool is_variable_name(const char *name)
{
    static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char rest[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    return *name && strchr(first, *name) && name[strspn(name, rest)] == '\0';
}

static void check_variable(const struct cJSON *value, const struct member_place *place)
{
    const char *text = json_text(value);
    size_t len;

    if (!is_variable_name(place->name) || strlen(place->name) > SPEC_NAME_MAX)
        member_problem(place,
                       "begin with a letter or _, go on with letters, digits and _",
                       "is not a name for an environment variable");
    if (!text) {
        (void)member_not_text(value, place);
        return;
    }
    len = strlen(place->name) + 1 + strlen(text);
    if (len > SPEC_EXEC_ONE_MAX)
        member_problem(place, "put it into a file in source_dir",
                       "is %zu bytes with its name, Linux takes at most %d", len,
                       (int)SPEC_EXEC_ONE_MAX);
}

void spec_read_environment(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct job_spec *spec = into;

    if (!member_object(value, place, SPEC_ENVIRONMENT_MAX))
        return;
    json_each (one, value) {
        struct member_place at = member_below(place, json_name(one));

        check_variable(one, &at);
    }
    json_free(spec->environment);
    spec->environment = json_copy(value);
}

/* Characters, not bytes: as SageMaker counts. */
static size_t characters(const char *utf8)
{
    size_t count = 0;

    for (; *utf8; utf8++)
        count += ((unsigned char)*utf8 & 0xC0U) != 0x80U;
    return count;
}

static void check_tag(const struct cJSON *value, const struct member_place *place)
{
    const char *text = json_text(value);
    size_t len = characters(place->name);

    if (len == 0 || len > SPEC_TAG_NAME_MAX || text_has_control(place->name))
        member_problem(
            place, NULL,
            "a tag's name has 1 to %d characters, none of them a control character",
            (int)SPEC_TAG_NAME_MAX);
    else if (text_starts_with(place->name, "aws:"))
        member_problem(place, "choose another name",
                       "names that begin with aws: are reserved");
    if (!text) {
        (void)member_not_text(value, place);
    } else if (characters(text) > SPEC_TAG_VALUE_MAX || text_has_control(text)) {
        member_problem(
            place, NULL,
            "a tag's value has at most %d characters, none of them a control character",
            (int)SPEC_TAG_VALUE_MAX);
    }
}

void spec_read_tags(void *into, const struct cJSON *value,
                    const struct member_place *place)
{
    struct job_spec *spec = into;

    if (!member_object(value, place, SPEC_TAGS_MAX))
        return;
    json_each (one, value) {
        struct member_place at = member_below(place, json_name(one));

        check_tag(one, &at);
    }
    json_free(spec->tags);
    spec->tags = json_copy(value);
}

/* --- budget_usd --- */

void spec_read_budget(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct job_spec *spec = into;

    (void)member_usd(value, place, &spec->budget);
}

/* --- metric_definitions --- */

static void read_metric_name(void *into, const struct cJSON *value,
                             const struct member_place *place)
{
    struct metric_definition *metric = into;

    take_text(value, place, SPEC_METRIC_NAME_MAX, &metric->name);
}

static void read_metric_regex(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct metric_definition *metric = into;
    struct regex *regex = NULL;
    const char *text;
    struct err err;

    if (!member_text(value, place, SPEC_METRIC_REGEX_MAX, &text))
        return;
    if (regex_new(text, &regex, &err) < 0) {
        member_problem(place, NULL, "%s", err.text);
        return;
    }
    regex_free(regex);
    metric->regex = xstrdup(text);
}

/* clang-format off */
static const struct member metric_members[] = {
    { "name",  read_metric_name,  true, NULL },
    { "regex", read_metric_regex, true, "the pattern whose first group is the value" },
};
/* clang-format on */

static void check_metric_name(const struct job_spec *spec, size_t index,
                              const struct member_place *place)
{
    const char *name = spec->metrics[index].name;

    for (size_t i = 0; name && i < index; i++)
        if (spec->metrics[i].name && strcmp(spec->metrics[i].name, name) == 0) {
            member_problem(place, "join the two patterns by |", "'%s' is defined twice",
                           name);
            return;
        }
}

void spec_read_metric_definitions(void *into, const struct cJSON *value,
                                  const struct member_place *place)
{
    struct job_spec *spec = into;

    if (!member_array(value, place, SPEC_METRICS_MAX))
        return;
    spec->metrics = xcalloc(json_count(value), sizeof *spec->metrics);
    json_each (one, value) {
        size_t index = spec->metric_count++;
        struct member_place at = member_element(place, index);

        members_read(&spec->metrics[index], one, &at, metric_members,
                     ARRAY_SIZE(metric_members));
        check_metric_name(spec, index, &at);
    }
}

/* --- work --- */

static void read_work_unit(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct job_spec *spec = into;

    take_text(value, place, 64, &spec->work_unit);
}

static void read_work_metric(void *into, const struct cJSON *value,
                             const struct member_place *place)
{
    struct job_spec *spec = into;

    take_text(value, place, SPEC_METRIC_NAME_MAX, &spec->work_metric);
}

static void read_work_planned(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct job_spec *spec = into;

    take_amount(value, place, &spec->work_planned);
}

static void read_work_amount(void *into, const struct cJSON *value,
                             const struct member_place *place)
{
    struct job_spec *spec = into;

    take_amount(value, place, &spec->work_amount);
}

/* clang-format off */
static const struct member work_members[] = {
    { "unit",    read_work_unit,    true,  "what is counted: samples, tokens, images" },
    { "metric",  read_work_metric,  false, NULL },
    { "planned", read_work_planned, false, NULL },
    { "amount",  read_work_amount,  false, NULL },
};
/* clang-format on */

void spec_read_work(void *into, const struct cJSON *value,
                    const struct member_place *place)
{
    bool metric = json_get(value, "metric");
    bool amount = json_get(value, "amount");

    members_read(into, value, place, work_members, ARRAY_SIZE(work_members));
    if (json_kind(value) != JSON_OBJECT)
        return;
    if (metric == amount)
        member_problem(place,
                       "name the metric that counts the work, or give a fixed amount",
                       "expected exactly one of metric and amount, got %s",
                       metric ? "both" : "neither");
    if (amount && json_get(value, "planned"))
        member_problem(place, "leave planned out",
                       "planned goes with metric; with amount the amount is the plan");
}

/* --- objective --- */

static void read_objective_metric(void *into, const struct cJSON *value,
                                  const struct member_place *place)
{
    struct job_spec *spec = into;

    take_text(value, place, SPEC_METRIC_NAME_MAX, &spec->objective_metric);
}

static void read_objective_goal(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    struct job_spec *spec = into;
    size_t index;

    if (member_choice(value, place, goal_names, &index))
        spec->objective_goal = (enum goal)index;
}

static void read_objective_target(void *into, const struct cJSON *value,
                                  const struct member_place *place)
{
    struct job_spec *spec = into;
    const char *number;

    if (member_decimal(value, place, &number))
        spec->objective_target = xstrdup(number);
}

/* clang-format off */
static const struct member objective_members[] = {
    { "metric", read_objective_metric, true,  "a name from metric_definitions" },
    { "goal",   read_objective_goal,   true,  "say maximize or minimize" },
    { "target", read_objective_target, false, NULL },
};
/* clang-format on */

void spec_read_objective(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    members_read(into, value, place, objective_members, ARRAY_SIZE(objective_members));
}

/* --- fake --- */

enum {
    DAY_MS = 86400000
};

static void read_start_ms(void *into, const struct cJSON *value,
                          const struct member_place *place)
{
    struct fake_behaviour *fake = into;

    (void)member_int(value, place, 0, DAY_MS, &fake->start_ms);
}

static void read_run_ms(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct fake_behaviour *fake = into;

    (void)member_int(value, place, 0, INT64_C(28) * DAY_MS, &fake->run_ms);
}

static void read_exit_code(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct fake_behaviour *fake = into;
    int64_t number;

    if (member_int(value, place, 0, 255, &number))
        fake->exit_code = (int)number;
}

static void read_worker(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct fake_behaviour *fake = into;
    int64_t number;

    if (member_int(value, place, 0, 999, &number))
        fake->worker = (int)number;
}

static void read_ignore_stop(void *into, const struct cJSON *value,
                             const struct member_place *place)
{
    struct fake_behaviour *fake = into;

    (void)member_bool(value, place, &fake->ignore_stop);
}

static void read_lost(void *into, const struct cJSON *value,
                      const struct member_place *place)
{
    struct fake_behaviour *fake = into;

    (void)member_bool(value, place, &fake->lost);
}

/* clang-format off */
static const struct member fake_members[] = {
    { "start_ms",    read_start_ms,    false, NULL },
    { "run_ms",      read_run_ms,      false, NULL },
    { "exit_code",   read_exit_code,   false, NULL },
    { "worker",      read_worker,      false, NULL },
    { "ignore_stop", read_ignore_stop, false, NULL },
    { "lost",        read_lost,        false, NULL },
};
/* clang-format on */

void spec_read_fake(void *into, const struct cJSON *value,
                    const struct member_place *place)
{
    struct job_spec *spec = into;

    spec->has_fake = true;
    members_read(&spec->fake, value, place, fake_members, ARRAY_SIZE(fake_members));
}
