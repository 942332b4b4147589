/* Mixture of experts: tokens go to their experts and back (all-to-all) in every layer, forward and
 * backward; the dense gradients are reduced over all ranks beside the backward. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

#define EXCHANGE_PART 64 /* of 1024 of the experts' time */

struct moe {
	const struct model *model;
	struct worker worker;
	uint32_t experts, world; /* communicators */
	uint16_t gradients;      /* stream */
};

static void exchange(const struct moe *moe, const struct pen *pen,
					 const struct kernel_list *experts)
{
	int64_t bytes = 2 * parts_bytes(list_ns(pen->script, experts), EXCHANGE_PART);
	pen_collective_inline(pen, moe->worker.side, moe->experts, bytes, BATON_COLL_ALLTOALL);
}

/* The second part of a layer is the experts. */
static void experts(const struct moe *moe, const struct pen *pen, const struct kernel_list *list)
{
	exchange(moe, pen, list);
	pen_launch(pen, list);
	exchange(moe, pen, list);
}

static void forward(const struct moe *moe, const struct pen *pen)
{
	const struct model *m = moe->model;
	pen_launch(pen, &m->blocks[0].forward);
	for (uint32_t i = 1; i < m->n_blocks; i += 2) {
		pen_launch(pen, &m->blocks[i].forward);
		experts(moe, pen, &m->blocks[i + 1].forward);
		pen_point(pen, POINT_FORWARD);
	}
	pen_launch(pen, &m->loss);
}

static void reduce(const struct moe *moe, const struct pen *pen, uint32_t part)
{
	pen_order(pen, pen->stream, moe->gradients);
	pen_collective(pen, moe->gradients, moe->world, parts_bytes(model_ns(moe->model) / 3, part),
				   BATON_COLL_ALLREDUCE);
}

static void backward(const struct moe *moe, const struct pen *pen)
{
	const struct model *m = moe->model;
	uint32_t layers = model_layers(m), half = 1 + 2 * (layers > 1 ? layers / 2 : 1);
	for (uint32_t i = m->n_blocks; i > 2; i -= 2) {
		experts(moe, pen, &m->blocks[i - 1].backward);
		pen_launch(pen, &m->blocks[i - 2].backward);
		pen_point(pen, POINT_BACKWARD);
		if (i == half)
			reduce(moe, pen, 64);
	}
	pen_launch(pen, &m->blocks[0].backward);
	reduce(moe, pen, 4);
	pen_order(pen, moe->gradients, pen->stream);
}

static void train(const struct moe *moe)
{
	const struct worker *w = &moe->worker;
	pen_point(&w->main, POINT_STEP_BEGIN);
	pen_batch(&w->main, w, 64 << 10);
	forward(moe, &w->main);
	worker_backward_begin(w);
	backward(moe, &w->backward);
	worker_backward_end(w);
	pen_optimizer(&w->main, moe->model);
	pen_read_loss(&w->main, w->compute);
	pen_point(&w->main, POINT_STEP_END);
}

static struct script *build(const struct workload_options *options)
{
	uint32_t kernels = options->kernels ? options->kernels : 900;
	uint32_t size = parts_group(options->ranks, 8), groups = options->ranks / size;
	if (size < 2)
		return NULL; /* a prime number of ranks beyond one group */
	struct script *s = parts_script(options);
	struct model model;
	if (model_build(&model, s, &architecture_transformer, kernels - 2, 4))
		return model_failed(&model);
	int64_t step_ns = parts_step_ns(kernels, 8, RATIO_HEALTHY);
	model_scale(&model, step_ns);
	for (uint32_t g = 0; g < groups; g++)
		parts_comm(s, options, "experts", g * size, 1, size);
	uint32_t world = parts_comm(s, options, "default_pg", 0, 1, options->ranks);
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		struct moe moe = {&model, worker_new(s, options, rank), rank / size, world, 0};
		moe.gradients = script_stream(s, moe.worker.process, 0, false);
		worker_setup(&moe.worker);
		worker_broadcast(&moe.worker, world);
		train(&moe);
		forward(&moe, &moe.worker.eval);
		worker_loaders(&moe.worker, step_ns);
	}
	model_free(&model);
	return s;
}

const struct workload workload_moe = {
	"moe", "mixture of experts: all-to-all before and after the experts of every layer", 2, build,
	false};
