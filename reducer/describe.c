#include "describe.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "base/source.h"
#include "conclude/figures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return x < y ? -1 : x > y;
}

int describe_ranks(struct run_summary *run)
{
	uint32_t distinct = 0, seen = 0;
	sort_rows(run->ranks, run->n_ranks, sizeof(*run->ranks), by_number);
	for (uint32_t i = 0; i < run->n_ranks; i++)
		if (distinct == 0 || run->ranks[distinct - 1] != run->ranks[i])
			run->ranks[distinct++] = run->ranks[i];
	run->n_ranks = distinct;
	if (run->n_ranks == 0 || run->world_size <= 0 || run->world_size > 1 << 20)
		return 0;
	run->missing_ranks = malloc((size_t)run->world_size * sizeof(*run->missing_ranks));
	if (!run->missing_ranks)
		return -ENOMEM;
	for (int32_t rank = 0; rank < run->world_size; rank++) {
		while (seen < run->n_ranks && run->ranks[seen] < rank)
			seen++;
		if (seen == run->n_ranks || run->ranks[seen] != rank)
			run->missing_ranks[run->n_missing_ranks++] = rank;
	}
	return 0;
}

static int list_ranks(const struct run *run, struct run_summary *out)
{
	out->world_size = -1;
	out->ranks = malloc((run->n_processes + 1) * sizeof(*out->ranks));
	if (!out->ranks)
		return -ENOMEM;
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];
		out->world_size = p->world_size > out->world_size ? p->world_size : out->world_size;
		if (p->rank >= 0)
			out->ranks[out->n_ranks++] = p->rank;
	}
	return describe_ranks(out);
}

bool describe_lacks_ranks(const struct run *run)
{
	struct run_summary ranks = {0};
	const bool lacks = list_ranks(run, &ranks) == 0 && ranks.n_missing_ranks > 0;
	free(ranks.ranks);
	free(ranks.missing_ranks);
	return lacks;
}

static int copy_text(struct summary *summary, const struct run *run, uint32_t from, uint32_t *to)
{
	struct text text = strings_get(&run->pool, from);
	return text.bytes ? strings_add(&summary->pool, text.at, text.bytes, to, NULL) : 0;
}

/* Importers tell devices apart that the source puts in one place by naming the later host
 * HOST-rankN or HOST-fileN: such a name is made up. Returns how many bytes HOST has, 0: the name is
 * not like that. */
static size_t made_from(struct text host)
{
	size_t digits = host.bytes;
	while (digits > 0 && host.at[digits - 1] >= '0' && host.at[digits - 1] <= '9')
		digits--;
	if (digits == host.bytes || digits < 5 ||
		(memcmp(host.at + digits - 5, "-rank", 5) != 0 &&
		 memcmp(host.at + digits - 5, "-file", 5) != 0))
		return 0;
	return digits - 5;
}

/* *hosts: how many there are; 0: not known, as some names are made up. 0 or -ENOMEM. */
static int count_hosts(const struct run *run, uint32_t *hosts)
{
	struct strings names;
	uint32_t id;
	bool unnamed = false, made = false;
	int error = strings_init(&names);
	for (size_t i = 0; !error && i < run->n_processes; i++) {
		const struct text host = strings_get(&run->pool, run->processes[i].host);
		unnamed |= host.bytes == 0;
		error = host.bytes ? strings_add(&names, host.at, host.bytes, &id, NULL) : 0;
	}
	const uint32_t n = names.n;
	for (uint32_t i = 1; !error && i < n; i++) {
		const size_t bytes = made_from(names.texts[i]);
		error = bytes ? strings_add(&names, names.texts[i].at, bytes, &id, NULL) : 0;
		made |= bytes && !error && id < n;
	}
	*hosts = made ? 0 : n - 1 + unnamed;
	strings_free(&names);
	return error;
}

/* Which strings of the summary are keys of devices in it: *n of them are looked at. NULL: no memory.
 */
static bool *keys_in_use(const struct summary *summary, uint32_t *n)
{
	*n = summary->pool.n;
	bool *used = calloc(*n + 1, sizeof(*used));
	for (size_t i = 0; used && i < summary->n_devices; i++)
		used[summary->devices[i].key] = true;
	return used;
}

static int describe_device(const struct run *run, const struct run_device *device,
						   struct summary *summary)
{
	struct device_summary *row = summary_device(summary, strings_get(&run->pool, device->key).at);
	if (!row)
		return -ENOMEM;
	row->ranks = malloc(device->n_processes * sizeof(*row->ranks));
	row->pids = malloc(device->n_processes * sizeof(*row->pids));
	if (!row->ranks || !row->pids)
		return -ENOMEM;
	row->n_processes = device->n_processes;
	for (uint32_t i = 0; i < device->n_processes; i++) {
		row->ranks[i] = run->processes[device->processes[i]].rank;
		row->pids[i] = run->processes[device->processes[i]].pid;
	}
	return copy_text(summary, run, device->name, &row->name);
}

/* Devices on which nothing ran are not in the summary. */
static int describe_devices(const struct run *run, struct summary *summary)
{
	uint32_t n, key = 0;
	bool *used = keys_in_use(summary, &n);
	int error = used ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < run->n_devices; i++) {
		error = copy_text(summary, run, run->devices[i].key, &key);
		if (!error && key < n && used[key])
			error = describe_device(run, &run->devices[i], summary);
	}
	free(used);
	return error;
}

