/* One scenario: a workload with faults planted, ready to run with or without one of them. */
#ifndef SIMGPU_VIRTUAL_SCENARIO_H
#define SIMGPU_VIRTUAL_SCENARIO_H

#include "virtual/faults/faults.h"
#include "virtual/workloads/workloads.h"

#define SCENARIO_MAX_FAULTS 32

struct scenario {
	const struct workload *workload;
	struct workload_options options;
	struct planted faults[SCENARIO_MAX_FAULTS];
	uint32_t n_faults;
	uint64_t noise_seed; /* unless own_noise is false: then it is that of the model */
	bool own_noise;
	uint32_t eval_every, eval_batches;
	uint32_t vary_percent; /* step length varies up to this; 100: it does not */
	bool nvtx;
	enum noise_shape host_noise;
	uint32_t gpu_tick_ns, host_tick_ns;
};

/* The script, all faults planted but number `without` (-1: all). NULL and a message on stderr when
 * one cannot be planted. */
struct script *scenario_script(const struct scenario *scenario, int without);

#endif
