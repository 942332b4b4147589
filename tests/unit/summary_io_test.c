/* summary.baton: what is stored comes back; whatever is stale or damaged is never taken for fresh.
 */
#include "check.h"
#include "conclude/figures.h"
#include "summary/row_kinds.h"
#include "summary/series.h"
#include "part.h"
#include "summary/summary_io.h"

#include <baton/reader.h>
#include <baton/summary_format.h>
#include <baton/writer.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *dir;
static char path[4096];

static void write_file(const char *name, const void *data, size_t bytes)
{
	char file[4200];
	snprintf(file, sizeof(file), "%s/%s", dir, name);
	FILE *out = fopen(file, "wb");
	CHECK(out && fwrite(data, 1, bytes, out) == bytes && fclose(out) == 0, "cannot write %s", file);
}

static void make_site(struct summary *s, enum site_by by, const char *what, int64_t ns)
{
	struct site_summary key = {.by = (uint8_t)by, .kind = SITE_PROJECT, .backward = ns % 2};
	summary_string(s, what, &key.what);
	struct site_summary *site = summary_site(s, &key);
	site->rows = 2;
	site->sums = (struct site_sums){
		.gpu_ns = {ns, 0, 3, 0, 5}, .launches = 7, .launch_ns = 11, .cpu_ns = 13, .host_ns = 17};
}

static void make_spread(struct summary *s, const char *device, enum leaf leaf)
{
	summary_spread(s, device,
				   &(struct spread){.leaf = (uint8_t)leaf,
									.octave = 6,
									.steps = 2,
									.ns = 190,
									.worst_ns = 127,
									.worst_step = 117});
}

static void make_series(struct summary *s, const char *device, int32_t rank, int64_t steps)
{
	int64_t ns[SERIES_CELLS];
	struct series add = {
		.rank = rank, .steps = steps, .width = series_width(steps, SERIES_CELLS), .ns = ns};
	for (size_t i = 0; i < series_cells(steps, add.width); i++)
		ns[i] = i < 9 ? (int64_t)(i * i) : 0; /* the file stays small */
	summary_series(s, device, rank < 0 ? SERIES_STEP : SERIES_CAUSED, &add);
}

static void make_device(struct summary *s, const char *key, int32_t rank)
{
	struct device_summary *d = summary_device(s, key);
	summary_string(s, "GPU \xff of a name", &d->name);
	d->ranks = malloc(2 * sizeof(*d->ranks));
	d->pids = malloc(2 * sizeof(*d->pids));
	d->n_processes = 2;
	for (int i = 0; i < 2; i++) {
		d->ranks[i] = i ? -1 : rank;
		d->pids[i] = 1000 + rank + i;
	}
	d->steps = 3;
	d->hull_ns = 7;
	d->busy_ns[4] = 44;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		d->time_ns[leaf] = leaf == LEAF_GPU_DEPENDENCY ? 0 : 1000 * (leaf + 1) + rank;
		d->window_ns += d->time_ns[leaf];
	}
	d->carried = ((UINT64_C(1) << LEAF_COUNT) - 1) & ~LEAF_BIT(LEAF_GPU_DEPENDENCY);
	for (int i = 0; i < 3; i++)
		counts_add(&d->step_ns, 100 + i, 1);
	reading_take(d->readings, BATON_GAUGE_SM_MHZ, 1185);
	reading_take(d->readings, BATON_GAUGE_SM_MHZ, 1755);
	reading_take(d->readings, BATON_GAUGE_EVENT_REASONS, 0x48);
	reading_take(d->readings, BATON_GAUGE_EVENT_REASONS, 0x1);
}

