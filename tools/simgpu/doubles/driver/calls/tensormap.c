/* Descriptors for the tensor memory accelerator: kernels never run, so what is in one matters to
 * nobody. Written is what tells it from an empty one. */
#include "doubles/driver/calls/entry.h"

#include <string.h>

#define MAP_BYTES 128
#define MAP_ALIGN 64
#define MAP_MAGIC 0x53494d544d415021ull
#define MAX_RANK 5

struct tensor_map {
	uint64_t magic;
	const void *address;
};

static int encode(void *map, unsigned rank, const void *address, bool shapes)
{
	struct tensor_map made = {MAP_MAGIC, address};
	int failed = core_state();
	if (failed)
		return failed;
	if (!map || (uintptr_t)map % MAP_ALIGN || rank < 1 || rank > MAX_RANK || !address ||
		(uintptr_t)address % 16 || !shapes)
		return CUDA_INVALID_VALUE;
	memset(map, 0, MAP_BYTES);
	memcpy(map, &made, sizeof(made));
	return CUDA_OK;
}

ENTRY(cuTensorMapEncodeTiled, void *map, int type, unsigned rank, void *address,
	  const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
	  const uint32_t *element_strides, int interleave, int swizzle, int promotion, int fill)
{
	(void)type, (void)interleave, (void)swizzle, (void)promotion, (void)fill;
	return encode(map, rank, address, dims && (strides || rank == 1) && box && element_strides);
}

ENTRY(cuTensorMapEncodeIm2col, void *map, int type, unsigned rank, void *address,
	  const uint64_t *dims, const uint64_t *strides, const int *lower, const int *upper,
	  uint32_t channels, uint32_t pixels, const uint32_t *element_strides, int interleave,
	  int swizzle, int promotion, int fill)
{
	(void)type, (void)channels, (void)pixels, (void)interleave, (void)swizzle, (void)promotion;
	(void)fill;
	return encode(map, rank, address,
				  rank >= 3 && dims && strides && lower && upper && element_strides);
}

ENTRY(cuTensorMapReplaceAddress, void *map, void *address)
{
	struct tensor_map *made = map;
	int failed = core_state();
	if (failed)
		return failed;
	if (!made || made->magic != MAP_MAGIC || !address || (uintptr_t)address % 16)
		return CUDA_INVALID_VALUE;
	made->address = address;
	return CUDA_OK;
}
