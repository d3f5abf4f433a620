/*
 * Signatures against known answers.  Those of service sagemaker were computed by
 * botocore and by an independent implementation; those of S3 by botocore 1.43.11
 * (botocore.auth.S3SigV4Auth.add_auth on an AWSRequest, its clock set to the time
 * below).
 */

#include "src/sigv4.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define ACCESS_KEY "AKIDEXAMPLE"
#define SECRET_KEY "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define AT         "20260830T123600Z"
#define EMPTY_HASH "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define HELLO_HASH "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

#define DATE_HEADER  "X-Amz-Date: " AT
#define TOKEN_HEADER "x-amz-security-token: TOKENexample123"

static const struct sigv4_scope sagemaker = { AT, "us-east-1", "sagemaker" };
static const struct sigv4_scope s3 = { AT, "us-east-1", "s3" };

/* clang-format off */
static const char *const describe_headers[] = {
    "Host: head:8443",
    "X-Amz-Target: SageMaker.DescribeTrainingJob",
    "Content-Type: application/x-amz-json-1.1",
    DATE_HEADER,
    NULL, /* the token, once */
    NULL,
};

static const struct {
    const char *method;
    const char *path;
    const char *query;
    const char *payload_hash;
    const char *headers[7];
    const char *signed_names;
    const char *signature;
} s3_vectors[] = {
    { "GET", "/a%20key/with%2Bplus/%C3%BCn%C3%AF.bin", "", EMPTY_HASH,
      { "Host: train.s3.us-east-1.amazonaws.com", "Range: bytes=0-8388607",
        "If-Match:  \"abc\" ", DATE_HEADER, "x-amz-content-sha256: " EMPTY_HASH },
      "host;if-match;range;x-amz-content-sha256;x-amz-date",
      "7ac49317619685147fc4969ed7e6a191662f76e51359d8aa14d520eb67f8ed7f" },
    { "GET", "/a%20key/with%2Bplus/%C3%BCn%C3%AF.bin", "", EMPTY_HASH,
      { "Host: train.s3.us-east-1.amazonaws.com", "Range: bytes=0-8388607",
        "If-Match: \"abc\"", DATE_HEADER, "x-amz-content-sha256: " EMPTY_HASH,
        TOKEN_HEADER },
      "host;if-match;range;x-amz-content-sha256;x-amz-date;x-amz-security-token",
      "363cd2c1dde89fe9f270356f8e1503241024d16e6f88c14162bc059c93cae3db" },
    { "GET", "/train",
      "list-type=2&prefix=data%20set%2F%C3%BC%2B%25&encoding-type=url"
      "&continuation-token=a%2Fb%2Bc%3D%3D&max-keys=1000", EMPTY_HASH,
      { "Host: 127.0.0.1:9000", DATE_HEADER, "X-Amz-Content-SHA256: " EMPTY_HASH },
      "host;x-amz-content-sha256;x-amz-date",
      "7fc92e494af4e928e7fee0f9adc4fac4369cc36d04a31175abf671af08fb03d8" },
    { "PUT", "/train/model%20%28final%29.tar.gz", "uploadId=x%2B%2F%3D&partNumber=3",
      HELLO_HASH,
      { "X-Amz-Content-SHA256: " HELLO_HASH, "Host: 127.0.0.1:9000", DATE_HEADER },
      "host;x-amz-content-sha256;x-amz-date",
      "6fb10104d89da39d3c39566d3714b176e8f38f0d21a9cf40fbcc79734127ff46" },
    { "POST", "/train/a//b/../c%27%2A~", "uploads", EMPTY_HASH,
      { "Content-Type: application/xml", "Host: 127.0.0.1:9000", DATE_HEADER,
        "X-Amz-Content-SHA256: " EMPTY_HASH },
      "content-type;host;x-amz-content-sha256;x-amz-date",
      "a6fe933ec84f943327f41a6a57d1e54f114d7da603156043760c507dbad3cd03" },
};

