#include "summarise/summary.h"

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
	free(summary->index_devices.slots);
	free(summary->index_kernels.slots);
	free(summary->index_nccl.slots);
	free(summary->index_evidence.slots);
	free(summary->index_late.slots);
	free(summary->devices);
	free(summary->kernels);
	free(summary->nccl);
	free(summary->evidence);
	free(summary->late);
	free(summary->run.missing_ranks);
	free(summary->run.ranks);
	strings_free(&summary->pool);
	memset(summary, 0, sizeof(*summary));
}

/* ---- rows by key: one of the arrays with a hash over it, both grown together ---- */

struct table {
	void **rows;
	size_t *n;
	size_t row_bytes;
	struct summary_index *index;
	uint64_t (*hash)(const void *row);
	bool (*equal)(const void *a, const void *b);
};

static char *table_at(const struct table *t, size_t i)
{
	return (char *)*t->rows + i * t->row_bytes;
}

static uint32_t *table_slot(const struct table *t, const void *key)
{
	uint32_t mask = t->index->room - 1;
	for (uint32_t i = (uint32_t)(t->hash(key) >> 32) & mask;; i = (i + 1) & mask)
		if (t->index->slots[i] == 0 || t->equal(table_at(t, t->index->slots[i] - 1), key))
			return &t->index->slots[i];
}

static int table_grow(const struct table *t)
{
	uint32_t room = t->index->room ? 2 * t->index->room : 64;
	while (room / 2 <= *t->n)
		room *= 2; /* after a sort the index begins anew with all rows in place */
	void *rows = realloc(*t->rows, room / 2 * t->row_bytes);
	if (!rows)
		return -ENOMEM;
	*t->rows = rows;
	uint32_t *slots = calloc(room, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(t->index->slots);
	*t->index = (struct summary_index){slots, room};
	for (size_t i = 0; i < *t->n; i++)
		*table_slot(t, table_at(t, i)) = (uint32_t)i + 1;
	return 0;
}

/* The row with the key fields of `key` (a whole row, the rest zero), appended when it is new. NULL:
 * out of memory. */
static void *table_row(const struct table *t, const void *key)
{
	if (2 * *t->n >= t->index->room && table_grow(t) != 0)
		return NULL;
	uint32_t *slot = table_slot(t, key);
	if (*slot == 0) {
		memcpy(table_at(t, *t->n), key, t->row_bytes);
		*slot = (uint32_t)++ * t->n;
	}
	return table_at(t, *slot - 1);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ b) * UINT64_C(0x9E3779B97F4A7C15);
	return a ^ a >> 29;
}

static uint64_t device_hash(const void *row)
{
	const struct device_summary *d = row;
	return mix(1, d->key);
}

static bool device_equal(const void *a, const void *b)
{
	const struct device_summary *x = a, *y = b;
	return x->key == y->key;
}

static uint64_t kernel_hash(const void *row)
{
	const struct kernel_summary *k = row;
	return mix(mix(2, k->name), k->class_name);
}

static bool kernel_equal(const void *a, const void *b)
{
	const struct kernel_summary *x = a, *y = b;
	return x->name == y->name && x->class_name == y->class_name;
}

static uint64_t nccl_hash(const void *row)
{
	const struct nccl_summary *n = row;
	return mix(mix(mix(mix(n->op, n->comm), n->reason), n->members), (uint64_t)n->bytes);
}

static bool nccl_equal(const void *a, const void *b)
{
	const struct nccl_summary *x = a, *y = b;
	return x->op == y->op && x->comm == y->comm && x->reason == y->reason &&
		   x->members == y->members && x->bytes == y->bytes;
}

static uint64_t evidence_hash(const void *row)
{
	const struct evidence *e = row;
	return mix(mix(e->device, e->leaf), e->what);
}

static bool evidence_equal(const void *a, const void *b)
{
	const struct evidence *x = a, *y = b;
	return x->device == y->device && x->leaf == y->leaf && x->what == y->what;
}

static uint64_t late_hash(const void *row)
{
	const struct late_summary *l = row;
	return mix(mix(3, l->device), (uint32_t)l->rank);
}

static bool late_equal(const void *a, const void *b)
{
	const struct late_summary *x = a, *y = b;
	return x->device == y->device && x->rank == y->rank;
}

