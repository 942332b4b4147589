#include "read/drain_live.h"

#include "base/table.h"
#include "read/live_file.h"
#include "read/records.h"

#include <baton/bounds.h>
#include <baton/columns.h>
#include <baton/drain.h>
#include <baton/reader.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

struct salvage_stream {
	int64_t context, stream; /* CUPTI's numbers */
	uint64_t id;
};

struct salvage {
	const struct baton_live *live; /* the mapping; `bytes` of it */
	size_t bytes;
	struct baton_reader old;
	struct baton_writer new;
	struct baton_drain drain;
	size_t checkpoint; /* entry of the old file that holds the last one; n_entries: none */
	uint64_t dictionary;
	uint64_t lanes[BATON_LIVE_LANES][3]; /* as the checkpoint has them */
	uint64_t kernels_after;              /* ops after the checkpoint: complete blocks are kept */
	struct drained *drained;
	struct salvage_stream *streams; /* of the old file */
	size_t n_streams;
	struct table by_number;
	uint64_t ring_bytes; /* of the lanes so far */
};

/* ---- the live file ---- */

static int map_live(struct salvage *s, int fd)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return -errno;
	if (st.st_size < (off_t)sizeof(*s->live))
		return -EBADMSG;
	s->bytes = (size_t)st.st_size;
	/* writable: the writer completes the heads of records in place */
	int flags = MAP_PRIVATE | MAP_NORESERVE;
	void *map = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	s->live = map;
	return live_file_fault(s->live, s->bytes) ? -EBADMSG : 0;
}

static struct baton_lane *lane_of(const struct salvage *s, uint32_t i)
{
	return (struct baton_lane *)((char *)(uintptr_t)s->live + s->live->lanes_offset) + i;
}

/* ---- the old trace ---- */

/* More than any process counts: sums of such numbers cannot wrap. */
#define COUNT_MOST ((uint64_t)1 << 62)

static void note_checkpoint(struct salvage *s, size_t entry, const uint8_t *record, uint32_t size)
{
	struct baton_r_checkpoint c;
	memcpy(&c, record, sizeof(c));
	if (c.lanes > BATON_LIVE_LANES || !baton_holds(size, sizeof(c), c.lanes, sizeof(s->lanes[0])))
		return;
	if (c.dictionary % 8 || c.launches > COUNT_MOST || c.kernels > COUNT_MOST)
		return; /* no recorder wrote it */
	s->checkpoint = entry;
	s->dictionary = c.dictionary;
	s->drain.launches = c.launches;
	s->drain.kernels = c.kernels;
	memset(s->lanes, 0, sizeof(s->lanes));
	memcpy(s->lanes, record + sizeof(c), c.lanes * sizeof(s->lanes[0]));
}

static void note_stream(struct salvage *s, const struct baton_r_stream *stream)
{
	struct salvage_stream key = {.context = stream->context, .stream = stream->stream};
	struct salvage_stream *row =
		table_row(&s->by_number, TABLE_ROWS(s->streams, s->n_streams, stream), &key);
	if (row && !row->id)
		row->id = stream->id;
}

/* Of the streams that the old trace defines. */
static uint32_t stream_id(void *of, uint32_t context, uint32_t stream)
{
	const struct salvage *s = of;
	struct salvage_stream key = {.context = context, .stream = stream};
	uint32_t row =
		table_find(&s->by_number, s->streams, TABLE_SHAPE(struct salvage_stream, stream), &key);
	return row ? (uint32_t)s->streams[row - 1].id : 0;
}

/* The checkpoint in a block of records, and streams. */
static void find_checkpoint_in(struct salvage *s, size_t entry, uint32_t bytes)
{
	uint32_t at = 0;
	for (const struct baton_record *r; (r = records_next(s->old.raw, bytes, &at));) {
		if (r->type == BATON_R_CHECKPOINT && r->size >= sizeof(struct baton_r_checkpoint))
			note_checkpoint(s, entry, (const uint8_t *)r, r->size);
		else if (r->type == BATON_R_STREAM)
			note_stream(s, (const void *)r);
	}
}

