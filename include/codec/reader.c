/* Reads a file of the format, following docs/FORMAT.md section 1.3 step by step. */
#include <baton/reader.h>

#include <baton/bounds.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

const char *baton_damage_name(enum baton_damage d)
{
	static const char *const names[] = {
		"intact",         "unclosed",    "truncated",       "bad-header", "replayed",
		"missing-blocks", "bad-hash",    "bad-compression", "bad-end",    "trailing",
		"bad-record",     "bad-columns", "too-large"};
	return names[d];
}

static int read_at(int fd, void *data, size_t bytes, uint64_t offset)
{
	uint8_t *at = data;
	while (bytes > 0) {
		ssize_t n = pread(fd, at, bytes, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG; /* it shrank while we read */
		at += n;
		bytes -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int make_room(uint8_t **buffer, size_t *room, size_t bytes)
{
	if (bytes <= *room)
		return 0;
	uint8_t *larger = realloc(*buffer, bytes);
	if (!larger)
		return -ENOMEM;
	*buffer = larger;
	*room = bytes;
	return 0;
}

static int reader_note(struct baton_reader *r, const struct baton_entry *entry)
{
	if (r->n_entries == r->entries_room) {
		size_t room = r->entries_room ? 2 * r->entries_room : 64;
		struct baton_entry *larger = realloc(r->entries, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		r->entries = larger;
		r->entries_room = room;
	}
	r->entries[r->n_entries++] = *entry;
	return 0;
}

static bool block_header_ok(const struct baton_block_header *h)
{
	return h->magic == BATON_BLOCK_MAGIC &&
		   h->header_hash == XXH3_64bits(h, offsetof(struct baton_block_header, header_hash));
}

/* Exactly one zstd frame, which decompresses to exactly `raw_bytes`: no skippable frames, no second
 * frame. */
static bool unpack(struct baton_reader *r, const uint8_t *data, size_t bytes, uint8_t *raw,
				   size_t raw_bytes)
{
	static const uint8_t magic[4] = {0x28, 0xB5, 0x2F, 0xFD};
	return bytes >= 4 && memcmp(data, magic, 4) == 0 &&
		   ZSTD_findFrameCompressedSize(data, bytes) == bytes &&
		   /* an error code never equals a size this small */
		   ZSTD_decompressDCtx(r->zstd, raw, raw_bytes, data, bytes) == raw_bytes;
}

/* Parts of a payload, each stored or one frame (docs/FORMAT.md section 1.4). */
static bool unpack_parts(struct baton_reader *r, const struct baton_block_header *header)
{
	const uint8_t *data = r->stored, *end = data + header->stored_bytes;
	uint8_t *raw = r->raw;
	uint32_t n, size[2];
	if (header->stored_bytes < 4)
		return false;
	memcpy(&n, data, 4);
	if (n > BATON_MAX_PARTS || 4 + 8 * (uint64_t)n > header->stored_bytes)
		return false;
	const uint8_t *sizes = data + 4;
	data = sizes + 8 * (size_t)n;
	for (uint32_t i = 0; i < n; i++, sizes += 8) {
		memcpy(size, sizes, 8);
		if (size[0] > (size_t)(end - data) || size[1] > header->raw_bytes - (size_t)(raw - r->raw))
			return false;
		if (size[0] == size[1])
			memcpy(raw, data, size[1]);
		else if (!unpack(r, data, size[0], raw, size[1]))
			return false;
		data += size[0];
		raw += size[1];
	}
	return data == end && raw == r->raw + header->raw_bytes;
}

/* Brings the payload from r->stored to r->raw. */
static bool unpack_payload(struct baton_reader *r, const struct baton_block_header *header)
{
	switch (header->compression) {
	case BATON_STORED:
		if (header->raw_bytes != header->stored_bytes)
			return false;
		memcpy(r->raw, r->stored, header->raw_bytes);
		return true;
	case BATON_ZSTD:
		return unpack(r, r->stored, header->stored_bytes, r->raw, header->raw_bytes);
	case BATON_PARTS:
		return unpack_parts(r, header);
	default:
		return false;
	}
}

int baton_reader_load(struct baton_reader *r, uint64_t offset, struct baton_block_header *header,
					  enum baton_damage *damage)
{
	int error = read_at(r->fd, header, sizeof(*header), offset);
	*damage = BATON_BAD_HEADER; /* it was good when the file was indexed: somebody writes to it */
	if (!error && !block_header_ok(header))
		return 0;
	if (!error)
		error = make_room(&r->stored, &r->stored_room, (size_t)header->stored_bytes + 8);
	if (!error)
		error = read_at(r->fd, r->stored, header->stored_bytes, offset + sizeof(*header));
	if (error == -EBADMSG) {
		*damage = BATON_TRUNCATED;
		return 0;
	}
	if (error)
		return error;
	*damage = BATON_BAD_HASH;
	if (XXH3_64bits(r->stored, header->stored_bytes) != header->payload_hash)
		return 0;
	error = make_room(&r->raw, &r->raw_room, (size_t)header->raw_bytes + 8);
	if (error)
		return error;
	if (!r->zstd && header->compression != BATON_STORED && !(r->zstd = ZSTD_createDCtx()))
		return -ENOMEM;
	*damage = unpack_payload(r, header) ? BATON_INTACT : BATON_BAD_COMPRESSION;
	return 0;
}

/* The next offset at or after `from` where a valid block header stands; the file's size when none
 * does. */
static int reader_resync(struct baton_reader *r, uint64_t from, uint64_t *found)
{
	enum { WINDOW = 1 << 16 };
	struct baton_block_header header;
	int error = make_room(&r->stored, &r->stored_room, WINDOW);
	*found = r->file_bytes;
	for (uint64_t base = (from + 7) & ~7ull; !error && base + 64 <= r->file_bytes;) {
		uint64_t left = r->file_bytes - base;
		size_t n = left < WINDOW ? (size_t)left : (size_t)WINDOW;
		error = read_at(r->fd, r->stored, n, base);
		for (size_t at = 0; !error && at + 64 <= n; at += 8) {
			memcpy(&header, r->stored + at, sizeof(header));
			if (header.magic == BATON_BLOCK_MAGIC && block_header_ok(&header)) {
				*found = base + at;
				return 0;
			}
		}
		base += n < WINDOW ? n : n - 56; /* the last 56 bytes may begin a header */
	}
	return error;
}

/* What the blocks of a file may hold when decoded: so much, and so many times the file's size. */
#define BATON_WEIGHT_BYTES (64u << 20)
#define BATON_WEIGHT_FOLD 256u
/* Columns of a row that count: those that the tables had at first. */
#define BATON_WEIGHT_OP_COLUMNS 10u
#define BATON_WEIGHT_CALL_COLUMNS 7u
#define BATON_WEIGHT_RANGE_COLUMNS 7u
#define BATON_WEIGHT_RECORDS 4u /* a byte of records in memory: with ids and tables to find them */

/* Columns that came later weigh nothing, so that a file that could be read once still can. */
static uint32_t weighed_columns(const struct baton_table *table)
{
	static const uint32_t first[BATON_KINDS_END] = {[BATON_OP] = BATON_WEIGHT_OP_COLUMNS,
													[BATON_CALL] = BATON_WEIGHT_CALL_COLUMNS,
													[BATON_RANGE] = BATON_WEIGHT_RANGE_COLUMNS};
	const uint32_t most = first[table->kind] ? first[table->kind] : BATON_MAX_COLUMNS;
	return table->n_columns < most ? table->n_columns : most;
}

/* Takes the weight of a block, if the file may hold it too (docs/FORMAT.md section 1.3). A few
 * bytes of a zstd frame or of constant columns may stand for a million rows. */
static bool take_weight(struct baton_reader *r, const struct baton_block_header *h)
{
	const struct baton_table *table = baton_table(h->kind);
	uint64_t most = BATON_WEIGHT_BYTES + BATON_WEIGHT_FOLD * r->file_bytes,
			 fold = h->kind == BATON_RECORDS ? BATON_WEIGHT_RECORDS : 1,
			 rows = table ? (uint64_t)h->rows * weighed_columns(table) : 0,
			 weight = fold * h->raw_bytes + sizeof(int64_t) * rows;
	if (!baton_holds(most, r->weight, weight, 1))
		return false;
	r->weight += weight;
	return true;
}

/* Looks at the block at `*at`, notes what it is, moves *at on. *done: the walk is over. */
static int reader_step(struct baton_reader *r, uint64_t *at, unsigned __int128 *expected,
					   bool *done)
{
	struct baton_entry entry = {.offset = *at};
	struct baton_block_header header;
	uint64_t left = *at < r->file_bytes ? r->file_bytes - *at : 0;
	*done = true;
	if (left < sizeof(header)) {
		entry.damage = left == 0 ? BATON_UNCLOSED : BATON_TRUNCATED;
		entry.offset = left == 0 ? r->file_bytes : *at; /* cut padding puts *at beyond the end */
		return reader_note(r, &entry);
	}
	int error = read_at(r->fd, &header, sizeof(header), *at);
	if (error)
		return error;
	if (!block_header_ok(&header) || header.rows > BATON_MAX_ROWS ||
		header.raw_bytes > BATON_MAX_PAYLOAD || header.stored_bytes > BATON_MAX_PAYLOAD) {
		entry.damage = BATON_BAD_HEADER;
		error = reader_note(r, &entry);
		if (!error)
			error = reader_resync(r, *at + 8, at);
		*done = *at >= r->file_bytes;
		return error;
	}
	if (!baton_holds(left, sizeof(header), header.stored_bytes, 1)) {
		entry.damage = BATON_TRUNCATED;
		return reader_note(r, &entry);
	}
	*at += (sizeof(header) + header.stored_bytes + 7) & ~7ull;
	*done = false;
	if (header.sequence < *expected) {
		entry.damage = BATON_REPLAYED;
		return reader_note(r, &entry);
	}
	if (header.sequence > *expected)
		entry.damage = BATON_MISSING_BLOCKS;
	bool fits = take_weight(r, &header);
	*expected = (unsigned __int128)header.sequence + 1;
	if (!fits) {
		entry.damage = BATON_TOO_LARGE;
		return reader_note(r, &entry);
	}
	entry.kind = header.kind;
	entry.rows = header.rows;
	entry.t_min_ns = header.t_min_ns;
	entry.t_max_ns = header.t_max_ns;
	return reader_note(r, &entry);
}

/* The end block is judged while walking: only an intact one ends the walk. */
static int reader_end(struct baton_reader *r, uint64_t next, bool *done)
{
	struct baton_entry *entry = &r->entries[r->n_entries - 1];
	struct baton_block_header header;
	enum baton_damage damage;
	int error = baton_reader_load(r, entry->offset, &header, &damage);
	if (error || damage != BATON_INTACT || header.raw_bytes < 8)
		return error;
	r->closed = true;
	*done = true;
	if (next >= r->file_bytes)
		return 0;
	struct baton_entry trailing = {.offset = next, .damage = BATON_TRAILING};
	return reader_note(r, &trailing);
}

void baton_reader_close(struct baton_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->entries);
	free(r->stored);
	free(r->raw);
	ZSTD_freeDCtx(r->zstd);
	memset(r, 0, sizeof(*r));
	r->fd = -1;
}

static int reader_header(struct baton_reader *r)
{
	struct baton_file_header *h = &r->header;
	if (r->file_bytes < sizeof(*h))
		return -EBADMSG;
	int error = read_at(r->fd, h, sizeof(*h), 0);
	if (error)
		return error;
	bool ok = memcmp(h->magic, BATON_FILE_MAGIC, 8) == 0 &&
			  h->header_hash == XXH3_64bits(h, offsetof(struct baton_file_header, header_hash)) &&
			  h->major == BATON_MAJOR &&
			  (h->content >= BATON_TRACE && h->content <= BATON_GAUGES) &&
			  h->header_bytes >= sizeof(*h) && h->header_bytes % 8 == 0 &&
			  h->header_bytes <= BATON_MAX_FILE_HEADER && h->header_bytes <= r->file_bytes;
	return ok ? 0 : -EBADMSG;
}

int baton_reader_open(struct baton_reader *r, int dirfd, const char *path)
{
	struct stat st;
	memset(r, 0, sizeof(*r));
	r->fd = openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a FIFO must not hang */
	if (r->fd < 0)
		return -errno;
	int error = fstat(r->fd, &st) != 0 ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	r->file_bytes = error ? 0 : (uint64_t)st.st_size;
	if (!error)
		error = reader_header(r);
	uint64_t at = r->header.header_bytes;
	unsigned __int128 expected = 0;
	for (bool done = false; !error && !done;) {
		error = reader_step(r, &at, &expected, &done);
		if (!error && !done && r->entries[r->n_entries - 1].kind == BATON_END)
			error = reader_end(r, at, &done);
	}
	if (error)
		baton_reader_close(r);
	return error;
}
