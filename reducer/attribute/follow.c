#include "attribute/follow.h"

#include "base/diag.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

#define NEAR_NS 1500000 /* as far apart as two threads may seem to stop and go on at once */
/* Rows of other threads that are looked at for the sleeps of one gap; then the search ends. 64
 * threads with 1,000 rows and 100 sleeps in a gap need 6 million. */
#define LOOKS_MOST (UINT64_C(1) << 26)

/* One sleep of the owner, up to its next record. */
struct wait {
	int64_t begin, goes_on; /* v and w */
};

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* ---- the owner ---- */

static int find_sleeps(struct follow *follow, const struct timeline *owner)
{
	int error = 0;
	follow->sleeps.n = 0;
	for (size_t i = 0; !error && i < owner->sleeps.n; i++)
		error = host_parts_add(&follow->sleeps, owner->sleeps.at[i].from, owner->sleeps.at[i].to);
	for (size_t i = 0; !error && i < owner->n_open; i++)
		if (owner->open[i].nap)
			error = host_parts_add(&follow->sleeps, owner->open[i].start, owner->open[i].end);
	host_parts_join(&follow->sleeps, ONE_SLEEP_NS);
	return error;
}

static int find_begins(struct follow *follow, const struct timeline *owner)
{
	follow->n_begins = 0;
	for (size_t i = 0; i < owner->n_open; i++) {
		if (!owner->open[i].is_record)
			continue;
		if (room_for((void **)&follow->begins, follow->n_begins, &follow->begins_room, 64,
					 sizeof(*follow->begins)) != 0)
			return -ENOMEM;
		follow->begins[follow->n_begins++] = owner->open[i].start;
	}
	sort_rows(follow->begins, follow->n_begins, sizeof(*follow->begins), by_time);
	return 0;
}

/* The begin of the owner's first record after `at`, or `until` when that is earlier. */
static int64_t next_begin(const struct follow *follow, int64_t at, int64_t until)
{
	size_t low = 0, high = follow->n_begins;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (follow->begins[middle] <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < follow->n_begins && follow->begins[low] < until ? follow->begins[low] : until;
}

/* The sleep that holds `at`, which is in one. */
static const struct host_part *sleep_at(const struct follow *follow, int64_t at)
{
	size_t low = 0, high = follow->sleeps.n;
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;
		if (follow->sleeps.at[middle].from <= at)
			low = middle;
		else
			high = middle;
	}
	return &follow->sleeps.at[low];
}

/* ---- the other threads ---- */

/* The latest instant at or before `until` at which a record of the thread begins or ends. */
static int64_t last_record(const struct timeline *thread, int64_t until)
{
	int64_t last = timeline_next_begin(thread) == until ? until : thread->last_record_end;
	for (size_t i = 0; i < thread->n_open; i++) {
		const struct host_rec *rec = &thread->open[i];
		int64_t at = rec->end <= until ? rec->end : rec->start;
		if (rec->is_record && at <= until && at > last)
			last = at;
	}
	return last;
}

/* When a thread's naps begin, as far as that matters to who goes on at w. */
struct nap_begins {
	int64_t before; /* the last begin that is too early for w; INT64_MIN: none */
	int64_t stops;  /* the last begin close to w; INT64_MIN: none */
};

static void note_nap(struct nap_begins *begins, int64_t begin, int64_t goes_on)
{
	if (begin < goes_on - NEAR_NS)
		begins->before = begin > begins->before ? begin : begins->before;
	else if (begin <= saturate_add(goes_on, NEAR_NS))
		begins->stops = begin > begins->stops ? begin : begins->stops;
}

/* Fills follow->naps too. The rows up to NEAR_NS after w have been read. */
static int find_naps(struct follow *follow, const struct timeline *thread, int64_t goes_on,
					 struct nap_begins *begins)
{
	int error = 0;
	*begins = (struct nap_begins){INT64_MIN, INT64_MIN};
	follow->naps.n = 0;
	for (size_t i = 0; !error && i < thread->n_open; i++) {
		const struct host_rec *rec = &thread->open[i];
		if (!rec->nap)
			continue;
		note_nap(begins, rec->start, goes_on);
		error = host_parts_add(&follow->naps, rec->start, rec->end);
	}
	host_parts_join(&follow->naps, 0);
	for (size_t i = thread->scheds.head; i < thread->scheds.tail; i++) {
		const struct host_rec *rec = &thread->scheds.at[i];
		if (rec->start > saturate_add(goes_on, NEAR_NS))
			break;
		if (rec->nap)
			note_nap(begins, rec->start, goes_on);
	}
	return error;
}

