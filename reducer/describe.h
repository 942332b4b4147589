/* What a run is, beside its numbers: ranks and those that are missing, hosts, the processes of each
 * device, what was lost, where the steps come from. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "read/run.h"
#include "summary/reduction.h"

/* Adds it to out->summary, which has the devices on which something ran. 0 or -ENOMEM. Linear in
 * processes and devices. */
int describe_run(const struct run *run, const struct reduce_options *options,
				 struct reduction *out);

/* From `ranks`, in any order and with doubles, and world_size: all that is told of ranks. 0 or
 * -ENOMEM. */
int describe_ranks(struct run_summary *run);
/* Have some ranks of this run no file here? */
bool describe_lacks_ranks(const struct run *run);
/* Where the steps come from. `by_period`, `by_optimizer`: those of some device do. 0 or -ENOMEM. */
int describe_steps(struct summary *summary, const struct reduce_options *options, bool by_period,
				   bool by_optimizer);

#endif
