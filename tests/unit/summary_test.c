/* Merging summaries: the same rows, in the same order, whatever the order of the parts. */
#include "check.h"
#include "summary/summary.h"

#include <baton/format.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 12, SUMS = 37 };

static uint64_t state = 9;

static uint32_t draw(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 33) % below;
}

static void fill_device(struct device_summary *d, int part)
{
	d->ranks = malloc(sizeof(*d->ranks));
	d->pids = malloc(sizeof(*d->pids));
	d->ranks[0] = part % 5 == 0 ? -1 : part;
	d->pids[0] = 100 + part % 3;
	d->n_processes = 1;
	d->steps = 1 + part;
	d->window_ns = d->time_ns[LEAF_WORK_MATMUL] = 1000 * part;
	d->carried = LEAF_BIT(draw(LEAF_COUNT));
	int64_t *const numbers[] = {&d->hull_ns,        &d->hull_idle_ns, &d->lead_in_ns,
								&d->nccl_hidden_ns, &d->floor_ns,     &d->queued_gap_ns,
								&d->kernels,        &d->launches,     &d->short_kernels};
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = 1 + draw(1000);
	for (int i = 0; i < SUMMARY_GROUPS; i++)
		d->busy_ns[i] = 1 + draw(1000);
	counts_add(&d->step_ns, 1000 + part, 1);
}

static void fill_quality(struct quality *q, int part)
{
	uint64_t *const facts[] = {&q->records,          &q->dropped,
							   &q->in_flight,        &q->ops,
							   &q->unmatched_ops,    &q->invalid_timestamps,
							   &q->invalid_events,   &q->truncated_files,
							   &q->unreadable_files, &q->unrecorded_ns,
							   &q->hand_offs,        &q->steps_cut,
							   &q->launches,         &q->unsampled_ns};
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		*facts[i] = 1 + draw(100);
	q->clock_residual_ns = part % 3 ? -1 : part;
	q->tool_ns = part % 2 ? -1 : part;
}

static void fill_work(struct summary *s, const char *device)
{
	char text[64];
	for (int i = 0; i < 2000; i++) {
		snprintf(text, sizeof(text), "kernel%u", draw(3000));
		struct kernel_summary *k =
			summary_kernel(s, text, draw(2) ? "custom.other" : "matmul.gemm");
		k->group = strcmp(summary_text(s, k->class_name), "custom.other") == 0 ? 2 : 0;
		k->tensor_core = (int8_t)draw(3) - 1;
		k->count++;
		k->total_ns += draw(5);
		counts_add(&k->dur_ns, draw(7), 1);
		snprintf(text, sizeof(text), "range%u", draw(2000));
		summary_evidence(s, device, (enum leaf)draw(LEAF_COUNT), text, 1, draw(3));
	}
}

static void fill_sites(struct summary *s, const char *device)
{
	char text[64];
	for (int i = 0; i < 500; i++) {
		struct site_summary key = {.by = (uint8_t)(1 + draw(5)),
								   .kind = (uint8_t)(1 + draw(4)),
								   .backward = (uint8_t)draw(2)};
		struct site_sums sums = {.launches = 1, .launch_ns = draw(9)};
		for (int group = 0; group < SUMMARY_GROUPS; group++)
			sums.gpu_ns[group] = draw(9);
		sums.cpu_ns = draw(3);
		sums.host_ns = draw(3);
		snprintf(text, sizeof(text), "train.py:%u f", draw(200));
		summary_string(s, text, &key.what);
		struct site_summary *site = summary_site(s, &key);
		site->rows += draw(2);
		site_sums_add(&site->sums, &sums);
		struct evidence stall = {.leaf = (uint8_t)draw(LEAF_COUNT), .before = (uint8_t)draw(2)};
		stall.count = 1;
		stall.ns = draw(5);
		summary_stall(s, device, text, &stall);
	}
}

static void fill_spreads(struct summary *s, const char *device)
{
	for (int i = 0; i < 200; i++) {
		struct spread add = {
			.leaf = (uint8_t)draw(LEAF_COUNT), .octave = (uint8_t)(5 + draw(3)), .steps = 1};
		add.worst_ns = add.ns = (INT64_C(1) << add.octave) + draw(3);
		add.worst_step = draw(9);
		summary_spread(s, device, &add);
	}
}

