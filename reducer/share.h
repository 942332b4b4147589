/* One run, reduced by a team of processes (base/team.h): each visits a share of the devices. Without
 * a team these functions do nothing and return `error`, which is this process's so far. In a team
 * each returns the error of any rank. */
#ifndef SHARE_H
#define SHARE_H

#include "attribute/device.h"
#include "steps/proposals.h"

/* Does this process visit device `i` of the run? */
bool share_has(size_t i);

/* Is this rank 0 of a team, or alone? */
bool share_is_first(void);

/* Is there no team? */
bool share_is_alone(void);

/* Is this asked of a team, and has to do with what stays in each process? Says so. */
bool share_refuses(const struct reduce_options *options);
/* Do all ranks see the same files? `status`: what run_open() returned. */
int share_run(const struct run *run, int status);
/* Rank 0 decides for all. */
int share_decision(int decision, int *decided);
/* The first enum status, by rank, that is not STATUS_OK: what one rank refuses none goes on with. */
int share_status(int status);
/* The same for 0 or -errno. */
int share_error(int error);
/* Every rank gets the scans of all devices of the run. What a rank tells is checked like a file. */
int share_scans(const struct run *run, struct device_scan *scans, int error);
int share_proposals(const struct run *run, struct proposals *proposals, int error);
/* The collectives become those of all ranks. Call before collectives_settle(). */
int share_meetings(struct device_context *context, int error);
/* Rank 0 gets the sum, and what damage the others found, and is alone from then on; the others end
 * here. */
int share_summary(struct summary *summary, struct damage_log *damage, int error);
/* A rank whose work is done ends here; rank 0 goes on alone. */
void share_leave(void);

#endif
