#include "summary/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that add up, as a list of offsets would be less readable than this. */
static void add_device_numbers(struct device_summary *into, const struct device_summary *from)
{
	into->steps += from->steps;
	into->window_ns += from->window_ns;
	into->hull_ns += from->hull_ns;
	into->hull_idle_ns += from->hull_idle_ns;
	into->lead_in_ns += from->lead_in_ns;
	into->nccl_hidden_ns += from->nccl_hidden_ns;
	into->floor_ns = from->floor_ns > into->floor_ns ? from->floor_ns : into->floor_ns;
	into->queued_gap_ns =
		from->queued_gap_ns > into->queued_gap_ns ? from->queued_gap_ns : into->queued_gap_ns;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		into->time_ns[leaf] += from->time_ns[leaf];
	for (int group = 0; group < SUMMARY_GROUPS; group++)
		into->busy_ns[group] += from->busy_ns[group];
	into->carried |= from->carried;
	into->kernels += from->kernels;
	into->launches += from->launches;
	into->short_kernels += from->short_kernels;
	for (int kind = 0; kind < READINGS; kind++)
		reading_add(&into->readings[kind], &from->readings[kind]);
}

/* -1 sorts last, as in the order of devices. */
static bool process_before(int32_t rank, int64_t pid, int32_t other_rank, int64_t other_pid)
{
	uint32_t a = (uint32_t)rank, b = (uint32_t)other_rank;
	return a != b ? a < b : pid < other_pid;
}

/* The union of two sorted lists. */
static int merge_processes(struct device_summary *into, const struct device_summary *from)
{
	size_t room = (size_t)into->n_processes + from->n_processes;
	if (from->n_processes == 0)
		return 0;
	int32_t *ranks = malloc(room * sizeof(*ranks));
	int64_t *pids = malloc(room * sizeof(*pids));
	if (!ranks || !pids) {
		free(ranks);
		free(pids);
		return -ENOMEM;
	}
	uint32_t n = 0, i = 0, k = 0;
	while (i < into->n_processes || k < from->n_processes) {
		bool first = k == from->n_processes ||
					 (i < into->n_processes && !process_before(from->ranks[k], from->pids[k],
															   into->ranks[i], into->pids[i]));
		int32_t rank = first ? into->ranks[i] : from->ranks[k];
		int64_t pid = first ? into->pids[i] : from->pids[k];
		i += first;
		k += !first;
		if (n > 0 && ranks[n - 1] == rank && pids[n - 1] == pid)
			continue;
		ranks[n] = rank;
		pids[n++] = pid;
	}
	free(into->ranks);
	free(into->pids);
	into->ranks = ranks;
	into->pids = pids;
	into->n_processes = n;
	return 0;
}

/* Of two names the first in order of bytes: no order of merging prefers another. */
static int merge_name(struct summary *into, uint32_t *name, const char *other)
{
	bool take = other[0] && (!*name || strcmp(other, summary_text(into, *name)) < 0);
	return take ? summary_string(into, other, name) : 0;
}

static int merge_devices(struct summary *into, const struct summary *from)
{
	int error = 0;
	for (size_t i = 0; !error && i < from->n_devices; i++) {
		const struct device_summary *d = &from->devices[i];
		struct device_summary *row = summary_device(into, summary_text(from, d->key));
		if (!row)
			return -ENOMEM;
		add_device_numbers(row, d);
		error = merge_processes(row, d);
		if (!error)
			error = merge_name(into, &row->name, summary_text(from, d->name));
		if (!error)
			error = counts_merge(&row->step_ns, &d->step_ns);
	}
	return error;
}

static int merge_kernels(struct summary *into, const struct summary *from)
{
	int error = 0;
	for (size_t i = 0; !error && i < from->n_kernels; i++) {
		const struct kernel_summary *k = &from->kernels[i];
		struct kernel_summary *row =
			summary_kernel(into, summary_text(from, k->name), summary_text(from, k->class_name));
		if (!row)
			return -ENOMEM;
		bool is_new = row->count == 0;
		row->group = is_new || k->group < row->group ? k->group : row->group;
		row->tensor_core =
			is_new || k->tensor_core > row->tensor_core ? k->tensor_core : row->tensor_core;
		row->count += k->count;
		row->total_ns += k->total_ns;
		error = counts_merge(&row->dur_ns, &k->dur_ns);
	}
	return error;
}

