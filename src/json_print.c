/* JSON as people read it, laid out of the compact form that json.c prints. */

#include "src/json.h"
#include "src/text.h"

static void new_line(struct text *text, int depth)
{
    text_printf(text, "\n%*s", 2 * depth, "");
}

/* One character outside strings: `at` stands in compact JSON, in which there are no
 * blanks. */
static void lay_out(struct text *pretty, const char *at, int *depth)
{
    bool opens = *at == '{' || *at == '[';
    bool closes = *at == '}' || *at == ']';

    /* '[' and ']', '{' and '}' are 2 apart: what is empty stays on one line. */
    if (closes && at[-1] != *at - 2)
        new_line(pretty, *depth - 1);
    text_add(pretty, at, 1);
    *depth += opens - closes;
    if (*at == ',' || (opens && at[1] != *at + 2))
        new_line(pretty, *depth);
    else if (*at == ':')
        text_puts(pretty, " ");
}

char *json_print_pretty(const struct cJSON *value)
{
    auto_free char *compact = json_print(value);
    auto_text struct text pretty = { 0 };
    bool in_string = false;
    int depth = 0;

    for (const char *at = compact; *at; at++) {
        if (in_string)
            text_add(&pretty, at, 1);
        else
            lay_out(&pretty, at, &depth);
        if (*at == '"')
            in_string = !in_string;
        else if (*at == '\\')
            text_add(&pretty, ++at, 1);
    }
    text_puts(&pretty, "\n");
    return text_steal(&pretty);
}
