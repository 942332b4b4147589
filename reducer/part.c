#include "part.h"

#include "attribute/consensus.h"
#include "attribute/generations.h"
#include "attribute/meetings.h"
#include "base/diag.h"
#include "base/sort.h"
#include "base/source.h"
#include "describe.h"
#include "summary/row_kinds.h"
#include "summary/series.h"
#include "summary/stretches.h"
#include "summary/summary_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

static const enum row_kind own_kinds[] = {ROW_PROCESS, ROW_SCAN, ROW_COMM, ROW_MEETING};

/* ---- what a part tells ---- */

/* What only all files together show cannot be told by some of them. */
static bool may_have_parts(const struct run *run, const struct generations *generations)
{
	for (size_t i = 0; i < run->n_processes; i++) {
		const struct run_process *p = &run->processes[i];
		if (!source_is_recorded(source_kind(strings_get(&run->pool, p->source).at)))
			diag("%s: imported runs have no parts: reduce all their files together", p->path);
		else if (p->n_comm_ranks)
			diag("%s: no launcher said which rank this is, so only all files together show it: "
				 "reduce them together",
				 p->path);
		else
			continue;
		return false;
	}
	if (generations->n > 1)
		diag("the job was restarted, so only all files together show which steps count: reduce "
			 "them together");
	return generations->n < 2;
}

static int note_process(const struct run *run, const struct run_process *p, struct summary *s)
{
	struct process_summary row = {.generation = p->generation,
								  .pid = p->pid,
								  .start_time = p->start_time,
								  .rank = p->rank,
								  .world_size = p->world_size};
	int error = summary_string(s, strings_get(&run->pool, p->host).at, &row.host);
	if (!error)
		error = summary_string(s, strings_get(&run->pool, p->run_id).at, &row.run);
	if (!error)
		error = summary_string(s, strings_get(&run->pool, p->source).at, &row.source);
	return error ? error : summary_add(s, ROW_PROCESS, &row);
}

static int note_scan(const struct run *run, const struct device_scan *scan, struct summary *s)
{
	struct scan_summary row = {.launches = scan->launches,
							   .found = scan->period_steps,
							   .looked = scan->fit.looked,
							   .complete = scan->fit.complete};
	row.flags = (scan->empty ? BATON_SCAN_EMPTY : 0) | (scan->by_period ? BATON_SCAN_PERIOD : 0) |
				(scan->by_optimizer ? BATON_SCAN_OPTIMIZER : 0) |
				(scan->steps.n_steps ? BATON_SCAN_STEPS : 0);
	int error =
		summary_string(s, strings_get(&run->pool, run->devices[scan->device].key).at, &row.device);
	return error ? error : summary_add(s, ROW_SCAN, &row);
}

static int note_all(const struct device_context *context, const struct device_scan *scans,
					struct summary *s)
{
	const struct run *run = context->run;
	int error = 0;
	for (size_t i = 0; !error && i < run->n_processes; i++)
		error = note_process(run, &run->processes[i], s);
	for (size_t i = 0; !error && i < run->n_devices; i++)
		error = note_scan(run, &scans[i], s);
	return error ? error : meetings_store(context->collectives, run, s);
}

static uint64_t hash_text(const struct summary *s, uint32_t id, uint64_t seed)
{
	const struct text text = strings_get(&s->pool, id);
	return XXH3_64bits_withSeed(text.at, text.bytes, seed);
}

static uint64_t hash_process(const struct summary *s, const struct process_summary *p)
{
	const uint64_t numbers[] = {(uint64_t)p->pid, p->start_time, p->generation};
	return XXH3_64bits_withSeed(numbers, sizeof(numbers), hash_text(s, p->host, 1));
}

/* Of all devices and processes, in whatever order they are. */
static uint64_t hash_all(const struct summary *s)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < s->n_scans; i++)
		sum += hash_text(s, s->scans[i].device, 2);
	for (size_t i = 0; i < s->n_processes; i++)
		sum += hash_process(s, &s->processes[i]);
	return sum;
}

/* ---- what the others told ---- */

/* What must not be in two parts, or twice in one. */
static const enum row_kind single_kinds[] = {ROW_PROCESS, ROW_SCAN,  ROW_DEVICE,
											 ROW_SERIES,  ROW_STEPS, ROW_COMM};
enum { SINGLE_KINDS = sizeof(single_kinds) / sizeof(single_kinds[0]) };

/* Makes it known where these rows are, which sorting and loading do not. */
static int index_rows(struct summary *s)
{
	int error = 0;
	for (size_t k = 0; !error && k < SINGLE_KINDS; k++) {
		struct summary_rows *rows = &s->rows[single_kinds[k]];
		const struct table_rows table = {&rows->at, &rows->n, row_rules[single_kinds[k]].shape};
		if (rows->index.n < rows->n)
			error = table_grow(&rows->index, table);
	}
	return error;
}

/* After index_rows(). */
static bool has_row(const struct summary *s, enum row_kind kind, const void *key)
{
	const struct summary_rows *rows = &s->rows[kind];
	return table_find(&rows->index, rows->at, row_rules[kind].shape, key) != 0;
}