static int add_candidate(struct follow *follow, struct candidate candidate, int64_t from,
						 int64_t to)
{
	struct candidates *all = &follow->candidates;
	if (from >= to)
		return 0;
	if (room_for((void **)&all->at, all->n, &all->room, 16, sizeof(*all->at)) != 0)
		return -ENOMEM;
	candidate.at = (struct host_part){from, to};
	all->at[all->n++] = candidate;
	return 0;
}

/* [from, to) without the thread's naps, but with its calls. */
static int add_awake(struct follow *follow, const struct timeline *thread,
					 struct candidate candidate, int64_t from, int64_t to)
{
	const struct host_parts *naps = &follow->naps;
	int64_t at = from;
	int error = 0;
	for (size_t i = 0; !error && i < naps->n && naps->at[i].from < to; i++) {
		error = add_candidate(follow, candidate, at, naps->at[i].from);
		at = naps->at[i].to > at ? naps->at[i].to : at;
	}
	if (!error)
		error = add_candidate(follow, candidate, at, to);
	for (size_t i = 0; !error && naps->n && i < thread->n_open; i++) {
		const struct host_rec *rec = &thread->open[i];
		if (rec->mask & HOST_MASK(HOST_BIT_CALL))
			error = add_candidate(follow, candidate, rec->start > from ? rec->start : from,
								  rec->end < to ? rec->end : to);
	}
	return error;
}

/* When in [from, w) the owner may wait for the thread. */
static int try_thread(struct follow *follow, const struct timeline *thread, const struct wait *wait,
					  int64_t from)
{
	struct candidate candidate = {.last = last_record(thread, wait->goes_on),
								  .thread = thread->thread,
								  .id = thread->feed->trace.threads[thread->thread].id};
	struct nap_begins begins;
	if (candidate.last == INT64_MIN || candidate.last < wait->begin)
		return 0;
	int error = find_naps(follow, thread, wait->goes_on, &begins);
	from = begins.before > from ? begins.before : from;
	if (!error && begins.stops > from) {
		int64_t to = begins.stops < wait->goes_on ? begins.stops : wait->goes_on;
		error = add_awake(follow, thread, candidate, from, to);
	}
	candidate.goes_on = true;
	from = begins.stops > from ? begins.stops : from;
	return error || candidate.last < wait->goes_on - NEAR_NS
			   ? error
			   : add_awake(follow, thread, candidate, from, wait->goes_on);
}

static int by_preference(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->goes_on != y->goes_on)
		return x->goes_on ? 1 : -1;
	if (x->last != y->last)
		return x->last > y->last ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return (x->at.from > y->at.from) - (x->at.from < y->at.from);
}

/* ---- who gets what ---- */

static int add_found(struct follow *follow, uint32_t thread, int64_t from, int64_t to)
{
	struct follow_parts *found = &follow->found;
	if (from >= to)
		return 0;
	if (room_for((void **)&found->at, found->n, &found->room, 16, sizeof(*found->at)) != 0)
		return -ENOMEM;
	found->at[found->n++] = (struct follow_part){{from, to}, thread};
	return 0;
}

/* The candidate takes its instants of what is left. */
static int take(struct follow *follow, const struct candidate *candidate)
{
	struct host_parts *left = &follow->left;
	const size_t n = left->n;
	int error = 0;
	for (size_t i = 0; !error && i < n; i++) {
		struct host_part part = left->at[i], at = candidate->at;
		at.from = part.from > at.from ? part.from : at.from;
		at.to = part.to < at.to ? part.to : at.to;
		if (at.from >= at.to)
			continue;
		error = add_found(follow, candidate->thread, at.from, at.to);
		left->at[i].to = at.from;
		if (!error)
			error = host_parts_add(left, at.to, part.to);
	}
	size_t kept = 0;
	for (size_t i = 0; i < left->n; i++)
		if (left->at[i].from < left->at[i].to)
			left->at[kept++] = left->at[i];
	left->n = kept;
	return error;
}

/* False: in this gap enough rows have been looked at. */
static bool may_look(struct follow *follow, const struct timeline *thread)
{
	if (follow->looks > LOOKS_MOST)
		return false;
	follow->looks += 1 + thread->n_open;
	follow->too_many += follow->looks > LOOKS_MOST;
	return follow->looks <= LOOKS_MOST;
}

/* follow->left: the free instants of one wait. */
static int decide(struct follow *follow, const struct timelines *timelines,
				  const struct host_span *span, const struct wait *wait)
{
	const struct followable *all = &timelines->followable[span->feed];
	int error = 0;
	if (!follow->left.n)
		return 0;
	host_parts_join(&follow->left, 0);
	follow->candidates.n = 0;
	for (uint32_t i = 0; !error && i < all->n; i++) {
		const struct timeline *thread = timelines_of(timelines, span->feed, all->at[i]);
		if (all->at[i] != span->owner->thread && may_look(follow, thread))
			error = try_thread(follow, thread, wait, follow->left.at[0].from);
	}
	if (follow->looks > LOOKS_MOST)
		follow->candidates.n = 0; /* the best one may not be among them */
	sort_rows(follow->candidates.at, follow->candidates.n, sizeof(*follow->candidates.at),
			  by_preference);
	for (size_t i = 0; !error && follow->left.n && i < follow->candidates.n; i++)
		error = take(follow, &follow->candidates.at[i]);
	follow->left.n = 0;
	return error;
}

