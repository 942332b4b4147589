#include "jitter/print.h"

#include "jitter/words.h"
#include "render/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { PROBABILITY_DIGITS = 20 };

static void put_ns(struct json *json, const char *key, double ns)
{
	if (isnan(ns))
		json_null(json, key);
	else
		json_number(json, key, llround(ns));
}

static void put_parts(struct json *json, const double part_ns[JITTER_CAUSES])
{
	json_object(json, "by_cause_ns");
	for (int c = 0; c < JITTER_CAUSES; c++)
		put_ns(json, jitter_cause_name((enum jitter_cause)c), part_ns[c]);
	json_end_object(json);
}

static void put_name(struct json *json, const char *key, const struct jitter_study *s,
					 uint32_t name)
{
	json_text(json, key, strings_get(&s->reference.names, name).at);
}

static void put_odd(struct json *json, const struct jitter_printed *p, const struct odd_rank *odd)
{
	const struct jitter_study *s = p->study;
	const struct jitter_rank *rank = &s->ranks[odd->rank];
	struct jitter_words text;
	struct screen screen = {.decimals = 2};
	json_object(json, NULL);
	json_known(json, "rank", rank->rank);
	json_text(json, "device", rank->key);
	json_text(json, "host", rank->host);
	json_text(json, "kind", odd->early ? "early" : odd->some_steps ? "late_in_some" : "late");
	put_ns(json, "behind_ns", odd->behind_ns);
	json_number(json, "steps",
				odd->some_steps ? p->verdict->ranks[odd->rank].last : s->ranks[odd->rank].steps);
	put_parts(json, odd->part_ns);
	json_text(json, "cause", jitter_cause_name(odd->cause));
	json_text(json, "place", jitter_place_name(odd->place));
	if (odd->place == PLACE_KERNEL)
		put_name(json, "kernel", s, odd->name);
	else
		json_null(json, "kernel");
	json_known(json, "position", odd->place == PLACE_KERNEL ? (int64_t)odd->position : -1);
	json_ratio(json, "slower", odd->cause == JITTER_DURATION ? odd->slower : NAN);
	json_decimal(json, "significance", odd->significance, PROBABILITY_DIGITS);
	jitter_odd_words(p, &screen, odd, &text);
	json_text(json, "text", text.at);
	json_end_object(json);
}

