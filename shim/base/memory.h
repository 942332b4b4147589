/* How large the parts of the recorder may get that grow with the job. memory.c adds them up: what
 * makes one larger has to make another smaller. */
#ifndef SHIM_MEMORY_H
#define SHIM_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

enum {
	MEMORY_MOST_BYTES = 64 << 20, /* of a process, by default (BATON_RING_SLOTS makes it more) */

	MEMORY_RING_SLOTS = 16384, /* of a thread */
	MEMORY_LARGE_LANES = 20,   /* so many threads have such rings, */
	MEMORY_SMALL_SLOTS = 512,  /* the others these */
	MEMORY_DICTIONARY_BYTES = 12 << 20,
	MEMORY_TEXTS = 1 << 17, /* slots of the tables that find names in it again, */
	MEMORY_LITERALS = 1 << 12,
	MEMORY_SHAPES = 1 << 13,          /* and shapes of launches, at most three quarters of it */
	MEMORY_NVTX_TEXT_BYTES = 4 << 20, /* texts of ranges, while nothing is recorded too */
	MEMORY_GPU_BUFFERS = 80,          /* that CUPTI fills */
	MEMORY_GPU_BUFFER_BYTES = 128 << 10,
	MEMORY_WRITER_ROWS = 4096,        /* of a table before they are compressed */
	MEMORY_HELD_BYTES = 2 << 20,      /* compressed, before they are written */
	MEMORY_STATIC_BYTES = 7424 << 10, /* tables of stacks, code and strings: .data and .bss */
	MEMORY_THREAD_STACK = 256 << 10,
	MEMORY_OWN_THREADS = 2
};

/* What a process's recorder takes: the sizes above, or less where a limit leaves little. */
struct memory_size {
	const char *without; /* what there is less of, for a message; NULL: nothing */
	uint64_t ring_slots, small_slots;
	uint64_t dictionary_bytes;
	uint64_t held_bytes;
	uint32_t texts;
	uint32_t writer_rows;
	uint32_t gpu_buffers;
	bool stacks;  /* call stacks are recorded */
	bool sampler; /* and what silent threads do, by the second thread of our own */
};

/* From all to the least. */
enum { MEMORY_SIZES = 3 };
extern const struct memory_size memory_sizes[MEMORY_SIZES];
/* That of this process: all, unless session.c chose another one as the recording began. */
extern const struct memory_size *memory_size;

/* What a recording takes at most beside the live file, all of it memory of the process's own; what
 * the library has from the start is not in it. */
uint64_t memory_private_bytes(const struct memory_size *size);
/* What the library has from the start and touches as it is used. */
uint64_t memory_static_bytes(void);
/* Threads of our own, and mappings of the process at most. */
unsigned memory_threads(const struct memory_size *size);
unsigned memory_maps(const struct memory_size *size);

#endif
