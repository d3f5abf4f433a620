/* Cases that are data: the test decides what an expectation means, the file what is
 * tried. */

#include "tests/unit/cases.h"

#include "src/files.h"
#include "src/text.h"

#include <check.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FILE_MAX = 1 << 22
};

char *source_file(const char *name)
{
    const char *source = getenv("RAILHEAD_SOURCE");
    auto_free char *path = xasprintf("%s/%s", source ? source : ".", name);
    struct err err;
    char *bytes;

    if (file_read(path, FILE_MAX, &bytes, NULL, &err) < 0)
        ck_abort_msg("%s", err.text);
    return bytes;
}

/* The lines from *at up to the one that begins with `end`, or up to the end of the
 * file. */
static char *lines_until(char **at, const char *end)
{
    char *start = *at;

    while (**at && strncmp(*at, end, strlen(end)) != 0) {
        *at += strcspn(*at, "\n");
        *at += **at == '\n';
    }
    return xstrndup(start, (size_t)(*at - start));
}

static char *line(char **at)
{
    char *text = xstrndup(*at, strcspn(*at, "\n"));

    *at += strcspn(*at, "\n");
    *at += **at == '\n';
    return text;
}

void cases_run(const char *name, void (*check)(const struct test_case *one))
{
    auto_free char *path = xasprintf("tests/data/%s", name);
    auto_free char *bytes = source_file(path);
    auto_free char *remark = NULL;
    char *at = bytes;
    int count = 0;

    remark = lines_until(&at, "=== ");
    while (*at) {
        auto_free char *title = line(&at);
        auto_free char *input = lines_until(&at, "---\n");
        auto_free char *expected = NULL;
        struct test_case one = { title + strlen("=== "), input, NULL };

        free(line(&at)); /* the bar between */
        expected = lines_until(&at, "=== ");
        one.expected = expected;
        check(&one);
        count++;
    }
    ck_assert_msg(count > 0, "%s has no cases", path);
}

void case_expects(const struct test_case *one, const char *got)
{
    ck_assert_msg(strcmp(one->expected, got) == 0, "%s\n--- expected:\n%s--- got:\n%s",
                  one->title, one->expected, got);
}

/* What mdoc escapes, back. */
static char *unescaped(const char *mdoc)
{
    struct text text = { 0 };

    while (*mdoc) {
        if (text_starts_with(mdoc, "\\&")) {
            mdoc += 2;
        } else if (text_starts_with(mdoc, "\\e")) {
            text_puts(&text, "\\");
            mdoc += 2;
        } else if (text_starts_with(mdoc, "\\-")) {
            text_puts(&text, "-");
            mdoc += 2;
        } else {
            text_add(&text, mdoc++, 1);
        }
    }
    return text_steal(&text);
}

void manual_examples(const char *page, void (*check)(const char *yaml))
{
    auto_free char *path = xasprintf("man/%s", page);
    auto_free char *mdoc = source_file(path);
    char *at = mdoc;
    int count = 0;

    while ((at = strstr(at, "\n# example: "))) {
        char *end = strstr(at, "\n.Ed\n");
        auto_free char *block = NULL;
        auto_free char *yaml = NULL;

        ck_assert_ptr_nonnull(end);
        block = xstrndup(at + 1, (size_t)(end - at));
        yaml = unescaped(block);
        check(yaml);
        at = end;
        count++;
    }
    ck_assert_msg(count > 0, "%s has no examples", page);
}

char *scratch_folder(void)
{
    const char *temp = getenv("TMPDIR");
    char *folder = xasprintf("%s/railhead-unit-XXXXXX", temp && *temp ? temp : "/tmp");

    ck_assert_ptr_nonnull(mkdtemp(folder));
    return folder;
}

static void write_file(const char *folder, const char *name, const char *content,
                       mode_t mode)
{
    auto_free char *path = xasprintf("%s/%s", folder, name);
    struct err err;

    if (file_replace(path, content, strlen(content), mode, false, &err) < 0)
        ck_abort_msg("%s", err.text);
}

void scratch_write(const char *folder, const char *name, const char *content)
{
    write_file(folder, name, content, 0600);
}

void scratch_program(const char *folder, const char *name, const char *content)
{
    write_file(folder, name, content, 0700);
}

/* Also what is closed to its owner: nothing of a test stays. */
void remove_tree(char *path)
{
    char sh[] = "sh", option[] = "-c", zero[] = "remove";
    char line[] = "chmod -R u+rwX \"$1\" 2>/dev/null; exec rm -rf \"$1\"";
    char *argv[] = { sh, option, line, zero, path, NULL };
    pid_t pid;
    int status;

    ck_assert_int_eq(posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(status == 0, "%s", path);
}

void scratch_remove(char *folder)
{
    remove_tree(folder);
    free(folder);
}
