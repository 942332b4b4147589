#include "conclude/charged.h"

#include "base/sort.h"
#include "conclude/slow_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FROM_WAIT, FROM_TRANSFER }; /* of charge_from */

int64_t charge_change_into(const struct charge_change *change, int leaf)
{
	int64_t sum = 0;
	for (int from = 0; from < CHARGE_FROM; from++)
		sum += change->moved_ns[from][leaf];
	return sum;
}

uint64_t charge_change_leaves(const struct charge_change *change)
{
	uint64_t leaves = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if ((change->base && change->base->own_ns[leaf]) ||
			(change->run && change->run->own_ns[leaf]))
			leaves |= LEAF_BIT(leaf);
	return leaves;
}

/* ---- who is the same in both runs ---- */

/* A cause may have another name in another run: the leaf of its time is what both have. */
static bool is_same(const struct charge *x, const struct charge *y)
{
	if (x->leaf != y->leaf || !x->link != !y->link || (x->host.at != NULL) != (y->host.at != NULL))
		return false;
	if (x->host.at)
		return device_host_same(x->host, y->host);
	if (x->rank >= 0 || y->rank >= 0)
		return x->rank == y->rank;
	return strcmp(x->device, y->device) == 0;
}

static int match(struct charged *c)
{
	c->at = calloc(c->base.n + c->run.n + 1, sizeof(*c->at));
	if (!c->at)
		return -ENOMEM;
	for (size_t i = 0; i < c->run.n; i++)
		c->at[c->n++].run = &c->run.at[i];
	for (size_t i = 0; i < c->base.n; i++) {
		size_t k = 0;
		while (k < c->run.n && (c->at[k].base || !is_same(c->at[k].run, &c->base.at[i])))
			k++;
		if (k == c->run.n)
			k = c->n++;
		c->at[k].base = &c->base.at[i];
	}
	return 0;
}

/* ---- what moves ---- */

static void add_into(const struct charge *charge, int from, int64_t into_ns[LEAF_COUNT])
{
	if (charge)
		charge_into(charge, from, into_ns);
	else
		memset(into_ns, 0, LEAF_COUNT * sizeof(*into_ns));
}

static void move(struct charged *c, const struct change_sides *s)
{
	for (size_t i = 0; i < c->n; i++)
		for (int from = 0; from < CHARGE_FROM; from++) {
			int64_t base_ns[LEAF_COUNT], run_ns[LEAF_COUNT];
			add_into(c->at[i].base, from, base_ns);
			add_into(c->at[i].run, from, run_ns);
			for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
				c->at[i].moved_ns[from][leaf] = run_ns[leaf] - change_scaled(s, base_ns[leaf]);
		}
}

/* The sum of the moves from a leaf that have the sign of `sign`. */
static int64_t sum_moves(const struct charged *c, int from, int sign)
{
	int64_t sum = 0;
	for (size_t i = 0; i < c->n; i++)
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
			const int64_t ns = c->at[i].moved_ns[from][leaf];
			sum += (sign > 0) == (ns > 0) ? ns : 0;
		}
	return sum;
}

/* Moves out of a leaf may take its term to 0, and no further: a culprit that the replay finds in
 * one of two runs alone explains a change, and makes none. */
static void bound(struct charged *c, int from, int64_t term_ns)
{
	const int64_t up = sum_moves(c, from, 1), down = sum_moves(c, from, -1);
	const int64_t most = term_ns > 0 ? term_ns : 0, least = term_ns < 0 ? term_ns : 0;
	const int64_t over = up + down > most ? up + down - most : 0;
	const int64_t under = up + down < least ? least - up - down : 0;
	for (size_t i = 0; i < c->n; i++)
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
			int64_t *ns = &c->at[i].moved_ns[from][leaf];
			if (*ns > 0 && over > 0)
				*ns = (int64_t)((__int128)*ns * (up - over) / up);
			else if (*ns < 0 && under > 0)
				*ns = (int64_t)((__int128)*ns * (-down - under) / -down);
		}
}

