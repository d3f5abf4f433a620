#ifndef SRC_WORKER_ACCELERATORS_H
#define SRC_WORKER_ACCELERATORS_H

#include "src/json.h"

#include <sys/types.h>

/* What GPUs and NeuronCores of this host do, as nvidia-smi and neuron-monitor tell it,
 * where they are found in the ranks' PATH. */

struct accelerators;

/** `env`: of a rank, NAME=VALUE, ends in NULL, borrowed for life. Starts nothing. */
struct accelerators *accelerators_new(char *const *env);
void accelerators_free(struct accelerators *accelerators);

/** Adds "gpus" and "neuron_cores" to a sample, as far as something was said since the
 * last call, then asks for the next one, which goes on in the background. */
void accelerators_sample(struct accelerators *accelerators, struct cJSON *sample);

/** As accelerators_sample, for the last time: asks for nothing. */
void accelerators_sample_last(struct accelerators *accelerators, struct cJSON *sample);

/**
 * What nvidia-smi says, by the command line of accelerators.c:
 *   [{"percent":37,"memory_bytes":N,"memory_total_bytes":N,"power_watts":65.21}, ...]
 * null stands for what a GPU does not tell ("[N/A]"). NULL when any line is of another
 * form. Pure; the caller owns.
 */
struct cJSON *accelerators_read_gpus(const char *words);

/** One report of neuron-monitor:
 *   [{"core":0,"percent":42.8}, ...]
 * and in *device_bytes the memory in use on devices.  NULL when it is no report. Pure;
 * the caller owns. */
struct cJSON *accelerators_read_neuron(const char *line, size_t len,
                                       int64_t *device_bytes);

#endif
