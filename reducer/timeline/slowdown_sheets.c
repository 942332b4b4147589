#include "timeline/slowdown_print.h"

#include <math.h>

static void put_job(struct sheets *sheets, const struct timeline *t, const struct slowdown *s)
{
	static const char *const heads[] = {"stages",
										"dp_ranks",
										"steps",
										"steps_left_out",
										"slowdown",
										"launch_slowdown",
										"m_w",
										"m_s",
										"measured_ns",
										"base_ns",
										"ideal_ns",
										"without_workers_ns",
										"without_last_stage_ns",
										NULL};
	static const struct sheet_spec spec = {"job", "What slow workers cost", heads};
	const struct cell cells[] = {cell_number(t->n_stages),
								 cell_number(t->n_dp),
								 cell_number(t->n_steps),
								 cell_number(t->steps_left_out),
								 cell_short(slowdown_total(s)),
								 cell_short(s->measured_ns / s->base_ns),
								 cell_short(slowdown_of_workers(s)),
								 cell_short(slowdown_of_last_stage(s)),
								 cell_ns(llround(s->measured_ns)),
								 cell_ns(llround(s->base_ns)),
								 cell_ns(llround(s->ideal_ns)),
								 cell_ns(llround(s->without_workers_ns)),
								 cell_ns(llround(s->without_last_stage_ns))};
	sheets_begin(sheets, &spec);
	sheets_row(sheets, cells);
	sheets_end(sheets);
}

static void put_types(struct sheets *sheets, const struct slowdown *s)
{
	static const char *const heads[] = {"type", "slowdown", NULL};
	static const struct sheet_spec spec = {"by_type", "By type of operation", heads};
	sheets_begin(sheets, &spec);
	for (uint32_t i = 0; i < s->n_groups; i++)
		sheets_row(sheets, (const struct cell[]){cell_text(op_kinds[s->groups[i].index].group),
												 cell_short(s->groups[i].slowdown)});
	sheets_end(sheets);
}

static void put_stages(struct sheets *sheets, const struct timeline *t, const struct slowdown *s)
{
	static const char *const stages[] = {"stage", "slowdown", NULL};
	static const char *const dp_ranks[] = {"dp_rank", "slowdown", NULL};
	static const struct sheet_spec specs[] = {{"by_stage", "By stage", stages},
											  {"by_dp_rank", "By data-parallel rank", dp_ranks}};
	sheets_begin(sheets, &specs[0]);
	for (uint32_t i = 0; i < s->n_stages; i++)
		sheets_row(sheets, (const struct cell[]){cell_number(s->stages[i].index),
												 cell_short(s->stages[i].slowdown)});
	sheets_end(sheets);
	sheets_begin(sheets, &specs[1]);
	for (uint32_t i = 0; i < s->n_dp_ranks; i++)
		sheets_row(sheets, (const struct cell[]){cell_number(t->dp[s->dp_ranks[i].index]),
												 cell_short(s->dp_ranks[i].slowdown)});
	sheets_end(sheets);
}

static void put_workers(struct sheets *sheets, const struct timeline *t, const struct slowdown *s)
{
	static const char *const heads[] = {"rank", "stage", "dp_rank", "slowdown", "in_m_w", NULL};
	static const struct sheet_spec spec = {"by_worker", "By worker", heads};
	sheets_begin(sheets, &spec);
	for (uint32_t i = 0; i < s->n_workers; i++) {
		const struct slowdown_worker *worker = &s->workers[i];
		sheets_row(sheets,
				   (const struct cell[]){cell_number(worker->rank), cell_number(worker->stage),
										 cell_number(t->dp[worker->dp]),
										 cell_short(worker->slowdown), cell_yes(i < s->n_slowest)});
	}
	sheets_end(sheets);
}

static void put_steps(struct sheets *sheets, const struct slowdown *s)
{
	static const char *const heads[] = {"step", "measured_ns", "base_ns", "slowdown", NULL};
	static const struct sheet_spec spec = {"by_step", "By step", heads};
	sheets_begin(sheets, &spec);
	for (uint32_t i = 0; i < s->n_steps; i++)
		sheets_row(sheets, (const struct cell[]){
							   cell_number(s->steps[i].step), cell_ns(s->steps[i].measured_ns),
							   cell_ns(s->steps[i].base_ns),
							   cell_short((double)s->steps[i].base_ns / s->ideal_ns)});
	sheets_end(sheets);
}

int slowdown_print_sheets(const struct slowdown_printed *p, enum sheet_format format)
{
	struct sheets sheets;
	sheets_open(&sheets, stdout, format);
	put_job(&sheets, p->timeline, p->slowdown);
	put_types(&sheets, p->slowdown);
	put_stages(&sheets, p->timeline, p->slowdown);
	put_workers(&sheets, p->timeline, p->slowdown);
	put_steps(&sheets, p->slowdown);
	return sheets.error;
}
