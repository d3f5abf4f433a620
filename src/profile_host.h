#ifndef SRC_PROFILE_HOST_H
#define SRC_PROFILE_HOST_H

#include "src/profile.h"

/* The profile `local`: this host as it is. */

/* Accelerators as their maker's tool lists them. */
struct host_devices {
    char *name; /* of the first; the caller frees; NULL when there are none */
    int count;
    int memory_gib; /* of the smallest one, rounded to nearest */
    int cores;      /* NeuronCores of all; 0 for GPUs */
};

/** From `nvidia-smi --query-gpu=name,memory.total --format=csv,noheader`. False when it
 * lists no GPU. Pure. */
bool host_devices_from_nvidia_smi(const char *output, struct host_devices *out);

/** From `neuron-ls -j`.  False when it lists no device. Pure. */
bool host_devices_from_neuron_ls(const char *output, struct host_devices *out);

/** MemTotal of /proc/meminfo in MiB; 0 when it is not there. Pure. */
int64_t host_memory_mib(const char *meminfo);

/** Fills `out`; what the host does not tell is left 0. Runs the two tools where they
 * are on PATH, for 5 s each at most. The caller frees by profile_clear. */
void profile_of_host(struct profile *out);

void profile_clear(struct profile *profile);

#endif
