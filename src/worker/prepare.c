/* Before the launch: the /opt/ml tree of a plan, its config files, its source unpacked,
 * its data staged.  Decides which folders are made and where the unpacking program is
 * found; the archive's own rules are src/archive.h's. */

#include "src/clock.h"
#include "src/files.h"
#include "src/worker/isolate.h"
#include "src/worker/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Those that every job has, each after the one that it is in.  Making them is a good
 * part of a short job's life: so channels have theirs made by what fills them. */
static const char *const folders[] = {
    "input", "input/config", "input/data", "model", "output", "output/data",
};

static int make_folders(const struct worker_plan *plan, struct err *err)
{
    auto_close int ml = -1;

    if (folder_make(plan->ml_folder, 0750, err) < 0)
        return -1;
    ml = open(plan->ml_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (ml < 0)
        return err_sys(err, errno, "open %s", plan->ml_folder);
    for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
        if (mkdirat(ml, folders[i], 0750) < 0 && errno != EEXIST)
            return err_sys(err, errno, "make %s/%s", plan->ml_folder, folders[i]);
    if (plan->source_archive && mkdirat(ml, "code", 0750) < 0 && errno != EEXIST)
        return err_sys(err, errno, "make %s/code", plan->ml_folder);
    return folder_make(plan->checkpoint_path, 0750, err);
}

static int write_config(int folder, const struct config_file *config, struct err *err)
{
    auto_close int fd =
        openat(folder, config->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640);

    if (fd < 0)
        return err_sys(err, errno, "make input/config/%s", config->name);
    if (write_all(fd, config->text, strlen(config->text), err) < 0)
        return err_wrap(err, "input/config/%s", config->name);
    return 0;
}

static int write_configs(const struct worker_plan *plan, struct err *err)
{
    auto_free char *path = xasprintf("%s/input/config", plan->ml_folder);
    auto_close int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (folder < 0)
        return err_sys(err, errno, "open %s", path);
    for (size_t i = 0; i < plan->config_count; i++)
        if (write_config(folder, &plan->configs[i], err) < 0)
            return -1;
    return 0;
}

static bool stopped(struct worker *worker)
{
    return stop_check(worker, clock_boot());
}

static int unpack(struct worker *worker, struct err *err)
{
    auto_free char *program = path_of_helper("railhead-archive");
    auto_free char *code = xasprintf("%s/code", worker->plan->ml_folder);
    char verb[] = "unpack";
    char *argv[] = { program, verb, worker->plan->source_archive, code, NULL };
    struct helper helper = HELPER_NONE;
    struct err why;
    int result;

    if (helper_start(&helper, worker->folder, argv, NULL, &why) < 0) {
        ending_because(&worker->ending, END_LAUNCH, "unpack the source: %s", why.text);
        return 0;
    }
    result = follow_helper(worker, &helper, false, stopped, err);
    if (result == 0 && helper_failure(&helper))
        ending_because(&worker->ending, END_LAUNCH, "unpack the source: %s",
                       helper_failure(&helper));
    helper_clear(&helper);
    return result;
}

int prepare_run(struct worker *worker, struct err *err)
{
    const struct worker_plan *plan = worker->plan;
    struct err why;

    if (stopped(worker))
        return 0;
    if (make_folders(plan, &why) < 0 || write_configs(plan, &why) < 0) {
        ending_because(&worker->ending, END_LAUNCH, "%s", why.text);
        return 0;
    }
    if (plan->source_archive && unpack(worker, err) < 0)
        return -1;
    if (worker->ending.decided)
        return 0;
    isolate_show_channels(worker);
    if (staging_in(worker, err) < 0)
        return -1;
    stopped(worker);
    return 0;
}
