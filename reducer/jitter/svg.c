/* The plots: deviations from the mean over the ranks, kernel by kernel, and the first and last rank
 * of each step. */
#include "jitter/print.h"

#include "base/progress.h"
#include "render/out_file.h"
#include "render/svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A line through the values; where there are more than pixels, through the least and the most of
 * each pixel. NAN breaks it. */
static void put_line(const struct svg_plot *p, int line, const double *values)
{
	const uint32_t each = (p->n + SVG_PLOT_WIDTH - 1) / SVG_PLOT_WIDTH;
	bool down = false;
	fprintf(p->out, "<path class=\"l%d\" d=\"", line % SVG_LINES);
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
		fprintf(p->out, "%c%.1f %.1f", down ? 'L' : 'M', svg_x(p, i), svg_y(p, most));
		if (least < most)
			fprintf(p->out, "V%.1f", svg_y(p, least));
		down = true;
	}
	fputs("\"/>\n", p->out);
}

/* Between the least and the most of all ranks, pixel by pixel. */
static void put_band(const struct svg_plot *p, const double *least, const double *most)
{
	const uint32_t each = (p->n + SVG_PLOT_WIDTH - 1) / SVG_PLOT_WIDTH;
	const double width = p->n > 1 ? (double)SVG_PLOT_WIDTH * each / (p->n - 1) : SVG_PLOT_WIDTH;
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
					svg_x(p, i), svg_y(p, high), width, fmax(svg_y(p, low) - svg_y(p, high), 0.5));
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
						struct svg_plot *p)
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
	if (s->n_ranks <= SVG_LINES)
		return i < s->n_ranks ? (uint32_t)i : s->n_ranks;
	return i < printed->verdict->n_odd && i < SVG_LINES ? printed->verdict->odd[i].rank
														: s->n_ranks;
}

static void put_lines(const struct jitter_printed *printed, enum jitter_measure m,
					  const struct svg_plot *p, struct curves *c)
{
	const struct jitter_study *s = printed->study;
	int i = 0;
	for (uint32_t rank; (rank = rank_of_line(printed, (size_t)i)) < s->n_ranks; i++) {
		char key[64];
		for (uint32_t k = 0; k < s->reference.n; k++)
			c->line[k] = jitter_mean(s, m, k, rank) - c->mean[k];
		put_line(p, i, c->line);
		snprintf(key, sizeof(key), "rank %.24s", jitter_rank_label(s, rank));
		svg_key(p, i, key);
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
	struct svg_plot p = {.unit = 1000, .n = s->reference.n};
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
	svg_begin(&p, titles[m], "kernel of the step", "us");
	svg_x_ends(&p, 0, p.n ? p.n - 1 : 0);
	if (s->n_ranks > SVG_LINES)
		put_band(&p, curves.least, curves.most);
	put_lines(printed, m, &p, &curves);
	svg_end(&p);
	free(curves.mean);
	return out_file_close(&file, 0);
}

/* ---- steps ---- */

static void put_points(const struct jitter_printed *printed, const struct svg_plot *p)
{
	const struct jitter_study *s = printed->study;
	for (uint32_t k = 0; k < s->axis.n; k++) {
		const struct step_row *row = &printed->verdict->steps[k];
		for (int i = 0; row->ranks > 0 && i < 2; i++) {
			const double ns = (double)(i ? row->least_ns : row->most_ns) - row->mean_ns;
			fprintf(p->out,
					"<circle class=\"l%d\" fill=\"none\" cx=\"%.1f\" cy=\"%.1f\" "
					"r=\"3\"><title>step %lld: rank ",
					i, svg_x(p, k), svg_y(p, ns), (long long)row->number);
			svg_text(p->out, jitter_rank_label(s, i ? row->least : row->most));
			fprintf(p->out, ", %.3f ms</title></circle>\n", ns / 1e6);
		}
	}
}

static int write_steps(const struct jitter_printed *printed, const char *dir)
{
	const struct jitter_study *s = printed->study;
	struct out_file file;
	struct svg_plot p = {.unit = 1e6, .n = s->axis.n};
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
	svg_begin(&p, "First and last rank of each step, time to the last kernel minus the mean",
			  "step", "ms");
	if (p.n)
		svg_x_ends(&p, s->axis.number[0], s->axis.number[p.n - 1]);
	put_line(&p, 0, values);
	put_line(&p, 1, values + p.n);
	svg_key(&p, 0, "last rank");
	svg_key(&p, 1, "first rank");
	put_points(printed, &p);
	svg_end(&p);
	free(values);
	return out_file_close(&file, 0);
}

int jitter_svg(const struct jitter_printed *printed, const char *dir)
{
	int error = 0;
	progress_begin("jitter, plots", "plots", JITTER_MEASURES + 1);
	for (int m = 0; !error && m < JITTER_MEASURES; m++) {
		error = write_kernels(printed, (enum jitter_measure)m, dir);
		progress_add(1);
	}
	error = error ? error : write_steps(printed, dir);
	progress_end();
	return error;
}
