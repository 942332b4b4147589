#include "base/sort.h"
#include "jitter/print.h"

#include <math.h>
#include <string.h>

const char *jitter_measure_name(enum jitter_measure measure)
{
	static const char *const names[JITTER_MEASURES] = {"duration", "gap", "time_to_end",
													   "launch_to_start"};
	return names[measure];
}

const char *jitter_class_name(enum stream_class class)
{
	static const char *const names[STREAM_CLASSES] = {"main", "nccl", "side"};
	return names[class];
}

const char *jitter_rank_label(const struct jitter_study *study, uint32_t rank)
{
	return study->ranks[rank].label;
}

static double spread(const struct vary_row *row)
{
	const double sum = hypot(row->duration_sd_ns, row->gap_sd_ns);
	return isnan(sum) ? -1 : sum;
}

static int by_spread(const void *a, const void *b)
{
	const struct vary_row *x = a, *y = b;
	if (spread(x) != spread(y))
		return spread(x) > spread(y) ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

void jitter_vary(const struct jitter_study *s, uint32_t rank, struct vary_row *rows)
{
	for (uint32_t k = 0; k < s->reference.n; k++)
		rows[k] = (struct vary_row){.position = k,
									.duration_ns = jitter_mean(s, MEASURE_DURATION, k, rank),
									.duration_sd_ns = jitter_spread(s, MEASURE_DURATION, k, rank),
									.gap_ns = jitter_mean(s, MEASURE_GAP, k, rank),
									.gap_sd_ns = jitter_spread(s, MEASURE_GAP, k, rank)};
	sort_rows(rows, s->reference.n, sizeof(*rows), by_spread);
}
