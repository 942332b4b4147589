/* From a call to an op on the device: submitted now, or kept as a node of the graph that the stream
 * is being captured into. With the engine's lock held. */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_SUBMIT_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_SUBMIT_H

#include "doubles/driver/stream/op.h"

/* May wait for a place in the device's queue. `op` may be NULL. 0 or the CUresult. */
int submit(struct stream *stream, const struct plan *plan, struct gpu_op **op);
/* An op that simgpu_end_external() ends. NULL when the stream is being captured. */
struct sim_external_op *submit_external(struct stream *stream, const struct plan *plan);

#endif
