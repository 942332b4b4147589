/* What the synchronising calls of one process still owe a device: docs/ATTRIBUTION.md section 4.3.
 * Calls come as their threads' lanes reach them; nothing here looks ahead of that. */
#ifndef ATTRIBUTE_DEBT_H
#define ATTRIBUTE_DEBT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEBT_DEPTH = 1000 };

struct sync_call {
	int64_t start, end;
	uint32_t thread; /* index in the trace */
	uint32_t name;
	uint32_t owner;
	bool frees;
};

struct owed {
	struct sync_call call;
	int64_t left_ns;
	bool settled; /* all that began before its end is known */
	bool shared;  /* no other thread drove the GPU meanwhile: whoever launches next waited for it */
};

struct caller { /* a thread of the process that makes calls */
	uint32_t thread;
	int64_t last;    /* begin of its last GPU-driving call before those below; INT64_MIN: none */
	int64_t *begins; /* of those that nobody has been asked about yet */
	size_t n, room;
};

struct debt {
	struct owed *at; /* by return, as they pay: the last one first */
	size_t head, tail, room;
	struct caller *callers;
	uint32_t n_callers, callers_room;
};

struct debt_launch {
	uint32_t thread;
	int64_t begin;
};

struct debt_horizon { /* when the last DEBT_DEPTH ops of a device started */
	int64_t starts[DEBT_DEPTH];
	uint64_t n;
};

void debt_close(struct debt *debt);
/* A thread that makes calls. Its number for debt_driven(), or -ENOMEM. */
int64_t debt_caller(struct debt *debt, uint32_t thread);
/* A GPU-driving call began; those of a caller come in order. */
int debt_driven(struct debt *debt, uint32_t caller, int64_t start);
int debt_add(struct debt *debt, const struct sync_call *call);
/* Every call that began before `to` has been told. */
void debt_settle(struct debt *debt, int64_t to);
/* Calls that returned by then owe nothing any more. */
void debt_expire(struct debt *debt, int64_t until);
/* Who pays for the idle instant `at` before an op that `thread` launched: NULL when nobody
 * owes. *to is cut to where that holds. */
struct owed *debt_payer(const struct debt *debt, const struct debt_launch *launch, int64_t at,
						int64_t *to);
void debt_pay(struct debt *debt, struct owed *payer, int64_t ns);

void debt_horizon_pass(struct debt_horizon *horizon, int64_t start); /* an op of the device */
/* Nobody who launches the next op can be ahead of what started then: INT64_MIN when few did. */
int64_t debt_horizon(const struct debt_horizon *horizon);

#endif
