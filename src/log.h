#ifndef SRC_LOG_H
#define SRC_LOG_H

#include "src/base.h"

/* One line a fact on stderr: a dotted name, then key=value.  For daemon/, api/ and
 * schedulers/ only.  Under systemd (JOURNAL_STREAM set) lines carry the <N> priority
 * and no time. */

enum log_level {
    LOG_LEVEL_DEBUG,
    LOG_LEVEL_INFO,
    LOG_LEVEL_WARNING,
    LOG_LEVEL_ERROR
};

void log_set_level(enum log_level level);
void log_line(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

#define log_debug(...)   log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)
#define log_info(...)    log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_error(...)   log_line(LOG_LEVEL_ERROR, __VA_ARGS__)

#endif
