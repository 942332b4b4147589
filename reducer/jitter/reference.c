#include "jitter/reference.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 32, RUN = 4, LOOK = 256, SEARCHES = 64 };

struct sequence_candidate {
	struct jitter_position *at;
	uint32_t n;
	uint64_t steps;
};

struct finding {
	struct reference *reference;
	const struct device_scan *scan;
	const struct step_filter *filter;
	struct sequence_candidate candidates[CANDIDATES];
	uint32_t n;
	uint32_t main_slot;
};

bool reference_may_close(const char *name)
{
	return !strstr(name, "SendRecv");
}

/* The step's sequence, in an array of the caller. 0 or -ENOMEM. */
static int list_positions(struct finding *f, const struct device_feeds *feeds,
						  const struct step_ops *ops, struct jitter_position *at)
{
	for (size_t i = 0; i < ops->n; i++) {
		const struct jitter_op *op = &ops->at[i];
		const char *name = feed_text(&feeds->feeds[op->feed], op->name);
		at[i].class = measure_class(op, f->main_slot);
		at[i].comm_size = op->comm_size;
		int error = strings_add(&f->reference->names, name, strlen(name), &at[i].name, NULL);
		if (error)
			return error;
	}
	return 0;
}

static bool same_sequence(const struct sequence_candidate *c, const struct jitter_position *at,
						  size_t n)
{
	if (c->n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (c->at[i].name != at[i].name || c->at[i].class != at[i].class)
			return false;
	return true;
}

static int choose_main(struct finding *f, const struct device_feeds *feeds,
					   const struct step_ops *ops)
{
	if (f->main_slot)
		return 0;
	uint64_t *counts = malloc((feeds->stream.n_slots + 1) * sizeof(*counts));
	if (!counts)
		return -ENOMEM;
	f->main_slot = measure_main_slot(ops, counts, feeds->stream.n_slots);
	free(counts);
	return 0;
}

static int count_step(void *of, const struct device_feeds *feeds, const struct step_ops *ops)
{
	struct finding *f = of;
	if (f->filter && !f->filter->keeps(f->filter->of, f->scan, ops->step))
		return 0;
	struct jitter_position *at = malloc(ops->n * sizeof(*at));
	int error = at ? choose_main(f, feeds, ops) : -ENOMEM;
	if (!error)
		error = list_positions(f, feeds, ops, at);
	for (uint32_t i = 0; !error && i < f->n; i++)
		if (same_sequence(&f->candidates[i], at, ops->n)) {
			f->candidates[i].steps++;
			free(at);
			return 0;
		}
	if (error || f->n == CANDIDATES || ops->n >= NO_POSITION) {
		free(at);
		return error;
	}
	f->candidates[f->n++] = (struct sequence_candidate){at, (uint32_t)ops->n, 1};
	return 0;
}

static void forget_steps(void *of)
{
	struct finding *f = of;
	for (uint32_t i = 0; i < f->n; i++)
		free(f->candidates[i].at);
	f->n = f->main_slot = 0;
}

static int make_lanes(struct reference *r)
{
	for (int c = 0; c < STREAM_CLASSES; c++) {
		r->lane[c] = malloc(((size_t)r->n + 1) * sizeof(*r->lane[c]));
		if (!r->lane[c])
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < r->n; i++)
		r->lane[r->at[i].class][r->n_lane[r->at[i].class]++] = i;
	return 0;
}

int reference_find(struct reference *reference, const struct device_context *context,
				   const struct device_scan *scan, const struct step_filter *filter)
{
	struct finding f = {.reference = reference, .scan = scan, .filter = filter};
	uint64_t late;
	uint32_t best = 0;
	memset(reference, 0, sizeof(*reference));
	int error = strings_init(&reference->names);
	if (!error)
		error = step_ops_read(
			context, scan,
			&(struct step_visit){.of = &f, .step = count_step, .again = forget_steps}, &late);
	for (uint32_t i = 1; i < f.n; i++)
		best = f.candidates[i].steps > f.candidates[best].steps ? i : best;
	for (uint32_t i = 0; i < f.n; i++)
		if (error || i != best)
			free(f.candidates[i].at);
	if (!error && f.n) {
		reference->at = f.candidates[best].at;
		reference->n = f.candidates[best].n;
		error = make_lanes(reference);
	}
	if (error || f.n == 0)
		reference_free(reference);
	return error ? error : f.n == 0;
}

void reference_free(struct reference *r)
{
	strings_free(&r->names);
	free(r->at);
	for (int c = 0; c < STREAM_CLASSES; c++)
		free(r->lane[c]);
	memset(r, 0, sizeof(*r));
}

int name_map_open(struct name_map *map, const struct device_feeds *feeds)
{
	map->n = feeds->n;
	map->of_feed = calloc(feeds->n, sizeof(*map->of_feed));
	if (!map->of_feed)
		return -ENOMEM;
	for (uint32_t i = 0; i < feeds->n; i++) {
		map->of_feed[i] = calloc(feeds->feeds[i].trace.strings.n, sizeof(**map->of_feed));
		if (!map->of_feed[i])
			return -ENOMEM;
	}
	return 0;
}

void name_map_close(struct name_map *map)
{
	for (uint32_t i = 0; map->of_feed && i < map->n; i++)
		free(map->of_feed[i]);
	free(map->of_feed);
	memset(map, 0, sizeof(*map));
}

static uint32_t ask_name(const struct reference *r, const struct device_feeds *feeds,
						 const struct jitter_op *op)
{
	const char *text = feed_text(&feeds->feeds[op->feed], op->name);
	uint32_t id;
	return strings_find(&r->names, text, strlen(text), &id) ? 2 + id : 1;
}

static inline uint32_t map_name(const struct reference *r, struct name_map *map,
								const struct device_feeds *feeds, const struct jitter_op *op)
{
	uint32_t *known = &map->of_feed[op->feed][op->name];
	if (!*known)
		*known = ask_name(r, feeds, op);
	return *known;
}

struct aligning {
	const struct reference *reference;
	struct name_map *map;
	const struct device_feeds *feeds;
	const struct step_ops *ops;
	const uint32_t *own, *common; /* of one class: ops, and positions */
	uint32_t n_own, n_common;
};

static bool is_same(const struct aligning *a, uint32_t i, uint32_t k)
{
	const uint32_t name = a->reference->at[a->common[k]].name;
	return map_name(a->reference, a->map, a->feeds, &a->ops->at[a->own[i]]) == 2 + name;
}

/* Do RUN kernels agree from here on, or all that are left? */
static bool runs(const struct aligning *a, uint32_t i, uint32_t k)
{
	uint32_t n = 0;
	while (n < RUN && i + n < a->n_own && k + n < a->n_common && is_same(a, i + n, k + n))
		n++;
	return n == RUN || (n > 0 && (i + n == a->n_own || k + n == a->n_common));
}

/* The shortest way ahead, the fewest ops left out first, after which kernels agree again. */
static bool skip(const struct aligning *a, uint32_t *i, uint32_t *k)
{
	for (uint32_t both = 1; both <= LOOK; both++)
		for (uint32_t own = 0; own <= both; own++) {
			const uint32_t x = *i + own, y = *k + both - own;
			if (x >= a->n_own || y >= a->n_common || !runs(a, x, y))
				continue;
			*i = x;
			*k = y;
			return true;
		}
	return false;
}

static void align_lane(const struct aligning *a, struct alignment *out)
{
	uint32_t i = 0, k = 0, searches = 0;
	while (i < a->n_own && k < a->n_common) {
		if (!is_same(a, i, k)) {
			if (searches++ == SEARCHES || !skip(a, &i, &k))
				return;
			continue;
		}
		out->position[a->own[i++]] = a->common[k++];
		out->aligned++;
	}
}

static bool align_whole(const struct aligning *a, uint32_t main_slot, struct alignment *out)
{
	const struct reference *r = a->reference;
	if (a->ops->n != r->n)
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct jitter_op *op = &a->ops->at[i];
		if (map_name(r, a->map, a->feeds, op) != 2 + r->at[i].name ||
			measure_class(op, main_slot) != r->at[i].class)
			return false;
	}
	for (uint32_t i = 0; i < r->n; i++)
		out->position[i] = i;
	out->aligned = r->n;
	return true;
}

