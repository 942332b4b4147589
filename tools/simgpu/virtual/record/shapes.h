/* How kernels were launched, as the recorder writes it: made up, the same for all of one name. */
#ifndef SIMGPU_SHAPES_H
#define SIMGPU_SHAPES_H

#include "engine/gpu.h"

#include <baton/format.h>

/* Of an op whose name is the script's string `name`: id and head are not set. */
struct baton_r_shape shape_of(const struct gpu_op *op);
/* The columns `memory` of copies and memsets, from the direction and whether one end is pageable. */
uint8_t memory_of(const struct gpu_op *op);

#endif