/* What the tool itself took, and one process more. A file may say anything; a summary takes no more
 * than the limit of a duration. */
static int64_t add_cost(int64_t tool_ns, uint64_t cost_ns)
{
	const uint64_t most = BATON_TIME_LIMIT_NS;
	int64_t sum =
		saturate_add(tool_ns < 0 ? 0 : tool_ns, (int64_t)(cost_ns < most ? cost_ns : most));
	return sum < BATON_TIME_LIMIT_NS ? sum : BATON_TIME_LIMIT_NS;
}

static void describe_quality(const struct run *run, struct quality *q)
{
	q->clock_residual_ns = -1; /* the whole run is needed: reduce.c */
	q->tool_ns = -1;
	q->truncated_files = damage_log_files(run->damage);
	q->unreadable_files = run->unreadable_files;
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];
		q->dropped += p->losses[BATON_LOSS_DROPPED];
		q->in_flight += p->losses[BATON_LOSS_IN_FLIGHT];
		q->invalid_events += p->losses[BATON_LOSS_INVALID];
		q->kept_ns = p->kept.kept_ns > q->kept_ns ? p->kept.kept_ns : q->kept_ns;
		q->before_ns = p->kept.before_ns > q->before_ns ? p->kept.before_ns : q->before_ns;
		q->before_launches += p->kept.launches;
		q->before_kernels += p->kept.kernels;
		q->recorder_limited |= p->limited;
		q->gpu_clocks_moved += p->gpu_shift_ns > 0;
		if (p->gpu_shift_ns > q->gpu_clock_shift_ns)
			q->gpu_clock_shift_ns = p->gpu_shift_ns;
		if (p->cost_known)
			q->tool_ns = add_cost(q->tool_ns, p->cost_ns);
	}
}

/* The stretch of time, where only one was asked for: it ends no later than the newest work. */
static void describe_time(const struct run *run, const struct time_span *time, int64_t left_out_ns,
						  struct quality *q)
{
	int64_t to_ns = 0;
	for (size_t i = 0; i < run->n_processes; i++)
		if (run->processes[i].worked_ns > to_ns)
			to_ns = run->processes[i].worked_ns;
	q->stretches = 1;
	q->stretches_from_ns = time->from_ns > 0 ? time->from_ns : 0;
	q->stretches_to_ns = time->to_ns < to_ns ? time->to_ns : to_ns;
	if (q->stretches_from_ns > BATON_TIME_LIMIT_NS)
		q->stretches_from_ns = BATON_TIME_LIMIT_NS;
	if (q->stretches_to_ns < q->stretches_from_ns)
		q->stretches_to_ns = q->stretches_from_ns;
	const int64_t long_ns = q->stretches_to_ns - q->stretches_from_ns;
	q->stretches_missing_ns = left_out_ns < long_ns ? left_out_ns : long_ns;
}

int describe_steps(struct summary *summary, const struct reduce_options *options, bool by_period,
				   bool by_optimizer)
{
	enum step_source source = options->step_range ? STEPS_NVTX : STEPS_MARKER;
	bool any = options->only_time; /* only steps count then */
	for (size_t i = 0; i < summary->n_devices; i++) {
		const struct device_summary *device = &summary->devices[i];
		any |= device->steps > 1 || device->window_ns != device->hull_ns;
	}
	if (!any)
		source = STEPS_NONE;
	else if (by_period)
		source = STEPS_PERIODICITY;
	else if (by_optimizer)
		source = STEPS_OPTIMIZER;
	return summary_string(summary, step_source_name(source), &summary->run.step_source);
}

/* Processes that no launcher started have ids of their own: then the first of them by name, which
 * parts of the run find too. */
static uint32_t least_run_id(const struct run *run)
{
	uint32_t least = run->processes[0].run_id;
	for (size_t i = 1; i < run->n_processes; i++) {
		const uint32_t id = run->processes[i].run_id;
		if (strcmp(strings_get(&run->pool, id).at, strings_get(&run->pool, least).at) < 0)
			least = id;
	}
	return least;
}

int describe_run(const struct run *run, const struct reduce_options *options, struct reduction *out)
{
	struct summary *summary = &out->summary;
	const struct run_process *first = &run->processes[0];
	const enum source_kind source = source_kind(strings_get(&run->pool, first->source).at);
	int error = list_ranks(run, &summary->run);
	if (!error)
		error = describe_devices(run, summary);
	if (!error)
		error = count_hosts(run, &summary->run.hosts);
	if (error)
		return error;
	describe_quality(run, &summary->quality);
	if (options->only_time)
		describe_time(run, &options->time, out->left_out_ns, &summary->quality);
	error = copy_text(summary, run, first->source, &summary->run.source);
	if (!error)
		error = copy_text(summary, run, least_run_id(run), &summary->run.run_id);
	if (error)
		return error;
	error = describe_steps(summary, options, out->by_period, out->by_optimizer);
	if (error)
		return error;
	return summary_string(summary, source_is_recorded(source) ? "cupti" : "import",
						  &summary->run.mode);
}