/* The free instants of the pieces, wait by wait. */
static int decide_all(struct follow *follow, const struct timelines *timelines,
					  const struct host_span *span, int64_t p1, const struct pieces *pieces,
					  size_t first)
{
	struct wait now = {0};
	int error = 0;
	follow->left.n = 0;
	for (size_t i = first; !error && i < pieces->n; i++) {
		const struct piece *piece = &pieces->at[i];
		for (int64_t at = piece->from, to; piece->follows && !error && at < piece->to; at = to) {
			const struct host_part *sleep = sleep_at(follow, at);
			struct wait wait = {sleep->from,
								next_begin(follow, at, sleep->to < p1 ? sleep->to : p1)};
			to = wait.goes_on < piece->to ? wait.goes_on : piece->to;
			if (wait.begin != now.begin || wait.goes_on != now.goes_on)
				error = decide(follow, timelines, span, &now);
			now = wait;
			if (!error)
				error = host_parts_add(&follow->left, at, to);
		}
	}
	return error ? error : decide(follow, timelines, span, &now);
}

static int by_begin(const void *a, const void *b)
{
	const struct follow_part *x = a, *y = b;
	return (x->at.from > y->at.from) - (x->at.from < y->at.from);
}

static int by_thread(const void *a, const void *b)
{
	const struct follow_part *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return by_begin(a, b);
}

/* Those of one thread that touch become one. */
static void join_found(struct follow_parts *found)
{
	size_t n = 0;
	sort_rows(found->at, found->n, sizeof(*found->at), by_thread);
	for (size_t i = 0; i < found->n; i++) {
		struct follow_part *last = n ? &found->at[n - 1] : NULL;
		if (last && last->thread == found->at[i].thread && last->at.to == found->at[i].at.from)
			last->at.to = found->at[i].at.to;
		else
			found->at[n++] = found->at[i];
	}
	found->n = n;
}

/* Takes what was found out of the pieces. Both are in order of time. */
static int cut_pieces(struct follow *follow, struct pieces *pieces, size_t first)
{
	const struct follow_parts *found = &follow->found;
	size_t next = 0;
	int error = 0;
	follow->kept.n = 0;
	for (size_t i = first; !error && i < pieces->n; i++) {
		struct piece rest = pieces->at[i];
		while (!error && next < found->n && found->at[next].at.from < rest.to) {
			struct piece before = rest;
			before.to = found->at[next].at.from;
			error = pieces_add(&follow->kept, &before);
			rest.from = found->at[next].at.to;
			if (rest.from > rest.to)
				break; /* it goes on in the next piece */
			next++;
		}
		if (!error)
			error = pieces_add(&follow->kept, &rest);
	}
	pieces->n = first;
	for (size_t i = 0; !error && i < follow->kept.n; i++)
		error = pieces_add(pieces, &follow->kept.at[i]);
	return error;
}

int follow_find(struct follow *follow, struct timelines *timelines, const struct host_span *span,
				struct host_part gap, struct pieces *pieces, size_t first)
{
	bool any = false;
	follow->found.n = 0;
	follow->looks = 0;
	for (size_t i = first; !any && i < pieces->n; i++)
		any = pieces->at[i].follows;
	if (!any)
		return 0;
	int error = timelines_advance_all(timelines, span->feed, gap.from, gap.to, NEAR_NS);
	if (!error)
		error = find_sleeps(follow, span->owner);
	if (!error)
		error = find_begins(follow, span->owner);
	if (!error)
		error = decide_all(follow, timelines, span, gap.to, pieces, first);
	if (error || !follow->found.n)
		return error;
	sort_rows(follow->found.at, follow->found.n, sizeof(*follow->found.at), by_begin);
	error = cut_pieces(follow, pieces, first);
	join_found(&follow->found);
	return error;
}

void follow_free(struct follow *follow)
{
	if (follow->too_many)
		diag("threads have too many rows in %llu gap%s of a GPU: for whom they waited there is not "
			 "known",
			 (unsigned long long)follow->too_many, follow->too_many == 1 ? "" : "s");
	host_parts_free(&follow->sleeps);
	host_parts_free(&follow->naps);
	host_parts_free(&follow->left);
	free(follow->begins);
	free(follow->candidates.at);
	free(follow->found.at);
	free(follow->kept.at);
	*follow = (struct follow){0};
}