/* Every table, with more distinct durations than one record and one exact table hold. */
static void make_summary(struct summary *s)
{
	summary_init(s);
	make_device(s, "host/0", 0);
	make_device(s, "host/1", 1);
	for (int i = 0; i < 300; i++) {
		char name[64];
		snprintf(name, sizeof(name), "kernel<%d>(\"\n)", i);
		struct kernel_summary *k = summary_kernel(s, name, "custom.other");
		k->group = 2;
		k->tensor_core = (int8_t)(i % 3 - 1);
		for (int64_t n = 0; n < (i == 0 ? 70000 : i == 1 ? 20000 : 3); n++) {
			counts_add(&k->dur_ns, 1000000 + 7 * n, 1 + (uint64_t)n % 3);
			k->count += 1 + (uint64_t)n % 3;
		}
		k->total_ns = 1000 - i;
	}
	struct nccl_summary key = {.members = 2, .bytes = -1, .max_bytes_moved = -1};
	summary_string(s, "AllReduce", &key.op);
	struct nccl_summary *n = summary_nccl(s, &key);
	n->count = 5;
	n->wait_ns = 50;
	struct copy_summary copy = {
		.direction = BATON_COPY_PEER, .count = 6, .total_ns = 61, .bytes = 62, .sized_ns = 60};
	summary_string(s, "host/1", &copy.device);
	summary_add(s, ROW_COPY, &copy);
	summary_evidence(s, "host/0", LEAF_HOST_INPUT, "enumerate(DataLoader)", 3, 99);
	summary_evidence(s, "host/0", LEAF_HOST_INPUT, "idle.host.input", 1, 9); /* named like a leaf */
	summary_late(s, "host/1", 1)->caused_ns = 12;
	summary_partial(s, "host/0", 0)->taken = 7;
	summary_partial(s, "", -1)->caused_ns = 13;
	make_site(s, SITE_LINE, "train.py:9 loop", 21);
	make_site(s, SITE_STACK, "train.py:1 <module>;train.py:9 loop", 20);
	struct evidence stall = {.leaf = LEAF_HOST_SYNC, .before = 1, .count = 4, .ns = 55};
	summary_stall(s, "host/1", "train.py:9 loop", &stall);
	make_spread(s, "host/1", LEAF_HOST_BLOCKED);
	struct steps_summary *steps = summary_steps(s, "host/1");
	summary_string(s, "A step ends with Adam 1", &steps->unit);
	steps->complete = 20;
	steps->left_out = 9;
	make_series(s, "host/0", -1, 3);
	make_series(s, "host/1", 1, 2 * SERIES_CELLS + 1);
	s->run.world_size = 4;
	s->run.hosts = 1;
	summary_string(s, "marker", &s->run.step_source);
	summary_string(s, "a1b2", &s->run.run_id);
	s->run.ranks = malloc(2 * sizeof(*s->run.ranks));
	s->run.missing_ranks = malloc(2 * sizeof(*s->run.missing_ranks));
	s->run.n_ranks = s->run.n_missing_ranks = 2;
	for (int i = 0; i < 2; i++) {
		s->run.ranks[i] = 2 * i;
		s->run.missing_ranks[i] = 2 * i + 1;
	}
	s->quality.records = 77;
	s->quality.hand_offs = 3;
	s->quality.unsampled_ns = 99;
	summary_sort(s);
}

static void same_counts(const struct counts *a, const struct counts *b)
{
	struct count *x, *y;
	bool same = counts_sorted(a, &x) == 0 && counts_sorted(b, &y) == 0 && a->used == b->used &&
				a->rounded == b->rounded && memcmp(x, y, a->used * sizeof(*x)) == 0;
	CHECK(same, "a distribution of %u values came back with %u", a->used, b->used);
	free(x);
	free(y);
}

static bool same_text(const struct summary *a, uint32_t x, const struct summary *b, uint32_t y)
{
	return strcmp(summary_text(a, x), summary_text(b, y)) == 0;
}