static int find_checkpoint(struct salvage *s)
{
	struct baton_block_header header;
	enum baton_damage damage;
	int error = 0;
	s->checkpoint = s->old.n_entries;
	for (size_t i = 0; i < s->old.n_entries && !error; i++) {
		if (s->old.entries[i].kind != BATON_RECORDS)
			continue;
		error = baton_reader_load(&s->old, s->old.entries[i].offset, &header, &damage);
		if (!error && damage == BATON_INTACT &&
			records_ok(s->old.raw, header.raw_bytes, header.rows))
			find_checkpoint_in(s, i, header.raw_bytes);
	}
	return error;
}

/* ---- the new trace ---- */

/* As it is, under the number that it has here. */
static int copy_block(struct salvage *s, struct baton_block_header *header)
{
	static const uint8_t padding[8];
	header->sequence = s->new.sequence++;
	header->header_hash = XXH3_64bits(header, offsetof(struct baton_block_header, header_hash));
	baton_writer_put(&s->new, header, sizeof(*header));
	baton_writer_put(&s->new, s->old.stored, header->stored_bytes);
	return baton_writer_put(&s->new, padding, -(size_t)header->stored_bytes & 7);
}

/* Kernels of launches in an op block: those of graphs are not counted, a graph launch promises no
 * number. */
static uint64_t kernels_in(struct salvage *s, const struct baton_block_header *header)
{
	int64_t *columns[BATON_MAX_COLUMNS];
	uint32_t present;
	uint64_t n = 0;
	int64_t *memory =
		calloc((size_t)BATON_MAX_COLUMNS * ((size_t)header->rows + 1), sizeof(*memory));
	if (!memory) {
		s->new.error = -ENOMEM; /* the live file stays */
		return 0;
	}
	for (int c = 0; c < BATON_MAX_COLUMNS; c++)
		columns[c] = memory + (size_t)c * header->rows;
	if (baton_columns_decode(baton_table(BATON_OP), header, s->old.raw, columns, &present) == 0)
		for (uint32_t i = 0; i < header->rows; i++)
			n += columns[OP_KIND][i] == BATON_KERNEL &&
				 (!(present & 1u << OP_GRAPH_NODE) || columns[OP_GRAPH_NODE][i] == 0);
	free(memory);
	return n;
}

/* Records after the checkpoint: losses are told anew from the live file. */
static void copy_records(struct salvage *s, uint32_t bytes)
{
	uint32_t at = 0;
	for (const struct baton_record *r; (r = records_next(s->old.raw, bytes, &at));)
		if (r->type != BATON_R_LOSS)
			baton_writer_record(&s->new, r->type, (void *)(uintptr_t)r, r->size, NULL, 0);
}

/* Every good block: up to the checkpoint as it is, after it only what the rings do not hold. */
static int copy_blocks(struct salvage *s)
{
	int error = 0;
	for (size_t i = 0; i < s->old.n_entries && !error; i++) {
		struct baton_block_header header;
		enum baton_damage damage;
		uint32_t kind = s->old.entries[i].kind;
		bool behind = s->checkpoint == s->old.n_entries || i > s->checkpoint;
		if (kind == 0 || kind == BATON_END || (behind && baton_drain_from_ring(kind)))
			continue;
		error = baton_reader_load(&s->old, s->old.entries[i].offset, &header, &damage);
		if (error || damage != BATON_INTACT)
			continue;
		if (behind && kind == BATON_OP)
			s->drain.kernels += kernels_in(s, &header);
		if (behind && kind == BATON_RECORDS) {
			if (records_ok(s->old.raw, header.raw_bytes, header.rows))
				copy_records(s, header.raw_bytes);
			continue;
		}
		error = baton_writer_flush_records(&s->new);
		if (!error)
			error = copy_block(s, &header);
	}
	return error;
}

static void add_dictionary(struct salvage *s)
{
	const struct baton_live *l = s->live;
	uint64_t end = atomic_load(&l->dictionary_reserved);
	uint8_t *arena = (uint8_t *)(uintptr_t)l + l->dictionary_offset;
	struct baton_record *record;
	end = end < l->dictionary_bytes ? end : l->dictionary_bytes;
	while ((record = baton_dictionary_next(arena, &s->dictionary, end, 1)) != NULL)
		if (records_ok((const uint8_t *)record, record->size, 1))
			baton_writer_record(&s->new, record->type, record, record->size, NULL, 0);
}

