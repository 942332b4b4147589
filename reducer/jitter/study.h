/* The jitter study of a run: the kernels of all ranks, step by step, summed by position and rank.
 * It keeps sums for each kernel of one step and rank, and a few numbers for each step and rank
 * (docs/JITTER.md). */
#ifndef JITTER_STUDY_H
#define JITTER_STUDY_H

#include "attribute/run_study.h"
#include "base/saturate.h"
#include "jitter/axis.h"
#include "jitter/reference.h"

#include <stdatomic.h>

enum jitter_measure {
	MEASURE_DURATION,
	MEASURE_GAP,
	MEASURE_TO_END,
	MEASURE_LAUNCH,
	JITTER_MEASURES
};

struct kernel_cell { /* a kernel of one rank, over its steps */
	int64_t sum[JITTER_MEASURES];
	double squares[2]; /* of durations and gaps */
	uint32_t n, n_launch;
};

struct jitter_rank { /* a device */
	uint32_t device; /* of the run */
	int32_t rank;    /* -1: not known */
	char *host, *key;
	int32_t ordinal; /* of the device in its process; -1: not known */
	/* The rank; "rank/ordinal" where several devices share it; the key where neither is known. */
	char *label;
	struct kernel_cell *cells; /* by position */
	uint32_t steps;            /* that count */
	uint32_t differ;           /* of them, those whose kernels are not the reference's */
	uint32_t left_out;         /* too few of whose kernels have a counterpart */
	uint64_t extra, missing;   /* kernels without a counterpart; positions without a kernel */
	uint64_t late;             /* kernels that came when their step was over */
	int64_t gap_before_ns;     /* sum over the steps that count */
};

struct step_source { /* whose step it is */
	const struct device_context *context;
	const struct device_scan *scan;
	const struct device_feeds *feeds;
};

struct jitter_study {
	/* What the caller asks: only these steps, with `by_time` by begins since the run's first event;
	 * only the devices that `wants` takes by a name, where there is one; and files of steps, or
	 * NULL. */
	struct step_range range;
	bool by_time;
	const char *device;
	bool (*wants)(const struct run *run, size_t index, const char *name);
	const char *steps_dir;
	int (*write_step)(const struct jitter_study *study, const struct step_source *source,
					  const struct step_ops *ops);
	/* what it finds */
	struct step_axis axis;
	struct reference reference;
	uint32_t closing; /* the position of the collective that closes the step; NO_POSITION: none */
	struct jitter_rank *ranks;
	uint32_t n_ranks;
	uint32_t *rank_of;      /* by device of the run */
	bool *wanted;           /* likewise */
	bool absent;            /* no device is wanted */
	struct rank_step *at;   /* by rank and step: rank * axis.n + step */
	int64_t *gap_before_ns; /* likewise: G of the first kernel */
	double step_ns;         /* mean length of a step */
	bool by_period, closed; /* closed: collectives close steps */
	uint32_t unclosed;      /* steps that some rank has no closing collective in */
	atomic_int written;     /* of write_step: an error */
};

/* The functions of the study, for reduce_options. */
struct run_study jitter_study_of(struct jitter_study *study);
void jitter_study_close(struct jitter_study *study);

static inline struct rank_step *jitter_rank_step(const struct jitter_study *s, uint32_t rank,
												 uint32_t step)
{
	return &s->at[(size_t)rank * s->axis.n + step];
}

/* Mean of a measure over the steps of a rank; NAN: no step has it. */
double jitter_mean(const struct jitter_study *study, enum jitter_measure measure, uint32_t position,
				   uint32_t rank);
/* Mean of those means over the ranks that have one. */
double jitter_mean_of_ranks(const struct jitter_study *study, enum jitter_measure measure,
							uint32_t position);
/* Standard deviation over the steps of a rank, of MEASURE_DURATION or MEASURE_GAP. */
double jitter_spread(const struct jitter_study *study, enum jitter_measure measure,
					 uint32_t position, uint32_t rank);

/* The time to the last kernel before the closing collective, with the gap before the step. */
static inline int64_t jitter_to_end(const struct jitter_study *s, uint32_t rank, uint32_t step)
{
	const size_t i = (size_t)rank * s->axis.n + step;
	return saturate_add(s->at[i].to_end, s->gap_before_ns[i]);
}

#endif