static void same_devices(const struct summary *a, const struct summary *b)
{
	CHECK(a->n_devices == b->n_devices, "%zu devices came back", b->n_devices);
	for (size_t i = 0; i < a->n_devices && i < b->n_devices; i++) {
		const struct device_summary *x = &a->devices[i], *y = &b->devices[i];
		CHECK(same_text(a, x->key, b, y->key) && same_text(a, x->name, b, y->name) &&
				  x->window_ns == y->window_ns && x->steps == y->steps &&
				  x->hull_ns == y->hull_ns && x->carried == y->carried &&
				  x->n_processes == y->n_processes &&
				  memcmp(x->time_ns, y->time_ns, sizeof(x->time_ns)) == 0 &&
				  memcmp(x->busy_ns, y->busy_ns, sizeof(x->busy_ns)) == 0 &&
				  memcmp(x->readings, y->readings, sizeof(x->readings)) == 0 &&
				  memcmp(x->ranks, y->ranks, x->n_processes * sizeof(*x->ranks)) == 0 &&
				  memcmp(x->pids, y->pids, x->n_processes * sizeof(*x->pids)) == 0,
			  "device %zu came back otherwise", i);
		same_counts(&x->step_ns, &y->step_ns);
	}
}

static void same(const struct summary *a, const struct summary *b)
{
	same_devices(a, b);
	CHECK(a->n_kernels == b->n_kernels, "%zu kernels came back", b->n_kernels);
	for (size_t i = 0; i < a->n_kernels && i < b->n_kernels; i++) {
		const struct kernel_summary *x = &a->kernels[i], *y = &b->kernels[i];
		CHECK(same_text(a, x->name, b, y->name) && same_text(a, x->class_name, b, y->class_name) &&
				  x->group == y->group && x->tensor_core == y->tensor_core &&
				  x->count == y->count && x->total_ns == y->total_ns,
			  "kernel %zu came back otherwise", i);
		same_counts(&x->dur_ns, &y->dur_ns);
	}
	CHECK(b->n_nccl == 1 && b->nccl[0].wait_ns == 50 && b->nccl[0].bytes == -1, "nccl rows");
	CHECK(b->n_evidence == 2 && b->evidence[0].ns == 99 && b->evidence[0].leaf == LEAF_HOST_INPUT &&
			  same_text(a, a->evidence[1].what, b, b->evidence[1].what),
		  "evidence rows");
	CHECK(b->n_late == 1 && b->late[0].caused_ns == 12 && b->late[0].rank == 1, "late rows");
	CHECK(b->n_partial == 2 && b->partial[0].caused_ns == 13 && b->partial[0].device == 0 &&
			  b->partial[0].rank == -1 && b->partial[1].taken == 7,
		  "late rows where members are missing");
	const struct copy_summary *copy = b->copies;
	CHECK(b->n_copies == 1 && same_text(a, a->copies->device, b, copy->device) &&
			  copy->direction == BATON_COPY_PEER && copy->pageable == 0 && copy->count == 6 &&
			  copy->total_ns == 61 && copy->bytes == 62 && copy->sized_ns == 60,
		  "the copies came back otherwise");
	CHECK(b->n_sites == 2 && b->n_stalls == 1, "%zu sites, %zu stalls came back", b->n_sites,
		  b->n_stalls);
	for (size_t i = 0; i < a->n_sites && i < b->n_sites; i++) {
		const struct site_summary *x = &a->sites[i], *y = &b->sites[i];
		CHECK(same_text(a, x->what, b, y->what) && x->by == y->by && x->kind == y->kind &&
				  x->backward == y->backward && x->rows == y->rows &&
				  memcmp(&x->sums, &y->sums, sizeof(x->sums)) == 0,
			  "site %zu came back otherwise", i);
	}
	CHECK(b->n_stalls == 1 && b->stalls[0].before == 1 && b->stalls[0].count == 4 &&
			  b->stalls[0].ns == 55 && b->stalls[0].leaf == LEAF_HOST_SYNC,
		  "the stall came back otherwise");
	const struct spread *spread = b->spreads;
	CHECK(b->n_spreads == 1 && same_text(a, a->spreads->device, b, spread->device) &&
			  spread->leaf == LEAF_HOST_BLOCKED && spread->octave == 6 && spread->steps == 2 &&
			  spread->ns == 190 && spread->worst_ns == 127 && spread->worst_step == 117,
		  "the spread came back otherwise");
	CHECK(b->n_steps == 1 && b->steps->complete == 20 && b->steps->left_out == 9 &&
			  same_text(a, a->steps->unit, b, b->steps->unit),
		  "the steps came back otherwise");
	CHECK(b->n_series == 2, "%zu series came back", b->n_series);
	for (size_t i = 0; i < a->n_series && i < b->n_series; i++) {
		const struct series *x = &a->series[i], *y = &b->series[i];
		CHECK(same_text(a, x->device, b, y->device) && same_text(a, x->what, b, y->what) &&
				  x->rank == y->rank && x->steps == y->steps && x->width == y->width &&
				  memcmp(x->ns, y->ns, series_cells(x->steps, x->width) * sizeof(*x->ns)) == 0,
			  "series %zu came back otherwise", i);
	}
	CHECK(memcmp(&a->quality, &b->quality, sizeof(a->quality)) == 0, "quality");
	CHECK(b->run.world_size == 4 && b->run.n_ranks == 2 && b->run.ranks[1] == 2 &&
			  b->run.n_missing_ranks == 2 && b->run.missing_ranks[1] == 3 &&
			  strcmp(summary_text(b, b->run.step_source), "marker") == 0 &&
			  strcmp(summary_text(b, b->run.run_id), "a1b2") == 0 && b->run.source == 0,
		  "the run's description");
}

