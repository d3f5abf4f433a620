#ifndef API_CURSOR_H
#define API_CURSOR_H

#include "api/request.h"
#include "src/err.h"
#include "src/json.h"

/*
 * Cursors of every list: where its next page begins, in words that nobody but us can
 * make.
 *
 *   base64url(BINDING MAC POSITION)
 *
 * BINDING is the first bytes of the SHA-256 of what was asked (route, its {part}, all
 * parameters but `cursor` and `limit`), MAC the first half of an HMAC-SHA256 (RFC 2104)
 * over it and POSITION, which is the list's own text of digits and dots, each in four
 * bits: of a job of a thousand instances it is long, and a URL has 8 KiB.
 */

enum {
    CURSOR_KEY_BYTES = 32,
    CURSOR_BINDING_BYTES = 8,
    CURSOR_MAC_BYTES = 16 /* RFC 2104, section 5: no less than half */
};

struct cursor_key {
    unsigned char bytes[CURSOR_KEY_BYTES];
};

/** Reads FOLDER/cursor.key, which is made first (mode 0600, on disk) where there is
 * none.  A file of another size is refused. */
MUST_CHECK int cursor_key_load(const char *folder, struct cursor_key *key,
                               struct err *err);

/* A cursor, taken apart and not believed yet. */
struct cursor {
    unsigned char binding[CURSOR_BINDING_BYTES];
    unsigned char mac[CURSOR_MAC_BYTES];
    char *position; /* digits and dots, not empty */
};

/** Takes a cursor apart; false when it is none, with nothing to be cleared.  Each
 * cursor has one way to be written.  Pure. */
bool cursor_decode(const char *words, struct cursor *out);
void cursor_clear(struct cursor *cursor);

/** The cursor to `position`, one or more digits and dots, for those who ask the same;
 * the caller frees. */
char *cursor_seal(const struct cursor_key *key, const struct request *request,
                  const char *position);

/** The position of the request's cursor, which the caller frees; NULL when it has none,
 * and when it is refused, which adds a problem: it was not sealed by this key, or for
 * another request. */
char *cursor_open(const struct cursor_key *key, const struct request *request,
                  struct problems *problems);

/** Seals those members `next_cursor` and `resume_cursor` of a page that are text: they
 * are positions before. */
void cursor_seal_page(const struct cursor_key *key, const struct request *request,
                      struct cJSON *page);

#endif
