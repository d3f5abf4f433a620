#ifndef SRC_CLI_SPEC_SEND_H
#define SRC_CLI_SPEC_SEND_H

#include "src/cli/remote.h"
#include "src/cli/spec_file.h"

/* What all verbs that take a job spec do with it. */

/* What the command line says instead of the file. */
struct spec_changes {
    const char *name; /* or NULL */
    char **sets;      /* of --set, ends in NULL; or NULL */
};

/** Reads, changes, checks and packs: nothing is asked of the server before this is
 * well.  ERR_INVALID, with all that is wrong in `problems`. */
MUST_CHECK int spec_prepare(const char *path, const struct spec_changes *changes,
                            struct spec_file *file, struct problems *problems,
                            struct err *err);

/* What is asked of the server with a spec. */
struct spec_ask {
    const char *path; /* "/v1/training-jobs", "/v1/estimates", ... */
    const char *key;  /* the Idempotency-Key with which it may be sent again when its
                         answer was lost; NULL: it changes nothing */
};

/** Posts the spec, its source before it.  The caller frees the answer. */
MUST_CHECK int spec_send(struct remote *remote, const struct spec_file *file,
                         const struct spec_ask *ask, struct cJSON **answer,
                         struct problems *problems, struct err *err);

/** A key that no other submit has; the caller frees. */
char *spec_make_key(void);

#endif
