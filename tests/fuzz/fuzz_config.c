/* railhead.yaml: refused with file and member, or a configuration within its bounds. */

#include "daemon/config.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

static void check_pool(const struct pool_config *pool)
{
    assert(*pool->instance_type && *pool->name && *pool->scheduler);
    assert(pool->count >= 1 && pool->count <= 100000);
    assert(pool->hourly >= 0 && pool->hourly <= MONEY_HOURLY_MAX);
    assert(pool->emulated >= -1 && pool->emulated <= 1);
}

static void check(const struct config *config)
{
    assert(*config->state == '/' && *config->socket == '/');
    assert(strlen(config->socket) < sizeof((struct sockaddr_un *)NULL)->sun_path);
    assert(*config->instance_profiles == '/' && *config->python == '/');
    assert(!config->listen || config_check_listen(config->listen, NULL) == 0);
    assert(config->emulate_count >= 1 && config->connection_limit >= 1);
    assert(config->body_limit_bytes >= 4096 && config->source_limit_bytes >= 4096);
    for (char **name = config->pass_environment; *name; name++)
        assert(**name && **name != '*' && !strchr(*name, '='));
    for (size_t i = 0; i < config->pool_count; i++)
        check_pool(&config->pools[i]);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return setenv("RAILHEAD_INSTANCE_PROFILES", "/profiles", 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    auto_free char *path = xasprintf("%s/railhead.yaml", fuzz_folder());
    struct config config;
    struct err err;

    fuzz_write("railhead.yaml", data, size);
    if (config_load(path, &config, &err) < 0) {
        assert(fuzz_is_refusal(&err) && text_starts_with(err.text, path));
        return 0;
    }
    check(&config);
    config_clear(&config);
    return 0;
}