static int make_room(struct alignment *out, size_t n)
{
	if (n <= out->room)
		return 0;
	alignment_free(out);
	out->position = malloc(n * sizeof(*out->position));
	out->lane_ops = malloc(n * sizeof(*out->lane_ops));
	out->room = n;
	return out->position && out->lane_ops ? 0 : -ENOMEM;
}

int reference_align(const struct align_input *input, const struct step_ops *ops,
					struct alignment *out)
{
	const struct reference *reference = input->reference;
	struct aligning a = {
		.reference = reference, .map = input->map, .feeds = input->feeds, .ops = ops};
	int error = make_room(out, ops->n);
	out->aligned = 0;
	if (error || align_whole(&a, input->main_slot, out))
		return error;
	for (size_t i = 0; i < ops->n; i++)
		out->position[i] = NO_POSITION;
	for (int c = 0; c < STREAM_CLASSES; c++) {
		a.own = out->lane_ops;
		a.n_own = 0;
		a.common = reference->lane[c];
		a.n_common = reference->n_lane[c];
		for (size_t i = 0; i < ops->n; i++)
			if ((int)measure_class(&ops->at[i], input->main_slot) == c)
				out->lane_ops[a.n_own++] = (uint32_t)i;
		align_lane(&a, out);
	}
	return 0;
}

void alignment_free(struct alignment *a)
{
	free(a->position);
	free(a->lane_ops);
	memset(a, 0, sizeof(*a));
}
