/* Replays the steps of a timeline with the operations' own lengths, or with ideal ones for some of
 * them. An operation's own length is its duration; that of the member of a join is what is left
 * after the last member has begun. What no operation accounts for (gaps in which the CPU had not
 * launched yet) is not replayed. */
#ifndef TIMELINE_OP_REPLAY_H
#define TIMELINE_OP_REPLAY_H

#include "timeline/schedule.h"

struct op_replay {
	const struct timeline *timeline;
	const struct schedule *schedule;
	int64_t *own_ns; /* [(step * n_ops + op) * n_dp + dp] */
	int64_t ideal_ns[OP_KINDS];
	int64_t *length_ns, *end_ns; /* of the step that is replayed: [op * lanes + lane] */
	int64_t *began_ns;           /* [lane] */
};

/* 0 or -ENOMEM. Both arguments have to outlive the replay. */
int op_replay_open(const struct timeline *timeline, const struct schedule *schedule,
				   struct op_replay *replay);
void op_replay_close(struct op_replay *replay);

/* Which operations keep their own length; all others have the ideal one. */
struct keep {
	bool (*op)(const void *context, const struct op_row *row, uint32_t dp);
	const void *context;
};

/* The length of a step: from its begin to the end of the last optimizer (where there is none, of
 * the last operation). */
int64_t op_replay_step(struct op_replay *replay, uint32_t step, const struct keep *keep);

/* The same when only operations of data-parallel rank number `dp` may keep their length. */
int64_t op_replay_step_of(struct op_replay *replay, uint32_t step, uint32_t dp);

int64_t op_replay_ideal(struct op_replay *replay);

#endif
