#ifndef SRC_CLI_PROGRESS_H
#define SRC_CLI_PROGRESS_H

#include "src/base.h"
#include "src/json.h"
#include "src/text.h"

/* How far a job or an upload is: one line of text, and its place at the bottom of a
 * terminal. */

/* --- what is to be said; pure --- */

/* The rate of the last half minute: work as it was seen, at most a sample a second. */
enum {
    METER_SAMPLES = 30
};

struct progress_meter {
    struct {
        usec_t at;
        double done;
    } samples[METER_SAMPLES];
    size_t count; /* ever taken */
};

/** Takes a sample on the boot clock.  Work that goes back (new attempt) begins anew. */
void progress_meter_add(struct progress_meter *meter, usec_t at, double done);

/** Units a second; false until two samples are a second apart, or if nothing moves. */
bool progress_meter_rate(const struct progress_meter *meter, double *per_second);

/* Data on its way into a job or out of it. */
struct progress_haul {
    const char *what; /* a channel, or whatever is moved; NULL: nothing is */
    int64_t bytes;
    int64_t bytes_total; /* -1: not known */
    int64_t objects;
    int64_t objects_total; /* -1: not known */
    int64_t per_second;    /* bytes; 0: not known */
    int64_t seconds_left;  /* -1: not known */
};

/** From the member `progress` of a job, which may be null or absent; borrows from it.
 */
void progress_haul_read(const struct cJSON *progress, struct progress_haul *haul);

/** "train  1.2 of 4.0 GiB  210.0 MiB/s  14 s left  3 of 12 files", as much of it as
 * fits into `width` places (0: all). */
void progress_haul_line(const struct progress_haul *haul, int width, struct text *out);

struct progress {
    const char *status;
    struct progress_haul haul; /* is told instead of the work while it goes on */
    int64_t elapsed_s;
    bool has_done;
    double done;
    double planned;         /* 0: not known */
    double per_second;      /* 0: not known */
    const char *unit;       /* of work, or NULL */
    int64_t left_s;         /* by the server's forecast, before ours; 0: not known */
    const char *cost_usd;   /* decimal text, or NULL */
    const char *likely_usd; /* what it will have cost in the end, or NULL */
    bool emulated;
    const char *waits_for; /* why the job is in the queue, or NULL */
};

/** 0..100, or -1 when it is not known. Rounded down: 100 only when all that was planned
 * is done. */
int progress_percent(const struct progress *progress);

/** One line without line feed, at most `width` places (0: no bound and no bar). */
void progress_line(const struct progress *progress, int width, struct text *out);

/** The line of an upload. */
void progress_upload(int64_t sent, int64_t total, int width, struct text *out);

/* --- the bottom line of a terminal on stderr --- */

struct progress_display {
    bool is_drawn;
    usec_t drawn_at;
};

/** Places of the terminal's line, less one. */
int progress_width(void);

/** Draws over the last line, at most ten times a second. */
void progress_display_draw(struct progress_display *display, const char *line);

/** Takes the line away, so that other words can be printed. */
void progress_display_clear(struct progress_display *display);

#endif