/* Has `s` the row of a device of another summary? */
static bool has_scan(const struct summary *s, const char *device)
{
	struct scan_summary key = {0};
	return strings_find(&s->pool, device, strlen(device), &key.device) &&
		   has_row(s, ROW_SCAN, &key);
}

static bool has_process(const struct summary *s, const struct summary *part,
						const struct process_summary *p)
{
	struct process_summary key = *p;
	const struct text host = strings_get(&part->pool, p->host);
	return strings_find(&s->pool, host.at, host.bytes, &key.host) && has_row(s, ROW_PROCESS, &key);
}

/* Are the devices and processes of `part` among those of `all`? */
static bool is_within(const struct summary *part, const struct summary *all)
{
	for (size_t i = 0; i < part->n_scans; i++)
		if (!has_scan(all, summary_text(part, part->scans[i].device)))
			return false;
	for (size_t i = 0; i < part->n_processes; i++)
		if (!has_process(all, part, &part->processes[i]))
			return false;
	return true;
}

static int meet(struct device_context *context, struct summary *met, const struct summary *own)
{
	struct collectives *all;
	int error = index_rows(met);
	if (error)
		return error;
	if (!is_within(own, met)) {
		diag("--met: the parts in it do not hold these files: merge the part that was made of them "
			 "into it too");
		return -ECANCELED;
	}
	error = collectives_open(&all);
	if (error)
		return error;
	collectives_close(context->collectives);
	context->collectives = all;
	return meetings_load(all, context->run, met);
}

int part_exchange(struct device_context *context, const struct device_scan *scans,
				  const struct generations *generations, struct summary *summary)
{
	struct summary *met = context->options->met;
	if (!may_have_parts(context->run, generations))
		return -ECANCELED;
	int error = note_all(context, scans, summary);
	if (!error && met)
		error = meet(context, met, summary);
	const uint64_t hash = hash_all(met ? met : summary);
	for (size_t i = 0; i < summary->n_scans; i++)
		summary->scans[i].met = hash;
	return error;
}

/* ---- several parts ---- */

static const char *run_of(const struct summary *s)
{
	return s->n_processes ? summary_text(s, s->processes[0].run) : "";
}

/* Is each row there once, and each device among those that were scanned? Others could count twice. */
static bool is_single(const struct summary *part)
{
	bool is = true;
	for (size_t k = 0; k < SINGLE_KINDS; k++) {
		const enum row_kind kind = single_kinds[k];
		const struct summary_rows *rows = &part->rows[kind];
		const struct table_shape shape = row_rules[kind].shape;
		for (size_t i = 0; is && i < rows->n; i++) {
			const char *row = (const char *)rows->at + i * shape.row_bytes;
			const void *device = kind == ROW_COMM ? &part->comms[i].device : (const void *)row;
			is = table_find(&rows->index, rows->at, shape, row) == i + 1;
			if (is && kind != ROW_PROCESS) /* their keys begin with the device */
				is = has_row(part, ROW_SCAN, device);
		}
	}
	return is;
}

static int refuse_summary(const struct summary *summary, const char *name)
{
	if (stretches_are(summary))
		diag(
			"%s: a summary of stretches of time: it does not say when its ranks and those of other "
			"nodes met, so it cannot be merged; report each node's by itself, or let all nodes "
			"record into one directory",
			name);
	else
		diag("%s: a summary, but not a part: baton reduce --part -o FILE DIR makes one", name);
	return STATUS_USAGE;
}

int part_add(struct summary *sum, struct summary *part, const char *name)
{
	int error = index_rows(part);
	if (!error)
		error = index_rows(sum);
	if (error) {
		diag("%s: %s", name, strerror(-error));
		return STATUS_INPUT;
	}
	if (!part_is(part))
		return refuse_summary(part, name);
	if (!is_single(part)) {
		diag("%s: damaged: it lists a device twice, or has numbers of one that it does not list",
			 name);
		return STATUS_INPUT;
	}
	if (part_is(sum) && strcmp(run_of(sum), run_of(part)) != 0) {
		diag("%s: part of another run (%.63s) than the parts before it (%.63s)", name, run_of(part),
			 run_of(sum));
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < part->n_scans; i++) {
		const char *device = summary_text(part, part->scans[i].device);
		if (!has_scan(sum, device))
			continue;
		diag("%s: device %s is in an earlier part too, and would count twice", name, device);
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < part->n_processes; i++) {
		if (!has_process(sum, part, &part->processes[i]))
			continue;
		diag("%s: process %lld of %s is in an earlier part too", name,
			 (long long)part->processes[i].pid, summary_text(part, part->processes[i].host));
		return STATUS_USAGE;
	}
	error = summary_merge(sum, part);
	if (error)
		diag("%s: %s", name, strerror(-error));
	return error ? STATUS_INPUT : STATUS_OK;
}

