/* The launch wrappers between this program and tests/shim/libs/cuda.c, cudart.c: what arrives, what
 * is recorded, and what is when CUPTI does the work. */
#include "sources/launch/launch.h"

#include "check.h"
#include "libs/cuda.h"
#include "recorder.h"
#include "ring/lane.h"

#include <string.h>

static const struct baton_slot *launch(void)
{
	int token = 0;
	cudaLaunchKernel(&token, (struct dim3){1, 2, 3}, (struct dim3){4, 5, 6}, NULL, 7, &token);
	return recorder_last();
}

/* Keeps out: a launch without a ring that is counted by its wrapper, and by CUPTI, which came up
 * inside it; one that failed counted as lost. */
static void without_a_ring(void)
{
	struct launch l;
	launch();
	CHECK(recorder_unheard == 1, "counted %u times", recorder_unheard);
	launch_begin(&l, "cudaLaunchKernel", BATON_SLOT_MAKES_OP, NULL);
	launch_end(&l, 719);
	CHECK(recorder_unheard == 1, "it failed");
	launch_begin(&l, "cudaLaunchKernel", BATON_SLOT_MAKES_OP, NULL);
	recording_mark(RECORDING_BY_CUPTI);
	launch_end(&l, 0);
	CHECK(recorder_unheard == 1, "CUPTI's, counted %u times", recorder_unheard);
	recording_word &= ~(uint32_t)RECORDING_BY_CUPTI;
	recording_move(RECORDING_ARMED, RECORDING_ARMED);
	recorder_opens = 0;
	memset(&cuda_double, 0, sizeof(cuda_double));
}

static void first_launch(void)
{
	recorder_on_demand = true;
	const struct baton_slot *slot = launch();
	CHECK(recorder_opens == 1 && recorder_count() == 1, "the first launch opens the recording");
	CHECK(strcmp(recorder_text(slot->name), "cudaLaunchKernel") == 0, "name");
	CHECK(slot->type == BATON_SLOT_CALL && slot->flags == BATON_SLOT_MAKES_OP, "type, flags");
	CHECK(slot->stack == 77 && slot->correlation && slot->begin <= slot->end, "stack, correlation");
	CHECK(cuda_double.calls == 1 && strcmp(cuda_double.last, "cuLaunchKernel") == 0, "forwarded");
	uint32_t before = slot->correlation;
	CHECK(launch()->correlation != before && recorder_count() == 2, "each has its own");
	recorder_clear();
}

/* The launches are the wrappers' again. */
static void again(void)
{
	recording_word &= ~(uint32_t)RECORDING_NO_CUDA;
	recording_move(RECORDING_OPEN, RECORDING_OPEN);
}

static void arguments(void)
{
	int function = 0, stream = 0;
	void *args[1];
	struct dim3 grid = {11, 12, 13}, block = {14, 15, 16};
	CHECK(cudaLaunchKernel(&function, grid, block, args, 17, &stream) == 0, "result");
	const struct cuda_double *seen = &cuda_double;
	CHECK(seen->function == &function && seen->args == args && seen->shared == 17 &&
			  seen->stream == &stream,
		  "pointers and numbers");
	CHECK(memcmp(&seen->grid, &grid, sizeof(grid)) == 0 &&
			  memcmp(&seen->block, &block, sizeof(block)) == 0,
		  "dimensions: %u %u %u, %u %u %u", seen->grid.x, seen->grid.y, seen->grid.z, seen->block.x,
		  seen->block.y, seen->block.z);
	recording_mark(RECORDING_NO_CUDA);
	grid.z = 99;
	cudaLaunchKernel(&function, grid, block, args, 18, &stream);
	CHECK(memcmp(&seen->grid, &grid, sizeof(grid)) == 0 && seen->shared == 18 &&
			  memcmp(&seen->block, &block, sizeof(block)) == 0,
		  "the same when off");
	again();
	recorder_clear();
}

