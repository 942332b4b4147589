/* The ends of optimizer steps, as a recording marks them (a range of category 7): torch.profiler has
 * a range `Optimizer.step#CLASS.step` around each. One thread. */
#ifndef IMPORT_KINETO_OPTIMIZER_H
#define IMPORT_KINETO_OPTIMIZER_H

#include <stddef.h>
#include <stdint.h>

struct trace_out;
struct optimizer_step;

struct kineto_optimizers {
	struct optimizer_step *steps;
	size_t n_steps, steps_room;
	int64_t *backward_ns; /* when nodes of backward passes began */
	size_t n_backward, backward_room;
};

/* A range of the file; those that are nothing of the kind are passed over. `thread`: an id of the
 * trace. Without memory steps are missing. */
void kineto_optimizers_range(struct kineto_optimizers *o, const char *name, size_t bytes,
							 const int64_t span[2], uint32_t thread);
/* Writes the marks. One with the domain `again` follows another one of its thread within whose step
 * it begins, or with no node of a backward pass between them (if the file has such nodes). */
void kineto_optimizers_write(struct kineto_optimizers *o, struct trace_out *out);
void kineto_optimizers_free(struct kineto_optimizers *o);

#endif
