#include "virtual/record/shapes.h"

#include "virtual/draw/rng.h"

enum { UNKNOWN, PAGEABLE, PINNED, DEVICE }; /* docs/FORMAT.md, column memory */

struct baton_r_shape shape_of(const struct gpu_op *op)
{
	static const uint32_t blocks[] = {128, 256, 512, 1024};
	const uint64_t drawn = rng_mix(op->launch.name);
	struct baton_r_shape shape = {.registers = 16 + 8 * (uint32_t)(drawn % 28),
								  .grid = {1 + (uint32_t)(drawn >> 8) % 4096, 1, 1},
								  .block = {blocks[(drawn >> 24) % 4], 1, 1},
								  .dynamic_shared = (uint32_t)(drawn >> 32) % 4 * 16384};
	if (op->kind == GPU_NCCL) { /* a block for each channel */
		shape.grid[0] = 24;
		shape.block[0] = 640;
		shape.dynamic_shared = 82240;
	}
	return shape;
}

uint8_t memory_of(const struct gpu_op *op)
{
	const uint8_t host = op->launch.pageable ? PAGEABLE : PINNED;
	const uint8_t dir = op->kind == GPU_COPY ? op->launch.copy_dir : BATON_COPY_UNKNOWN;
	const bool from_host = dir == BATON_COPY_HTOD || dir == BATON_COPY_HTOH;
	const bool to_host = dir == BATON_COPY_DTOH || dir == BATON_COPY_HTOH;
	const uint8_t source = op->kind == GPU_MEMSET ? UNKNOWN : from_host ? host : DEVICE;
	return (uint8_t)(source | (to_host ? host : DEVICE) << 4);
}
