#include "timeline/slowdown_print.h"

#include "render/json.h"

#include <math.h>

static void put_ns(struct json *json, const char *key, double ns)
{
	json_number(json, key, llround(ns));
}

static void put_whole(struct json *json, const struct timeline *t, const struct slowdown *s)
{
	json_number(json, "stages", t->n_stages);
	json_number(json, "dp_ranks", t->n_dp);
	json_number(json, "steps", t->n_steps);
	json_number(json, "steps_left_out", t->steps_left_out);
	put_ns(json, "measured_ns", s->measured_ns);
	put_ns(json, "base_ns", s->base_ns);
	put_ns(json, "ideal_ns", s->ideal_ns);
	json_ratio(json, "slowdown", slowdown_total(s));
	json_ratio(json, "launch_slowdown", s->measured_ns / s->base_ns);
	json_ratio(json, "m_w", slowdown_of_workers(s));
	json_ratio(json, "m_s", slowdown_of_last_stage(s));
	put_ns(json, "without_workers_ns", s->without_workers_ns);
	put_ns(json, "without_last_stage_ns", s->without_last_stage_ns);
}

static void put_workers(struct json *json, const struct timeline *t, const struct slowdown *s)
{
	json_array(json, "by_worker");
	for (uint32_t i = 0; i < s->n_workers; i++) {
		const struct slowdown_worker *worker = &s->workers[i];
		json_object(json, NULL);
		json_number(json, "rank", worker->rank);
		json_number(json, "stage", worker->stage);
		json_number(json, "dp_rank", t->dp[worker->dp]);
		json_ratio(json, "slowdown", worker->slowdown);
		json_bool(json, "in_m_w", i < s->n_slowest);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_steps(struct json *json, const struct slowdown *s)
{
	json_array(json, "by_step");
	for (uint32_t i = 0; i < s->n_steps; i++) {
		json_object(json, NULL);
		json_number(json, "step", s->steps[i].step);
		json_number(json, "measured_ns", s->steps[i].measured_ns);
		json_number(json, "base_ns", s->steps[i].base_ns);
		json_ratio(json, "slowdown", (double)s->steps[i].base_ns / s->ideal_ns);
		json_end_object(json);
	}
	json_end_array(json);
}

static void put_parts(struct json *json, const struct timeline *t, const struct slowdown *s)
{
	json_array(json, "by_type");
	for (uint32_t i = 0; i < s->n_groups; i++) {
		json_object(json, NULL);
		json_text(json, "type", op_kinds[s->groups[i].index].group);
		json_ratio(json, "slowdown", s->groups[i].slowdown);
		json_end_object(json);
	}
	json_end_array(json);
	json_array(json, "by_stage");
	for (uint32_t i = 0; i < s->n_stages; i++) {
		json_object(json, NULL);
		json_number(json, "stage", s->stages[i].index);
		json_ratio(json, "slowdown", s->stages[i].slowdown);
		json_end_object(json);
	}
	json_end_array(json);
	json_array(json, "by_dp_rank");
	for (uint32_t i = 0; i < s->n_dp_ranks; i++) {
		json_object(json, NULL);
		json_number(json, "dp_rank", t->dp[s->dp_ranks[i].index]);
		json_ratio(json, "slowdown", s->dp_ranks[i].slowdown);
		json_end_object(json);
	}
	json_end_array(json);
}

void slowdown_print_json(const struct slowdown_printed *p)
{
	struct json json = {.out = stdout};
	json_object(&json, NULL);
	json_text(&json, "schema", "baton.stragglers/0");
	json_array(&json, "files");
	for (int i = 0; i < p->n_files; i++)
		json_text(&json, NULL, p->files[i]);
	json_end_array(&json);
	put_whole(&json, p->timeline, p->slowdown);
	put_parts(&json, p->timeline, p->slowdown);
	put_workers(&json, p->timeline, p->slowdown);
	put_steps(&json, p->slowdown);
	json_end_object(&json);
	printf("\n");
}
