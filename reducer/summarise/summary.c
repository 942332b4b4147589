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
	free(summary->index_partial.slots);
	free(summary->index_sites.slots);
	free(summary->index_stalls.slots);
	free(summary->index_spreads.slots);
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
	return mix(mix(e->device, (uint64_t)e->before << 8 | e->leaf), e->what);
}

static bool evidence_equal(const void *a, const void *b)
{
	const struct evidence *x = a, *y = b;
	return x->device == y->device && x->leaf == y->leaf && x->before == y->before &&
		   x->what == y->what;
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

static uint64_t site_hash(const void *row)
{
	const struct site_summary *s = row;
	return mix(mix(s->by, s->what), (uint64_t)s->kind << 8 | s->backward);
}

static bool site_equal(const void *a, const void *b)
{
	const struct site_summary *x = a, *y = b;
	return x->by == y->by && x->kind == y->kind && x->backward == y->backward && x->what == y->what;
}

static uint64_t spread_hash(const void *row)
{
	const struct spread *s = row;
	return mix(mix(4, s->device), (uint64_t)s->leaf << 8 | s->octave);
}

static bool spread_equal(const void *a, const void *b)
{
	const struct spread *x = a, *y = b;
	return x->device == y->device && x->leaf == y->leaf && x->octave == y->octave;
}

#define TABLE(summary, array, hash, equal)                              \
	(&(struct table){(void **)&(summary)->array, &(summary)->n_##array, \
					 sizeof((summary)->array[0]), &(summary)->index_##array, hash, equal})

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
	return table_row(TABLE(summary, devices, device_hash, device_equal), &row);
}

struct kernel_summary *summary_kernel(struct summary *summary, const char *name,
									  const char *class_name)
{
	struct kernel_summary row = {0};
	if (summary_string(summary, name, &row.name) != 0 ||
		summary_string(summary, class_name, &row.class_name) != 0)
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

static int add_evidence(struct summary *summary, const struct table *table,
						const struct evidence *add, const char *device, const char *what)
{
	struct evidence row = {.leaf = add->leaf, .before = add->before};
	if (summary_string(summary, device, &row.device) != 0 ||
		summary_string(summary, what, &row.what) != 0)
		return -ENOMEM;
	struct evidence *found = table_row(table, &row);
	if (!found)
		return -ENOMEM;
	found->count += add->count;
	found->ns += add->ns;
	return 0;
}

int summary_evidence(struct summary *summary, const char *device, enum leaf leaf, const char *what,
					 uint64_t count, int64_t ns)
{
	struct evidence add = {.leaf = (uint8_t)leaf, .count = count, .ns = ns};
	return add_evidence(summary, TABLE(summary, evidence, evidence_hash, evidence_equal), &add,
						device, what);
}

int summary_stall(struct summary *summary, const char *device, const char *line,
				  const struct evidence *add)
{
	return add_evidence(summary, TABLE(summary, stalls, evidence_hash, evidence_equal), add, device,
						line);
}

struct late_summary *summary_late(struct summary *summary, const char *device, int32_t rank)
{
	struct late_summary row = {.rank = rank};
	if (summary_string(summary, device, &row.device) != 0)
		return NULL;
	return table_row(TABLE(summary, late, late_hash, late_equal), &row);
}

struct late_summary *summary_partial(struct summary *summary, const char *device, int32_t rank)
{
	struct late_summary row = {.rank = rank};
	if (summary_string(summary, device, &row.device) != 0)
		return NULL;
	return table_row(TABLE(summary, partial, late_hash, late_equal), &row);
}

struct site_summary *summary_site(struct summary *summary, const struct site_summary *key)
{
	struct site_summary row = {
		.by = key->by, .kind = key->kind, .backward = key->backward, .what = key->what};
	return table_row(TABLE(summary, sites, site_hash, site_equal), &row);
}

int summary_spread(struct summary *summary, const char *device, const struct spread *add)
{
	struct spread row = {.leaf = add->leaf, .octave = add->octave};
	if (summary_string(summary, device, &row.device) != 0)
		return -ENOMEM;
	struct spread *found = table_row(TABLE(summary, spreads, spread_hash, spread_equal), &row);
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
