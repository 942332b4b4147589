/* The N worst gaps of a run, with their proof. */
#ifndef ATTRIBUTE_WORST_GAPS_H
#define ATTRIBUTE_WORST_GAPS_H

#include "attribute/device_open.h"
#include "attribute/owner_places.h"

struct worst_gaps {
	uint32_t room;    /* how many to keep; 0: none */
	const char *leaf; /* only time in leaves of this prefix counts; NULL: all */
	const char *device;
	struct reduction *reduction;
};

/* Keeps the gap just explained when it is among the worst. 0 or -ENOMEM. */
int worst_gaps_consider(struct worst_gaps *worst, const struct gap *gap,
						const struct pieces *pieces, const struct owners *owners,
						const struct device_feeds *ds, const struct device_scan *scan);

/* Names the lines of the device's gaps, when all of them are known. 0 or -errno. */
int worst_gaps_lines(struct worst_gaps *worst, struct owner_places *places);

/* The time of a proof that counts under `leaf` (NULL: all of it). */
int64_t gap_proof_weight(const struct gap_proof *proof, const char *leaf);
/* The order of the worst: more time, then by device, then the earlier. Total, so that threads
 * change nothing. */
bool gap_proof_worse(const struct gap_proof *a, const struct gap_proof *b, const char *leaf);

#endif
