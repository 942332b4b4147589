/* simtrain: a training job for machines without a GPU. See docs/SIMGPU.md. */
#include "dataparallel.h"
#include "ddp.h"
#include "kernels.h"
#include "nvtx.h"
#include "options.h"

int main(int argc, char **argv)
{
	struct options options;

	options_read(&options, argc, argv);
	kernel_durations();
	if (!options.nvtx)
		nvtx_silence();
	if (options.launches)
		kernels_storm(&options);
	else if (options.dataparallel)
		dataparallel_train(&options);
	else
		ddp_train(&options);
	return 0;
}
