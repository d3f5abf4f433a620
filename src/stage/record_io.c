/* The framing of RecordIO. */

#include "src/stage/record_io.h"

#define MAGIC      UINT32_C(0xced7230a)
#define LENGTH_MAX ((INT64_C(1) << 29) - 1)

static void put_little_endian(uint32_t number, unsigned char out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(number >> (8 * i));
}

int record_io_header(int64_t len, unsigned char out[RECORD_IO_HEADER], struct err *err)
{
    if (len < 0 || len > LENGTH_MAX)
        return err_set(err, ERR_LIMIT,
                       "%lld bytes do not fit into one RecordIO record of at most %lld",
                       (long long)len, (long long)LENGTH_MAX);
    put_little_endian(MAGIC, out);
    put_little_endian((uint32_t)len, out + 4);
    return 0;
}

size_t record_io_padding(int64_t len)
{
    return (size_t)(-len & 3);
}
