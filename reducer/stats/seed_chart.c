#include "stats/seed_chart.h"

#include "base/diag.h"
#include "base/plain.h"
#include "render/out_file.h"
#include "render/svg.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_CHARACTERS = 26 };

static size_t bars_shown(const struct seed_chart *chart)
{
	return chart->n < SEED_CHART_BARS ? chart->n : SEED_CHART_BARS;
}

static void put_bar(const struct svg_plot *p, int group, double x, double width)
{
	fprintf(p->out, "<rect class=\"b%d\" x=\"%.1f\" width=\"%.1f\" ", group, x, width);
}

static void put_span(const struct svg_plot *p, double from, double to)
{
	fprintf(p->out, "y=\"%.1f\" height=\"%.1f\"><title>", svg_y(p, to),
			svg_y(p, from) - svg_y(p, to));
}

/* What a bar is when the mouse is over it. */
static void end_bar(const struct svg_plot *p, const struct seed_chart *chart, size_t bar, int group)
{
	const struct seed_bar *b = &chart->bars[bar];
	svg_text(p->out, b->name);
	fprintf(p->out, ", %s: %.3f ms, %.1f %%</title></rect>\n", chart->groups[group],
			(double)b->ns[group] / 1e6,
			b->all_ns > 0 ? 100 * (double)b->ns[group] / (double)b->all_ns : 0);
}

/* The end of a name says most: a device's number, the last directory of a run. */
static void put_name(const struct svg_plot *p, double x, const char *name)
{
	const size_t n = strlen(name);
	const char *from = name + (n > NAME_CHARACTERS ? n - NAME_CHARACTERS : 0);
	while (((unsigned char)*from & 0xc0) == 0x80)
		from++; /* not in the middle of a character */
	svg_label(p->out, (struct svg_place){(int)x, SVG_TOP + SVG_PLOT_HEIGHT + 18, "middle"}, from);
}

static void put_keys(const struct svg_plot *p, const struct seed_chart *chart)
{
	for (int g = 0; g < SEED_CHART_GROUPS; g++)
		svg_key(p, g, chart->groups[g]);
}

static void names_below(const struct svg_plot *p, const struct seed_chart *chart, double each)
{
	const size_t n = bars_shown(chart), step = n / 6 + 1; /* as many as have room */
	for (size_t i = 0; i < n; i += step)
		put_name(p, SVG_LEFT + each * ((double)i + 0.5), chart->bars[i].name);
}

/* Beside each other, in ms. */
static void panel_of_times(FILE *out, const struct seed_chart *chart)
{
	struct svg_plot p = {.out = out, .unit = 1e6, .panel = 1};
	const size_t n = bars_shown(chart);
	const double each = (double)SVG_PLOT_WIDTH / (double)(n ? n : 1);
	const double width = each * 0.8 / SEED_CHART_GROUPS;
	for (size_t i = 0; i < n; i++)
		for (int g = 0; g < SEED_CHART_GROUPS; g++)
			p.most = (double)chart->bars[i].ns[g] > p.most ? (double)chart->bars[i].ns[g] : p.most;
	p.n = (uint32_t)n;
	if (p.most <= 0)
		p.most = p.unit;
	svg_begin(&p, chart->title, chart->x, "ms");
	for (size_t i = 0; i < n; i++)
		for (int g = 0; g < SEED_CHART_GROUPS; g++) {
			put_bar(&p, g, SVG_LEFT + each * ((double)i + 0.1) + width * g, width);
			put_span(&p, 0, (double)chart->bars[i].ns[g]);
			end_bar(&p, chart, i, g);
		}
	names_below(&p, chart, each);
	put_keys(&p, chart);
	svg_end(&p);
}

/* On top of each other, as parts of all. */
static void panel_of_parts(FILE *out, const struct seed_chart *chart)
{
	struct svg_plot p = {.out = out, .most = 100, .unit = 1, .panel = 2};
	const size_t n = bars_shown(chart);
	const double each = (double)SVG_PLOT_WIDTH / (double)(n ? n : 1);
	p.n = (uint32_t)n;
	svg_begin(&p, "The groups' parts of it", chart->x, "%");
	for (size_t i = 0; i < n; i++) {
		const struct seed_bar *b = &chart->bars[i];
		double from = 0;
		for (int g = 0; g < SEED_CHART_GROUPS && b->all_ns > 0; g++) {
			const double to = from + 100 * (double)b->ns[g] / (double)b->all_ns;
			put_bar(&p, g, SVG_LEFT + each * ((double)i + 0.2), each * 0.6);
			put_span(&p, from, to);
			end_bar(&p, chart, i, g);
			from = to;
		}
	}
	names_below(&p, chart, each);
	put_keys(&p, chart);
	svg_end(&p);
}

int seed_chart_write(const struct seed_chart *chart, const char *path)
{
	struct out_file file;
	int error = out_file_open_path(&file, path);
	if (!error) {
		svg_page(file.out, 2 * SVG_HEIGHT);
		panel_of_times(file.out, chart);
		panel_of_parts(file.out, chart);
		fputs("</svg>\n", file.out);
		error = out_file_close(&file, 0);
	}
	if (error)
		diag("%s: %s", path, strerror(-error));
	else if (chart->n > SEED_CHART_BARS)
		diag("%s: it shows the first %d of %zu", path, SEED_CHART_BARS, chart->n);
	return error ? STATUS_OUTPUT : STATUS_OK;
}
