#include "render/metrics.h"

#include "base/utf8.h"
#include "summary/leaf.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- the format ---- */

/* All are gauges: what is recorded changes from turn to turn, and nothing in it only grows. */
static void family(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

/* Backslashes, quotes and line feeds are escaped. Prometheus refuses the whole text for a byte that
 * is no UTF-8; such bytes, and other control characters, become U+FFFD. */
static void label(FILE *out, const char *name, const char *value, bool first)
{
	fprintf(out, "%s%s=\"", first ? "{" : ",", name);
	for (size_t left = strlen(value), n; left > 0; left -= n, value += n) {
		uint32_t code = 0;
		n = utf8_decode(value, left, &code);
		const bool is_plain = n > 0 && code >= ' ' && (code < 0x7f || code > 0x9f);
		n = n ? n : 1;
		if (*value == '\n')
			fputs("\\n", out);
		else if (*value == '\\' || *value == '"')
			fprintf(out, "\\%c", *value);
		else if (is_plain)
			fwrite(value, 1, n, out);
		else
			fputs("\xef\xbf\xbd", out);
	}
	fputc('"', out);
}

/* Pairs of a label and its text follow `value`, and NULL. */
static void sample(const struct metrics *m, FILE *out, const char *name, double value, ...)
{
	va_list labels;
	fputs(name, out);
	label(out, "run", m->run, true);
	va_start(labels, value);
	for (const char *which; (which = va_arg(labels, const char *)) != NULL;)
		label(out, which, va_arg(labels, const char *), false);
	va_end(labels);
	fprintf(out, "} %.15g\n", value);
}

static void single(const struct metrics *m, FILE *out, const char *name, const char *help,
				   double value)
{
	family(out, name, help);
	sample(m, out, name, value, NULL);
}

/* ---- the run ---- */

static void steps(const struct metrics *m, FILE *out)
{
	const struct figures *f = m->figures;
	static const char name[] = "baton_step_seconds";
	single(m, out, "baton_steps", "Steps measured in what is recorded, of the device with most.",
		   f->has_steps ? (double)f->steps : 0);
	if (!f->has_steps)
		return;
	family(out, name, "How long a step takes.");
	sample(m, out, name, (double)f->step_ns * 1e-9, "stat", "mean", NULL);
	sample(m, out, name, (double)f->p50_ns * 1e-9, "stat", "p50", NULL);
	sample(m, out, name, (double)f->p95_ns * 1e-9, "stat", "p95", NULL);
	sample(m, out, name, (double)f->max_ns * 1e-9, "stat", "max", NULL);
}

static void leaves(const struct metrics *m, FILE *out)
{
	const struct figures *f = m->figures;
	static const char name[] = "baton_step_share_ratio";
	if (f->step_ns <= 0)
		return;
	family(
		out, name,
		"Share of the step in each leaf of the time tree, mean of the devices; they add up to 1.");
	for (enum leaf leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (f->carried & LEAF_BIT(leaf))
			sample(m, out, name, (double)f->time_ns[leaf] / (double)f->step_ns, "leaf",
				   leaf_name(leaf), NULL);
}

static void devices(const struct metrics *m, FILE *out)
{
	const struct summary *s = m->summary;
	const uint64_t idle = leaf_names_under("idle");
	static const char step[] = "baton_device_step_seconds", share[] = "baton_device_idle_ratio";
	family(out, step, "Mean step of each device.");
	for (size_t i = 0; i < s->n_devices; i++)
		if (s->devices[i].steps > 0)
			sample(m, out, step,
				   (double)s->devices[i].window_ns * 1e-9 / (double)s->devices[i].steps, "device",
				   summary_text(s, s->devices[i].key), NULL);
	family(out, share, "Share of the measured time in which each device was idle.");
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct device_summary *d = &s->devices[i];
		int64_t ns = 0;
		for (enum leaf leaf = 0; leaf < LEAF_COUNT; leaf++)
			ns += idle & LEAF_BIT(leaf) ? d->time_ns[leaf] : 0;
		if (d->window_ns > 0)
			sample(m, out, share, (double)ns / (double)d->window_ns, "device",
				   summary_text(s, d->key), NULL);
	}
}

/* 0 for ranks that are not late, so that a graph of one shows when it is over. */
static void late(const struct metrics *m, FILE *out)
{
	const struct run_summary *run = &m->summary->run;
	static const char name[] = "baton_rank_late_seconds";
	if (run->n_ranks == 0)
		return;
	family(out, name,
		   "How long the other ranks wait for each rank, per step; 0 where none is to blame.");
	for (uint32_t i = 0; i < run->n_ranks; i++) {
		char rank[16];
		int64_t ns = 0;
		for (size_t k = 0; k < m->stragglers->n; k++) {
			const struct straggler *straggler = &m->stragglers->at[k];
			if (!straggler->missing && straggler->rank == run->ranks[i])
				ns += straggler->late_ns;
		}
		snprintf(rank, sizeof(rank), "%" PRId32, run->ranks[i]);
		sample(m, out, name, (double)ns * 1e-9, "rank", rank, NULL);
	}
}

static void bus_bandwidth(const struct metrics *m, FILE *out)
{
	const struct summary *s = m->summary;
	static const char name[] = "baton_nccl_bus_bandwidth_bytes_per_second";
	family(out, name, "Bus bandwidth of collectives as nccl-tests define it, waiting left out.");
	for (size_t i = 0; i < s->n_nccl; i++) {
		const struct nccl_summary *row = &s->nccl[i];
		const double gbps = figures_busbw_gbps(s, row);
		char bytes[24], ranks[16];
		if (isnan(gbps))
			continue;
		snprintf(bytes, sizeof(bytes), "%" PRId64, row->bytes);
		snprintf(ranks, sizeof(ranks), "%" PRIu32, row->members);
		sample(m, out, name, gbps * 1e9, "op", summary_text(s, row->op), "comm",
			   summary_text(s, row->comm), "ranks", ranks, "bytes", bytes, NULL);
	}
}

static void readings(const struct metrics *m, FILE *out)
{
	static const struct {
		const char *name, *help;
		enum reading_kind kind;
		double unit;
	} kinds[] = {
		{"baton_gpu_sm_clock_hertz", "Clock of each GPU's SMs while its steps ran, mean.",
		 READING_SM_MHZ, 1e6},
		{"baton_gpu_power_watts", "Power of each GPU while its steps ran, mean.", READING_POWER_MW,
		 1e-3},
		{"baton_gpu_temperature_celsius", "Temperature of each GPU while its steps ran, mean.",
		 READING_TEMPERATURE_C, 1},
		{"baton_gpu_memory_used_bytes", "Memory in use of each GPU while its steps ran, mean.",
		 READING_MEMORY_USED_BYTES, 1},
		{"baton_gpu_slowed_ratio",
		 "Share of the samples in which power, heat or a brake held each GPU's clock back.",
		 READING_SLOWED, 1},
	};
	const struct summary *s = m->summary;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		family(out, kinds[k].name, kinds[k].help);
		for (size_t i = 0; i < s->n_devices; i++) {
			const struct reading *r = &s->devices[i].readings[kinds[k].kind];
			if (r->looks)
				sample(m, out, kinds[k].name, (double)r->sum / (double)r->looks * kinds[k].unit,
					   "device", summary_text(s, s->devices[i].key), NULL);
		}
	}
}

