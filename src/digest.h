#ifndef SRC_DIGEST_H
#define SRC_DIGEST_H

#include "src/base.h"

/* The door to OpenSSL's digests and random bytes. */

enum {
    DIGEST_HEX_SIZE = 65
};

/** SHA-256 as 64 lower-case hexadecimal digits. */
void digest_bytes(const void *bytes, size_t len, char hex[DIGEST_HEX_SIZE]);

/** Digest of bytes as they come. */
struct digest;
struct digest *digest_new(void);
void digest_add(struct digest *digest, const void *bytes, size_t len);
/** Sets `hex` and frees. `hex` may be NULL. */
void digest_free(struct digest *digest, char hex[DIGEST_HEX_SIZE]);

bool digest_is_hex(const char *text); /* 64 lower-case hexadecimal digits */

/** Bytes that nobody can guess. */
void random_bytes(void *bytes, size_t len);

#endif
