/* Merging summaries: the same rows, in the same order, whatever the order of the parts. */
#include "check.h"
#include "summary/row_kinds.h"
#include "summary/series.h"
#include "summary/summary.h"

#include <baton/format.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 12, SUMS = 45 };

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
	const struct record_kind *kind = record_kind(BATON_S_QUALITY);
	for (unsigned i = 0; i < kind->n_fields; i++)
		if (kind->fields[i].merge == MERGE_SUM)
			field_set(&kind->fields[i], q, 0, 1 + draw(100));
	q->clock_residual_ns = part % 3 ? -1 : part;
	q->tool_ns = part % 2 ? -1 : part;
}

static void fill_steps(struct summary *s, const char *device, int part)
{
	const struct record_kind *kind = record_kind(BATON_S_STEPS);
	struct steps_summary *row = summary_steps(s, device);
	if (part % 2)
		summary_string(s, part / 6 ? "Adam 1" : "SGD 2", &row->unit);
	for (unsigned i = 0; i < kind->n_fields; i++)
		if (kind->fields[i].merge == MERGE_SUM || kind->fields[i].merge == MERGE_MOST)
			field_set(&kind->fields[i], row, 0, 1 + draw(2));
}

/* A run is replayed as a whole, so its culprits come from one part. */
static void fill_culprits(struct summary *s, int part)
{
	for (uint32_t order = 0; part == 0 && order < 3; order++) {
		struct culprit_summary row = {.order = order, .rank = (int32_t)order - 1, .steps = 7};
		row.gain_ns = 1000 * (3 - order);
		row.limit_ns = 900 * (3 - order);
		summary_string(s, order ? "kernels" : "", &row.cause);
		summary_string(s, order == 1 ? "node0/1" : "", &row.device);
		summary_string(s, order == 2 ? "node1" : "", &row.host);
		summary_add(s, ROW_CULPRIT, &row);
	}
}

