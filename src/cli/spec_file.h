#ifndef SRC_CLI_SPEC_FILE_H
#define SRC_CLI_SPEC_FILE_H

#include "src/digest.h"
#include "src/err.h"
#include "src/job_spec.h"
#include "src/json.h"

/* A job spec as a user wrote it, on its way to the server. */

struct spec_file {
    const char *path;      /* as given; "-" is standard input */
    const char *shown;     /* for messages: the path or "standard input" */
    struct cJSON *json;    /* what will be sent */
    struct job_spec *spec; /* the same, complete; after spec_file_check */
    char *archive; /* temporary file of the packed source, or NULL: no folder to pack */
    char hex[DIGEST_HEX_SIZE]; /* of the archive */
};

/** Reads YAML or JSON: by the name's ending, else whatever of the two it is.  Errors
 * name the file, line and column. */
MUST_CHECK int spec_file_read(const char *path, struct spec_file *file,
                              struct err *err);

/** Puts `value` (YAML, so that 4 is a number and [a] a list) in the place of a member:
 * "name=x", "hyperparameters.lr=1e-4".  Objects on the way are made. */
MUST_CHECK int spec_file_set(struct spec_file *file, const char *assignment,
                             struct err *err);

/** As spec_file_set, with a text that is taken as it is. */
MUST_CHECK int spec_file_set_text(struct spec_file *file, const char *member,
                                  const char *value, struct err *err);

/** Makes file:// URIs of the paths in inputs, output_path and checkpoint (relative ones
 * begin at the spec's own folder) and sets file->spec; ERR_INVALID with all problems.
 */
MUST_CHECK int spec_file_check(struct spec_file *file, struct problems *problems,
                               struct err *err);

/** Packs a source_dir that is a folder (relative to the spec's own) and names its
 * digest in the spec instead. ERR_INVALID when the folder or the entry point in it is
 * not there. */
MUST_CHECK int spec_file_pack(struct spec_file *file, struct problems *problems,
                              struct err *err);

/** Frees all and removes the archive. */
void spec_file_clear(struct spec_file *file);
#define auto_spec_file __attribute__((cleanup(spec_file_clear)))

#endif
