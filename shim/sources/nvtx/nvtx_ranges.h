/* NVTX's open ranges: a stack per thread for push and pop, a table of the process for start and
 * end. */
#ifndef SHIM_NVTX_RANGES_H
#define SHIM_NVTX_RANGES_H

#include "sources/nvtx/nvtx_text.h"

#include <baton/live.h>

/* A text that stays, or else the id of one that is in the dictionary already. */
struct nvtx_name {
	const struct nvtx_text *text;
	uint32_t id;
};

/* As NVTX answers: the level of the range in its domain on this thread, from 0; below 0: there is
 * none to pop. `lane` is this thread's, NULL while nothing is recorded. */
int nvtx_push(struct baton_lane *lane, const struct nvtx_text *domain, struct nvtx_name name);
int nvtx_pop(struct baton_lane *lane, const struct nvtx_text *domain, uint64_t end);

/* The id is never 0 and never comes again. */
uint64_t nvtx_start(struct baton_lane *lane, const struct nvtx_text *domain, struct nvtx_name name);
void nvtx_end(struct baton_lane *lane, uint64_t id, uint64_t end);
/* For the writer thread as the recording ends: every range that is still open, as a slot that ends
 * at `ticks` with `stack` 1, of thread `thread` (id; 0 when it has recorded nothing). */
typedef void (*nvtx_unclosed)(void *who, uint32_t thread, const struct baton_slot *slot);
void nvtx_close(uint64_t ticks, nvtx_unclosed unclosed, void *who);

#endif
