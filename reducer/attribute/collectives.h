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
	uint32_t rows; /* calls grouped into it */
};

struct coll_seen {
	struct coll_key key;
	uint32_t members;
	uint32_t rows;  /* calls grouped into it, as the first member says */
	bool ambiguous; /* a member has two ops with this key, or members disagree on `rows` */
	uint64_t last;  /* member of the shortest op: it arrived last */
	int64_t min_ns;
	int64_t sum_ns;
};

struct collectives;
int collectives_open(struct collectives **out); /* 0 or -ENOMEM */
void collectives_close(struct collectives *c);

/* One op of a member with this key, `again` when the member has told of another one: all ops of a
 * member come together, so nobody has to remember who was there. 0 or -ENOMEM. */
int collectives_add(struct collectives *c, const struct coll_op *op, bool again);
const struct coll_seen *collectives_find(struct collectives *c,
										 const struct coll_key *key); /* or NULL */
/* `member` has ops of this communicator. 0 or -ENOMEM. */
int collectives_add_member(struct collectives *c, uint64_t comm, uint64_t member);
uint32_t collectives_members(struct collectives *c, uint64_t comm);

#endif
