/* One step on all ranks as a page shows it: a row of cells for each GPU, or for neighbouring GPUs
 * where there are many, and the events of some processes. Times count from the begin of the step on
 * the GPU that begins first, on the clock of all hosts. */
#ifndef PAGE_STEP_VIEW_H
#define PAGE_STEP_VIEW_H

#include "base/strings.h"
#include "export/sink.h"
#include "summary/leaf.h"

enum {
	VIEW_ROWS = 64,
	VIEW_CELLS = 240,
	VIEW_PROCESSES = 8,
	/* of a process: where there are more the shortest are left out, and counted */
	VIEW_EVENTS = 40000,
	VIEW_DEPTH = 32
};

struct view_nccl {            /* what the attribution tells of an NCCL op */
	uint32_t process, device; /* indices in the run */
	int64_t start_ns, dur_ns; /* on the clock of its host */
	int64_t wait_ns;          /* of it, from its start on: until the last member began */
	uint32_t members;         /* 0: not known */
	const char *unsplit;      /* why waiting and transfer are not separated; NULL: they are */
};

struct view_event {
	int64_t start_ns, dur_ns;
	uint32_t name;                /* in the names of its kind of track; of idle time a leaf */
	uint32_t depth;               /* how many events of its track are around it */
	int64_t bytes;                /* of a collective or a copy; -1: not known */
	uint64_t flow;                /* its launch's: the call and its work have the same; 0: none */
	const struct view_nccl *nccl; /* NULL: it is no collective, or not of the step */
};

struct view_track {
	enum walk_track_kind kind; /* TRACK_IDLE, TRACK_STREAM or TRACK_THREAD */
	char name[160];
	struct view_event *at; /* in order of start */
	size_t n, room;
	uint64_t left;   /* events that were left out */
	int64_t left_ns; /* their time */
};

struct view_process { /* shown event by event */
	uint32_t process; /* index in the run */
	int32_t rank;     /* -1: not known */
	int64_t pid;
	const char *host;
	const char *
		why; /* "longest", "shortest", "middle", "most" (loses most by a finding), a finding's name, "" */
	struct view_track *tracks;
	size_t n_tracks, n_events;
};

struct view_row {
	uint32_t from, n;            /* neighbours in step_view.order */
	uint32_t longest;            /* the device whose step is the longest of them */
	int64_t window_ns;           /* sums of its devices */
	int64_t idle_ns[LEAF_COUNT]; /* only leaves of idle time */
	int64_t (*cells)[LEAF_COUNT];
};

struct view_device { /* by its index in the run */
	int64_t from_ns, to_ns;
	uint32_t row; /* UINT32_MAX: it has no such step */
};

struct view_names {
	struct strings pool;
	uint8_t *leaf; /* by id: what work of this name counts as */
	size_t room;
};

struct step_view {
	const char *why;   /* as of a step_pick */
	uint64_t findings; /* likewise */
	int64_t number;    /* of its marker, else its place from 0 */
	int64_t origin_ns; /* where its times count from, on the scene's timeline */
	int64_t to_ns;     /* the end of the step where it ends last */
	int64_t cell_ns;
	uint32_t *order; /* devices that have the step, by rank */
	uint32_t n_order;
	struct view_device *devices;
	struct view_row *rows;
	uint32_t n_rows;
	struct view_process processes[VIEW_PROCESSES];
	uint32_t n_processes;
	struct view_nccl *nccl; /* in order of process, device, start */
	size_t n_nccl;
	uint64_t crowded; /* events without a place */
};

void step_view_free(struct step_view *view);
/* Adds time of a device to the cells of its row. */
void step_view_fill(struct step_view *view, uint32_t device, enum leaf leaf, int64_t from_ns,
					int64_t to_ns);
/* Leaves out the shortest events of a process until there are at most `most`. 0 or -ENOMEM. */
int step_view_trim(struct view_process *process, size_t most);
/* Adds an event to a track. 0 or -ENOMEM. */
int step_view_add(struct view_process *process, size_t track, const struct view_event *event);

#endif
