#include "attribute/debt.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_CALLER UINT32_MAX

void debt_open(struct debt *debt, const struct unowed_clock *clock)
{
	*debt = (struct debt){.clock = clock,
						  .first_return = INT64_MAX,
						  .driven_in_order = true,
						  .last = {{INT64_MIN, NO_CALLER}, {INT64_MIN, NO_CALLER}},
						  .horizon = INT64_MIN};
}

void debt_close(struct debt *debt)
{
	for (uint32_t i = 0; i < debt->n_callers; i++)
		free(debt->own[i].at);
	free(debt->own);
	free(debt->shared.at);
	free(debt->driven);
	free(debt->told);
	memset(debt, 0, sizeof(*debt));
}

/* ---- what is told ---- */

int64_t debt_caller(struct debt *debt)
{
	if (room_next((void **)&debt->own, debt->n_callers, sizeof(*debt->own)) != 0)
		return -ENOMEM;
	debt->own[debt->n_callers] = (struct owed_list){0};
	return debt->n_callers++;
}

int debt_add(struct debt *debt, const struct sync_call *call)
{
	int error =
		room_for((void **)&debt->told, debt->n_told, &debt->told_room, 4, sizeof(*debt->told));
	if (error)
		return error;
	debt->told[debt->n_told++] = (struct told){*call, unowed_clock_at(debt->clock, call->start)};
	if (call->end < debt->first_return)
		debt->first_return = call->end;
	return 0;
}

/* ---- lists of those that owe ---- */

static bool pays_before(const struct sync_call *a, const struct sync_call *b)
{
	if (a->end != b->end)
		return a->end > b->end;
	if (a->start != b->start)
		return a->start < b->start;
	return a->frees != b->frees ? a->frees : a->thread < b->thread;
}

/* Forgets those that are paid or too far back. */
static void compact(struct owed_list *list)
{
	size_t n = 0;
	for (size_t i = list->head; i < list->tail; i++)
		if (list->at[i].left_ns > 0)
			list->at[n++] = list->at[i];
	list->head = 0;
	list->tail = n;
}

static void trim(struct owed_list *list, int64_t horizon)
{
	while (list->head < list->tail && list->at[list->head].call.end <= horizon)
		list->head++;
	while (list->head < list->tail && list->at[list->tail - 1].left_ns == 0)
		list->tail--;
}

static int list_push(struct owed_list *list, const struct owed *owed, int64_t horizon)
{
	trim(list, horizon);
	if (list->tail == list->room) {
		compact(list);
		int error =
			2 * list->tail < list->room /* enough to be worth it the next time too */
				? 0
				: room_for((void **)&list->at, list->room, &list->room, 4, sizeof(*list->at));
		if (error)
			return error;
	}
	list->at[list->tail++] = *owed;
	return 0;
}

/* Where the first lies that returned after `until`. */
static size_t returned_by(const struct owed_list *list, int64_t until)
{
	size_t low = list->head, high = list->tail;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (list->at[middle].call.end <= until)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last before that place that still owes. Runs of paid ones are passed in one go, and runs that
 * have been found to follow one another become one. */
static struct owed *last_owing(struct owed_list *list, size_t behind)
{
	while (behind > list->head) {
		struct owed *owed = &list->at[behind - 1];
		if (owed->left_ns > 0)
			return owed;
		if (behind - list->head <= owed->back)
			return NULL;
		const struct owed *next = owed - owed->back;
		if (next->left_ns == 0)
			owed->back += next->back;
		behind -= behind - list->head < owed->back ? behind - list->head : owed->back;
	}
	return NULL;
}

/* ---- settling ---- */

static int by_begin(const void *a, const void *b)
{
	const struct driven *x = a, *y = b;
	return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1)
								: (x->caller > y->caller) - (x->caller < y->caller);
}

