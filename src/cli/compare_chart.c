/* A comparison as a picture, and as a page.  Amounts are drawn from doubles: a picture
 * has no nano-dollars. */

#include "src/cli/compare.h"
#include "src/cli/figure.h"
#include "src/html.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the units of the picture. */
enum {
    WIDTH = 830,
    LABELS = 255, /* where the axes begin */
    PLOT = 530,
    ROW = 34,
    PANEL_HEAD = 30,
    PANEL_FOOT = 34,
    PANELS = 2,
    TICKS = 4,
    LABEL_BYTES = 26
};

/* {MEMBER OF AN ARM AND OF A RUN, TITLE} */
static const struct {
    const char *member;
    const char *title;
    const char *unit;
} panels[PANELS] = {
    { "cost_usd", "What a run cost", "usd" },
    { "billable_seconds", "Billable seconds of an instance", "s" },
};

static const char style[] =
    "<style>"
    ".r{font:13px system-ui,sans-serif;--ink:#1d2433;--dim:#66708a;--grid:#d9deea;--bar:#8fb3e8;--mark:#1f57b0}"
    "@media(prefers-color-scheme:dark){.r{--ink:#e6eaf3;--dim:#9aa5bd;--grid:#38415a;--bar:#2f5590;--mark:#9cc3ff}}"
    "@media print{.r{--ink:#000;--dim:#444;--grid:#ccc;--bar:#bbb;--mark:#000}}"
    ".r text{fill:var(--ink)}.r .dim{fill:var(--dim)}.r .grid{stroke:var(--grid)}"
    ".r .bar{fill:var(--bar)}.r .mark{stroke:var(--mark);fill:none;stroke-width:2}.r .run{fill:var(--mark);fill-opacity:.65}"
    "</style>";

static bool number_of(const struct cJSON *value, double *out)
{
    const char *words = figure_words(value);
    char *end;

    if (!words)
        return false;
    *out = strtod(words, &end);
    return !*end && isfinite(*out);
}

/* --- one panel --- */

struct panel {
    const struct cJSON *comparison;
    const char *member;
    const char *unit;
    double scale; /* the largest value that is drawn */
    int top;
    struct text *out;
};

static double place_of(const struct panel *panel, double value)
{
    return LABELS + PLOT * value / panel->scale;
}

static bool is_drawn(const struct cJSON *run, const struct cJSON *arm)
{
    const char *of = json_get_text(run, "arm");
    const char *name = json_get_text(arm, "name");

    return json_get_bool(run, "counted") && of && name && strcmp(of, name) == 0;
}

static void stretch(double *scale, const struct cJSON *value)
{
    double number;

    if (number_of(value, &number) && number > *scale)
        *scale = number;
}

/* The next of 1, 2, 2.5, 5 times a power of ten. */
static double round_up(double value)
{
    static const double steps[] = { 1, 2, 2.5, 5, 10 };
    double power = pow(10, floor(log10(value)));

    for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
        if (value <= steps[i] * power)
            return steps[i] * power;
    return value;
}

static double scale_of(const struct cJSON *comparison, const char *member)
{
    double scale = 0;

    json_each (run, json_get(comparison, "runs"))
        if (json_get_bool(run, "counted"))
            stretch(&scale, json_get(run, member));
    json_each (arm, json_get(comparison, "arms"))
        stretch(&scale, json_get(json_get(arm, member), "high"));
    return scale > 0 ? round_up(scale) : 1;
}

static void add_axis(const struct panel *panel, int rows)
{
    int bottom = panel->top + PANEL_HEAD + rows * ROW;

    for (int i = 0; i <= TICKS; i++) {
        double value = panel->scale * i / TICKS;
        double x = place_of(panel, value);

        text_printf(
            panel->out,
            "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
            "<text class=\"dim\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.4g</text>",
            x, x, panel->top + PANEL_HEAD - 6, bottom, x, bottom + 16, value);
    }
}

static void add_interval(const struct panel *panel, const struct cJSON *figure, int y)
{
    double low, high;

    if (!number_of(json_get(figure, "low"), &low)
        || !number_of(json_get(figure, "high"), &high))
        return;
    text_printf(panel->out,
                "<path class=\"mark\" d=\"M%.1f %dv10m0 -5H%.1fm0 -5v10\"><title>95 %% "
                "interval of the mean: %.6g to %.6g %s</title></path>",
                place_of(panel, low), y - 5, place_of(panel, high), low, high,
                panel->unit);
}

