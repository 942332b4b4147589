#include "jitter/measure.h"

#include <string.h>

uint32_t measure_main_slot(const struct step_ops *ops, uint64_t *counts, uint32_t n_slots)
{
	uint32_t most = 0;
	memset(counts, 0, ((size_t)n_slots + 1) * sizeof(*counts));
	for (size_t i = 0; i < ops->n; i++)
		counts[ops->at[i].slot] += !ops->at[i].nccl;
	for (uint32_t slot = 1; slot <= n_slots; slot++)
		if (counts[slot] > (most ? counts[most] : 0))
			most = slot;
	return most;
}

/* Adds a kernel and the gap before it, which lasts from `from`. */
static void add_parts(int64_t *part, const struct jitter_op *op, int64_t from)
{
	const int64_t gap = op->start - from;
	int64_t host = op->ls == INT64_MAX ? 0 : op->ls - from;
	host = host < 0 ? 0 : host;
	if (gap >= 0 && host > gap)
		host = gap;
	part[JITTER_DURATION] += op->end - op->start;
	part[JITTER_GAP_INSIDE] += gap < 0 ? 0 : host;
	part[JITTER_LAUNCH] += gap < 0 ? gap : gap - host;
}

void measure_step(const struct step_ops *ops, uint32_t main_slot, size_t closing,
				  struct kernel_times *times, struct rank_step *out)
{
	const struct jitter_op *before = NULL; /* the main stream's last kernel */
	int64_t sum = 0, first = 0;
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < ops->n; i++) {
		const struct jitter_op *op = &ops->at[i];
		struct kernel_times *t = &times[i];
		const int64_t duration = op->end - op->start;
		int64_t gap = 0;
		if (measure_class(op, main_slot) == STREAM_MAIN) {
			const int64_t closed_at = closing < i ? ops->at[closing].end : INT64_MIN;
			gap = before ? op->start - before->end : 0;
			int64_t from = before ? before->end : op->start;
			if (closing < i && from < closed_at)
				from = closed_at < op->start ? closed_at : op->start;
			add_parts(closing < i ? out->tail : out->part, op, from);
			first = before ? first : op->start;
			sum += gap + duration;
			before = op;
		}
		*t = (struct kernel_times){.duration = duration,
								   .gap = gap,
								   .to_end = sum,
								   .launch = op->ls == INT64_MAX ? INT64_MIN : op->start - op->ls};
		if (i == closing) {
			out->closed = before != NULL;
			out->reach = op->end - first;
			out->to_end = sum;
		}
	}
	if (!out->closed)
		out->to_end = sum;
}
