/* Ops of the driver: a plan says what shall run, an op of the engine runs it, and when it has ended
 * its bytes move, its counts go up and its record goes to the observer. All with the engine's lock
 * held, but for op_move(). */
#ifndef SIMGPU_DOUBLES_DRIVER_STREAM_OP_H
#define SIMGPU_DOUBLES_DRIVER_STREAM_OP_H

#include "doubles/driver/stream/stream.h"
#include "doubles/external.h"

struct computed;
struct formula;

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

/* What a GPU tells the driver. */
extern const struct gpu_hooks op_hooks;

/* Waits until the device's queue has a place, and the observer keeps up. */
void op_wait_for_place(struct context *context);
/* An op of the stream out of a plan, not yet submitted. */
struct gpu_op *op_new(struct stream *stream, const struct plan *plan);
/* An op without time or record, submitted: it ends when all before it has ended (and `after`, when
 * not NULL), and not before the call reaches the device if `travels`. */
struct gpu_op *op_mark(struct stream *stream, struct gpu_op *after, bool travels);
/* What simgpu_end_external() takes, of an op whose plan is external. */
struct sim_external_op *op_external(const struct gpu_op *op);

/* Must bytes wait for their op? They do while something that writes memory in its own time is
 * ahead: a collective, a host function, bytes that wait themselves. */
bool op_moves_later(void);
/* The bytes move when the op ends. `staged`: the source is the caller's again when the call
 * returns. */
void op_move_later(struct gpu_op *op, const struct move *move, bool staged);
/* Moves the bytes now. */
void op_move(const struct move *move);
/* Works the kernel's values out, at once or when the op ends (op_moves_later), and frees them. */
void op_compute(struct gpu_op *op, struct computed *computed);

#endif
