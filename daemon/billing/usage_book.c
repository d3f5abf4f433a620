/* The labels and prices that charges name, kept in memory: each is read when a charge
 * first names it.  Decides which labels a report wants. */

#include "daemon/billing/usage.h"

#include <stdlib.h>
#include <string.h>

static bool has_value(const struct usage_label *label, const char *key,
                      const char *value)
{
    const char *words = usage_tag(label, key);

    return words && strcmp(words, value) == 0;
}

static bool is_or_any(const char *wanted, const char *words)
{
    return !wanted || strcmp(wanted, words) == 0;
}

static bool wants(const struct usage_ask *ask, const struct usage_label *label)
{
    if (ask->emulated != USAGE_EMULATED_INCLUDE
        && label->words.emulated != (ask->emulated == USAGE_EMULATED_ONLY))
        return false;
    return is_or_any(ask->owner, label->words.owner)
           && is_or_any(ask->instance_type, label->words.instance_type)
           && is_or_any(ask->pool, label->words.pool)
           && (!ask->tag_key || has_value(label, ask->tag_key, ask->tag_value));
}

/* The length of texts with their ends. */
static size_t size_of(const char *const *texts, size_t count)
{
    size_t size = 0;

    for (size_t i = 0; i < count; i++)
        size += strlen(texts[i]) + 1;
    return size;
}

/* Copies a text to *at, which moves behind it. */
static const char *keep(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    char *kept = memcpy(*at, text, size);

    *at += size;
    return kept;
}

static struct charge_label keep_label(const struct charge_label *words, char **block)
{
    const char *const texts[] = { words->owner,   words->instance_type, words->pool,
                                  words->pricing, words->scheduler,     words->tags };
    char *at = *block = xmalloc(size_of(texts, ARRAY_SIZE(texts)));

    return (struct charge_label){
        .owner = keep(&at, words->owner),
        .instance_type = keep(&at, words->instance_type),
        .pool = keep(&at, words->pool),
        .pricing = keep(&at, words->pricing),
        .scheduler = keep(&at, words->scheduler),
        .emulated = words->emulated,
        .tags = keep(&at, words->tags),
    };
}

static int take_label(void *context, int64_t seq, const struct charge_label *words,
                      struct err *err)
{
    struct usage *usage = context;
    struct usage_label *label;

    if (usage->book.labels[seq])
        return 0;
    label = xcalloc(1, sizeof *label);
    usage->book.labels[seq] = label;
    label->index = usage->book.label_count++;
    label->words = keep_label(words, &label->block);
    if (json_parse(words->tags, strlen(words->tags), &label->tags, err) < 0)
        return err_wrap(err, "row %lld of the ledger: tags", (long long)seq);
    label->is_wanted = wants(usage->ask, label);
    return 0;
}

static int take_price(void *context, const struct price_row *words, struct err *err)
{
    struct usage_book *book = context;
    struct usage_price *price = xcalloc(1, sizeof *price);
    const char *const texts[] = { words->instance_type, words->as_of, words->basis,
                                  words->confidence, words->source };
    char *at = price->block = xmalloc(size_of(texts, ARRAY_SIZE(texts)));

    (void)err;
    book->prices[words->seq] = price;
    price->words = *words;
    price->words.instance_type = keep(&at, words->instance_type);
    price->words.as_of = keep(&at, words->as_of);
    price->words.basis = keep(&at, words->basis);
    price->words.confidence = keep(&at, words->confidence);
    price->words.source = keep(&at, words->source);
    price->is_estimate = strcmp(words->confidence, "low") == 0;
    return 0;
}

int usage_book_open(struct usage *usage, struct err *err)
{
    struct usage_book *book = &usage->book;

    /* By the row's number: calloc gives pages that are not there until written to. */
    book->seq_count = store_chain_end(usage->store, book->head) + 1;
    book->labels = xcalloc((size_t)book->seq_count, sizeof(struct usage_label *));
    book->prices = xcalloc((size_t)book->seq_count, sizeof(struct usage_price *));
    return store_each_price(usage->store, take_price, book, err);
}

static void free_label(struct usage_label *label)
{
    if (!label)
        return;
    json_free(label->tags);
    free(label->block);
    free(label);
}

static void free_price(struct usage_price *price)
{
    if (!price)
        return;
    free(price->block);
    free(price);
}

void usage_book_clear(struct usage_book *book)
{
    for (int64_t i = 0; i < book->seq_count; i++) {
        free_label(book->labels[i]);
        free_price(book->prices[i]);
    }
    free(book->labels);
    free(book->prices);
    *book = (struct usage_book){ 0 };
}

static int no_row(const char *what, int64_t seq, struct err *err)
{
    return err_set(err, ERR_INTERNAL,
                   "the ledger has no %s %lld: jobctl bill verify tells more", what,
                   (long long)seq);
}

int usage_book_find(struct usage *usage, const struct charge *charge,
                    const struct usage_label **label, const struct usage_price **price,
                    struct err *err)
{
    struct usage_book *book = &usage->book;

    if (charge->label < 0 || charge->label >= book->seq_count)
        return no_row("label", charge->label, err);
    if (!book->labels[charge->label]
        && store_get_label(usage->store, charge->label, take_label, usage, err) < 0)
        return -1;
    *label = book->labels[charge->label];
    *price = NULL;
    if (charge->price == 0)
        return 0;
    if (charge->price < 0 || charge->price >= book->seq_count
        || !book->prices[charge->price])
        return no_row("price", charge->price, err);
    *price = book->prices[charge->price];
    return 0;
}

int usage_book_all_labels(struct usage *usage, struct err *err)
{
    return store_each_label(usage->store, take_label, usage, err);
}

const char *usage_tag(const struct usage_label *label, const char *key)
{
    const struct cJSON *value = json_get(label->tags, key);

    if (!value || json_kind(value) == JSON_NULL)
        return NULL;
    if (json_kind(value) == JSON_BOOL)
        return json_is_true(value) ? "true" : "false";
    return json_text(value) ? json_text(value) : json_number(value);
}
