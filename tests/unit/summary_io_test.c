/* summary.baton: what is stored comes back; whatever is stale or damaged is never taken for fresh.
 */
#include "summary_made.h"

#include <fcntl.h>
#include <sys/stat.h>

static void make_copies(struct summary *s)
{
	struct copy_summary copy = {
		.direction = BATON_COPY_PEER, .count = 6, .total_ns = 61, .bytes = 62, .sized_ns = 60};
	summary_string(s, "host/1", &copy.device);
	summary_add(s, ROW_COPY, &copy);
	struct pair_summary pair = {.count = 7, .total_ns = 71, .bytes = 72, .sized_ns = 70};
	summary_string(s, "host/1", &pair.from);
	summary_string(s, "host/0", &pair.to);
	summary_string(s, "host/1", &pair.device);
	summary_add(s, ROW_PAIR, &pair);
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
	make_copies(s);
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

static void same_copies(const struct summary *a, const struct summary *b)
{
	const struct copy_summary *copy = b->copies;
	CHECK(b->n_copies == 1 && same_text(a, a->copies->device, b, copy->device) &&
			  copy->direction == BATON_COPY_PEER && copy->pageable == 0 && copy->count == 6 &&
			  copy->total_ns == 61 && copy->bytes == 62 && copy->sized_ns == 60,
		  "the copies came back otherwise");
	const struct pair_summary *pair = b->pairs;
	CHECK(b->n_pairs == 1 && same_text(a, a->pairs->from, b, pair->from) &&
			  same_text(a, a->pairs->to, b, pair->to) && pair->from != pair->to &&
			  same_text(a, a->pairs->device, b, pair->device) && pair->count == 7 &&
			  pair->total_ns == 71 && pair->bytes == 72 && pair->sized_ns == 70,
		  "the pairs of devices came back otherwise");
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
	same_copies(a, b);
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
	CHECK(summary_store(dir, &s, "a") == 0 && load("a") == 0, "not fresh again");
	equal_bytes(&s);
	CHECK(summary_store(dir, &s, "a") == 0 && load("a") == 0, "not fresh again");
	stale();
	changed_meanwhile(&s);
	CHECK(summary_store("/nonexistent", &s, "a") == -ENOENT, "stored into nothing");
	summary_free(&s);
}

int main(int argc, char **argv)
{
	return in_directory(argc, argv, all);
}
