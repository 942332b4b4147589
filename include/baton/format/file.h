/* The frame of a file of the trace format: limits, the header of the file, the header of a block, the
 * kinds of blocks (docs/FORMAT.md sections 1 and 2). */
#ifndef BATON_FORMAT_FILE_H
#define BATON_FORMAT_FILE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the baton format is read and written on little-endian hosts only"
#endif

#define BATON_FILE_MAGIC \
	"\x89"               \
	"BTN\r\n\x1a\n"
#define BATON_BLOCK_MAGIC 0x4B4C4254u
#define BATON_MAJOR 1
#define BATON_MINOR 1

#define BATON_MAX_FILE_HEADER 4096u
#define BATON_MAX_ROWS (1u << 20)
#define BATON_MAX_PAYLOAD (64u << 20)
#define BATON_MAX_DIRECTORY 256u
#define BATON_MAX_PARTS 1024u
#define BATON_TIME_LIMIT_NS ((int64_t)1 << 62)

enum baton_content { BATON_TRACE = 1, BATON_SUMMARY = 2, BATON_GAUGES = 3 };
enum baton_compression { BATON_STORED = 0, BATON_ZSTD = 1, BATON_PARTS = 2 };

enum baton_kind {
	BATON_END = 1,
	BATON_RECORDS = 2,
	BATON_OP = 16,
	BATON_CALL = 17,
	BATON_RANGE = 18,
	BATON_COLLECTIVE = 19,
	BATON_SYNC = 20,
	BATON_OVERHEAD = 21,
	BATON_SCHED = 22,
	BATON_GAUGE = 23,
	BATON_KINDS_END = 24
};

struct baton_file_header {
	char magic[8];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes;
	uint32_t content;
	uint32_t zero0;
	uint64_t file_id;
	uint64_t zero1[3];
	uint64_t header_hash;
};
_Static_assert(sizeof(struct baton_file_header) == 64, "file header");
_Static_assert(offsetof(struct baton_file_header, header_hash) == 56, "file header hash");

struct baton_block_header {
	uint32_t magic;
	uint16_t kind;
	uint8_t compression;
	uint8_t zero0;
	uint32_t rows;
	uint32_t raw_bytes;
	uint32_t stored_bytes;
	uint32_t zero1;
	uint64_t sequence;
	int64_t t_min_ns;
	int64_t t_max_ns;
	uint64_t payload_hash;
	uint64_t header_hash;
};
_Static_assert(sizeof(struct baton_block_header) == 64, "block header");
_Static_assert(offsetof(struct baton_block_header, header_hash) == 56, "block header hash");

#endif
