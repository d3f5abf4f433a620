/* What is offered by which configuration, at what price; what is said of the rest. */

#include "daemon/offers.h"
#include "src/text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char none[] = "none", gpu[] = "gpu", a100[] = "A100", empty[] = "",
            high[] = "high";

static struct profile_price c5_price = { .hourly = 204000000,
                                         .from = 1000,
                                         .as_of = empty,
                                         .basis = empty,
                                         .confidence = high,
                                         .source = empty };

/* clang-format off */
static char names[][20] = { "local", "ml.c5.18xlarge", "ml.c5.2xlarge", "ml.c5.xlarge", "ml.c5n.xlarge", "ml.p4d.24xlarge" };
static struct profile profiles[] = {
    { .name = names[0], .vcpus = 16, .memory_mib = 20000,   .accelerator_kind = none },
    { .name = names[1], .vcpus = 72, .memory_mib = 147456,  .accelerator_kind = none },
    { .name = names[2], .vcpus = 8,  .memory_mib = 16384,   .accelerator_kind = none },
    { .name = names[3], .vcpus = 4,  .memory_mib = 8192,    .accelerator_kind = none, .prices = &c5_price, .price_count = 1 },
    { .name = names[4], .vcpus = 4,  .memory_mib = 10752,   .accelerator_kind = none },
    { .name = names[5], .vcpus = 96, .memory_mib = 1179648, .accelerator_kind = gpu, .accelerator_name = a100, .accelerator_count = 8 },
};
/* clang-format on */
static const struct catalog catalog = { .profiles = profiles,
                                        .count = ARRAY_SIZE(profiles) };

static char local[] = "local", fake[] = "fake", slurm[] = "slurm",
            no_type[] = "ml.c5.huge";

/* clang-format off */
static const struct {
    struct pool_config pools[2];
    size_t pool_count;
    bool emulate;
    const char *offered; /* "type scheduler capacity" and * when emulated; or the error */
} rows[] = {
    /* This host alone: memory bounds the one type, CPUs would the other. */
    { .offered = "local local 1, ml.c5.2xlarge local 1*, ml.c5.xlarge local 2*" },
    { .emulate = true,
      .offered = "local local 1, ml.c5.18xlarge local 5*, ml.c5.2xlarge local 5*, ml.c5.xlarge local 5*,"
                 " ml.c5n.xlarge local 5*, ml.p4d.24xlarge local 5*" },
    /* A pool decides for its type. */
    { .pools = { { names[5], local, 3, .emulated = -1 } }, .pool_count = 1,
      .offered = "ml.p4d.24xlarge local 3*, local local 1, ml.c5.2xlarge local 1*, ml.c5.xlarge local 2*" },
    { .pools = { { names[5], local, 1, .emulated = 0 }, { names[0], local, 2, .emulated = -1 } }, .pool_count = 2,
      .offered = "ml.p4d.24xlarge local 1, local local 2, ml.c5.2xlarge local 1*, ml.c5.xlarge local 2*" },
    /* What the fake scheduler runs is emulated whatever is said. */
    { .pools = { { names[0], fake, 9, .emulated = 0 } }, .pool_count = 1,
      .offered = "local fake 9*, ml.c5.2xlarge local 1*, ml.c5.xlarge local 2*" },
    { .pools = { { names[0], local, 1, .emulated = 1 } }, .pool_count = 1,
      .offered = "local local 1*, ml.c5.2xlarge local 1*, ml.c5.xlarge local 2*" },
    { .pools = { { no_type, local, 1, .emulated = -1 } }, .pool_count = 1,
      .offered = "pools: instance type 'ml.c5.huge' is not in the catalog: add a file to instance_profiles" },
    { .pools = { { names[3], slurm, 1, .emulated = -1 } }, .pool_count = 1,
      .offered = "pools: ml.c5.xlarge: no scheduler 'slurm': there are local and fake" },
    { .pools = { { names[3], local, 1, .emulated = -1 }, { names[3], fake, 1, .emulated = -1 } }, .pool_count = 2,
      .offered = "pools: ml.c5.xlarge stands there twice" },
};

