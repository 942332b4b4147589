/* What the families of faults share: which processes a fault is for, and how something gets into their
 * points. */
#ifndef SIMGPU_VIRTUAL_FAULTS_PLANT_H
#define SIMGPU_VIRTUAL_FAULTS_PLANT_H

#include "virtual/faults/faults.h"

/* Keeps the message for fault_why() and returns -EINVAL. */
int fault_refuse(const char *why);

/* Processes that drive device `rank`, or all: NULL after the last. Begin with *next = 0. */
struct process_def *fault_process(struct script *s, int32_t rank, uint32_t *next);

/* Behind what other faults put there; when they differ the more frequent one decides for both. */
void fault_inject(struct process_def *p, enum point point, uint32_t every, struct insn insn);
/* In every process of the rank. */
int fault_inject_all(struct script *s, int32_t rank, enum point point, uint32_t every,
					 struct insn insn);

/* Threads that launch (not the loaders' and hogs'). */
static inline bool thread_launches(const struct thread_def *t)
{
	return !t->daemon;
}

#define FAULTS_HOST 7
#define FAULTS_CALLS 11
#define FAULTS_DEVICE 4
#define FAULTS_RECORD 3
extern const struct fault faults_host[FAULTS_HOST], faults_calls[FAULTS_CALLS],
	faults_device[FAULTS_DEVICE], faults_record[FAULTS_RECORD];

#endif
