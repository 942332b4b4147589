/* Makes the views of `baton top` and `baton record --top`: a run is opened and its last part
 * reduced, on one core, with nothing written and nothing salvaged: the job is not to notice it. */
#ifndef LOOKER_H
#define LOOKER_H

#include "summary/reduction.h"
#include "top/view.h"

struct looker {
	char *const *dirs;
	size_t n_dirs;
	struct reduce_options how;
};

/* A top_looker (top/look.h); `looker` is a struct looker. */
struct top_view *looker_look(void *looker, int64_t last_ns);

#endif
