/* The bound of what this library takes of a process's memory, from the constants that make it. The
 * code itself and what it calls (CUPTI, libunwind) are not in it, nor what a thread has for open
 * NVTX ranges, NCCL groups and its last Python stack. */
#include "base/memory.h"

#include "base/table.h"

#include <baton/columns.h>
#include <baton/drain.h>

#define RING_BYTES(slots) ((slots) * sizeof(struct baton_slot))
#define ROW_BYTES (BATON_MAX_COLUMNS * sizeof(int64_t))
#define BLOCK_BYTES(rows) (BATON_MAX_COLUMNS * ((rows) + 2) * (size_t)BATON_VARINT_MAX)
/* rows of all tables; those of one in columns, encoded and compressed, with what the encoder
 * needs; a copy of them while they are sorted; a compressor */
#define TABLES_BYTES(rows)                                                                     \
	((rows) * (BATON_ALL_COLUMNS * sizeof(int64_t) + 2 * ROW_BYTES) + 2 * BLOCK_BYTES(rows) +  \
	 BATON_ENCODER_BYTES((size_t)(rows)) + sizeof(struct baton_encoder) + BATON_RECORD_BYTES + \
	 (size_t)(1 << 20))
/* more than is to be held is held until the lane in work is through; it grows by a quarter */
#define HELD_BYTES(held, slots) (((held) + 2 * RING_BYTES(slots)) / 4 * 5)
#define NAMES_BYTES(texts) \
	(((texts) + MEMORY_LITERALS) * sizeof(struct table_slot) + MEMORY_SHAPES * sizeof(uint32_t))

enum {
	LANES = BATON_LIVE_LANES,
	LIVE_BYTES = 8192 + LANES * sizeof(struct baton_lane) + MEMORY_DICTIONARY_BYTES +
				 MEMORY_LARGE_LANES * RING_BYTES(MEMORY_RING_SLOTS) +
				 (LANES - MEMORY_LARGE_LANES) * RING_BYTES(MEMORY_SMALL_SLOTS),
	WAITING_BYTES = BATON_DRAIN_WAITING * sizeof(struct baton_drain_collective) +
					BATON_DRAIN_RECENT * sizeof(struct baton_drain_op),
	WRITER_BYTES = TABLES_BYTES(MEMORY_WRITER_ROWS) +
				   HELD_BYTES(MEMORY_HELD_BYTES, MEMORY_RING_SLOTS) + WAITING_BYTES,

	ALL_BYTES = LIVE_BYTES + NAMES_BYTES(MEMORY_TEXTS) + MEMORY_NVTX_TEXT_BYTES +
				MEMORY_GPU_BUFFERS * MEMORY_GPU_BUFFER_BYTES + WRITER_BYTES + MEMORY_STATIC_BYTES +
				MEMORY_OWN_THREADS * MEMORY_THREAD_STACK,

	/* of the process: the live file and its rings once more as they go back, two tables, what malloc
	 * makes of larger pieces; then a stack with its guard, an arena of two parts and a descriptor
	 * table for each thread */
	MAPS = 24,
	MAPS_A_THREAD = 5
};
_Static_assert((int)ALL_BYTES <= (int)MEMORY_MOST_BYTES, "the recorder's memory");

const struct memory_size memory_sizes[MEMORY_SIZES] = {
	{.ring_slots = MEMORY_RING_SLOTS,
	 .small_slots = MEMORY_SMALL_SLOTS,
	 .dictionary_bytes = MEMORY_DICTIONARY_BYTES,
	 .held_bytes = MEMORY_HELD_BYTES,
	 .texts = MEMORY_TEXTS,
	 .writer_rows = MEMORY_WRITER_ROWS,
	 .gpu_buffers = MEMORY_GPU_BUFFERS,
	 .stacks = true,
	 .sampler = true},
	{.without = "smaller rings and fewer names",
	 .ring_slots = 2048,
	 .small_slots = 128,
	 .dictionary_bytes = 4 << 20,
	 .held_bytes = 512 << 10,
	 .texts = 1 << 15,
	 .writer_rows = 1024,
	 .gpu_buffers = 24,
	 .stacks = true,
	 .sampler = true},
	{.without = "small rings, no call stacks and no samples of what threads wait for",
	 .ring_slots = 1024,
	 .small_slots = 128,
	 .dictionary_bytes = 1 << 20,
	 .held_bytes = 256 << 10,
	 .texts = 1 << 13,
	 .writer_rows = 512,
	 .gpu_buffers = 8},
};
const struct memory_size *memory_size = memory_sizes;

unsigned memory_threads(const struct memory_size *size)
{
	return size->sampler ? MEMORY_OWN_THREADS : MEMORY_OWN_THREADS - 1;
}

unsigned memory_maps(const struct memory_size *size)
{
	return MAPS + MAPS_A_THREAD * memory_threads(size) + size->gpu_buffers;
}

uint64_t memory_private_bytes(const struct memory_size *size)
{
	return NAMES_BYTES(size->texts) + (uint64_t)size->gpu_buffers * MEMORY_GPU_BUFFER_BYTES +
		   TABLES_BYTES(size->writer_rows) + HELD_BYTES(size->held_bytes, size->ring_slots) +
		   WAITING_BYTES + (uint64_t)memory_threads(size) * MEMORY_THREAD_STACK;
}

uint64_t memory_static_bytes(void)
{
	return MEMORY_STATIC_BYTES + MEMORY_NVTX_TEXT_BYTES;
}
