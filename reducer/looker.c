#include "looker.h"

#include "base/diag.h"
#include "reduce.h"

#include <time.h>

struct look {
	int64_t now_ns;
	struct top_view *view;
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void opened(const struct run *run, void *context)
{
	struct look *look = context;
	look->view = top_view_open(run, look->now_ns);
}

struct top_view *looker_look(void *of, int64_t last_ns)
{
	const struct looker *looker = of;
	struct look look = {.now_ns = clock_ns(CLOCK_REALTIME)};
	struct reduce_options how = looker->how;
	struct reduction reduction;
	const int64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	how.no_replay = how.only_read = true;
	how.store = false;
	how.threads = 1;
	how.last_ns = last_ns;
	how.opened = opened;
	how.opened_context = &look;
	const int status = reduce_run(looker->dirs, looker->n_dirs, &how, &reduction);
	if (!look.view)
		look.view = top_view_empty(look.now_ns);
	if (!look.view)
		return NULL;
	look.view->last_ns = last_ns;
	look.view->status = status;
	if (status == STATUS_OK || status == STATUS_PARTIAL) {
		if (top_view_take(look.view, &reduction, looker->dirs) != 0)
			look.view->status = STATUS_INPUT;
		reduction_free(&reduction);
	}
	look.view->took_ns = clock_ns(CLOCK_MONOTONIC) - begin_ns;
	return look.view;
}
