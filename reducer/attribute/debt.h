/* What the synchronising calls of one process still owe a device: docs/ATTRIBUTION.md section 4.3.
 * Calls come as their threads' timelines reach them; nothing here looks ahead of that. */
#ifndef ATTRIBUTE_DEBT_H
#define ATTRIBUTE_DEBT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEBT_DEPTH = 1000 };

/* How long a device had been idle by some instant, for what may still be asked: the time in its
 * gaps, and all of it before its first op. Gaps come in order. */
enum { IDLE_CLOCK_GAPS = 512 };

struct idle_clock {
	int64_t first; /* start of the device's first op */
	int64_t total; /* of all gaps so far */
	size_t n;
	struct idle_gap {
		int64_t from, to;
		int64_t before; /* of the gaps before it */
	} at[IDLE_CLOCK_GAPS];
};

/* No room for another gap: some must be forgotten. */
bool idle_clock_full(const struct idle_clock *clock);
void idle_clock_add(struct idle_clock *clock, int64_t from, int64_t to);
/* Nobody asks for an instant before `until` any more. */
void idle_clock_forget(struct idle_clock *clock, int64_t until);
/* Idle time before `at`, from an origin that is the same for all; `at` lies before no gap that was
 * forgotten, nor after the last op that was seen. */
int64_t idle_clock_at(const struct idle_clock *clock, int64_t at);

struct sync_call {
	int64_t start, end;
	uint32_t caller; /* its thread's number for debt_driven() */
	uint32_t thread; /* index in the trace */
	uint32_t name;
	uint32_t owner;
	bool frees;
};

struct told { /* a call that had not returned when it was last asked */
	struct sync_call call;
	int64_t idle_before;
};

struct owed {
	struct sync_call call;
	int64_t left_ns; /* 0: paid */
	size_t back;     /* of a paid one: none of so many, from here backwards, owes anything */
};

struct owed_list { /* by return, as they pay: the last one first */
	struct owed *at;
	size_t head, tail, room;
};

struct driven { /* a GPU-driving call began */
	int64_t begin;
	uint32_t caller;
};

struct debt {
	const struct idle_clock *clock; /* of the device; not owned */
	struct told *told;
	size_t n_told, told_room;
	int64_t first_return; /* the earliest among them */
	struct driven *driven;
	size_t n_driven, driven_room;
	bool driven_in_order;
	struct driven last[2];   /* the last one before those, and the last one of another caller */
	struct owed_list shared; /* calls during which no other thread drove the GPU */
	struct owed_list *own;   /* the other calls of each caller */
	uint32_t n_callers;
	int64_t horizon; /* calls that returned by then owe nothing any more */
};

struct debt_launch {
	uint32_t caller;
	int64_t begin;
};

struct debt_horizon { /* when the last DEBT_DEPTH ops of a device started */
	int64_t starts[DEBT_DEPTH];
	uint64_t n;
};

void debt_open(struct debt *debt, const struct idle_clock *clock);
void debt_close(struct debt *debt);
/* A thread that makes calls. Its number, or -ENOMEM. */
int64_t debt_caller(struct debt *debt);
/* A GPU-driving call began. 0 or -ENOMEM. */
int debt_driven(struct debt *debt, uint32_t caller, int64_t start);
/* A synchronising call; the clock knows what was before it. 0 or -ENOMEM. */
int debt_add(struct debt *debt, const struct sync_call *call);
/* Every call that began before `to` has been told, none of those that come began before it. Calls
 * that returned by then can pay. 0 or -ENOMEM. */
int debt_settle(struct debt *debt, int64_t to);
/* Calls that returned by then owe nothing any more. */
void debt_expire(struct debt *debt, int64_t until);
/* Could any call pay for a launch of this caller? */
bool debt_owes(const struct debt *debt, uint32_t caller);
/* Who pays for the idle instant `at` before an op that was launched so: NULL when nobody owes. *to
 * is cut to where that holds. Later calls of debt_settle() make it invalid. */
struct owed *debt_payer(struct debt *debt, const struct debt_launch *launch, int64_t at,
						int64_t *to);
void debt_pay(struct owed *payer, int64_t ns);

void debt_horizon_pass(struct debt_horizon *horizon, int64_t start); /* an op of the device */
/* Nobody who launches the next op can be ahead of what started then: INT64_MIN when few did. */
int64_t debt_horizon(const struct debt_horizon *horizon);

#endif
