#ifndef SRC_PROFILE_H
#define SRC_PROFILE_H

#include "src/base.h"
#include "src/err.h"
#include "src/money.h"

/* Instance types: what one is made of, and what an hour of it costs, since when and who
 * says so. */

struct profile_price {
    nanousd_t hourly;
    usec_t from;      /* in force from here on, wall clock */
    char *as_of;      /* date of the source, as the catalog has it */
    char *basis;      /* "published" | "derived" | "own" */
    char *confidence; /* "high" | "medium" | "low"; low is shown as an estimate */
    char *source;     /* keys of the sources, ", " between; "configuration": own */
};

struct profile {
    char *name; /* ml.c5.xlarge; "local": this host as it is */
    char *family;
    int vcpus;
    int64_t memory_mib;
    char *accelerator_kind; /* "none" | "gpu" | "neuroncore" */
    char *accelerator_name; /* or NULL */
    int accelerator_count;
    int accelerator_memory_gib;
    int neuron_cores;
    char *network_gbps; /* baseline, decimal text; NULL: not known */
    bool efa;
    int efa_interfaces;
    int64_t nvme_gb;
    struct profile_price *prices; /* by `from`, oldest first */
    size_t price_count;
};

struct catalog {
    struct profile *profiles; /* sorted by name */
    size_t count;
};

/** Reads every *.yaml of a folder (railhead-instance(5)) and adds the profile `local`
 * from this host (/proc, nvidia-smi and neuron-ls where they exist). Any mistake in a
 * file is an error that names file and member. */
MUST_CHECK int catalog_load(const char *folder, struct catalog *out, struct err *err);
void catalog_clear(struct catalog *catalog);

/** NULL when there is no such type: never the nearest one. */
const struct profile *catalog_find(const struct catalog *catalog, const char *name);

/** The price in force at a time; NULL: unpriced. */
const struct profile_price *profile_price_at(const struct profile *profile,
                                             usec_t wall);

/** Processes per host when the spec does not say: NeuronCores, else GPUs, else 1. */
int profile_default_processes(const struct profile *profile);

#endif
