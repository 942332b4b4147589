/* Reads the events of the steps that a page shows. */
#ifndef PAGE_STEP_VIEWS_H
#define PAGE_STEP_VIEWS_H

#include "conclude/findings.h"
#include "page/step_cells.h"
#include "page/step_pick.h"
#include "page/step_walk.h"

struct step_views {
	struct step_subject subject;
	struct step_view at[STEP_PICKS];
	size_t n; /* the first of them are wanted most */
	struct event_names names;
	struct scene scene;
	struct step_cells cells; /* none where `opened` is false */
	bool opened;
	const char *lack; /* why there is no step; NULL: there are some */
};

/* Says nothing: what is wrong with the run was said when it was reduced. Whatever is missing,
 * views->lack says. 0 or -errno; step_views_close() either way. */
int step_views_open(struct step_views *views, const struct export_job *job,
					struct step_subject subject);
void step_views_close(struct step_views *views);

#endif
