/* Reads one file of untrusted bytes (docs/FORMAT.md section 1.3): opening makes an index of blocks
 * and damage, then any block can be loaded. Memory: sizeof(struct baton_entry) per block, and one
 * payload. What all blocks together hold when decoded is limited by the size of the file. One
 * thread at a time per reader. The code is in codec/reader.c; compile it into your program and link
 * zstd and xxHash. */
#ifndef BATON_READER_H
#define BATON_READER_H

#include <baton/format.h>
#include <stdbool.h>

enum baton_damage {
	BATON_INTACT,
	BATON_UNCLOSED,
	BATON_TRUNCATED,
	BATON_BAD_HEADER,
	BATON_REPLAYED,
	BATON_MISSING_BLOCKS,
	BATON_BAD_HASH,
	BATON_BAD_COMPRESSION,
	BATON_BAD_END,
	BATON_TRAILING,
	BATON_BAD_RECORD,
	BATON_BAD_COLUMNS,
	BATON_TOO_LARGE
};

/* The name of the damage in docs/FORMAT.md and in baton's messages. Never NULL. */
const char *baton_damage_name(enum baton_damage d);

/* One entry of the index: damage, a block to load, or (missing-blocks) both. */
struct baton_entry {
	uint64_t offset;
	enum baton_damage damage;
	uint32_t kind; /* 0: no block here */
	uint32_t rows;
	int64_t t_min_ns;
	int64_t t_max_ns;
};

struct baton_reader {
	int fd;
	uint64_t file_bytes;
	struct baton_file_header header;
	struct baton_entry *entries; /* in the order of the file */
	size_t n_entries;
	size_t entries_room;
	uint64_t weight; /* of the blocks so far that are not too large */
	bool closed;     /* an intact end block was found */
	uint8_t *stored; /* the block loaded last, as it is in the file */
	/* the same block decompressed: header.raw_bytes, valid until the next load or close */
	uint8_t *raw;
	size_t stored_room;
	size_t raw_room;
	struct ZSTD_DCtx_s *zstd; /* made when the first compressed block is loaded */
};

/* Opens and indexes a file; `path` is relative to `dirfd`, as for openat(). 0: call
 * baton_reader_close() later. -EBADMSG: not a file of this format ("unreadable"); other -errno: I/O
 * or memory. After an error nothing is open. */
int baton_reader_open(struct baton_reader *r, int dirfd, const char *path);
void baton_reader_close(struct baton_reader *r);

/* Loads the block at `offset` (of an entry with a kind): its payload into r->raw, and its header.
 * *damage: what is wrong with it; r->raw is valid only with BATON_INTACT. 0, or -errno for I/O and
 * memory only. */
int baton_reader_load(struct baton_reader *r, uint64_t offset, struct baton_block_header *header,
					  enum baton_damage *damage);

#endif
