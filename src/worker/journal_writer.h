#ifndef SRC_WORKER_JOURNAL_WRITER_H
#define SRC_WORKER_JOURNAL_WRITER_H

#include "src/journal.h"

/* The worker's end of journal.jsonl; src/journal.h has the lines. */

struct journal_writer {
    int fd;       /* locked for as long as this worker lives */
    int64_t seq;  /* of the last line */
    int64_t size; /* bytes of whole lines */
    int64_t room; /* bytes that the disk has for it */
    usec_t anchor_wall;
    usec_t anchor_boot;
};

/** Opens and locks FOLDER/journal.jsonl and takes the anchor of wall time.  `*ours` is
 * false when another worker has it, or had it: then there is nothing to do here. */
MUST_CHECK int journal_writer_open(const char *folder, struct journal_writer *out,
                                   bool *ours, struct err *err);

/** Gives back the disk that was set aside. */
void journal_writer_close(struct journal_writer *writer);

/** Wall time at `boot`, counted from the anchor: it does not jump. */
usec_t journal_writer_wall(const struct journal_writer *writer, usec_t boot);

/** The next line with its first members; the caller adds the rest. */
struct cJSON *journal_writer_line(const struct journal_writer *writer,
                                  enum journal_kind kind, usec_t boot);

/** Appends a line whole or not at all; takes `line` over.  ERR_LIMIT when it is too
 * long. */
MUST_CHECK int journal_writer_append(struct journal_writer *writer, struct cJSON *line,
                                     struct err *err);

/** As journal_writer_append, of what may be missing: it is left out when the disk is
 * full, so that what is set aside is there for the lines that may not. */
MUST_CHECK int journal_writer_note(struct journal_writer *writer, struct cJSON *line,
                                   struct err *err);

#endif