/* What was told may be more than there is in a damaged file. */
static uint64_t beyond(uint64_t all, uint64_t told)
{
	return all > told ? all - told : 0;
}

static void add_lane(struct salvage *s, uint32_t i)
{
	struct baton_lane *lane = lane_of(s, i);
	uint64_t head = atomic_load(&lane->head), at = s->lanes[i][0];
	const struct baton_slot *ring = live_file_ring(s->live, lane);
	const bool used = ring && head >= at && head - at <= lane->slots;
	const uint64_t launches = atomic_load(&lane->dropped_launches);
	if (!used || !baton_holds(s->bytes, s->ring_bytes, lane->slots, sizeof(*ring))) {
		/* rings that overlap would be read more than once */
		s->drained->bad_rings += lane->offset != 0 || head != 0;
		s->drained->slots -= used ? head - at : 0;
		return;
	}
	s->ring_bytes += lane->slots * sizeof(*ring);
	for (; at < head; at++) {
		const struct baton_slot *slot = &ring[at & (lane->slots - 1)];
		if (live_file_slot_ok(slot))
			baton_drain_slot(&s->drain, atomic_load(&lane->thread), slot);
		s->drained->bad_slots += !live_file_slot_ok(slot);
		s->drained->slots -= !live_file_slot_ok(slot);
	}
	s->drain.launches += beyond(launches, s->lanes[i][2]);
}

/* What the live file has beyond the trace, before anything is written: it stays true when the
 * writing fails. */
static void count_lanes(struct salvage *s)
{
	for (uint32_t i = 0; i < BATON_LIVE_LANES; i++) {
		const struct baton_lane *lane = lane_of(s, i);
		uint64_t head = atomic_load(&lane->head), at = s->lanes[i][0];
		uint64_t launches = atomic_load(&lane->dropped_launches);
		uint64_t others = atomic_load(&lane->dropped_others);
		if (live_file_ring(s->live, lane) && head > at && head - at <= lane->slots)
			s->drained->slots += head - at;
		s->drained->dropped_launches += beyond(launches, s->lanes[i][2]);
		s->drained->dropped_others += beyond(others, beyond(s->lanes[i][1], s->lanes[i][2]));
	}
	if (atomic_load(&s->live->losses_told))
		return;
	s->drained->dropped_launches += atomic_load(&s->live->unheard_launches);
	s->drained->gpu_dropped = atomic_load(&s->live->gpu_lost);
	if (atomic_load(&s->live->unwritable))
		s->drained->gpu_dropped += atomic_load(&s->live->gpu_unwritten);
}

/* Of a process that told its losses itself only what its threads lost later is new.
 * A kernel without a record is in flight, unless the record was delivered: the recorder dropped it,
 * or could not write it. After a kill alone what was about to be written counts as in flight, too.
 */
static void count_gpu(struct salvage *s)
{
	const struct baton_live *l = s->live;
	uint64_t came = s->drain.kernels, lost = atomic_load(&l->gpu_lost);
	const bool told = atomic_load(&l->losses_told);
	s->drain.launches += told ? 0 : atomic_load(&l->unheard_launches);
	s->drained->launches = s->drain.launches;
	if (told)
		return;
	if (atomic_load(&l->unwritable)) {
		uint64_t taken = atomic_load(&l->gpu_kernels);
		came = taken > came ? taken : came;
	}
	if (l->gpu_recorded && s->drain.launches > came && s->drain.launches - came > lost)
		s->drained->in_flight = s->drain.launches - came - lost;
}

static void add_loss(struct salvage *s, uint32_t id, enum baton_loss_kind kind, const char *what,
					 uint64_t count)
{
	struct baton_r_string text = {.id = id, .bytes = (uint32_t)strlen(what)};
	struct baton_r_loss loss = {.kind = kind, .what = id, .count = count};
	if (!count)
		return;
	baton_writer_record(&s->new, BATON_R_STRING, &text, sizeof(text), what, text.bytes);
	baton_writer_record(&s->new, BATON_R_LOSS, &loss, sizeof(loss), NULL, 0);
}

