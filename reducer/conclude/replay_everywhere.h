/* What causes of all ranks cost, as the replay found it (docs/GRAPH.md): such a cause makes ranks
 * late by turns, so others wait, and have no work left to hide transfers under. Pure. */
#ifndef CONCLUDE_REPLAY_EVERYWHERE_H
#define CONCLUDE_REPLAY_EVERYWHERE_H

#include "conclude/gain_reference.h"
#include "conclude/stragglers.h"

struct everywhere {         /* by finding_id; ns per step, means of the devices */
	bool known[LOSS_KINDS]; /* the replay says what a step without it wins: */
	int64_t gain_ns[LOSS_KINDS];
	int64_t low_ns[LOSS_KINDS], high_ns[LOSS_KINDS]; /* the gain lies between these */
	int64_t alone_ns[LOSS_KINDS];                    /* when nothing before it is cured; -1 */
	enum gain_reference reference[LOSS_KINDS];
	int64_t rank_ns[LOSS_KINDS];   /* replay_rank_ns() of the first such culprit */
	int64_t others_ns[LOSS_KINDS]; /* what it has of NCCL's time, beside its own leaves' */
	int64_t taken_ns[LOSS_KINDS];  /* NCCL's kinds and host_code: what other kinds have of theirs */
	int64_t code_ns;               /* what `framework` has of host_code's: of an unsteady host */
};

void everywhere_find(const struct summary *summary, const struct figures *figures,
					 const struct stragglers *late, struct everywhere *out);

/* A kind's own time, less what late ranks have of it. */
int64_t everywhere_own(const struct figures *figures, const struct stragglers *late,
					   const struct finding_kind *kind);

#endif
