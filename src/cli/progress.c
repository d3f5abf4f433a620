/* Progress lines.  Decides what fits and what is known; does not decide when a job is
 * done. */

#include "src/cli/progress.h"

#include "src/cli/print.h"
#include "src/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    BAR_MIN = 8,
    BAR_MAX = 30,
    BAR_ROOM = BAR_MIN + 4, /* two blanks, two brackets */
    WIDTH_ASSUMED = 80,
    DRAWS_PER_SEC = 10
};

void progress_meter_add(struct progress_meter *meter, usec_t at, double done)
{
    if (meter->count > 0) {
        size_t last = (meter->count - 1) % METER_SAMPLES;

        if (done < meter->samples[last].done)
            meter->count = 0;
        else if (at - meter->samples[last].at < USEC_PER_SEC)
            return;
    }
    meter->samples[meter->count % METER_SAMPLES].at = at;
    meter->samples[meter->count % METER_SAMPLES].done = done;
    meter->count++;
}

bool progress_meter_rate(const struct progress_meter *meter, double *per_second)
{
    size_t first = meter->count > METER_SAMPLES ? meter->count % METER_SAMPLES : 0;
    size_t last;
    double done;
    usec_t span;

    if (meter->count < 2)
        return false;
    last = (meter->count - 1) % METER_SAMPLES;
    span = meter->samples[last].at - meter->samples[first].at;
    done = meter->samples[last].done - meter->samples[first].done;
    if (span < USEC_PER_SEC || done <= 0)
        return false;
    *per_second = done * (double)USEC_PER_SEC / (double)span;
    return true;
}

/* What there is to do, and what of it is done; false when that is not known. */
static bool amounts_of(const struct progress *progress, double *done, double *total)
{
    const struct progress_haul *haul = &progress->haul;

    *done = haul->what ? (double)haul->bytes : progress->done;
    *total = haul->what ? (double)haul->bytes_total : progress->planned;
    return *total > 0 && (haul->what || progress->has_done);
}

int progress_percent(const struct progress *progress)
{
    double done;
    double total;

    if (!amounts_of(progress, &done, &total))
        return -1;
    if (done < 0)
        return 0;
    return done > total ? 100 : (int)(100 * done / total);
}

/* Adds a piece when all of it fits. */
static void add_piece(struct text *out, int width, const char *piece)
{
    size_t gap = out->len ? 2 : 0;

    if (width > 0 && out->len + gap + strlen(piece) > (size_t)width)
        return;
    text_printf(out, "%s%s", gap ? "  " : "", piece);
}

static void add_words(struct text *out, int width, const char *format, ...)
    PRINTF_LIKE(3, 4);

static void add_words(struct text *out, int width, const char *format, ...)
{
    auto_free char *piece = NULL;
    va_list args;

    va_start(args, format);
    piece = xvasprintf(format, args);
    va_end(args);
    add_piece(out, width, piece);
}

static void add_bar(struct text *out, int width, double done, double total)
{
    int room = width - (int)out->len - 4; /* two blanks, two brackets */
    int places = room > BAR_MAX ? BAR_MAX : room;
    int full;

    if (places < BAR_MIN)
        return;
    full = done <= 0 ? 0 : done >= total ? places : (int)(done / total * places);
    text_puts(out, "  [");
    for (int i = 0; i < places; i++)
        text_puts(out, i < full ? "#" : "-");
    text_puts(out, "]");
}

/* 0: not known. */
static int64_t seconds_left(const struct progress *progress)
{
    double left;

    if (progress->left_s > 0)
        return progress->left_s;
    if (progress->per_second <= 0 || progress->planned <= 0)
        return 0;
    left = (progress->planned - progress->done) / progress->per_second;
    return left > 0 && left <= 1e9 ? (int64_t)(left + 0.5) : 0;
}

static void add_rate(struct text *out, const struct progress *progress, int width)
{
    char span[TIME_TEXT_SIZE];
    int64_t left = seconds_left(progress);

    if (progress->per_second > 0)
        add_words(out, width, progress->per_second < 100 ? "%.1f %s/s" : "%.0f %s/s",
                  progress->per_second, progress->unit ? progress->unit : "units");
    if (left == 0)
        return;
    duration_format(left, span);
    add_words(out, width, "%s left", span);
}

/* Of what does not fit the least goes first. */
static void add_cost(struct text *out, const struct progress *progress, int width)
{
    const char *emulated = progress->emulated ? ", emulated" : "";
    auto_free char *now = xasprintf("$%s%s", progress->cost_usd, emulated);
    auto_free char *both =
        xasprintf("$%s of about $%s%s", progress->cost_usd,
                  progress->likely_usd ? progress->likely_usd : "", emulated);
    size_t gap = out->len ? 2 : 0;

    if (progress->likely_usd
        && (width == 0 || out->len + gap + strlen(both) <= (size_t)width))
        add_piece(out, width, both);
    else
        add_piece(out, width, now);
}