static int load(const char *options)
{
	struct summary loaded;
	int error = summary_load(dir, options, &loaded);
	if (!error)
		summary_free(&loaded);
	else
		CHECK(loaded.devices == NULL && loaded.pool.texts == NULL,
			  "something is left in a summary");
	return error;
}

static void round_trip(const struct summary *s)
{
	struct summary loaded;
	struct stat st;
	CHECK(load("a") == -ENOENT, "a summary where none is");
	CHECK(summary_store(dir, s, "a") == 0, "not stored");
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600, "a summary that others can read");
	int error = summary_load(dir, "a", &loaded);
	CHECK(error == 0, "not loaded: %d", error);
	if (error)
		return;
	same(s, &loaded);
	CHECK(summary_device(&loaded, "host/0") == &loaded.devices[0] &&
			  summary_merge(&loaded, s) == 0 && loaded.n_kernels == s->n_kernels,
		  "a loaded summary cannot be merged into");
	summary_free(&loaded);
	CHECK(load("b") == -ESTALE, "a summary made with other options counts as fresh");
}

static void stale(void)
{
	write_file("2.baton", "xy", 2);
	CHECK(load("a") == -ESTALE, "a trace file came and the summary counts as fresh");
	char file[4200];
	snprintf(file, sizeof(file), "%s/2.baton", dir);
	unlink(file);
	CHECK(load("a") == 0, "stale though the files are those of before");
	snprintf(file, sizeof(file), "%s/1.baton", dir);
	struct stat st;
	CHECK(stat(file, &st) == 0, "no trace file");
	const struct timespec before[2] = {st.st_atim, st.st_mtim};
	CHECK(truncate(file, st.st_size + 1) == 0 && utimensat(AT_FDCWD, file, before, 0) == 0 &&
			  load("a") == -ESTALE,
		  "a trace file grew within its time and the summary counts as fresh");
	CHECK(truncate(file, st.st_size) == 0 && utimensat(AT_FDCWD, file, before, 0) == 0 &&
			  load("a") == 0,
		  "stale though size and time are those of before");
	const struct timespec times[2] = {{1, 0}, {1, 0}};
	utimensat(AT_FDCWD, file, times, 0);
	CHECK(load("a") == -ESTALE, "a trace file changed and the summary counts as fresh");
	unlink(file);
	CHECK(load("a") == -ESTALE, "a trace file is gone and the summary counts as fresh");
}

/* A file that changes while the reducer runs may have been read before the change. */
static void changed_meanwhile(const struct summary *s)
{
	write_file("1.baton", "later", 5);
	CHECK(summary_store(dir, s, "a") == 0, "not stored");
	CHECK(load("a") == -ESTALE, "a file that changed during the reduction counts as read");
}

