#include "attribute/worst_gaps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { MANY_PIECES = 4096 }; /* too many to add up by name: the longest alone */

static bool under(enum leaf leaf, const char *prefix)
{
	size_t n = prefix ? strlen(prefix) : 0;
	return n == 0 ||
		   (strncmp(leaf_name(leaf), prefix, n) == 0 &&
			(leaf_name(leaf)[n] == 0 || leaf_name(leaf)[n] == '.' || prefix[n - 1] == '.'));
}

int64_t gap_proof_weight(const struct gap_proof *proof, const char *leaf)
{
	int64_t sum = 0;
	for (int i = 0; i < LEAF_COUNT; i++)
		sum += under((enum leaf)i, leaf) ? proof->leaf_ns[i] : 0;
	return sum;
}

bool gap_proof_worse(const struct gap_proof *a, const struct gap_proof *b, const char *leaf)
{
	int64_t x = gap_proof_weight(a, leaf), y = gap_proof_weight(b, leaf);
	if (x != y)
		return x > y;
	int devices = strcmp(a->device, b->device);
	return devices ? devices < 0 : a->a_ns < b->a_ns;
}

/* The row that explains most of the gap. */
static void describe_doing(struct gap_proof *proof, const struct pieces *pieces,
						   const struct device_feeds *ds)
{
	for (size_t i = 0; i < pieces->n; i++) {
		const struct piece *piece = &pieces->at[i];
		int64_t ns = 0;
		if (piece->leaf == LEAF_CPU_LAUNCH_LATENCY || piece->leaf >= LEAF_GPU_DISPATCH ||
			!piece->name)
			continue;
		if (pieces->n >= MANY_PIECES)
			ns = piece->to - piece->from;
		for (size_t k = 0; k < pieces->n && pieces->n < MANY_PIECES; k++)
			if (pieces->at[k].name == piece->name && pieces->at[k].feed == piece->feed)
				ns += pieces->at[k].to - pieces->at[k].from;
		if (ns <= proof->doing_ns)
			continue;
		proof->doing_ns = ns;
		snprintf(proof->doing, sizeof(proof->doing), "%s",
				 feed_text(&ds->feeds[piece->feed], piece->name));
	}
}

/* The code that explains most of the host's part of the gap. */
static void describe_line(struct gap_proof *proof, const struct pieces *pieces,
						  const struct owners *owners)
{
	for (size_t i = 0; i < pieces->n; i++) {
		const struct piece *piece = &pieces->at[i];
		int64_t ns = 0;
		if (!(LEAF_BIT(piece->leaf) & (LEAVES_CPU | LEAVES_HOST)) ||
			!owners_have_place(owners, piece->owner))
			continue;
		if (pieces->n >= MANY_PIECES)
			ns = piece->to - piece->from;
		for (size_t k = 0; k < pieces->n && pieces->n < MANY_PIECES; k++)
			if (pieces->at[k].owner == piece->owner &&
				LEAF_BIT(pieces->at[k].leaf) & (LEAVES_CPU | LEAVES_HOST))
				ns += pieces->at[k].to - pieces->at[k].from;
		if (ns <= proof->line_ns)
			continue;
		proof->line_ns = ns;
		proof->line_owner = piece->owner;
	}
}

static bool same_call(const struct piece_payer *a, const struct piece_payer *b)
{
	return a->any && b->any && a->returned == b->returned && a->feed == b->feed &&
		   a->name == b->name && a->owner == b->owner;
}

/* The synchronising call that most of the gap is owed to. */
static void describe_owed(struct gap_proof *proof, const struct pieces *pieces,
						  const struct device_feeds *ds)
{
	for (size_t i = 0; i < pieces->n; i++) {
		const struct piece *piece = &pieces->at[i];
		const struct piece_payer *payer = &piece->payer;
		int64_t ns = 0;
		if (!payer->any)
			continue;
		if (pieces->n >= MANY_PIECES)
			ns = piece->to - piece->from;
		for (size_t k = 0; k < pieces->n && pieces->n < MANY_PIECES; k++)
			if (same_call(&pieces->at[k].payer, payer))
				ns += pieces->at[k].to - pieces->at[k].from;
		if (ns <= proof->owed_ns)
			continue;
		proof->owed_ns = ns;
		proof->owed_returned_ns = payer->returned - proof->a_ns;
		snprintf(proof->owed_to, sizeof(proof->owed_to), "%s",
				 feed_text(&ds->feeds[payer->feed], payer->name));
	}
}

