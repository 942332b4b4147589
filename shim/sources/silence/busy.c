#include "sources/silence/busy.h"

#include "sources/silence/sched_row.h"

enum { SLOTS_MOST = 512 }; /* are read of a look: the last ones */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The time between the two looks, cut where a record begins or ends. Inner calls come before the
 * one that they are in. */
static void find_stretches(struct busy *busy, const struct busy_look *look)
{
	uint64_t at = look->ticks[0], begin, end;
	uint64_t number = look->heads[0];
	if (look->heads[1] - number > SLOTS_MOST) {
		number = look->heads[1] - SLOTS_MOST;
		at = lane_slot_times(look->lane, number, &begin, &end) && end > at ? end : at;
	}
	for (; number < look->heads[1]; number++) {
		if (!lane_slot_times(look->lane, number, &begin, &end) || end > look->ticks[1])
			continue;
		if (begin > at) {
			baton_away_add(&busy->away, at, begin);
			at = begin;
		}
		baton_away_add(&busy->away, at, end);
		at = end > at ? end : at;
	}
	baton_away_add(&busy->away, at, look->ticks[1]);
}

/* Who has the lock now counts, not the majority of all looks: the rows are of this time. Where the
 * same thread still has it, its stack is taken anew now and then only. */
static bool look_at_holder(struct busy *busy, const struct busy_look *look)
{
	const bool known =
		busy->holder.state && look->now_ns - busy->stack_ns <= BATON_LOCK_REMEMBERED_NS;
	struct holder seen = known ? busy->holder : (struct holder){0};
	seen.votes = known; /* another one takes it away */
	bool waits = holder_look(&seen, look->owner, look->tid);
	const bool anew = !known || !seen.votes;
	if (waits && known && anew) {
		seen = (struct holder){0};
		waits = holder_look(&seen, look->owner, look->tid);
	}
	if (!waits)
		return false;
	busy->holder = seen;
	busy->stack_ns = anew ? look->now_ns : busy->stack_ns;
	return true;
}

static void look_for_lock(struct busy *busy, const struct busy_look *look)
{
	if (look->slept_ns >= BATON_AWAY_LEAST_NS && look_at_holder(busy, look))
		busy->locked_ns = look->now_ns;
	busy->locked = busy->locked_ns && look->now_ns - busy->locked_ns <= BATON_LOCK_REMEMBERED_NS;
	if (!busy->locked)
		busy->holder = (struct holder){0};
}

void busy_take(struct busy *busy, const struct busy_look *look)
{
	busy->away.n = 0;
	busy->slept_ns = look->slept_ns;
	busy->waited_ns = look->waited_ns;
	busy->ticks = look->ticks[1] - look->ticks[0];
	busy->ns = look->ns;
	if (look->slept_ns + look->waited_ns < BATON_AWAY_LEAST_NS)
		return;
	look_for_lock(busy, look);
	find_stretches(busy, look);
}

void busy_late(struct busy *busy, uint64_t late_ns, uint64_t waited_ns)
{
	const uint64_t late = least(late_ns, busy->slept_ns);
	busy->slept_ns -= late;
	busy->waited_ns += least(late, waited_ns);
}

void busy_fell_silent(struct busy *busy, const struct baton_stretch *before, uint64_t slept_ns,
					  uint64_t waited_ns)
{
	struct baton_away *away = &busy->away;
	const struct baton_stretch *last = away->n ? &away->at[away->n - 1] : NULL;
	busy->slept_ns -= least(slept_ns, busy->slept_ns);
	busy->waited_ns -= least(waited_ns, busy->waited_ns);
	/* the one that fell silent may be too short to be among them: then there is little in it */
	if (last && last->end == before->end && last->begin >= before->begin)
		away->n--;
}

void busy_put(struct busy *busy, uint32_t thread)
{
	const uint64_t away_ns = busy->slept_ns + busy->waited_ns;
	if (busy->away.n && away_ns >= BATON_AWAY_LEAST_NS)
		baton_away_divide(&busy->away, (uint64_t)((double)away_ns * (double)busy->ticks /
												  (double)(busy->ns + 1)));
	for (unsigned i = 0; i < busy->away.n; i++) {
		const struct baton_stretch *s = &busy->away.at[i];
		const double ns = (double)s->away * (double)busy->ns / (double)(busy->ticks + 1);
		const double slept = ns * (double)busy->slept_ns / (double)(away_ns + 1);
		if (s->away)
			sched_row_put(
				&(struct sched_row){.begin = s->begin,
									.end = s->end,
									.slept_ns = (uint64_t)slept,
									.waited_ns = (uint64_t)(ns - slept),
									.thread = thread,
									.holder = busy->locked && slept >= 1 ? &busy->holder : NULL});
	}
	busy->away.n = 0;
}
