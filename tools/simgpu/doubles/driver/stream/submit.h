/* From a call to an op on the device: a plan says what shall run; submitted now, or kept as a node
 * of the graph that the stream is being captured into. */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_SUBMIT_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_SUBMIT_H

#include "doubles/external.h"
#include "doubles/driver/stream/stream.h"

struct move { /* bytes of a copy or a memset */
	void *target;
	const void *source; /* NULL: memset */
	size_t width, height, target_pitch, source_pitch;
	uint32_t value, element; /* memset: 1, 2 or 4 bytes each */
};

struct plan {
	enum gpu_op_kind kind;
	enum gpu_engine engine;
	uint16_t share;
	int64_t dur_ns;
	struct sim_record record;
	struct move move;
	void (*host)(void *data);
	void *data;
	const struct sim_external *external;
	const struct formula *formula; /* of a kernel that has one, */
	void **arguments;              /* good for the launch only */
};

void submit_open(struct context *context);
/* Lock held; may wait for a place in the device's queue. A launch counts for the thread. */
int submit(struct stream *stream, const struct plan *plan, struct gpu_op **op);
/* Lock held: waits until the device's queue has a place, and the observer keeps up. */
void submit_wait_for_place(struct context *context);
/* Lock held: an op of the stream out of a plan, not yet submitted. */
struct gpu_op *submit_op(struct stream *stream, const struct plan *plan);
/* Lock held: an op without time or record, submitted: it ends when all before it has ended (and
 * `after`, when not NULL), and not before the call reaches the device if `travels`. */
struct gpu_op *submit_mark(struct stream *stream, struct gpu_op *after, bool travels);
/* Lock held: ends an op whose end comes from outside, at end_ns, now or later. */
void submit_finish(struct gpu_op *op, int64_t end_ns);
/* Lock held: an op that simgpu_end_external() ends. NULL when the stream is being captured. */
struct sim_external_op *submit_external(struct stream *stream, const struct plan *plan);
/* Lock held: must bytes wait for their op? They do while something that writes memory in its own
 * time is ahead: a collective, a host function, bytes that wait themselves. */
bool submit_moves_later(void);
/* Lock held, right after submit: the bytes move when the op ends. `staged`: the source is the
 * caller's again when the call returns. */
void submit_move_later(struct gpu_op *op, const struct move *move, bool staged);
/* Moves the bytes now. */
void submit_move(const struct move *move);

#endif
