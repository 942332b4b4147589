/* The collectives of a run over all its processes: per key (communicator, collective, sequence) the
 * members seen and the shortest duration (docs/ATTRIBUTION.md section 3). Filled by the scans of
 * all devices, then only read. Thread-safe. */
#ifndef ATTRIBUTE_COLLECTIVES_H
#define ATTRIBUTE_COLLECTIVES_H

#include <stdbool.h>
#include <stdint.h>

struct coll_key {
	uint64_t comm; /* its hash */
	uint64_t sequence;
	int64_t step_number; /* derived sequences: the marker's number; -1 when the source gave the
							sequence */
	uint32_t coll;       /* enum baton_coll */
	uint32_t zero;
};

struct coll_seen {
	struct coll_key key;
	uint32_t members; /* processes */
	uint32_t rows;    /* calls grouped into it, as the first member says */
	bool ambiguous;   /* a process has two ops with this key, or members disagree on `rows` */
	uint32_t last;    /* process of the shortest op: it arrived last */
	int64_t min_ns;
	int64_t sum_ns;
};

struct collectives;
int collectives_open(struct collectives **out); /* 0 or -ENOMEM */
void collectives_close(struct collectives *c);

/* One op of `process` with this key. 0 or -ENOMEM. */
int collectives_add(struct collectives *c, const struct coll_key *key, uint32_t process,
					int64_t dur_ns, uint32_t rows);
const struct coll_seen *collectives_find(struct collectives *c,
										 const struct coll_key *key); /* or NULL */
/* `process` has ops of this communicator. 0 or -ENOMEM. */
int collectives_add_member(struct collectives *c, uint64_t comm, uint32_t process);
uint32_t collectives_members(struct collectives *c, uint64_t comm);

#endif
