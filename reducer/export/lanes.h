/* Slices of one thread or stream, laid into lanes so that those of a lane are nested. */
#ifndef EXPORT_LANES_H
#define EXPORT_LANES_H

#include "export/sink.h"

enum { LANES_MOST = 64 };

struct lane_open { /* a slice that has not ended */
	int64_t end_ns;
	uint64_t op_number;
};

struct lane {
	uint32_t track; /* 0: not told yet */
	struct lane_open *open;
	size_t n_open, room;
};

struct lanes {
	struct walk_track of; /* id and lane are filled as lanes are needed */
	struct lane *lane;
	uint32_t n;
};

/* Puts a slice into the first lane that has room for it, and fills slice->track and, unless it has a
 * number, slice->op_number. *next_track: the next free number of a track. 0; 1: no lane has room; or
 * -errno. */
int lanes_put(struct lanes *lanes, const struct walk_sink *sink, struct walk_slice *slice,
			  uint32_t *next_track);
/* Ends what is open, and frees the lanes. 0 or -errno. */
int lanes_close(struct lanes *lanes, const struct walk_sink *sink);

#endif
