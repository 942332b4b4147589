#include "jitter/measure.h"

#include "base/saturate.h"

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

static void add(int64_t *sum, int64_t ns)
{
	*sum = saturate_add(*sum, ns);
}

/* Adds a kernel and the gap before it, which lasts from `from`. */
static void add_parts(int64_t *part, const struct jitter_op *op, int64_t from)
{
	const int64_t gap = saturate_sub(op->start, from);
	int64_t host = op->ls == INT64_MAX ? 0 : saturate_sub(op->ls, from);
	host = host < 0 ? 0 : host;
	if (gap >= 0 && host > gap)
		host = gap;
	add(&part[JITTER_DURATION], saturate_sub(op->end, op->start));
	add(&part[JITTER_GAP_INSIDE], gap < 0 ? 0 : host);
	add(&part[JITTER_LAUNCH], gap < 0 ? gap : gap - host);
}

/* Nothing closes a step before its work has begun. */
static bool follows_main(const struct step_ops *ops, uint32_t main_slot, size_t closing)
{
	for (size_t i = 0; i < closing && i < ops->n; i++)
		if (measure_class(&ops->at[i], main_slot) == STREAM_MAIN)
			return true;
	return false;
}

struct measuring {
	const struct step_ops *ops;
	size_t closing;
	const struct jitter_op *before; /* the main stream's last kernel */
	int64_t first, sum;             /* its first kernel's start; T */
	struct rank_step *out;
};

/* A kernel of the main stream. Returns the gap before it. */
static int64_t take_main(struct measuring *m, size_t i)
{
	const struct jitter_op *op = &m->ops->at[i];
	const bool after = m->closing < i;
	const int64_t closed_at = after ? m->ops->at[m->closing].end : INT64_MIN;
	const int64_t gap = m->before ? saturate_sub(op->start, m->before->end) : 0;
	int64_t from = m->before ? m->before->end : op->start;
	if (after && from < closed_at)
		from = closed_at < op->start ? closed_at : op->start;
	add_parts(after ? m->out->tail : m->out->part, op, from);
	m->first = m->before ? m->first : op->start;
	m->before = op;
	add(&m->sum, gap);
	add(&m->sum, saturate_sub(op->end, op->start));
	return gap;
}

static int64_t from_launch(const struct jitter_op *op)
{
	const int64_t ns = saturate_sub(op->start, op->ls);
	return op->ls == INT64_MAX ? INT64_MIN : ns > INT64_MIN ? ns : INT64_MIN + 1;
}

void measure_step(const struct step_ops *ops, const struct step_frame *frame,
				  struct kernel_times *times, struct rank_step *out)
{
	struct measuring m = {.ops = ops, .closing = frame->closing, .out = out};
	memset(out, 0, sizeof(*out));
	if (!follows_main(ops, frame->main_slot, frame->closing))
		m.closing = ops->n;
	for (size_t i = 0; i < ops->n; i++) {
		const struct jitter_op *op = &ops->at[i];
		const bool main = measure_class(op, frame->main_slot) == STREAM_MAIN;
		const int64_t gap = main ? take_main(&m, i) : 0;
		times[i] = (struct kernel_times){.duration = saturate_sub(op->end, op->start),
										 .gap = gap,
										 .to_end = m.sum,
										 .launch = from_launch(op)};
		if (i == m.closing) {
			out->closed = true;
			out->reach = saturate_sub(op->end, m.first);
			out->to_end = m.sum;
		}
	}
	if (!out->closed)
		out->to_end = m.sum;
}
