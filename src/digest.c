/* The door to OpenSSL: SHA-256, MD5, HMAC and random bytes.  They fail only when the
 * library is broken, and nothing true can be said without them: then we abort. */

#include "src/digest.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void digest_to_hex(const unsigned char *bytes, size_t len, char *hex)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < len; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    hex[2 * len] = '\0';
}

/* Fetched once: OpenSSL looks it up by its name each time, which takes longer than the
 * digest of a short text. */
static const EVP_MD *sha256(void)
{
    static EVP_MD *kind;

    if (!kind)
        kind = EVP_MD_fetch(NULL, "SHA256", NULL);
    or_abort(kind != NULL);
    return kind;
}

void digest_of(const void *bytes, size_t len, unsigned char out[DIGEST_SIZE])
{
    or_abort(EVP_Digest(bytes, len, out, NULL, sha256(), NULL));
}

void digest_bytes(const void *bytes, size_t len, char hex[DIGEST_HEX_SIZE])
{
    unsigned char result[DIGEST_SIZE];

    digest_of(bytes, len, result);
    digest_to_hex(result, sizeof result, hex);
}

static struct digest *begin(const EVP_MD *kind)
{
    struct digest *digest = xmalloc(sizeof *digest);

    digest->context = EVP_MD_CTX_new();
    or_abort(digest->context != NULL);
    or_abort(EVP_DigestInit_ex(digest->context, kind, NULL));
    return digest;
}

struct digest *digest_new(void)
{
    return begin(sha256());
}

struct digest *digest_md5_new(void)
{
    return begin(EVP_md5());
}

void digest_add(struct digest *digest, const void *bytes, size_t len)
{
    or_abort(EVP_DigestUpdate(digest->context, bytes, len));
}

void digest_free(struct digest *digest, char hex[DIGEST_HEX_SIZE])
{
    unsigned char result[DIGEST_SIZE];
    unsigned int len;

    if (!digest)
        return;
    if (hex) {
        or_abort(EVP_DigestFinal_ex(digest->context, result, &len));
        digest_to_hex(result, len, hex);
    }
    EVP_MD_CTX_free(digest->context);
    free(digest);
}

void digest_hmac(const void *key, size_t key_len, const char *text,
                 unsigned char out[DIGEST_SIZE])
{
    unsigned char result[DIGEST_SIZE];

    or_abort(key_len <= INT_MAX
             && HMAC(sha256(), key, (int)key_len, (const unsigned char *)text,
                     strlen(text), result, NULL)
                    != NULL);
    memcpy(out, result, sizeof result);
}

bool digest_is_same(const void *left, const void *right, size_t len)
{
    return CRYPTO_memcmp(left, right, len) == 0;
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
