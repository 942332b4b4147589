#include "attribute/debt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void debt_close(struct debt *debt)
{
	for (uint32_t i = 0; i < debt->n_callers; i++)
		free(debt->callers[i].begins);
	free(debt->callers);
	free(debt->at);
	memset(debt, 0, sizeof(*debt));
}

/* ---- who drove the GPU when ---- */

int64_t debt_caller(struct debt *debt, uint32_t thread)
{
	if (debt->n_callers == debt->callers_room) {
		uint32_t room = debt->callers_room ? 2 * debt->callers_room : 4;
		struct caller *larger = realloc(debt->callers, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		debt->callers = larger;
		debt->callers_room = room;
	}
	debt->callers[debt->n_callers] = (struct caller){.thread = thread, .last = INT64_MIN};
	return debt->n_callers++;
}

int debt_driven(struct debt *debt, uint32_t caller, int64_t start)
{
	struct caller *c = &debt->callers[caller];
	if (c->n == c->room) {
		size_t room = c->room ? 2 * c->room : 64;
		int64_t *larger = realloc(c->begins, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		c->begins = larger;
		c->room = room;
	}
	c->begins[c->n++] = start;
	return 0;
}

/* How many of its calls began before `until`. */
static size_t begun_before(const struct caller *c, int64_t until)
{
	size_t low = 0, high = c->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (c->begins[middle] < until)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool drove(const struct caller *c, const struct sync_call *call)
{
	size_t n = begun_before(c, call->end);
	int64_t last = n ? c->begins[n - 1] : c->last;
	return last >= call->start;
}

static void settle(const struct debt *debt, struct owed *owed)
{
	owed->settled = owed->shared = true;
	for (uint32_t i = 0; i < debt->n_callers && owed->shared; i++) {
		const struct caller *c = &debt->callers[i];
		owed->shared = c->thread == owed->call.thread || !drove(c, &owed->call);
	}
}

void debt_settle(struct debt *debt, int64_t to)
{
	for (size_t i = debt->tail; i-- > debt->head && !debt->at[i].settled;)
		if (debt->at[i].call.end <= to)
			settle(debt, &debt->at[i]);
	for (uint32_t i = 0; i < debt->n_callers; i++) {
		struct caller *c = &debt->callers[i];
		size_t n = begun_before(c, to);
		if (n == 0)
			continue;
		c->last = c->begins[n - 1];
		c->n -= n;
		memmove(c->begins, c->begins + n, c->n * sizeof(*c->begins));
	}
}

/* ---- what is owed ---- */

static bool pays_before(const struct sync_call *a, const struct sync_call *b)
{
	if (a->end != b->end)
		return a->end > b->end;
	if (a->start != b->start)
		return a->start < b->start;
	return a->frees != b->frees ? a->frees : a->thread < b->thread;
}

static int make_room(struct debt *debt)
{
	size_t n = debt->tail - debt->head;
	if (debt->tail < debt->room)
		return 0;
	if (debt->head > n) { /* more than half of it is gone */
		memmove(debt->at, debt->at + debt->head, n * sizeof(*debt->at));
	} else {
		size_t room = debt->room ? 2 * debt->room : 16;
		struct owed *larger = realloc(debt->at, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		memmove(larger, larger + debt->head, n * sizeof(*larger));
		debt->at = larger;
		debt->room = room;
	}
	debt->head = 0;
	debt->tail = n;
	return 0;
}

int debt_add(struct debt *debt, const struct sync_call *call)
{
	int error = make_room(debt);
	if (error)
		return error;
	size_t i = debt->tail++;
	for (; i > debt->head && pays_before(&debt->at[i - 1].call, call); i--)
		debt->at[i] = debt->at[i - 1];
	debt->at[i] = (struct owed){.call = *call, .left_ns = call->end - call->start};
	return 0;
}

void debt_expire(struct debt *debt, int64_t until)
{
	while (debt->head < debt->tail && debt->at[debt->head].call.end <= until)
		debt->head++;
}

struct owed *debt_payer(const struct debt *debt, const struct debt_launch *launch, int64_t at,
						int64_t *to)
{
	for (size_t i = debt->tail; i-- > debt->head;) {
		struct owed *owed = &debt->at[i];
		if (owed->call.end > launch->begin ||
			(owed->call.thread != launch->thread && !owed->shared))
			continue;
		if (owed->call.end <= at) {
			if (owed->left_ns < *to - at)
				*to = at + owed->left_ns;
			return owed;
		}
		if (owed->call.end < *to)
			*to = owed->call.end;
	}
	return NULL;
}

void debt_pay(struct debt *debt, struct owed *payer, int64_t ns)
{
	payer->left_ns -= ns;
	if (payer->left_ns > 0)
		return;
	size_t behind = (size_t)(debt->at + debt->tail - (payer + 1));
	memmove(payer, payer + 1, behind * sizeof(*payer));
	debt->tail--;
}

/* ---- how far back ---- */

void debt_horizon_pass(struct debt_horizon *horizon, int64_t start)
{
	horizon->starts[horizon->n++ % DEBT_DEPTH] = start;
}

int64_t debt_horizon(const struct debt_horizon *horizon)
{
	return horizon->n < DEBT_DEPTH ? INT64_MIN : horizon->starts[horizon->n % DEBT_DEPTH];
}
