/* The live screen: looks at a run again and again, answers keys and signals, until somebody ends
 * it. */
#ifndef TOP_LIVE_H
#define TOP_LIVE_H

#include "top/look.h"

struct top_plan {
	char *const *dirs;
	size_t n_dirs;
	int64_t last_ns, every_ns;
	bool topology; /* shown first */
	top_looker *looker;
	void *of;
};

/* An enum status. A signal other than SIGINT ends the process by that signal. */
int top_live(const struct top_plan *plan);

#endif
