#ifndef SRC_CLOCK_H
#define SRC_CLOCK_H

#include "src/base.h"
#include "src/err.h"

/* Two clocks.  The wall clock places a thing in time and may jump; the boot clock
 * (CLOCK_BOOTTIME, suspended time counts) measures how long it took. */

/** Microseconds since 1970 in UTC. */
usec_t clock_wall(void);

/** Microseconds since the machine started, suspend included. */
usec_t clock_boot(void);

/** The kernel's boot id, 36 characters; a boot clock means nothing under another one.
 * Read once from /proc/sys/kernel/random/boot_id. */
const char *clock_boot_id(void);

/** For tests: both clocks stand at these values until clock_release. */
void clock_hold(usec_t wall, usec_t boot);
void clock_release(void);

/* Room for "2026-11-30T10:15:00.123456Z" and its end. */
enum {
    TIME_TEXT_SIZE = 40
};

/** RFC 3339 in UTC with microseconds.  Returns `out`. */
const char *time_format(usec_t wall, char out[TIME_TEXT_SIZE]);

/** Reads RFC 3339 ("2026-11-30T10:15:00Z", fraction and offset allowed) or a date alone
 * (its first instant in UTC). */
MUST_CHECK int time_parse(const char *text, usec_t *wall, struct err *err);

/** Reads "90", "90s", "15m", "24h", "2d" as whole seconds, >= 0. */
MUST_CHECK int duration_parse(const char *text, int64_t *seconds, struct err *err);

/** "41 s", "3 min 20 s", "2 h 05 min": for people. */
void duration_format(int64_t seconds, char out[TIME_TEXT_SIZE]);

#endif