static void fill_communication(struct summary *s, const char *device)
{
	for (int i = 0; i < 20; i++) {
		struct nccl_summary key = {.members = draw(3), .bytes = (int64_t)draw(3) - 1};
		key.max_bytes_moved = key.bytes * 2;
		summary_string(s, draw(2) ? "AllReduce" : "AllGather", &key.op);
		summary_string(s, draw(2) ? "dp" : "tp", &key.comm);
		summary_string(s, draw(2) ? "one rank" : "", &key.reason);
		struct nccl_summary *n = summary_nccl(s, &key);
		n->count++;
		n->wait_ns += draw(3);
		n->transfer_ns += draw(3);
		n->unsplit_ns += draw(3);
		struct late_summary *late = summary_late(s, device, (int32_t)draw(40));
		late->caused_ns += draw(2);
		late->last++;
		late->taken += 1 + draw(3);
		late = summary_partial(s, draw(2) ? device : "", (int32_t)draw(3) - 1);
		late->caused_ns += draw(2);
		late->taken += 1 + draw(3);
	}
}

/* Rows that overlap with those of other parts: devices, names and keys come from small sets. */
static void fill(struct summary *s, int part)
{
	char device[64];
	summary_init(s);
	snprintf(device, sizeof(device), "host%d/%d", part % 3, part % 2); /* two parts to a device */
	struct device_summary *d = summary_device(s, device);
	summary_string(s, part / 6 ? "B100" : "A100", &d->name);
	fill_device(d, part);
	for (int look = 0; look < part % 4; look++) { /* some parts saw nothing of it */
		reading_take(d->readings, BATON_GAUGE_SM_MHZ, 1000 + draw(900));
		reading_take(d->readings, BATON_GAUGE_EVENT_REASONS, draw(256));
	}
	fill_work(s, device);
	fill_communication(s, device);
	fill_sites(s, device);
	fill_spreads(s, device);
	fill_quality(&s->quality, part);
}

static bool texts_equal(const struct summary *a, uint32_t x, const struct summary *b, uint32_t y)
{
	return strcmp(summary_text(a, x), summary_text(b, y)) == 0;
}

static bool counts_equal(const struct counts *a, const struct counts *b)
{
	struct count *x, *y;
	bool ok = counts_sorted(a, &x) == 0 && counts_sorted(b, &y) == 0 && a->used == b->used &&
			  a->rounded == b->rounded && memcmp(x, y, a->used * sizeof(*x)) == 0;
	free(x);
	free(y);
	return ok;
}

static bool devices_equal(const struct summary *a, const struct summary *b)
{
	bool ok = a->n_devices == b->n_devices;
	for (size_t i = 0; ok && i < a->n_devices; i++) {
		const struct device_summary *x = &a->devices[i], *y = &b->devices[i];
		ok = texts_equal(a, x->key, b, y->key) && texts_equal(a, x->name, b, y->name) &&
			 x->steps == y->steps && x->window_ns == y->window_ns && x->carried == y->carried &&
			 x->hull_ns == y->hull_ns && x->hull_idle_ns == y->hull_idle_ns &&
			 x->lead_in_ns == y->lead_in_ns && x->nccl_hidden_ns == y->nccl_hidden_ns &&
			 x->floor_ns == y->floor_ns && x->queued_gap_ns == y->queued_gap_ns &&
			 x->kernels == y->kernels && x->launches == y->launches &&
			 x->short_kernels == y->short_kernels &&
			 memcmp(x->time_ns, y->time_ns, sizeof(x->time_ns)) == 0 &&
			 memcmp(x->busy_ns, y->busy_ns, sizeof(x->busy_ns)) == 0 &&
			 x->n_processes == y->n_processes &&
			 memcmp(x->ranks, y->ranks, x->n_processes * sizeof(*x->ranks)) == 0 &&
			 memcmp(x->pids, y->pids, x->n_processes * sizeof(*x->pids)) == 0 &&
			 counts_equal(&x->step_ns, &y->step_ns) &&
			 memcmp(x->readings, y->readings, sizeof(x->readings)) == 0;
	}
	return ok;
}