static void add_run(const struct panel *panel, const struct cJSON *run, int y)
{
    double value;

    if (!number_of(json_get(run, panel->member), &value))
        return;
    text_printf(panel->out,
                "<circle class=\"run\" cx=\"%.1f\" cy=\"%d\" r=\"4\"><title>",
                place_of(panel, value), y);
    html_add(panel->out, json_get_text(run, "name"));
    text_printf(panel->out, ": %.6g %s</title></circle>", value, panel->unit);
}

/* A long name is cut; the whole of it is shown to who points at it. */
static void add_label(const struct panel *panel, const struct cJSON *arm, int y)
{
    const char *name = json_get_text(arm, "name");
    size_t len = name ? strlen(name) : 0;
    auto_free char *shown = NULL;

    if (len > LABEL_BYTES)
        shown = xasprintf("%.*s\342\200\246", (int)text_utf8_prefix(name, LABEL_BYTES),
                          name);
    text_printf(panel->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\"><title>",
                LABELS - 10, y + 4);
    html_add(panel->out, name);
    text_puts(panel->out, "</title>");
    html_add(panel->out, shown ? shown : name);
    text_puts(panel->out,
              json_get_bool(arm, "emulated") ? " (emulated)</text>" : "</text>");
}

static void add_arm(const struct panel *panel, const struct cJSON *arm, int y)
{
    const struct cJSON *figure = json_get(arm, panel->member);
    double median;

    add_label(panel, arm, y);
    if (number_of(json_get(figure, "median"), &median))
        text_printf(
            panel->out,
            "<rect class=\"bar\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"18\">"
            "<title>median: %.6g %s</title></rect>",
            LABELS, y - 9, place_of(panel, median) - LABELS, median, panel->unit);
    json_each (run, json_get(panel->comparison, "runs"))
        if (is_drawn(run, arm))
            add_run(panel, run, y);
    add_interval(panel, figure, y);
}

static int panel_height(const struct cJSON *comparison)
{
    return PANEL_HEAD + (int)json_count(json_get(comparison, "arms")) * ROW
           + PANEL_FOOT;
}

static void add_panel(const struct cJSON *comparison, int index, struct text *out)
{
    const char *member = panels[index].member;
    const struct panel panel = { .comparison = comparison,
                                 .member = member,
                                 .unit = panels[index].unit,
                                 .scale = scale_of(comparison, member),
                                 .top = index * panel_height(comparison),
                                 .out = out };
    int row = 0;

    text_printf(out, "<text x=\"%d\" y=\"%d\" font-weight=\"600\">%s</text>", LABELS,
                panel.top + 16, panels[index].title);
    add_axis(&panel, (int)json_count(json_get(comparison, "arms")));
    json_each (arm, json_get(comparison, "arms"))
        add_arm(&panel, arm, panel.top + PANEL_HEAD + ROW * row++ + ROW / 2 - 4);
}

void compare_svg(const struct cJSON *comparison, struct text *out)
{
    const char *verdict = json_get_text(json_get(comparison, "verdict"), "text");
    int height = PANELS * panel_height(comparison);

    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"r\" role=\"img\" "
                "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"><title>",
                WIDTH, height, WIDTH, height);
    html_add(out, verdict);
    text_puts(out, "</title><desc>Bars are medians, dots are runs, lines the 95 % "
                   "intervals of the means.</desc>");
    text_puts(out, style);
    for (int i = 0; i < PANELS; i++)
        add_panel(comparison, i, out);
    text_puts(out, "</svg>\n");
}

/* --- the page --- */

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width\">"
    "<title>Comparison of training runs</title><style>"
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "pre{overflow-x:auto;font:13px/1.5 ui-monospace,monospace}svg{max-width:100%;height:auto}"
    "</style></head><body><main><h1>Comparison of training runs</h1>\n<p><strong>";

void compare_html(const struct cJSON *comparison, struct text *out)
{
    auto_text struct text tables = { 0 };

    compare_table(comparison, &tables);
    text_puts(out, page_head);
    html_add(out, json_get_text(json_get(comparison, "verdict"), "text"));
    text_puts(out, "</strong></p>\n<figure>");
    compare_svg(comparison, out);
    text_puts(out, "<figcaption>Bars are medians, dots are runs, lines the 95 % "
                   "intervals of the means.</figcaption></figure>\n<pre>");
    html_add(out, tables.bytes);
    text_puts(out, "</pre></main></body></html>\n");
}