static const struct {
    const char *token;
    const char *canonical_hash;
    const char *signature;
} json_vectors[] = {
    { NULL, "4dd55172e34d9a3342b3382119e61b03a0e1066d2808b5e5f626e2e767841ab6",
      "1c6234b93f697913c3a80f5dfe7d3644a3a7d4c39f8fb2531db9678271bd2528" },
    { TOKEN_HEADER, "b30543820208019d67f1a08c9eb10e2ed4d47332518bc874c509dafa21090ea3",
      "6adeecb962e4afdd008e8df2cd72acb1a128d23d40990bfea68e6fe24f825bb7" },
};
/* clang-format on */

START_TEST(a_json_request_has_its_known_signature)
{
    const char *headers[ARRAY_SIZE(describe_headers)];
    struct sigv4_request request = { "POST", "/", "", headers, NULL };
    const char *body = "{\"TrainingJobName\": \"demo-1\"}";
    char body_hash[DIGEST_HEX_SIZE];
    char hash[DIGEST_HEX_SIZE];
    char signature[DIGEST_HEX_SIZE];

    memcpy(headers, describe_headers, sizeof headers);
    headers[4] = json_vectors[_i].token;
    digest_bytes(body, strlen(body), body_hash);
    request.payload_hash = body_hash;
    sigv4_canonical_hash(&request, hash);
    ck_assert_str_eq(hash, json_vectors[_i].canonical_hash);
    sigv4_signature(hash, &sagemaker, SECRET_KEY, signature);
    ck_assert_str_eq(signature, json_vectors[_i].signature);
}
END_TEST

START_TEST(an_s3_request_has_its_known_authorization)
{
    struct sigv4_request request = {
        s3_vectors[_i].method,  s3_vectors[_i].path,         s3_vectors[_i].query,
        s3_vectors[_i].headers, s3_vectors[_i].payload_hash,
    };
    auto_free char *wanted =
        xasprintf("AWS4-HMAC-SHA256 Credential=" ACCESS_KEY
                  "/20260830/us-east-1/s3/aws4_request, SignedHeaders=%s, Signature=%s",
                  s3_vectors[_i].signed_names, s3_vectors[_i].signature);
    auto_free char *got = sigv4_authorization(&request, &s3, ACCESS_KEY, SECRET_KEY);

    ck_assert_str_eq(got, wanted);
}
END_TEST

/* What is signed here is compared with itself in another order. */
START_TEST(a_name_that_begins_another_is_sorted_before_it)
{
    static const char *const headers[] = { "Host: h", "X-Amz-Date: " AT, NULL };
    struct sigv4_request sorted = { "GET", "/", "a=z&a-b=1&ab=0", headers, EMPTY_HASH };
    struct sigv4_request other = { "GET", "/", "ab=0&a-b=1&a=z", headers, EMPTY_HASH };
    /* RFC 3986 order of names is that of their bytes: "a", "a-b", "ab". */
    static const char canonical[] = "GET\n/\na=z&a-b=1&ab=0\nhost:h\nx-amz-date:" AT
                                    "\n\nhost;x-amz-date\n" EMPTY_HASH;
    char wanted[DIGEST_HEX_SIZE];
    char got[DIGEST_HEX_SIZE];

    digest_bytes(canonical, strlen(canonical), wanted);
    sigv4_canonical_hash(&sorted, got);
    ck_assert_str_eq(got, wanted);
    sigv4_canonical_hash(&other, got);
    ck_assert_str_eq(got, wanted);
}
END_TEST

START_TEST(time_is_written_as_the_header_has_it)
{
    char text[SIGV4_TIME_SIZE];

    sigv4_time(INT64_C(1788093360) * USEC_PER_SEC + 999999, text);
    ck_assert_str_eq(text, "20260830T123600Z");
}
END_TEST

Suite *suite_sigv4(void)
{
    Suite *suite = suite_create("sigv4");
    TCase *all = tcase_create("all");

    tcase_add_loop_test(all, a_json_request_has_its_known_signature, 0,
                        (int)ARRAY_SIZE(json_vectors));
    tcase_add_loop_test(all, an_s3_request_has_its_known_authorization, 0,
                        (int)ARRAY_SIZE(s3_vectors));
    tcase_add_test(all, a_name_that_begins_another_is_sorted_before_it);
    tcase_add_test(all, time_is_written_as_the_header_has_it);
    suite_add_tcase(suite, all);
    return suite;
}
