/* The collectives of a run, matched across ranks: for each key (communicator, collective, sequence)
 * the members seen and the shortest duration (docs/ATTRIBUTION.md section 3). The scans of all
 * devices fill it; after that it is only read. Thread-safe. */
#ifndef ATTRIBUTE_COLLECTIVES_H
#define ATTRIBUTE_COLLECTIVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A member of a communicator is a process with one of its devices. */
static inline uint64_t collective_member(uint32_t process, uint32_t device)
{
	return (uint64_t)device << 32 | process;
}

struct coll_key {
	uint64_t comm; /* hash of the communicator; `ordered`: of the kernel's name */
	uint64_t sequence;
	/* where baton derives the sequence: the number of the step's marker; -1 where the source gives
	 * it */
	int64_t step_number;
	uint32_t coll;    /* enum baton_coll; `ordered`: 0 */
	uint32_t ordered; /* 1: without arguments, matched by its place in the order of ops */
};

struct coll_op {
	struct coll_key key;
	uint64_t member;
	int64_t dur_ns;
	int64_t end_ns;
	int64_t bytes; /* -1: not carried */
	uint32_t rows; /* calls grouped into it */
	uint32_t size; /* members of the communicator; 0: unknown */
};

struct coll_seen {
	struct coll_key key;
	uint32_t members;
	uint32_t rows;  /* calls grouped into it, by the first member's record */
	uint32_t size;  /* members of the communicator, recorded or not */
	bool ambiguous; /* a member has two ops with this key, or the members' `rows` differ */
	uint64_t last;  /* the member with the shortest op: it arrived last */
	int64_t min_ns, max_ns;
	int64_t first_end_ns, last_end_ns;
	int64_t sum_ns;
	int64_t bytes;
	int64_t base_ns; /* what such a collective takes when no member waits; -1: unknown */
};

struct comm_member { /* takes part in a communicator */
	uint64_t comm;   /* its hash */
	uint64_t member;
};

/* step_number of the ordered ones where steps have no numbers */
#define COLL_WHOLE_RUN ((int64_t)-2)

struct collectives;
int collectives_open(struct collectives **out); /* 0 or -ENOMEM */
void collectives_close(struct collectives *c);

/* Adds one op of a member. `again`: the member has already added an op with this key. The caller
 * tells, because it adds all ops of a member in succession. 0 or -ENOMEM. */
int collectives_add(struct collectives *c, const struct coll_op *op, bool again);
/* Call once, after the last collectives_add(). Where some collectives lack members, it sets
 * `base_ns` from the shortest collectives of the same kind. Ordered ones become ambiguous where the
 * numbers of the members or the ends of their ops say that the order does not match them. 0 or
 * -ENOMEM. */
int collectives_settle(struct collectives *c);
/* For a collective with missing members, settled, with at least two members seen: true when these
 * waited for a missing member rather than for the last one of themselves. */
bool collective_missed(const struct coll_seen *seen);
/* How long its members together took beyond from_ns each. */
int64_t collective_waited(const struct coll_seen *seen, int64_t from_ns);
const struct coll_seen *collectives_find(struct collectives *c,
										 const struct coll_key *key); /* or NULL */
/* Notes that `member` takes part in a communicator. 0 or -ENOMEM. */
int collectives_add_member(struct collectives *c, uint64_t comm, uint64_t member);
uint32_t collectives_members(struct collectives *c, uint64_t comm);

/* What the scans have told, in no order; valid until more is added. The same can be put into another
 * table, where COLL_ELSEWHERE stands for any member that is not of this run. 0 or -ENOMEM. */
#define COLL_ELSEWHERE UINT64_MAX
size_t collectives_all(const struct collectives *c, const struct coll_seen **seen);
size_t collectives_all_members(const struct collectives *c, const struct comm_member **members);
int collectives_put(struct collectives *c, const struct coll_seen *seen);
int collectives_put_members(struct collectives *c, uint64_t comm, uint32_t n);

#endif