static bool kernels_equal(const struct summary *a, const struct summary *b)
{
	bool ok = a->n_kernels == b->n_kernels;
	for (size_t i = 0; ok && i < a->n_kernels; i++) {
		const struct kernel_summary *x = &a->kernels[i], *y = &b->kernels[i];
		ok = texts_equal(a, x->name, b, y->name) &&
			 texts_equal(a, x->class_name, b, y->class_name) && x->group == y->group &&
			 x->tensor_core == y->tensor_core && x->count == y->count &&
			 x->total_ns == y->total_ns && counts_equal(&x->dur_ns, &y->dur_ns);
	}
	return ok;
}

static bool late_equal(const struct summary *a, const struct late_summary *x, size_t n,
					   const struct summary *b, const struct late_summary *y, size_t m)
{
	bool ok = n == m;
	for (size_t i = 0; ok && i < n; i++)
		ok = texts_equal(a, x[i].device, b, y[i].device) && x[i].rank == y[i].rank &&
			 x[i].last == y[i].last && x[i].taken == y[i].taken && x[i].caused_ns == y[i].caused_ns;
	return ok;
}

static bool others_equal(const struct summary *a, const struct summary *b)
{
	bool ok = a->n_nccl == b->n_nccl && a->n_evidence == b->n_evidence &&
			  late_equal(a, a->late, a->n_late, b, b->late, b->n_late) &&
			  late_equal(a, a->partial, a->n_partial, b, b->partial, b->n_partial);
	for (size_t i = 0; ok && i < a->n_nccl; i++) {
		const struct nccl_summary *x = &a->nccl[i], *y = &b->nccl[i];
		ok = texts_equal(a, x->op, b, y->op) && x->members == y->members && x->bytes == y->bytes &&
			 x->count == y->count && x->wait_ns == y->wait_ns && x->transfer_ns == y->transfer_ns &&
			 x->unsplit_ns == y->unsplit_ns && texts_equal(a, x->comm, b, y->comm) &&
			 texts_equal(a, x->reason, b, y->reason) && x->max_bytes_moved == y->max_bytes_moved;
	}
	for (size_t i = 0; ok && i < a->n_evidence; i++) {
		const struct evidence *x = &a->evidence[i], *y = &b->evidence[i];
		ok = texts_equal(a, x->device, b, y->device) && texts_equal(a, x->what, b, y->what) &&
			 x->leaf == y->leaf && x->count == y->count && x->ns == y->ns;
	}
	return ok && memcmp(&a->quality, &b->quality, sizeof(a->quality)) == 0;
}

static bool sites_equal(const struct summary *a, const struct summary *b)
{
	bool ok = a->n_sites == b->n_sites && a->n_stalls == b->n_stalls;
	for (size_t i = 0; ok && i < a->n_sites; i++) {
		const struct site_summary *x = &a->sites[i], *y = &b->sites[i];
		ok = texts_equal(a, x->what, b, y->what) && x->by == y->by && x->kind == y->kind &&
			 x->backward == y->backward && x->rows == y->rows &&
			 memcmp(&x->sums, &y->sums, sizeof(x->sums)) == 0;
	}
	for (size_t i = 0; ok && i < a->n_stalls; i++) {
		const struct evidence *x = &a->stalls[i], *y = &b->stalls[i];
		ok = texts_equal(a, x->device, b, y->device) && texts_equal(a, x->what, b, y->what) &&
			 x->leaf == y->leaf && x->before == y->before && x->count == y->count && x->ns == y->ns;
	}
	return ok;
}

static bool spreads_equal(const struct summary *a, const struct summary *b)
{
	bool ok = a->n_spreads == b->n_spreads && a->n_spreads > 0;
	for (size_t i = 0; ok && i < a->n_spreads; i++) {
		const struct spread *x = &a->spreads[i], *y = &b->spreads[i];
		ok = texts_equal(a, x->device, b, y->device) && x->leaf == y->leaf &&
			 x->octave == y->octave && x->steps == y->steps && x->ns == y->ns &&
			 x->worst_ns == y->worst_ns && x->worst_step == y->worst_step;
	}
	return ok;
}

