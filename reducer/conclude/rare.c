#include "conclude/rare.h"

enum {
	OCTAVES = 63,
	MOST = 2,    /* at most a third of the steps have at least half of the time ... */
	STRONGER = 8 /* ... and on average so many times what the others have */
};

static void take_worst(const struct spread *row, int64_t *worst_ns, int64_t *worst_step)
{
	bool longer = row->worst_ns > *worst_ns;
	if (longer || (row->worst_ns == *worst_ns && row->worst_step < *worst_step))
		*worst_step = row->worst_step;
	*worst_ns = longer ? row->worst_ns : *worst_ns;
}

size_t spreads_of(const struct summary *summary, uint32_t device, size_t *from)
{
	size_t to;
	*from = 0;
	while (*from < summary->n_spreads && summary->spreads[*from].device != device)
		++*from;
	for (to = *from; to < summary->n_spreads && summary->spreads[to].device == device; to++)
		;
	return to;
}

void spread_add(struct spread *sum, const struct spread *row)
{
	sum->steps += row->steps;
	sum->ns += row->ns;
	take_worst(row, &sum->worst_ns, &sum->worst_step);
}

static bool asked(const struct spread *row, uint64_t leaves, uint32_t device)
{
	return leaves & LEAF_BIT(row->leaf) && (!device || row->device == device);
}

static enum leaf leading_leaf(const struct summary *s, uint64_t leaves, uint32_t device)
{
	__int128 sums[LEAF_COUNT] = {0};
	enum leaf most = 0;
	for (size_t i = 0; i < s->n_spreads; i++)
		if (asked(&s->spreads[i], leaves, device))
			sums[s->spreads[i].leaf] += s->spreads[i].ns;
	for (int leaf = 1; leaf < LEAF_COUNT; leaf++)
		most = sums[leaf] > sums[most] ? (enum leaf)leaf : most;
	return most;
}

/* All steps, and all time of the loss: of its other leaves too. */
static struct rare_part everything(const struct summary *s, uint64_t leaves, uint32_t device)
{
	struct rare_part all = {0};
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct device_summary *d = &s->devices[i];
		if (device && d->key != device)
			continue;
		all.steps += d->steps;
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			all.ns += leaves & LEAF_BIT(leaf) ? d->time_ns[leaf] : 0;
	}
	return all;
}

bool rare_is(const struct rare_part *part, const struct rare_part *all)
{
	__int128 other_steps = all->steps - part->steps, other_ns = all->ns - part->ns;
	return part->steps > 0 && RARE_FEW * part->steps <= all->steps && MOST * part->ns >= all->ns &&
		   part->ns / part->steps >= STRONGER * (other_ns / other_steps);
}

struct steps_parts { /* of some devices, by octave */
	struct rare_part octaves[OCTAVES], all;
};

/* Of the steps of one device (a key) or, with 0, of all. */
static void count_steps(const struct summary *s, uint64_t leaves, enum leaf leaf, uint32_t device,
						struct steps_parts *out)
{
	*out = (struct steps_parts){.all = everything(s, leaves, device)};
	for (size_t i = 0; i < s->n_spreads; i++) {
		const struct spread *row = &s->spreads[i];
		if (!asked(row, LEAF_BIT(leaf), device))
			continue;
		out->octaves[row->octave].steps += row->steps;
		out->octaves[row->octave].ns += row->ns;
	}
}

/* The lowest octave so that the steps from there on are rare in both; OCTAVES: none. */
static int rare_from(const struct steps_parts *a, const struct steps_parts *b)
{
	struct rare_part x = {0}, y = {0};
	int from = OCTAVES;
	for (int octave = OCTAVES - 1; octave >= 0; octave--) {
		x.steps += a->octaves[octave].steps;
		x.ns += a->octaves[octave].ns;
		y.steps += b->octaves[octave].steps;
		y.ns += b->octaves[octave].ns;
		if (rare_is(&x, &a->all) && rare_is(&y, &b->all))
			from = octave;
	}
	return from;
}

/* The key of the device with the worst step. */
static uint32_t worst_device(const struct summary *s, enum leaf leaf, uint32_t device)
{
	const struct spread *worst = NULL;
	for (size_t i = 0; i < s->n_spreads; i++) {
		const struct spread *row = &s->spreads[i];
		if (asked(row, LEAF_BIT(leaf), device) && (!worst || row->worst_ns > worst->worst_ns))
			worst = row;
	}
	return worst ? worst->device : 0;
}

static bool find_device(const struct summary *s, uint32_t key, size_t *at)
{
	for (*at = 0; *at < s->n_devices; ++*at)
		if (s->devices[*at].key == key)
			return true;
	return false;
}

/* How many devices have steps from an octave on. */
static uint32_t count_devices(const struct summary *s, enum leaf leaf, int from, uint32_t device)
{
	uint32_t n = 0, last = 0;
	for (size_t i = 0; i < s->n_spreads; i++) {
		const struct spread *row = &s->spreads[i];
		if ((int)row->octave < from || !asked(row, LEAF_BIT(leaf), device))
			continue;
		n += row->device != last; /* rows of a device stand together */
		last = row->device;
	}
	return n;
}

void rare_find(const struct summary *s, uint64_t leaves, uint32_t device, struct rare *out)
{
	struct steps_parts all, own;
	const enum leaf leaf = leading_leaf(s, leaves, device);
	const uint32_t worst = leaves & LEAF_BIT(leaf) ? worst_device(s, leaf, device) : 0;
	size_t at;
	*out = (struct rare){0};
	if (!worst || !find_device(s, worst, &at))
		return;
	count_steps(s, leaves, leaf, device, &all);
	count_steps(s, leaves, leaf, worst, &own);
	const int from = rare_from(&all, &own);
	for (size_t i = 0; i < s->n_spreads && from < OCTAVES; i++) {
		const struct spread *row = &s->spreads[i];
		if ((int)row->octave < from || !asked(row, LEAF_BIT(leaf), worst))
			continue;
		out->in += row->steps;
		out->ns += row->ns;
		take_worst(row, &out->worst_ns, &out->worst_step);
	}
	if (out->in == 0)
		return;
	out->of = s->devices[at].steps;
	out->device = at;
	out->devices = count_devices(s, leaf, from, device);
}
