/* Who woke a thread that slept outside of calls. */
#include "graph/threads.h"

#include "base/room.h"
#include "base/saturate.h"

#include <errno.h>

enum {
	LEAST_SLEEP_NS = 50000,
	SOON_ASLEEP_NS = 300000, /* a waker often goes to sleep itself */
	LONG_SILENT_NS = 3000000,
	SILENT_NS = 20000, /* of an import: a segment that may be a sleep */
	FEW_POINTS = 4,
	FEW_ROWS = 64,
	LEAST_AWAKE = 4 /* of a row whose stack may be that of its work: a part of its sleep */
};

enum state { STATE_UNKNOWN, STATE_ASLEEP, STATE_AWAKE, STATE_IN_CALL };

struct waker {
	const struct host_thread *thread; /* NULL: none */
	int64_t point;
	bool sleeps_then;
};

/* The last sched row that begins at or before `ns`; -1: none. */
static int64_t sched_at(const struct host_thread *t, int64_t ns)
{
	uint32_t low = 0, high = t->n_scheds;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (t->scheds[middle].begin <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64_t)low - 1;
}

static enum state state_at(const struct host_thread *t, int64_t ns)
{
	const int64_t row = sched_at(t, ns - 1);
	if (row >= 0 && ns - 1 < t->scheds[row].end)
		return ns - 1 < t->scheds[row].slept ? STATE_ASLEEP : STATE_AWAKE;
	const int64_t point = thread_point(t, ns);
	if (point < 0)
		return STATE_UNKNOWN;
	if (t->points[point].depth > 0)
		return STATE_IN_CALL;
	return ns - t->points[point].ns < LONG_SILENT_NS ? STATE_AWAKE : STATE_UNKNOWN;
}

static bool better(const struct waker *than, const struct waker *waker)
{
	if (!than->thread || waker->sleeps_then != than->sleeps_then)
		return !than->thread || waker->sleeps_then;
	return waker->thread->points[waker->point].ns > than->thread->points[than->point].ns;
}

struct woken {
	const struct host_thread *thread;
	int64_t from_ns, ns; /* since when it was silent, and when it was awake again */
};

/* Among the threads that copy aside, or among the others: one that is awake at `ns`, or (`silent`)
 * one that made a call since the thread went silent. */
static struct waker find_among(const struct process *p, const struct woken *of, bool aside,
							   bool silent)
{
	struct waker best = {0};
	for (uint32_t i = 0; i < p->n_threads; i++) {
		struct waker w = {&p->threads[i], thread_point(&p->threads[i], of->ns), false};
		if (w.thread == of->thread || w.thread->aside != aside || w.point < 0)
			continue;
		if (silent ? w.thread->points[w.point].ns <= of->from_ns
				   : state_at(w.thread, of->ns) != STATE_AWAKE)
			continue;
		w.sleeps_then = !silent && state_at(w.thread, of->ns + SOON_ASLEEP_NS) == STATE_ASLEEP;
		if (better(&best, &w))
			best = w;
	}
	return best;
}

/* When a thread that is awake at `ns` woke up. */
static int64_t woke_ns(const struct host_thread *t, int64_t ns)
{
	const int64_t row = sched_at(t, ns - 1);
	const uint32_t slept = row < 0 ? 0 : t->scheds[row].slept_last;
	return slept ? t->scheds[slept - 1].slept : INT64_MIN;
}

/* Who woke the thread. A thread that copies aside is awake now and then, whoever waits for whom:
 * when no other one is awake, whoever was so when it woke up has handed the lock on through it. */
static struct waker find_waker(const struct process *p, const struct woken *of)
{
	struct waker best = find_among(p, of, false, false);
	if (best.thread)
		return best;
	const struct waker aside = find_among(p, of, true, false);
	struct woken before = *of;
	before.ns = aside.thread ? woke_ns(aside.thread, of->ns) : of->from_ns;
	if (before.ns > of->from_ns)
		best = find_among(p, &before, false, false);
	return best.thread ? best : find_among(p, of, false, true);
}

