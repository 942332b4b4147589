/* Sends and receives of one communicator on their way to meetings. */
#ifndef GRAPH_PAIRING_H
#define GRAPH_PAIRING_H

#include "graph/model.h"

#include <stdbool.h>

enum { PAIRING_OVERLAP_NS = -2000 }; /* so much kernels may miss each other and still have met */

struct meeting {     /* one of a member's */
	uint32_t member; /* of the sorted ones */
	uint32_t node;
	int64_t latest_ns; /* when both were there */
	int64_t ns;        /* from then to the member's end */
};

struct pairing {
	struct model *model;
	struct member **m; /* by rank and begin */
	size_t n;
	uint32_t *left; /* by member: meetings that it has still to have */
	uint32_t *met;
	struct meeting *meetings;
	size_t n_meetings, room;
};

int64_t pairing_overlap_ns(const struct member *a, const struct member *b);
/* The members a and b meet. 0 or -ENOMEM. */
int pairing_meet(struct pairing *p, uint32_t a, uint32_t b);
/* Those whose peers are recorded meet: a rank's sends to another one and that one's receives from it
 * in their order, where the two kernels ran at the same time. 0 or -ENOMEM. */
int pairing_by_peers(struct pairing *p);

/* Kernels that send to all ranks and receive from all of them meet as a collective does. 0 or
 * -ENOMEM. */
int pairing_all_to_all(struct pairing *p);

#endif
