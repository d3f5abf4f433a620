#ifndef DAEMON_CONFIG_PRIVATE_H
#define DAEMON_CONFIG_PRIVATE_H

#include "daemon/config.h"
#include "src/members.h"

/* Between the files config*.c; nobody else includes this. */

/** `s3`, into the storage of a struct config; reads the file of keys. */
member_reader_t config_read_s3;

/** `pools`, into a struct config that has none yet. */
member_reader_t config_read_pools;

#endif