/* Merges the parts in a random order into `n` sums, sorts some of them on the way, then the sums.
 */
static void merge_shuffled(const struct summary *parts, int n, struct summary *out)
{
	struct summary sums[PARTS];
	int order[PARTS];
	for (int i = 0; i < PARTS; i++)
		order[i] = i;
	for (int i = PARTS - 1; i > 0; i--) {
		int k = (int)draw((uint32_t)i + 1), t = order[i];
		order[i] = order[k];
		order[k] = t;
	}
	for (int i = 0; i < n; i++)
		summary_init(&sums[i]);
	for (int i = 0; i < PARTS; i++) {
		CHECK(summary_merge(&sums[i % n], &parts[order[i]]) == 0, "merge failed");
		if (draw(3) == 0)
			summary_sort(&sums[i % n]); /* a sorted summary goes on growing */
	}
	summary_init(out);
	for (int i = 0; i < n; i++) {
		summary_merge(out, &sums[i]);
		summary_free(&sums[i]);
	}
	summary_sort(out);
}

/* What adds up over all rows, of parts or of one merged summary. */
static void add_sums(const struct summary *s, uint64_t sums[SUMS])
{
	size_t k = 0;
	for (size_t i = 0; i < s->n_devices; i++, k = 0) {
		const struct device_summary *d = &s->devices[i];
		const int64_t numbers[] = {d->steps,        d->window_ns,  d->hull_ns,
								   d->hull_idle_ns, d->lead_in_ns, d->nccl_hidden_ns,
								   d->kernels,      d->launches,   d->short_kernels,
								   d->busy_ns[0],   d->busy_ns[4]};
		for (; k < sizeof(numbers) / sizeof(numbers[0]); k++)
			sums[k] += (uint64_t)numbers[k];
		sums[k] += counts_total(&d->step_ns);
		for (int kind = 0; kind < READINGS; kind++) {
			sums[35] += d->readings[kind].looks;
			sums[36] += (uint64_t)d->readings[kind].sum;
		}
	}
	for (size_t i = 0; i < s->n_kernels; i++) {
		sums[12] += s->kernels[i].count;
		sums[13] += (uint64_t)s->kernels[i].total_ns;
		sums[14] += counts_total(&s->kernels[i].dur_ns);
	}
	for (size_t i = 0; i < s->n_nccl; i++) {
		sums[15] += s->nccl[i].count;
		sums[16] += (uint64_t)s->nccl[i].wait_ns;
		sums[17] += (uint64_t)s->nccl[i].transfer_ns;
		sums[18] += (uint64_t)s->nccl[i].unsplit_ns;
	}
	for (size_t i = 0; i < s->n_evidence; i++) {
		sums[19] += s->evidence[i].count;
		sums[20] += (uint64_t)s->evidence[i].ns;
	}
	for (size_t i = 0; i < s->n_late; i++) {
		sums[21] += s->late[i].last;
		sums[22] += s->late[i].taken;
		sums[23] += (uint64_t)s->late[i].caused_ns;
	}
	for (size_t i = 0; i < s->n_sites; i++) {
		const struct site_sums *site = &s->sites[i].sums;
		sums[24] += s->sites[i].rows;
		sums[25] += (uint64_t)site->gpu_ns[0];
		sums[26] += (uint64_t)site->gpu_ns[4];
		sums[27] += site->launches;
		sums[28] += (uint64_t)site->launch_ns;
		sums[29] += (uint64_t)site->cpu_ns;
		sums[30] += (uint64_t)site->host_ns;
	}
	for (size_t i = 0; i < s->n_spreads; i++) {
		sums[33] += s->spreads[i].steps;
		sums[34] += (uint64_t)s->spreads[i].ns;
	}
	for (size_t i = 0; i < s->n_stalls; i++) {
		sums[31] += s->stalls[i].count;
		sums[32] += (uint64_t)s->stalls[i].ns;
	}
}

