/* railheadd: reads its configuration, opens its parts in order, runs the loop.
 * railheadd(8). */

#include "api/server.h"
#include "daemon/backup.h"
#include "daemon/config.h"
#include "daemon/jobs.h"
#include "src/log.h"
#include "src/loop.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    const char *config;
    const char *state;
    const char *socket;
    const char *listen;
    const char *restore;
};

struct program {
    struct config config;
    struct catalog catalog;
    struct loop *loop;
    struct jobs *jobs;
    struct server *server;
    struct loop_source *on_term;
    struct loop_source *on_int;
};

static const char usage[] =
    "usage: railheadd [--config FILE] [--state DIR] [--socket PATH] [--listen ADDR:PORT]\n"
    "                 [--verbose] [--help] [--version]\n"
    "       railheadd --restore FILE [--config FILE] [--state DIR]\n"
    "\n"
    "The control plane of Railhead: takes training jobs over HTTP, runs them, keeps the ledger.\n"
    "Runs in the foreground and logs to stderr; says when it is ready.\n"
    "\n"
    "  --config FILE       railhead.yaml(5); default " RAILHEAD_SYSCONFDIR
    "/railhead.yaml when it is there\n"
    "  --state DIR         database, sources and jobs' folders\n"
    "  --socket PATH       unix socket; default DIR/railhead.sock\n"
    "  --listen ADDR:PORT  TCP as well; loopback addresses only\n"
    "  --verbose           log every submit too\n"
    "  --restore FILE      put a backup (jobctl admin backup) in the place of a database\n"
    "                      that is not there, and exit\n"
    "\n"
    "A private daemon in a folder of your own:\n"
    "  railheadd --state ~/railhead    and then    jobctl --socket ~/railhead/railhead.sock ls\n";

enum {
    OPTION_CONFIG = 256,
    OPTION_STATE,
    OPTION_SOCKET,
    OPTION_LISTEN,
    OPTION_VERBOSE,
    OPTION_RESTORE
};

static const struct option long_options[] = {
    { "config", required_argument, NULL, OPTION_CONFIG },
    { "state", required_argument, NULL, OPTION_STATE },
    { "socket", required_argument, NULL, OPTION_SOCKET },
    { "listen", required_argument, NULL, OPTION_LISTEN },
    { "restore", required_argument, NULL, OPTION_RESTORE },
    { "verbose", no_argument, NULL, OPTION_VERBOSE },
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, 'V' },
    { NULL, 0, NULL, 0 },
};

static void read_options(int argc, char **argv, struct options *options)
{
    int option;

    while ((option = getopt_long(argc, argv, "hV", long_options, NULL)) != -1) {
        switch (option) {
        case OPTION_CONFIG:
            options->config = optarg;
            break;
        case OPTION_STATE:
            options->state = optarg;
            break;
        case OPTION_SOCKET:
            options->socket = optarg;
            break;
        case OPTION_LISTEN:
            options->listen = optarg;
            break;
        case OPTION_RESTORE:
            options->restore = optarg;
            break;
        case OPTION_VERBOSE:
            log_set_level(LOG_LEVEL_DEBUG);
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        case 'V':
            puts("railheadd " PACKAGE_VERSION);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "railheadd: '%s' is not an option\n%s", argv[optind], usage);
        exit(2);
    }
}

static void replace(char **member, const char *value)
{
    free(*member);
    *member = xstrdup(value);
}

/* The file, then what the command line says otherwise. */
static int read_config(const struct options *options, struct config *config,
                       struct err *err)
{
    static const char standard[] = RAILHEAD_SYSCONFDIR "/railhead.yaml";
    const char *path = options->config;

    if (!path && !options->state && access(standard, R_OK) == 0)
        path = standard;
    if (config_load(path, config, err) < 0)
        return -1;
    if (options->socket) {
        replace(&config->socket, options->socket);
        config->has_own_socket = true;
    }
    if (options->state && config_set_state(config, options->state, err) < 0)
        return -1;
    if (options->listen && config_check_listen(options->listen, err) < 0)
        return err_wrap(err, "--listen");
    if (options->listen)
        replace(&config->listen, options->listen);
    return 0;
}

