/* The correlations of one process's ops in the window: whose call was seen, and which collective the
 * op carries out. Flows are numbered by them. */
#ifndef EXPORT_LAUNCHES_H
#define EXPORT_LAUNCHES_H

#include "export/sink.h"

struct launch {
	uint64_t correlation;
	struct walk_place call; /* track 0: not seen */
	uint64_t op_number;
	uint64_t meeting; /* the collective's flow; 0: none */
	size_t coll;      /* 1 + index of its row; 0: none */
};

struct launches {
	struct launch *at; /* by correlation, each once */
	size_t n, room;
	struct walk_row *colls; /* the first row of each op that has some */
	size_t n_colls, colls_room;
	uint64_t first_flow; /* the flow of at[0]; the others follow */
};

/* Reads ops and collectives of a process's window. 0 or -errno. */
int launches_read(struct launches *launches, struct trace *trace, int64_t from_ns, int64_t to_ns);
void launches_free(struct launches *launches);
/* NULL: no op has this correlation. */
struct launch *launches_find(const struct launches *launches, uint64_t correlation);

#endif
