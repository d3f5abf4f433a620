#ifndef SRC_WORKER_SAMPLE_LOG_H
#define SRC_WORKER_SAMPLE_LOG_H

#include "src/json.h"

/* A file of samples that stays small however long they come: when it has so many lines,
 * every second one is dropped, and from then on only every second sample makes one;
 * then every fourth; and so on. */

enum {
    SAMPLE_LOG_LINES = 17280 /* a day of one every 5 s */
};

struct sample_log {
    char *path;
    int fd;          /* -1: not open yet, or it cannot be */
    int64_t lines;   /* in the file */
    int64_t every;   /* so many samples make a line */
    int64_t samples; /* so many came */
};

/** Opens nothing yet. */
void sample_log_init(struct sample_log *log, const char *path);
void sample_log_clear(struct sample_log *log);

/** One more.  A line is in the file whole or not at all; a disk that is full costs
 * samples, and nothing else. */
void sample_log_add(struct sample_log *log, const struct cJSON *sample);

#endif
