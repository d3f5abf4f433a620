#ifndef SRC_ZONE_H
#define SRC_ZONE_H

#include "src/base.h"
#include "src/err.h"

#include <time.h>

/*
 * Days of a time zone.
 *
 * The zone is the process's own (glibc's TZ), so this is for programs that do little
 * else: railhead-bill, not railheadd.  Instants are seconds since 1970 in UTC.
 */

/**
 * Makes this the zone of the process.
 *
 * @name  of the IANA database: "Europe/Berlin", "UTC"
 *
 * ERR_INVALID when this host's database has no such zone, for those that count leap
 * seconds ("right/..."), which Unix time has not, and for what else is beside its
 * zones: "localtime" and its kind.
 */
MUST_CHECK int zone_use(const char *name, struct err *err);

/** The zone that was meant by a name that is none: "Europe/Berlin" for "berlin" or
 * "Europe/Berln"; NULL when none is near, or the host has no list.  The caller frees.
 */
char *zone_nearest(const char *name);

/** The local date and time at an instant; *local is all zeros beyond year 2^31. */
void zone_local(int64_t at_s, struct tm *local);

/**
 * The first instant at which the local date is this day or a later one.
 *
 * So a day begins where the clock is put forward over midnight, a day that the zone
 * left out is empty, and one whose midnight comes twice begins at the first.
 *
 * @month  1 to 12
 * @day    one that the month has not is of another month, as of timegm
 */
int64_t zone_day_start(int year, int month, int day);

/** The last day that has begun at an instant, in days since 1970-01-01.  It is the
 * local date, but where the clock was put back over a midnight that had come. */
int64_t zone_day_of(int64_t at_s);

#endif
