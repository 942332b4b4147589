#include "render/compare_charged.h"

#include "conclude/finding_text.h"
#include "conclude/replay_late.h"
#include "conclude/slow_link.h"
#include "conclude/time_tree.h"

#include <stdlib.h>
#include <string.h>

enum { MATTERS = 200 }; /* of the step: what is less is not said */

/* ---- who, and what ---- */

/* The run that a culprit's words come from. */
static const struct summary *summary_of(const struct comparison *c, size_t i,
										const struct charge_change *change)
{
	return c->summaries[change->run ? i : c->result->base];
}

/* "AllReduce of tensor on ranks 4-5, most on rank 5" */
static void say_link(const struct comparison *c, size_t i, const struct charge_change *change,
					 struct text_buffer *out)
{
	const struct summary *s = summary_of(c, i, change);
	const struct nccl_summary *link = charge_change_words(change)->link;
	char text[MISSING_RANKS_BYTES] = "", most[32] = "";
	struct slow_link_ranks ranks;
	snprintf(out->at, sizeof(out->at), "slower %.20s%s%.20s", summary_text(s, link->op),
			 link->comm ? " of " : "", summary_text(s, link->comm));
	const size_t used = strlen(out->at);
	if (slow_link_ranks_open(&ranks, s, c->runs[change->run ? i : c->result->base].figures) == 0 &&
		ranks.n > 0) {
		finding_ranks(ranks.ranks, (uint32_t)ranks.n, text);
		if (ranks.most >= 0 && ranks.n > 1)
			snprintf(most, sizeof(most), ", most on rank %d", ranks.most);
		snprintf(out->at + used, sizeof(out->at) - used, " on rank%s %.40s%s",
				 ranks.n > 1 ? "s" : "", text, most);
	}
	slow_link_ranks_close(&ranks);
}

struct text_buffer compare_whom(const struct comparison *c, size_t i,
								const struct charge_change *change)
{
	const struct charge *charge = charge_change_words(change);
	const struct summary *s = summary_of(c, i, change);
	struct text_buffer words = {"all ranks by turns"};
	if (charge->link) {
		say_link(c, i, change, &words);
		return words;
	}
	if (charge->host.at)
		snprintf(words.at, sizeof(words.at), "host %.*s",
				 (int)(charge->host.chars < 80 ? charge->host.chars : 80), charge->host.at);
	for (size_t k = 0; charge->device[0] && k < s->n_devices; k++)
		if (strcmp(summary_text(s, s->devices[k].key), charge->device) == 0)
			memcpy(words.at, finding_device(s, k).at, sizeof(words.at));
	return words;
}

/* What a culprit of several leaves is called; NULL: by its leaf. */
static const char *cause_label(const struct charge *charge)
{
	if (strcmp(charge->cause, "kernels") == 0 || strcmp(charge->cause, "work") == 0)
		return "kernels";
	return strcmp(charge->cause, "host") == 0 ? "CPU work" : NULL;
}

/* The replay names another kind of time than the leaf that shows it: loaders without a core. */
static const char *other_cause(const struct charge *charge)
{
	const struct finding_kind *kind = replay_kind_named(charge->cause);
	for (int leaf = 0; kind && leaf < LEAF_COUNT; leaf++)
		if (kind->leaves & LEAF_BIT(leaf))
			return kind->leaves & LEAF_BIT(charge->leaf) ? NULL : time_label((enum leaf)leaf);
	return NULL;
}

struct text_buffer compare_subject(const struct comparison *c, size_t i,
								   const struct headline *headline)
{
	const struct charge_change *change = headline->change;
	struct text_buffer words, whom;
	int leaf = 0;
	while (leaf < LEAF_COUNT - 1 && !(headline->leaves & LEAF_BIT(leaf)))
		leaf++;
	const char *label = time_label((enum leaf)leaf);
	if (!change) {
		snprintf(words.at, sizeof(words.at), "%s", label);
		return words;
	}
	const struct charge *charge = charge_change_words(change);
	const char *other = cause_label(charge) ? NULL : other_cause(charge);
	whom = compare_whom(c, i, change);
	const bool nobody = charge->rank < 0 && !charge->host.at && !charge->device[0];
	if (charge->link)
		snprintf(words.at, sizeof(words.at), "%.40s (%.80s)", label, whom.at);
	else
		snprintf(words.at, sizeof(words.at), "%.30s%s%.60s%s%.20s%s",
				 cause_label(charge) ? cause_label(charge) : time_label(charge->leaf),
				 nobody ? "" : " on ", nobody ? "" : whom.at, other ? " (" : "", other ? other : "",
				 other ? ")" : "");
	return words;
}

/* ---- what changed most ---- */

static int64_t own_in(const struct charge *charge, uint64_t leaves)
{
	int64_t sum = 0;
	for (int leaf = 0; charge && leaf < LEAF_COUNT; leaf++)
		sum += leaves & LEAF_BIT(leaf) ? charge->own_ns[leaf] : 0;
	return sum;
}

