#include "top/json.h"

#include "render/json.h"
#include "top/topology.h"

static void steps(struct json *json, const struct top_view *view)
{
	const struct figures *f = &view->figures;
	json_number(json, "steps", f->has_steps ? f->steps : 0);
	json_object(json, "step_ns");
	json_known(json, "mean", f->has_steps ? f->step_ns : -1);
	json_known(json, "p50", f->has_steps ? f->p50_ns : -1);
	json_known(json, "p95", f->has_steps ? f->p95_ns : -1);
	json_end_object(json);
}

static void readings(struct json *json, const struct top_row *row)
{
	static const char *const names[TOP_READINGS] = {[TOP_MHZ] = "sm_mhz",
													[TOP_WATTS] = "power_w",
													[TOP_CELSIUS] = "temperature_c",
													[TOP_MEMORY_MB] = "memory_used_mb",
													[TOP_SLOWED] = "slowed_percent"};
	json_object(json, "gpu");
	for (int i = 0; i < TOP_READINGS; i++)
		json_known(json, names[i], row->readings[i]);
	json_end_object(json);
}

static void row_object(struct json *json, const struct top_row *row)
{
	json_object(json, NULL);
	json_known(json, "rank", row->rank);
	json_text(json, "device", row->gpu);
	json_text(json, "host", row->host);
	json_number(json, "pid", row->pid);
	json_text(json, "state", top_state_name(row->state));
	json_known(json, "quiet_ns", row->quiet_ns);
	json_known(json, "worked_ns", row->worked_ns ? row->worked_ns : -1);
	json_number(json, "lost", (int64_t)row->lost);
	json_bool(json, "slowest", row->slowest);
	json_number(json, "steps", row->steps);
	json_known(json, "step_ns", row->steps ? row->step_ns : -1);
	json_number(json, "late_ns", row->late_ns);
	json_number(json, "window_ns", row->window_ns);
	json_number(json, "launches", row->launches);
	json_object(json, "time_ns");
	for (enum leaf leaf = 0; leaf < LEAF_COUNT; leaf++)
		json_number(json, leaf_name(leaf), row->time_ns[leaf]);
	json_end_object(json);
	readings(json, row);
	json_end_object(json);
}

void top_view_json(const struct top_view *view, const char *dir, FILE *out)
{
	struct json json = {.out = out};
	json_object(&json, NULL);
	json_text(&json, "schema", "baton.top/0");
	json_text(&json, "dir", dir);
	json_number(&json, "at_ns", view->at_ns);
	json_number(&json, "took_ns", view->took_ns);
	json_bool(&json, "over", top_view_over(view));
	json_bool(&json, "whole", view->whole);
	json_known(&json, "last_ns", view->whole ? -1 : view->last_ns);
	json_known(&json, "world_size", view->world_size);
	json_number(&json, "missing_ranks", view->missing_ranks);
	json_number(&json, "lost", (int64_t)view->lost);
	json_text(&json, "answer", view->answer);
	json_text(&json, "message", view->message);
	steps(&json, view);
	json_array(&json, "rows");
	for (uint32_t i = 0; i < view->n_rows; i++)
		row_object(&json, &view->rows[i]);
	json_end_array(&json);
	topology_json(&json, view);
	json_end_object(&json);
	fputc('\n', out);
}
