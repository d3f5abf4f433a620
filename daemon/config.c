/*
 * The daemon's configuration: defaults, then the file, strictly.  Decides what may be
 * said there and what holds when nothing is said; whether a pool's type is in the
 * catalog is decided where pools are opened.
 */

#include "daemon/config.h"

#include "daemon/config_private.h"
#include "schedulers/scheduler.h"
#include "src/files.h"
#include "src/members.h"
#include "src/rank_log.h"
#include "src/text.h"
#include "src/yaml.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* Defaults and bounds, told in railhead.yaml(5). */
enum {
    CONFIG_BYTES_MAX = 1 << 20,
    PATH_BYTES_MAX = 1024,
    ACCOUNT_BYTES_MAX = 128,
    PASS_MAX = 200,
    COUNT_MAX = 100000,
    EMULATE_COUNT = 16,
    CONNECTIONS = 1024,
    HEADER_SECONDS = 10,
    BODY_SECONDS = 20,
    IDLE_SECONDS = 60,
    SECONDS_MAX = 3600,
};

static const char *const passed_by_default[] = {
    "PATH", "LANG", "LC_*", "TZ", "LD_LIBRARY_PATH", "OPENBLAS_*",
};

static void replace(char **old, char *with)
{
    free(*old);
    *old = with;
}

/* --- members --- */

static void take_path(const struct cJSON *value, const struct member_place *place,
                      char **out)
{
    const char *text;

    if (member_text(value, place, PATH_BYTES_MAX, &text))
        replace(out, path_absolute(text));
}

static void read_state(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct config *config = into;

    take_path(value, place, &config->state);
}

static void read_socket(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct config *config = into;

    take_path(value, place, &config->socket);
}

static void read_listen(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct config *config = into;
    const char *text;
    struct err err;

    if (!member_text(value, place, 64, &text))
        return;
    if (config_check_listen(text, &err) < 0)
        member_problem(place, NULL, "%s", err.text);
    else
        replace(&config->listen, xstrdup(text));
}

static void read_instance_profiles(void *into, const struct cJSON *value,
                                   const struct member_place *place)
{
    struct config *config = into;

    take_path(value, place, &config->instance_profiles);
}

static void read_python(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    struct config *config = into;
    const char *text;

    if (!member_text(value, place, PATH_BYTES_MAX, &text))
        return;
    if (*text != '/')
        member_problem(place, "give its whole path, like /usr/bin/python3",
                       "'%s' is not an absolute path", text);
    else
        replace(&config->python, xstrdup(text));
}

