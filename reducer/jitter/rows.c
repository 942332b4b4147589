#include "jitter/rows.h"

#include <string.h>

const char *jitter_cause_name(enum jitter_cause cause)
{
	static const char *const names[JITTER_CAUSES] = {"duration", "gap_before", "gap_inside",
													 "launch_to_start"};
	return names[cause];
}

const char *jitter_place_name(enum jitter_place place)
{
	static const char *const names[JITTER_PLACES] = {"kernel", "rank", "host"};
	return names[place];
}

const char *jitter_bar_name(enum jitter_bar bar)
{
	static const char *const names[JITTER_BARS] = {NULL, "left_out", "other_kernels",
												   "wait_inside"};
	return names[bar];
}

/* The kernels that the step before has after its closing collective lie before this one's first
 * kernel: their time is no gap. */
void jitter_parts(const struct jitter_verdict *v, uint32_t rank, uint32_t step,
				  int64_t part[JITTER_CAUSES])
{
	const struct jitter_study *s = v->study;
	const struct rank_step *at = jitter_rank_step(s, rank, step);
	memcpy(part, at->part, sizeof(at->part));
	part[JITTER_GAP_BEFORE] = s->gap_before_ns[(size_t)rank * s->axis.n + step];
	for (int c = 0; v->tails[step] && c < JITTER_CAUSES; c++) {
		part[c] = saturate_add(part[c], at[-1].tail[c]);
		part[JITTER_GAP_BEFORE] = saturate_sub(part[JITTER_GAP_BEFORE], at[-1].tail[c]);
	}
}
