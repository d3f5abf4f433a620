/* Which instance types can be asked for here. How many are free is the queue's
 * business. */

#include "daemon/offers.h"

#include "schedulers/scheduler.h"
#include "src/text.h"

#include <stdlib.h>
#include <string.h>

static const char host_type[] = "local";

static struct offer *add_offer(struct offers *offers, const struct profile *profile,
                               const char *scheduler, int capacity)
{
    struct offer *offer;

    offers->items =
        xrealloc(offers->items, (offers->count + 1) * sizeof *offers->items);
    offer = &offers->items[offers->count++];
    *offer = (struct offer){ .profile = profile,
                             .pool = xstrdup(profile->name),
                             .scheduler = xstrdup(scheduler),
                             .capacity = capacity };
    offer->emulated = strcmp(profile->name, host_type) != 0;
    return offer;
}

static int add_pool(struct offers *offers, const struct pool_config *pool,
                    struct err *err)
{
    const struct profile *profile = catalog_find(offers->catalog, pool->instance_type);
    struct offer *offer;

    if (!profile)
        return err_set(
            err, ERR_INVALID,
            "pools: instance type '%s' is not in the catalog: add a file to instance_profiles",
            pool->instance_type);
    if (!scheduler_find(pool->scheduler))
        return err_set(err, ERR_INVALID,
                       "pools: %s: no scheduler '%s': there are local and fake",
                       pool->instance_type, pool->scheduler);
    if (offers_find(offers, pool->instance_type))
        return err_set(err, ERR_INVALID, "pools: %s stands there twice",
                       pool->instance_type);
    offer = add_offer(offers, profile, pool->scheduler, pool->count);
    if (strcmp(pool->scheduler, scheduler_fake.name) == 0)
        offer->emulated = true;
    else if (pool->emulated >= 0)
        offer->emulated = pool->emulated != 0;
    free(offer->pool);
    offer->pool = xstrdup(pool->name);
    offer->pricing = pool->pricing;
    offer->has_own_price = pool->has_price || pool->pricing == PRICING_FREE;
    if (offer->has_own_price)
        offer->own_price = (struct profile_price){ .hourly = pool->hourly,
                                                   .as_of = xstrdup(""),
                                                   .basis = xstrdup("own"),
                                                   .confidence = xstrdup("high"),
                                                   .source = xstrdup("configuration") };
    return 0;
}

/* How many instances of a CPU profile this host holds side by side; 0: not one. */
static int host_carries(const struct catalog *catalog, const struct profile *profile)
{
    const struct profile *host = catalog_find(catalog, host_type);
    int by_cpu, by_memory;

    if (!host || strcmp(profile->accelerator_kind, "none") != 0
        || !text_starts_with(profile->name, "ml.c5."))
        return 0;
    by_cpu = host->vcpus / profile->vcpus;
    by_memory = (int)(host->memory_mib / profile->memory_mib);
    return by_cpu < by_memory ? by_cpu : by_memory;
}

static void add_defaults(struct offers *offers, const struct config *config)
{
    const struct catalog *catalog = offers->catalog;

    for (size_t i = 0; i < catalog->count; i++) {
        const struct profile *profile = &catalog->profiles[i];
        int capacity = host_carries(catalog, profile);

        if (offers_find(offers, profile->name))
            continue;
        if (strcmp(profile->name, host_type) == 0)
            capacity = 1;
        else if (config->emulate)
            capacity = config->emulate_count;
        if (capacity > 0)
            add_offer(offers, profile, scheduler_local.name, capacity);
    }
}

static void count_cpus(struct offers *offers)
{
    const struct profile *host = catalog_find(offers->catalog, host_type);

    for (size_t i = 0; i < offers->count; i++) {
        struct offer *offer = &offers->items[i];

        offer->cpus = offer->profile->vcpus;
        if (offer->emulated && host && host->vcpus < offer->cpus)
            offer->cpus = host->vcpus;
    }
}

int offers_make(const struct config *config, const struct catalog *catalog,
                struct offers *out, struct err *err)
{
    *out = (struct offers){ .catalog = catalog };
    for (size_t i = 0; i < config->pool_count; i++) {
        if (add_pool(out, &config->pools[i], err) < 0) {
            offers_clear(out);
            return -1;
        }
    }
    add_defaults(out, config);
    count_cpus(out);
    return 0;
}

void offers_clear(struct offers *offers)
{
    for (size_t i = 0; i < offers->count; i++) {
        struct offer *offer = &offers->items[i];

        free(offer->pool);
        free(offer->scheduler);
        free(offer->own_price.as_of);
        free(offer->own_price.basis);
        free(offer->own_price.confidence);
        free(offer->own_price.source);
    }
    free(offers->items);
    *offers = (struct offers){ 0 };
}

const struct offer *offers_find(const struct offers *offers, const char *instance_type)
{
    for (size_t i = 0; i < offers->count; i++)
        if (strcmp(offers->items[i].profile->name, instance_type) == 0)
            return &offers->items[i];
    return NULL;
}

const struct profile_price *offer_price(const struct offer *offer, usec_t wall)
{
    return offer->has_own_price ? &offer->own_price
                                : profile_price_at(offer->profile, wall);
}

char *offers_reason(const struct offers *offers, const struct profile *profile)
{
    const struct profile *host = catalog_find(offers->catalog, host_type);

    if (strcmp(profile->accelerator_kind, "none") != 0)
        return xasprintf("needs %d %s; this host is not one and `emulate` is off",
                         profile->accelerator_count,
                         profile->accelerator_name ? profile->accelerator_name
                                                   : profile->accelerator_kind);
    if (host && profile->vcpus <= host->vcpus
        && profile->memory_mib <= host->memory_mib)
        return xstrdup("no pool names it, and `emulate` is off");
    return xasprintf(
        "needs %d vCPUs and %lld MiB, this host has %d and %lld, and `emulate` is off",
        profile->vcpus, (long long)profile->memory_mib, host ? host->vcpus : 0,
        (long long)(host ? host->memory_mib : 0));
}

static char *offered_names(const struct offers *offers)
{
    struct text names = { 0 };

    for (size_t i = 0; i < offers->count; i++)
        text_printf(&names, "%s%s", i ? ", " : "", offers->items[i].profile->name);
    return text_steal(&names);
}

static const char *nearest_type(const struct catalog *catalog,
                                const char *instance_type)
{
    const char **names = xcalloc(catalog->count + 1, sizeof *names);
    const char *nearest;

    for (size_t i = 0; i < catalog->count; i++)
        names[i] = catalog->profiles[i].name;
    nearest = text_nearest(instance_type, names);
    free(names);
    return nearest;
}

void offers_explain(const struct offers *offers, const char *instance_type,
                    struct problems *problems)
{
    const struct profile *profile = catalog_find(offers->catalog, instance_type);
    const char *nearest = profile ? NULL : nearest_type(offers->catalog, instance_type);
    auto_free char *names = offered_names(offers);
    auto_free char *hint = NULL;
    auto_free char *reason = NULL;

    if (nearest)
        hint = xasprintf("did you mean %s? offered here: %s", nearest, names);
    else
        hint = xasprintf("offered here: %s; pools in railhead.yaml(5) add more", names);
    if (!profile) {
        problems_add(problems, "instance_type", hint,
                     "no instance type '%s' in the catalog", instance_type);
        return;
    }
    reason = offers_reason(offers, profile);
    problems_add(problems, "instance_type", hint, "%s is not offered here: %s",
                 instance_type, reason);
}
