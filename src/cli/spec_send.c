/* A job spec's way from its file to the server.  What is asked of the server with it,
 * the verbs decide. */

#include "src/cli/spec_send.h"

#include "src/text.h"

#include <unistd.h>

enum {
    SEND_TRIES = 3,
    KEY_BYTES = 16
};

int spec_prepare(const char *path, const struct spec_changes *changes,
                 struct spec_file *file, struct problems *problems, struct err *err)
{
    if (spec_file_read(path, file, err) < 0)
        return -1;
    for (char **set = changes->sets; set && *set; set++)
        if (spec_file_set(file, *set, err) < 0)
            return -1;
    if (changes->name && spec_file_set_text(file, "name", changes->name, err) < 0)
        return -1;
    if (spec_file_check(file, problems, err) < 0)
        return -1;
    return spec_file_pack(file, problems, err);
}

int spec_send(struct remote *remote, const struct spec_file *file,
              const struct spec_ask *ask, struct cJSON **answer,
              struct problems *problems, struct err *err)
{
    const struct remote_ask post = { .method = "POST",
                                     .path = ask->path,
                                     .body = file->json,
                                     .idempotency_key = ask->key,
                                     .tries = SEND_TRIES };

    if (file->archive
        && remote_put_source(remote, file->hex, file->archive, isatty(STDERR_FILENO),
                             err)
               < 0)
        return -1;
    return remote_ask(remote, &post, answer, problems, err);
}

char *spec_make_key(void)
{
    unsigned char bytes[KEY_BYTES];
    struct text key = { 0 };

    random_bytes(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        text_printf(&key, "%02x", (unsigned int)bytes[i]);
    return text_steal(&key);
}