static int32_t step_at(const struct device_scan *scan, int64_t at)
{
	for (int32_t i = 0; i < scan->steps.n_steps; i++)
		if (at < scan->ends[i + 1])
			return i;
	return scan->steps.n_steps ? -1 : 0;
}

static void prove(struct gap_proof *proof, const struct gap *gap, const struct device_feeds *ds,
				  const struct device_scan *scan)
{
	const struct op *k = gap->k;
	const struct feed *feed = &ds->feeds[k->feed];
	const int32_t step = step_at(scan, gap->a);
	proof->step = step < 0 ? step : step + scan->steps.left;
	proof->step_number = step < 0 ? -1 : steps_number(&scan->steps, step);
	proof->since_ns = gap->a - scan->hull_from;
	snprintf(proof->next_op, sizeof(proof->next_op), "%s",
			 k->name ? feed_text(feed, k->name) : "memory copy");
	if (!(k->flags & OP_MATCHED))
		return;
	snprintf(proof->next_call, sizeof(proof->next_call), "%s", feed_text(feed, k->call_name));
	proof->call_begin_ns = k->ls - gap->a;
	proof->call_end_ns = k->le - gap->a;
	proof->tid = feed->trace.threads[k->thread].tid;
	proof->launch_owner = k->owner;
}

int worst_gaps_consider(struct worst_gaps *worst, const struct gap *gap,
						const struct pieces *pieces, const struct owners *owners,
						const struct device_feeds *ds, const struct device_scan *scan)
{
	struct reduction *out = worst->reduction;
	if (worst->room == 0)
		return 0;
	struct gap_proof proof = {.a_ns = gap->a, .b_ns = gap->b};
	snprintf(proof.device, sizeof(proof.device), "%s", worst->device);
	for (size_t i = 0; i < pieces->n; i++)
		proof.leaf_ns[pieces->at[i].leaf] += pieces->at[i].to - pieces->at[i].from;
	bool full = out->n_gaps == worst->room;
	if (gap_proof_weight(&proof, worst->leaf) == 0 ||
		(full && !gap_proof_worse(&proof, &out->gaps[out->n_gaps - 1], worst->leaf)))
		return 0;
	if (!out->gaps) {
		out->gaps = calloc(worst->room, sizeof(*out->gaps));
		if (!out->gaps)
			return -ENOMEM;
	}
	prove(&proof, gap, ds, scan);
	describe_doing(&proof, pieces, ds);
	describe_line(&proof, pieces, owners);
	describe_owed(&proof, pieces, ds);
	size_t at = full ? out->n_gaps - 1 : out->n_gaps++;
	for (; at > 0 && gap_proof_worse(&proof, &out->gaps[at - 1], worst->leaf); at--)
		out->gaps[at] = out->gaps[at - 1];
	out->gaps[at] = proof;
	return 0;
}

/* A long path loses its beginning. */
static int take_line(struct owner_places *places, uint32_t owner, char *out, size_t bytes)
{
	const char *line;
	int error = owner_places_text(places, owner, &line);
	size_t n = error ? 0 : strlen(line);
	if (!error)
		snprintf(out, bytes, "%s", n < bytes ? line : line + (n - bytes + 1));
	return error;
}

int worst_gaps_lines(struct worst_gaps *worst, struct owner_places *places)
{
	struct reduction *out = worst->reduction;
	int error = 0;
	for (size_t i = 0; !error && i < out->n_gaps; i++) {
		struct gap_proof *proof = &out->gaps[i];
		if (strcmp(proof->device, worst->device) != 0)
			continue;
		error = take_line(places, proof->line_owner, proof->line, sizeof(proof->line));
		if (!proof->line[0]) /* a stack or frame that says nothing */
			proof->line_ns = 0;
		if (!error)
			error = take_line(places, proof->launch_owner, proof->launch_line,
							  sizeof(proof->launch_line));
	}
	return error;
}