static void sum_up(struct charged *c, const struct change_sides *s)
{
	memcpy(c->terms_ns, s->run->terms_ns, sizeof(c->terms_ns));
	for (size_t i = 0; i < c->n; i++)
		for (int from = 0; from < CHARGE_FROM; from++)
			for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
				c->terms_ns[leaf] += c->at[i].moved_ns[from][leaf];
				c->terms_ns[charge_from[from]] -= c->at[i].moved_ns[from][leaf];
			}
}

/* ---- where that may be if other steps had been recorded ---- */

struct end { /* one of the two sides: of several runs the middle one */
	const struct change_sides *both;
	const struct summary *summary;
	const struct figures *f;
	bool is_base;
};

/* A move of a run is as much smaller as the difference is that counts. */
static int64_t counted(const struct charge_change *change, const struct end *side, int from,
					   int leaf)
{
	int64_t base_ns[LEAF_COUNT], run_ns[LEAF_COUNT];
	add_into(change->base, from, base_ns);
	add_into(change->run, from, run_ns);
	const int64_t own_ns = side->is_base ? base_ns[leaf] : run_ns[leaf];
	const int64_t all_ns = run_ns[leaf] - change_scaled(side->both, base_ns[leaf]);
	if (all_ns == 0)
		return own_ns;
	return (int64_t)((__int128)own_ns * change->moved_ns[from][leaf] / all_ns);
}

/* What a move comes from, step by step: what its rank or host caused; of transfers, and where that
 * is not known, the leaf itself. */
static int open_source(const struct charge *charge, const struct end *side, int from,
					   struct by_step *steps)
{
	const char *who = charge->host.at ? charge->host.at : charge->device;
	const size_t chars = charge->host.at ? charge->host.chars : strlen(charge->device);
	if (charge_from[from] == LEAF_NCCL_WAIT && chars > 0) {
		int error = by_step_open_caused(steps, side->summary, who, chars);
		if (error || by_step_sum(steps) > 0)
			return error;
		by_step_close(steps);
	}
	return by_step_open(steps, side->summary, LEAF_BIT(charge_from[from]), 0);
}

/* Adds to a leaf what one charge moves into it, or takes from it. */
static int mix(const struct charge_change *change, const struct end *side, int leaf,
			   struct by_step *into)
{
	const struct charge *charge = side->is_base ? change->base : change->run;
	int error = 0;
	for (int from = 0; charge && !error && from < CHARGE_FROM; from++) {
		int64_t moved_ns = counted(change, side, from, leaf);
		for (int to = 0; leaf == (int)charge_from[from] && to < LEAF_COUNT; to++)
			moved_ns -= counted(change, side, from, to);
		if (moved_ns == 0)
			continue;
		struct by_step source;
		error = open_source(charge, side, from, &source);
		error = error ? error : by_step_mix(into, &source, (__int128)moved_ns * side->f->devices);
		by_step_close(&source);
	}
	return error;
}

static int open_side(const struct charged *c, const struct end *side, int leaf,
					 struct by_step *steps)
{
	int error = by_step_open(steps, side->summary, LEAF_BIT(leaf), 0);
	for (size_t i = 0; !error && i < c->n; i++)
		error = mix(&c->at[i], side, leaf, steps);
	return error;
}

static struct end end_of(const struct change_sides *s, bool is_base)
{
	const struct scaling_run *run = is_base ? s->base : s->run;
	return (struct end){s, side_middle(is_base ? s->base_side : s->side), run->figures, is_base};
}

/* What a move adds to the leaves' parts in a charged term, as a part of the time that it takes from. */
static void add_part(const struct end *side, enum leaf from, int64_t moved_ns,
					 double parts[LEAF_COUNT])
{
	if (side->f->time_ns[from] > 0)
		parts[from] += (double)moved_ns / (double)side->f->time_ns[from];
}

