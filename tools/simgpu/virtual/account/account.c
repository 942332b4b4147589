#include "virtual/account/account.h"

#include "engine/gpu.h"
#include "engine/room.h"

#include <baton/format.h>

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

/* What the thread of `log` did in [from, to); where it waited for another, what that one did. */
static void blame_thread(struct account *account, const struct log *log, int64_t from, int64_t to,
						 int depth)
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
			blame_thread(account, s->other, from, end, depth + 1);
		else
			add(account, from, end, (enum cause)s->cause);
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
	if (from < p1)
		blame_thread(account, log, from, p1, 0);
	if (launch->blocking) { /* the call is not over */
		add(account, p1, to, CAUSE_SYNC);
		return;
	}
	for (size_t i = log_find(log, p1); p1 < p2 && i < log->n; i++) {
		const struct segment *s = &log->at[i];
		int64_t stop = s->to_ns < p2 ? s->to_ns : p2;
		add(account, p1, stop, (enum cause)s->cause);
		p1 = stop > p1 ? stop : p1;
	}
	add(account, p1, p2, CAUSE_LAUNCH_CALL);
	add(account, p2, to, CAUSE_LAUNCH_LATENCY);
}

/* From when on the way to a host function is the reason: what it waited for is over. */
static int64_t host_func_asked(const struct gpu_op *function, int64_t from, int64_t began)
{
	const struct gpu_op *before = function->last == LAST_OP ? function->last_op : NULL;
	if (!before || before->end_ns >= began)
		return began;
	return before->end_ns > from ? before->end_ns : from;
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
		const int64_t asked = host_func_asked(last, from, began);
		if (asked > from)
			blame_op(account, last, from, asked);
		add(account, asked, over, CAUSE_HOST_FUNC);
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
	const int64_t ready_ns = op->kept_from_ns ? op->kept_from_ns : op->start_ns;
	blame_op(account, op, from_ns, ready_ns);
	add(account, ready_ns > from_ns ? ready_ns : from_ns, op->start_ns, CAUSE_SHARED);
}

/* What computes hides what NCCL does; copies do not, but within the device. */
static bool computes(const struct gpu_op *op)
{
	return op->kind == GPU_KERNEL || op->kind == GPU_MEMSET ||
		   (op->kind == GPU_COPY && op->launch.copy_dir == BATON_COPY_DTOD);
}

static void count(struct account *account, const struct gpu_op *op, int32_t by, int64_t now_ns)
{
	if (account->exposed_from_ns && account->exposed_from_ns < now_ns) {
		account->exposed = room_for(account->exposed, account->n_exposed, &account->exposed_room,
									64, sizeof(*account->exposed));
		account->exposed[account->n_exposed++] =
			(struct account_span){account->exposed_from_ns, now_ns};
	}
	account->n_work += computes(op) ? by : 0;
	account->n_nccl += op->kind == GPU_NCCL ? by : 0;
	account->exposed_from_ns = account->n_work == 0 && account->n_nccl > 0 ? now_ns : 0;
}

static void add_meeting(struct account *account, const struct gpu_op *op)
{
	account->meetings = room_for(account->meetings, account->n_meetings, &account->meetings_room,
								 64, sizeof(*account->meetings));
	account->meetings[account->n_meetings++] =
		(struct account_meeting){op->start_ns, op->launch.last_ns, op->end_ns, op->launch.last};
	if (op->end_ns - op->start_ns > account->longest_ns)
		account->longest_ns = op->end_ns - op->start_ns;
}

void account_start(struct account *account, const struct gpu_op *op)
{
	account->counts = true;
	count(account, op, 1, op->start_ns);
}

void account_op(struct account *account, const struct gpu_op *op)
{
	int32_t step = op->launch.step + 1;
	if (account->counts) {
		count(account, op, -1, op->end_ns);
		if (op->kind == GPU_NCCL)
			add_meeting(account, op);
	}
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
