/*
 * Days of a time zone, found by asking glibc for the local time of instants.
 *
 * mktime is not asked: of a midnight that the clock leaves out or shows twice it may
 * give either side.
 */

#include "src/zone.h"

#include "src/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOUR_S INT64_C(3600)
#define DAY_S  INT64_C(86400)

/* Where glibc and the packages of every distribution have the database. */
#define ZONE_FOLDER "/usr/share/zoneinfo"

enum {
    ZONE_NAME_MAX = 100
};

/* What else is in that folder and no name of a zone. */
static const struct {
    const char *start;
    const char *reason;
} others[] = {
    { "right/", "counts leap seconds, which no bill has" },
    { "posix/", "is a copy of a zone, which has the name behind that" },
    { "localtime", "is whatever zone this host is set to, and no name of one" },
    { "posixrules", "is whatever zone this host has rules of, and no name of one" },
    { "Factory", "is a zone that nobody has set yet, and no name of one" },
};

static const char *reason_against(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (text_starts_with(name, others[i].start))
            return others[i].reason;
    return NULL;
}

/* A name as the database has them: no way out of its folder, and one way to write it.
 */
static bool is_name(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > ZONE_NAME_MAX || *name == '/' || strstr(name, "//"))
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
    auto_free char *path = xasprintf(ZONE_FOLDER "/%s", name);
    auto_free char *value = NULL;
    const char *reason = reason_against(name);
    bool is_utc = strcmp(name, "UTC") == 0; /* needs no database */

    if (reason)
        return err_set(err, ERR_INVALID, "\"%.*s\" %s", ZONE_NAME_MAX, name, reason);
    if (!is_utc && (!is_name(name) || !is_zone_file(path)))
        return err_set(err, ERR_INVALID, "there is no time zone \"%.*s\" on this host",
                       ZONE_NAME_MAX, name);
    value = is_utc ? xstrdup("UTC0") : xasprintf(":%s", path);
    if (setenv("TZ", value, 1) < 0)
        return err_sys(err, errno, "set TZ");
    tzset();
    return 0;
}

static const char *place_of(const char *name)
{
    const char *region_end = strrchr(name, '/');

    return region_end ? region_end + 1 : name;
}

/* Within the region that was named, if one was: abbreviations are near each other and
 * hours apart. */
static bool is_nearer(const char *name, const char *zone, const char *nearest)
{
    const char *place = place_of(name);
    const char *const choices[] = { place_of(nearest ? nearest : zone), place_of(zone),
                                    NULL };

    return place > name && strncasecmp(name, zone, (size_t)(place - name)) == 0
           && text_nearest(place, choices) == choices[1];
}

/* zic(8): of a zone, or of a link to one. */
static bool read_zone_line(const char *line, char zone[ZONE_NAME_MAX + 1])
{
    return sscanf(line, "Z %100s", zone) == 1 || sscanf(line, "L %*s %100s", zone) == 1;
}

char *zone_nearest(const char *name)
{
    FILE *database = fopen(ZONE_FOLDER "/tzdata.zi", "re");
    auto_free char *line = NULL;
    char *nearest = NULL;
    bool is_found = false;
    size_t room = 0;

    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (strchr(others[i].start, '/') && text_starts_with(name, others[i].start))
            name += strlen(others[i].start);
    while (database && !is_found && getline(&line, &room, database) > 0) {
        char zone[ZONE_NAME_MAX + 1];

        if (!read_zone_line(line, zone) || reason_against(zone))
            continue;
        is_found = strcasecmp(place_of(name), place_of(zone)) == 0;
        if (is_found || is_nearer(name, zone, nearest)) {
            free(nearest);
            nearest = xstrdup(zone);
        }
    }
    if (database)
        (void)fclose(database);
    return nearest;
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