static int note_between(struct model *model, uint32_t edge, const struct host_thread *t,
						const int64_t span[2])
{
	int64_t by_label[LABELS];
	thread_labels(t, span[0], span[1], by_label);
	return thread_note(model, edge, by_label);
}

/* Where the waker was last known to be: its last point, or when it woke up itself after that. */
struct source {
	uint32_t node;
	int64_t ns;
};

static struct source source_of(const struct waking *waking)
{
	const struct host_thread *t = waking->waker;
	const uint32_t point = (uint32_t)waking->waker_point;
	uint32_t low = 0, high = t->n_wakings;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (t->wakings[middle].point < point)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < t->n_wakings && t->wakings[low].point == point && t->wakings[low].ns < waking->ns)
		return (struct source){t->wakings[low].node, t->wakings[low].ns};
	return (struct source){t->first_node + point, t->points[point].ns};
}

/* A waker that sleeps already has handed over before: from then on the wake-up takes its time. */
static int64_t awake_until(const struct waking *waking)
{
	const struct host_thread *t = waking->waker;
	const int64_t row = sched_at(t, waking->ns - 1);
	const struct sched_row *s = row < 0 ? NULL : &t->scheds[row];
	return s && s->waits >= waking->ns && !s->holder ? s->begin : waking->ns;
}

static int link_waker(const struct waking *waking, struct model *model)
{
	const struct source source = source_of(waking);
	const struct edge hand = {source.node, waking->node, waking->ns - source.ns,
							  waking->waker->unit, EDGE_HAND};
	const int64_t span[2] = {source.ns, awake_until(waking)};
	uint32_t edge;
	int error = graph_add_edge(&model->graph, &hand, &edge);
	error = error ? error : note_between(model, edge, waking->waker, span);
	model->hand_offs += !error;
	return error;
}

/* The thread's last point to the wake-up, and on to its next one. */
static int link_sleeper(struct host_thread *t, const struct waking *waking, struct model *model)
{
	const uint32_t i = waking->point;
	const int64_t from_ns = t->points[i].ns, to_ns = t->points[i + 1].ns, ns = waking->ns;
	int64_t by_label[LABELS];
	uint32_t edge;
	thread_labels(t, from_ns, ns, by_label);
	const int64_t asleep_ns = thread_take_sleep(by_label);
	struct edge before = {t->first_node + i, waking->node, ns - from_ns - asleep_ns, t->unit,
						  EDGE_OUTSIDE};
	before.ns = waking->silent ? 0 : before.ns;
	int error = graph_add_edge(&model->graph, &before, &edge);
	if (!error && !waking->silent)
		error = thread_note(model, edge, by_label);
	struct edge after = {waking->node, t->first_node + i + 1, to_ns - ns, t->unit, EDGE_OUTSIDE};
	error = error ? error : graph_add_edge(&model->graph, &after, &t->chain[i]);
	if (!t->points[i + 1].begins)
		t->calls[t->points[i + 1].call].chain = t->chain[i];
	return error ? error : note_between(model, t->chain[i], t, (int64_t[]){ns, to_ns});
}

int hand_offs_link(struct host_thread *t, struct model *model)
{
	int error = 0;
	for (uint32_t k = 0; !error && k < t->n_wakings; k++) {
		error = link_sleeper(t, &t->wakings[k], model);
		error = error ? error : link_waker(&t->wakings[k], model);
	}
	return error;
}

/* ---- finding them ---- */

static int add_waking(struct host_thread *t, struct model *model, const struct waking *waking)
{
	if (room_next((void **)&t->wakings, t->n_wakings, sizeof(*t->wakings)) != 0)
		return -ENOMEM;
	struct waking *added = &t->wakings[t->n_wakings++];
	*added = *waking;
	return graph_add_nodes(&model->graph, &added->ns, 1, &added->node);
}

