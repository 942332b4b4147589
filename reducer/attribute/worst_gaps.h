/* The N worst gaps of a run, each with its proof. */
#ifndef ATTRIBUTE_WORST_GAPS_H
#define ATTRIBUTE_WORST_GAPS_H

#include "attribute/device_open.h"
#include "attribute/owner_places.h"

struct worst_gaps {
	uint32_t room;    /* how many to keep */
	const char *leaf; /* only time in leaves under this prefix counts; NULL: all time */
	const char *device;
	struct reduction *reduction;
};

/* Keeps the gap just explained if it is among the worst. 0 or -ENOMEM. */
int worst_gaps_consider(struct worst_gaps *worst, const struct gap *gap,
						const struct pieces *pieces, const struct owners *owners,
						const struct device_feeds *ds, const struct device_scan *scan);

/* Fills in the lines of code of the device's gaps, after all owners are known. 0 or -errno. */
int worst_gaps_lines(struct worst_gaps *worst, struct owner_places *places);

/* The time of a gap in leaves under `leaf` (NULL: all of it), in ns. */
int64_t gap_proof_weight(const struct gap_proof *proof, const char *leaf);
/* Is gap a worse than gap b? More time first, then by device, then the earlier one. This is a total
 * order, so the result does not depend on how threads are scheduled. */
bool gap_proof_worse(const struct gap_proof *a, const struct gap_proof *b, const char *leaf);

#endif
