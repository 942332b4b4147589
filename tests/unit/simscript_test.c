/* The scripts that workloads build: exact numbers of kernels, members that agree, nobody waits for
 * a signal that never comes, nothing is out of range, a seed decides everything. */
#include "check.h"
#include "workloads.h"

#include "baton/format.h"

#include <stdlib.h>
#include <string.h>

static struct workload_options options_of(uint32_t ranks, uint32_t kernels)
{
	return (struct workload_options){
		.seed = 7, .ranks = ranks, .per_host = 8, .steps = 3, .kernels = kernels};
}

/* ---- kernels of one step on one device: collectives of a group are one kernel ---- */

static uint32_t insn_device(const struct script *s, const struct process_def *p,
							const struct insn *i)
{
	(void)s;
	return p->first_device + p->streams[i->a].device;
}

static void count_program(const struct script *s, const struct process_def *p,
						  const struct program *program, uint32_t *kernels)
{
	bool group = false;
	uint32_t grouped = 0, device = 0;
	for (uint32_t n = 0; n < program->n; n++) {
		const struct insn *i = &program->at[n];
		if (i->kind == INSN_KERNEL)
			kernels[insn_device(s, p, i)]++;
		if (i->kind == INSN_GRAPH)
			kernels[insn_device(s, p, i)] += s->graphs[i->b].n_nodes;
		if (i->kind == INSN_GROUP_BEGIN)
			group = true, grouped = 0;
		if (i->kind == INSN_COLLECTIVE || i->kind == INSN_SENDRECV) {
			device = insn_device(s, p, i);
			kernels[device] += !group || !grouped++;
		}
		if (i->kind == INSN_GROUP_END)
			group = false;
	}
}

static void count_kernels(const struct script *s, uint32_t *kernels)
{
	memset(kernels, 0, s->n_devices * sizeof *kernels);
	for (uint32_t p = 0; p < s->n_processes; p++)
		for (uint32_t t = 0; t < s->processes[p].n_threads; t++)
			count_program(s, &s->processes[p], &s->processes[p].threads[t].programs[STEP_TRAIN],
						  kernels);
}

static void check_exact(const char *name, uint32_t ranks, uint32_t wanted)
{
	struct workload_options o = options_of(ranks, wanted);
	struct script *s = workload_find(name)->build(&o);
	CHECK(s != NULL, "%s cannot be built with %u kernels", name, wanted);
	if (!s)
		return;
	uint32_t *kernels = calloc(s->n_devices, sizeof *kernels);
	count_kernels(s, kernels);
	for (uint32_t d = 0; d < s->n_devices; d++)
		CHECK(kernels[d] == wanted, "%s x %u, device %u: %u kernels, not %u", name, ranks, d,
			  kernels[d], wanted);
	free(kernels);
	script_free(s);
}

static void check_counts(void)
{
	for (uint32_t ranks = 1; ranks <= 9; ranks += 4)
		check_exact("ddp", ranks, 903);
	check_exact("ddp", 2, 20);
	check_exact("ddp", 2, 200);
	check_exact("ddp", 2, 5000);
	struct workload_options o = options_of(2, 3);
	CHECK(workload_find("ddp")->build(&o) == NULL, "a step of 3 kernels was built");
}

int main(void)
{
	check_counts();
	return finish();
}