static size_t read_all(uint8_t **data)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	size_t bytes = fd >= 0 && fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
	*data = malloc(bytes + 1);
	CHECK(read(fd, *data, bytes) == (ssize_t)bytes, "cannot read it back");
	close(fd);
	return bytes;
}

/* No padding byte matters, any other bit does; no prefix is complete. */
static void damage(const struct summary *s)
{
	uint8_t *data;
	size_t bytes = read_all(&data);
	unsigned fresh = 0, flips = 0;
	for (size_t at = 0; at < bytes; at++, flips++) {
		struct summary loaded;
		uint8_t bit = (uint8_t)(1u << flips % 8);
		data[at] ^= bit;
		write_file("summary.baton", data, bytes);
		if (summary_load(dir, "a", &loaded) == 0) {
			same(s, &loaded);
			summary_free(&loaded);
			fresh++;
		}
		data[at] ^= bit;
	}
	CHECK(flips > 300 && fresh <= 24, "%u of %u damaged summaries counted as fresh", fresh,
		  flips); /* padding */
	srand(3);
	for (int round = 0; round < 50; round++) {
		write_file("summary.baton", data, (size_t)rand() % (bytes - 8));
		CHECK(load("a") == -EBADMSG, "a cut summary is not damaged");
	}
	free(data);
}

/* The first block of the stored summary, its bytes in raw (the caller's). */
static struct baton_block_header first_block(uint8_t **raw)
{
	struct baton_reader reader;
	struct baton_block_header header = {0};
	enum baton_damage damage = BATON_BAD_HASH;
	int error = baton_reader_open(&reader, AT_FDCWD, path);
	if (!error)
		error = baton_reader_load(&reader, reader.entries[0].offset, &header, &damage);
	CHECK(!error && damage == BATON_INTACT && reader.n_entries == 2, "not one block and an end");
	*raw = malloc(header.raw_bytes);
	memcpy(*raw, reader.raw, header.raw_bytes);
	baton_reader_close(&reader);
	return header;
}

/* Every kind of row, and one block is enough for all. */
/* What only parts have. */
static void make_part(struct summary *s)
{
	struct process_summary process = {.pid = 7, .rank = 0, .world_size = 2};
	struct scan_summary scan = {.flags = BATON_SCAN_STEPS, .met = 1};
	struct comm_summary comm = {.comm = 5, .members = 1};
	struct meeting meeting = {.comm = 5, .sequence = 1, .members = 2, .calls = 1, .size = 2};
	meeting.min_ns = 10;
	meeting.max_ns = 30;
	meeting.sum_ns = 40;
	meeting.first_end_ns = meeting.last_end_ns = 100;
	summary_string(s, "host", &process.host);
	summary_string(s, "host/0", &scan.device);
	comm.device = meeting.last_device = scan.device;
	summary_add(s, ROW_PROCESS, &process);
	summary_add(s, ROW_SCAN, &scan);
	summary_add(s, ROW_COMM, &comm);
	summary_add(s, ROW_MEETING, &meeting);
}

static void make_small(struct summary *s)
{
	struct nccl_summary key = {.members = 2, .bytes = -1, .max_bytes_moved = -1};
	summary_init(s);
	make_device(s, "host/0", 0);
	summary_kernel(s, "k", "custom.other")->group = 2;
	summary_string(s, "AllReduce", &key.op);
	summary_nccl(s, &key)->count = 1;
	summary_evidence(s, "host/0", LEAF_HOST_SYNC, "cudaDeviceSynchronize", 3, 99);
	summary_late(s, "host/0", 0);
	summary_late(s, "host/1", 1)->caused_ns = 1;
	summary_partial(s, "", -1);
	make_site(s, SITE_OP, "aten::mm", 22);
	summary_stall(s, "host/0", "train.py:9 loop", &(struct evidence){.leaf = LEAF_HOST_SYNC});
	make_spread(s, "host/0", LEAF_HOST_SYNC);
	summary_steps(s, "host/0")->looked = 3;
	make_series(s, "host/0", -1, 4);
	make_part(s);
	s->run.ranks = malloc(2 * sizeof(*s->run.ranks));
	s->run.n_ranks = 2;
	s->run.ranks[0] = 0;
	s->run.ranks[1] = 1;
}