/* The leaves whose time a charged term has in it: its own, less what goes, and what comes. */
static void find_parts(const struct charged *c, const struct end *side, int leaf,
					   double parts[LEAF_COUNT])
{
	memset(parts, 0, LEAF_COUNT * sizeof(*parts));
	parts[leaf] = 1;
	for (size_t i = 0; i < c->n; i++)
		for (int from = 0; from < CHARGE_FROM; from++) {
			add_part(side, charge_from[from], counted(&c->at[i], side, from, leaf), parts);
			for (int to = 0; leaf == (int)charge_from[from] && to < LEAF_COUNT; to++)
				add_part(side, charge_from[from], -counted(&c->at[i], side, from, to), parts);
		}
}

/* Does anything move into a leaf, or out of it? */
static bool is_moved(const struct charged *c, int leaf)
{
	bool moved = false;
	for (size_t i = 0; i < c->n; i++)
		for (int from = 0; from < CHARGE_FROM; from++)
			for (int to = 0; to < LEAF_COUNT; to++)
				moved |= (to == leaf || (int)charge_from[from] == leaf) &&
						 c->at[i].moved_ns[from][to] != 0;
	return moved;
}

/* A charge moves its rank's waits of all steps alike, also of those that it has in both runs: so
 * the term or one that it takes from has to be more than noise as it was measured. */
static bool has_measured(const struct charged *c, const struct change *change, int leaf)
{
	bool measured = change_lacks_zero(&change->terms[leaf]);
	for (int from = 0; from < CHARGE_FROM; from++)
		for (size_t i = 0; i < c->n; i++)
			measured |= c->at[i].moved_ns[from][leaf] != 0 &&
						change_lacks_zero(&change->terms[charge_from[from]]);
	return measured;
}

static int find_ranges(struct charged *c, const struct change_sides *s, const struct change *change)
{
	const struct end run = end_of(s, false), base = end_of(s, true);
	int error = 0;
	memcpy(c->ranges, change->terms, sizeof(c->ranges));
	for (int leaf = 0; change->known && !error && leaf < LEAF_COUNT; leaf++) {
		struct change_steps steps = {.difference_ns = c->terms_ns[leaf]};
		if (!is_moved(c, leaf))
			continue;
		find_parts(c, &run, leaf, steps.run_parts);
		find_parts(c, &base, leaf, steps.base_parts);
		error = open_side(c, &run, leaf, &steps.run);
		error = error ? error : open_side(c, &base, leaf, &steps.base);
		error = error ? error : change_range(s, &steps, &c->ranges[leaf]);
		c->ranges[leaf].changed &= has_measured(c, change, leaf);
		by_step_close(&steps.run);
		by_step_close(&steps.base);
	}
	return error;
}

static void charge_leaves(const struct charged *c, const struct end *side,
						  int64_t time_ns[LEAF_COUNT])
{
	memcpy(time_ns, side->f->time_ns, LEAF_COUNT * sizeof(*time_ns));
	for (size_t i = 0; i < c->n; i++)
		for (int from = 0; from < CHARGE_FROM; from++)
			for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
				const int64_t ns = counted(&c->at[i], side, from, leaf);
				time_ns[leaf] += ns;
				time_ns[charge_from[from]] -= ns;
			}
}

static int64_t size_of(const struct charge_change *change, const struct change_sides *s)
{
	const int64_t run_ns = change->run ? charge_own(change->run) + charge_taken(change->run) : 0;
	const int64_t base_ns =
		change->base ? charge_own(change->base) + charge_taken(change->base) : 0;
	return llabs(run_ns - change_scaled(s, base_ns));
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = ((const struct charge_change *)a)->size_ns;
	const int64_t y = ((const struct charge_change *)b)->size_ns;
	return x > y ? -1 : x < y;
}

static void sort(struct charged *c, const struct change_sides *s)
{
	for (size_t i = 0; i < c->n; i++)
		c->at[i].size_ns = size_of(&c->at[i], s);
	sort_rows(c->at, c->n, sizeof(*c->at), by_size);
}

