/*
 * Days of a time zone, found by asking glibc for the local time of instants.
 *
 * mktime is not asked: of a midnight that the clock leaves out or shows twice it may
 * give either side.
 */

#include "src/zone.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOUR_S INT64_C(3600)
#define DAY_S  INT64_C(86400)

/* Where glibc and the packages of every distribution have the database. */
static const char zone_folder[] = "/usr/share/zoneinfo";

enum {
    ZONE_NAME_MAX = 100
};

/* A name as the database has them: no way out of its folder. */
static bool is_name(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > ZONE_NAME_MAX || *name == '/' || strstr(name, "..")
        || strncmp(name, "right/", strlen("right/")) == 0)
        return false;
    for (; *name; name++)
        if (!(*name >= 'a' && *name <= 'z') && !(*name >= 'A' && *name <= 'Z')
            && !(*name >= '0' && *name <= '9') && !strchr("/_+-", *name))
            return false;
    return true;
}

/* RFC 8536: a file of a zone begins with these. */
static bool is_zone_file(const char *path)
{
    static const char magic[] = { 'T', 'Z', 'i', 'f' };
    auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
    char start[sizeof magic];

    return fd >= 0 && read(fd, start, sizeof start) == (ssize_t)sizeof start
           && memcmp(start, magic, sizeof magic) == 0;
}

int zone_use(const char *name, struct err *err)
{
    auto_free char *path = xasprintf("%s/%s", zone_folder, name);
    auto_free char *value = NULL;
    bool is_utc = strcmp(name, "UTC") == 0; /* needs no database */

    if (!is_utc && (!is_name(name) || !is_zone_file(path)))
        return err_set(err, ERR_INVALID, "there is no time zone \"%.*s\" on this host",
                       ZONE_NAME_MAX, name);
    value = is_utc ? xstrdup("UTC0") : xasprintf(":%s", path);
    if (setenv("TZ", value, 1) < 0)
        return err_sys(err, errno, "set TZ");
    tzset();
    return 0;
}

void zone_local(int64_t at_s, struct tm *local)
{
    time_t at = (time_t)at_s;

    if (!localtime_r(&at, local))
        *local = (struct tm){ 0 };
}

static int64_t offset_at(int64_t at_s)
{
    struct tm local;

    zone_local(at_s, &local);
    return local.tm_gmtoff;
}

/* The first instant in (from, to] with another offset than `from`; their offsets
 * differ. */
static int64_t find_change(int64_t from_s, int64_t to_s)
{
    int64_t before = offset_at(from_s);

    while (to_s - from_s > 1) {
        int64_t middle = from_s + (to_s - from_s) / 2;

        if (offset_at(middle) == before)
            from_s = middle;
        else
            to_s = middle;
    }
    return to_s;
}

/*
 * While the offset stands, the local date goes up with time, and midnight is at
 * `midnight - offset`.  So the day begins at that, or where its stretch of one offset
 * begins when that is later, in the first stretch that reaches it.  No offset was ever
 * beyond 16 hours, and no zone changed its offset twice within an hour.
 */
int64_t zone_day_start(int year, int month, int day)
{
    struct tm date = { .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day };
    int64_t midnight = timegm(&date); /* if it were UTC */
    int64_t start = midnight - 16 * HOUR_S;
    int64_t last = midnight + 16 * HOUR_S;
    int64_t offset = offset_at(start);

    for (int64_t at = start; at < last; at += HOUR_S) {
        bool changes = offset_at(at + HOUR_S) != offset;
        int64_t end = changes ? find_change(at, at + HOUR_S) : at + HOUR_S;

        if (midnight - offset < end)
            break;
        if (!changes)
            continue;
        start = end;
        offset = offset_at(end);
    }
    return midnight - offset > start ? midnight - offset : start;
}

int64_t zone_day_of(int64_t at_s)
{
    struct tm local;
    int64_t day;

    zone_local(at_s, &local);
    local.tm_hour = local.tm_min = local.tm_sec = 0;
    day = timegm(&local) / DAY_S;
    while (zone_day_start(1970, 1, (int)day + 2) <= at_s)
        day++;
    return day;
}
