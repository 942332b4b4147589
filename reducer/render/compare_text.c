#include "render/compare.h"
#include "render/text.h"

#include <stdlib.h>
#include <string.h>

enum { BAR_TERMS = 8, WHY_COLUMNS = 45 /* what a line of the bridge leaves of 100 */ };

static const char *per(const struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->runs[i].figures->has_steps)
			return "run";
	return "step";
}

static bool same_size(const struct comparison *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (c->runs[i].figures->devices != c->runs[0].figures->devices)
			return false;
	return true;
}

static void heading(const struct screen *screen, const struct comparison *c)
{
	const char *name = c->result->scaling == SCALING_STRONG ? "strong" : "weak";
	double difference = 100 * c->result->work_difference;
	if (same_size(c))
		screen_title(
			screen, "%u GPU%s each: a direct comparison (busy matmul + custom differ by %.1f %%)",
			c->runs[0].figures->devices, c->runs[0].figures->devices == 1 ? "" : "s", difference);
	else if (c->result->sure)
		screen_title(screen, "%s scaling (work per GPU as expected within %.1f %%)", name,
					 difference);
	else
		screen_title(screen,
					 "taken as weak scaling, but work per GPU differs by %.1f %%: see --scaling",
					 difference);
	if (strcmp(per(c), "run") == 0)
		screen_line(screen, "A run has no step markers: whole runs are compared");
}

static void table(const struct screen *screen, const struct comparison *c)
{
	screen_line(screen, "%s", "");
	screen_title(screen, "  GPUs  %7s ms  %ss/s  speed-up  efficiency  lost ms per %s  run", per(c),
				 per(c), per(c));
	for (size_t i = 0; i < c->n; i++) {
		const struct scaling_run *run = &c->runs[i];
		struct text_buffer step, loss, name;
		screen_line(screen, "  %4u  %10s  %7.2f  %8.2f  %8.1f %%  %16s  %s", run->figures->devices,
					text_ms(screen, run->figures->step_ns, &step),
					run->figures->step_ns > 0 ? 1e9 / (double)run->figures->step_ns : 0,
					run->speed_up, 100 * run->efficiency,
					i == c->result->base ? "" : text_ms(screen, run->loss_ns, &loss),
					text_cut(c->names[i], 36, &name));
	}
}

struct term {
	enum leaf leaf;
	int64_t ns;
};

static int by_size(const void *a, const void *b)
{
	const struct term *x = a, *y = b;
	int64_t xs = llabs(x->ns), ys = llabs(y->ns);
	if (xs != ys)
		return xs > ys ? -1 : 1;
	return x->leaf < y->leaf ? -1 : x->leaf > y->leaf;
}

/* ns per step and device that stand behind a leaf under this name. */
static int64_t evidence_ns(const struct summary *s, const struct figures *f, enum leaf leaf,
						   const char *what)
{
	int64_t ns = 0, steps = f->steps * f->devices;
	for (size_t i = 0; i < s->n_evidence; i++)
		if (s->evidence[i].leaf == (uint8_t)leaf &&
			strcmp(summary_text(s, s->evidence[i].what), what) == 0)
			ns += s->evidence[i].ns;
	return steps > 0 ? ns / steps : 0;
}

