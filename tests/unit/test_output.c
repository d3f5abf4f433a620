/* Whose line it is, where mpirun puts the output of several ranks into one. */

#include "src/worker/output.h"

#include <check.h>
#include <string.h>

/* clang-format off */
static const struct {
    const char *line;
    size_t tag;
    int rank;
} tags[] = {
    { "[1,3]<stdout>:loss=1",   14,                               3 },
    { "[1,12]<stderr>:",        15,                               12 },
    { "[1,0]<stddiag>:x",       15,                               0 },
    { "[60001,4095]<stdout>: ", 21,                               4095 },
    { "loss=1",                 0,                                7 },
    { "",                       0,                                7 },
    { "[",                      0,                                7 },
    { "[1",                     0,                                7 },
    { "[1,",                    0,                                7 },
    { "[1,2",                   0,                                7 },
    { "[1,2]",                  0,                                7 },
    { "[1,2]<stdout>",          0,                                7 },
    { "[1,2] loss=1",           0,                                7 },
    { "[1,]<stdout>:",          0,                                7 },
    { "[,2]<stdout>:",          0,                                7 },
    { "[1,-2]<stdout>:",        0,                                7 },
    { "[1,9999999999]<stdout>:", 0,                               7 },
    { " [1,2]<stdout>:",        0,                                7 },
};
/* clang-format on */

START_TEST(a_tag_has_its_length_and_rank_and_all_else_is_none)
{
    int rank = 7;

    ck_assert_uint_eq(output_tag(tags[_i].line, strlen(tags[_i].line), &rank),
                      tags[_i].tag);
    ck_assert_int_eq(rank, tags[_i].rank);
}
END_TEST

Suite *suite_output(void);

Suite *suite_output(void)
{
    Suite *suite = suite_create("output");
    TCase *tests = tcase_create("tags");

    tcase_add_loop_test(tests, a_tag_has_its_length_and_rank_and_all_else_is_none, 0,
                        ARRAY_SIZE(tags));
    suite_add_tcase(suite, tests);
    return suite;
}
