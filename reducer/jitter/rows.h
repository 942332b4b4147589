/* What the verdict on a run consists of: rows of steps, ranks, late and early ranks, kernels. */
#ifndef JITTER_ROWS_H
#define JITTER_ROWS_H

#include "jitter/study.h"

enum jitter_place { PLACE_KERNEL, PLACE_RANK, PLACE_HOST, JITTER_PLACES };
enum jitter_share { SHARE_HOST, SHARE_RANK, SHARE_STEP, JITTER_SHARES };

enum jitter_bar { /* why the ranks cannot be compared */
				  BAR_NONE,
				  BAR_LEFT_OUT,      /* most steps of ranks are left out */
				  BAR_OTHER_KERNELS, /* more than a quarter of the ranks launch other kernels */
				  BAR_WAIT_INSIDE, /* causes cancel each other: ranks wait for each other inside the steps */
				  JITTER_BARS
};

struct step_row { /* of the time to the last kernel */
	int64_t number;
	uint32_t ranks;       /* that count; 0: the rest is not known */
	uint32_t least, most; /* the ranks */
	int64_t least_ns, most_ns;
	int64_t median_ns, upper_ns; /* the lower median and the upper one */
	double mean_ns;
};

struct rank_row {
	uint32_t steps, last; /* that count; of them, those in which it is the last one */
	double behind_ns;     /* the other ranks' mean, on average over its steps */
	double part_ns[JITTER_CAUSES];
	double places; /* the standardised mean of its places in the steps */
	double p_late, p_early, p_last;
};

struct odd_rank { /* a rank that is late or early */
	uint32_t rank;
	bool early;
	bool some_steps;  /* only in some: in those in which it is the last one */
	double behind_ns; /* per step in which it is so; less than 0: early */
	double part_ns[JITTER_CAUSES];
	double significance;
	enum jitter_cause cause;
	enum jitter_place place;
	uint32_t name;     /* of the kernel, in the reference */
	uint32_t position; /* the kernel at which it shows most */
	double cause_ns;   /* of the cause, per step, over all its steps */
	double there_ns;   /* how much of that is there */
	double slower;     /* with JITTER_DURATION: its kernels (PLACE_KERNEL: this one) take this much
						  of the others' time more */
};

struct kernel_row { /* all positions with one name */
	uint32_t name, positions, first;
	double duration_ns;               /* per step, mean of the ranks */
	double duration_sd_ns, gap_sd_ns; /* over the ranks, of their means per step */
	double steps_sd_ns;               /* over the steps, mean of the ranks: durations and gaps */
	uint32_t most;                    /* the rank with the longest time, duration and gap */
	double most_ns;                   /* beyond the mean of the ranks */
};

struct jitter_verdict {
	const struct jitter_study *study;
	struct step_row *steps;
	bool *tails; /* by step: all ranks have the end of the step before */
	struct rank_row *ranks;
	struct odd_rank *odd; /* the latest first, early ones last */
	size_t n_odd;
	struct kernel_row *kernels; /* those with most jitter over the ranks first */
	size_t n_kernels;
	double cause_share[JITTER_CAUSES], place_share[JITTER_SHARES]; /* NAN: there is no jitter */
	bool cancel; /* the causes cancel each other, so shares by cause mean nothing: NAN */
	enum jitter_bar bar;
	uint32_t steps_needed; /* so few steps that no rank could be named: as many could; else 0 */
	double jitter_ns; /* standard deviation of the time to the last kernel, over ranks in steps */
};

/* The parts of the time to the last kernel of a rank's step. They add up to it. */
void jitter_parts(const struct jitter_verdict *verdict, uint32_t rank, uint32_t step,
				  int64_t part[JITTER_CAUSES]);

/* "duration", "gap_before", "gap_inside", "launch_to_start"; "kernel", "rank", "host". */
const char *jitter_cause_name(enum jitter_cause cause);
const char *jitter_place_name(enum jitter_place place);
/* "left_out", "other_kernels", "wait_inside"; NULL: BAR_NONE. */
const char *jitter_bar_name(enum jitter_bar bar);

#endif