struct sleep { /* in one segment */
	int64_t ns, until_ns;
};

/* The first row that reaches beyond `ns`, among rows that follow each other. */
static uint32_t first_row_after(const struct host_thread *t, int64_t ns)
{
	const int64_t row = sched_at(t, ns);
	return row < 0 ? 0 : (uint32_t)row + (t->scheds[row].end <= ns);
}

static bool has_point_in(const struct host_thread *t, int64_t from_ns, int64_t to_ns)
{
	const int64_t point = thread_point(t, to_ns);
	return point >= 0 && t->points[point].ns > from_ns;
}

/* The stack of a row may be that of work after a sleep (backward() and what follows it). Then another
 * thread makes calls until the sleep ends, and goes to sleep itself. Where more of the row is awake
 * than asleep, the other thread may have been done sooner. */
static bool sleeps_for(const struct host_thread *other, const struct sched_row *s)
{
	const int64_t slept_ns = s->slept - s->begin, awake_ns = s->end - s->slept;
	const int64_t since_ns =
		awake_ns < slept_ns && slept_ns > SOON_ASLEEP_NS ? s->slept - SOON_ASLEEP_NS : s->begin;
	return awake_ns >= slept_ns / LEAST_AWAKE && has_point_in(other, since_ns, s->slept) &&
		   state_at(other, s->slept + SOON_ASLEEP_NS) == STATE_ASLEEP;
}

/* Or it is that of sleep after it (a time.sleep() after backward()). Then another thread wakes up when
 * this one falls asleep, makes calls and goes to sleep: until then this one waits for it. Returns when
 * that is, or the begin of the row. */
static int64_t waits_until(const struct host_thread *other, const struct sched_row *s)
{
	const int64_t nap = sched_at(other, s->begin); /* -1: it began before the sample */
	const int64_t awake_ns = nap < 0 ? other->points[0].ns : other->scheds[nap].slept;
	if (awake_ns < s->begin - SOON_ASLEEP_NS || awake_ns > s->begin + SOON_ASLEEP_NS)
		return s->begin;
	const uint32_t first = (uint32_t)(nap + 1);
	for (uint32_t i = first; i < other->n_scheds && i - first < FEW_ROWS; i++) {
		const struct sched_row *next = &other->scheds[i];
		if (next->begin >= s->slept)
			break;
		if (next->slept - next->begin >= LEAST_SLEEP_NS)
			return has_point_in(other, s->begin, next->begin) ? next->begin : s->begin;
	}
	return s->begin;
}

/* Sleep that a stack puts into the thread's own code may be a wait for another thread after all. */
static void find_own(const struct process *p, struct host_thread *t)
{
	for (uint32_t i = 0; i < t->n_scheds; i++) {
		struct sched_row *s = &t->scheds[i];
		if (s->holder || s->waits > s->begin || s->slept - s->begin < LEAST_SLEEP_NS)
			continue;
		for (uint32_t k = 0; k < p->n_threads; k++) {
			const struct host_thread *other = &p->threads[k];
			if (other == t || other->aside)
				continue;
			const int64_t ns = sleeps_for(other, s) ? s->slept : waits_until(other, s);
			s->waits = ns > s->waits ? ns : s->waits;
		}
	}
}

/* The sleep of segment i, but for sleep in code of the thread's own: once it is there nobody wakes
 * it. A row may begin some ns before the end of the call that it follows. */
static struct sleep sleep_in(const struct host_thread *t, uint32_t i)
{
	const int64_t from_ns = t->points[i].ns, to_ns = t->points[i + 1].ns;
	struct sleep sleep = {0, INT64_MIN};
	for (uint32_t row = first_row_after(t, from_ns);
		 row < t->n_scheds && t->scheds[row].begin < to_ns; row++) {
		const struct sched_row *s = &t->scheds[row];
		const int64_t begin_ns = s->begin > from_ns ? s->begin : from_ns;
		if (s->waits <= begin_ns)
			continue;
		sleep.ns += s->waits - begin_ns;
		sleep.until_ns = s->waits;
	}
	return sleep;
}

