/* What `baton top` shows of a run at one moment: a row for each GPU, and for each process that uses
 * none yet. It holds no pointers, because it is made in another process than the one that shows
 * it. */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include "conclude/figures.h"
#include "summary/reduction.h"
#include "top/place.h"
#include "top/state.h"

struct run;

enum top_reading { TOP_MHZ, TOP_WATTS, TOP_CELSIUS, TOP_MEMORY_MB, TOP_SLOWED, TOP_READINGS };

struct top_row {
	char gpu[96]; /* the device's key; "": a process without one */
	char host[64];
	int32_t rank; /* -1: not known */
	enum top_state state;
	int64_t pid;
	int64_t
		quiet_ns; /* for how long it has been silent, or its GPU has ended no work; -1: not known */
	int64_t worked_ns; /* when its last op ended; 0: it has none */
	uint64_t lost;     /* records for which the recorder had no room */
	bool measured;     /* what follows is known */
	bool slowest;      /* the others wait for it longest, or its steps are by far the longest */
	int64_t steps, step_ns, window_ns;
	int64_t late_ns; /* how long the others wait for it, per step */
	int64_t time_ns[LEAF_COUNT];
	int64_t launches;
	struct top_place place;
	int64_t readings[TOP_READINGS]; /* means; slowed in percent; -1: not sampled */
};

struct top_view {
	int64_t at_ns;     /* CLOCK_REALTIME */
	int64_t took_ns;   /* to read and reduce */
	int64_t last_ns;   /* the rows are of so much time before the newest op; 0: of all */
	int64_t worked_ns; /* when the newest op ended; 0: there is none */
	bool reduced;      /* else `message` says why not */
	bool whole;        /* the run is no longer than last_ns */
	int32_t status;    /* enum status */
	int32_t world_size;
	uint32_t hosts, missing_ranks;
	int32_t first_missing;
	uint64_t launches, lost;
	int64_t tool_ns; /* baton's own cost, per launch; -1: not known */
	struct figures figures;
	char gpu[64];
	char answer[640];  /* the one sentence: the largest cause; "": nothing was reduced */
	char message[400]; /* what was said while it was made; "": nothing */
	uint32_t n_rows;
	struct top_row rows[]; /* by rank, then key */
};

/* A view with the rows of an open run, without their figures; `now_ns`: CLOCK_REALTIME. NULL: no
 * memory. The caller frees it with free(). */
struct top_view *top_view_open(const struct run *run, int64_t now_ns);
/* One without rows, for a run that cannot be opened. */
struct top_view *top_view_empty(int64_t now_ns);
/* Adds the figures. `dir` stands in the sentence. 0 or -ENOMEM. */
int top_view_take(struct top_view *view, const struct reduction *reduction, char *const *dir);
size_t top_view_bytes(const struct top_view *view);

/* With few steps in it, a view of more of the run says more: it is widened up to so many times. */
enum { TOP_MOST_WIDER = 32 };
bool top_view_is_narrow(const struct top_view *view);
/* Has every process ended, or was it killed? */
bool top_view_over(const struct top_view *view);
/* Shares of a row's time, in percent; 0 where it was not measured. */
double top_row_percent(const struct top_row *row, uint64_t leaves);
/* The largest leaf of idle time; LEAF_COUNT: there is none. */
enum leaf top_row_idle(const struct top_row *row);

#endif
