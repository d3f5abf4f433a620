/* The pure parts of S3: URIs, the XML of answers, ETags, endpoints.  Requests are for
 * the flow tests. */

#include "src/s3.h"
#include "src/s3_call.h"
#include "src/s3_xml.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *uri;
    const char *bucket;
    const char *key;
} good_uris[] = {
    { "s3://train",                "train",       "" },
    { "s3://train/",               "train",       "" },
    { "s3://my.bucket-1/a/b",      "my.bucket-1", "a/b" },
    { "s3://train//a/../b?c=d#e",  "train",       "/a/../b?c=d#e" },
    { "s3://train/100%25 + \xc3\xbc", "train",    "100%25 + \xc3\xbc" },
};

static const struct {
    const char *uri;
    const char *words;
} bad_uris[] = {
    { "",                 "expected s3://" },
    { "S3://train/x",     "expected s3://" },
    { "https://train/x",  "expected s3://" },
    { "s3://",            "bucket's name" },
    { "s3:///key",        "bucket's name" },
    { "s3://ab/key",      "bucket's name" },
    { "s3://a b c/key",   "bucket's name" },
    { "s3://user@host/x", "bucket's name" },
    { "s3://train/\xff",  "UTF-8" },
};

static const struct {
    const char *xml;
    const char *text; /* of <Key> */
} texts[] = {
    { "<A><Key>plain</Key></A>",                       "plain" },
    { "<Key></Key>",                                   "" },
    { "<KeyCount>1</KeyCount><Key>this</Key>",         "this" },
    { "<Key xmlns=\"x\">this</Key><Key>not</Key>",     "this" },
    { "<Key>a&amp;b&lt;&gt;&quot;&apos;</Key>",        "a&b<>\"'" },
    { "<Key>&#65;&#x42;&#xfc;&#x65e5;&#x1F600;</Key>", "AB\xc3\xbc\xe6\x97\xa5\xf0\x9f\x98\x80" },
    { "<Key>&amp;lt;</Key>",                           "&lt;" },
    { "<Key>& &x; &#; &#x110000; &#65</Key>",          "& &x; &#; &#x110000; &#65" },
    { "<Key>&#xD800;&#xdfff;&#xe000;</Key>",           "&#xD800;&#xdfff;\xee\x80\x80" },
    { "<Key>&# 65;&#+65;&#-1;&#x0x41;&#0;&#x;</Key>",  "&# 65;&#+65;&#-1;&#x0x41;&#0;&#x;" },
    { "<Key>&#99999999999999999999;&#6a;</Key>",       "&#99999999999999999999;&#6a;" },
    { "<Key>no end",                                   NULL },
    { "<Key",                                          NULL },
    { "</Key>",                                        NULL },
    { "",                                              NULL },
};

static const struct {
    const char *endpoint;
    bool good;
} endpoints[] = {
    { NULL,                       true },
    { "http://127.0.0.1:9000",    true },
    { "https://s3.example.org/",  true },
    { "http://127.0.0.1:9000/s3", false },
    { "http://user@host",         false },
    { "http://",                  false },
    { "ftp://host",               false },
    { "host:9000",                false },
};
/* clang-format on */

START_TEST(a_uri_gives_bucket_and_key_as_they_stand)
{
    auto_s3_uri struct s3_uri uri = { 0 };
    struct err err;

    ck_assert_int_eq(s3_uri_parse(good_uris[_i].uri, &uri, &err), 0);
    ck_assert_str_eq(uri.bucket, good_uris[_i].bucket);
    ck_assert_str_eq(uri.key, good_uris[_i].key);
}
END_TEST

START_TEST(what_is_no_uri_is_refused_with_the_reason)
{
    struct s3_uri uri = { 0 };
    struct err err;

    ck_assert_int_lt(s3_uri_parse(bad_uris[_i].uri, &uri, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.text, bad_uris[_i].words));
    ck_assert_ptr_null(uri.bucket);
}
END_TEST

