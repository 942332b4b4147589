#include "virtual/scenario.h"

#include "virtual/calls/nccl.h"

#include <baton/format.h>
#include <stdio.h>

struct script *scenario_script(const struct scenario *scenario, int without)
{
	struct script *script = scenario->workload->build(&scenario->options);
	if (!script) {
		fprintf(stderr, "baton-sim: %s does not work with so many ranks, hosts or kernels\n",
				scenario->workload->name);
		return NULL;
	}
	script->nvtx = scenario->nvtx;
	script->noise.shape = scenario->host_noise;
	script->gpu_tick_ns = scenario->gpu_tick_ns;
	script->host_tick_ns = scenario->host_tick_ns;
	if (scenario->own_noise)
		script->noise_seed = scenario->noise_seed;
	script->eval_every = scenario->eval_every;
	script->eval_batches = scenario->eval_batches;
	script->length_spread = SCALE_ONE * scenario->vary_percent / 100;
	for (unsigned c = 0; c < BATON_COLL_END; c++)
		if (call_nccl_kernel(c))
			script_string(script, call_nccl_kernel(c));
	for (uint32_t i = 0; i < scenario->n_faults; i++) {
		const struct planted *p = &scenario->faults[i];
		if ((int)i != without && p->fault->plant(script, p->strength, p->rank) != 0) {
			fprintf(stderr, "baton-sim: %s in %s: %s\n", p->fault->name, scenario->workload->name,
					fault_why());
			script_free(script);
			return NULL;
		}
	}
	return script;
}