/* The ids are of this salvage: counted down from the top, out of the way of the process's own. */
static void add_losses(struct salvage *s)
{
	const struct drained *d = s->drained;
	bool full = atomic_load(&s->live->unwritable);
	add_loss(s, UINT32_MAX - 1, BATON_LOSS_DROPPED,
			 full ? "launches for which the disk had no room"
				  : "launches of a process that was killed",
			 d->dropped_launches);
	add_loss(s, UINT32_MAX - 4, BATON_LOSS_DROPPED,
			 full ? "other calls and ranges for which the disk had no room"
				  : "other calls and ranges of a process that was killed",
			 d->dropped_others);
	add_loss(s, UINT32_MAX - 5, BATON_LOSS_DROPPED, "GPU records", d->gpu_dropped);
	add_loss(s, UINT32_MAX - 2, BATON_LOSS_IN_FLIGHT, "kernels", d->in_flight);
	add_loss(s, UINT32_MAX - 3, BATON_LOSS_DROPPED, "names and stacks",
			 atomic_load(&s->live->losses_told) ? 0 : atomic_load(&s->live->dropped_strings));
	add_loss(s, UINT32_MAX - 6, BATON_LOSS_INVALID, "records or whole rings of a damaged live file",
			 d->bad_rings + d->bad_slots);
}

static int write_new(struct salvage *s)
{
	int error = copy_blocks(s);
	if (error)
		return error;
	add_dictionary(s);
	for (uint32_t i = 0; i < BATON_LIVE_LANES; i++)
		add_lane(s, i);
	count_gpu(s);
	add_losses(s);
	return baton_writer_close(&s->new);
}

/* What the recorder was about to put in the trace's place (--keep-last): the trace is whole. */
static void remove_next(const char *trace)
{
	char path[1400];
	snprintf(path, sizeof(path), "%s.keep", trace);
	unlink(path);
}

static int rewrite(struct salvage *s, const char *trace)
{
	char path[1400];
	snprintf(path, sizeof(path), "%s.salvage", trace);
	unlink(path); /* of a salvage that was interrupted */
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	int error = baton_writer_open(&s->new, fd, BATON_TRACE, s->old.header.file_id);
	if (!error)
		error = write_new(s);
	baton_writer_free(&s->new);
	if (!error && rename(path, trace) != 0)
		error = -errno;
	if (error)
		unlink(path);
	else
		remove_next(trace);
	return error;
}

/* Killed before the first write was whole: nothing had been recorded, there is nothing to keep. */
static bool is_stillborn(const struct salvage *s)
{
	for (uint32_t i = 0; i < BATON_LIVE_LANES; i++)
		if (atomic_load(&lane_of(s, i)->head) != 0)
			return false;
	return true;
}

int drain_live_file(int live_fd, const char *trace, struct drained *drained)
{
	struct salvage s = {.drained = drained, .new = {.fd = -1}, .old = {.fd = -1}};
	memset(drained, 0, sizeof(*drained));
	int error = map_live(&s, live_fd);
	if (error || atomic_load(&s.live->closed))
		goto unmap;
	error = baton_reader_open(&s.old, AT_FDCWD, trace);
	if (error == -EBADMSG && is_stillborn(&s))
		error = unlink(trace) == 0 ? 0 : -errno;
	if (error || s.old.fd < 0)
		goto unmap;
	error = baton_drain_open(&s.drain, &s.new);
	if (!error)
		error = find_checkpoint(&s);
	s.drain.host_tick_ns = s.live->host_tick_ns == 32 ? 32 : 0; /* --host-clock has no other */
	s.drain.stream_id = stream_id;
	s.drain.places = &s;
	if (!error)
		count_lanes(&s);
	s.drain.clock = s.live->clock[atomic_load(&s.live->clock_now) & 1];
	if (!error)
		error = rewrite(&s, trace);
	baton_drain_close(&s.drain);
	free(s.streams);
	table_free(&s.by_number);
	baton_reader_close(&s.old);
unmap:
	if (s.live)
		munmap((void *)(uintptr_t)s.live, s.bytes);
	return error;
}
