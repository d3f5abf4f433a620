#ifndef TESTS_CONTRACT_WORLD_H
#define TESTS_CONTRACT_WORLD_H

#include "schedulers/scheduler.h"

#include <sys/types.h>

/*
 * One job on one scheduler, over several lives of the daemon.  What the scheduler tells
 * is held against the contract of schedulers/scheduler.h as it comes; the first breach
 * is kept as `breach`.
 */

enum {
    WORLD_WORKERS = 2
};

/* What the job does once it runs. */
enum conduct {
    CONDUCT_ENDS,     /* well, after 0.3 s */
    CONDUCT_FAILS,    /* worker 1 with exit code 7, after 0.3 s */
    CONDUCT_GOES_ON,  /* until it is told to stop */
    CONDUCT_VANISHES, /* worker 1 goes without a word */
};

struct world_worker {
    int64_t last_seq; /* as the daemon has recorded it */
    usec_t last_boot;
    bool launched;
    bool ended; /* or lost */
    bool lost;
    enum end_cause cause;
    int exit_code;
    pid_t pid;
};

struct world;

/* What the daemon waits for, and what it does then.  A list ends with an empty step. */
struct step {
    bool (*until)(const struct world *world);
    usec_t pause; /* without `until`: for so long */
    void (*act)(struct world *world);
};

struct world {
    const struct scheduler_class *class;
    enum conduct conduct;
    char *folder;
    char *job_id;
    char *job_folder;
    char *boot_id; /* where it was placed */
    usec_t placed_boot;
    struct worker_plan *plans[WORLD_WORKERS];
    bool has_no_plans; /* from the next life on */
    struct fake_behaviour fake;
    struct world_worker workers[WORLD_WORKERS];
    char breach[256];

    /* Of this life. */
    struct loop *loop;
    struct scheduler *scheduler;
    bool in_call; /* within start or stop */
    const struct step *step;
    struct loop_source *next;
    struct loop_source *deadline;
};

/** A job that is placed and not started.  `folder` and `class` are borrowed. */
struct world *world_new(const struct scheduler_class *class, char *folder,
                        enum conduct conduct);
void world_free(struct world *world);

/** A life of the daemon: it opens the scheduler, hands it the job, takes the steps, and
 * ends.  A step that waits for more than 15 s is a breach. */
void world_live(struct world *world, const struct step *steps);

/* Acts. */
void world_start(struct world *world);
void world_stop(struct world *world);
void world_interrupt(struct world *world); /* with a grace of 1 s */
void world_release(struct world *world);

/** Makes worker 1 of a job that vanishes do so, where it does not by itself. */
void world_vanish(struct world *world);

bool world_all_launched(const struct world *world);
bool world_all_ended(const struct world *world);

/** How often the program was started; -1: this scheduler starts none. */
int world_runs(const struct world *world);

#endif
