/* `pools` of the configuration: which instance types, how many, at what price.  Whether
 * a type is in the catalog is decided where pools are opened. */

#include "daemon/config_private.h"
#include "schedulers/scheduler.h"
#include "src/text.h"

#include <string.h>

/* Told in railhead.yaml(5). */
enum {
    POOLS_MAX = 1000,
    POOL_NAME_MAX = 64,
    COUNT_MAX = 100000,
};

static const struct pool_config no_pool = { .count = 1, .emulated = -1 };

static void read_pool_type(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct pool_config *pool = into;
    const char *text;

    if (member_text(value, place, 64, &text))
        pool->instance_type = xstrdup(text);
}

static void read_pool_scheduler(void *into, const struct cJSON *value,
                                const struct member_place *place)
{
    struct pool_config *pool = into;
    const char *text;

    if (!member_text(value, place, 64, &text))
        return;
    if (!scheduler_find(text))
        member_problem(place, "local runs jobs on this machine",
                       "there is no scheduler '%s'", text);
    else
        pool->scheduler = xstrdup(text);
}

static void read_pool_count(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct pool_config *pool = into;
    int64_t count;

    if (member_int(value, place, 1, COUNT_MAX, &count))
        pool->count = (int)count;
}

static void read_pool_price(void *into, const struct cJSON *value,
                            const struct member_place *place)
{
    struct pool_config *pool = into;
    const char *text;
    struct err err;

    if (!member_decimal(value, place, &text))
        return;
    if (money_parse(text, &pool->hourly, &err) < 0)
        member_problem(place, "write dollars an instance-hour, like \"0.30\"", "%s",
                       err.text);
    else if (pool->hourly > MONEY_HOURLY_MAX)
        member_problem(place, "write dollars an instance-hour, like \"0.30\"",
                       "is above 100000 USD an hour, the most that a price may be");
    else
        pool->has_price = true;
}

static const char *const pricing_names[] = { "standard", "spot", "reserved", "free",
                                             NULL };

const char *pricing_name(enum pricing pricing)
{
    return pricing_names[pricing];
}

static void read_pool_name(void *into, const struct cJSON *value,
                           const struct member_place *place)
{
    struct pool_config *pool = into;
    const char *text;

    if (!member_text(value, place, POOL_NAME_MAX, &text))
        return;
    if (!*text || text_has_control(text))
        member_problem(place, "write 1 to 64 characters", "is no name of a pool");
    else
        pool->name = xstrdup(text);
}

static void read_pool_pricing(void *into, const struct cJSON *value,
                              const struct member_place *place)
{
    struct pool_config *pool = into;
    const char *text;

    if (!member_text(value, place, 64, &text))
        return;
    for (int i = 0; pricing_names[i]; i++) {
        if (strcmp(pricing_names[i], text) == 0) {
            pool->pricing = (enum pricing)i;
            return;
        }
    }
    member_problem(place, "write standard, spot, reserved or free",
                   "'%s' is no way to price a pool", text);
}

static void read_pool_emulated(void *into, const struct cJSON *value,
                               const struct member_place *place)
{
    struct pool_config *pool = into;
    bool emulated;

    if (member_bool(value, place, &emulated))
        pool->emulated = emulated;
}

/* clang-format off */
static const struct member pool_members[] = {
    { "instance_type", read_pool_type,      true,  "the type that this pool offers" },
    { "scheduler",     read_pool_scheduler, false, NULL },
    { "count",         read_pool_count,     false, NULL },
    { "usd_per_hour",  read_pool_price,     false, NULL },
    { "emulated",      read_pool_emulated,  false, NULL },
    { "name",          read_pool_name,      false, NULL },
    { "pricing",       read_pool_pricing,   false, NULL },
};
/* clang-format on */

/* One type, one place: else a job would have to say which price it means. */
static void check_pool_is_new(const struct config *config, size_t index,
                              const struct member_place *place)
{
    const char *type = config->pools[index].instance_type;

    for (size_t i = 0; type && i < index; i++) {
        const char *other = config->pools[i].instance_type;

        if (other && strcmp(other, type) == 0)
            member_problem(place, "keep one of them",
                           "offers the same type as pools[%zu]", i);
    }
}

/* Nothing costs 0 by a slip: only what is said to be free does. */
static void check_pool_price(const struct pool_config *pool,
                             const struct member_place *place)
{
    if (pool->pricing == PRICING_FREE && pool->has_price)
        member_problem(place, "leave out usd_per_hour, or write another pricing",
                       "is free and has a price");
    else if (pool->pricing != PRICING_FREE && pool->has_price && pool->hourly == 0)
        member_problem(place, "write `pricing: free`, or a price above 0",
                       "has a price of 0 and is not said to be free");
}

void config_read_pools(void *into, const struct cJSON *value,
                       const struct member_place *place)
{
    struct config *config = into;

    if (!member_array(value, place, POOLS_MAX))
        return;
    config->pools = xcalloc(json_count(value), sizeof *config->pools);
    json_each (item, value) {
        size_t index = config->pool_count++;
        struct pool_config *pool = &config->pools[index];
        struct member_place at = member_element(place, index);

        *pool = no_pool;
        members_read(pool, item, &at, pool_members, ARRAY_SIZE(pool_members));
        if (!pool->scheduler)
            pool->scheduler = xstrdup("local");
        if (!pool->name && pool->instance_type)
            pool->name = xstrdup(pool->instance_type);
        check_pool_price(pool, &at);
        check_pool_is_new(config, index, &at);
    }
}
