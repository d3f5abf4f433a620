/* How jobs are named: ids that we make, names that users give.  Whether a name is taken
 * is the store's to say. */

#include "src/job_id.h"

#include "src/digest.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    ID_LENGTH = JOB_ID_SIZE - 1,
    TIME_LENGTH = 10, /* characters of 5 bits: 48 bits of milliseconds */
    RANDOM_LENGTH = ID_LENGTH - TIME_LENGTH,
    RANDOM_IDS = 64,
    NAME_LENGTH_MAX = 63,
    STAMP_LENGTH = 20, /* "-20261130-101500-123" */
};

/* Crockford's base 32: no I, L, O, U. */
static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* Sixteen bytes of which five bits each are used: 80 bits without carrying any over.
 * They are made for many ids at once: the generator's call costs more than its bytes.
 * Only railheadd makes ids, in its one process. */
static const unsigned char *random_part(void)
{
    static unsigned char made[RANDOM_IDS][RANDOM_LENGTH];
    static size_t used = RANDOM_IDS;

    if (used == RANDOM_IDS) {
        random_bytes(made, sizeof made);
        used = 0;
    }
    return made[used++];
}

void job_id_make(usec_t wall, char out[JOB_ID_SIZE])
{
    const unsigned char *random = random_part();
    uint64_t milliseconds = (uint64_t)(wall / USEC_PER_MSEC);

    for (int i = TIME_LENGTH - 1; i >= 0; i--) {
        out[i] = alphabet[milliseconds & 31];
        milliseconds >>= 5;
    }
    for (int i = 0; i < RANDOM_LENGTH; i++)
        out[TIME_LENGTH + i] = alphabet[random[i] & 31];
    out[ID_LENGTH] = '\0';
}

bool job_id_is_valid(const char *text)
{
    /* Ten characters hold 50 bits; the time has 48, so the first is at most 7. */
    return text[0] >= '0' && text[0] <= '7' && strspn(text, alphabet) == ID_LENGTH
           && text[ID_LENGTH] == '\0';
}

static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool job_name_is_valid(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > NAME_LENGTH_MAX || !is_alnum(name[0])
        || !is_alnum(name[len - 1]))
        return false;
    for (size_t i = 0; i < len; i++)
        if (!is_alnum(name[i]) && name[i] != '-')
            return false;
    return true;
}

void job_name_make(const char *base, usec_t wall, char out[64])
{
    time_t seconds = (time_t)(wall / USEC_PER_SEC);
    int milliseconds = (int)(wall % USEC_PER_SEC / USEC_PER_MSEC);
    size_t len = 0;
    struct tm utc;

    for (; *base && len < NAME_LENGTH_MAX - STAMP_LENGTH; base++) {
        if (is_alnum(*base))
            out[len++] = *base;
        else if (len > 0)
            out[len++] = '-';
    }
    while (len > 0 && out[len - 1] == '-')
        len--;
    if (len == 0) {
        memcpy(out, "job", sizeof "job");
        len = sizeof "job" - 1;
    }
    gmtime_r(&seconds, &utc);
    strftime(out + len, 64 - len, "-%Y%m%d-%H%M%S", &utc);
    len += strlen(out + len);
    snprintf(out + len, 64 - len, "-%03d", milliseconds);
}