/* Texts of one pool: equal ones have one id. */
static int by_id(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static int count_hosts(struct summary *s)
{
	uint32_t *ids = malloc((s->n_processes + 1) * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_processes; i++)
		ids[i] = s->processes[i].host;
	sort_rows(ids, s->n_processes, sizeof(*ids), by_id);
	s->run.hosts = 0;
	for (size_t i = 0; i < s->n_processes; i++)
		s->run.hosts += i == 0 || ids[i] != ids[i - 1];
	free(ids);
	return 0;
}

static int list_ranks(struct summary *s)
{
	struct run_summary *run = &s->run;
	free(run->ranks);
	free(run->missing_ranks);
	run->missing_ranks = NULL;
	run->n_ranks = run->n_missing_ranks = 0;
	run->world_size = -1;
	run->ranks = malloc((s->n_processes + 1) * sizeof(*run->ranks));
	if (!run->ranks)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_processes; i++) {
		const struct process_summary *p = &s->processes[i];
		run->world_size = p->world_size > run->world_size ? p->world_size : run->world_size;
		if (p->rank >= 0)
			run->ranks[run->n_ranks++] = p->rank;
	}
	return describe_ranks(run);
}

static uint32_t least_text(const struct summary *s, uint32_t a, uint32_t b)
{
	return strcmp(summary_text(s, b), summary_text(s, a)) < 0 ? b : a;
}

static void find_source(struct summary *s)
{
	s->run.source = s->n_processes ? s->processes[0].source : 0;
	s->run.run_id = s->n_processes ? s->processes[0].run : 0;
	for (size_t i = 1; i < s->n_processes; i++) {
		s->run.source = least_text(s, s->run.source, s->processes[i].source);
		s->run.run_id = least_text(s, s->run.run_id, s->processes[i].run);
	}
}

int part_finish(struct summary *s, const struct reduce_options *options)
{
	bool by_period = false, by_optimizer = false;
	for (size_t i = 0; i < s->n_scans; i++) {
		const uint32_t flags = s->scans[i].flags;
		by_period |= (flags & BATON_SCAN_PERIOD) && (flags & BATON_SCAN_STEPS);
		by_optimizer |= (flags & BATON_SCAN_OPTIMIZER) != 0;
	}
	for (size_t i = 0; i < s->n_series; i++)
		series_coarsen(&s->series[i], series_most(s->n_scans));
	int error = list_ranks(s);
	if (!error)
		error = count_hosts(s);
	if (!error)
		error = describe_steps(s, options, by_period, by_optimizer);
	if (!error)
		error = summary_string(s, "cupti", &s->run.mode);
	find_source(s);
	summary_sort(s);
	return error;
}

int part_check(const struct summary *s)
{
	char path[64];
	struct summary again;
	const int file = memfd_create("baton", MFD_CLOEXEC);
	const int copy = file < 0 ? -1 : dup(file);
	int error = copy < 0 ? -errno : summary_write(copy, s, ""); /* closes it */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (!error)
		error = summary_load_alone(path, "", &again);
	if (!error)
		summary_free(&again);
	if (file >= 0)
		close(file);
	return error;
}

/* ---- is all known? ---- */

size_t part_unmet(const struct summary *s)
{
	const size_t all = s->n_scans;
	size_t unmet = 0;
	uint64_t *met_of = calloc(s->pool.n + 1, sizeof(*met_of)); /* by text: equal ones are one */
	bool *is_unmet = calloc(s->pool.n + 1, sizeof(*is_unmet));
	for (size_t i = 0; met_of && is_unmet && i < all; i++)
		met_of[s->scans[i].device] = s->scans[i].met;
	for (size_t i = 0, end; met_of && is_unmet && i < s->n_comms; i = end) { /* sorted */
		bool apart = false;
		for (end = i; end < s->n_comms && s->comms[end].comm == s->comms[i].comm; end++)
			apart |= met_of[s->comms[end].device] != met_of[s->comms[i].device];
		for (size_t k = i; apart && k < end; k++)
			is_unmet[s->comms[k].device] = true;
	}
	for (size_t i = 0; is_unmet && i < all; i++)
		unmet += is_unmet[s->scans[i].device];
	const bool told = met_of && is_unmet;
	free(met_of);
	free(is_unmet);
	return told ? unmet : all;
}

bool part_disagrees(const struct summary *s)
{
	struct device_scan *scans = calloc(s->n_scans + 1, sizeof(*scans));
	for (size_t i = 0; scans && i < s->n_scans; i++) {
		const struct scan_summary *from = &s->scans[i];
		scans[i].empty = from->flags & BATON_SCAN_EMPTY;
		scans[i].by_period = from->flags & BATON_SCAN_PERIOD;
		scans[i].launches = from->launches;
		scans[i].period_steps = from->found;
		scans[i].fit.looked = from->looked;
		scans[i].fit.complete = from->complete;
	}
	const bool needed = scans && consensus_needed(scans, s->n_scans);
	free(scans);
	return needed;
}

void part_close(struct summary *s)
{
	for (size_t i = 0; i < sizeof(own_kinds) / sizeof(own_kinds[0]); i++) {
		struct summary_rows *rows = &s->rows[own_kinds[i]];
		free(rows->at);
		table_free(&rows->index);
		*rows = (struct summary_rows){0};
	}
}
