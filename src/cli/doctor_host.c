/* The host's part of the doctor's checks.  Each says what is so, how much it matters
 * and what helps. */

#include "src/cgroup_folder.h"
#include "src/cli/doctor.h"
#include "src/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

static const char cgroup_remedy[] =
    "run railheadd by its systemd unit (Delegate=yes), or as root with /sys/fs/cgroup writable";

void doctor_check_cgroup(struct findings *findings)
{
    auto_free char *own = cgroup_folder(NULL);
    auto_free char *probe =
        own ? xasprintf("%s/jobctl-doctor.%d", own, (int)getpid()) : NULL;
    auto_free char *kill_file = probe ? xasprintf("%s/cgroup.kill", probe) : NULL;

    if (!probe) {
        findings_add(
            findings, "cgroup", SEVERITY_WARNING, "mount cgroup2 on /sys/fs/cgroup",
            "there is no cgroup v2 here: what a job leaves behind is found by its parents instead");
        return;
    }
    if (mkdir(probe, 0755) < 0) {
        findings_add(
            findings, "cgroup", SEVERITY_WARNING, cgroup_remedy,
            "%s cannot be made: %s; what a job leaves behind is found by its parents instead",
            probe, strerror(errno));
        return;
    }
    if (access(kill_file, W_OK) == 0)
        findings_add(findings, "cgroup", SEVERITY_OK, NULL,
                     "cgroup v2 is writable and has cgroup.kill");
    else
        findings_add(findings, "cgroup", SEVERITY_WARNING, "use Linux 5.14 or later",
                     "cgroup v2 is writable but has no cgroup.kill");
    rmdir(probe);
}

/* Data loaders with workers hand tensors over in /dev/shm; when it is full they die of
 * a bus error. */
void doctor_check_shm(struct findings *findings)
{
    static const char remedy[] = "mount -o remount,size=50% /dev/shm";
    struct statvfs fs;
    unsigned long long mib;

    if (statvfs("/dev/shm", &fs) < 0) {
        findings_add(findings, "shm", SEVERITY_WARNING, "mount a tmpfs on /dev/shm",
                     "/dev/shm: %s", strerror(errno));
        return;
    }
    mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
    if (mib < 1024)
        findings_add(
            findings, "shm", SEVERITY_WARNING, remedy,
            "/dev/shm has %llu MiB free; data loaders end with a bus error when it is full",
            mib);
    else
        findings_add(findings, "shm", SEVERITY_OK, NULL, "/dev/shm has %llu MiB free",
                     mib);
}

/* Bills carry dates: what is before this was never true. */
static const char clock_floor[] = "2025-01-01";

void doctor_check_clock(struct findings *findings)
{
    struct timex clock = { 0 };
    char now[TIME_TEXT_SIZE];
    usec_t floor;
    int state = adjtimex(&clock);

    time_format(clock_wall(), now);
    if (time_parse(clock_floor, &floor, NULL) == 0 && clock_wall() < floor)
        findings_add(findings, "clock", SEVERITY_ERROR,
                     "set the clock: timedatectl set-ntp true",
                     "the clock says %s; bills would carry that date", now);
    else if (state < 0 || (clock.status & STA_UNSYNC))
        findings_add(
            findings, "clock", SEVERITY_NOTE,
            "run chrony or systemd-timesyncd, unless the host's own clock is kept for it",
            "the clock says %s and nothing here keeps it right; spans are measured on another clock and stay true",
            now);
    else
        findings_add(findings, "clock", SEVERITY_OK, NULL,
                     "the clock says %s and is kept right", now);
}
