/* The walk through a run that fills a data set: what its parts share. */
#ifndef EXPORT_DATASET_WALK_H
#define EXPORT_DATASET_WALK_H

#include "export/dataset.h"
#include "export/dataset_detail.h"
#include "export/scene.h"

struct told_step { /* of a device, in order */
	int64_t begin_ns, end_ns, window_from, window_to, number;
	int32_t place;
};

struct told_steps { /* of one device */
	size_t first, n;
};

struct dataset_walk {
	const struct scene *scene;
	struct dataset set;
	struct told_step *steps; /* of all devices, one device after the other */
	size_t n_steps, steps_room;
	struct told_steps *by_device;
	int error; /* of a callback */
	/* the device at hand */
	const char *key;
	uint32_t device; /* index in the run; UINT32_MAX: none */
	uint32_t last_device;
	uint32_t process; /* whose rank and clock its gaps have */
	bool wanted;      /* a rank of it is */
	struct details details;
	char ends[2][512]; /* keys of the devices of the copy at hand */
};

/* Is a row of this step that begins at `ns` (since the origin) wanted? */
bool dataset_wants(const struct dataset_walk *w, int64_t step, int64_t ns);
/* The step of a device at a time: by the windows of its work, or by when its launches began. -1:
 * outside of the counted steps. */
int64_t dataset_step_of_work(const struct dataset_walk *w, uint32_t device, int64_t ns);
int64_t dataset_step_of_launch(const struct dataset_walk *w, uint32_t device, int64_t ns);

/* Callbacks of a reduction (summary/reduction.h): steps, gaps, work of the GPUs. */
void dataset_take_step(const struct step_place *step, void *context);
void dataset_take_idle(const struct idle_piece *piece, void *context);
void dataset_take_op(const struct op_seen *seen, void *context);
/* What is not of a device: calls, ranges, stacks; and the gauges. 0 or -errno. */
int dataset_walk_host(struct dataset_walk *w);
int dataset_walk_gauges(struct dataset_walk *w);

#endif