static int by_return(const void *a, const void *b)
{
	const struct sync_call *x = &((const struct told *)a)->call,
						   *y = &((const struct told *)b)->call;
	if (pays_before(x, y) != pays_before(y, x))
		return pays_before(y, x) ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* Goes on to the calls that began before `until`. */
static void drive(struct debt *debt, size_t *next, int64_t until)
{
	for (; *next < debt->n_driven && debt->driven[*next].begin < until; ++*next) {
		if (debt->last[0].caller != debt->driven[*next].caller)
			debt->last[1] = debt->last[0];
		debt->last[0] = debt->driven[*next];
	}
}

/* It has returned: who waited for it, and what for? */
static int settle(struct debt *debt, const struct told *told)
{
	const struct sync_call *call = &told->call;
	int64_t unowed = unowed_clock_at(debt->clock, call->end) - told->unowed_before;
	struct owed owed = {.call = *call, .left_ns = call->end - call->start - unowed, .back = 1};
	const struct driven *other = &debt->last[debt->last[0].caller == call->caller];
	struct owed_list *list = other->begin < call->start ? &debt->shared : &debt->own[call->caller];
	return owed.left_ns > 0 ? list_push(list, &owed, debt->horizon) : 0;
}

/* Those that have returned to the front, in order; how many. */
static size_t take_returned(struct debt *debt, int64_t to)
{
	size_t n = 0;
	if (debt->first_return > to)
		return 0;
	debt->first_return = INT64_MAX;
	for (size_t i = 0; i < debt->n_told; i++) {
		struct told told = debt->told[i];
		if (told.call.end <= to) {
			debt->told[i] = debt->told[n];
			debt->told[n++] = told;
		} else if (told.call.end < debt->first_return) {
			debt->first_return = told.call.end;
		}
	}
	sort_rows(debt->told, n, sizeof(*debt->told), by_return);
	return n;
}

/* From where on the driving calls are out of order: the end of the run that begins at `from`. */
static size_t run_end(const struct driven *driven, size_t from, size_t n)
{
	while (from + 1 < n && by_begin(&driven[from], &driven[from + 1]) <= 0)
		from++;
	return from + 1 < n ? from + 1 : n;
}

static void merge(const struct driven *from, size_t middle, size_t n, struct driven *to)
{
	size_t i = 0, k = middle;
	while (i < middle || k < n) {
		bool first = k == n || (i < middle && by_begin(&from[i], &from[k]) <= 0);
		*to++ = first ? from[i++] : from[k++];
	}
}

/* Brings the driving calls in order: each thread's are, so they are a few runs. */
static int sort_driven(struct debt *debt)
{
	struct driven *from = debt->driven, *to = malloc(debt->driven_room * sizeof(*to));
	size_t n = debt->n_driven;
	if (!to)
		return -ENOMEM;
	while (run_end(from, 0, n) < n) {
		for (size_t at = 0; at < n;) {
			size_t middle = run_end(from, at, n), end = run_end(from, middle, n);
			merge(from + at, middle - at, end - at, to + at);
			at = end;
		}
		struct driven *swap = from;
		from = to;
		to = swap;
	}
	debt->driven = from;
	debt->driven_in_order = true;
	free(to);
	return 0;
}

int debt_settle(struct debt *debt, int64_t to)
{
	size_t n = take_returned(debt, to), next = 0;
	int error = debt->driven_in_order ? 0 : sort_driven(debt);
	for (size_t i = 0; !error && i < n; i++) {
		drive(debt, &next, debt->told[i].call.end);
		error = settle(debt, &debt->told[i]);
	}
	drive(debt, &next, to);
	debt->n_driven -= next;
	debt->n_told -= n;
	if (next)
		memmove(debt->driven, debt->driven + next, debt->n_driven * sizeof(*debt->driven));
	if (n)
		memmove(debt->told, debt->told + n, debt->n_told * sizeof(*debt->told));
	return error;
}

void debt_expire(struct debt *debt, int64_t until)
{
	debt->horizon = until;
}

/* ---- who pays ---- */

bool debt_owes(const struct debt *debt, uint32_t caller)
{
	const struct owed_list *own = &debt->own[caller];
	return debt->shared.head < debt->shared.tail || own->head < own->tail;
}

/* The last of a list that can pay; cuts *to where another one returns. */
static struct owed *payer_in(struct owed_list *list, const struct debt_launch *launch, int64_t at,
							 int64_t *to)
{
	int64_t until = at < launch->begin ? at : launch->begin;
	size_t behind = returned_by(list, until);
	if (behind < list->tail && list->at[behind].call.end <= launch->begin &&
		list->at[behind].call.end < *to)
		*to = list->at[behind].call.end;
	return last_owing(list, behind);
}

struct owed *debt_payer(struct debt *debt, const struct debt_launch *launch, int64_t at,
						int64_t *to)
{
	struct owed_list *shared = &debt->shared, *own = &debt->own[launch->caller];
	trim(shared, debt->horizon);
	trim(own, debt->horizon);
	struct owed *payer = payer_in(shared, launch, at, to), *other = payer_in(own, launch, at, to);
	if (!payer || (other && pays_before(&other->call, &payer->call)))
		payer = other;
	if (payer && payer->left_ns < *to - at)
		*to = at + payer->left_ns;
	return payer;
}

void debt_pay(struct owed *payer, int64_t ns)
{
	payer->left_ns -= ns;
}

/* ---- how far back ---- */

int64_t debt_horizon(const struct debt_horizon *horizon)
{
	return horizon->full ? horizon->starts[horizon->next] : INT64_MIN;
}
