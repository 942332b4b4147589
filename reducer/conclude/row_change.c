#include "conclude/row_change.h"

#include "base/room.h"
#include "base/sort.h"
#include "classify/classes.h"
#include "conclude/by.h"
#include "conclude/kernel_change.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 64, BASE = 0, RUN = 1, SIDES = 2 };

struct sums {            /* of a row on one side */
	double ns, variance; /* means of its runs */
	double least_ns, most_ns;
	double one_ns; /* of the run in hand */
	bool any;
};

struct gathered {
	struct strings keys;
	struct sums (*sums)[SIDES]; /* by the number of the key, less one */
	struct row_change *rows;    /* likewise */
	size_t n, sums_room, rows_room;
};

struct found { /* a row of one run */
	struct row_change row;
	double ns, variance;
};

static int add(struct gathered *all, int side, size_t runs, const struct found *found)
{
	char *key;
	uint32_t id;
	int is_new;
	if (asprintf(&key, "%d %" PRId64 " %s", found->row.backward, found->row.bytes,
				 found->row.name) < 0)
		return -ENOMEM;
	int error = strings_add(&all->keys, key, strlen(key), &id, &is_new);
	free(key);
	if (!error && is_new) {
		error =
			room_for((void **)&all->sums, all->n, &all->sums_room, LEAST_ROOM, sizeof(*all->sums));
		if (!error)
			error = room_for((void **)&all->rows, all->n, &all->rows_room, LEAST_ROOM,
							 sizeof(*all->rows));
		if (error)
			return error;
		memset(all->sums[all->n], 0, sizeof(*all->sums));
		all->rows[all->n++] = found->row;
	}
	if (error)
		return error;
	struct sums *sums = &all->sums[id - 1][side];
	sums->one_ns += found->ns;
	sums->variance += found->variance / ((double)runs * (double)runs);
	sums->any = true;
	return 0;
}

/* ---- the rows of a run ---- */

static double steps_of(const struct summary *s)
{
	double steps = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		steps += s->devices[i].steps > 0 ? (double)s->devices[i].steps : 1;
	return steps > 0 ? steps : 1;
}

/* NCCL's rows are those of their sizes. */
static int add_kernels(struct gathered *all, int side, size_t runs, const struct summary *s)
{
	const double steps = steps_of(s);
	int error = 0;
	for (size_t i = 0; i < s->n_kernels && !error; i++) {
		const struct kernel_summary *k = &s->kernels[i];
		if (k->count == 0 || k->group == GROUP_NCCL)
			continue;
		const double mean = (double)k->total_ns / (double)k->count;
		error = add(all, side, runs,
					&(struct found){{.name = summary_text(s, k->name)},
									(double)k->total_ns / steps,
									kernel_change_squares(&k->dur_ns, mean) / (steps * steps)});
	}
	return error;
}

static int add_lines(struct gathered *all, int side, size_t runs, const struct summary *s)
{
	struct by_table table;
	int error = 0;
	by_open(&table, s, SITE_LINE);
	for (size_t i = 0; table.told && i < table.n && !error; i++) {
		const struct site_summary *site = &table.rows[i];
		if (site->kind == SITE_REST || site->kind == SITE_UNKNOWN)
			continue;
		error = add(
			all, side, runs,
			&(struct found){{.name = summary_text(s, site->what), .backward = site->backward != 0},
							(double)site_gpu_ns(&site->sums) / steps_of(s),
							0});
	}
	return error;
}

static int add_collectives(struct gathered *all, int side, size_t runs, const struct summary *s)
{
	int error = 0;
	for (size_t i = 0; i < s->n_nccl && !error; i++) {
		const struct nccl_summary *n = &s->nccl[i];
		const __int128 ns = (__int128)n->wait_ns + n->transfer_ns + n->unsplit_ns;
		error = add(all, side, runs,
					&(struct found){{.name = summary_text(s, n->op), .bytes = n->bytes},
									(double)ns / steps_of(s),
									0});
	}
	return error;
}

