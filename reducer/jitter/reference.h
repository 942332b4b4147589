/* The sequence of kernels that the steps of a run have in common, its positions, and how the
 * kernels of one step are put into them (docs/JITTER.md, Kernels and steps). */
#ifndef JITTER_REFERENCE_H
#define JITTER_REFERENCE_H

#include "jitter/measure.h"

struct jitter_position {
	uint32_t name; /* in the reference's names */
	enum stream_class class;
	uint32_t comm_size; /* as of the op */
};

struct reference {
	struct strings names; /* of kernels */
	struct jitter_position *at;
	uint32_t n;
	uint32_t *lane[STREAM_CLASSES]; /* the positions of each class, in order */
	uint32_t n_lane[STREAM_CLASSES];
};

/* Takes the most frequent sequence of the device's steps, of equals the first one met, among at
 * most 32 different ones. `keep`: which steps count; NULL: all. 0; 1: it has no kernels in steps;
 * or -errno. */
struct step_filter {
	bool (*keeps)(const void *of, const struct device_scan *scan, int32_t step);
	const void *of;
};
int reference_find(struct reference *reference, const struct device_context *context,
				   const struct device_scan *scan, const struct step_filter *filter);
void reference_free(struct reference *reference);

/* The names of one device's traces as names of the reference. */
struct name_map {
	uint32_t **of_feed; /* 0: not asked yet; 1: not in the reference; else 2 + name */
	uint32_t n;
};
int name_map_open(struct name_map *map, const struct device_feeds *feeds);
void name_map_close(struct name_map *map);

enum { NO_POSITION = UINT32_MAX };

struct alignment {
	uint32_t *position; /* per op; NO_POSITION: it has no counterpart */
	size_t room;
	uint32_t *lane_ops; /* scratch: the ops of a class */
	uint32_t aligned;
};
struct align_input { /* what the steps of a device are aligned by */
	const struct reference *reference;
	struct name_map *map;
	const struct device_feeds *feeds;
	uint32_t main_slot;
};
/* Fills alignment->position for all ops of the step. 0 or -ENOMEM. */
int reference_align(const struct align_input *input, const struct step_ops *ops,
					struct alignment *alignment);
void alignment_free(struct alignment *alignment);

/* May a kernel of this name close a step? Sends and receives do not bring all ranks together. */
bool reference_may_close(const char *name);

#endif