/* The row whose time changed most between the runs: "enumerate(DataLoader) 58.4 -> 1.1". */
static void explain(const struct screen *screen, const struct comparison *c, size_t i,
					enum leaf leaf, char *out, size_t bytes)
{
	const struct scaling_run *base = &c->runs[c->result->base], *run = &c->runs[i];
	const struct summary *sides[2] = {c->summaries[c->result->base], c->summaries[i]};
	const char *best = NULL;
	int64_t before = 0, after = 0;
	struct text_buffer a, b, name;
	for (int side = 0; side < 2; side++) {
		int looked = 0;
		for (size_t e = 0; e < sides[side]->n_evidence && looked < 20; e++) { /* sorted by time */
			const struct evidence *row = &sides[side]->evidence[e];
			if (row->leaf != (uint8_t)leaf)
				continue;
			looked++;
			const char *what = summary_text(sides[side], row->what);
			int64_t x = evidence_ns(sides[0], base->figures, leaf, what);
			int64_t y = evidence_ns(sides[1], run->figures, leaf, what);
			if (best && llabs(y - x) <= llabs(after - before))
				continue;
			best = what;
			before = x;
			after = y;
		}
	}
	out[0] = 0;
	text_ms(screen, before, &a);
	text_ms(screen, after, &b);
	if (best)
		snprintf(out, bytes, "%s %s -> %s",
				 text_cut(best, (size_t)WHY_COLUMNS - 5 - strlen(a.at) - strlen(b.at), &name), a.at,
				 b.at);
	else if (leaf <= LEAF_WORK_MEMORY && base->figures->kernels != run->figures->kernels)
		snprintf(out, bytes, "%lld -> %lld kernels a step", (long long)base->figures->kernels,
				 (long long)run->figures->kernels);
}

static const char *label_of(enum leaf leaf)
{
	switch (leaf) {
	case LEAF_NCCL_WAIT:
		return "NCCL wait";
	case LEAF_NCCL_TRANSFER:
		return "NCCL transfer";
	case LEAF_NCCL_UNSPLIT:
		return "NCCL exposed";
	default:
		return leaf_label(leaf);
	}
}

static const char *with_sign(const struct screen *screen, int64_t ns, struct text_buffer *buffer)
{
	struct text_buffer plain;
	snprintf(buffer->at, sizeof(buffer->at), "%s%.100s", ns > 0 ? "+" : "",
			 text_ms(screen, ns, &plain));
	return buffer->at;
}

static void bridge(const struct screen *screen, const struct comparison *c, size_t i)
{
	const struct scaling_run *base = &c->runs[c->result->base], *run = &c->runs[i];
	struct term terms[LEAF_COUNT];
	struct text_buffer a, b, d, name;
	int64_t others = 0, largest;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		terms[leaf] = (struct term){(enum leaf)leaf, run->terms_ns[leaf]};
	qsort(terms, LEAF_COUNT, sizeof(*terms), by_size);
	largest = llabs(terms[0].ns);
	screen_line(screen, "%s", "");
	if (largest > 0)
		screen_title(screen, "%s is what changed most: %s -> %s ms per %s (%s)",
					 label_of(terms[0].leaf),
					 text_ms(screen, base->figures->time_ns[terms[0].leaf], &a),
					 text_ms(screen, run->figures->time_ns[terms[0].leaf], &b), per(c),
					 with_sign(screen, terms[0].ns, &d));
	screen_title(screen, "Where the %s ms %s by %s went (the terms add up exactly)",
				 text_ms(screen, llabs(run->loss_ns), &a), run->loss_ns < 0 ? "gained" : "lost",
				 text_cut(c->names[i], 40, &name));
	for (int t = 0; t < LEAF_COUNT; t++) {
		char why[160];
		if (t >= BAR_TERMS || llabs(terms[t].ns) * 100 < largest) {
			others += terms[t].ns;
			continue;
		}
		explain(screen, c, i, terms[t].leaf, why, sizeof(why));
		text_bar(largest > 0 ? (double)llabs(terms[t].ns) / (double)largest / 3 : 0, &b);
		screen_line(screen, "  %-18s %10s  %-20s  %s", label_of(terms[t].leaf),
					with_sign(screen, terms[t].ns, &a), b.at, why);
	}
	screen_line(screen, "  %-18s %10s", "other terms", with_sign(screen, others, &a));
	screen_line(screen, "  %-18s %10lld ns", "residual", (long long)run->residual_ns);
}

void compare_text(const struct comparison *c, FILE *out)
{
	struct screen screen;
	screen_open(&screen, out, c->runs[c->result->base].figures->step_ns);
	heading(&screen, c);
	table(&screen, c);
	for (size_t i = 0; i < c->n; i++)
		if (i != c->result->base)
			bridge(&screen, c, i);
}
