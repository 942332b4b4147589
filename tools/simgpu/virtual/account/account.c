#include "virtual/account/account.h"

#include "engine/gpu.h"
#include "engine/room.h"

#define LONG_WORK_NS 1000000

static void add(struct account *account, int64_t from, int64_t to, enum cause cause)
{
	if (to <= from)
		return;
	struct idle *last = account->n ? &account->idle[account->n - 1] : NULL;
	if (last && last->to_ns == from && last->cause == cause) {
		last->to_ns = to;
		return;
	}
	account->idle = room_for(account->idle, account->n, &account->room, 64, sizeof(*account->idle));
	account->idle[account->n++] = (struct idle){from, to, cause};
}

/* What a lead hides, and whose absence therefore shows it. Work that goes on for long without a
 * call launches nothing: it has a name of its own. */
static bool is_overhead(enum cause cause, int64_t length_ns)
{
	if (cause == CAUSE_CPU_WORK || cause == CAUSE_PAGE_FAULT)
		return length_ns < LONG_WORK_NS;
	return cause == CAUSE_API || cause == CAUSE_LAUNCH_CALL || cause == CAUSE_LAUNCH_LATENCY;
}

/* [*from, to) as far as calls of that kind have not paid for it yet. */
static void add_paid(struct account *account, int64_t *lost_ns, int64_t *from, int64_t to,
					 enum cause cause)
{
	int64_t ns = *lost_ns < to - *from ? *lost_ns : to - *from;
	if (ns <= 0)
		return;
	add(account, *from, *from + ns, cause);
	*lost_ns -= ns;
	*from += ns;
}

/* The thread worked its way towards the launch. A thread that was made to wait for the device is
 * late by that much: its next delays, up to that much, are the waiting's, the last kind first. */
static void add_work(struct account *account, struct lead *lead, int64_t from, int64_t to,
					 enum cause cause)
{
	int64_t *lost_ns = lead->lost_ns[account->number];
	bool alloc = lead->last == DEBTOR_ALLOC;
	if (to <= from)
		return;
	add_paid(account, &lost_ns[lead->last], &from, to, alloc ? CAUSE_ALLOC : CAUSE_SYNC);
	add_paid(account, &lost_ns[!lead->last], &from, to, alloc ? CAUSE_SYNC : CAUSE_ALLOC);
	add(account, from, to, cause);
}

static void at_most(int64_t *ns, int64_t most_ns)
{
	if (*ns > most_ns)
		*ns = most_ns;
}

/* Without the waiting the launch would have come that much earlier, but not before the queue had
 * room for it. */
static struct lead *lead_of(const struct account *account, const struct gpu_launch *launch)
{
	const struct log *log = launch->log;
	struct lead *lead = log->lead;
	int64_t *lost_ns = lead->lost_ns[account->number];
	if (account->n_starts < ACCOUNT_QUEUE)
		return lead;
	int64_t room_ns = launch->call_begin_ns - account->starts_ns[account->n_starts % ACCOUNT_QUEUE];
	at_most(&lost_ns[lead->last], room_ns < 0 ? 0 : room_ns);
	at_most(&lost_ns[!lead->last], room_ns < 0 ? 0 : room_ns - lost_ns[lead->last]);
	return lead;
}

/* The part of a wait in which the device had nothing to do shows as it is: it is not owed as well,
 * or a wait would cost more than it took. */
static void add_segment(struct account *account, struct lead *lead, int64_t from, int64_t to,
						const struct segment *s)
{
	const enum cause cause = (enum cause)s->cause;
	if (is_overhead(cause, s->to_ns - s->from_ns)) {
		add_work(account, lead, from, to, cause);
		return;
	}
	add(account, from, to, cause);
	if (to > from && (cause == CAUSE_SYNC || cause == CAUSE_ALLOC)) {
		int64_t *lost_ns =
			&lead->lost_ns[account->number][cause == CAUSE_ALLOC ? DEBTOR_ALLOC : DEBTOR_SYNC];
		*lost_ns -= to - from < *lost_ns ? to - from : *lost_ns;
	}
}

/* What the thread of `log` did in [from, to); where it waited for another, what that one did. */
static void blame_thread(struct account *account, const struct log *log, struct lead *lead,
						 int64_t from, int64_t to, int depth)
{
	for (size_t i = log_find(log, from); from < to; i++) {
		if (i >= log->n) { /* not over yet, or its life is */
			add(account, from, to, CAUSE_CPU_WORK);
			return;
		}
		const struct segment *s = &log->at[i];
		int64_t end = s->to_ns < to ? s->to_ns : to;
		if (s->from_ns > from) {
			int64_t gap = s->from_ns < to ? s->from_ns : to;
			add(account, from, gap, CAUSE_CPU_WORK);
			from = gap;
		}
		if (from >= end)
			continue;
		if (s->other && depth < 8)
			blame_thread(account, s->other, lead, from, end, depth + 1);
		else
			add_segment(account, lead, from, end, s);
		from = end;
	}
}