/* Each run may be the one with slower transfers. */
static int add_links(struct charged *c, const struct change_sides *s)
{
	const struct summary *of_run = side_middle(s->side), *of_base = side_middle(s->base_side);
	const struct slow_link_sides run = {of_run, of_base, s->run->figures, s->base->figures};
	const struct slow_link_sides base = {of_base, of_run, s->base->figures, s->run->figures};
	int error = slow_link_charge(&run, &c->run);
	return error ? error : slow_link_charge(&base, &c->base);
}

static int64_t sum_taken(const struct charges *charges, int from)
{
	int64_t sum = 0;
	for (size_t i = 0; i < charges->n; i++)
		sum += charges->at[i].taken_ns[from];
	return sum;
}

static bool has_link(const struct charges *charges)
{
	bool link = false;
	for (size_t i = 0; i < charges->n; i++)
		link |= charges->at[i].link != NULL;
	return link;
}

/* Gives transfers to those who are waited for, in proportion. */
static void share_transfers(struct charges *charges, int64_t ns)
{
	const int64_t waits_ns = sum_taken(charges, FROM_WAIT);
	for (size_t i = 0; waits_ns > 0 && i < charges->n; i++) {
		struct charge *charge = &charges->at[i];
		charge->taken_ns[FROM_TRANSFER] +=
			(int64_t)((__int128)ns * charge->taken_ns[FROM_WAIT] / waits_ns);
	}
}

/* Transfers that take as long as before and are hidden less: who waits has no work left to hide them
 * under. But on ranks that wait, the gaps between kernels lie under NCCL too: what dispatch lost by
 * that is no loss. */
static void add_exposed(struct charged *c, const struct change_sides *s)
{
	const int64_t *terms = s->run->terms_ns;
	const int64_t gaps_ns = terms[LEAF_GPU_DISPATCH];
	const int64_t waits_ns =
		sum_taken(&c->run, FROM_WAIT) - change_scaled(s, sum_taken(&c->base, FROM_WAIT));
	const int64_t moved_ns =
		sum_taken(&c->run, FROM_TRANSFER) - change_scaled(s, sum_taken(&c->base, FROM_TRANSFER));
	int64_t left_ns = terms[LEAF_NCCL_TRANSFER] - moved_ns;
	if (has_link(&c->run) || has_link(&c->base) ||
		s->run->figures->devices != s->base->figures->devices || (waits_ns > 0) != (left_ns > 0))
		return;
	left_ns = left_ns > 0 ? left_ns + (gaps_ns < 0 ? gaps_ns : 0)
						  : -left_ns - (gaps_ns > 0 ? gaps_ns : 0);
	left_ns = left_ns < llabs(waits_ns) ? left_ns : llabs(waits_ns);
	if (left_ns > 0)
		share_transfers(waits_ns > 0 ? &c->run : &c->base, left_ns);
}

int charged_open(struct charged *charged, const struct change_sides *s, const struct change *change)
{
	*charged = (struct charged){0};
	const struct side *of_base = s->base_side, *of_run = s->side;
	int error = charges_open(&charged->base, side_middle(of_base), &of_base->each[of_base->middle]);
	if (!error)
		error = charges_open(&charged->run, side_middle(of_run), &of_run->each[of_run->middle]);
	error = error ? error : add_links(charged, s);
	if (!error) {
		add_exposed(charged, s);
		error = match(charged);
	}
	if (error)
		return error;
	sort(charged, s);
	move(charged, s);
	for (int from = 0; from < CHARGE_FROM; from++)
		bound(charged, from, s->run->terms_ns[charge_from[from]]);
	sum_up(charged, s);
	const struct end base = end_of(s, true), run = end_of(s, false);
	charge_leaves(charged, &base, charged->before_ns);
	charge_leaves(charged, &run, charged->after_ns);
	return find_ranges(charged, s, change);
}

void charged_close(struct charged *charged)
{
	charges_close(&charged->base);
	charges_close(&charged->run);
	free(charged->at);
	*charged = (struct charged){0};
}