/* Collectives of all parts, and devices and processes of each part. */
static void fill_meetings(struct summary *s, const char *device, int part)
{
	struct process_summary process = {.pid = part, .rank = part, .world_size = PARTS};
	struct scan_summary scan = {.flags = (uint32_t)part % 16, .launches = 1 + draw(9)};
	summary_string(s, device, &process.host);
	summary_string(s, "run", &process.run);
	summary_add(s, ROW_PROCESS, &process);
	summary_string(s, device, &scan.device);
	summary_add(s, ROW_SCAN, &scan);
	for (uint32_t i = 0; i < 50; i++) {
		struct comm_summary comm = {.comm = draw(3), .device = scan.device, .members = 1};
		summary_add(s, ROW_COMM, &comm);
	}
	for (uint32_t i = 0; i < 200; i++) {
		struct meeting row = {.sequence = i, .members = 1, .last_device = scan.device};
		row.calls = draw(20) ? 1 : 2;
		row.last_driver = (uint32_t)part % 2;
		row.size = draw(2) * PARTS;
		row.min_ns = row.max_ns = row.sum_ns = 1 + draw(2);
		row.first_end_ns = row.last_end_ns = draw(9);
		row.bytes = (int64_t)draw(3) - 1;
		summary_add(s, ROW_MEETING, &row);
	}
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

/* Parts know of more or fewer steps, and some of them in pairs. */
static void fill_series(struct summary *s, const char *device)
{
	int64_t ns[SERIES_CELLS];
	for (int i = 0; i < 6; i++) {
		struct series add = {.rank = (int32_t)draw(3) - 1, .ns = ns};
		add.steps = 1 + draw(3 * SERIES_CELLS);
		add.width = series_width(add.steps, draw(2) ? SERIES_CELLS : SERIES_CELLS / 4);
		for (size_t k = 0; k < series_cells(add.steps, add.width); k++)
			ns[k] = draw(100);
		summary_series(s, device, draw(2) ? SERIES_STEP : "nccl.wait", &add);
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
		struct copy_summary copy = {
			.direction = draw(6), .pageable = draw(2), .count = 1, .total_ns = 1 + draw(9)};
		copy.bytes = 4096 * copy.total_ns;
		copy.sized_ns = copy.total_ns;
		summary_string(s, device, &copy.device);
		summary_add(s, ROW_COPY, &copy);
		struct pair_summary pair = {
			.count = 1, .total_ns = copy.total_ns, .bytes = copy.bytes, .sized_ns = copy.sized_ns};
		summary_string(s, device, &pair.device);
		summary_string(s, draw(2) ? "a/0" : "a/1", &pair.from);
		summary_string(s, draw(2) ? "b/0" : "b/1", &pair.to);
		summary_add(s, ROW_PAIR, &pair);
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
	fill_steps(s, device, part);
	fill_culprits(s, part);
	fill_meetings(s, device, part);
	fill_series(s, device);
	fill_quality(&s->quality, part);
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

/* What devices and kernels have beside their fields. */
static bool rest_equal(enum row_kind kind, const void *a, const void *b)
{
	const struct device_summary *x = a, *y = b;
	const struct series *p = a, *q = b;
	if (kind == ROW_SERIES)
		return memcmp(p->ns, q->ns, series_cells(p->steps, p->width) * sizeof(*p->ns)) == 0;
	if (kind == ROW_KERNEL)
		return counts_equal(&((const struct kernel_summary *)a)->dur_ns,
							&((const struct kernel_summary *)b)->dur_ns);
	return kind != ROW_DEVICE ||
		   (x->carried == y->carried && x->n_processes == y->n_processes &&
			memcmp(x->time_ns, y->time_ns, sizeof(x->time_ns)) == 0 &&
			memcmp(x->ranks, y->ranks, x->n_processes * sizeof(*x->ranks)) == 0 &&
			memcmp(x->pids, y->pids, x->n_processes * sizeof(*x->pids)) == 0 &&
			counts_equal(&x->step_ns, &y->step_ns) &&
			memcmp(x->readings, y->readings, sizeof(x->readings)) == 0);
}

static bool field_equal(const struct field *field, const struct summary *a, const void *x,
						const struct summary *b, const void *y)
{
	if (field->holds == HOLDS_TEXT)
		return strcmp(summary_text(a, (uint32_t)field_get(field, x, 0)),
					  summary_text(b, (uint32_t)field_get(field, y, 0))) == 0;
	return memcmp((const char *)x + field->offset, (const char *)y + field->offset, field->bytes) ==
		   0;
}

static bool rows_equal(enum row_kind kind, const struct summary *a, const struct summary *b)
{
	const struct record_kind *record = record_kind(row_rules[kind].type);
	const size_t bytes = row_rules[kind].shape.row_bytes;
	bool ok = a->rows[kind].n == b->rows[kind].n && a->rows[kind].n > 0;
	for (size_t i = 0; ok && i < a->rows[kind].n; i++) {
		const char *x = (const char *)a->rows[kind].at + i * bytes;
		const char *y = (const char *)b->rows[kind].at + i * bytes;
		for (unsigned f = 0; f < record->n_fields; f++)
			ok = ok && field_equal(&record->fields[f], a, x, b, y);
		ok = ok && rest_equal(kind, x, y);
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

/* Of rows by place, of copies, and of what steps have. */
static void add_more_sums(const struct summary *s, uint64_t sums[SUMS])
{
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
	for (size_t i = 0; i < s->n_copies; i++) {
		sums[37] += s->copies[i].count;
		sums[38] += (uint64_t)s->copies[i].total_ns;
		sums[39] += (uint64_t)s->copies[i].bytes;
		sums[40] += (uint64_t)s->copies[i].sized_ns;
	}
	for (size_t i = 0; i < s->n_pairs; i++) {
		sums[41] += s->pairs[i].count;
		sums[42] += (uint64_t)s->pairs[i].total_ns;
		sums[43] += (uint64_t)s->pairs[i].bytes;
		sums[44] += (uint64_t)s->pairs[i].sized_ns;
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
	add_more_sums(s, sums);
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
		for (int kind = 0; kind < ROW_KINDS; kind++)
			CHECK(rows_equal((enum row_kind)kind, &first, &other), "round %d: rows %d differ",
				  round, kind);
		CHECK(memcmp(&first.quality, &other.quality, sizeof(first.quality)) == 0,
			  "round %d: quality differs", round);
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
