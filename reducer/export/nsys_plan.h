/* What an export writes, known before its first row: which processes, by which numbers nsys would
 * call them, their hosts and GPUs, and where its times begin. One thread. */
#ifndef EXPORT_NSYS_PLAN_H
#define EXPORT_NSYS_PLAN_H

#include "base/strings.h"
#include "stats/events.h"

#include <stdbool.h>
#include <stdint.h>

struct nsys_gpu { /* a physical one */
	uint32_t key; /* text of the plan's pool: its host, and uuid or ordinal */
	uint32_t name, uuid;
	int64_t machine; /* globalVid of its host */
	int64_t ordinal;
	int64_t number; /* in the file that is written: deviceId */
	uint64_t memory_bytes;
	uint32_t sm_count;
	bool used; /* by a process of the file that is written */
};

struct nsys_member { /* a process */
	const struct run_process *process;
	int64_t machine; /* globalVid */
	int64_t global;  /* globalPid */
	uint32_t host;   /* text of the plan's pool */
	uint32_t *gpus;  /* of each device of the trace: index in the plan's GPUs */
	uint32_t n_gpus;
};

struct nsys_plan {
	struct strings pool;
	struct nsys_member *members; /* by rank, then process number; those without a rank last */
	size_t n_members;
	struct nsys_gpu *gpus;
	size_t n_gpus;
	int64_t zero_ns; /* the first start of the run: time 0 of each file, also of a part */
	int64_t last_ns;
	bool utc;     /* its times are UTC */
	bool partial; /* a file could not be read */
};

/* Looks into each file of an open run; processes whose rows do not count are no members. Says what
 * cannot be read. 0 or -ENOMEM; call nsys_plan_free() in any case. */
int nsys_plan_make(struct nsys_plan *plan, const struct stats_run *rows);
void nsys_plan_free(struct nsys_plan *plan);

/* Numbers the GPUs of `n` members from `first` for a file of these: by their ordinals, or one by
 * one where two of them have the same. */
void nsys_plan_number(struct nsys_plan *plan, size_t first, size_t n);

static inline struct text nsys_plan_text(const struct nsys_plan *plan, uint32_t text)
{
	return strings_get(&plan->pool, text);
}

#endif