void progress_haul_read(const struct cJSON *progress, struct progress_haul *haul)
{
    *haul = (struct progress_haul){
        .what = json_get_text(progress, "what"),
        .bytes = json_get_int(progress, "bytes", 0),
        .bytes_total = json_get_int(progress, "bytes_total", -1),
        .objects = json_get_int(progress, "objects", 0),
        .objects_total = json_get_int(progress, "objects_total", -1),
        .per_second = json_get_int(progress, "bytes_per_second", 0),
        .seconds_left = json_get_int(progress, "seconds_left", -1),
    };
}

/* "1.2 of 4.0 GiB": both in the unit of the larger one. */
static void add_amount(struct text *out, int width, const struct progress_haul *haul)
{
    double total = (double)haul->bytes_total;
    double size;
    char words[PRINT_BYTES_SIZE];

    if (haul->bytes_total < haul->bytes) {
        add_piece(out, width, print_bytes((double)haul->bytes, words));
        return;
    }
    (void)text_bytes_unit(total, &size);
    add_words(out, width, "%.*f of %s", size > 1 ? 1 : 0, (double)haul->bytes / size,
              print_bytes(total, words));
}

void progress_haul_line(const struct progress_haul *haul, int width, struct text *out)
{
    char words[PRINT_BYTES_SIZE];
    char span[TIME_TEXT_SIZE];

    add_piece(out, width, haul->what);
    add_amount(out, width, haul);
    if (haul->per_second > 0)
        add_words(out, width, "%s/s", print_bytes((double)haul->per_second, words));
    if (haul->seconds_left >= 0) {
        duration_format(haul->seconds_left, span);
        add_words(out, width, "%s left", span);
    }
    if (haul->objects_total > 1)
        add_words(out, width, "%" PRId64 " of %" PRId64 " files", haul->objects,
                  haul->objects_total);
}

static void add_done(struct text *out, const struct progress *progress, int width)
{
    auto_text struct text piece = { 0 };
    int percent = progress_percent(progress);

    if (percent >= 0)
        text_printf(&piece, "%d%%", percent);
    else if (progress->has_done && !progress->haul.what)
        text_printf(&piece, "%.0f %s", progress->done,
                    progress->unit ? progress->unit : "units");
    else
        return;
    add_piece(out, width, piece.bytes);
}

/* What stands behind the bar: how it goes on, or why it does not. */
static void add_rest(struct text *out, const struct progress *progress, int width)
{
    if (progress->haul.what)
        progress_haul_line(&progress->haul, width > BAR_ROOM ? width - BAR_ROOM : width,
                           out);
    else
        add_rate(out, progress, width);
    if (progress->cost_usd)
        add_cost(out, progress, width);
    if (progress->waits_for)
        add_piece(out, width, progress->waits_for);
}

/* The bar is put last into what the words leave free, behind the percentage; those of
 * data leave it its place. */
void progress_line(const struct progress *progress, int width, struct text *out)
{
    auto_text struct text front = { 0 };
    auto_text struct text back = { 0 };
    char span[TIME_TEXT_SIZE];
    double done;
    double total;

    add_piece(&front, width, progress->status);
    if (!progress->haul.what) {
        duration_format(progress->elapsed_s, span);
        add_piece(&front, width, span);
    }
    add_done(&front, progress, width);
    if (width == 0 || width > (int)front.len + 2)
        add_rest(&back, progress, width ? width - (int)front.len - 2 : 0);
    text_puts(out, front.bytes ? front.bytes : "");
    if (width > 0 && amounts_of(progress, &done, &total))
        add_bar(out, width - (back.len ? (int)back.len + 2 : 0), done, total);
    if (back.len)
        text_printf(out, "  %s", back.bytes);
}

void progress_upload(int64_t sent, int64_t total, int width, struct text *out)
{
    text_printf(out, "Uploading the source  %.1f of %.1f MiB", (double)sent / 1048576,
                (double)total / 1048576);
    if (total > 0)
        add_bar(out, width, (double)sent, (double)total);
}

int progress_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
        return WIDTH_ASSUMED - 1;
    return size.ws_col - 1; /* a full line would wrap */
}

void progress_display_draw(struct progress_display *display, const char *line)
{
    usec_t now = clock_boot();

    if (display->is_drawn && now - display->drawn_at < USEC_PER_SEC / DRAWS_PER_SEC)
        return;
    fputc('\r', stderr);
    print_painted(stderr, PAINT_PLAIN, line);
    fputs("\033[K", stderr);
    fflush(stderr);
    display->is_drawn = true;
    display->drawn_at = now;
}

void progress_display_clear(struct progress_display *display)
{
    if (!display->is_drawn)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    display->is_drawn = false;
}
