#ifndef SRC_CLI_REMOTE_H
#define SRC_CLI_REMOTE_H

#include "src/cli/verbs.h"
#include "src/err.h"
#include "src/http_client.h"
#include "src/json.h"
#include "src/problems.h"
#include "src/text.h"

#include <stdio.h>

/* railheadd as a verb sees it: questions in, JSON out. */

struct remote;

/** Finds the daemon: cli->server, cli->socket, else the default socket.  Connects at
 * the first question.  The caller frees. */
MUST_CHECK int remote_open(const struct cli *cli, struct remote **out, struct err *err);
void remote_free(struct remote *remote);
void remote_cleanup(struct remote **remote);
#define auto_remote __attribute__((cleanup(remote_cleanup)))

/** The path of the default socket: /run/railhead/railhead.sock when it exists, else the
 * one that a railheadd of this user makes by itself.  The caller frees. */
char *remote_default_socket(void);

/** For streams and for several questions at a time. */
struct http_client *remote_client(struct remote *remote);

struct remote_ask {
    const char *method;
    const char *path;
    const struct cJSON *body;    /* or NULL */
    const char *idempotency_key; /* or NULL */
    int tries;      /* 0 and 1: once; more: again after a pause when no answer came */
    int deadline_s; /* 0: that of an answer which takes the daemon no work */
};

/**
 * One question.
 *
 * @answer    a JSON value that the caller frees
 * @problems  receives the `errors` of a problem answer; may be NULL
 *
 * The error's code is the one that the server named; ERR_UNAVAILABLE when it was not
 * reached.
 */
MUST_CHECK int remote_ask(struct remote *remote, const struct remote_ask *ask,
                          struct cJSON **answer, struct problems *problems,
                          struct err *err);

/** GET of `path`. */
MUST_CHECK int remote_get(struct remote *remote, const char *path,
                          struct cJSON **answer, struct err *err);

/** GET of every page of a list, as one of the form of a page.  `path` names no cursor.
 */
MUST_CHECK int remote_get_list(struct remote *remote, const char *path,
                               struct cJSON **out, struct err *err);

/* For what the ledger is read for: as long as railheadd lets that take. */
enum {
    REMOTE_REPORT_SECONDS = 600
};

/** GET of a report, whose bytes go to `out` as they come. */
MUST_CHECK int remote_copy(struct remote *remote, const char *path, FILE *out,
                           struct problems *problems, struct err *err);

/** What remote_ask makes of an answer that came. */
MUST_CHECK int remote_read(const struct http_answer *http, struct cJSON **answer,
                           struct problems *problems, struct err *err);

/** Makes sure that the server has the archive `path`, whose digest is `hex`. `progress`
 * shows the upload. */
MUST_CHECK int remote_put_source(struct remote *remote, const char *hex,
                                 const char *path, bool progress, struct err *err);

/** "/v1/training-jobs/NAME" and `rest` behind it; the caller frees. */
char *remote_job_path(const char *name, const char *rest);

/** Adds "?name=value" or "&name=value", encoded, to a path; nothing when `value` is
 * NULL. */
void remote_add_query(struct text *path, const char *name, const char *value);

/** Adds a member to a body; nothing when `value` is NULL. */
void remote_set_text(struct cJSON *body, const char *name, const char *value);

/** Adds the member KEY of the words "KEY=VALUE"; ERR_INVALID when they are none, or
 * when it has that member. */
MUST_CHECK int remote_set_pair(struct cJSON *body, const char *words, struct err *err);

#endif
