/* The door to PCRE2: patterns from users, run on output of users' programs.  Neither
 * may cost more than a bounded amount of work. */

#include "src/regex.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum {
    STEPS_MAX = 100000,
    DEPTH_MAX = 1000,
    HEAP_MAX_KIB = 1024,
    JIT_STACK_MIN_BYTES = 32 * 1024,
    JIT_STACK_MAX_BYTES = HEAP_MAX_KIB * 1024,
};

struct regex {
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    pcre2_jit_stack *stack;
    int value_group; /* 0: the whole match */
    int step_group;  /* 0: there is none */
    bool jit_tried;
};

static pcre2_code *compile(const char *pattern, struct err *err)
{
    PCRE2_UCHAR reason[256];
    PCRE2_SIZE place = 0;
    int error = 0;
    /* A pattern may not turn UTF on by itself ("(*UTF)"): then bytes that are none
     * would be errors. */
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern, strlen(pattern),
                      PCRE2_NEVER_UTF | PCRE2_NEVER_UCP, &error, &place, NULL);

    if (code)
        return code;
    pcre2_get_error_message(error, reason, ARRAY_SIZE(reason));
    err_set(err, ERR_INVALID, "at character %zu of \"%s\": %s", place + 1, pattern,
            (const char *)reason);
    return NULL;
}

/* On the first match only: a pattern that is merely checked, as at every submit, does
 * not pay for machine code.  The compiled program obeys the step limit and has its
 * stack instead of depth and heap.  Where the system allows no code to be made at run
 * time, matches are interpreted under all three limits. */
static void use_jit(struct regex *regex)
{
    if (regex->jit_tried)
        return;
    regex->jit_tried = true;
    if (pcre2_jit_compile(regex->code, PCRE2_JIT_COMPLETE) != 0)
        return;
    regex->stack =
        pcre2_jit_stack_create(JIT_STACK_MIN_BYTES, JIT_STACK_MAX_BYTES, NULL);
    if (regex->stack)
        pcre2_jit_stack_assign(regex->limits, NULL, regex->stack);
}

/* The first that is not the step's. */
static int value_group(int groups, int step_group)
{
    int wanted = step_group == 1 ? 2 : 1;

    return wanted <= groups ? wanted : 0;
}

int regex_new(const char *pattern, struct regex **out, struct err *err)
{
    struct regex *regex;
    pcre2_code *code = compile(pattern, err);
    uint32_t groups = 0;
    int step;

    if (!code)
        return -1;
    regex = xcalloc(1, sizeof *regex);
    regex->code = code;
    regex->match = pcre2_match_data_create_from_pattern(code, NULL);
    regex->limits = pcre2_match_context_create(NULL);
    if (!regex->match || !regex->limits) {
        regex_free(regex);
        return err_set(err, ERR_UNAVAILABLE, "no memory for a pattern");
    }
    pcre2_set_match_limit(regex->limits, STEPS_MAX);
    pcre2_set_depth_limit(regex->limits, DEPTH_MAX);
    pcre2_set_heap_limit(regex->limits, HEAP_MAX_KIB);
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
    /* Negative: no group has that name, or several have. */
    step = pcre2_substring_number_from_name(code, (PCRE2_SPTR) "step");
    regex->step_group = step > 0 ? step : 0;
    regex->value_group = value_group((int)groups, regex->step_group);
    *out = regex;
    return 0;
}

void regex_free(struct regex *regex)
{
    if (!regex)
        return;
    pcre2_jit_stack_free(regex->stack);
    pcre2_match_context_free(regex->limits);
    pcre2_match_data_free(regex->match);
    pcre2_code_free(regex->code);
    free(regex);
}

/* Groups behind the last that took part are not counted in `taken`.  \K can put the
 * start behind the end, by a recursion within a lookahead. */
static bool group_at(const struct regex *regex, int group, int taken, size_t *start,
                     size_t *len)
{
    const PCRE2_SIZE *places =
        pcre2_get_ovector_pointer(regex->match) + 2 * (size_t)group;

    if (taken <= group || places[0] == PCRE2_UNSET || places[0] > places[1])
        return false;
    *start = places[0];
    *len = places[1] - places[0];
    return true;
}

static bool is_limit(int error)
{
    return error == PCRE2_ERROR_MATCHLIMIT || error == PCRE2_ERROR_DEPTHLIMIT
           || error == PCRE2_ERROR_HEAPLIMIT || error == PCRE2_ERROR_JIT_STACKLIMIT;
}

enum regex_outcome regex_find(struct regex *regex, const char *bytes, size_t len,
                              struct regex_match *out)
{
    struct regex_match match = { 0 };
    int taken;

    use_jit(regex);
    taken = pcre2_match(regex->code, (PCRE2_SPTR)bytes, len, 0, 0, regex->match,
                        regex->limits);
    if (taken < 0)
        return is_limit(taken) ? REGEX_TOO_DEAR : REGEX_NONE;
    if (!group_at(regex, regex->value_group, taken, &match.start, &match.len))
        return REGEX_NONE;
    if (regex->step_group > 0)
        (void)group_at(regex, regex->step_group, taken, &match.step_start,
                       &match.step_len);
    *out = match;
    return REGEX_FOUND;
}
