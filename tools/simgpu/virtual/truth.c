#include "virtual/truth.h"

#include "engine/room.h"
#include "virtual/account/waits.h"
#include "virtual/record/recorder.h"

#include <inttypes.h>
#include <stdlib.h>

#define LEAST_STEPS_TO_CUT 4

/* Warm-up: the first step and those right after it that load modules, at most a quarter of all. */
static int32_t warmup_of(const struct world *w, const struct device *d)
{
	int32_t n = (int32_t)w->script->n_steps, cut = 1;
	const struct account *a = &d->account;
	if (n < LEAST_STEPS_TO_CUT || a->step_begin_ns[1] == 0)
		return 0;
	while (cut < n / 4 && d->process->loads[cut])
		cut++;
	return cut;
}

struct window {
	int64_t from_ns, to_ns;
	int32_t steps;
	int32_t warmup;
};

static bool has_steps(const struct process_def *p)
{
	for (uint32_t t = 0; t < p->n_threads; t++)
		if (p->threads[t].marks)
			return true;
	return false;
}

static struct window window_of(const struct world *w, const struct device *d)
{
	const struct account *a = &d->account;
	struct window window = {.from_ns = a->first_ns, .to_ns = a->last_ns, .steps = 1};
	int32_t n = (int32_t)w->script->n_steps;
	int64_t end = 0;
	if (!has_steps(d->process->def) || a->step_begin_ns[1] == 0)
		return window;
	window.warmup = warmup_of(w, d);
	window.steps = n - window.warmup;
	for (int32_t s = 0; s <= n; s++) {
		end = a->step_end_ns[s] > end ? a->step_end_ns[s] : end;
		if (s == window.warmup && end)
			window.from_ns = end;
	}
	window.to_ns = end;
	return window;
}

int64_t truth_step_ns(const struct world *w)
{
	int64_t sum = 0;
	uint32_t n = 0;
	for (uint32_t p = 0; p < w->script->n_processes; p++)
		for (uint32_t d = 0; d < w->processes[p].def->n_devices; d++, n++) {
			struct window window = window_of(w, &w->processes[p].devices[d]);
			sum += (window.to_ns - window.from_ns) / window.steps;
		}
	return n ? sum / n : 0;
}

/* ---- JSON ---- */

static void write_times(FILE *out, const char *key, const struct world *w, const struct device *d,
						const int64_t *times)
{
	fprintf(out, "\"%s\":[", key);
	for (uint32_t s = 1; s <= w->script->n_steps; s++)
		fprintf(out, "%s%" PRId64, s > 1 ? "," : "",
				recorder_time(w->script, d->process->def->host, times[s]));
	fputs("],", out);
}

/* What the device waited for while only collectives ran: the rank is whose doing it is. */
static void write_waits(FILE *out, const struct world *w, const struct device *d,
						const struct account *const *all)
{
	static const char *const kinds[] = {
		[WAITS_TRANSFER] = "transfer", [WAITS_WORK] = "work", [WAITS_CIRCLE] = "circle"};
	uint32_t host = d->process->def->host;
	struct waits waits = {0};
	waits_of(&waits, all, d->index);
	fputs("\"exposed\":[", out);
	for (size_t i = 0; i < waits.n; i++) {
		const struct waits_piece *p = &waits.at[i];
		fprintf(out, "%s[%" PRId64 ",%" PRId64 ",\"%s\",%u]", i ? "," : "",
				recorder_time(w->script, host, p->from_ns),
				recorder_time(w->script, host, p->to_ns),
				p->kind == WAITS_IDLE ? cause_name(p->cause) : kinds[p->kind], p->device);
	}
	fputs("],", out);
	free(waits.at);
}

static void write_device(FILE *out, const struct world *w, const struct device *d,
						 const struct account *const *all)
{
	const struct account *a = &d->account;
	uint32_t host = d->process->def->host;
	struct window window = window_of(w, d);
	char key[64];
	recorder_device_key(w->script, d->index, key);
	fprintf(out, "{\"device\":\"%s\",\"rank\":%d,", key, d->process->def->rank);
	fprintf(out, "\"warmup_steps\":%d,\"window_from_ns\":%" PRId64 ",\"window_to_ns\":%" PRId64 ",",
			window.warmup, recorder_time(w->script, host, window.from_ns),
			recorder_time(w->script, host, window.to_ns));
	write_times(out, "step_begin_ns", w, d, a->step_begin_ns);
	write_times(out, "step_end_ns", w, d, a->step_end_ns);
	write_waits(out, w, d, all);
	fputs("\"idle\":[", out);
	for (size_t i = 0; i < a->n; i++)
		fprintf(out, "%s[%" PRId64 ",%" PRId64 ",\"%s\"]", i ? "," : "",
				recorder_time(w->script, host, a->idle[i].from_ns),
				recorder_time(w->script, host, a->idle[i].to_ns), cause_name(a->idle[i].cause));
	fputs("]}", out);
}

