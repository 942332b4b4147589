#include "summary/summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int summary_init(struct summary *summary)
{
	memset(summary, 0, sizeof(*summary));
	summary->run.world_size = -1;
	summary->quality.clock_residual_ns = -1;
	summary->quality.tool_ns = -1;
	return strings_init(&summary->pool);
}

void summary_free(struct summary *summary)
{
	for (size_t i = 0; i < summary->n_devices; i++) {
		free(summary->devices[i].ranks);
		free(summary->devices[i].pids);
		counts_free(&summary->devices[i].step_ns);
	}
	for (size_t i = 0; i < summary->n_kernels; i++)
		counts_free(&summary->kernels[i].dur_ns);
	table_free(&summary->index_devices);
	table_free(&summary->index_kernels);
	table_free(&summary->index_nccl);
	table_free(&summary->index_evidence);
	table_free(&summary->index_late);
	table_free(&summary->index_partial);
	table_free(&summary->index_sites);
	table_free(&summary->index_stalls);
	table_free(&summary->index_spreads);
	free(summary->devices);
	free(summary->kernels);
	free(summary->nccl);
	free(summary->evidence);
	free(summary->late);
	free(summary->partial);
	free(summary->sites);
	free(summary->stalls);
	free(summary->spreads);
	free(summary->run.missing_ranks);
	free(summary->run.ranks);
	strings_free(&summary->pool);
	memset(summary, 0, sizeof(*summary));
}

/* The row with the key of `key`, which is one too, zero behind the key when it is new. NULL: out of
 * memory. */
#define ROW(summary, array, last_of_key, key) \
	table_row(&(summary)->index_##array,      \
			  TABLE_ROWS((summary)->array, (summary)->n_##array, last_of_key), key)

int summary_string(struct summary *summary, const char *text, uint32_t *id)
{
	*id = 0;
	return text[0] ? strings_add(&summary->pool, text, strlen(text), id, NULL) : 0;
}

struct device_summary *summary_device(struct summary *summary, const char *key)
{
	struct device_summary row = {0};
	if (summary_string(summary, key, &row.key) != 0)
		return NULL;
	return ROW(summary, devices, key, &row);
}

struct kernel_summary *summary_kernel(struct summary *summary, const char *name,
									  const char *class_name)
{
	struct kernel_summary row = {0};
	if (summary_string(summary, name, &row.name) != 0 ||
		summary_string(summary, class_name, &row.class_name) != 0)
		return NULL;
	return ROW(summary, kernels, class_name, &row);
}

struct nccl_summary *summary_nccl(struct summary *summary, const struct nccl_summary *key)
{
	size_t before = summary->n_nccl;
	struct nccl_summary *row = ROW(summary, nccl, bytes, key);
	if (row && summary->n_nccl > before)
		row->max_bytes_moved = key->max_bytes_moved;
	return row;
}

/* Adds to a row of `add` what is to be counted. */
static int count_evidence(struct evidence *row, const struct evidence *add)
{
	if (!row)
		return -ENOMEM;
	row->count += add->count;
	row->ns += add->ns;
	return 0;
}

int summary_evidence(struct summary *summary, const char *device, enum leaf leaf, const char *what,
					 uint64_t count, int64_t ns)
{
	struct evidence row = {.leaf = (uint8_t)leaf, .count = count, .ns = ns};
	if (summary_string(summary, device, &row.device) != 0 ||
		summary_string(summary, what, &row.what) != 0)
		return -ENOMEM;
	return count_evidence(ROW(summary, evidence, before, &row), &row);
}

int summary_stall(struct summary *summary, const char *device, const char *line,
				  const struct evidence *add)
{
	struct evidence row = {.leaf = add->leaf, .before = add->before};
	if (summary_string(summary, device, &row.device) != 0 ||
		summary_string(summary, line, &row.what) != 0)
		return -ENOMEM;
	return count_evidence(ROW(summary, stalls, before, &row), add);
}

struct late_summary *summary_late(struct summary *summary, const char *device, int32_t rank)
{
	struct late_summary row = {.rank = rank};
	if (summary_string(summary, device, &row.device) != 0)
		return NULL;
	return ROW(summary, late, rank, &row);
}

struct late_summary *summary_partial(struct summary *summary, const char *device, int32_t rank)
{
	struct late_summary row = {.rank = rank};
	if (summary_string(summary, device, &row.device) != 0)
		return NULL;
	return ROW(summary, partial, rank, &row);
}

struct site_summary *summary_site(struct summary *summary, const struct site_summary *key)
{
	return ROW(summary, sites, backward, key);
}

int summary_spread(struct summary *summary, const char *device, const struct spread *add)
{
	struct spread row = {.leaf = add->leaf, .octave = add->octave};
	if (summary_string(summary, device, &row.device) != 0)
		return -ENOMEM;
	struct spread *found = ROW(summary, spreads, octave, &row);
	if (!found)
		return -ENOMEM;
	bool longer = add->worst_ns > found->worst_ns;
	if (longer || (add->worst_ns == found->worst_ns && add->worst_step < found->worst_step))
		found->worst_step = add->worst_step;
	found->worst_ns = longer ? add->worst_ns : found->worst_ns;
	found->steps += add->steps;
	found->ns += add->ns;
	return 0;
}

bool summary_device_adds_up(const struct device_summary *device)
{
	__int128 sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += device->time_ns[leaf];
	return sum == device->window_ns;
}

void site_sums_add(struct site_sums *into, const struct site_sums *from)
{
	for (int group = 0; group < SUMMARY_GROUPS; group++)
		into->gpu_ns[group] += from->gpu_ns[group];
	into->launches += from->launches;
	into->launch_ns += from->launch_ns;
	into->cpu_ns += from->cpu_ns;
	into->host_ns += from->host_ns;
}

int64_t site_gpu_ns(const struct site_sums *sums)
{
	int64_t sum = 0;
	for (int group = 0; group < SUMMARY_GROUPS; group++)
		sum += sums->gpu_ns[group];
	return sum;
}

int64_t site_weight(const struct site_sums *sums)
{
	return site_gpu_ns(sums) + sums->cpu_ns + sums->host_ns;
}
