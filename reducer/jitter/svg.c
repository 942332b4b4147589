/* The plots: deviations from the mean over the ranks, kernel by kernel, and the first and last rank
 * of each step. Plain SVG without scripts; colours follow the reader's light or dark theme. */
#include "base/utf8.h"
#include "render/out_file.h"
#include "jitter/print.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	WIDTH = 1000,
	HEIGHT = 420,
	LEFT = 80,
	TOP = 60,
	PLOT_WIDTH = 740,
	PLOT_HEIGHT = 300,
	LINES = 8, /* at most, beside the band of all */
	TICKS = 4
};

static const char style[] =
	"<style>\n"
	"svg{font:13px sans-serif;background:#fff}text{fill:#222}.axis{stroke:#888;fill:none}\n"
	".band{fill:#bbb;fill-opacity:.6;stroke:none}path{fill:none;stroke-width:1.2}\n"
	".l0{stroke:#1f5fa8}.l1{stroke:#c0392b}.l2{stroke:#1e8449}.l3{stroke:#8e44ad}\n"
	".l4{stroke:#b9770e}.l5{stroke:#117a8b}.l6{stroke:#943126}.l7{stroke:#566573}\n"
	"@media (prefers-color-scheme:dark){svg{background:#16181c}text{fill:#ddd}.band{fill:#555}\n"
	".l0{stroke:#6fb1ff}.l1{stroke:#ff7b6b}.l2{stroke:#6fdc96}.l3{stroke:#cf9bf0}\n"
	".l4{stroke:#f5b95b}.l5{stroke:#5fd4e6}.l6{stroke:#f1948a}.l7{stroke:#aeb6bf}}\n"
	"</style>\n";

struct plot {
	FILE *out;
	double least, most; /* of y, in ns */
	double unit;        /* ns of what the axis shows */
	uint32_t n;         /* points of x */
};

static void svg_text(FILE *out, const char *text)
{
	size_t left = strlen(text);
	while (left > 0) {
		uint32_t code;
		size_t n = utf8_decode(text, left, &code);
		if (n == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe ||
			code == 0xffff)
			fputc('?', out);
		else if (code == '<' || code == '>' || code == '&' || code == '"')
			fprintf(out, "&#%u;", code);
		else
			fwrite(text, 1, n, out);
		n = n ? n : 1;
		text += n;
		left -= n;
	}
}

struct place {
	int x, y;
	const char *anchor;
};

static void put_text(FILE *out, struct place at, const char *text)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", at.x, at.y, at.anchor);
	svg_text(out, text);
	fputs("</text>\n", out);
}

static double place_x(const struct plot *p, double i)
{
	return LEFT + (p->n > 1 ? PLOT_WIDTH * i / (p->n - 1) : PLOT_WIDTH / 2.0);
}

static double place_y(const struct plot *p, double ns)
{
	return TOP + PLOT_HEIGHT * (p->most - ns) / (p->most - p->least);
}

static void begin_plot(struct plot *p, const char *title, const char *x, const char *unit)
{
	char text[64];
	if (p->most <= p->least) {
		p->least -= p->unit;
		p->most += p->unit;
	}
	fprintf(p->out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n%s",
			WIDTH, HEIGHT, style);
	put_text(p->out, (struct place){LEFT, 28, "start"}, title);
	put_text(p->out, (struct place){LEFT, TOP - 12, "end"}, unit);
	put_text(p->out, (struct place){LEFT + PLOT_WIDTH / 2, HEIGHT - 16, "middle"}, x);
	fprintf(p->out, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", LEFT, TOP, TOP + PLOT_HEIGHT,
			LEFT + PLOT_WIDTH);
	for (int i = 0; i <= TICKS; i++) {
		const double ns = p->least + (p->most - p->least) * i / TICKS;
		snprintf(text, sizeof(text), "%.4g", ns / p->unit);
		put_text(p->out, (struct place){LEFT - 6, (int)place_y(p, ns) + 4, "end"}, text);
	}
}

static void put_x_ticks(const struct plot *p, int64_t first, int64_t last)
{
	char text[32];
	snprintf(text, sizeof(text), "%lld", (long long)first);
	put_text(p->out, (struct place){LEFT, TOP + PLOT_HEIGHT + 18, "middle"}, text);
	snprintf(text, sizeof(text), "%lld", (long long)last);
	put_text(p->out, (struct place){LEFT + PLOT_WIDTH, TOP + PLOT_HEIGHT + 18, "middle"}, text);
}

