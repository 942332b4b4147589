/* Who and what costs most: of all causes the one whose cure wins most time with the least change,
 * then the next one on the cured graph (docs/GRAPH.md, "The culprit"). */
#ifndef GRAPH_CULPRIT_H
#define GRAPH_CULPRIT_H

#include "conclude/replay_late.h"
#include "graph/suspects.h"

enum {
	CULPRITS_MOST = REPLAY_CULPRITS_MOST, /* choices: then nothing more is searched */
	CULPRITS_ROOM = CULPRITS_MOST * TOGETHER_MOST
};

struct culprits {
	struct culprit at[CULPRITS_ROOM];
	uint32_t n;
	uint32_t choices; /* those that were found together are one */
	bool one;         /* the last one was found by itself, not with others like it */
	int64_t step_ns;  /* as measured */
	/* what no transfer and no copy at all would win, once they are cured; at least 0 */
	int64_t transfer_ns, copies_ns;
	int64_t transfer_alone_ns; /* the same of transfers while nothing is cured */
	int64_t unexplained_ns;    /* per step, on the critical path */
};

/* 0 or -ENOMEM. */
int culprits_find(struct causes *causes, struct culprits *out);
/* What the critical path has per step that nothing explains. 0 or -ENOMEM. */
int culprits_unexplained(struct causes *causes, int64_t *ns);

#endif
