/* The table of verbs: a new one is a file and a row here. */

#include "src/cli/verbs.h"

#include "src/text.h"

#include <string.h>

const struct verb *const verbs[] = {
    &verb_submit,    &verb_estimate,  &verb_ls,    &verb_show,
    &verb_logs,      &verb_metrics,   &verb_stop,  &verb_wait,
    &verb_instances, &verb_doctor,    &verb_bill,  &verb_budget,
    &verb_compare,   &verb_benchmark, &verb_admin, NULL,
};

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

const char *verb_nearest(const char *name)
{
    const char *names[ARRAY_SIZE(verbs)] = { NULL };

    for (size_t i = 0; verbs[i]; i++)
        names[i] = verbs[i]->name;
    return text_nearest(name, names);
}