static void put_key(const struct plot *p, int line, const char *text)
{
	const int y = TOP + 16 + 20 * line, x = LEFT + PLOT_WIDTH + 16;
	fprintf(p->out, "<path class=\"l%d\" d=\"M%d %dh18\"/>\n", line % LINES, x, y - 4);
	put_text(p->out, (struct place){x + 24, y, "start"}, text);
}

/* A line through the values; where there are more than pixels, through the least and the most of
 * each pixel. NAN breaks it. */
static void put_line(const struct plot *p, int line, const double *values)
{
	const uint32_t each = (p->n + PLOT_WIDTH - 1) / PLOT_WIDTH;
	bool down = false;
	fprintf(p->out, "<path class=\"l%d\" d=\"", line % LINES);
	for (uint32_t i = 0; i < p->n; i += each) {
		double least = NAN, most = NAN;
		for (uint32_t k = i; k < i + each && k < p->n; k++) {
			least = isnan(least) || values[k] < least ? values[k] : least;
			most = isnan(most) || values[k] > most ? values[k] : most;
		}
		if (isnan(most)) {
			down = false;
			continue;
		}
		fprintf(p->out, "%c%.1f %.1f", down ? 'L' : 'M', place_x(p, i), place_y(p, most));
		if (least < most)
			fprintf(p->out, "V%.1f", place_y(p, least));
		down = true;
	}
	fputs("\"/>\n", p->out);
}

/* Between the least and the most of all ranks, pixel by pixel. */
static void put_band(const struct plot *p, const double *least, const double *most)
{
	const uint32_t each = (p->n + PLOT_WIDTH - 1) / PLOT_WIDTH;
	const double width = p->n > 1 ? (double)PLOT_WIDTH * each / (p->n - 1) : PLOT_WIDTH;
	for (uint32_t i = 0; i < p->n; i += each) {
		double low = NAN, high = NAN;
		for (uint32_t k = i; k < i + each && k < p->n; k++) {
			low = isnan(low) || least[k] < low ? least[k] : low;
			high = isnan(high) || most[k] > high ? most[k] : high;
		}
		if (!isnan(low))
			fprintf(p->out,
					"<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
					"height=\"%.1f\"/>\n",
					place_x(p, i), place_y(p, high), width,
					fmax(place_y(p, low) - place_y(p, high), 0.5));
	}
}

/* ---- kernels ---- */

struct curves {
	double *mean, *least, *most; /* by position: over the ranks, the last two minus the mean */
	double *line;                /* of one rank */
};

static int curves_open(struct curves *c, uint32_t n)
{
	double *all = malloc(4 * ((size_t)n + 1) * sizeof(*all));
	c->mean = all;
	c->least = all ? all + n : NULL;
	c->most = all ? all + 2 * (size_t)n : NULL;
	c->line = all ? all + 3 * (size_t)n : NULL;
	return all ? 0 : -1;
}

static void find_curves(const struct jitter_study *s, enum jitter_measure m, struct curves *c,
						struct plot *p)
{
	for (uint32_t k = 0; k < s->reference.n; k++) {
		c->mean[k] = jitter_mean_of_ranks(s, m, k);
		c->least[k] = c->most[k] = NAN;
		for (uint32_t r = 0; r < s->n_ranks; r++) {
			const double x = jitter_mean(s, m, k, r) - c->mean[k];
			c->least[k] = fmin(c->least[k], x);
			c->most[k] = fmax(c->most[k], x);
		}
		p->least = fmin(p->least, c->least[k]);
		p->most = fmax(p->most, c->most[k]);
	}
}

/* The rank of line i: all of a few, else the late and early ones. n_ranks: there is none. */
static uint32_t rank_of_line(const struct jitter_printed *printed, size_t i)
{
	const struct jitter_study *s = printed->study;
	if (s->n_ranks <= LINES)
		return i < s->n_ranks ? (uint32_t)i : s->n_ranks;
	return i < printed->verdict->n_odd && i < LINES ? printed->verdict->odd[i].rank : s->n_ranks;
}