/* What of some leaves' terms is a culprit's: its own time, and the waits. */
static int64_t part_of(const struct change_sides *s, const struct charge_change *change,
					   uint64_t leaves)
{
	int64_t sum = own_in(change->run, leaves) - change_scaled(s, own_in(change->base, leaves));
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += leaves & LEAF_BIT(leaf) ? charge_change_into(change, leaf) : 0;
	return sum;
}

static bool has_sign(int64_t ns, int64_t of)
{
	return (ns > 0) == (of > 0);
}

/* The terms that are more than noise; of a step that changed, those with the sign of the change. */
static uint64_t changed_leaves(const struct change *change, const struct charged *charged,
							   int64_t loss_ns)
{
	uint64_t leaves = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (charged->terms_ns[leaf] != 0 && (!change->known || charged->ranges[leaf].changed) &&
			(!change->known || !change->loss.changed || has_sign(charged->terms_ns[leaf], loss_ns)))
			leaves |= LEAF_BIT(leaf);
	return leaves;
}

static int64_t sum_of(const int64_t ns[LEAF_COUNT], uint64_t leaves)
{
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += leaves & LEAF_BIT(leaf) ? ns[leaf] : 0;
	return sum;
}

/* The leaf with the largest term, and the leaves of a culprit who has several where these are more
 * together; then who has half of it. */
static uint64_t largest_of(const struct charged *charged, const struct change_sides *s,
						   uint64_t changed)
{
	uint64_t most = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (changed & LEAF_BIT(leaf) &&
			(!most || llabs(charged->terms_ns[leaf]) > llabs(sum_of(charged->terms_ns, most))))
			most = LEAF_BIT(leaf);
	for (size_t k = 0; most && k < charged->n; k++) {
		const uint64_t leaves = charge_change_leaves(&charged->at[k]);
		const int64_t ns = sum_of(charged->terms_ns, leaves & changed);
		const int64_t part_ns = part_of(s, &charged->at[k], leaves);
		if (cause_label(charge_change_words(&charged->at[k])) && has_sign(ns, part_ns) &&
			llabs(part_ns) >= llabs(ns) / 2 &&
			(leaves & most || llabs(ns) > llabs(sum_of(charged->terms_ns, most))))
			most = leaves;
	}
	return most;
}

void compare_headline(const struct comparison *c, size_t i, struct headline *h)
{
	const struct charged *charged = &c->charged[i];
	const struct change *change = &c->changes[i];
	const uint64_t changed = changed_leaves(change, charged, c->runs[i].loss_ns);
	int64_t most_ns = 0;
	*h = (struct headline){.leaves = largest_of(charged, &c->sides[i], changed)};
	h->term_ns = sum_of(charged->terms_ns, h->leaves);
	h->before_ns = change_scaled(&c->sides[i], sum_of(charged->before_ns, h->leaves));
	h->after_ns = sum_of(charged->after_ns, h->leaves);
	h->alone = change->known;
	h->rest_ns = c->runs[i].loss_ns - h->term_ns;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		h->alone &= h->leaves & LEAF_BIT(leaf) || !charged->ranges[leaf].changed;
	for (size_t k = 0; h->leaves && k < charged->n; k++) {
		const int64_t part_ns = part_of(&c->sides[i], &charged->at[k], h->leaves);
		if (!has_sign(part_ns, h->term_ns) || llabs(part_ns) < llabs(h->term_ns) / 2 ||
			llabs(part_ns) <= most_ns)
			continue;
		most_ns = llabs(part_ns);
		h->change = &charged->at[k];
	}
}

const char *compare_rest(const struct comparison *c, size_t i, const struct headline *h)
{
	if (h->alone)
		return "; the rest is within noise";
	if (c->changes[i].known && llabs(h->rest_ns) < c->runs[i].ideal_ns / MATTERS)
		return "; the other terms add up to less than 0.5 %";
	return "";
}

/* ---- below a term ---- */

void compare_waits(const struct screen *screen, const struct comparison *c, size_t i, int leaf)
{
	const struct charged *charged = &c->charged[i];
	for (size_t k = 0; k < charged->n; k++) {
		const int64_t ns = charge_change_into(&charged->at[k], leaf);
		const char *label = cause_label(charge_change_words(&charged->at[k]));
		struct text_buffer plain, whom;
		if (llabs(ns) < c->runs[i].ideal_ns / MATTERS || ns == 0)
			continue;
		whom = compare_whom(c, i, &charged->at[k]);
		screen_wrap(screen, 6, "    of it %s%s waiting for %s%s%s", ns > 0 ? "+" : "",
					text_ms(screen, ns, &plain), whom.at, label ? ": " : "", label ? label : "");
	}
}
