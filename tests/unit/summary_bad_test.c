/* summary.baton with numbers that cannot be, under right checksums: refused, or of use to all views. */
#include "conclude/figures.h"
#include "part.h"
#include "summary/row_kinds.h"
#include "summary_made.h"

#include <baton/reader.h>
#include <baton/summary_format.h>
#include <baton/writer.h>
#include <fcntl.h>

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

/* Every kind of row, and one block is enough for all. */
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

int main(int argc, char **argv)
{
	return in_directory(argc, argv, hostile);
}
