#ifndef SRC_DIGEST_H
#define SRC_DIGEST_H

#include "src/base.h"

/* The door to OpenSSL's digests and random bytes. */

enum {
    DIGEST_SIZE = 32,    /* bytes of a SHA-256 */
    DIGEST_HEX_SIZE = 65 /* room for a digest in hexadecimal */
};

/** SHA-256 as 64 lower-case hexadecimal digits. */
void digest_bytes(const void *bytes, size_t len, char hex[DIGEST_HEX_SIZE]);

/** The same as bytes.  `out` may be part of `bytes`. */
void digest_of(const void *bytes, size_t len, unsigned char out[DIGEST_SIZE]);

/** Digest of bytes as they come: SHA-256; or MD5 (32 digits), which protects from
 * accidents alone. */
struct digest;
struct digest *digest_new(void);
struct digest *digest_md5_new(void);
void digest_add(struct digest *digest, const void *bytes, size_t len);
/** Sets `hex` and frees. `hex` may be NULL. */
void digest_free(struct digest *digest, char hex[DIGEST_HEX_SIZE]);

/** HMAC-SHA256 (RFC 2104) of a text that ends in NUL.  `out` may be `key`. */
void digest_hmac(const void *key, size_t key_len, const char *text,
                 unsigned char out[DIGEST_SIZE]);

/** Whether two codes are the same, in a time that does not tell where they differ. */
bool digest_is_same(const void *left, const void *right, size_t len);

/** `len` bytes as lower-case hexadecimal digits and a NUL. */
void digest_to_hex(const unsigned char *bytes, size_t len, char *hex);

bool digest_is_hex(const char *text); /* 64 lower-case hexadecimal digits */

/** Bytes that nobody can guess. */
void random_bytes(void *bytes, size_t len);

#endif
