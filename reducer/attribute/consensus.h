/* Steps by periodicity on which the devices of a run agree (docs/ATTRIBUTION.md section 2). */
#ifndef ATTRIBUTE_CONSENSUS_H
#define ATTRIBUTE_CONSENSUS_H

#include "attribute/device.h"

/* Have all devices that launch much found steps by periodicity, and do they not agree on how many, or
 * is the usual one not sure of them? */
bool consensus_needed(const struct device_scan *scans, size_t n);
/* What the launches of a scanned device would make steps. 0 or -errno. */
int consensus_propose(const struct device_context *context, const struct device_scan *scan,
					  struct proposals *proposals);
/* given[i]: the steps that device i is to have; without begins none. `proposals` are by device. */
void consensus_choose(const struct device_scan *scans, size_t n, const struct proposals *proposals,
					  struct proposal *given);

#endif
