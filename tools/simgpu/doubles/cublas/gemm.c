#include "doubles/cublas/gemm.h"

#include "doubles/shared/launch.h"

#define MAX_SPLITS 32
#define SPLIT_LEAST_K 2048 /* a shorter sum is not worth a second kernel */
#define SPLIT_K_EACH 512
#define NARROW 16 /* columns */

bool gemm_supported(const struct gemm *gemm, int capability)
{
	return gemm_family(gemm, capability) != NULL;
}

unsigned gemm_align(int64_t a_leading, int64_t b_leading)
{
	unsigned align = 8;
	while (align > 1 && ((a_leading | b_leading) & (align - 1)))
		align /= 2;
	return align;
}

static uint64_t tiles_of(const struct gemm *gemm, const struct gemm_tile *tile)
{
	return (uint64_t)library_tiles(gemm->m, tile->m, LIBRARY_GRID_X) *
		   library_tiles(gemm->n, tile->n, LIBRARY_GRID_YZ) * (gemm->batch ? gemm->batch : 1);
}

/* The largest tile that still gives every multiprocessor one; else the smallest. The one that is
 * made for a few columns is for them alone. */
static const struct gemm_tile *choose_tile(const struct gemm *gemm,
										   const struct gemm_family *family, unsigned processors)
{
	unsigned n = family->n_tiles;
	if (family->tiles[n - 1].n < NARROW && gemm->n > NARROW)
		n--;
	for (unsigned i = 0; i < n; i++)
		if (tiles_of(gemm, &family->tiles[i]) >= processors)
			return &family->tiles[i];
	return &family->tiles[n - 1];
}

/* Few tiles and a long sum: parts of the sum side by side, as far as the workspace goes. */
static unsigned choose_splits(const struct gemm *gemm, uint64_t tiles, unsigned processors)
{
	bool floats = gemm->a == TYPE_F32 || gemm->a == TYPE_F16 || gemm->a == TYPE_BF16;
	if (!floats || gemm->batch > 1 || gemm->k < SPLIT_LEAST_K || tiles * 2 > processors)
		return 1;
	uint64_t splits = processors / tiles, by_k = gemm->k / SPLIT_K_EACH;
	uint64_t each = gemm->m * gemm->n * sizeof(float);
	uint64_t by_workspace = each ? gemm->workspace_bytes / each : 1;
	splits = splits < by_k ? splits : by_k;
	splits = splits < by_workspace ? splits : by_workspace;
	splits = splits < MAX_SPLITS ? splits : MAX_SPLITS;
	return splits > 1 ? (unsigned)splits : 1;
}

void gemm_choose(const struct gemm *gemm, int capability, struct gemm_plan *plan)
{
	unsigned processors = capability >= 90 ? 132 : 108;
	const struct gemm_family *family = gemm_family(gemm, capability);
	*plan = (struct gemm_plan){.splits = 1};
	if (!family)
		return;
	const struct gemm_tile *tile = choose_tile(gemm, family, processors);
	uint64_t tiles = tiles_of(gemm, tile);
	plan->splits = choose_splits(gemm, tiles, processors);
	plan->extended = family->extended;
	plan->threads = tile->threads;
	plan->waves = (float)(tiles * plan->splits) / (float)processors;
	plan->grid[0] = library_tiles(gemm->m, tile->m, LIBRARY_GRID_X);
	plan->grid[1] = library_tiles(gemm->n, tile->n, LIBRARY_GRID_YZ);
	plan->grid[2] = library_tiles(gemm->batch * plan->splits, 1, LIBRARY_GRID_YZ);
	family->name(plan->name, gemm, tile, plan->splits > 1);
	if (plan->splits == 1)
		return;
	gemm_reduce_name(plan->reduce, gemm->d);
	plan->reduce_grid[0] = library_tiles(gemm->m, 32, LIBRARY_GRID_X);
	plan->reduce_grid[1] = library_tiles(gemm->n, 16, LIBRARY_GRID_YZ);
	plan->reduce_grid[2] = 1;
	plan->workspace_bytes = (size_t)(gemm->m * gemm->n * plan->splits) * sizeof(float);
}

static int launch(const char *name, const uint32_t grid[3], uint32_t threads_x, uint32_t threads_y,
				  bool extended, void *stream)
{
	struct library_kernel kernel = {
		name, {grid[0], grid[1], grid[2]}, {threads_x, threads_y, 1}, extended};
	return library_launch(&kernel, stream);
}

int gemm_run(const struct gemm *gemm, void *stream)
{
	struct gemm_plan plan;
	gemm_choose(gemm, library_capability(), &plan);
	int failed = launch(plan.name, plan.grid, plan.threads, 1, plan.extended, stream);
	if (!failed && plan.splits > 1)
		failed = launch(plan.reduce, plan.reduce_grid, 32, 16, false, stream);
	return failed;
}
