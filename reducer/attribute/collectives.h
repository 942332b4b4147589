/* The collectives of a run over all its members: per key (communicator, collective, sequence) the
 * members seen and the shortest duration (docs/ATTRIBUTION.md section 3). Filled by the scans of
 * all devices, then only read. Thread-safe. */
#ifndef ATTRIBUTE_COLLECTIVES_H
#define ATTRIBUTE_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

/* A member of a communicator: a process with one of its devices. */
static inline uint64_t collective_member(uint32_t process, uint32_t device)
{
	return (uint64_t)device << 32 | process;
}

struct coll_key {
	uint64_t comm; /* its hash */
	uint64_t sequence;
	int64_t step_number; /* derived sequences: the marker's number; -1 when the source gave the
							sequence */
	uint32_t coll;       /* enum baton_coll */
	uint32_t zero;
};

struct coll_op {
	struct coll_key key;
	uint64_t member;
	int64_t dur_ns;
	int64_t bytes; /* -1: not carried */
	uint32_t rows; /* calls grouped into it */
	uint32_t size; /* of its communicator; 0 unknown */
};

struct coll_seen {
	struct coll_key key;
	uint32_t members;
	uint32_t rows;  /* calls grouped into it, as the first member says */
	uint32_t size;  /* members that it has, here or not */
	bool ambiguous; /* a member has two ops with this key, or members disagree on `rows` */
	uint64_t last;  /* member of the shortest op: it arrived last */
	int64_t min_ns;
	int64_t sum_ns;
	int64_t bytes;
	int64_t base_ns; /* what one like it takes when nobody is waited for; -1 not known */
};

struct collectives;
int collectives_open(struct collectives **out); /* 0 or -ENOMEM */
void collectives_close(struct collectives *c);

/* One op of a member with this key, `again` when the member has told of another one: all ops of a
 * member come together, so nobody has to remember who was there. 0 or -ENOMEM. */
int collectives_add(struct collectives *c, const struct coll_op *op, bool again);
/* When all ops are in: tells what those with missing members take when nobody is waited for.
 * 0 or -ENOMEM. */
int collectives_settle(struct collectives *c);
/* Not all members are here; those that are waited for one that is not, rather than for the last of
 * them. Settled, of two members or more. */
bool collective_missed(const struct coll_seen *seen);
const struct coll_seen *collectives_find(struct collectives *c,
										 const struct coll_key *key); /* or NULL */
/* `member` has ops of this communicator. 0 or -ENOMEM. */
int collectives_add_member(struct collectives *c, uint64_t comm, uint64_t member);
uint32_t collectives_members(struct collectives *c, uint64_t comm);

#endif
