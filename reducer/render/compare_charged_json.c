/* Of render/compare_charged.h: culprits and the first line as JSON. */
#include "render/compare_charged.h"
#include "render/json.h"
#include "conclude/slow_link.h"

#include <string.h>

static void known_text(struct json *j, const char *key, const char *text)
{
	if (text[0])
		json_text(j, key, text);
	else
		json_null(j, key);
}

static void link_keys(struct json *j, const struct comparison *c, size_t i,
					  const struct charge_change *change)
{
	const size_t of = change->run ? i : c->result->base;
	const struct charge *charge = charge_change_words(change);
	struct slow_link_ranks ranks = {.most = -1};
	if (charge->link)
		slow_link_ranks_open(&ranks, c->summaries[of], c->runs[of].figures);
	json_known(j, "rank", charge->link ? ranks.most : charge->rank);
	json_array(j, "ranks");
	for (size_t k = 0; k < ranks.n; k++)
		json_number(j, NULL, ranks.ranks[k]);
	json_end_array(j);
	known_text(j, "op", charge->link ? summary_text(c->summaries[of], charge->link->op) : "");
	known_text(j, "comm", charge->link ? summary_text(c->summaries[of], charge->link->comm) : "");
	slow_link_ranks_close(&ranks);
}

static void moves_array(struct json *j, const struct charge_change *change)
{
	json_array(j, "moved");
	for (int from = 0; from < CHARGE_FROM; from++)
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
			if (change->moved_ns[from][leaf] == 0)
				continue;
			json_object(j, NULL);
			json_text(j, "from", leaf_name(charge_from[from]));
			json_text(j, "leaf", leaf_name((enum leaf)leaf));
			json_number(j, "ns", change->moved_ns[from][leaf]);
			json_end_object(j);
		}
	json_end_array(j);
}

static void culprit_object(struct json *j, const struct comparison *c, size_t i,
						   const struct charge_change *change)
{
	const struct charge *charge = charge_change_words(change);
	const struct charge *base = change->base, *run = change->run;
	char host[256] = "";
	if (charge->host.at)
		snprintf(host, sizeof(host), "%.*s", (int)charge->host.chars, charge->host.at);
	json_object(j, NULL);
	json_text(j, "cause", charge->cause);
	json_text(j, "leaf", leaf_name(charge->leaf));
	known_text(j, "device", charge->device);
	known_text(j, "host", host);
	link_keys(j, c, i, change);
	json_number(j, "base_own_ns", base ? charge_own(base) : 0);
	json_number(j, "base_waits_ns", base ? charge_taken(base) : 0);
	json_number(j, "own_ns", run ? charge_own(run) : 0);
	json_number(j, "waits_ns", run ? charge_taken(run) : 0);
	moves_array(j, change);
	json_end_object(j);
}

static void most_object(struct json *j, const struct comparison *c, size_t i)
{
	struct headline most;
	compare_headline(c, i, &most);
	if (!most.leaves) {
		json_null(j, "changed_most");
		return;
	}
	json_object(j, "changed_most");
	json_text(j, "text", compare_subject(c, i, &most).at);
	json_array(j, "leaves");
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (most.leaves & LEAF_BIT(leaf))
			json_text(j, NULL, leaf_name((enum leaf)leaf));
	json_end_array(j);
	json_known(j, "culprit", most.change ? most.change - c->charged[i].at : -1);
	json_number(j, "ns", most.term_ns);
	json_bool(j, "rest_is_noise", most.alone);
	json_end_object(j);
}

static const char *by_name(enum charges_by by)
{
	return by == CHARGES_BY_REPLAY ? "replay" : by == CHARGES_BY_RULES ? "rules" : "";
}

void compare_charged_json(struct json *j, const struct comparison *c, size_t i)
{
	const struct charged *charged = &c->charged[i];
	known_text(j, "base_late_by", by_name(charged->base.by));
	known_text(j, "late_by", by_name(charged->run.by));
	json_array(j, "culprits");
	for (size_t k = 0; k < charged->n; k++)
		culprit_object(j, c, i, &charged->at[k]);
	json_end_array(j);
	most_object(j, c, i);
}