static void put_lines(const struct jitter_printed *printed, enum jitter_measure m,
					  const struct plot *p, struct curves *c)
{
	const struct jitter_study *s = printed->study;
	int i = 0;
	for (uint32_t rank; (rank = rank_of_line(printed, (size_t)i)) < s->n_ranks; i++) {
		char key[64];
		for (uint32_t k = 0; k < s->reference.n; k++)
			c->line[k] = jitter_mean(s, m, k, rank) - c->mean[k];
		put_line(p, i, c->line);
		snprintf(key, sizeof(key), "rank %.24s", jitter_rank_label(s, rank));
		put_key(p, i, key);
	}
}

static int write_kernels(const struct jitter_printed *printed, enum jitter_measure m,
						 const char *dir)
{
	static const char *const titles[JITTER_MEASURES] = {
		"Kernel durations minus the mean of the ranks",
		"Gaps before kernels minus the mean of the ranks",
		"Time to the end of kernels minus the mean of the ranks",
		"Launch to start minus the mean of the ranks"};
	const struct jitter_study *s = printed->study;
	struct out_file file;
	struct curves curves;
	struct plot p = {.unit = 1000, .n = s->reference.n};
	char name[64];
	snprintf(name, sizeof(name), "%s.svg", jitter_measure_name(m));
	if (curves_open(&curves, p.n) != 0)
		return -ENOMEM;
	int error = out_file_open(&file, dir, name);
	if (error) {
		free(curves.mean);
		return error;
	}
	p.out = file.out;
	find_curves(s, m, &curves, &p);
	begin_plot(&p, titles[m], "kernel of the step", "us");
	put_x_ticks(&p, 0, p.n ? p.n - 1 : 0);
	if (s->n_ranks > LINES)
		put_band(&p, curves.least, curves.most);
	put_lines(printed, m, &p, &curves);
	fputs("</svg>\n", p.out);
	free(curves.mean);
	return out_file_close(&file, 0);
}

/* ---- steps ---- */

static void put_points(const struct jitter_printed *printed, const struct plot *p)
{
	const struct jitter_study *s = printed->study;
	for (uint32_t k = 0; k < s->axis.n; k++) {
		const struct step_row *row = &printed->verdict->steps[k];
		for (int i = 0; row->ranks > 0 && i < 2; i++) {
			const double ns = (double)(i ? row->least_ns : row->most_ns) - row->mean_ns;
			fprintf(p->out,
					"<circle class=\"l%d\" fill=\"none\" cx=\"%.1f\" cy=\"%.1f\" "
					"r=\"3\"><title>step %lld: rank ",
					i, place_x(p, k), place_y(p, ns), (long long)row->number);
			svg_text(p->out, jitter_rank_label(s, i ? row->least : row->most));
			fprintf(p->out, ", %.3f ms</title></circle>\n", ns / 1e6);
		}
	}
}

static int write_steps(const struct jitter_printed *printed, const char *dir)
{
	const struct jitter_study *s = printed->study;
	struct out_file file;
	struct plot p = {.unit = 1e6, .n = s->axis.n};
	double *values = malloc(2 * ((size_t)p.n + 1) * sizeof(*values));
	int error = values ? out_file_open(&file, dir, "steps.svg") : -ENOMEM;
	if (error) {
		free(values);
		return error;
	}
	p.out = file.out;
	for (uint32_t k = 0; k < p.n; k++) {
		const struct step_row *row = &printed->verdict->steps[k];
		values[k] = row->ranks ? (double)row->most_ns - row->mean_ns : NAN;
		values[p.n + k] = row->ranks ? (double)row->least_ns - row->mean_ns : NAN;
		p.most = fmax(p.most, values[k]);
		p.least = fmin(p.least, values[p.n + k]);
	}
	begin_plot(&p, "First and last rank of each step, time to the last kernel minus the mean",
			   "step", "ms");
	if (p.n)
		put_x_ticks(&p, s->axis.number[0], s->axis.number[p.n - 1]);
	put_line(&p, 0, values);
	put_line(&p, 1, values + p.n);
	put_key(&p, 0, "last rank");
	put_key(&p, 1, "first rank");
	put_points(printed, &p);
	fputs("</svg>\n", p.out);
	free(values);
	return out_file_close(&file, 0);
}

int jitter_svg(const struct jitter_printed *printed, const char *dir)
{
	int error = 0;
	for (int m = 0; !error && m < JITTER_MEASURES; m++)
		error = write_kernels(printed, (enum jitter_measure)m, dir);
	return error ? error : write_steps(printed, dir);
}