static void quality(const struct metrics *m, FILE *out)
{
	const struct quality *q = &m->summary->quality;
	const struct run_summary *run = &m->summary->run;
	single(m, out, "baton_launches", "Launches in what is recorded.", (double)q->launches);
	single(m, out, "baton_left_out_launches",
		   "Launches before it, of a recording that keeps the last part of a job.",
		   (double)q->before_launches);
	single(m, out, "baton_dropped_records",
		   "Records for which the recorder had no room, in what is recorded.", (double)q->dropped);
	single(m, out, "baton_in_flight_kernels", "GPU records that never came, of killed processes.",
		   (double)q->in_flight);
	single(m, out, "baton_missing_ranks", "Ranks of the job that have no trace.",
		   (double)run->n_missing_ranks);
}

void metrics_print(const struct metrics *m, FILE *out)
{
	single(m, out, "baton_up", "1: the run was reduced; 0: it has nothing to report (yet).",
		   m->summary != NULL);
	single(m, out, "baton_reduced_timestamp_seconds", "When that was, since 1970.", m->reduced_s);
	single(m, out, "baton_reduce_duration_seconds", "How long that took.", m->took_s);
	if (m->modified_s > 0)
		single(m, out, "baton_recorded_timestamp_seconds",
			   "When a trace was written to last, since 1970.", m->modified_s);
	if (m->worked_s > 0)
		single(m, out, "baton_gpu_work_timestamp_seconds",
			   "When the newest recorded work of a GPU ended, since 1970.", m->worked_s);
	if (!m->summary)
		return;
	steps(m, out);
	leaves(m, out);
	devices(m, out);
	late(m, out);
	bus_bandwidth(m, out);
	readings(m, out);
	quality(m, out);
}
