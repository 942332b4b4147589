/* A fault: what it is called and how it gets into a script. Its file plants it with the functions
 * here and puts it into the list of its family; nothing else has to know of it. */
#ifndef SIMGPU_VIRTUAL_FAULTS_PLANT_H
#define SIMGPU_VIRTUAL_FAULTS_PLANT_H

#include "virtual/script/script.h"

#define FAULT_EVERYWHERE (-1)

struct fault {
	const char *name;
	const char *unit;  /* of the strength */
	const char *about; /* one line */
	int64_t usual;     /* strength when none is given */
	enum cause cause;  /* of the idle time it makes, CAUSE_NONE: it makes none (slow device, link,
						  imbalance) */
	bool one_rank;     /* by default planted on one rank (the last) and makes it the straggler */
	/* 0, or -EINVAL when this script has no place for it (fault_why() says why). */
	int (*plant)(struct script *script, int64_t strength, int32_t rank);
};

/* The families, each ends with a fault without a name. */
extern const struct fault faults_host[], faults_calls[], faults_device[], faults_record[];

/* Keeps the message for fault_why() and returns -EINVAL. */
int fault_refuse(const char *why);
const char *fault_why(void);

/* Processes that drive device `rank`, or all: NULL after the last. Begin with *next = 0. */
struct process_def *fault_process(struct script *s, int32_t rank, uint32_t *next);

/* After what other faults put there, at passes 0, every, 2 x every, ... of the point. */
void fault_inject(struct process_def *p, enum point point, uint32_t every, struct insn insn);
/* In every process of the rank. */
int fault_inject_all(struct script *s, int32_t rank, enum point point, uint32_t every,
					 struct insn insn);

/* Threads that launch (not the loaders' and hogs'). */
static inline bool thread_launches(const struct thread_def *t)
{
	return !t->daemon;
}

#endif
