/* One pass of the scan over a device's ops. */
#ifndef ATTRIBUTE_SCAN_PASS_H
#define ATTRIBUTE_SCAN_PASS_H

#include "attribute/scanning.h"

/* 0 or -ENOMEM. Call scan_pass_close() also after an error. */
int scan_pass_open(struct scanning *s);
void scan_pass_close(struct scanning *s);

/* Makes the whole pass; first forgets what an earlier pass gathered. 0 or -errno. */
int scan_pass_whole(struct scanning *s);
/* The same before the steps are known. s->log gets the kernel launches of process `feed`, from
 * which they are found: with `periods` no more of them than a window has, else (NULL) all. Once
 * they are found, and if s->log.whole, scan_pass_steps() puts the logged ops into their steps. 0 or
 * -errno; -EAGAIN: windows do not do. */
int scan_pass_log(struct scanning *s, uint32_t feed, struct period_memo *periods);
int scan_pass_steps(struct scanning *s);
/* A pass that only calls `visit` for every gap. 0 or -errno. */
int scan_pass_gaps(struct scanning *s, int (*visit)(struct scanning *, const struct gap *));

/* A pass that only counts. *launches: by thread of the process `feed`, kernels and whole graphs that it
 * launched on the device; the caller frees it. 0 or -errno. */
int scan_pass_count(struct scanning *s, uint32_t feed, uint64_t **launches);

/* A launch that begins after its op's start is found by reading further ahead, and only a pass
 * shows how far. Returns true when this pass learned a longer distance, so another pass is
 * needed. */
bool scan_pass_learned(struct device_feeds *ds);

#endif
