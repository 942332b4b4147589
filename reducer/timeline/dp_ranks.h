/* Data-parallel ranks of files that name only ranks of the job. */
#ifndef TIMELINE_DP_RANKS_H
#define TIMELINE_DP_RANKS_H

#include "timeline/op_rows.h"

/* The ranks of a stage, in ascending order, are its data-parallel ranks from 0. Does nothing when
 * the rows have theirs. 0; -EBADMSG: some have and some do not; -ENOMEM. */
int dp_ranks_number(struct op_rows *rows, char trouble[OP_TROUBLE_BYTES]);

#endif
