#include "doubles/driver/stream/kernel.h"

#include "doubles/doubles.h"
#include "engine/room.h"

#include <stdlib.h>
#include <string.h>

#define KERNEL_MAGIC 0x53494d4b45524e4cull
#define BUCKETS 16384

static struct kernel *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t bucket_of(const char *name)
{
	uint32_t hash = 2166136261u;
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return (hash ^ hash >> 16) % BUCKETS;
}

void *simgpu_kernel(const char *name)
{
	struct kernel **bucket = &buckets[bucket_of(name)];
	pthread_mutex_lock(&lock);
	struct kernel *kernel = *bucket;
	while (kernel && strcmp(kernel->name, name) != 0)
		kernel = kernel->next;
	if (!kernel) {
		kernel = must(calloc(1, sizeof(*kernel)));
		*kernel =
			(struct kernel){.magic = KERNEL_MAGIC, .name = must(strdup(name)), .next = *bucket};
		kernel->has_formula = formula_of(kernel->name, &kernel->formula);
		*bucket = kernel;
	}
	pthread_mutex_unlock(&lock);
	return kernel;
}

struct kernel *kernel_of(const void *handle)
{
	uint64_t magic = 0;
	if (handle)
		memcpy(&magic, handle, sizeof(magic));
	return magic == KERNEL_MAGIC ? (struct kernel *)handle : NULL;
}

const char *simgpu_kernel_name(const void *handle)
{
	const struct kernel *kernel = kernel_of(handle);
	return kernel ? kernel->name : NULL;
}

static void time_kernel(struct kernel *kernel)
{
	struct duration duration = settings_duration(kernel->name);
	pthread_mutex_lock(&lock);
	kernel->ns = duration.ns;
	kernel->ns_per_block = duration.ns_per_block;
	__atomic_store_n(&kernel->timed, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

int kernel_plan(struct kernel *kernel, const struct shape *shape, struct plan *plan)
{
	uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
	uint64_t threads = (uint64_t)shape->block[0] * shape->block[1] * shape->block[2];
	if (!blocks || !threads || threads > 1024)
		return CUDA_INVALID_VALUE;
	if (!__atomic_load_n(&kernel->timed, __ATOMIC_ACQUIRE))
		time_kernel(kernel);
	uint64_t share = blocks * GPU_SHARE_ALL / settings()->fill_blocks;
	*plan = (struct plan){.kind = GPU_KERNEL,
						  .engine = ENGINE_COMPUTE,
						  .share = share < 1               ? 1
								   : share > GPU_SHARE_ALL ? GPU_SHARE_ALL
														   : (uint16_t)share,
						  .dur_ns = kernel->ns + kernel->ns_per_block * (int64_t)blocks};
	plan->record.kind = SIM_KERNEL;
	plan->record.name = kernel->name;
	plan->formula = kernel->has_formula ? &kernel->formula : NULL;
	memcpy(plan->record.grid, shape->grid, sizeof(shape->grid));
	memcpy(plan->record.block, shape->block, sizeof(shape->block));
	plan->record.shared_bytes = shape->shared_bytes;
	return CUDA_OK;
}
