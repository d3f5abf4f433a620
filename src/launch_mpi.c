/*
 * How mpirun (Open MPI 4) is started, and what it and the ranks of all instances find
 * in their environment.
 *
 * The settings are those of SageMaker's training toolkit as far as they mean something
 * here, with these differences.  What mpirun takes as an MCA parameter is given by
 * environment: on the command line one may be there only once, and is the user's.
 * Nothing is exported by -x: every instance's environment is made for it, so that
 * SM_CURRENT_HOST is each rank's own.  The map is not displayed: it is in the plan.
 */

#include "src/launch_private.h"
#include "src/shell_words.h"
#include "src/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mpi_options_clear(struct mpi_options *options)
{
    words_free(options->words);
    free(options->nccl_debug);
    *options = (struct mpi_options){ 0 };
}

/* --NCCL_DEBUG LEVEL is the toolkit's own and unknown to mpirun. */
int mpi_options_read(const char *text, struct mpi_options *out, struct err *err)
{
    struct mpi_options options = { 0 };
    char **words = NULL;

    if (!text) {
        *out = options;
        return 0;
    }
    if (shell_words_split(text, &words, err) < 0)
        return err_wrap(err, "custom_mpi_options");
    for (char **word = words; *word; word++) {
        if (strcmp(*word, "--NCCL_DEBUG") == 0 && word[1]) {
            free(options.nccl_debug);
            options.nccl_debug = xstrdup(*++word);
        } else {
            words_add(&options.words, xstrdup(*word));
        }
    }
    words_free(words);
    *out = options;
    return 0;
}

/* Where names do not resolve, mpirun still knows its own machine as localhost; the
 * others' names are for railhead-rsh alone. */
char *launch_hostfile(const struct launch_input *input)
{
    int slots = launch_processes_per_host(input->spec, input->profile);
    auto_text struct text lines = { 0 };

    for (int i = 0; i < input->spec->instance_count; i++)
        text_printf(&lines, "%s slots=%d\n",
                    i == 0 && !input->isolate ? "localhost" : input->hosts[i].name,
                    slots);
    return text_steal(&lines);
}

/* mpirun begins another program behind an argument that is a colon, whosever it is; a
 * program that has one is hidden from it. */
static char **without_colons(char **program)
{
    auto_text struct text line = { 0 };
    char **argv = NULL;
    bool colon = false;

    text_puts(&line, "exec");
    for (char **word = program; *word; word++) {
        colon = colon || strcmp(*word, ":") == 0;
        text_puts(&line, " ");
        shell_word_add(&line, *word);
    }
    if (!colon)
        return program;
    words_add(&argv, xstrdup("/bin/sh"));
    words_add(&argv, xstrdup("-c"));
    words_add(&argv, text_steal(&line));
    words_free(program);
    return argv;
}

static void add_words(char ***argv, char *const *words)
{
    for (; words && *words; words++)
        words_add(argv, xstrdup(*words));
}

char **launch_mpirun_argv(const struct launch_input *input,
                          const struct worker_plan *plan,
                          const struct mpi_options *options, char **program)
{
    static const char *const switches[] = {
        "--allow-run-as-root", "--tag-output", "-bind-to", "none", "-map-by", "slot"
    };
    char **shielded = without_colons(program);
    char **argv = NULL;

    words_add(&argv, xstrdup(input->mpirun ? input->mpirun : "mpirun"));
    words_add(&argv, xstrdup("--hostfile"));
    words_add(&argv, xasprintf("%s/input/config/hostfile", plan->ml_folder));
    words_add(&argv, xstrdup("-np"));
    words_add(&argv,
              xasprintf("%d", launch_program_count(input->spec, input->profile)));
    for (size_t i = 0; i < ARRAY_SIZE(switches); i++)
        words_add(&argv, xstrdup(switches[i]));
    add_words(&argv, options->words);
    add_words(&argv, shielded);
    words_free(shielded);
    return argv;
}

static void set_mca(struct env *env, const char *name, const char *value)
{
    auto_free char *variable = xasprintf("OMPI_MCA_%s", name);

    env_default(env, variable, value);
}

void launch_env_mpi(struct env *env, const struct launch_input *input,
                    const struct mpi_options *options)
{
    if (input->rsh_agent)
        set_mca(env, "plm_rsh_agent", input->rsh_agent);
    if (input->network_interface) {
        set_mca(env, "btl_tcp_if_include", input->network_interface);
        set_mca(env, "oob_tcp_if_include", input->network_interface);
    }
    /* All daemons are asked for by mpirun itself, and stay who they are: what becomes a
     * daemon has ended for its worker. */
    set_mca(env, "plm_rsh_no_tree_spawn", "1");
    set_mca(env, "orte_leave_session_attached", "1");
    /* They have all of it by their workers, and some of it is each worker's own. */
    set_mca(env, "plm_rsh_pass_environ_mca_params", "0");
    if (!input->isolate)
        set_mca(env, "if_base_do_not_resolve", "1");
    set_mca(env, "orte_abort_on_non_zero_status", "1");
    set_mca(env, "pml", "ob1");
    /* Hosts that are one machine would share memory and crash (btl vader). */
    set_mca(env, "btl", input->hosts_share_one ? "tcp,self" : "^openib");
    set_mca(env, "btl_vader_single_copy_mechanism", "none");
    env_default(env, "NCCL_MIN_NRINGS", "4");
    if (options->nccl_debug)
        env_set(env, "NCCL_DEBUG", options->nccl_debug);
    env_default(env, "NCCL_DEBUG", "INFO");
}
