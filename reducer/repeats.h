/* The runs of one job that one side of a comparison is: an operand, or the list of --base and
 * --run. */
#ifndef REPEATS_H
#define REPEATS_H

#include "conclude/side.h"
#include "summary/reduction.h"

struct repeats {
	const char *name; /* as the user gave it */
	struct reduction *reductions;
	const struct summary **summaries;
	size_t n;
	struct side side;
};

/* One run: the directories of its nodes, joined by commas. */
int repeats_of_operand(const char *operand, const struct reduce_options *how, struct repeats *out);
/* Several runs, separated by commas; the directories of the nodes of one are joined by '+'. They must
 * have done the same work (`chosen`: as for work_find_other()). */
int repeats_of_list(const char *list, const struct reduce_options *how, bool chosen,
					struct repeats *out);
/* Both return an enum status and say what is wrong; with STATUS_OK and STATUS_PARTIAL `out` is
 * filled. */
void repeats_close(struct repeats *repeats);

#endif
