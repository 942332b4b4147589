/* The bound of what this library takes of a process's memory, from the constants that make it. The
 * code itself and what it calls (CUPTI, libunwind) are not in it, nor what a thread has for open
 * NVTX ranges, NCCL groups and its last Python stack. */
#include "base/memory.h"

#include "base/table.h"

#include <baton/columns.h>
#include <baton/drain.h>

enum {
	RING_BYTES = MEMORY_RING_SLOTS * sizeof(struct baton_slot),
	SMALL_RING_BYTES = MEMORY_SMALL_SLOTS * sizeof(struct baton_slot),
	LANES = BATON_LIVE_LANES,

	LIVE_BYTES = 8192 + LANES * sizeof(struct baton_lane) + MEMORY_DICTIONARY_BYTES +
				 MEMORY_LARGE_LANES * RING_BYTES + (LANES - MEMORY_LARGE_LANES) * SMALL_RING_BYTES,

	ROW_BYTES = BATON_MAX_COLUMNS * sizeof(int64_t),
	BLOCK_BYTES = BATON_MAX_COLUMNS * (MEMORY_WRITER_ROWS + 2) * BATON_VARINT_MAX,
	/* rows of all tables; those of one in columns, encoded and compressed, with what the encoder
	 * needs; a copy of them while they are sorted; a compressor */
	TABLES_BYTES = MEMORY_WRITER_ROWS * (BATON_ALL_COLUMNS * sizeof(int64_t) + 2 * ROW_BYTES) +
				   2 * BLOCK_BYTES + BATON_ENCODER_BYTES(MEMORY_WRITER_ROWS) +
				   sizeof(struct baton_encoder) + BATON_RECORD_BYTES + (1 << 20),
	/* more than is to be held is held until the lane in work is through; it grows by a quarter */
	HELD_BYTES = (MEMORY_HELD_BYTES + 2 * RING_BYTES) / 4 * 5,
	WAITING_BYTES = BATON_DRAIN_WAITING * sizeof(struct baton_drain_collective) +
					BATON_DRAIN_RECENT * sizeof(struct baton_drain_op),
	WRITER_BYTES = TABLES_BYTES + HELD_BYTES + WAITING_BYTES,

	NAMES_BYTES = (MEMORY_TEXTS + MEMORY_LITERALS) * sizeof(struct table_slot) +
				  MEMORY_NVTX_TEXT_BYTES + MEMORY_SHAPES * sizeof(uint32_t),

	ALL_BYTES = LIVE_BYTES + NAMES_BYTES + MEMORY_GPU_BUFFERS * MEMORY_GPU_BUFFER_BYTES +
				WRITER_BYTES + MEMORY_STATIC_BYTES + MEMORY_OWN_THREADS * MEMORY_THREAD_STACK
};
_Static_assert((int)ALL_BYTES <= (int)MEMORY_MOST_BYTES, "the recorder's memory");

uint64_t memory_private_bytes(void)
{
	return ALL_BYTES - LIVE_BYTES - MEMORY_STATIC_BYTES - MEMORY_NVTX_TEXT_BYTES;
}