/* Two descriptors a local worker, one a connection.  Gives what the limit was: jobs get
 * that, for a program that uses select(2) breaks under a higher one. */
static int64_t raise_file_limit(void)
{
    struct rlimit limit;
    rlim_t before;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 0;
    before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
        log_warning("limits.files_not_raised soft=%llu hard=%llu",
                    (unsigned long long)before, (unsigned long long)limit.rlim_max);
    return (int64_t)before;
}

/* Jobs go on: their workers outlive us, and the next start takes them up. */
static void on_signal(void *context)
{
    struct program *program = context;

    log_info("daemon.stopping jobs=\"go on\"");
    server_stop_accepting(program->server);
    loop_exit(program->loop, 0);
}

static int open_server(struct program *program, struct err *err)
{
    const struct config *config = &program->config;
    const struct server_settings settings = {
        .socket_path = config->socket,
        .listen = config->listen,
        .body_limit_bytes = config->body_limit_bytes,
        .source_limit_bytes = config->source_limit_bytes,
        .guard = {
            .connections = config->connection_limit,
            .connections_per_client = config->client_connection_limit,
            .held_bytes = config->held_limit_bytes,
            .header = config->header_limit_s * USEC_PER_SEC,
            .body = config->body_limit_s * USEC_PER_SEC,
            .idle = config->idle_limit_s * USEC_PER_SEC,
        },
    };

    return server_open(&settings, program->jobs, program->loop, &program->server, err);
}

static int open_all(const struct options *options, struct program *program,
                    struct err *err)
{
    struct config *config = &program->config;

    if (read_config(options, config, err) < 0)
        return -1;
    config->file_limit = raise_file_limit();
    if (catalog_load(config->instance_profiles, &program->catalog, err) < 0
        || loop_new(&program->loop, err) < 0
        || loop_add_signal(program->loop, SIGTERM, on_signal, program,
                           &program->on_term, err)
               < 0
        || loop_add_signal(program->loop, SIGINT, on_signal, program, &program->on_int,
                           err)
               < 0
        || jobs_open(config, &program->catalog, program->loop, &program->jobs, err) < 0
        || open_server(program, err) < 0)
        return -1;
    return 0;
}

static void close_all(struct program *program)
{
    server_close(program->server);
    jobs_close(program->jobs);
    loop_source_free(program->on_term);
    loop_source_free(program->on_int);
    loop_free(program->loop);
    catalog_clear(&program->catalog);
    config_clear(&program->config);
}

/* Instead of serving. */
static int restore(const struct options *options)
{
    struct config config = { 0 };
    struct err err;
    int result = 0;

    if (read_config(options, &config, &err) < 0
        || backup_restore(options->restore, config.state, &err) < 0) {
        log_error("daemon.restore_failed error=\"%s\"", err.text);
        result = err.code == ERR_INVALID ? 2 : 1;
    }
    config_clear(&config);
    return result;
}

int main(int argc, char **argv)
{
    struct options options = { 0 };
    struct program program = { 0 };
    struct err err;
    int result;

    read_options(argc, argv, &options);
    umask(0027);
    signal(SIGPIPE, SIG_IGN);
    if (options.restore)
        return restore(&options);
    if (open_all(&options, &program, &err) < 0) {
        log_error("daemon.start_failed error=\"%s\"", err.text);
        close_all(&program);
        return err.code == ERR_INVALID ? 2 : 1;
    }
    log_info("daemon.ready socket=%s state=%s emulate=%s", program.config.socket,
             program.config.state, program.config.emulate ? "yes" : "no");
    loop_notify_ready();
    result = loop_run(program.loop);
    close_all(&program);
    return result;
}
