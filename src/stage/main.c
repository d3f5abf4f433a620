/* railhead-stage VERB <PLAN: reads the plan, runs the verb, tells how it ended. Decides
 * nothing else. */

#include "src/files.h"
#include "src/json.h"
#include "src/stage/copy.h"
#include "src/stage/say.h"
#include "src/stage/stage.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ranks of the greatest job, with room for the rest. */
#define PLAN_MAX ((size_t)2 * LAUNCH_SIZE_MAX)

static const struct {
    const char *name;
    int (*run)(struct stage *stage, struct err *err);
} verbs[] = {
    { "in", stage_in },
    { "pipe", stage_pipe },
    { "checkpoints", stage_checkpoints },
    { "out", stage_out },
};

static int read_plan(struct worker_plan **out, struct err *err)
{
    auto_free char *bytes = NULL;
    auto_json struct cJSON *json = NULL;
    size_t len;

    if (file_read("/dev/stdin", PLAN_MAX, &bytes, &len, err) < 0
        || json_parse(bytes, len, &json, err) < 0
        || worker_plan_from_json(json, out, err) < 0)
        return err_wrap(err, "plan");
    return 0;
}

static int run(int (*verb)(struct stage *stage, struct err *err))
{
    struct worker_plan *plan = NULL;
    struct stage stage = { 0 };
    struct err err;
    int result = read_plan(&plan, &err);

    /* What the plan's text and its JSON took is given back: it may have been large. */
    malloc_trim(0);
    if (result == 0) {
        stage.plan = plan;
        copy_name_partials(plan->job_id, plan->worker);
        result = verb(&stage, &err);
    }
    if (result < 0)
        say_error(&err);
    stage_close_s3(&stage);
    worker_plan_free(plan);
    return result < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a reader that leaves is an errno */
    for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(verbs); i++)
        if (strcmp(verbs[i].name, argv[1]) == 0)
            return run(verbs[i].run);
    fputs("usage: railhead-stage in | pipe | checkpoints | out <PLAN\n"
          "railhead-stage(8) tells more.\n",
          stderr);
    return 2;
}
