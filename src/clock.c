/* The two clocks, and time and spans as text.  UTC only: zones are for reports. */

#include "src/clock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BOOT_ID_LEN = 36
};

static struct {
    bool is_held;
    usec_t wall;
    usec_t boot;
} hold;

static usec_t clock_read(clockid_t clock)
{
    struct timespec now = { 0 };

    clock_gettime(clock, &now);
    return now.tv_sec * USEC_PER_SEC + now.tv_nsec / NSEC_PER_USEC;
}

usec_t clock_wall(void)
{
    return hold.is_held ? hold.wall : clock_read(CLOCK_REALTIME);
}

usec_t clock_boot(void)
{
    return hold.is_held ? hold.boot : clock_read(CLOCK_BOOTTIME);
}

void clock_hold(usec_t wall, usec_t boot)
{
    hold.is_held = true;
    hold.wall = wall;
    hold.boot = boot;
}

void clock_release(void)
{
    hold.is_held = false;
}

const char *clock_boot_id(void)
{
    static char id[BOOT_ID_LEN + 1];
    auto_close int fd = -1;

    if (id[0] != '\0')
        return id;
    fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, id, BOOT_ID_LEN) != BOOT_ID_LEN)
        /* An id that no other process has: its boot clock is compared with nobody's,
         * which is the careful way to be without one. */
        snprintf(id, sizeof id, "unknown-%08x-%016llx", (unsigned)getpid(),
                 (unsigned long long)clock_read(CLOCK_BOOTTIME));
    return id;
}

const char *time_format(usec_t wall, char out[TIME_TEXT_SIZE])
{
    usec_t fraction = wall % USEC_PER_SEC;
    time_t seconds = wall / USEC_PER_SEC;
    struct tm parts = { 0 };
    char rest[32];

    if (fraction < 0) {
        fraction += USEC_PER_SEC;
        seconds--;
    }
    gmtime_r(&seconds, &parts);
    strftime(rest, sizeof rest, "-%m-%dT%H:%M:%S", &parts);
    snprintf(out, TIME_TEXT_SIZE, "%04d%.15s.%06dZ", parts.tm_year + 1900, rest,
             (int)fraction);
    return out;
}

/* Exactly `count` digits at *at, moved past them; `high` is the greatest allowed. */
static bool read_digits(const char **at, int count, int high, int *out)
{
    int value = 0;

    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)(*at)[i]))
            return false;
        value = value * 10 + ((*at)[i] - '0');
    }
    if (value > high)
        return false;
    *at += count;
    *out = value;
    return true;
}

static bool read_mark(const char **at, char mark)
{
    if (toupper((unsigned char)**at) != mark)
        return false;
    ++*at;
    return true;
}

static int days_of_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && is_leap);
}

/* Days from 1970-01-01 in the Gregorian calendar.  Years are counted from March, so
 * that the leap day is a year's last; 719468 days lie between 0000-03-01 and
 * 1970-01-01. */
static int64_t days_since_1970(int year, int month, int day)
{
    int64_t years = month > 2 ? year : year - 1;
    int64_t era = (years >= 0 ? years : years - 399) / 400;
    int64_t year_of_era = years - era * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

    return era * 146097 + day_of_era - 719468;
}

static bool read_date(const char **at, int64_t *days)
{
    int year;
    int month;
    int day;

    if (!read_digits(at, 4, 9999, &year) || !read_mark(at, '-')
        || !read_digits(at, 2, 12, &month) || !read_mark(at, '-')
        || !read_digits(at, 2, 31, &day) || month < 1 || day < 1
        || day > days_of_month(year, month))
        return false;
    *days = days_since_1970(year, month, day);
    return true;
}

/* Digits beyond the microsecond are dropped. */
static bool read_fraction(const char **at, usec_t *fraction)
{
    usec_t unit = USEC_PER_SEC / 10;

    if (!read_mark(at, '.'))
        return true;
    if (!isdigit((unsigned char)**at))
        return false;
    for (; isdigit((unsigned char)**at); ++*at) {
        *fraction += (**at - '0') * unit;
        unit /= 10;
    }
    return true;
}

static bool read_offset(const char **at, int64_t *seconds)
{
    int64_t sign = **at == '-' ? -1 : 1;
    int hours;
    int minutes;

    *seconds = 0;
    if (read_mark(at, 'Z'))
        return true;
    if (!read_mark(at, '-') && !read_mark(at, '+'))
        return false;
    if (!read_digits(at, 2, 23, &hours) || !read_mark(at, ':')
        || !read_digits(at, 2, 59, &minutes))
        return false;
    *seconds = sign * hours * 3600 + sign * minutes * 60;
    return true;
}

/* A leap second (:60) is refused: Unix time has no place for it. */
static bool read_time_of_day(const char **at, usec_t *since_midnight)
{
    int64_t offset;
    usec_t fraction = 0;
    int hours;
    int minutes;
    int seconds;

    if (!read_mark(at, 'T') || !read_digits(at, 2, 23, &hours) || !read_mark(at, ':')
        || !read_digits(at, 2, 59, &minutes) || !read_mark(at, ':')
        || !read_digits(at, 2, 59, &seconds) || !read_fraction(at, &fraction)
        || !read_offset(at, &offset))
        return false;
    *since_midnight =
        (hours * 3600 + minutes * 60 + seconds - offset) * USEC_PER_SEC + fraction;
    return true;
}

int time_parse(const char *text, usec_t *wall, struct err *err)
{
    const char *at = text;
    usec_t since_midnight = 0;
    int64_t days;

    if (!read_date(&at, &days)
        || (*at != '\0' && !read_time_of_day(&at, &since_midnight)) || *at != '\0')
        return err_set(
            err, ERR_INVALID,
            "\"%s\" is not a time: expected 2026-11-30T10:15:00Z, with another offset if need be, or a date",
            text);
    *wall = days * 86400 * USEC_PER_SEC + since_midnight;
    return 0;
}

static int64_t unit_seconds(const char *unit)
{
    /* clang-format off */
    static const struct {
        const char *unit;
        int64_t seconds;
    } units[] = {
        { "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 },
    };
    /* clang-format on */

    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strcmp(units[i].unit, unit) == 0)
            return units[i].seconds;
    return 0;
}

int duration_parse(const char *text, int64_t *seconds, struct err *err)
{
    long long count;
    int64_t unit;
    int64_t span;
    char *end;

    errno = 0;
    count = strtoll(text, &end, 10);
    unit = unit_seconds(end);
    if (!isdigit((unsigned char)text[0]) || unit == 0)
        return err_set(
            err, ERR_INVALID,
            "\"%s\" is not a duration: expected seconds, or a number with s, m, h or d behind",
            text);
    if (errno == ERANGE || __builtin_mul_overflow(count, unit, &span))
        return err_set(err, ERR_LIMIT, "\"%s\" is too long a duration", text);
    *seconds = span;
    return 0;
}

void duration_format(int64_t seconds, char out[TIME_TEXT_SIZE])
{
    const char *sign = seconds < 0 ? "-" : "";
    unsigned long long span =
        seconds < 0 ? -(unsigned long long)seconds : (unsigned long long)seconds;

    if (span < 60)
        snprintf(out, TIME_TEXT_SIZE, "%s%llu s", sign, span);
    else if (span < 3600)
        snprintf(out, TIME_TEXT_SIZE, "%s%llu min %02llu s", sign, span / 60,
                 span % 60);
    else
        snprintf(out, TIME_TEXT_SIZE, "%s%llu h %02llu min", sign, span / 3600,
                 span / 60 % 60);
}