/* Merging loses nothing and counts nothing twice. */
static void adds_up(const struct summary *parts, const struct summary *merged)
{
	uint64_t expected[SUMS] = {0}, got[SUMS] = {0}, facts = 0, records = 0;
	int64_t floor_ns = 0, most = 0;
	for (int i = 0; i < PARTS; i++) {
		add_sums(&parts[i], expected);
		facts += parts[i].quality.launches;
		records += parts[i].quality.records;
		floor_ns =
			parts[i].devices[0].floor_ns > floor_ns ? parts[i].devices[0].floor_ns : floor_ns;
	}
	for (size_t i = 0; i < merged->n_devices; i++)
		most = merged->devices[i].floor_ns > most ? merged->devices[i].floor_ns : most;
	add_sums(merged, got);
	for (int i = 0; i < SUMS; i++)
		CHECK(got[i] == expected[i] && got[i] > 0, "sum %d is %llu, not %llu", i,
			  (unsigned long long)got[i], (unsigned long long)expected[i]);
	CHECK(most == floor_ns, "the largest floor is lost");
	CHECK(merged->quality.launches == facts && merged->quality.records == records, "quality");
	CHECK(merged->quality.tool_ns == 0 + 2 + 4 + 6 + 8 + 10 &&
			  merged->quality.clock_residual_ns == 9,
		  "what not all parts know: %lld, %lld", (long long)merged->quality.tool_ns,
		  (long long)merged->quality.clock_residual_ns);
}

static void merging(void)
{
	struct summary parts[PARTS], first, other;
	for (int i = 0; i < PARTS; i++)
		fill(&parts[i], i);
	merge_shuffled(parts, 1, &first);
	CHECK(first.n_devices == 6 && first.n_kernels > 5000 && first.n_evidence > 20000,
		  "%zu devices, %zu kernels, %zu rows of evidence", first.n_devices, first.n_kernels,
		  first.n_evidence);
	adds_up(parts, &first);
	for (int round = 0; round < 6; round++) {
		merge_shuffled(parts, 1 + round, &other);
		CHECK(devices_equal(&first, &other), "round %d: devices differ", round);
		CHECK(kernels_equal(&first, &other), "round %d: kernels differ", round);
		CHECK(others_equal(&first, &other), "round %d: other rows differ", round);
		CHECK(sites_equal(&first, &other), "round %d: sites or stalls differ", round);
		CHECK(spreads_equal(&first, &other), "round %d: spreads differ", round);
		summary_free(&other);
	}
	for (int i = 0; i < PARTS; i++)
		summary_free(&parts[i]);
	summary_free(&first);
}

/* Two parts of one device name different processes: the union, whichever came first. */
static void shared_device(void)
{
	struct summary a, b, sum[2];
	int32_t ranks[2][2] = {{0, -1}, {0, 3}};
	int64_t pids[2][2] = {{7, 8}, {7, 9}};
	struct summary *parts[2] = {&a, &b};
	for (int i = 0; i < 2; i++) {
		summary_init(parts[i]);
		struct device_summary *d = summary_device(parts[i], "h/0");
		d->ranks = malloc(sizeof(ranks[i]));
		d->pids = malloc(sizeof(pids[i]));
		memcpy(d->ranks, ranks[i], sizeof(ranks[i]));
		memcpy(d->pids, pids[i], sizeof(pids[i]));
		d->n_processes = 2;
		summary_string(parts[i], i ? "B100" : "A100", &d->name);
	}
	for (int i = 0; i < 2; i++) {
		summary_init(&sum[i]);
		summary_merge(&sum[i], parts[i]);
		summary_merge(&sum[i], parts[!i]);
		const struct device_summary *d = &sum[i].devices[0];
		CHECK(d->n_processes == 3 && d->ranks[0] == 0 && d->ranks[1] == 3 && d->ranks[2] == -1 &&
				  d->pids[1] == 9,
			  "order %d: %u processes", i, d->n_processes);
		CHECK(strcmp(summary_text(&sum[i], d->name), "A100") == 0, "order %d: named otherwise", i);
		summary_free(&sum[i]);
	}
	summary_free(&a);
	summary_free(&b);
}

int main(void)
{
	merging();
	shared_device();
	return finish();
}