#define TABLE(summary, array, hash, equal)                              \
	(&(struct table){(void **)&(summary)->array, &(summary)->n_##array, \
					 sizeof((summary)->array[0]), &(summary)->index_##array, hash, equal})

static int pool_add(struct summary *summary, const char *text, uint32_t *id)
{
	*id = 0;
	return text[0] ? strings_add(&summary->pool, text, strlen(text), id, NULL) : 0;
}

struct device_summary *summary_device(struct summary *summary, const char *key)
{
	struct device_summary row = {0};
	if (pool_add(summary, key, &row.key) != 0)
		return NULL;
	return table_row(TABLE(summary, devices, device_hash, device_equal), &row);
}

struct kernel_summary *summary_kernel(struct summary *summary, const char *name,
									  const char *class_name)
{
	struct kernel_summary row = {0};
	if (pool_add(summary, name, &row.name) != 0 ||
		pool_add(summary, class_name, &row.class_name) != 0)
		return NULL;
	return table_row(TABLE(summary, kernels, kernel_hash, kernel_equal), &row);
}

struct nccl_summary *summary_nccl(struct summary *summary, const struct nccl_summary *key)
{
	struct nccl_summary row = {.op = key->op,
							   .comm = key->comm,
							   .reason = key->reason,
							   .members = key->members,
							   .bytes = key->bytes,
							   .max_bytes_moved = key->max_bytes_moved};
	return table_row(TABLE(summary, nccl, nccl_hash, nccl_equal), &row);
}

int summary_evidence(struct summary *summary, const char *device, enum leaf leaf, const char *what,
					 uint64_t count, int64_t ns)
{
	struct evidence row = {.leaf = (uint8_t)leaf};
	if (pool_add(summary, device, &row.device) != 0 || pool_add(summary, what, &row.what) != 0)
		return -ENOMEM;
	struct evidence *found =
		table_row(TABLE(summary, evidence, evidence_hash, evidence_equal), &row);
	if (!found)
		return -ENOMEM;
	found->count += count;
	found->ns += ns;
	return 0;
}

struct late_summary *summary_late(struct summary *summary, const char *device, int32_t rank)
{
	struct late_summary row = {.rank = rank};
	if (pool_add(summary, device, &row.device) != 0)
		return NULL;
	return table_row(TABLE(summary, late, late_hash, late_equal), &row);
}

/* ---- merging ---- */

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
			error = pool_add(into, summary_text(from, d->name), &row->name);
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
		if (pool_add(into, summary_text(from, key.op), &key.op) ||
			pool_add(into, summary_text(from, key.comm), &key.comm) ||
			pool_add(into, summary_text(from, key.reason), &key.reason))
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

/* ---- the canonical order ---- */

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_texts(const struct summary *s, uint32_t a, uint32_t b)
{
	return strcmp(summary_text(s, a), summary_text(s, b));
}

static int by_rank(const void *a, const void *b, void *context)
{
	const struct device_summary *x = a, *y = b;
	uint32_t xr = x->n_processes ? (uint32_t)x->ranks[0] : UINT32_MAX; /* -1 sorts last */
	uint32_t yr = y->n_processes ? (uint32_t)y->ranks[0] : UINT32_MAX;
	return xr != yr ? compare_numbers(xr, yr) : compare_texts(context, x->key, y->key);
}

static int by_total(const void *a, const void *b, void *context)
{
	const struct kernel_summary *x = a, *y = b;
	if (x->total_ns != y->total_ns)
		return compare_numbers(y->total_ns, x->total_ns);
	int names = compare_texts(context, x->name, y->name);
	return names ? names : compare_texts(context, x->class_name, y->class_name);
}

static int by_nccl_time(const void *a, const void *b, void *context)
{
	const struct nccl_summary *x = a, *y = b;
	int64_t xt = x->transfer_ns + x->wait_ns + x->unsplit_ns,
			yt = y->transfer_ns + y->wait_ns + y->unsplit_ns;
	int order = compare_numbers(yt, xt);
	order = order ? order : compare_texts(context, x->op, y->op);
	order = order ? order : compare_texts(context, x->comm, y->comm);
	order = order ? order : compare_numbers(x->bytes, y->bytes);
	order = order ? order : compare_numbers(x->members, y->members);
	return order ? order : compare_texts(context, x->reason, y->reason);
}

static int by_evidence_time(const void *a, const void *b, void *context)
{
	const struct evidence *x = a, *y = b;
	int order = compare_numbers(y->ns, x->ns);
	order = order ? order : compare_texts(context, x->device, y->device);
	order = order ? order : compare_numbers(x->leaf, y->leaf);
	return order ? order : compare_texts(context, x->what, y->what);
}

static int by_caused(const void *a, const void *b, void *context)
{
	const struct late_summary *x = a, *y = b;
	int order = compare_numbers(y->caused_ns, x->caused_ns);
	order = order ? order : compare_numbers(x->rank, y->rank);
	return order ? order : compare_texts(context, x->device, y->device);
}

static void sort_rows(struct summary *s, void *rows, size_t n, size_t bytes,
					  struct summary_index *index, int (*order)(const void *, const void *, void *))
{
	if (n > 1)
		qsort_r(rows, n, bytes, order, s);
	free(index->slots); /* row numbers changed: made anew when a row is added */
	*index = (struct summary_index){0};
}

void summary_sort(struct summary *s)
{
	sort_rows(s, s->devices, s->n_devices, sizeof(*s->devices), &s->index_devices, by_rank);
	sort_rows(s, s->kernels, s->n_kernels, sizeof(*s->kernels), &s->index_kernels, by_total);
	sort_rows(s, s->nccl, s->n_nccl, sizeof(*s->nccl), &s->index_nccl, by_nccl_time);
	sort_rows(s, s->evidence, s->n_evidence, sizeof(*s->evidence), &s->index_evidence,
			  by_evidence_time);
	sort_rows(s, s->late, s->n_late, sizeof(*s->late), &s->index_late, by_caused);
}
