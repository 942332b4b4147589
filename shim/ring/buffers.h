/* The buffers that CUPTI fills with activity records: a fixed pool, handed out zeroed (or CUPTI
 * would zero them in the launching thread), taken back full, parsed by the writer thread. Nothing
 * is freed while the process lives: CUPTI may still own it. Any thread; no lock.
 *
 * CUPTI keeps a buffer until it is full or, when asked, nothing in it is unfinished, which in a job
 * that keeps its GPU busy is never. What it keeps is lost when the job is killed: as long as few
 * are out it gets as much of one as the last one filled in an eighth of a second. */
#ifndef SHIM_BUFFERS_H
#define SHIM_BUFFERS_H

#include "base/memory.h"

#include <stddef.h>
#include <stdint.h>

enum {
	BUFFERS = MEMORY_GPU_BUFFERS,
	BUFFERS_FEW = 8,
	BUFFER_BYTES = MEMORY_GPU_BUFFER_BYTES,
	BUFFER_LEAST_BYTES = 16 << 10
};

/* NULL: all are in use (CUPTI then drops records, and counts them). bytes: how much of it. */
uint8_t *buffers_take(size_t *bytes);
/* `bytes` holds `valid` bytes of records of this context and stream. */
void buffers_full(uint8_t *bytes, size_t valid, void *context, uint32_t stream);

/* It is of no use: free again, zeroed. */
void buffers_pass(uint8_t *bytes, size_t valid);

/* The memory of those that are free goes back. */
void buffers_release(void);
/* The same, with what is in them unread: nobody will. Any thread; no other one takes full ones. */
void buffers_drop(void);

struct buffer_full {
	uint8_t *bytes;
	size_t valid;
	void *context;
	uint32_t stream;
};

/* The next full one in the order they came; 0 when there is none. The consumer's side. */
int buffers_next(struct buffer_full *full);
/* Zeroed and free again. */
void buffers_give_back(const struct buffer_full *full);

#endif
