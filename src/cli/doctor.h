#ifndef SRC_CLI_DOCTOR_H
#define SRC_CLI_DOCTOR_H

#include "src/cli/verbs.h"
#include "src/json.h"

/* What `jobctl doctor` looks at, and what it found. */

enum severity {
    SEVERITY_OK,
    SEVERITY_NOTE,
    SEVERITY_WARNING,
    SEVERITY_ERROR
};

const char *severity_name(enum severity severity);

struct findings {
    struct cJSON *items; /* [{check, severity, text, remedy}] */
    bool has_error;
};

/** Adds one; `remedy` may be NULL. */
void findings_add(struct findings *findings, const char *check, enum severity severity,
                  const char *remedy, const char *format, ...) PRINTF_LIKE(5, 6);

/* Each looks at one thing and adds what it found. */
void doctor_check_daemon(struct cli *cli, struct findings *findings);
void doctor_check_python(struct findings *findings);
void doctor_check_mpirun(struct findings *findings);
void doctor_check_cgroup(struct findings *findings);
void doctor_check_isolation(struct findings *findings);
void doctor_check_memory(struct findings *findings);
void doctor_check_monitors(struct findings *findings);
void doctor_check_shm(struct findings *findings);
void doctor_check_limits(struct findings *findings);
void doctor_check_ports(struct findings *findings);
void doctor_check_clock(struct findings *findings);

#endif
