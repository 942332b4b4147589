#include "doubles/driver/stream/submit.h"

#include "doubles/driver/stream/capture.h"
#include "values/known.h"
#include "values/values.h"

/* What a kernel does to memory: what its formula says, else anything. What is to be worked out, or
 * NULL. */
static struct computed *note_kernel(const struct stream *stream, const struct plan *plan)
{
	struct computed *computed =
		plan->formula ? values_read(plan->formula, plan->arguments, plan->record.grid[1]) : NULL;
	if (!computed)
		known_forget(stream->context->device);
	else if (!values_note(computed, !op_moves_later())) {
		computed_free(computed);
		computed = NULL;
	}
	return computed;
}

int submit(struct stream *stream, const struct plan *plan, struct gpu_op **op)
{
	if (stream->capture)
		return plan->external ? CUDA_CAPTURE_UNSUPPORTED : capture_add(stream, plan);
	if (stream->gpu_stream->stream_kind == STREAM_LEGACY && capture_any() &&
		stream_blocking_captured(stream->context))
		return CUDA_CAPTURE_IMPLICIT;
	op_wait_for_place(stream->context);
	struct computed *computed = plan->kind == GPU_KERNEL ? note_kernel(stream, plan) : NULL;
	struct gpu_op *made = op_new(stream, plan);
	if (computed)
		op_compute(made, computed);
	if (op)
		*op = made;
	gpu_submit(made);
	return CUDA_OK;
}

struct sim_external_op *submit_external(struct stream *stream, const struct plan *plan)
{
	struct gpu_op *op;
	return submit(stream, plan, &op) ? NULL : op_external(op);
}
