#ifndef DAEMON_CONFIG_H
#define DAEMON_CONFIG_H

#include "src/base.h"
#include "src/err.h"
#include "src/money.h"
#include "src/storage.h"

/* etc/railhead.yaml; railhead.yaml(5) is the same in words. */

/* On what terms the time of a pool's instances is had; railhead-billing(7). */
enum pricing {
    PRICING_STANDARD,
    PRICING_SPOT,
    PRICING_RESERVED, /* paid for whether it is used or not */
    PRICING_FREE      /* price 0 */
};

const char *pricing_name(enum pricing pricing);

/* What a price that changes does to an interval that runs. */
enum reprice {
    REPRICE_AT_OPEN,  /* nothing: it keeps the price that it opened with */
    REPRICE_AT_CHANGE /* cuts it */
};

struct pool_config {
    char *instance_type;
    char *scheduler; /* "local" */
    int count;       /* instances, 1..100000 */
    bool has_price;  /* own price, else the catalog's */
    nanousd_t hourly;
    int emulated; /* 1, 0; -1: follows from the scheduler and the type */
    char *name;   /* what reports call it; the instance type unless it is set */
    enum pricing pricing;
};

struct config {
    char *state;             /* state folder; absolute after config_load */
    char *socket;            /* unix socket; default STATE/railhead.sock */
    bool has_own_socket;     /* false: it follows the state folder */
    char *listen;            /* ADDR:PORT or NULL: no TCP; loopback only */
    char *instance_profiles; /* folder of the catalog */
    char *python;            /* /usr/bin/python3 */
    char **pass_environment; /* names, a trailing * stands for any rest */
    bool emulate;            /* this host stands in for any profile */
    int emulate_count;       /* instances of a type that no pool names, under emulate */
    bool isolate;            /* jobs get namespaces of their own, where permitted */
    struct storage storage;  /* `s3`: where and whose keys */
    enum reprice reprice;    /* `billing` */
    char *account_id;        /* whom exports bill; NULL: not said */
    char *account_name;      /* or NULL */
    struct pool_config *pools;
    size_t pool_count;
    int64_t body_limit_bytes;    /* of a request; default 1 MiB */
    int64_t source_limit_bytes;  /* of a source archive; default 512 MiB */
    int connection_limit;        /* default 1024 */
    int client_connection_limit; /* default: half of these */
    int64_t held_limit_bytes;    /* of bodies and answers under way; default 64 MiB */
    int header_limit_s;          /* for the headers of a request; default 10 */
    int body_limit_s;            /* for its body, besides what its bytes earn; 20 */
    int idle_limit_s;            /* from an answer to the next request; default 60 */
    int64_t rank_log_bytes;      /* of a rank's output to keep; default 1 GiB */
    /* Not of the file: the limit of open files that the daemon was started with, which
     * its jobs get; 0: unknown. */
    int64_t file_limit;
};

/** Defaults, then the file (NULL: defaults alone).  ERR_INVALID lists every mistake
 * with its path. */
MUST_CHECK int config_load(const char *path, struct config *out, struct err *err);

/** A state folder from elsewhere (--state); a socket that the file does not set
 * follows.  ERR_INVALID when its path gets too long. */
MUST_CHECK int config_set_state(struct config *config, const char *state,
                                struct err *err);

/** Whether ADDR:PORT may be listened on: a loopback address in digits (ERR_INVALID with
 * the reason).  Port 0 lets the kernel choose. */
MUST_CHECK int config_check_listen(const char *listen, struct err *err);

void config_clear(struct config *config);

#endif
