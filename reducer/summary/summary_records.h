/* The records of a summary file, each checked against docs/FORMAT.md section 6 and taken into a
 * summary. */
#ifndef SUMMARY_SUMMARY_RECORDS_H
#define SUMMARY_SUMMARY_RECORDS_H

#include "summary/summary.h"
#include "summary/summary_inputs.h"

#include <baton/summary_format.h>

struct summary_loading {
	struct summary *summary;
	struct summary_inputs inputs;
	size_t n_inputs;
	uint64_t options_hash;
	unsigned part; /* type of the last record that stands for itself */
	int32_t last_rank;
	bool has_quality;
	__int128 sites_ns; /* all times of sites and stalls: whatever adds them up stays within 2^62 */
	__int128 spreads_ns, late_ns; /* likewise */
};

/* One record, in the order of the file. 0, -ESTALE, -EBADMSG, -ENOMEM. */
int summary_record(struct summary_loading *loading, const struct baton_record *record);

#endif