static void write_fault(FILE *out, const struct planted *fault, int64_t with_ns, int64_t without_ns)
{
	fprintf(out, "{\"fault\":\"%s\",\"strength\":%" PRId64 ",\"rank\":", fault->fault->name,
			fault->strength);
	if (fault->rank == FAULT_EVERYWHERE)
		fputs("null", out);
	else
		fprintf(out, "%d", fault->rank);
	fprintf(out, ",\"cause\":\"%s\",\"step_ns_without\":%" PRId64 ",\"loss_ns\":%" PRId64 "}",
			cause_name(fault->fault->cause), without_ns, with_ns - without_ns);
}

static void write_calls(FILE *out, int64_t with_ns, const int64_t *without_ns)
{
	static const char *const names[] = {[CALLS_SYNC] = "sync", [CALLS_ALLOC] = "alloc"};
	for (int calls = 0; calls < CALLS_KINDS && without_ns[calls]; calls++)
		fprintf(out, "%s{\"calls\":\"%s\",\"step_ns_without\":%" PRId64 ",\"loss_ns\":%" PRId64 "}",
				calls ? "," : "", names[calls], without_ns[calls], with_ns - without_ns[calls]);
}

/* What each host's clock shows: epoch + time + offset + drift x time, + jump from its moment on. */
static void write_clocks(FILE *out, const struct script *script)
{
	fprintf(out, "\"epoch_ns\":%" PRId64 ",\"clocks\":[", (int64_t)RECORDER_EPOCH_NS);
	for (uint32_t i = 0; i < script->n_hosts; i++) {
		const struct host_def *host = &script->hosts[i];
		fprintf(out,
				"%s{\"host\":\"node%u\",\"offset_ns\":%" PRId64
				",\"drift_ppb\":%d,\"jump_ns\":%" PRId64 ",\"jump_at_ns\":%" PRId64 "}",
				i ? "," : "", i, host->clock_offset_ns, host->clock_drift_ppb, host->clock_jump_ns,
				host->clock_jump_at_ns);
	}
	fputs("],\n", out);
}

/* Of all devices. */
static const struct account **accounts(const struct world *w)
{
	const struct account **all = must(calloc(w->script->n_devices, sizeof(*all)));
	for (uint32_t p = 0; p < w->script->n_processes; p++)
		for (uint32_t d = 0; d < w->processes[p].def->n_devices; d++)
			all[w->processes[p].devices[d].index] = &w->processes[p].devices[d].account;
	return all;
}

void truth_write(FILE *out, const struct scenario *scenario, const struct world *w,
				 const struct truth_without *without)
{
	const struct script *script = w->script;
	int64_t step_ns = truth_step_ns(w);
	fprintf(
		out,
		"{\"schema\":\"baton.truth/0\",\"workload\":\"%s\",\"ranks\":%u,\"hosts\":%u,\"steps\":%u,",
		scenario->workload->name, scenario->options.ranks, script->n_hosts, script->n_steps);
	fprintf(out, "\"seed\":%" PRIu64 ",\"noise_seed\":%" PRIu64 ",\"nvtx\":%s,\"step_range\":",
			scenario->options.seed, script->noise_seed, script->nvtx ? "true" : "false");
	if (script->nvtx && has_steps(&script->processes[0]))
		fprintf(out, "\"%s\"", script->strings[script->step_name]);
	else
		fputs("null", out);
	fprintf(out, ",\"step_ns\":%" PRId64 ",\n", step_ns);
	write_clocks(out, script);
	fputs("\"devices\":[", out);
	const struct account **all = accounts(w);
	for (uint32_t p = 0, n = 0; p < script->n_processes; p++)
		for (uint32_t d = 0; d < w->processes[p].def->n_devices; d++) {
			fputs(n++ ? ",\n" : "", out);
			write_device(out, w, &w->processes[p].devices[d], all);
		}
	free(all);
	fputs("],\n\"faults\":[", out);
	for (uint32_t i = 0; i < scenario->n_faults; i++) {
		fputs(i ? "," : "", out);
		write_fault(out, &scenario->faults[i], step_ns, without->fault_ns[i]);
	}
	fputs("],\n\"calls\":[", out);
	write_calls(out, step_ns, without->calls_ns);
	fputs("]}\n", out);
}