/* The first record of a type in `raw`. */
static uint8_t *find_record(uint8_t *raw, uint32_t bytes, uint16_t type)
{
	struct baton_record head = {0};
	for (uint32_t at = 0; at < bytes; at += head.size) {
		memcpy(&head, raw + at, sizeof(head));
		if (head.type == type)
			return raw + at;
	}
	return NULL;
}

/* Each number one beyond what docs/FORMAT.md allows, under right checksums. */
static const struct {
	uint16_t type;
	uint16_t offset, bytes;
	int64_t value;
} beyond_format[] = {
	{BATON_S_REDUCTION, 12, 4, -2},
	{BATON_S_RANK, 8, 4, -1},
	{BATON_S_RANK, 8, 4, 9},
	{BATON_S_SITE, 8, 4, 0},
	{BATON_S_SITE, 8, 4, 7},
	{BATON_S_SITE, 12, 4, 1 << 20},
	{BATON_S_SITE, 16, 4, 5},
	{BATON_S_SITE, 20, 4, 2},
	{BATON_S_SITE, 24, 8, INT64_MIN},
	{BATON_S_SITE, 40, 8, -1},
	{BATON_S_SITE, 64, 8, BATON_TIME_LIMIT_NS}, /* with the other times of its row */
	{BATON_S_SITE, 72, 8, -1},
	{BATON_S_SITE, 96, 8, -1},
	{BATON_S_STALL, 20, 4, 2},
	{BATON_S_STALL, 32, 8, -1},
	{BATON_S_SPREAD, 16, 4, 5}, /* not the octave of the worst */
	{BATON_S_SPREAD, 16, 4, 63},
	{BATON_S_SPREAD, 16, 4, 1 << 20},
	{BATON_S_SPREAD, 24, 8, 0},
	{BATON_S_SPREAD, 24, 8, -1},
	{BATON_S_SPREAD, 32, 8, 126}, /* less than the worst */
	{BATON_S_SPREAD, 32, 8, INT64_MAX},
	{BATON_S_SPREAD, 40, 8, 0},
	{BATON_S_SPREAD, 40, 8, -1},
	{BATON_S_SPREAD, 48, 8, -1},
	{BATON_S_QUALITY, 8, 8, INT64_MIN},
	{BATON_S_QUALITY, 80, 8, -2},
	{BATON_S_QUALITY, 88, 8, INT64_MIN},
	{BATON_S_QUALITY, 112, 8, INT64_MAX},
	{BATON_S_QUALITY, 128, 8, -1},
	{BATON_S_QUALITY, 136, 8, -1},
	{BATON_S_DEVICE, 24, 8, -1},
	{BATON_S_DEVICE, 136, 8, INT64_MAX},
	{BATON_S_READING, 8, 4, 1 << 20},
	{BATON_S_READING, 16, 8, 0},
	{BATON_S_READING, 16, 8, INT64_MIN},
	{BATON_S_READING, 24, 8, 1754}, /* less than the most */
	{BATON_S_READING, 24, 8, INT64_MAX},
	{BATON_S_READING, 32, 8, 1756}, /* more than the most */
	{BATON_S_READING, 32, 8, -1},
	{BATON_S_READING, 40, 8, 1184},
	{BATON_S_DRIVER, 8, 4, -2},
	{BATON_S_LEAF, 12, 4, 2},
	{BATON_S_KERNEL, 16, 4, 5},
	{BATON_S_KERNEL, 24, 8, -1},
	{BATON_S_NCCL, 24, 8, INT64_MAX},
	{BATON_S_NCCL, 32, 8, -1},
	{BATON_S_EVIDENCE, 24, 8, -1},
	{BATON_S_LATE, 12, 4, -2},
	{BATON_S_LATE, 24, 8, -1},
	{BATON_S_LATE, 32, 8, -1},
	{BATON_S_LATE, 32, 8, BATON_TIME_LIMIT_NS}, /* with the other row */
	{BATON_S_PARTIAL, 12, 4, -2},
	{BATON_S_PARTIAL, 16, 8, -1},
	{BATON_S_PARTIAL, 32, 8, BATON_TIME_LIMIT_NS}, /* with those of type 75 */
	{BATON_S_STEPS, 16, 4, 3},
	{BATON_S_STEPS, 20, 4, 4},
	{BATON_S_STEPS, 24, 4, -1},
	{BATON_S_STEPS, 32, 8, -1},
	{BATON_S_STEPS, 72, 8, -1},
	{BATON_S_STEPS, 88, 8, INT64_MAX},
	{BATON_S_SERIES, 12, 4, -2},
	{BATON_S_SERIES, 24, 8, 0},
	{BATON_S_SERIES, 24, 8, 5},         /* more than it has cells */
	{BATON_S_SERIES, 24, 8, (1 << 30)}, /* more cells than a series has */
	{BATON_S_SERIES, 32, 8, 0},
	{BATON_S_SERIES, 32, 8, 3}, /* no power of two */
	{BATON_S_PROCESS, 40, 4, -2},
	{BATON_S_SCAN, 12, 4, 16},
	{BATON_S_SCAN, 8, 4, 1 << 20},
	{BATON_S_MEETING, 36, 4, 2},
	{BATON_S_MEETING, 40, 4, 0},
	{BATON_S_MEETING, 40, 4, 5}, /* together longer than they are */
	{BATON_S_MEETING, 52, 4, 2},
	{BATON_S_MEETING, 56, 4, 1 << 20},
	{BATON_S_MEETING, 64, 8, 31}, /* the shortest is longer than the longest */
	{BATON_S_MEETING, 80, 8, 19},
	{BATON_S_MEETING, 88, 8, 101},
	{BATON_S_MEETING, 104, 8, -2},
	{BATON_S_CELLS, 8, 4, 3},
	{BATON_S_CELLS, 12, 4, 3},
	{BATON_S_CELLS, 12, 4, 1 << 20},
};

