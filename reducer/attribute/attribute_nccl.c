#include "attribute/attributing.h"

#include "attribute/coll_kind.h"
#include "base/saturate.h"

#include <errno.h>

static const char *unsplit_reason(const struct attributing *a, const struct coll_args *coll,
								  const struct coll_key *key, bool known, uint32_t size,
								  const struct coll_seen **seen)
{
	if (!coll) {
		*seen = known ? collectives_find(a->context->collectives, key) : NULL;
		return *seen && !(*seen)->ambiguous ? NULL : "no arguments";
	}
	if (!coll_kind_synchronises(coll->coll))
		return "not full-synchronising";
	if (size == 1) /* its own only member, whatever its number */
		return NULL;
	*seen = known ? collectives_find(a->context->collectives, key) : NULL;
	if (!*seen)
		return collectives_members(a->context->collectives, key->comm) < size || size == 0
				   ? "members missing"
				   : "sequence unknown";
	if ((*seen)->ambiguous)
		return "sequence unknown";
	return (*seen)->members == size && size > 0 ? NULL : "members missing";
}

/* Who arrived last, once per collective and member. */
static int note_late(struct attributing *a, const struct op *op, const struct coll_seen *seen)
{
	const struct feed *feed = &a->ds->feeds[op->feed];
	const char *key = summary_text(a->summary, a->device->key);
	struct late_summary *late =
		summary_late(a->summary, key, a->context->run->processes[feed->process].rank);
	if (!late)
		return -ENOMEM;
	late->taken++;
	if (seen->last != collective_member(feed->process, a->scan->device) || seen->members < 2)
		return 0;
	const int64_t caused_ns = collective_waited(seen, seen->min_ns);
	late->last++;
	late->caused_ns = saturate_add(late->caused_ns, caused_ns);
	return step_caused_add(&a->step_caused, op->feed, op->step, caused_ns);
}

/* The same of a collective that has other members which are not in the run: when it was one of
 * them, they have a row together. */
static int note_partial(struct attributing *a, const struct op *op, const struct coll_seen *seen)
{
	const struct feed *feed = &a->ds->feeds[op->feed];
	const char *key = summary_text(a->summary, a->device->key);
	const int32_t rank = a->context->run->processes[feed->process].rank;
	struct late_summary *late = summary_partial(a->summary, key, rank);
	if (!late)
		return -ENOMEM;
	late->taken++;
	if (seen->last != collective_member(feed->process, a->scan->device))
		return 0;
	const bool missed = collective_missed(seen);
	const int64_t waited_ns = collective_waited(seen, missed ? seen->base_ns : seen->min_ns);
	late->last += !missed;
	late->caused_ns = saturate_add(late->caused_ns, missed ? 0 : waited_ns);
	late = summary_partial(a->summary, "", -1);
	if (!late)
		return -ENOMEM;
	late->taken += seen->size - seen->members;
	late->last += missed;
	late->caused_ns = saturate_add(late->caused_ns, missed ? waited_ns : 0);
	return 0;
}

static bool is_partial(const struct coll_seen *seen)
{
	return !seen->ambiguous && seen->members > 1 && seen->members < seen->size &&
		   seen->base_ns >= 0;
}

static unsigned kind_of(const struct attributing *a, const struct op *op,
						const struct coll_args *coll, const char *reason)
{
	if (!coll && !reason)
		return coll_kind_of_class(feed_kernel(&a->ds->feeds[op->feed], op->name)->class_name);
	return coll && coll->coll < BATON_COLL_END ? coll->coll : BATON_COLL_UNKNOWN;
}

static int add_nccl_row(struct attributing *a, const struct op *op, const struct coll_args *coll,
						uint32_t size, const char *reason, int64_t wait_ns)
{
	struct nccl_summary key = {
		.members = size, .bytes = coll ? coll->bytes : -1, .max_bytes_moved = -1};
	const struct feed *feed = &a->ds->feeds[op->feed];
	const char *comm =
		coll && coll->comm ? feed_text(feed, feed->trace.comms[coll->comm].name) : "";
	int error = summary_string(a->summary, coll_kind_name(kind_of(a, op, coll, reason)), &key.op);
	if (!error && comm[0])
		error = summary_string(a->summary, comm, &key.comm);
	if (!error && reason)
		error = summary_string(a->summary, reason, &key.reason);
	struct nccl_summary *row = error ? NULL : summary_nccl(a->summary, &key);
	if (!row)
		return -ENOMEM;
	if (coll && coll->bytes >= 0) {
		int64_t moved = coll->out_bytes > coll->bytes ? coll->out_bytes : coll->bytes;
		row->max_bytes_moved = moved > row->max_bytes_moved ? moved : row->max_bytes_moved;
	}
	int64_t dur = op->end - op->start;
	row->count++;
	row->wait_ns = saturate_add(row->wait_ns, wait_ns);
	row->unsplit_ns = saturate_add(row->unsplit_ns, reason ? dur : 0);
	row->transfer_ns = saturate_add(row->transfer_ns, reason ? 0 : dur - wait_ns);
	return 0;
}

int attribute_nccl(struct attributing *a, const struct op *op)
{
	const struct coll_args *coll;
	const struct coll_seen *seen = NULL;
	struct coll_key key;
	bool known;
	int error = device_collective(a->ds, op, &a->scan->steps, &coll, &key, &known);
	if (error)
		return error;
	const struct feed *feed = &a->ds->feeds[op->feed];
	uint32_t size = coll && coll->comm ? feed->trace.comms[coll->comm].size : 0;
	if (!coll && known)
		size = a->ds->ordered;
	const char *reason = unsplit_reason(a, coll, &key, known, size, &seen);
	size = reason && !coll ? 0 : size;
	int64_t wait = reason || !seen ? 0 : op->end - op->start - seen->min_ns;
	wait = wait > 0 ? wait : 0; /* what others tell of it may be of other files than these */
	a->seen = (struct op_seen){.collective = coll_kind_name(kind_of(a, op, coll, reason)),
							   .coll = coll,
							   .members = size,
							   .unsplit = reason,
							   .wait_ns = wait};
	if (op->step >= 0) {
		error = add_nccl_row(a, op, coll, size, reason, wait);
		if (coll)
			sent_add(&a->sent, op->step, coll);
	}
	if (!error && seen && op->step >= 0 && (!reason || is_partial(seen)))
		error = reason ? note_partial(a, op, seen) : note_late(a, op, seen);
	if (error)
		return error;
	return sweep_op(&a->sweep, reason ? RANK_UNSPLIT : RANK_WAIT, op->start, op->start + wait,
					op->end);
}
