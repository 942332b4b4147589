/* What the synchronising calls of one process still owe on one device (docs/ATTRIBUTION.md section
 * 4.3, "debt" in docs/GLOSSARY.md). A call is added when its thread's timeline reaches it; nothing
 * here looks further ahead. */
#ifndef ATTRIBUTE_DEBT_H
#define ATTRIBUTE_DEBT_H

#include "attribute/unowed_clock.h"
#include "base/room.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEBT_DEPTH = 1000 };

struct sync_call {
	int64_t start, end;
	uint32_t caller; /* its thread's number from debt_caller() */
	uint32_t thread; /* id in the file */
	uint32_t name;
	uint32_t owner;
	bool frees;
};

struct told { /* a synchronising call that is not settled yet */
	struct sync_call call;
	int64_t unowed_before;
};

struct owed {
	struct sync_call call;
	int64_t left_ns; /* what it can still pay; 0: it has paid all */
	/* if it has paid all: so many entries, this one and those before it, have too */
	size_t back;
};

struct owed_list { /* by the time of return; the call that returned last pays first */
	struct owed *at;
	size_t head, tail, room;
};

struct driven { /* a GPU-driving call began */
	int64_t begin;
	uint32_t caller;
};

struct debt {
	const struct unowed_clock *clock; /* the device's; not owned */
	struct told *told;
	size_t n_told, told_room;
	int64_t first_return; /* the earliest end among `told` */
	struct driven *driven;
	size_t n_driven, driven_room;
	bool driven_in_order;
	/* the last driving call before those in `driven`, and the last one of another caller */
	struct driven last[2];
	struct owed_list shared; /* calls during which no other thread drove the GPU */
	struct owed_list *own;   /* per caller: its other calls */
	uint32_t n_callers;
	int64_t horizon; /* calls that returned by this instant owe nothing */
};

struct debt_launch {
	uint32_t caller;
	int64_t begin;
};

struct debt_horizon { /* the starts of the last DEBT_DEPTH ops of a device */
	int64_t starts[DEBT_DEPTH];
	uint32_t next; /* the place of the next one, which has the oldest */
	bool full;
};

void debt_open(struct debt *debt, const struct unowed_clock *clock);
void debt_close(struct debt *debt);
/* Registers a thread that makes calls. Returns its caller number, or -ENOMEM. */
int64_t debt_caller(struct debt *debt);
/* Notes that this caller began a GPU-driving call at `start`. 0 or -ENOMEM. */
static inline int debt_driven(struct debt *debt, uint32_t caller, int64_t start)
{
	size_t n = debt->n_driven;
	int error = room_for((void **)&debt->driven, n, &debt->driven_room, 4, sizeof(*debt->driven));
	if (error)
		return error;
	debt->driven_in_order = debt->driven_in_order && (n == 0 || debt->driven[n - 1].begin <= start);
	debt->driven[debt->n_driven++] = (struct driven){start, caller};
	return 0;
}
/* Adds a synchronising call. The clock must already hold what is unowed before its start. 0 or
 * -ENOMEM. */
int debt_add(struct debt *debt, const struct sync_call *call);
/* Lets the calls that returned by `to` pay from now on. The caller has passed in every call that
 * began before `to`, and passes in no such call later. 0 or -ENOMEM. */
int debt_settle(struct debt *debt, int64_t to);
/* From now on calls that returned by `until` owe nothing. */
void debt_expire(struct debt *debt, int64_t until);
/* True when some call may be able to pay for a launch of this caller. */
bool debt_owes(const struct debt *debt, uint32_t caller);
/* The call that pays for the idle instant `at` before the op of this launch, or NULL when no call
 * owes anything. *to is reduced to the end of the time for which the answer holds. The result is
 * valid until the next debt_settle(). */
struct owed *debt_payer(struct debt *debt, const struct debt_launch *launch, int64_t at,
						int64_t *to);
void debt_pay(struct owed *payer, int64_t ns);

/* Notes the start of an op. */
static inline void debt_horizon_pass(struct debt_horizon *horizon, int64_t start)
{
	horizon->starts[horizon->next++] = start;
	if (horizon->next == DEBT_DEPTH) {
		horizon->next = 0;
		horizon->full = true;
	}
}

/* The start of the op DEBT_DEPTH ops back. The queue holds no more ops than that, so a call that
 * returned by then can owe the next op nothing. INT64_MIN while there have been fewer ops. */
int64_t debt_horizon(const struct debt_horizon *horizon);

#endif
