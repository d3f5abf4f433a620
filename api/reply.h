#ifndef API_REPLY_H
#define API_REPLY_H

#include "src/base.h"
#include "src/err.h"
#include "src/json.h"
#include "src/problems.h"

/* What is answered, in our words. */

struct bill_run;
struct job_page;
struct log_follow;

struct reply {
    int status;               /* 0: nothing is decided yet */
    const char *content_type; /* static text */
    char *body;               /* malloc'ed; NULL: empty */
    size_t len;
    struct log_follow *log; /* instead of a body: output as it comes */
    struct cJSON *question; /* to the ledger, whose answer the body will be; or NULL */
    struct bill_run *bill;  /* it is being answered; or NULL */
    struct job_page *page;  /* is looked for: the body will be it; or NULL */
    bool has_file;          /* instead of a body: the file `fd`, of `len` bytes */
    int fd;
    size_t facts_bytes; /* at the end of an answer to a question: not sent, but said in
                           Railhead-Facts, up to a line feed */
    char *facts;        /* Railhead-Facts, or NULL */
    char *location;     /* Location, or NULL */
    char *allow;        /* Allow, or NULL */
    bool replayed;      /* Idempotent-Replay: true */
    bool ends;          /* Connection: close */
};

/* The `code` of a problem answer; railhead-api(7) has them in words. */
enum reply_problem {
    PROBLEM_INVALID,
    PROBLEM_INVALID_SPEC,
    PROBLEM_INVALID_PARAMETER,
    PROBLEM_INVALID_HEADER,
    PROBLEM_MALFORMED_JSON,
    PROBLEM_MALFORMED_YAML,
    PROBLEM_DIGEST_MISMATCH,
    PROBLEM_DENIED,
    PROBLEM_ORIGIN_REFUSED,
    PROBLEM_HOST_REFUSED,
    PROBLEM_NOT_FOUND,
    PROBLEM_UNKNOWN_PATH,
    PROBLEM_METHOD_NOT_ALLOWED,
    PROBLEM_REQUEST_TIMEOUT,
    PROBLEM_CONFLICT,
    PROBLEM_PAYLOAD_TOO_LARGE,
    PROBLEM_URI_TOO_LONG,
    PROBLEM_UNSUPPORTED_MEDIA_TYPE,
    PROBLEM_LIMIT,
    PROBLEM_HEADERS_TOO_LARGE,
    PROBLEM_INTERNAL,
    PROBLEM_UNAVAILABLE,
    PROBLEM_DISK_FULL,
};

/** Answers with a JSON value, which is taken over; a line feed ends the body. */
void reply_json(struct reply *reply, int status, struct cJSON *value);

/** Answers with application/problem+json.  `problems` (may be NULL) become its
 * `errors`. */
void reply_problem(struct reply *reply, enum reply_problem problem,
                   const struct problems *problems, const char *format, ...)
    PRINTF_LIKE(4, 5);

/** The same for query parameters of which at least one is wrong. */
void reply_parameters(struct reply *reply, const struct problems *problems);

/** The same for an error that a call gave. */
void reply_err(struct reply *reply, const struct err *err);

/** The body will be what railhead-bill answers to `question`, which is taken over. */
void reply_question(struct reply *reply, const char *content_type,
                    struct cJSON *question);

/** When the question is answered: the body, or the problem. */
void reply_take_bill(struct reply *reply);

/** Frees what it holds; the struct may be used again. */
void reply_clear(struct reply *reply);

#endif
