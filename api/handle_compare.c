/* /v1/comparisons.  Decides at which time prices are meant; railhead-bill compares. */

#include "api/body.h"
#include "api/routes.h"
#include "src/clock.h"

#include <string.h>

/* Sets *wall, which is now, to another time; false with the reply set when it is none.
 */
static bool read_time(const char *text, usec_t *wall, struct reply *reply)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    if (strcmp(text, "now") == 0 || time_parse(text, wall, &err) == 0)
        return true;
    problems_add(&problems, "reprice", "now, a date like 2026-12-01, or a time", "%s",
                 err.text);
    reply_parameters(reply, &problems);
    return false;
}

void handle_compare(struct api *api, const struct request *request, struct reply *reply)
{
    struct cJSON *body = body_parse(request, reply);
    const char *reprice = body ? json_get_text(body, "reprice") : NULL;
    usec_t wall = clock_wall();
    struct cJSON *question;
    char at[TIME_TEXT_SIZE];

    if (!body)
        return;
    if (reprice && !read_time(reprice, &wall, reply)) {
        json_free(body);
        return;
    }
    question = json_object_new();
    json_set_text(question, "do", "compare");
    json_set(question, "ask", body);
    json_set(question, "types", jobs_type_facts(api->jobs, wall));
    if (reprice)
        json_set_text(question, "repriced_at", time_format(wall, at));
    reply_question(reply, "application/json", question);
}
