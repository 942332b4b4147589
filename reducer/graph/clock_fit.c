#include "graph/clock_fit.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "read/rows.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST_FOR_DRIFT = 8,
	LEAST_A_LINE = 5, /* pairs of each line, where there are several */
	DRIFT_NS = 3000,
	SAME_NS = 2000,
	JUMP_NS = 20000,
	BEND_NS = 3000,
	AROUND = 2 /* pairs on each side that the middle is taken of */
};

struct part { /* pairs [from, to) and their line */
	size_t from, to;
	struct clock_line line;
	double residual_ns;
};

struct fitting {
	const struct clock_pair *pairs;
	size_t n;
	double *room;      /* for n numbers */
	double *calm;      /* by pair: common - own, without single outliers */
	double (*sums)[5]; /* by pair, of those before it: x, y, xx, xy, yy */
	struct part parts[CLOCK_LINES];
	size_t n_parts;
};

static double difference(const struct clock_pair *p)
{
	return (double)saturate_sub(p->common_ns, p->own_ns);
}

/* From the first pair to this one, on the clock that is sought. */
static double since(const struct clock_pair *pairs, size_t i)
{
	return (double)saturate_sub(pairs[i].own_ns, pairs[0].own_ns);
}

/* Of lines through hostile times a number may be larger than any time. */
static int64_t whole(double ns)
{
	const double most = (double)BATON_TIME_LIMIT_NS;
	return (int64_t)fmin(fmax(ns, -most), most);
}

static double line_at(const struct clock_line *line, int64_t own_ns)
{
	return line->constant_ns + line->slope * (double)saturate_sub(own_ns, line->origin_ns);
}

int64_t host_offset_time(const struct host_offset *o, int64_t ns)
{
	size_t i = o->n_lines;
	if (i == 0)
		return ns;
	while (i > 1 && ns < o->lines[i - 1].from_ns)
		i--;
	const double more = line_at(&o->lines[i - 1], ns);
	if (fabs(more) > (double)BATON_TIME_LIMIT_NS)
		return ns; /* no clock is that far off */
	return saturate_add(ns, (int64_t)(more < 0 ? more - 0.5 : more + 0.5));
}

static int by_number(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* ---- one line ---- */

/* The middle of what is left of the differences when a drift is taken off. */
static double middle(const struct clock_pair *pairs, size_t n, double slope, double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = difference(&pairs[i]) - slope * since(pairs, i);
	sort_rows(room, n, sizeof(*room), by_number);
	return n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2;
}

/* `calm`: the pairs' differences without single outliers. */
static double drift(const struct clock_pair *pairs, const double *calm, size_t n)
{
	double x_sum = 0, y_sum = 0, xx = 0, xy = 0;
	for (size_t i = 0; i < n; i++) {
		x_sum += since(pairs, i) / (double)n;
		y_sum += (calm[i] - calm[0]) / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		const double x = since(pairs, i) - x_sum;
		xx += x * x;
		xy += x * (calm[i] - calm[0] - y_sum);
	}
	return xx > 0 ? xy / xx : 0;
}

/* How far nine of ten differences are from the line, at most. */
static double residual(const struct clock_line *line, const struct clock_pair *pairs, size_t n,
					   double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = fabs(line_at(line, pairs[i].own_ns) - difference(&pairs[i]));
	sort_rows(room, n, sizeof(*room), by_number);
	return room[(n - 1) * 9 / 10];
}

static void fit_part(struct fitting *f, struct part *part)
{
	const struct clock_pair *pairs = &f->pairs[part->from];
	const size_t n = part->to - part->from;
	part->line = (struct clock_line){.origin_ns = pairs[0].own_ns};
	part->line.constant_ns = middle(pairs, n, 0, f->room);
	if (n > LEAST_FOR_DRIFT && f->room[n - 1] - f->room[0] > DRIFT_NS) {
		part->line.slope = drift(pairs, &f->calm[part->from], n);
		part->line.constant_ns = middle(pairs, n, part->line.slope, f->room);
	}
	part->residual_ns = residual(&part->line, pairs, n, f->room);
}

/* ---- where a line ends ---- */

static void calm_down(struct fitting *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const size_t reach = i < AROUND ? i : f->n - 1 - i < AROUND ? f->n - 1 - i : AROUND;
		double near[2 * AROUND + 1];
		for (size_t k = 0; k <= 2 * reach; k++)
			near[k] = difference(&f->pairs[i - reach + k]);
		sort_rows(near, 2 * reach + 1, sizeof(*near), by_number);
		f->calm[i] = near[reach];
	}
}

/* Seconds and microseconds, so that the squares keep their digits. */
static void sum_up(struct fitting *f)
{
	memset(f->sums[0], 0, sizeof(f->sums[0]));
	for (size_t i = 0; i < f->n; i++) {
		const double x = (double)saturate_sub(f->pairs[i].common_ns, f->pairs[0].common_ns) / 1e9;
		const double y = (f->calm[i] - f->calm[0]) / 1e3;
		const double more[5] = {x, y, x * x, x * y, y * y};
		for (int k = 0; k < 5; k++)
			f->sums[i + 1][k] = f->sums[i][k] + more[k];
	}
}

/* The squares that a line through pairs [from, to) leaves. */
static double left_over(const struct fitting *f, size_t from, size_t to)
{
	const double n = (double)(to - from);
	double s[5];
	for (int k = 0; k < 5; k++)
		s[k] = f->sums[to][k] - f->sums[from][k];
	const double xx = s[2] - s[0] * s[0] / n, xy = s[3] - s[0] * s[1] / n;
	const double yy = s[4] - s[1] * s[1] / n;
	return xx > 0 ? yy - xy * xy / xx : yy;
}

