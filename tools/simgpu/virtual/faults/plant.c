#include "virtual/faults/plant.h"

#include <errno.h>
#include <stdio.h>

static char why[160];

const char *fault_why(void)
{
	return why;
}

int fault_refuse(const char *text)
{
	snprintf(why, sizeof why, "%s", text);
	return -EINVAL;
}

struct process_def *fault_process(struct script *s, int32_t rank, uint32_t *next)
{
	for (; *next < s->n_processes; ++*next) {
		struct process_def *p = &s->processes[*next];
		uint32_t device = (uint32_t)rank;
		if (rank == FAULT_EVERYWHERE ||
			(device >= p->first_device && device - p->first_device < p->n_devices)) {
			++*next;
			return p;
		}
	}
	return NULL;
}

void fault_inject(struct process_def *p, enum point point, uint32_t every, struct insn insn)
{
	insn.every = every;
	program_add(&p->injected[point], insn);
}

int fault_inject_all(struct script *s, int32_t rank, enum point point, uint32_t every,
					 struct insn insn)
{
	struct process_def *p;
	for (uint32_t next = 0; (p = fault_process(s, rank, &next));)
		fault_inject(p, point, every, insn);
	return 0;
}
