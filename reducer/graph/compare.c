#include "graph/compare.h"

#include "base/radix.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	FEW_UNITS = 32,
	USUAL_LEAST = 5 /* steps that have the work, of which a median is taken */
};

struct comparing {
	const struct position *positions;
	const struct unit *units;
	struct radix_row *rows; /* by key, then by unit, then in the order of each unit */
	uint32_t *begins;       /* of the units of one key, in its rows; and the last one's end */
	struct compared *group; /* of one place, by time */
	struct compared *out;
};

static int by_unit(const void *a, const void *b, void *context)
{
	const struct position *positions = context;
	const struct radix_row *x = a, *y = b;
	const uint16_t xu = positions[x->index].unit, yu = positions[y->index].unit;
	if (xu != yu)
		return xu < yu ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The units of the rows [from, to) of one key; returns how many. Processes come one after the
 * other, so their rows are in order but where one drives several devices. */
static uint32_t find_units(struct comparing *c, size_t from, size_t to)
{
	bool sorted = true;
	uint32_t n = 0;
	for (size_t i = from + 1; i < to && sorted; i++)
		sorted = by_unit(&c->rows[i - 1], &c->rows[i], (void *)(uintptr_t)c->positions) < 0;
	if (!sorted)
		sort_rows_with(&c->rows[from], to - from, sizeof(*c->rows), by_unit,
					   (void *)(uintptr_t)c->positions);
	for (size_t i = from; i < to; i++)
		if (i == from ||
			c->positions[c->rows[i].index].unit != c->positions[c->rows[i - 1].index].unit)
			c->begins[n++] = (uint32_t)i;
	c->begins[n] = (uint32_t)to;
	return n;
}

static int by_time(const void *a, const void *b)
{
	const struct compared *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* The median of `n` sorted rows without number `without`. */
static int64_t median_of_others(const struct compared *rows, size_t n, size_t without)
{
	if (n < 2)
		return -1;
	size_t low = (n - 2) / 2, high = (n - 1) / 2;
	low += low >= without;
	high += high >= without;
	return rows[low].ns + (rows[high].ns - rows[low].ns) / 2;
}

static void take_others(struct compared *rows, size_t n, bool alike)
{
	__int128 sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += rows[i].ns;
	for (size_t i = 0; i < n; i++) {
		rows[i].others_ns = median_of_others(rows, n, i);
		rows[i].mean_ns = (int64_t)(sum / (__int128)n);
		rows[i].alike = alike && n > 1;
	}
}

static uint64_t sequence_of(const struct unit *units, const struct compared *row)
{
	return row->unit == UNIT_NONE ? 0 : units[row->unit].sequence;
}

static int by_sequence(const void *a, const void *b, void *context)
{
	const struct unit *units = context;
	const struct compared *x = a, *y = b;
	const uint64_t xs = sequence_of(units, x), ys = sequence_of(units, y);
	if (xs != ys)
		return xs < ys ? -1 : 1;
	return by_time(a, b);
}

/* Those of one program are compared with each other; one that is alone in its own, with all. */
static void take_others_alike(struct comparing *c, struct compared *rows, size_t n)
{
	bool alike = true;
	for (size_t i = 1; i < n; i++)
		alike &= sequence_of(c->units, &rows[i]) == sequence_of(c->units, &rows[0]);
	take_others(rows, n, alike);
	if (alike)
		return;
	sort_rows_with(rows, n, sizeof(*rows), by_sequence, (void *)(uintptr_t)c->units);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1;
			 end < n && sequence_of(c->units, &rows[end]) == sequence_of(c->units, &rows[i]); end++)
			;
		if (end - i > 1)
			take_others(&rows[i], end - i, true);
	}
}

