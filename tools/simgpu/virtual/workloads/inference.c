/* Decoding, token by token: no steps are marked; each pass copies ids in, runs the layers, and
 * waits for the token it sampled. Ranks serve alone. */
#include "virtual/workloads/parts.h"

static void decode(const struct worker *w, const struct model *m)
{
	const struct pen *pen = &w->main;
	pen_point(pen, POINT_STEP_BEGIN);
	pen_point(pen, POINT_INPUT);
	pen_call(pen, (struct insn){.kind = INSN_COPY, .a = w->side, .b = COPY_HTOD_PINNED, .c = 2048});
	pen_order(pen, w->side, w->compute);
	pen_forward(pen, m);
	pen_order(pen, w->compute, w->side);
	pen_call(pen, (struct insn){.kind = INSN_COPY, .a = w->side, .b = COPY_DTOH_PINNED, .c = 256});
	pen_insn(pen, (struct insn){.kind = INSN_SYNC_STREAM, .a = w->side});
	pen_point(pen, POINT_STEP_END);
}

static struct script *build(const struct workload_options *options)
{
	uint32_t kernels = options->kernels ? options->kernels : 400;
	struct script *s = parts_script(options);
	struct model model;
	if (model_build(&model, s, &architecture_decode, kernels, 0))
		return model_failed(&model);
	/* all of it is launched from Python: 3/2 of the mean that parts_step_ns() takes */
	model_scale(&model, parts_step_ns(kernels, 2, RATIO_HEALTHY * 3 / 2));
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		struct worker w = worker_new(s, options, rank);
		s->processes[w.process].threads[0].marks = false;
		worker_setup(&w);
		decode(&w, &model);
	}
	model_free(&model);
	return s;
}

const struct workload workload_inference = {
	"inference", "decoding token by token, no steps marked, one wait per token", 1, build, false};
