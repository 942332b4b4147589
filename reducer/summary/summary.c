#include "summary/summary.h"

#include "summary/row_kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int summary_init(struct summary *summary)
{
	const struct record_kind *quality = record_kind(BATON_S_QUALITY);
	memset(summary, 0, sizeof(*summary));
	summary->run.world_size = -1;
	for (unsigned i = 0; i < quality->n_fields; i++)
		if (quality->fields[i].least == -1) /* not known */
			field_set(&quality->fields[i], &summary->quality, 0, -1);
	return strings_init(&summary->pool);
}

void summary_free(struct summary *summary)
{
	for (int kind = 0; kind < ROW_KINDS; kind++) {
		const struct row_rules *rules = &row_rules[kind];
		struct summary_rows *rows = &summary->rows[kind];
		for (size_t i = 0; rules->free && i < rows->n; i++)
			rules->free((char *)rows->at + i * rules->shape.row_bytes);
		free(rows->at);
		table_free(&rows->index);
	}
	free(summary->run.missing_ranks);
	free(summary->run.ranks);
	strings_free(&summary->pool);
	memset(summary, 0, sizeof(*summary));
}

int summary_string(struct summary *summary, const char *text, uint32_t *id)
{
	*id = 0;
	return text[0] ? strings_add(&summary->pool, text, strlen(text), id, NULL) : 0;
}

void *summary_row(struct summary *summary, enum row_kind kind, const void *key)
{
	struct summary_rows *rows = &summary->rows[kind];
	return table_row(&rows->index, (struct table_rows){&rows->at, &rows->n, row_rules[kind].shape},
					 key);
}

struct device_summary *summary_device(struct summary *summary, const char *key)
{
	struct device_summary row = {0};
	if (summary_string(summary, key, &row.key) != 0)
		return NULL;
	return summary_row(summary, ROW_DEVICE, &row);
}

struct kernel_summary *summary_kernel(struct summary *summary, const char *name,
									  const char *class_name)
{
	struct kernel_summary row = {0};
	if (summary_string(summary, name, &row.name) != 0 ||
		summary_string(summary, class_name, &row.class_name) != 0)
		return NULL;
	return summary_row(summary, ROW_KERNEL, &row);
}

struct nccl_summary *summary_nccl(struct summary *summary, const struct nccl_summary *key)
{
	size_t before = summary->n_nccl;
	struct nccl_summary *row = summary_row(summary, ROW_NCCL, key);
	if (row && summary->n_nccl > before)
		row->max_bytes_moved = key->max_bytes_moved;
	return row;
}

static int add_evidence(struct summary *summary, enum row_kind kind, const char *device,
						const char *what, struct evidence row)
{
	if (summary_string(summary, device, &row.device) != 0 ||
		summary_string(summary, what, &row.what) != 0)
		return -ENOMEM;
	return summary_add(summary, kind, &row);
}

int summary_evidence(struct summary *summary, const char *device, enum leaf leaf, const char *what,
					 uint64_t count, int64_t ns)
{
	return add_evidence(summary, ROW_EVIDENCE, device, what,
						(struct evidence){.leaf = leaf, .count = count, .ns = ns});
}

int summary_stall(struct summary *summary, const char *device, const char *line,
				  const struct evidence *add)
{
	return add_evidence(summary, ROW_STALL, device, line, *add);
}

static struct late_summary *late_row(struct summary *summary, enum row_kind kind,
									 const char *device, int32_t rank)
{
	struct late_summary row = {.rank = rank};
	if (summary_string(summary, device, &row.device) != 0)
		return NULL;
	return summary_row(summary, kind, &row);
}

struct late_summary *summary_late(struct summary *summary, const char *device, int32_t rank)
{
	return late_row(summary, ROW_LATE, device, rank);
}

struct late_summary *summary_partial(struct summary *summary, const char *device, int32_t rank)
{
	return late_row(summary, ROW_PARTIAL, device, rank);
}

struct site_summary *summary_site(struct summary *summary, const struct site_summary *key)
{
	return summary_row(summary, ROW_SITE, key);
}

struct steps_summary *summary_steps(struct summary *summary, const char *device)
{
	struct steps_summary row = {0};
	if (summary_string(summary, device, &row.device) != 0)
		return NULL;
	return summary_row(summary, ROW_STEPS, &row);
}

int summary_spread(struct summary *summary, const char *device, const struct spread *add)
{
	struct spread row = *add;
	if (summary_string(summary, device, &row.device) != 0)
		return -ENOMEM;
	return summary_add(summary, ROW_SPREAD, &row);
}

int summary_series(struct summary *summary, const char *device, const char *what,
				   const struct series *add)
{
	struct series row = *add;
	if (summary_string(summary, device, &row.device) != 0 ||
		summary_string(summary, what, &row.what) != 0)
		return -ENOMEM;
	return summary_add(summary, ROW_SERIES, &row);
}

bool summary_device_adds_up(const struct device_summary *device)
{
	__int128 sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += device->time_ns[leaf];
	return sum == device->window_ns;
}

/* Numbers of 64 bits, one or one for each group. */
#define ADD(R, type, name, ...)                                        \
	for (size_t i = 0; i < sizeof(into->name) / sizeof(uint64_t); i++) \
		((uint64_t *)&into->name)[i] += ((const uint64_t *)&from->name)[i];

void site_sums_add(struct site_sums *into, const struct site_sums *from)
{
	BATON_S_SITE_SUMS(ADD, );
}