/* A place has a row of each unit: few, so they are put in order one by one. */
static void sort_by_time(struct compared *rows, size_t n)
{
	if (n > FEW_UNITS) {
		sort_rows(rows, n, sizeof(*rows), by_time);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		const struct compared row = rows[i];
		size_t at = i;
		for (; at > 0 && by_time(&rows[at - 1], &row) > 0; at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
}

/* The n-th one of each unit. One that is divided is like itself, and of no unit: it makes no
 * difference. */
static size_t compare_place(struct comparing *c, uint32_t units, uint32_t nth)
{
	size_t n = 0, divided = 0;
	for (uint32_t u = 0; u < units; u++) {
		if (c->begins[u] + nth >= c->begins[u + 1])
			continue;
		const uint32_t index = c->rows[c->begins[u] + nth].index;
		const struct position *p = &c->positions[index];
		if (!p->divided)
			c->group[n++] = (struct compared){
				.ns = p->ns, .edge = p->edge, .position = index, .nth = nth, .unit = p->unit};
		else
			c->out[index] =
				(struct compared){p->ns, p->ns, p->ns, p->edge, index, nth, UNIT_NONE, false};
		divided += p->divided;
	}
	sort_by_time(c->group, n);
	take_others_alike(c, c->group, n);
	for (size_t i = 0; i < n; i++)
		c->out[c->group[i].position] = c->group[i];
	return n + divided;
}

static void compare_all(struct comparing *c, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && c->rows[end].key == c->rows[i].key; end++)
			;
		const uint32_t units = find_units(c, i, end);
		size_t found = 1;
		for (uint32_t nth = 0; found; nth++)
			found = compare_place(c, units, nth);
	}
}

int compare_positions(const struct position *positions, size_t n, const struct unit *units,
					  struct compared **out)
{
	struct comparing c = {.positions = positions,
						  .units = units,
						  .rows = malloc((n + 1) * sizeof(*c.rows)),
						  .begins = malloc((n + 2) * sizeof(*c.begins)),
						  .group = malloc((UNIT_NONE + 1) * sizeof(*c.group)),
						  .out = malloc((n + 1) * sizeof(*c.out))};
	*out = c.out;
	int error = c.rows && c.begins && c.group && c.out ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < n; i++)
		c.rows[i] = (struct radix_row){positions[i].key, (uint32_t)i};
	if (!error)
		error = radix_sort(c.rows, n);
	if (!error)
		compare_all(&c, n);
	free(c.rows);
	free(c.begins);
	free(c.group);
	return error;
}

/* ---- over the steps ---- */

static int by_own_time(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x > y ? 1 : -(x < y);
}

static int64_t usual_of(const struct compared *rows, const struct radix_row *like, size_t n,
						int64_t *times_ns)
{
	if (n < USUAL_LEAST)
		return -1;
	for (size_t i = 0; i < n; i++)
		times_ns[i] = rows[like[i].index].ns;
	sort_rows(times_ns, n, sizeof(*times_ns), by_own_time);
	const int64_t low_ns = times_ns[(n - 1) / 2], high_ns = times_ns[n / 2];
	return low_ns + (high_ns - low_ns) / 2;
}

int compare_steps(const struct position *positions, const struct compared *rows, size_t n,
				  int64_t **out)
{
	struct radix_row *like = malloc((n + 1) * sizeof(*like));
	int64_t *times_ns = malloc((n + 1) * sizeof(*times_ns));
	*out = malloc((n + 1) * sizeof(**out));
	int error = like && times_ns && *out ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < n; i++) {
		const uint64_t of_unit = hash_mix(positions[i].place, rows[i].unit);
		like[i] = (struct radix_row){hash_mix(of_unit, rows[i].nth), (uint32_t)i};
	}
	if (!error)
		error = radix_sort(like, n);
	for (size_t i = 0, end; !error && i < n; i = end) {
		for (end = i + 1; end < n && like[end].key == like[i].key; end++)
			;
		const int64_t usual_ns = usual_of(rows, &like[i], end - i, times_ns);
		for (size_t k = i; k < end; k++) /* one that is divided is compared with none */
			(*out)[like[k].index] = rows[like[k].index].unit == UNIT_NONE ? -1 : usual_ns;
	}
	free(like);
	free(times_ns);
	return error;
}

struct unit_rows *compared_by_unit(const struct compared *rows, size_t n, size_t n_units)
{
	struct unit_rows *of = calloc(n_units + 1, sizeof(*of));
	for (size_t i = 0; of && i < n; i++) {
		if (rows[i].unit == UNIT_NONE)
			continue;
		struct unit_rows *unit = &of[rows[i].unit];
		unit->from = unit->to ? unit->from : i;
		unit->to = i + 1;
	}
	return of;
}
