/* Columns over time, one upon the other, as a picture in the page.  Amounts become
 * places in it, for which doubles will do; what is written beside them does not go
 * through those. */

#include "daemon/billing/usage_html.h"

#include <string.h>

/* In the units of the picture. */
enum {
    WIDTH = 960,
    HEIGHT = 250,
    LEFT = 70,
    RIGHT = 10,
    TOP = 12,
    BOTTOM = 26,
    PLOT_WIDTH = WIDTH - LEFT - RIGHT,
    PLOT_HEIGHT = HEIGHT - TOP - BOTTOM,
    TICKS_MAX = 5,
    LABELS_MAX = 12,
    LABEL_RIGHT = WIDTH - 32, /* half a label from the edge */
    COLUMN_MAX = 60
};

struct scale {
    int64_t step; /* from tick to tick */
    int64_t top;  /* the largest column */
};

static int64_t column_sum(const struct usage_chart *chart, size_t column)
{
    int64_t sum = 0;

    for (size_t i = 0; i < USAGE_CHART_SERIES; i++)
        if (__builtin_add_overflow(sum, chart->values[column][i], &sum))
            return INT64_MAX;
    return sum;
}

/* Steps of 1, 2 or 5 times a power of ten. */
static struct scale scale_of(const struct usage_chart *chart)
{
    static const int64_t factors[] = { 1, 2, 5 };
    struct scale scale = { .step = 1, .top = 1 };
    int64_t power = 1;

    for (size_t i = 0; i < chart->count; i++)
        if (column_sum(chart, i) > scale.top)
            scale.top = column_sum(chart, i);
    for (size_t i = 0; scale.top / scale.step > TICKS_MAX; i++) {
        scale.step = factors[i % ARRAY_SIZE(factors)] * power;
        if (i % ARRAY_SIZE(factors) == ARRAY_SIZE(factors) - 1)
            power *= 10;
    }
    return scale;
}

static double height_of(const struct scale *scale, int64_t value)
{
    return PLOT_HEIGHT * ((double)value / (double)scale->top);
}

static double left_of(const struct usage_chart *chart, size_t column)
{
    return LEFT + PLOT_WIDTH * ((double)column / (double)chart->count);
}

static void add_axis(struct text *out, const struct scale *scale)
{
    char words[MONEY_TEXT_SIZE];

    for (int64_t tick = 0; tick <= scale->top / scale->step; tick++) {
        int64_t value = tick * scale->step;
        double y = TOP + PLOT_HEIGHT - height_of(scale, value);

        text_printf(out,
                    "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">",
                    LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4);
        usage_html_grouped(out, money_format(value, words));
        text_puts(out, "</text>\n");
    }
}

static void add_column(struct text *out, const struct usage_chart *chart,
                       const struct scale *scale, size_t column)
{
    double room = PLOT_WIDTH / (double)chart->count;
    double width = room * 0.8 < COLUMN_MAX ? room * 0.8 : COLUMN_MAX;
    double x = left_of(chart, column) + (room - width) / 2;
    double y = TOP + PLOT_HEIGHT;
    char words[MONEY_TEXT_SIZE];

    for (size_t i = 0; i < USAGE_CHART_SERIES; i++) {
        int64_t value = chart->values[column][i];
        double height = height_of(scale, value);

        if (value == 0)
            continue;
        y -= height;
        text_printf(
            out,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">"
            "<title>%s, %s: %s %s</title></rect>\n",
            chart->series[i].look, x, y, width, height, chart->columns[column],
            chart->series[i].name, money_format_short(value, words), chart->unit);
    }
}

static void add_labels(struct text *out, const struct usage_chart *chart)
{
    size_t every = (chart->count + LABELS_MAX - 1) / LABELS_MAX;
    double room = PLOT_WIDTH / (double)chart->count;

    for (size_t i = 0; i < chart->count; i += every) {
        double x = left_of(chart, i) + room / 2;

        if (x <= LABEL_RIGHT)
            text_printf(out,
                        "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
                        x, HEIGHT - 8, chart->columns[i]);
    }
}

static bool has_series(const struct usage_chart *chart, size_t series)
{
    for (size_t i = 0; i < chart->count; i++)
        if (chart->values[i][series] > 0)
            return true;
    return false;
}

static void add_legend(struct text *out, const struct usage_chart *chart)
{
    text_puts(out, "<ul class=\"legend\">");
    for (size_t i = 0; i < USAGE_CHART_SERIES; i++)
        if (has_series(chart, i))
            text_printf(out, "<li><i class=\"%s\"></i>%s</li>", chart->series[i].look,
                        chart->series[i].name);
    text_puts(out, "</ul>\n");
}

void usage_html_chart(struct text *out, const struct usage_chart *chart)
{
    struct scale scale = scale_of(chart);

    text_printf(out, "<figure>\n<figcaption>%s</figcaption>\n", chart->title);
    add_legend(out, chart);
    text_printf(out,
                "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\""
                " aria-labelledby=\"%s-title\">"
                "<title id=\"%s-title\">%s: %zu columns from %s to %s</title>\n",
                WIDTH, HEIGHT, chart->id, chart->id, chart->title, chart->count,
                chart->columns[0], chart->columns[chart->count - 1]);
    add_axis(out, &scale);
    for (size_t i = 0; i < chart->count; i++)
        add_column(out, chart, &scale, i);
    add_labels(out, chart);
    text_puts(out, "</svg>\n</figure>\n");
}
