#ifndef DAEMON_SCHEMA_H
#define DAEMON_SCHEMA_H

/* The files of daemon/schema, compiled in by scripts/schema-to-c.  Step n brings a
 * store of version n - 1 to version n; a released step is never edited. */

struct schema_step {
    int version;      /* 1, 2, 3 ... without a gap */
    const char *name; /* "0001-jobs.sql" */
    const char *sql;
};

extern const struct schema_step schema_steps[];
extern const int schema_step_count;

#endif
