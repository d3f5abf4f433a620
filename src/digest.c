/* The door to OpenSSL: SHA-256 and random bytes.  Both fail only when the library is
 * broken, and nothing true can be said without them: then we abort. */

#include "src/digest.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGEST_SIZE = 32
};

struct digest {
    EVP_MD_CTX *context;
};

static void or_abort(int openssl_result)
{
    if (openssl_result != 1) {
        fputs("OpenSSL: a digest or random bytes failed\n", stderr);
        abort();
    }
}

static void to_hex(const unsigned char bytes[DIGEST_SIZE], char hex[DIGEST_HEX_SIZE])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < DIGEST_SIZE; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    hex[DIGEST_HEX_SIZE - 1] = '\0';
}

void digest_bytes(const void *bytes, size_t len, char hex[DIGEST_HEX_SIZE])
{
    unsigned char result[DIGEST_SIZE];

    or_abort(EVP_Digest(bytes, len, result, NULL, EVP_sha256(), NULL));
    to_hex(result, hex);
}

struct digest *digest_new(void)
{
    struct digest *digest = xmalloc(sizeof *digest);

    digest->context = EVP_MD_CTX_new();
    or_abort(digest->context != NULL);
    or_abort(EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL));
    return digest;
}

void digest_add(struct digest *digest, const void *bytes, size_t len)
{
    or_abort(EVP_DigestUpdate(digest->context, bytes, len));
}

void digest_free(struct digest *digest, char hex[DIGEST_HEX_SIZE])
{
    unsigned char result[DIGEST_SIZE];

    if (!digest)
        return;
    if (hex) {
        or_abort(EVP_DigestFinal_ex(digest->context, result, NULL));
        to_hex(result, hex);
    }
    EVP_MD_CTX_free(digest->context);
    free(digest);
}

bool digest_is_hex(const char *text)
{
    return strspn(text, "0123456789abcdef") == DIGEST_HEX_SIZE - 1
           && text[DIGEST_HEX_SIZE - 1] == '\0';
}

void random_bytes(void *bytes, size_t len)
{
    or_abort(len <= INT_MAX && RAND_bytes(bytes, (int)len) == 1);
}