static void blame_launch(struct account *account, const struct gpu_op *op, int64_t from, int64_t to)
{
	const struct gpu_launch *launch = &op->launch;
	const struct log *log = launch->log;
	int64_t begin = launch->call_begin_ns, end = launch->call_end_ns;
	int64_t p1 = begin < from ? from : begin < to ? begin : to;
	int64_t p2 = end < p1 ? p1 : end < to ? end : to;
	struct lead *lead = lead_of(account, launch);
	if (from < p1)
		blame_thread(account, log, lead, from, p1, 0);
	if (launch->blocking) { /* the call is not over: what it owes comes later, less this */
		add(account, p1, to, CAUSE_SYNC);
		lead->lost_ns[account->number][DEBTOR_SYNC] -= to - p1;
		return;
	}
	for (size_t i = log_find(log, p1); p1 < p2 && i < log->n; i++) {
		const struct segment *s = &log->at[i];
		int64_t stop = s->to_ns < p2 ? s->to_ns : p2;
		add_segment(account, lead, p1, stop, s);
		p1 = stop > p1 ? stop : p1;
	}
	add_work(account, lead, p1, p2, CAUSE_LAUNCH_CALL);
	add_work(account, lead, p2, to, CAUSE_LAUNCH_LATENCY);
}

/* `op` started (or could have run) at `to` and not before: why not in [from, to)? */
static void blame_op(struct account *account, const struct gpu_op *op, int64_t from, int64_t to)
{
	const struct gpu_op *last = op->last_op;
	if (op->last == LAST_LAUNCH || !last) {
		blame_launch(account, op, from, to);
		return;
	}
	int64_t over = last->end_ns < from ? from : last->end_ns < to ? last->end_ns : to;
	if (last->kind == GPU_HOST_FUNC) {
		int64_t began = last->start_ns < from   ? from
						: last->start_ns < over ? last->start_ns
												: over;
		if (began > from)
			blame_op(account, last, from, began);
		add(account, began, over, CAUSE_HOST_FUNC);
	} else if (last->gpu == op->gpu) {
		add(account, from, over, CAUSE_DISPATCH);
	} else { /* what held up the other device, as far as that is still known */
		int64_t began = last->start_ns < from   ? from
						: last->start_ns < over ? last->start_ns
												: over;
		if (began > from && last->last == LAST_LAUNCH)
			blame_launch(account, last, from, began);
		else
			began = from;
		add(account, began, over, CAUSE_DEPENDENCY);
	}
	add(account, over, to, CAUSE_DISPATCH);
}

void account_idle(struct account *account, const struct gpu_op *op, int64_t from_ns)
{
	blame_op(account, op, from_ns, op->start_ns);
}

static void end_bare(struct account *account, int64_t now_ns)
{
	if (account->bare_from_ns && account->bare_from_ns < now_ns) {
		account->bare = room_for(account->bare, account->n_bare, &account->bare_room, 64,
								 sizeof(*account->bare));
		account->bare[account->n_bare++] = (struct account_span){account->bare_from_ns, now_ns};
	}
	account->bare_from_ns = account->n_work == 0 && account->n_nccl > 0 ? now_ns : 0;
}

/* The collective that has ended moved its data from there on. */
static void cut_bare(struct account *account, int64_t from_ns)
{
	while (account->n_bare && account->bare[account->n_bare - 1].from_ns >= from_ns)
		account->n_bare--;
	if (account->n_bare && account->bare[account->n_bare - 1].to_ns > from_ns)
		account->bare[account->n_bare - 1].to_ns = from_ns;
}

int64_t account_bare(const struct account *account, int64_t from_ns, int64_t to_ns)
{
	int64_t since = account->bare_from_ns > from_ns ? account->bare_from_ns : from_ns;
	int64_t ns = account->bare_from_ns && since < to_ns ? to_ns - since : 0;
	for (size_t i = account->n_bare; i > 0 && account->bare[i - 1].to_ns > from_ns; i--) {
		const struct account_span *span = &account->bare[i - 1];
		int64_t begin = span->from_ns > from_ns ? span->from_ns : from_ns;
		int64_t end = span->to_ns < to_ns ? span->to_ns : to_ns;
		ns += end > begin ? end - begin : 0;
	}
	return ns;
}

void account_start(struct account *account, const struct gpu_op *op)
{
	account->n_work += op->kind != GPU_NCCL;
	account->n_nccl += op->kind == GPU_NCCL;
	end_bare(account, op->start_ns);
	account->starts_ns[account->n_starts++ % ACCOUNT_QUEUE] = op->start_ns;
}

static void account_end(struct account *account, const struct gpu_op *op)
{
	account->n_work -= op->kind != GPU_NCCL;
	account->n_nccl -= op->kind == GPU_NCCL;
	end_bare(account, op->end_ns);
	if (op->kind == GPU_NCCL)
		cut_bare(account, op->end_ns - op->launch.transfer_ns);
}

void account_op(struct account *account, const struct gpu_op *op)
{
	int32_t step = op->launch.step + 1;
	if (account->n_starts) /* starts are told */
		account_end(account, op);
	if (account->last_ns < op->end_ns)
		account->last_ns = op->end_ns;
	if (account->first_ns == 0 || op->start_ns < account->first_ns)
		account->first_ns = op->start_ns;
	if (step > account->n_steps)
		return;
	if (account->step_end_ns[step] < op->end_ns)
		account->step_end_ns[step] = op->end_ns;
	if (account->step_begin_ns[step] == 0 ||
		op->launch.call_begin_ns < account->step_begin_ns[step])
		account->step_begin_ns[step] = op->launch.call_begin_ns;
}
