#include "summarise/summary.h"

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
}

static int merge_processes(struct device_summary *into, const struct device_summary *from)
{
	if (into->n_processes || from->n_processes == 0)
		return 0;
	into->ranks = malloc(from->n_processes * sizeof(*into->ranks));
	into->pids = malloc(from->n_processes * sizeof(*into->pids));
	if (!into->ranks || !into->pids)
		return -ENOMEM;
	memcpy(into->ranks, from->ranks, from->n_processes * sizeof(*into->ranks));
	memcpy(into->pids, from->pids, from->n_processes * sizeof(*into->pids));
	into->n_processes = from->n_processes;
	return 0;
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
		if (!error && !row->name)
			error = summary_string(into, summary_text(from, d->name), &row->name);
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
		row->group = k->group;
		row->tensor_core = k->tensor_core;
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
	for (size_t i = 0; !error && i < from->n_late; i++) {
		const struct late_summary *l = &from->late[i];
		struct late_summary *row = summary_late(into, summary_text(from, l->device), l->rank);
		if (!row)
			return -ENOMEM;
		row->last += l->last;
		row->taken += l->taken;
		row->caused_ns += l->caused_ns;
	}
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
	into->hand_offs += from->hand_offs;
	into->steps_cut += from->steps_cut;
	into->launches += from->launches;
	into->rounded_quantiles += from->rounded_quantiles;
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
	merge_quality(&into->quality, &from->quality);
	return error;
}