static void every_call(void)
{
	struct dim3 d = {1, 1, 1};
	char config[64] = {0};
	__cudaLaunchKernel(NULL, d, d, NULL, 0, NULL);
	CHECK(strcmp(cuda_double.middle, "__cudaLaunchKernel") == 0, "__cudaLaunchKernel");
	cudaLaunchCooperativeKernel(NULL, d, d, NULL, 0, NULL);
	CHECK(strcmp(cuda_double.middle, "cudaLaunchCooperativeKernel") == 0, "cooperative");
	cudaLaunchKernelExC(config, NULL, NULL);
	CHECK(cuda_double.function == config && strcmp(cuda_double.last, "cuLaunchKernelEx") == 0,
		  "ExC");
	CHECK(recorder_last()->flags == BATON_SLOT_MAKES_OP, "an op");
	cudaGraphLaunch(NULL, NULL);
	CHECK(recorder_last()->flags == BATON_SLOT_MAKES_GRAPH, "a graph");
	CHECK(recorder_count() == 4, "driver calls inside are not launches of their own: %u",
		  recorder_count());
	CHECK(cudaLaunchKernel_ptsz(NULL, d, d, NULL, 0, NULL) == LAUNCH_ABSENT, "not in this runtime");
	cuda_double.result = 719;
	errno = 8;
	CHECK(cudaLaunchKernel(NULL, d, d, NULL, 0, NULL) == 719, "its result");
	CHECK(recorder_last()->flags == BATON_SLOT_FAILED && errno == 8, "failed; errno");
	CHECK(recorder_last()->aux == 719, "its result, in the slot");
	cuda_double.result = 0;
	recorder_clear();
}

static void *address(const char *symbol, int version, uint64_t flags)
{
	void *found = NULL;
	launch_proc_address_v2(symbol, &found, version, flags, NULL);
	return found;
}

static void proc_address(void)
{
	int (*legacy)(void) = (int (*)(void))address("cuLaunchKernel", 4000, 0);
	int (*per_thread)(void) = (int (*)(void))address("cuLaunchKernel", 7000, 2);
	CHECK(legacy && per_thread && legacy != per_thread, "two forms");
	per_thread();
	CHECK(strcmp(cuda_double.last, "cuLaunchKernel_ptsz") == 0, "per-thread stream");
	CHECK(strcmp(recorder_text(recorder_last()->name), "cuLaunchKernel_ptsz") == 0, "name");
	legacy();
	CHECK(strcmp(cuda_double.last, "cuLaunchKernel") == 0 && recorder_count() == 2, "legacy");
	CHECK(address("cuLaunchKernel", 4000, 1) == (void *)legacy, "legacy by flag");
	CHECK(address("cuGetProcAddress", 12000, 0) == (void *)launch_proc_address_v2,
		  "second version");
	CHECK(address("cuGetProcAddress", 11030, 0) == (void *)launch_proc_address, "first version");
	void *found = NULL;
	CHECK(launch_proc_address("cuGraphLaunch", &found, 10000, 0) == 0 && found, "asked through it");
	((int (*)(void))found)();
	CHECK(recorder_count() == 3 && recorder_last()->flags == BATON_SLOT_MAKES_GRAPH, "graph");
	((int (*)(void))address("cuMemcpyAsync", 4000, 0))();
	((int (*)(void))address("cuLaunchKernelFancy", 4000, 0))();
	CHECK(recorder_count() == 3, "other functions are none of ours");
	CHECK(launch_proc_address("cuNothing", &found, 1, 0) == 500 && !found, "its error");
	recorder_clear();
}

static void when_off(void)
{
	int calls = cuda_double.calls;
	recording_mark(RECORDING_NO_CUDA);
	launch();
	((int (*)(void))address("cuLaunchKernel", 4000, 0))();
	CHECK(recorder_count() == 0 && cuda_double.calls == calls + 2, "recorded though CUPTI sees it");
	again();
}

int main(void)
{
	without_a_ring();
	first_launch();
	arguments();
	every_call();
	proc_address();
	when_off();
	return finish();
}
