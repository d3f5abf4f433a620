#ifndef DAEMON_HAUL_H
#define DAEMON_HAUL_H

#include "src/base.h"
#include "src/json.h"

/* What the workers of a job move just now, from their progress lines (src/journal.h).
 * Kept in memory alone: the next line says it again. */

struct haul {
    char phase[16]; /* "downloading"; "": nothing is moved */
    char what[64];  /* channel, or whatever is moved */
    int64_t bytes;
    int64_t bytes_total; /* -1: unknown */
    int64_t objects;
    int64_t objects_total; /* -1: unknown */
    usec_t boot;
    /* Where this phase and thing began: the rate counts from here. */
    int64_t first_bytes;
    usec_t first_boot;
};

/** Takes a line of the journal in.  Pure. */
void haul_note(struct haul *haul, const struct cJSON *line);
void haul_clear(struct haul *workers, int count);

/** All workers' together: {"phase", "what", "bytes", "bytes_total", "objects",
 * "objects_total", "bytes_per_second", "seconds_left"}, null where not known; NULL when
 * nothing is moved.  The caller owns it.  Pure. */
struct cJSON *haul_to_json(const struct haul *workers, int count);

/** The same for people: "Downloading input data: train, 1.2 of 4.0 GiB, 210.0 MiB/s, 14
 * s left"; NULL when nothing is moved.  The caller frees. */
char *haul_message(const struct haul *workers, int count);

#endif