/* NAME or NAME*; a * alone would pass the daemon's whole environment into every job. */
static bool is_pass_name(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
    static const char more[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
                               "0123456789";
    size_t len = strspn(name, more);

    return *name && strchr(letters, *name)
           && (!name[len] || strcmp(name + len, "*") == 0);
}

static void read_pass_environment(void *into, const struct cJSON *value,
                                  const struct member_place *place)
{
    struct config *config = into;
    size_t index = 0;

    if (!member_array(value, place, PASS_MAX))
        return;
    words_free(config->pass_environment);
    config->pass_environment = xcalloc(json_count(value) + 1, sizeof(char *));
    json_each (item, value) {
        struct member_place at = member_element(place, index);
        const char *text = "";

        if (member_text(item, &at, 256, &text) && !is_pass_name(text))
            member_problem(&at, "write a name like LANG, or its beginning like LC_*",
                           "'%s' is not the name of an environment variable", text);
        config->pass_environment[index++] = xstrdup(text);
    }
}

static void read_emulate(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct config *config = into;

    (void)member_bool(value, place, &config->emulate);
}

static void read_isolate(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    struct config *config = into;

    (void)member_bool(value, place, &config->isolate);
}

static void read_emulate_count(void *into, const struct cJSON *value,
                               const struct member_place *place)
{
    struct config *config = into;
    int64_t count;

    if (member_int(value, place, 1, COUNT_MAX, &count))
        config->emulate_count = (int)count;
}

/* --- billing --- */

static void read_reprice(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    static const char *const choices[] = { "at-open", "at-change", NULL };
    struct config *config = into;
    size_t index;

    if (member_choice(value, place, choices, &index))
        config->reprice = (enum reprice)index;
}

static void read_account(const struct cJSON *value, const struct member_place *place,
                         char **account)
{
    const char *text;

    if (!member_text(value, place, ACCOUNT_BYTES_MAX, &text))
        return;
    if (!*text || text_has_control(text))
        member_problem(place, NULL, "expected words without control characters");
    else
        *account = xstrdup(text);
}

static void read_account_id(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct config *config = into;

    read_account(value, place, &config->account_id);
}

static void read_account_name(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct config *config = into;

    read_account(value, place, &config->account_name);
}

/* clang-format off */
static const struct member billing_members[] = {
    { "reprice",      read_reprice,      false, NULL },
    { "account_id",   read_account_id,   false, NULL },
    { "account_name", read_account_name, false, NULL },
};
/* clang-format on */

static void read_billing(void *into, const struct cJSON *value,
                         const struct member_place *place)
{
    members_read(into, value, place, billing_members, ARRAY_SIZE(billing_members));
}

/* --- limits --- */

static void read_body_bytes(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct config *config = into;

    (void)member_int(value, place, 4096, INT64_C(64) << 20, &config->body_limit_bytes);
}

static void read_source_bytes(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct config *config = into;

    (void)member_int(value, place, 4096, INT64_C(64) << 30,
                     &config->source_limit_bytes);
}

static void read_count(const struct cJSON *value, const struct member_place *place,
                       int64_t most, int *out)
{
    int64_t count;

    if (member_int(value, place, 1, most, &count))
        *out = (int)count;
}

static void read_connections(void *into, const struct cJSON *value,
                             const struct member_place *place)
{
    struct config *config = into;

    read_count(value, place, COUNT_MAX, &config->connection_limit);
}

static void read_connections_per_client(void *into, const struct cJSON *value,
                                        const struct member_place *place)
{
    struct config *config = into;

    read_count(value, place, COUNT_MAX, &config->client_connection_limit);
}

static void read_held_bytes(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct config *config = into;

    (void)member_int(value, place, INT64_C(1) << 20, INT64_C(64) << 30,
                     &config->held_limit_bytes);
}

static void read_header_seconds(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    struct config *config = into;

    read_count(value, place, SECONDS_MAX, &config->header_limit_s);
}

static void read_body_seconds(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct config *config = into;

    read_count(value, place, SECONDS_MAX, &config->body_limit_s);
}

static void read_idle_seconds(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct config *config = into;

    read_count(value, place, SECONDS_MAX, &config->idle_limit_s);
}

/* At least two segments: one that is written to, and one behind it. */
static void read_rank_log_bytes(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    struct config *config = into;

    (void)member_int(value, place, 2 * (int64_t)RANK_LOG_SEGMENT, INT64_C(1) << 50,
                     &config->rank_log_bytes);
}

/* clang-format off */
static const struct member limit_members[] = {
    { "body_bytes",   read_body_bytes,   false, NULL },
    { "source_bytes", read_source_bytes, false, NULL },
    { "connections",  read_connections,  false, NULL },
    { "connections_per_client", read_connections_per_client, false, NULL },
    { "held_bytes",     read_held_bytes,     false, NULL },
    { "header_seconds", read_header_seconds, false, NULL },
    { "body_seconds",   read_body_seconds,   false, NULL },
    { "idle_seconds",   read_idle_seconds,   false, NULL },
    { "rank_log_bytes", read_rank_log_bytes, false, NULL },
};
/* clang-format on */

static void read_limits(void *into, const struct cJSON *value,
                        const struct member_place *place)
{
    members_read(into, value, place, limit_members, ARRAY_SIZE(limit_members));
}

/* clang-format off */
static const struct member config_members[] = {
    { "state",             read_state,             false, NULL },
    { "socket",            read_socket,            false, NULL },
    { "listen",            read_listen,            false, NULL },
    { "instance_profiles", read_instance_profiles, false, NULL },
    { "python",            read_python,            false, NULL },
    { "pass_environment",  read_pass_environment,  false, NULL },
    { "emulate",           read_emulate,           false, NULL },
    { "emulate_count",     read_emulate_count,     false, NULL },
    { "isolate",           read_isolate,           false, NULL },
    { "s3",                config_read_s3,         false, NULL },
    { "pools",             config_read_pools,             false, NULL },
    { "billing",           read_billing,           false, NULL },
    { "limits",            read_limits,            false, NULL },
};
/* clang-format on */

/* --- the whole --- */

/* ADDR:PORT or [ADDR]:PORT, taken apart without a look-up: names can lead anywhere. */
static bool listen_split(const char *listen, char address[64], long *port)
{
    const char *colon = strrchr(listen, ':');
    size_t len = colon ? (size_t)(colon - listen) : 0;
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;

    if (digits == 0 || digits > 5 || colon[1 + digits])
        return false;
    if (len >= 2 && listen[0] == '[' && listen[len - 1] == ']') {
        listen++;
        len -= 2;
    }
    if (len == 0 || len >= 64)
        return false;
    memcpy(address, listen, len);
    address[len] = '\0';
    *port = strtol(colon + 1, NULL, 10);
    return *port <= 65535;
}

int config_check_listen(const char *listen, struct err *err)
{
    char address[64];
    struct in6_addr six;
    struct in_addr four;
    long port;
    bool loopback;

    if (!listen_split(listen, address, &port))
        return err_set(err, ERR_INVALID,
                       "'%s' is not ADDRESS:PORT, like 127.0.0.1:8470 or [::1]:8470",
                       listen);
    if (listen[0] != '[' && inet_pton(AF_INET, address, &four) == 1)
        loopback = ntohl(four.s_addr) >> 24 == 127;
    else if (listen[0] == '[' && inet_pton(AF_INET6, address, &six) == 1)
        loopback = IN6_IS_ADDR_LOOPBACK(&six);
    else
        return err_set(err, ERR_INVALID,
                       "'%s' is not an address; write it in digits, like 127.0.0.1:%ld",
                       address, port);
    if (!loopback)
        return err_set(
            err, ERR_INVALID,
            "%s is not a loopback address: this version has no tokens, so anyone who reaches the port could run programs here; use 127.0.0.1:%ld, and ssh -L from elsewhere",
            address, port);
    return 0;
}

static char *default_state(void)
{
    const char *state = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");

    if (geteuid() == 0)
        return xstrdup("/var/lib/railhead");
    if (state && *state == '/')
        return xasprintf("%s/railhead", state);
    return xasprintf("%s/.local/state/railhead", home && *home == '/' ? home : "");
}

static char *default_instance_profiles(void)
{
    const char *folder = getenv("RAILHEAD_INSTANCE_PROFILES");

    return folder && *folder ? path_absolute(folder)
                             : xstrdup(RAILHEAD_DATADIR "/instance-profiles");
}

static void config_init(struct config *config)
{
    *config = (struct config){
        .instance_profiles = default_instance_profiles(),
        .python = xstrdup("/usr/bin/python3"),
        .emulate_count = EMULATE_COUNT,
        .isolate = true,
        .storage = { .region = xstrdup("us-east-1") },
        .body_limit_bytes = INT64_C(1) << 20,
        .source_limit_bytes = INT64_C(512) << 20,
        .connection_limit = CONNECTIONS,
        .held_limit_bytes = INT64_C(64) << 20,
        .header_limit_s = HEADER_SECONDS,
        .body_limit_s = BODY_SECONDS,
        .idle_limit_s = IDLE_SECONDS,
        .rank_log_bytes = INT64_C(1) << 30,
    };
    for (size_t i = 0; i < ARRAY_SIZE(passed_by_default); i++)
        words_add(&config->pass_environment, xstrdup(passed_by_default[i]));
}

/* Nothing but blank lines and comments: a file whose every line was commented out. */
static bool says_nothing(const char *bytes)
{
    while (*bytes) {
        bytes += strspn(bytes, " \t\r\n");
        if (*bytes && *bytes != '#')
            return false;
        bytes += strcspn(bytes, "\n");
    }
    return true;
}

static int config_read(const char *path, struct config *config, struct err *err)
{
    auto_problems struct problems problems = { 0 };
    const struct member_place whole = { .problems = &problems };
    auto_free char *bytes = NULL;
    auto_json struct cJSON *json = NULL;
    size_t len;

    if (file_read(path, CONFIG_BYTES_MAX, &bytes, &len, err) < 0)
        return -1;
    if (says_nothing(bytes))
        return 0;
    if (yaml_parse(bytes, len, &json, err) < 0)
        return err_wrap(err, "%s", path);
    json_check_duplicates(json, &problems);
    members_read(config, json, &whole, config_members, ARRAY_SIZE(config_members));
    if (problems.count == 0)
        return 0;
    members_fail(&problems, err);
    return err_wrap(err, "%s", path);
}

static int check_socket(const char *socket, struct err *err)
{
    const size_t room = sizeof((struct sockaddr_un *)NULL)->sun_path - 1;

    if (strlen(socket) > room)
        return err_set(
            err, ERR_INVALID,
            "socket: %s is %zu bytes long, a unix socket's path has at most %zu; set socket to a shorter one",
            socket, strlen(socket), room);
    return 0;
}

int config_set_state(struct config *config, const char *state, struct err *err)
{
    replace(&config->state, path_absolute(state));
    if (config->has_own_socket)
        return 0;
    replace(&config->socket, xasprintf("%s/railhead.sock", config->state));
    return check_socket(config->socket, err);
}

int config_load(const char *path, struct config *out, struct err *err)
{
    struct config config;
    int result;

    config_init(&config);
    result = path ? config_read(path, &config, err) : 0;
    config.has_own_socket = config.socket;
    if (!config.client_connection_limit)
        config.client_connection_limit = (config.connection_limit + 1) / 2;
    if (!config.state)
        config.state = default_state();
    if (!config.socket)
        config.socket = xasprintf("%s/railhead.sock", config.state);
    if (result == 0 && check_socket(config.socket, err) < 0)
        result = path ? err_wrap(err, "%s", path) : -1;
    if (result < 0)
        config_clear(&config);
    else
        *out = config;
    return result;
}

void config_clear(struct config *config)
{
    free(config->state);
    free(config->socket);
    free(config->listen);
    free(config->instance_profiles);
    free(config->python);
    free(config->account_id);
    free(config->account_name);
    words_free(config->pass_environment);
    storage_clear(&config->storage);
    for (size_t i = 0; i < config->pool_count; i++) {
        free(config->pools[i].name);
        free(config->pools[i].instance_type);
        free(config->pools[i].scheduler);
    }
    free(config->pools);
    *config = (struct config){ 0 };
}
