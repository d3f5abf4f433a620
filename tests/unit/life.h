#ifndef TESTS_UNIT_LIFE_H
#define TESTS_UNIT_LIFE_H

#include "daemon/job.h"
#include "daemon/price_book.h"
#include "daemon/store.h"

/*
 * The life of a job as one line of text: steps parted by ", ", times in milliseconds of
 * the boot clock.
 *
 *   submit N [MAX_RUN [ATTEMPTS ON [KEEP]]]
 *                                N instances of ml.c5.xlarge; max_run and keep_alive in
 *                                seconds; ON: causes of `retry`, parted by +
 *   place
 *   ready W T                    worker W is ready at T
 *   launch W T
 *   upload W T CAUSE [FAILURE]   FAILURE: when its first rank failed
 *   end W T CAUSE [FAILURE]
 *   remark W T WORD              it completes, and its line has this message
 *   lose W T [CAUSE]             T: last evidence; CAUSE: it was killed by a stop of
 * this stop CAUSE interrupt GRACE fail CAUSE                   what the daemon posts
 * when it cannot start the workers expire                       max_wait is over in the
 * queue cool T [NAME]                the warm pool ends, reused by that job
 *
 * What becomes due after a step follows it, as in the daemon.
 */

#define LIFE_BOOT_ID   "00000000-1111-2222-3333-444444444444"
#define LIFE_WALL_ZERO INT64_C(1790000000000000) /* wall clock less boot clock */

struct lived_event {
    struct job_event event;
    struct cJSON *data; /* what event.data points to */
};

struct life {
    const char *name;          /* of the job; set before the first step, or "one" */
    struct store *store;       /* or NULL; events and the job's row are written there */
    bool metered;              /* its bill, too */
    const struct offer *offer; /* or NULL: unpriced */
    const struct price_book *book; /* or NULL: an empty one */
    struct job *job;
    struct lived_event *events;
    size_t event_count;
};

/** Lives on by these steps; false when an event was refused, with the reason in `err`.
 * A step that cannot be read fails the test. */
bool life_try(struct life *life, const char *steps, struct err *err);
/** As life_try; a refused event fails the test. */
void life_live(struct life *life, const char *steps);
void life_clear(struct life *life);
#define auto_life __attribute__((cleanup(life_clear)))

/** Every field of a job as text, to be compared; the caller frees. */
char *life_print(const struct job *job);

/** A store in a new folder; both are gone with store_gone. */
struct store *store_made(char **folder);
void store_gone(struct store *store, char *folder);

#endif
