/* The program around the verbs: one request in, one answer out. */

#include "daemon/billing/billing.h"
#include "src/files.h"
#include "src/text.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

/* clang-format off */
static const struct {
    const char *name;
    bill_verb_t *run;
} verbs[] = {
    { "verify", bill_verify },
    { "compare", bill_compare },
    { "receipt", bill_receipt },
    { "usage", bill_usage },
    { "backup", bill_backup },
    { "diagnose", bill_diagnose },
};
/* clang-format on */

enum {
    REQUEST_BYTES_MAX = 64 << 20,
    OUT_BUFFER_BYTES = 1 << 18,
    NICE = 5 /* jobs and the daemon come first */
};

static int read_request(struct cJSON **request, struct err *err)
{
    auto_text struct text text = { 0 };
    char block[8192];
    ssize_t got;

    while ((got = read(STDIN_FILENO, block, sizeof block)) > 0) {
        text_add(&text, block, (size_t)got);
        if (text.len > REQUEST_BYTES_MAX)
            return err_set(err, ERR_LIMIT, "the request is larger than %d bytes",
                           REQUEST_BYTES_MAX);
    }
    if (got < 0)
        return err_sys(err, errno, "read the request");
    return json_parse(text.bytes ? text.bytes : "", text.len, request, err);
}

static int run_verb(const struct bill_request *request, FILE *out,
                    struct problems *problems, struct err *err)
{
    const char *wanted = json_get_text(request->json, "do");

    for (size_t i = 0; wanted && i < ARRAY_SIZE(verbs); i++)
        if (strcmp(verbs[i].name, wanted) == 0)
            return verbs[i].run(request, out, problems, err);
    return err_set(err, ERR_INTERNAL, "railhead-bill knows no verb '%s'",
                   wanted ? wanted : "");
}

static int answer(FILE *out, struct problems *problems, struct err *err)
{
    auto_json struct cJSON *json = NULL;
    struct bill_request request = { 0 };
    const char *database;
    int result;

    if (read_request(&json, err) < 0)
        return -1;
    request.json = json;
    request.state = json_get_text(json, "state");
    database = json_get_text(json, "database");
    if (!database || !request.state)
        return err_set(err, ERR_INTERNAL, "the request has no database or no state");
    store_bring_in_log(database);
    if (store_open_read(database, &request.store, err) < 0)
        return -1;
    result = run_verb(&request, out, problems, err);
    store_close(request.store);
    if (result == 0 && (fflush(out) != 0 || ferror(out)))
        return err_sys(err, errno, "write the answer");
    return result;
}

static struct cJSON *failure_of(const struct err *err, const struct problems *problems)
{
    struct cJSON *failure = json_object_new();

    json_set_text(failure, "code", err_code_name(err->code));
    json_set_text(failure, "message", err->text);
    json_set(failure, "errors", problems_to_json(problems));
    return failure;
}

/* In place of what was written before it. */
static void write_failure(FILE *out, const struct err *err,
                          const struct problems *problems)
{
    auto_json struct cJSON *failure = failure_of(err, problems);
    auto_free char *words = json_print(failure);

    (void)fflush(out);
    if (ftruncate(fileno(out), 0) == 0)
        rewind(out);
    fputs(words, out);
    (void)fflush(out);
}

int main(void)
{
    auto_problems struct problems problems = { 0 };
    struct err err;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)setpriority(PRIO_PROCESS, 0, NICE);
    setvbuf(stdout, NULL, _IOFBF, OUT_BUFFER_BYTES);
    if (answer(stdout, &problems, &err) == 0)
        return EXIT_SUCCESS;
    write_failure(stdout, &err, &problems);
    return EXIT_FAILURE;
}