static void put_ranks(struct json *json, const struct jitter_printed *p)
{
	json_array(json, "ranks");
	for (uint32_t r = 0; r < p->study->n_ranks; r++) {
		const struct jitter_rank *rank = &p->study->ranks[r];
		const struct rank_row *row = &p->verdict->ranks[r];
		json_object(json, NULL);
		json_known(json, "rank", rank->rank);
		json_text(json, "device", rank->key);
		json_text(json, "host", rank->host);
		json_number(json, "steps", rank->steps);
		json_number(json, "steps_left_out", rank->left_out);
		json_number(json, "steps_that_differ", rank->differ);
		json_number(json, "kernels_extra", (int64_t)rank->extra);
		json_number(json, "kernels_missing", (int64_t)rank->missing);
		json_number(json, "kernels_too_late", (int64_t)rank->late);
		json_number(json, "last", row->last);
		put_ns(json, "behind_ns", row->behind_ns);
		put_parts(json, row->part_ns);
		json_ratio(json, "places", row->places);
		json_decimal(json, "p_late", row->p_late, PROBABILITY_DIGITS);
		json_decimal(json, "p_early", row->p_early, PROBABILITY_DIGITS);
		json_decimal(json, "p_last", row->p_last, PROBABILITY_DIGITS);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_series(struct json *json, const struct jitter_printed *p)
{
	json_array(json, "series");
	for (uint32_t k = 0; k < p->study->axis.n; k++) {
		const struct step_row *row = &p->verdict->steps[k];
		if (row->ranks == 0)
			continue;
		json_object(json, NULL);
		json_number(json, "step", row->number);
		json_number(json, "ranks", row->ranks);
		json_known(json, "min_rank", p->study->ranks[row->least].rank);
		json_text(json, "min_device", p->study->ranks[row->least].key);
		json_number(json, "min_ns", row->least_ns);
		json_known(json, "max_rank", p->study->ranks[row->most].rank);
		json_text(json, "max_device", p->study->ranks[row->most].key);
		json_number(json, "max_ns", row->most_ns);
		put_ns(json, "mean_ns", row->mean_ns);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_kernels(struct json *json, const struct jitter_printed *p)
{
	json_array(json, "kernels");
	for (size_t i = 0; i < p->verdict->n_kernels; i++) {
		const struct kernel_row *row = &p->verdict->kernels[i];
		json_object(json, NULL);
		put_name(json, "kernel", p->study, row->name);
		json_number(json, "first_position", row->first);
		json_number(json, "positions", row->positions);
		put_ns(json, "duration_ns", row->duration_ns);
		put_ns(json, "duration_sd_ns", row->duration_sd_ns);
		put_ns(json, "gap_sd_ns", row->gap_sd_ns);
		put_ns(json, "steps_sd_ns", row->steps_sd_ns);
		json_known(json, "longest_rank", p->study->ranks[row->most].rank);
		json_text(json, "longest_device", p->study->ranks[row->most].key);
		put_ns(json, "longest_by_ns", row->most_ns);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_varying(struct json *json, const struct jitter_study *s,
						const struct vary_row *rows)
{
	json_array(json, "varying");
	for (uint32_t i = 0; i < s->reference.n; i++) {
		json_object(json, NULL);
		json_number(json, "position", rows[i].position);
		put_name(json, "kernel", s, s->reference.at[rows[i].position].name);
		json_text(json, "stream", jitter_class_name(s->reference.at[rows[i].position].class));
		put_ns(json, "duration_ns", rows[i].duration_ns);
		put_ns(json, "duration_sd_ns", rows[i].duration_sd_ns);
		put_ns(json, "gap_ns", rows[i].gap_ns);
		put_ns(json, "gap_sd_ns", rows[i].gap_sd_ns);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_shares(struct json *json, const struct jitter_verdict *v)
{
	static const char *const places[JITTER_SHARES] = {"host", "rank", "step"};
	json_object(json, "share_by_cause");
	for (int c = 0; c < JITTER_CAUSES; c++)
		json_ratio(json, jitter_cause_name((enum jitter_cause)c), v->cause_share[c]);
	json_end_object(json);
	json_object(json, "share_by_place");
	for (int i = 0; i < JITTER_SHARES; i++)
		json_ratio(json, places[i], v->place_share[i]);
	json_end_object(json);
}

static void put_notes(struct json *json, const struct jitter_study *s)
{
	struct jitter_words text;
	json_array(json, "notes");
	for (unsigned i = 0; i < JITTER_NOTES; i++)
		if (jitter_note(s, i, &text))
			json_text(json, NULL, text.at);
	json_end_array(json);
}

/* The rows of --rank, in an array of the caller; NULL without it. 0 or -ENOMEM. */
static int find_varying(const struct jitter_printed *p, struct vary_row **rows)
{
	*rows = NULL;
	if (p->rank == p->study->n_ranks)
		return 0;
	*rows = malloc(((size_t)p->study->reference.n + 1) * sizeof(**rows));
	if (!*rows)
		return -ENOMEM;
	jitter_vary(p->study, p->rank, *rows);
	return 0;
}

int jitter_json(const struct jitter_printed *p, FILE *out)
{
	struct json json = {.out = out};
	const struct jitter_study *s = p->study;
	struct jitter_words text;
	struct screen screen = {.decimals = 2};
	struct vary_row *varying;
	if (find_varying(p, &varying) != 0)
		return -ENOMEM;
	json_object(&json, NULL);
	json_text(&json, "schema", "baton.jitter/0");
	json_text(&json, "dir", p->dir);
	json_number(&json, "steps", s->axis.n);
	json_bool(&json, "steps_by_period", s->by_period);
	json_bool(&json, "steps_numbered", s->axis.numbered);
	put_ns(&json, "step_ns", s->step_ns);
	json_number(&json, "kernels_per_step", s->reference.n);
	json_bool(&json, "closed", s->closed);
	jitter_verdict_words(p, &screen, &text);
	json_text(&json, "verdict", text.at);
	if (p->verdict->bar == BAR_NONE)
		json_null(&json, "not_compared");
	else
		json_text(&json, "not_compared", jitter_bar_name(p->verdict->bar));
	if (p->verdict->steps_needed)
		json_number(&json, "steps_needed", p->verdict->steps_needed);
	else
		json_null(&json, "steps_needed");
	put_ns(&json, "jitter_ns", p->verdict->jitter_ns);
	put_shares(&json, p->verdict);
	json_array(&json, "odd_ranks");
	for (size_t i = 0; i < p->verdict->n_odd; i++)
		put_odd(&json, p, &p->verdict->odd[i]);
	json_end_array(&json);
	put_ranks(&json, p);
	put_series(&json, p);
	put_kernels(&json, p);
	if (varying)
		put_varying(&json, s, varying);
	put_notes(&json, s);
	json_end_object(&json);
	fputc('\n', out);
	free(varying);
	return 0;
}