static void beyond(const struct summary *s)
{
	uint8_t *raw;
	CHECK(summary_store(dir, s, "a") == 0, "not stored");
	struct baton_block_header first = first_block(&raw);
	for (size_t i = 0; i < sizeof(beyond_format) / sizeof(beyond_format[0]); i++) {
		struct baton_writer w;
		struct baton_block_header header = {
			.kind = BATON_RECORDS, .rows = first.rows, .raw_bytes = first.raw_bytes};
		baton_writer_open(&w, open(path, O_WRONLY | O_TRUNC), BATON_SUMMARY, 0);
		memcpy(w.raw, raw, first.raw_bytes);
		uint8_t *record = find_record(w.raw, first.raw_bytes, beyond_format[i].type);
		CHECK(record, "no record of type %u", beyond_format[i].type);
		if (record)
			memcpy(record + beyond_format[i].offset, &beyond_format[i].value,
				   beyond_format[i].bytes);
		baton_writer_seal(&w, &header);
		baton_writer_close(&w);
		CHECK(load("a") == -EBADMSG, "type %u offset %u: %lld was taken", beyond_format[i].type,
			  beyond_format[i].offset, (long long)beyond_format[i].value);
	}
	free(raw);
}

/* A row that stands twice, of each kind. Keeps out: a merge whose sums are not those of its parts. */
static void doubled(struct summary *s)
{
	unsigned tried = 0;
	for (int kind = 0; kind < ROW_KINDS; kind++) {
		struct summary_rows *rows = &s->rows[kind];
		const size_t bytes = row_rules[kind].shape.row_bytes;
		if (rows->n == 0)
			continue;
		tried++;
		rows->at = reallocarray(rows->at, rows->n + 1, bytes);
		memcpy((char *)rows->at + rows->n * bytes, rows->at, bytes);
		rows->n++;
		CHECK(summary_store(dir, s, "a") == 0, "not stored");
		CHECK(load("a") == -EBADMSG, "rows of kind %d: the first one twice was taken", kind);
		rows->n--;
	}
	CHECK(tried >= 10, "%u kinds of rows", tried);
}