static const struct {
    const char *type;
    const char *message;
    const char *hint;
} refusals[] = {
    { "ml.p4d.24xlarge", "ml.p4d.24xlarge is not offered here: needs 8 A100; this host is not one and `emulate` is off",
      "offered here: local, ml.c5.2xlarge, ml.c5.xlarge; pools in railhead.yaml(5) add more" },
    { "ml.c5.18xlarge", "ml.c5.18xlarge is not offered here: needs 72 vCPUs and 147456 MiB, this host has 16 and 20000, and `emulate` is off",
      "offered here: local, ml.c5.2xlarge, ml.c5.xlarge; pools in railhead.yaml(5) add more" },
    { "ml.c5n.xlarge", "ml.c5n.xlarge is not offered here: no pool names it, and `emulate` is off",
      "offered here: local, ml.c5.2xlarge, ml.c5.xlarge; pools in railhead.yaml(5) add more" },
    { "ml.c5.xlarg", "no instance type 'ml.c5.xlarg' in the catalog",
      "did you mean ml.c5.xlarge? offered here: local, ml.c5.2xlarge, ml.c5.xlarge" },
    { "something else", "no instance type 'something else' in the catalog",
      "offered here: local, ml.c5.2xlarge, ml.c5.xlarge; pools in railhead.yaml(5) add more" },
};
/* clang-format on */

static char *made(size_t row)
{
    struct pool_config pools[2];
    const struct config config = { .emulate = rows[row].emulate,
                                   .emulate_count = 5,
                                   .pools = pools,
                                   .pool_count = rows[row].pool_count };
    struct text text = { 0 };
    struct offers offers;
    struct err err;

    memcpy(pools, rows[row].pools, sizeof pools);
    if (offers_make(&config, &catalog, &offers, &err) < 0) {
        ck_assert_int_eq(err.code, ERR_INVALID);
        text_puts(&text, err.text);
        return text_steal(&text);
    }
    for (size_t i = 0; i < offers.count; i++)
        text_printf(&text, "%s%s %s %d%s", i ? ", " : "", offers.items[i].profile->name,
                    offers.items[i].scheduler, offers.items[i].capacity,
                    offers.items[i].emulated ? "*" : "");
    offers_clear(&offers);
    return text_steal(&text);
}

START_TEST(a_configuration_offers_what_it_says)
{
    auto_free char *offered = made((size_t)_i);

    ck_assert_str_eq(offered, rows[_i].offered);
}
END_TEST

START_TEST(what_is_not_offered_is_refused_with_what_is)
{
    const struct config config = { .emulate_count = 5 };
    auto_problems struct problems problems = { 0 };
    struct offers offers;
    struct err err;

    ck_assert_int_eq(offers_make(&config, &catalog, &offers, &err), 0);
    ck_assert_ptr_null(offers_find(&offers, refusals[_i].type));
    offers_explain(&offers, refusals[_i].type, &problems);
    offers_clear(&offers);
    ck_assert_uint_eq(problems.count, 1);
    ck_assert_str_eq(problems.items[0].path, "instance_type");
    ck_assert_str_eq(problems.items[0].message, refusals[_i].message);
    ck_assert_str_eq(problems.items[0].hint, refusals[_i].hint);
}
END_TEST

START_TEST(a_pool_has_its_own_price_or_the_catalogs)
{
    struct pool_config pools[] = {
        { .instance_type = names[0], .scheduler = local, .count = 1, .emulated = -1 },
        { .instance_type = names[3],
          .scheduler = local,
          .count = 1,
          .has_price = true,
          .hourly = 77,
          .emulated = -1 },
    };
    struct config config = { .pools = pools, .pool_count = 2 };
    const struct profile_price *price;
    struct offers offers;
    struct err err;

    ck_assert_int_eq(offers_make(&config, &catalog, &offers, &err), 0);
    ck_assert_ptr_null(offer_price(offers_find(&offers, "local"), 5000));
    price = offer_price(offers_find(&offers, "ml.c5.xlarge"), 5000);
    ck_assert_int_eq(price->hourly, 77);
    ck_assert_str_eq(price->basis, "own");
    ck_assert_str_eq(price->source, "configuration");
    offers_clear(&offers);

    pools[1].has_price = false;
    ck_assert_int_eq(offers_make(&config, &catalog, &offers, &err), 0);
    price = offer_price(offers_find(&offers, "ml.c5.xlarge"), 5000);
    ck_assert_int_eq(price->hourly, 204000000);
    ck_assert_ptr_null(offer_price(offers_find(&offers, "ml.c5.xlarge"), 999));
    offers_clear(&offers);
}
END_TEST

Suite *suite_offers(void);

Suite *suite_offers(void)
{
    Suite *suite = suite_create("offers");
    TCase *tests = tcase_create("offers");

    tcase_add_loop_test(tests, a_configuration_offers_what_it_says, 0,
                        ARRAY_SIZE(rows));
    tcase_add_loop_test(tests, what_is_not_offered_is_refused_with_what_is, 0,
                        ARRAY_SIZE(refusals));
    tcase_add_test(tests, a_pool_has_its_own_price_or_the_catalogs);
    suite_add_tcase(suite, tests);
    return suite;
}
