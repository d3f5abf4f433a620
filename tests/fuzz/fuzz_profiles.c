/* Files of instance types: refused with file and member, or a catalog in order, each
 * type with what it must have, prices by time. */

#include "src/profile.h"
#include "src/text.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void check_price(const struct profile *profile, size_t index)
{
    const struct profile_price *price = &profile->prices[index];

    assert(price->hourly > 0 && price->hourly <= MONEY_HOURLY_MAX);
    assert(index == 0 || price->from > profile->prices[index - 1].from);
    assert(price->as_of && *price->basis && *price->confidence && *price->source);
    assert(profile_price_at(profile, price->from) == price);
}

static void check(const struct catalog *catalog, size_t index)
{
    const struct profile *profile = &catalog->profiles[index];
    bool is_host = strcmp(profile->name, "local") == 0;

    assert(index == 0 || strcmp(catalog->profiles[index - 1].name, profile->name) < 0);
    assert(catalog_find(catalog, profile->name) == profile);
    assert(is_host || text_starts_with(profile->name, "ml."));
    assert(is_host || (*profile->family && profile->vcpus > 0));
    assert(is_host || profile->memory_mib > 0);
    assert(profile_default_processes(profile) >= 1);
    for (size_t i = 0; i < profile->price_count; i++)
        check_price(profile, i);
}

/* The tools that list accelerators are not run for every input. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return setenv("PATH", "/nonexistent", 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct catalog catalog;
    struct err err;

    fuzz_write("own.yaml", data, size);
    if (catalog_load(fuzz_folder(), &catalog, &err) < 0) {
        assert(fuzz_is_refusal(&err) && text_starts_with(err.text, fuzz_folder()));
        return 0;
    }
    for (size_t i = 0; i < catalog.count; i++)
        check(&catalog, i);
    catalog_clear(&catalog);
    return 0;
}
