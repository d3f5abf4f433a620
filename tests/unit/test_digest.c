/* SHA-256 against the vectors of FIPS 180-4, whole and in parts; MD5 and HMAC against
 * those of RFC 1321 and RFC 4231; random bytes. */

#include "src/digest.h"

#include <check.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *text;
    const char *hex;
} vectors[] = {
    { "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
    { "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
};
/* clang-format on */

START_TEST(known_texts_have_their_known_digests)
{
    char hex[DIGEST_HEX_SIZE];

    digest_bytes(vectors[_i].text, strlen(vectors[_i].text), hex);
    ck_assert_str_eq(hex, vectors[_i].hex);
}
END_TEST

START_TEST(parts_have_the_digest_of_the_whole)
{
    struct digest *digest = digest_new();
    char hex[DIGEST_HEX_SIZE];

    for (const char *at = vectors[_i].text; *at; at++)
        digest_add(digest, at, 1);
    digest_free(digest, hex);
    ck_assert_str_eq(hex, vectors[_i].hex);
}
END_TEST

START_TEST(a_digest_may_be_given_up)
{
    struct digest *digest = digest_new();

    digest_add(digest, "x", 1);
    digest_free(digest, NULL);
    digest_free(NULL, NULL);
}
END_TEST

START_TEST(hexadecimal_is_64_lower_case_digits)
{
    char text[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0";

    ck_assert(!digest_is_hex(text));
    text[64] = '\0';
    ck_assert(digest_is_hex(text));
    text[10] = 'A';
    ck_assert(!digest_is_hex(text));
    text[10] = 'g';
    ck_assert(!digest_is_hex(text));
    text[10] = '0';
    text[63] = '\0';
    ck_assert(!digest_is_hex(text));
    ck_assert(!digest_is_hex(""));
}
END_TEST

START_TEST(md5_of_a_known_text_is_its_known_digest)
{
    struct digest *digest = digest_md5_new();
    char hex[DIGEST_HEX_SIZE];

    digest_add(digest, "message ", 8);
    digest_add(digest, "digest", 6);
    digest_free(digest, hex);
    ck_assert_str_eq(hex, "f96b697d7cb7938d525a2f31aaf161d0");
}
END_TEST

START_TEST(hmac_of_a_known_text_is_its_known_code)
{
    unsigned char code[DIGEST_SIZE] = "Jefe";
    char hex[DIGEST_HEX_SIZE];

    digest_hmac(code, 4, "what do ya want for nothing?", code);
    digest_to_hex(code, sizeof code, hex);
    ck_assert_str_eq(
        hex, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}
END_TEST

/* By chance once in 2^256 runs. */
START_TEST(random_bytes_differ_each_time)
{
    unsigned char first[32] = { 0 };
    unsigned char second[32] = { 0 };

    random_bytes(first, sizeof first);
    random_bytes(second, sizeof second);
    ck_assert_mem_ne(first, second, sizeof first);
    random_bytes(first, 0);
}
END_TEST

Suite *suite_digest(void)
{
    Suite *suite = suite_create("digest");
    TCase *cases = tcase_create("digest");

    tcase_add_loop_test(cases, known_texts_have_their_known_digests, 0,
                        ARRAY_SIZE(vectors));
    tcase_add_loop_test(cases, parts_have_the_digest_of_the_whole, 0,
                        ARRAY_SIZE(vectors));
    tcase_add_test(cases, a_digest_may_be_given_up);
    tcase_add_test(cases, hexadecimal_is_64_lower_case_digits);
    tcase_add_test(cases, md5_of_a_known_text_is_its_known_digest);
    tcase_add_test(cases, hmac_of_a_known_text_is_its_known_code);
    tcase_add_test(cases, random_bytes_differ_each_time);
    suite_add_tcase(suite, cases);
    return suite;
}