/* By how much the clock jumped between two parts: what is added gets less when it jumps forward. */
static double jump_between(const struct fitting *f, const struct part *before,
						   const struct part *after)
{
	const int64_t last = f->pairs[before->to - 1].own_ns, first = f->pairs[after->from].own_ns;
	return line_at(&before->line, last) - line_at(&after->line, first);
}

static bool is_jump(double ns, double noise_ns)
{
	return fabs(ns) > JUMP_NS && fabs(ns) > 4 * noise_ns;
}

/* Where the differences change most from one pair to the next, if that stands out; 0: nowhere. */
static size_t step_in(struct fitting *f, const struct part *part)
{
	const size_t n = part->to - part->from - 1;
	size_t at = 0;
	double most = JUMP_NS;
	for (size_t i = part->from + 1; i < part->to; i++) {
		const double change = fabs(f->calm[i] - f->calm[i - 1]);
		f->room[i - part->from - 1] = change;
		if (change > most && i - part->from >= LEAST_A_LINE && part->to - i >= LEAST_A_LINE) {
			most = change;
			at = i;
		}
	}
	sort_rows(f->room, n, sizeof(*f->room), by_number);
	return most > 8 * f->room[n / 2] ? at : 0;
}

/* Where two lines fit better than one, if far better; 0: nowhere. */
static size_t bend_in(const struct fitting *f, const struct part *part)
{
	const double all = left_over(f, part->from, part->to);
	double least = all / 2;
	size_t at = 0;
	for (size_t i = part->from + LEAST_A_LINE; i + LEAST_A_LINE <= part->to; i++) {
		const double left = left_over(f, part->from, i) + left_over(f, i, part->to);
		if (left < least) {
			least = left;
			at = i;
		}
	}
	return at;
}

static void split_all(struct fitting *f)
{
	for (size_t i = 0; i < f->n_parts && f->n_parts < CLOCK_LINES;) {
		struct part *part = &f->parts[i];
		size_t at = 0;
		if (part->to - part->from >= 2 * LEAST_A_LINE) {
			at = step_in(f, part);
			at = at ? at : bend_in(f, part);
		}
		if (!at) {
			i++;
			continue;
		}
		memmove(part + 1, part, (f->n_parts++ - i) * sizeof(*part));
		part[0].to = part[1].from = at;
	}
	for (size_t i = 0; i < f->n_parts; i++)
		fit_part(f, &f->parts[i]);
}

/* Takes parts together that one line fits as well. A few outliers must not keep them apart, so what
 * decides is the middle, and what nine of ten keep to. */
static void join_alike(struct fitting *f)
{
	for (size_t i = 1; i < f->n_parts;) {
		struct part *before = &f->parts[i - 1], *after = &f->parts[i], both = *before;
		const double noise = fmax(before->residual_ns, after->residual_ns);
		both.to = after->to;
		fit_part(f, &both);
		if (is_jump(jump_between(f, before, after), noise) ||
			(both.residual_ns > BEND_NS && both.residual_ns > 2 * noise)) {
			i++;
			continue;
		}
		*before = both;
		memmove(after, after + 1, (--f->n_parts - i) * sizeof(*after));
		i = i > 1 ? i - 1 : 1;
	}
}

/* ---- the offset ---- */

static void note_jump(const struct fitting *f, size_t part, struct host_offset *o)
{
	const struct part *before = &f->parts[part - 1], *after = &f->parts[part];
	const double ns = jump_between(f, before, after);
	if (!is_jump(ns, fmax(before->residual_ns, after->residual_ns)))
		return;
	o->n_jumps++;
	if (fabs(ns) > fabs((double)o->jump_ns))
		o->jump_ns = whole(ns);
}

static void put_lines(struct fitting *f, struct host_offset *o)
{
	o->n_lines = (uint32_t)f->n_parts;
	for (size_t i = 0; i < f->n_parts; i++) {
		const struct clock_pair *first = &f->pairs[f->parts[i].from];
		o->lines[i] = f->parts[i].line;
		o->lines[i].from_ns =
			i ? saturate_add(first[-1].own_ns, saturate_sub(first->own_ns, first[-1].own_ns) / 2)
			  : 0;
		if (i > 1 && o->lines[i].from_ns < o->lines[i - 1].from_ns)
			o->lines[i].from_ns = o->lines[i - 1].from_ns;
		if (i)
			note_jump(f, i, o);
	}
	struct clock_line *only = o->lines;
	if (o->n_lines == 1 && only->slope == 0 && fabs(only->constant_ns) < SAME_NS)
		only->constant_ns = 0;
	for (size_t i = 0; i < f->n; i++)
		f->room[i] = fabs(
			(double)saturate_sub(host_offset_time(o, f->pairs[i].own_ns), f->pairs[i].common_ns));
	sort_rows(f->room, f->n, sizeof(*f->room), by_number);
	o->residual_ns = whole(f->room[(f->n - 1) * 9 / 10]);
}

int clock_fit(const struct clock_pair *pairs, size_t n, struct host_offset *offset)
{
	struct fitting f = {.pairs = pairs, .n = n, .n_parts = 1};
	f.room = malloc(n * sizeof(*f.room));
	f.calm = malloc(n * sizeof(*f.calm));
	f.sums = malloc((n + 1) * sizeof(*f.sums));
	const int error = f.room && f.calm && f.sums ? 0 : -ENOMEM;
	memset(offset, 0, sizeof(*offset));
	if (!error) {
		calm_down(&f);
		sum_up(&f);
		f.parts[0].to = n;
		split_all(&f);
		join_alike(&f);
		put_lines(&f, offset);
	}
	free(f.room);
	free(f.calm);
	free(f.sums);
	return error;
}