/* The number of the first range that the thread, or one after it, begins at or after `ns`. */
static size_t first_begun(const struct process *p, const struct host_thread *t, int64_t ns)
{
	size_t low = 0, high = p->n_begun;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct range_begin *b = &p->begun[middle];
		if (b->thread < t->index || (b->thread == t->index && b->ns < ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Does the thread begin a range in (from, to)? */
static bool begins_between(const struct process *p, const struct host_thread *t, int64_t from,
						   int64_t to)
{
	return from < to && first_begun(p, t, to) > first_begun(p, t, from + 1);
}

/* When it begins its first range at or after `ns`. */
static int64_t begins_from(const struct process *p, const struct host_thread *t, int64_t ns)
{
	const size_t first = first_begun(p, t, ns);
	return first < p->n_begun && p->begun[first].thread == t->index ? p->begun[first].ns
																	: INT64_MAX;
}

/* Without sched rows: another thread made calls in the segment, and this one no record between
 * them. It slept until its first record after the other's last call. */
static bool find_silence(const struct process *p, const struct host_thread *t, uint32_t i,
						 struct waking *out)
{
	const int64_t from_ns = t->points[i].ns, to_ns = t->points[i + 1].ns;
	*out = (struct waking){.point = i, .silent = true};
	for (uint32_t k = 0; k < p->n_threads; k++) {
		const struct host_thread *other = &p->threads[k];
		const int64_t last = thread_point(other, to_ns - 1);
		const int64_t first = thread_point(other, from_ns) + 1;
		if (other == t || last < first)
			continue;
		const int64_t last_ns = other->points[last].ns;
		if (last > first + FEW_POINTS && begins_between(p, t, other->points[first].ns, last_ns))
			continue; /* they run side by side */
		if (out->waker && out->waker->points[out->waker_point].ns >= last_ns)
			continue;
		const int64_t awake_ns = begins_from(p, t, last_ns);
		out->waker = other;
		out->waker_point = last;
		out->ns = awake_ns < to_ns ? awake_ns : to_ns;
	}
	return out->waker != NULL;
}

static int find_silences(const struct process *p, struct host_thread *t, struct model *model)
{
	for (uint32_t i = 0; i + 1 < t->n_points; i++) {
		struct waking waking;
		if (t->points[i].depth > 0 || t->points[i + 1].ns - t->points[i].ns <= SILENT_NS ||
			!find_silence(p, t, i, &waking))
			continue;
		int error = add_waking(t, model, &waking);
		if (error)
			return error;
	}
	return 0;
}

int hand_offs_find(const struct process *p, struct host_thread *t, struct model *model)
{
	if (p->n_threads > 1 && p->n_begun > 0)
		return find_silences(p, t, model);
	if (p->n_threads < 2 || t->n_scheds == 0)
		return 0;
	find_own(p, t);
	for (uint32_t i = 0; i + 1 < t->n_points; i++) {
		const struct sleep sleep = sleep_in(t, i);
		const int64_t from_ns = t->points[i].ns, to_ns = t->points[i + 1].ns;
		int64_t by_label[LABELS];
		if (t->points[i].depth > 0 || sleep.ns < LEAST_SLEEP_NS || sleep.until_ns > to_ns)
			continue;
		thread_labels(t, from_ns, to_ns, by_label);
		if (by_label[LABEL_INPUT] + by_label[LABEL_INPUT_NO_CORE] > (to_ns - from_ns) / 2)
			continue;
		const struct waker waker = find_waker(p, &(struct woken){t, from_ns, sleep.until_ns});
		model->unwoken += !waker.thread;
		const struct waking waking = {
			.waker = waker.thread, .waker_point = waker.point, .ns = sleep.until_ns, .point = i};
		int error = waker.thread ? add_waking(t, model, &waking) : 0;
		if (error)
			return error;
	}
	return 0;
}

/* ---- before the first call ---- */

struct lead { /* from the begin of the sample to a thread's first call */
	int64_t from_ns, to_ns;
	struct sleep sleep;
	bool unknown; /* it has no rows: a thread that is new, or that nothing was known of */
};

static struct lead lead_of(const struct process *p, const struct host_thread *t)
{
	struct lead lead = {p->begins[0], t->points[0].ns, {0, INT64_MIN}, true};
	for (uint32_t i = 0; i < t->n_scheds && t->scheds[i].begin < lead.to_ns; i++) {
		const struct sched_row *s = &t->scheds[i];
		const int64_t begin_ns = s->begin > lead.from_ns ? s->begin : lead.from_ns;
		lead.unknown = false;
		if (s->waits <= begin_ns)
			continue;
		lead.sleep.ns = saturate_add(lead.sleep.ns, s->waits - begin_ns);
		lead.sleep.until_ns = s->waits;
	}
	lead.unknown &= lead.to_ns - lead.from_ns > LONG_SILENT_NS;
	if (lead.unknown)
		lead.sleep = (struct sleep){lead.to_ns - lead.from_ns, lead.to_ns};
	return lead;
}

/* What the thread did in [from, to), but for its sleep where another thread ended that. */
static int link_lead(const struct lead *lead, const struct edge *edge, const struct host_thread *t,
					 bool asleep, struct model *model)
{
	int64_t by_label[LABELS];
	struct edge of = *edge;
	uint32_t number;
	thread_labels(t, lead->from_ns, lead->to_ns, by_label);
	of.ns = lead->to_ns - lead->from_ns - (asleep ? thread_take_sleep(by_label) : 0);
	if (lead->unknown)
		of.ns = 0;
	int error = graph_add_edge(&model->graph, &of, &number);
	return error || lead->unknown ? error : thread_note(model, number, by_label);
}

/* Woken by another thread: how long it slept before that does not count. */
static int link_woken(const struct process *p, const struct lead *lead, const struct waker *waker,
					  const struct host_thread *t, struct model *model)
{
	struct waking waking = {
		.waker = waker->thread, .waker_point = waker->point, .ns = lead->sleep.until_ns};
	int error = graph_add_nodes(&model->graph, &waking.ns, 1, &waking.node);
	const struct lead before = {lead->from_ns, waking.ns, {0, 0}, lead->unknown},
					  after = {waking.ns, lead->to_ns, {0, 0}, false};
	const struct edge asleep = {p->begin_node, waking.node, 0, t->unit, EDGE_OUTSIDE},
					  awake = {waking.node, t->first_node, 0, t->unit, EDGE_OUTSIDE};
	error = error ? error : link_lead(&before, &asleep, t, true, model);
	error = error ? error : link_lead(&after, &awake, t, false, model);
	return error ? error : link_waker(&waking, model);
}

int hand_offs_lead(struct process *p, const struct host_thread *t, struct model *model)
{
	const struct lead lead = lead_of(p, t);
	struct waker waker = {0};
	if (p->n_begun > 0 || t->n_scheds == 0 || lead.to_ns <= lead.from_ns)
		return 0;
	if (p->begin_node == NO_INDEX &&
		graph_add_nodes(&model->graph, &lead.from_ns, 1, &p->begin_node) != 0)
		return -ENOMEM;
	if (lead.sleep.ns >= LEAST_SLEEP_NS && lead.sleep.until_ns <= lead.to_ns)
		waker = find_waker(p, &(struct woken){t, lead.from_ns, lead.sleep.until_ns});
	if (waker.thread)
		return link_woken(p, &lead, &waker, t, model);
	const struct edge edge = {p->begin_node, t->first_node, 0, t->unit, EDGE_OUTSIDE};
	const struct lead alone = {lead.from_ns, lead.to_ns, {0, 0}, false};
	return link_lead(&alone, &edge, t, false, model);
}
