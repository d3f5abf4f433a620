#ifndef SRC_CLI_ADMIN_H
#define SRC_CLI_ADMIN_H

#include "src/cli/verbs.h"

/* The commands of jobctl admin. */

struct admin_options {
    int64_t notice_s;
    const char *usd;
    const char *from;
    const char *note;
    bool force;
};

typedef int admin_run_t(struct cli *cli, const struct admin_options *options,
                        char **operands);

/* admin_backup.c; operands: "backup", FILE */
admin_run_t admin_backup;
/* admin_price.c; operands: "price", "set", TYPE */
admin_run_t admin_set_price;
/* operands: "price", "ls" */
admin_run_t admin_list_prices;
/* operands: "price", "ls", TYPE */
admin_run_t admin_list_prices_of;

#endif
