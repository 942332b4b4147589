/* Goes over what a scene shows and hands it out piece by piece, a process after the other. What is
 * held of a process is a few words for each op of its window. */
#ifndef EXPORT_WALK_H
#define EXPORT_WALK_H

#include "export/sink.h"

/* *crowded: slices left out because more than LANES_MOST (lanes.h) overlapped. 0 or -errno. */
int walk(const struct scene *scene, const struct walk_sink *sink, uint64_t *crowded);

#endif
