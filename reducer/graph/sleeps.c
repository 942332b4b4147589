#include "graph/sleeps.h"

#include "graph/labels.h"

enum {
	NEAR_NS = 1000000, /* between two looks of the sampler, which knows how long a thread slept */
	MOST_ROWS = 16,    /* it writes five a look at most */
	MOST_WORKS = 64    /* of a row that are looked at */
};

/* The profiler's work on one thread. */
struct works {
	const struct span *at;
	size_t n;
};

static struct works works_of(const struct process *p, uint32_t thread)
{
	const size_t low = labels_spans_from(p, thread);
	size_t high = low;
	while (high < p->n_spans && p->spans[high].thread == thread)
		high++;
	return (struct works){p->spans + low, high - low};
}

/* The first that ends after `ns`, of spans in order of their begin. Where some lie within others it
 * may be one before it: what begins after `ns` is found. */
static size_t first_after(const struct works *works, int64_t ns)
{
	size_t low = 0, high = works->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (works->at[middle].end <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Until when the thread may sleep in the row: until the profiler's first work there, if no sleep is
 * said to follow it. */
static int64_t sleeps_until(const struct works *works, const struct sched_row *s)
{
	const size_t first = first_after(works, s->begin);
	for (size_t i = first; i < works->n && works->at[i].begin < s->end && i - first < MOST_WORKS;
		 i++) {
		const struct span *work = &works->at[i];
		if (work->label == LABEL_PROFILER && work->begin > s->begin && work->end >= s->slept)
			return work->begin;
	}
	return s->end;
}

static void set_slept(struct sched_row *s, int64_t slept)
{
	const int64_t waited = s->waited - s->slept;
	if (s->waits == s->slept || s->waits > slept)
		s->waits = slept;
	s->slept = slept;
	s->waited = waited < s->end - slept ? slept + waited : s->end;
}

/* Of `ns` that a row cannot have slept: another one takes what it has room for. Returns the rest. */
static int64_t take(const struct works *works, struct sched_row *s, int64_t ns)
{
	const int64_t room = s->slept > s->begin ? sleeps_until(works, s) - s->slept : 0;
	const int64_t taken = room <= 0 ? 0 : room < ns ? room : ns;
	if (taken)
		set_slept(s, s->slept + taken);
	return ns - taken;
}

/* Rows between the same two looks of the sampler, as far as that can be known: the later ones first.
 */
static void give_to_others(const struct works *works, struct host_thread *t, uint32_t row,
						   int64_t ns)
{
	const int64_t at = t->scheds[row].begin;
	for (uint32_t i = row + 1; ns && i < t->n_scheds && i - row <= MOST_ROWS; i++) {
		if (t->scheds[i].begin - at > NEAR_NS)
			break;
		ns = take(works, &t->scheds[i], ns);
	}
	for (uint32_t i = row; ns && i-- > 0 && row - i <= MOST_ROWS;) {
		if (at - t->scheds[i].begin > NEAR_NS)
			break;
		ns = take(works, &t->scheds[i], ns);
	}
}

void sleeps_place(const struct process *p, struct host_thread *t)
{
	const struct works works = t->index ? works_of(p, t->index) : (struct works){0};
	for (uint32_t i = 0; works.n && i < t->n_scheds; i++) {
		struct sched_row *s = &t->scheds[i];
		const int64_t until = s->slept > s->begin ? sleeps_until(&works, s) : s->slept;
		const int64_t too_much = s->slept - until;
		if (too_much <= 0)
			continue;
		set_slept(s, until);
		give_to_others(&works, t, i, too_much);
	}
}