static int add_side(struct gathered *all, int which, const struct side *side,
					enum row_change_kind kind)
{
	static int (*const adders[CHANGE_KINDS])(struct gathered *, int, size_t,
											 const struct summary *) = {
		[CHANGE_KERNELS] = add_kernels,
		[CHANGE_LINES] = add_lines,
		[CHANGE_COLLECTIVES] = add_collectives};
	for (size_t i = 0; i < side->n; i++) {
		const int error = adders[kind](all, which, side->n, side->summaries[i]);
		if (error)
			return error;
		for (size_t k = 0; k < all->n; k++) {
			struct sums *sums = &all->sums[k][which];
			sums->ns += sums->one_ns / (double)side->n;
			sums->least_ns = i == 0 ? sums->one_ns : fmin(sums->least_ns, sums->one_ns);
			sums->most_ns = fmax(sums->most_ns, sums->one_ns);
			sums->one_ns = 0;
		}
	}
	return 0;
}

/* ---- the differences ---- */

/* A row that a run lacks has 0 there. One that came with a later run of its side had 0 before. */
static double spread(const struct sums *sums, const struct side *side)
{
	return side->n > 1 ? sums->most_ns - sums->least_ns : 0;
}

struct noise {
	const struct change_sides *sides;
	double scale;    /* of the base */
	double together; /* what all kernels vary by together; NAN: no noise is known */
};

static double half_of(const struct noise *noise, const struct sums sums[SIDES])
{
	const struct change_sides *s = noise->sides;
	const double scale = noise->scale;
	const double apart = NORMAL_99 * sqrt(scale * scale * sums[BASE].variance + sums[RUN].variance);
	const double half = apart + noise->together * fmax(scale * sums[BASE].ns, sums[RUN].ns);
	const double between =
		fmax(scale * spread(&sums[BASE], s->base_side), spread(&sums[RUN], s->side));
	return isnan(half) ? NAN : fmax(between, half); /* fmax() would drop a NAN */
}

static int by_difference(const void *a, const void *b)
{
	const struct row_change *x = a, *y = b;
	const double p = fabs(row_change_ns(x)), q = fabs(row_change_ns(y));
	if (p != q)
		return p > q ? -1 : 1;
	const int names = strcmp(x->name, y->name);
	if (names)
		return names;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return x->backward - y->backward;
}

/* Of a line and of a size only the sum is known, so that one run alone tells no noise of it. */
static bool has_noise(const struct change_sides *s, enum row_change_kind kind)
{
	return kind == CHANGE_KERNELS || s->base_side->n > 1 || s->side->n > 1;
}

static void fill(struct gathered *all, const struct change_sides *s, bool known)
{
	const int64_t step_ns = s->base->figures->step_ns;
	const double ideal_ns = (double)s->run->ideal_ns;
	const double scale = step_ns > 0 ? ideal_ns / (double)step_ns : 0;
	const struct noise noise = {s, scale, known ? kernel_change_together(s) : NAN};
	for (size_t i = 0; i < all->n; i++) {
		struct row_change *row = &all->rows[i];
		const struct sums *sums = all->sums[i];
		row->in_base = sums[BASE].any;
		row->in_run = sums[RUN].any;
		row->base_ns = scale * sums[BASE].ns;
		row->run_ns = sums[RUN].ns;
		row->half_ns = half_of(&noise, sums);
		const double size = fabs(row_change_ns(row));
		row->changed = size > row->half_ns + CHANGE_ROUNDING_NS &&
					   size >= ideal_ns / CHANGE_MATTERS; /* false where it is NAN */
	}
	sort_rows(all->rows, all->n, sizeof(*all->rows), by_difference);
}

int row_changes_open(struct row_changes *rows, const struct change_sides *sides,
					 const struct change *change, enum row_change_kind kind)
{
	struct gathered all = {0};
	*rows = (struct row_changes){0};
	int error = strings_init(&all.keys);
	if (!error)
		error = add_side(&all, BASE, sides->base_side, kind);
	if (!error)
		error = add_side(&all, RUN, sides->side, kind);
	if (!error)
		fill(&all, sides, change->known && has_noise(sides, kind));
	strings_free(&all.keys);
	free(all.sums);
	*rows = (struct row_changes){all.rows, all.n};
	return error;
}

void row_changes_close(struct row_changes *rows)
{
	free(rows->at);
	*rows = (struct row_changes){0};
}