/* Bytes that are wrong under right checksums: refused, or a summary that views can use. */
static void hostile(void)
{
	struct summary s;
	uint8_t *raw;
	unsigned taken = 0, refused = 0;
	make_small(&s);
	CHECK(summary_store(dir, &s, "a") == 0, "not stored");
	beyond(&s);
	doubled(&s);
	CHECK(summary_store(dir, &s, "a") == 0, "not stored");
	summary_free(&s);
	struct baton_block_header first = first_block(&raw);
	for (int round = 0; round < 4000; round++) {
		struct baton_writer w;
		struct baton_block_header header = {
			.kind = BATON_RECORDS, .rows = first.rows, .raw_bytes = first.raw_bytes};
		baton_writer_open(&w, open(path, O_WRONLY | O_TRUNC), BATON_SUMMARY, 0);
		memcpy(w.raw, raw, first.raw_bytes);
		for (int n = rand() % 3; n >= 0; n--)
			w.raw[(size_t)rand() % first.raw_bytes] = (uint8_t)(rand() % 4 ? rand() : 255);
		baton_writer_seal(&w, &header);
		baton_writer_close(&w);
		int error = summary_load(dir, "a", &s);
		refused += error == -EBADMSG || error == -ESTALE;
		CHECK(error == 0 || error == -EBADMSG || error == -ESTALE, "error %d", error);
		if (error)
			continue;
		struct figures figures;
		figures_compute(&s, &figures);
		part_unmet(&s);
		part_disagrees(&s);
		taken++;
		summary_free(&s);
	}
	CHECK(taken > 100 && refused > 100, "%u taken, %u refused", taken, refused);
	free(raw);
}

static void equal_bytes(const struct summary *s)
{
	struct summary other;
	uint8_t *a, *b;
	summary_init(&other);
	uint32_t id;
	summary_string(&other, "a text that came first", &id);
	summary_merge(&other, s);
	other.run.world_size = s->run.world_size;
	summary_sort(&other);
	struct summary plain;
	summary_init(&plain);
	summary_merge(&plain, s);
	plain.run.world_size = s->run.world_size;
	summary_sort(&plain);
	summary_store(dir, &plain, "a");
	size_t n = read_all(&a);
	summary_store(dir, &other, "a");
	CHECK(read_all(&b) == n && memcmp(a, b, n) == 0, "equal summaries are stored differently");
	free(a);
	free(b);
	summary_free(&other);
	summary_free(&plain);
}

static void all(void)
{
	struct summary s;
	make_summary(&s);
	round_trip(&s);
	damage(&s);
	hostile();
	CHECK(summary_store(dir, &s, "a") == 0 && load("a") == 0, "not fresh again");
	equal_bytes(&s);
	CHECK(summary_store(dir, &s, "a") == 0 && load("a") == 0, "not fresh again");
	stale();
	changed_meanwhile(&s);
	CHECK(summary_store("/nonexistent", &s, "a") == -ENOENT, "stored into nothing");
	summary_free(&s);
}

/* The trace file must be older than the program that reduces it, so this one starts itself again.
 */
int main(int argc, char **argv)
{
	char name[] = "/tmp/summary_io_test.XXXXXX", file[64];
	if (argc == 1) {
		dir = mkdtemp(name);
		if (!dir)
			return 1;
		write_file("1.baton", "trace", 5);
		usleep(20000); /* the file system's clock ticks coarsely */
		execl("/proc/self/exe", argv[0], dir, (char *)NULL);
		return 1;
	}
	dir = argv[1];
	snprintf(path, sizeof(path), "%s/summary.baton", dir);
	all();
	unlink(path);
	snprintf(file, sizeof(file), "%.40s/1.baton", dir);
	unlink(file);
	rmdir(dir);
	return finish();
}