static int merge_nccl(struct summary *into, const struct summary *from)
{
	for (size_t i = 0; i < from->n_nccl; i++) {
		struct nccl_summary key = from->nccl[i];
		if (summary_string(into, summary_text(from, key.op), &key.op) ||
			summary_string(into, summary_text(from, key.comm), &key.comm) ||
			summary_string(into, summary_text(from, key.reason), &key.reason))
			return -ENOMEM;
		struct nccl_summary *row = summary_nccl(into, &key);
		if (!row)
			return -ENOMEM;
		row->count += key.count;
		row->transfer_ns += key.transfer_ns;
		row->wait_ns += key.wait_ns;
		row->unsplit_ns += key.unsplit_ns;
		if (key.max_bytes_moved > row->max_bytes_moved)
			row->max_bytes_moved = key.max_bytes_moved;
	}
	return 0;
}

static int merge_evidence(struct summary *into, const struct summary *from)
{
	int error = 0;
	for (size_t i = 0; !error && i < from->n_evidence; i++) {
		const struct evidence *e = &from->evidence[i];
		error = summary_evidence(into, summary_text(from, e->device), (enum leaf)e->leaf,
								 summary_text(from, e->what), e->count, e->ns);
	}
	return error;
}

static int add_late(struct late_summary *row, const struct late_summary *l)
{
	if (!row)
		return -ENOMEM;
	row->last += l->last;
	row->taken += l->taken;
	row->caused_ns += l->caused_ns;
	return 0;
}

static int merge_late(struct summary *into, const struct summary *from)
{
	int error = 0;
	for (size_t i = 0; !error && i < from->n_late; i++)
		error = add_late(
			summary_late(into, summary_text(from, from->late[i].device), from->late[i].rank),
			&from->late[i]);
	for (size_t i = 0; !error && i < from->n_partial; i++)
		error = add_late(summary_partial(into, summary_text(from, from->partial[i].device),
										 from->partial[i].rank),
						 &from->partial[i]);
	return error;
}

static int merge_sites(struct summary *into, const struct summary *from)
{
	int error = 0;
	for (size_t i = 0; !error && i < from->n_stalls; i++) {
		const struct evidence *e = &from->stalls[i];
		error = summary_stall(into, summary_text(from, e->device), summary_text(from, e->what), e);
	}
	for (size_t i = 0; !error && i < from->n_sites; i++) {
		struct site_summary key = from->sites[i];
		error = summary_string(into, summary_text(from, key.what), &key.what);
		struct site_summary *row = error ? NULL : summary_site(into, &key);
		if (!row)
			return -ENOMEM;
		row->rows += key.rows;
		site_sums_add(&row->sums, &key.sums);
	}
	return error;
}

static int merge_spreads(struct summary *into, const struct summary *from)
{
	int error = 0;
	for (size_t i = 0; !error && i < from->n_spreads; i++)
		error =
			summary_spread(into, summary_text(from, from->spreads[i].device), &from->spreads[i]);
	return error;
}

/* -1 means not known and gives way to a number. */
static int64_t add_known(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : a + b;
}

static void merge_quality(struct quality *into, const struct quality *from)
{
	into->records += from->records;
	into->dropped += from->dropped;
	into->in_flight += from->in_flight;
	into->ops += from->ops;
	into->unmatched_ops += from->unmatched_ops;
	into->invalid_timestamps += from->invalid_timestamps;
	into->invalid_events += from->invalid_events;
	into->truncated_files += from->truncated_files;
	into->unreadable_files += from->unreadable_files;
	into->unrecorded_ns += from->unrecorded_ns;
	into->unsampled_ns += from->unsampled_ns;
	into->hand_offs += from->hand_offs;
	into->steps_cut += from->steps_cut;
	into->launches += from->launches;
	into->rounded_quantiles = 0; /* of the merged tables: counted when they are complete */
	into->tool_ns = add_known(into->tool_ns, from->tool_ns);
	if (from->clock_residual_ns > into->clock_residual_ns)
		into->clock_residual_ns = from->clock_residual_ns;
}

int summary_merge(struct summary *into, const struct summary *from)
{
	int error = merge_devices(into, from);
	if (!error)
		error = merge_kernels(into, from);
	if (!error)
		error = merge_nccl(into, from);
	if (!error)
		error = merge_evidence(into, from);
	if (!error)
		error = merge_late(into, from);
	if (!error)
		error = merge_sites(into, from);
	if (!error)
		error = merge_spreads(into, from);
	merge_quality(&into->quality, &from->quality);
	return error;
}