START_TEST(a_key_has_at_most_1024_bytes)
{
    char text[sizeof "s3://train/" + 1025] = "s3://train/";
    auto_s3_uri struct s3_uri uri = { 0 };
    struct err err;

    memset(text + strlen("s3://train/"), 'k', 1024);
    ck_assert_int_eq(s3_uri_parse(text, &uri, &err), 0);
    s3_uri_clear(&uri);
    text[strlen("s3://train/") + 1024] = 'k';
    ck_assert_int_lt(s3_uri_parse(text, &uri, &err), 0);
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

START_TEST(an_elements_text_is_found_and_resolved)
{
    /* Without a NUL behind, so that reading on would be seen. */
    size_t len = strlen(texts[_i].xml);
    auto_free char *bytes = xmalloc(len + 1);
    auto_free char *text = NULL;

    memcpy(bytes, texts[_i].xml, len);
    bytes[len] = '9';
    text = xml_text((struct xml){ bytes, bytes + len }, "Key");
    if (texts[_i].text)
        ck_assert_pstr_eq(text, texts[_i].text);
    else
        ck_assert_ptr_null(text);
}
END_TEST

START_TEST(elements_are_taken_one_after_another)
{
    static const char answer[] = "<R><C><K>1</K></C><C><K>2</K></C></R>";
    struct xml in = { answer, answer + strlen(answer) };
    const char *wanted[] = { "1", "2" };
    struct xml row;

    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        auto_free char *text = NULL;

        ck_assert(xml_take(&in, "C", &row));
        text = xml_text(row, "K");
        ck_assert_str_eq(text, wanted[i]);
    }
    ck_assert(!xml_take(&in, "C", &row));
}
END_TEST

START_TEST(an_etag_is_an_md5_only_by_its_form)
{
    auto_free char *quoted = s3_etag("\"6520213d3695a344f306efffa2523807\"");
    auto_free char *bare = s3_etag("abc");
    auto_free char *none = s3_etag(NULL);

    ck_assert_str_eq(quoted, "6520213d3695a344f306efffa2523807");
    ck_assert_str_eq(bare, "abc");
    ck_assert_str_eq(none, "");
    ck_assert(s3_etag_is_md5(quoted));
    ck_assert(!s3_etag_is_md5("6520213d3695a344f306efffa2523807-3"));
    ck_assert(!s3_etag_is_md5("6520213D3695A344F306EFFFA2523807"));
    ck_assert(!s3_etag_is_md5(""));
    ck_assert(!s3_etag_is_md5(NULL));
}
END_TEST

START_TEST(an_endpoint_is_scheme_host_and_port_alone)
{
    struct storage storage = { .endpoint = xstrdup(endpoints[_i].endpoint) };
    auto_s3 struct s3 *s3 = NULL;
    struct err err;
    int result = s3_new(&storage, &s3, &err);

    storage_clear(&storage);
    ck_assert_int_eq(result, endpoints[_i].good ? 0 : -1);
    if (result < 0)
        ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

START_TEST(without_an_endpoint_aws_own_of_the_region_is_asked)
{
    struct storage storage = { .region = xstrdup("cn-north-1") };
    auto_s3 struct s3 *s3 = NULL;
    struct err err;

    ck_assert_int_eq(s3_new(&storage, &s3, &err), 0);
    storage_clear(&storage);
    ck_assert_str_eq(s3->url, "https://s3.cn-north-1.amazonaws.com.cn");
}
END_TEST

Suite *suite_s3(void)
{
    Suite *suite = suite_create("s3");
    TCase *names = tcase_create("names");
    TCase *answers = tcase_create("answers");

    tcase_add_loop_test(names, a_uri_gives_bucket_and_key_as_they_stand, 0,
                        (int)ARRAY_SIZE(good_uris));
    tcase_add_loop_test(names, what_is_no_uri_is_refused_with_the_reason, 0,
                        (int)ARRAY_SIZE(bad_uris));
    tcase_add_test(names, a_key_has_at_most_1024_bytes);
    tcase_add_loop_test(names, an_endpoint_is_scheme_host_and_port_alone, 0,
                        (int)ARRAY_SIZE(endpoints));
    tcase_add_test(names, without_an_endpoint_aws_own_of_the_region_is_asked);
    tcase_add_loop_test(answers, an_elements_text_is_found_and_resolved, 0,
                        (int)ARRAY_SIZE(texts));
    tcase_add_test(answers, elements_are_taken_one_after_another);
    tcase_add_test(answers, an_etag_is_an_md5_only_by_its_form);
    suite_add_tcase(suite, names);
    suite_add_tcase(suite, answers);
    return suite;
}
