/* Tensor parallel within groups (of a host where ranks divide that way), data parallel between
 * them: an all-reduce after each half of a layer, forward and backward, that the next kernel waits
 * for. Exposed transfer is part of this workload. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

#define REDUCE_PART 64 /* of 1024 of its half layer */

struct tensor {
	const struct model *model;
	struct worker worker;
	uint32_t tensor_comm, data_comm;
	bool replicas;
	uint16_t scatter; /* stream of the gradients */
};

static void reduce_half(const struct tensor *t, const struct pen *pen,
						const struct kernel_list *list)
{
	int64_t bytes = parts_bytes(list_ns(pen->script, list), REDUCE_PART);
	pen_collective_inline(pen, t->worker.side, t->tensor_comm, bytes, BATON_COLL_ALLREDUCE);
}

static void forward(const struct tensor *t, const struct pen *pen)
{
	const struct model *m = t->model;
	for (uint32_t i = 0; i < m->n_blocks; i++) {
		pen_launch(pen, &m->blocks[i].forward);
		if (i)
			reduce_half(t, pen, &m->blocks[i].forward);
		if (i % m->parts == 0)
			pen_point(pen, POINT_FORWARD);
	}
	pen_launch(pen, &m->loss);
}

/* Gradients of the half that is done: the second time only the rest is left to hide behind. */
static void reduce_gradients(const struct tensor *t, const struct pen *pen, uint32_t part)
{
	if (!t->replicas)
		return;
	pen_order(pen, pen->stream, t->scatter);
	pen_collective(pen, t->scatter, t->data_comm, parts_bytes(model_ns(t->model) / 3, part),
				   BATON_COLL_ALLREDUCE);
}

static void backward(const struct tensor *t, const struct pen *pen)
{
	const struct model *m = t->model;
	for (uint32_t i = m->n_blocks; i-- > 0;) {
		pen_launch(pen, &m->blocks[i].backward);
		if (i)
			reduce_half(t, pen, &m->blocks[i].backward);
		if (i % m->parts == 0)
			pen_point(pen, POINT_BACKWARD);
		if (i == m->n_blocks / 4)
			reduce_gradients(t, pen, 80);
	}
	reduce_gradients(t, pen, 4);
	if (t->replicas)
		pen_order(pen, t->scatter, pen->stream);
}

static void train(const struct tensor *t)
{
	const struct worker *w = &t->worker;
	pen_point(&w->main, POINT_STEP_BEGIN);
	pen_batch(&w->main, w, 64 << 10);
	forward(t, &w->main);
	worker_backward_begin(w);
	backward(t, &w->backward);
	worker_backward_end(w);
	pen_optimizer(&w->main, t->model);
	pen_read_loss(&w->main, w->compute);
	pen_point(&w->main, POINT_STEP_END);
}

/* Communicator g of tensors is g; after them come those of the data-parallel groups. */
static void comms(struct script *s, const struct workload_options *options, uint32_t size)
{
	uint32_t groups = options->ranks / size;
	for (uint32_t g = 0; g < groups; g++)
		parts_comm(s, options, "tensor", g * size, 1, size);
	for (uint32_t i = 0; groups > 1 && i < size; i++)
		parts_comm(s, options, "data", i, size, groups);
}

static struct script *build(const struct workload_options *options)
{
	uint32_t kernels = options->kernels ? options->kernels : 900;
	uint32_t size = parts_group(options->ranks, 8), groups = options->ranks / size;
	if (size < 2)
		return NULL; /* a prime number of ranks beyond one group */
	struct script *s = parts_script(options);
	struct model model;
	/* two all-reduces forward and two backward per layer */
	if (model_build(&model, s, &architecture_transformer, kernels - (groups > 1 ? 2 : 0), 4))
		return model_failed(&model);
	int64_t step_ns = parts_step_ns(kernels, 8, RATIO_HEALTHY);
	model_scale(&model, step_ns);
	comms(s, options, size);
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		struct tensor t = {
			&model, worker_new(s, options, rank), rank / size, groups + rank % size, groups > 1, 0};
		t.scatter = script_stream(s, t.worker.process, 0, false);
		worker_setup(&t.worker);
		worker_broadcast(&t.worker, t.tensor_comm);
		train(&t);
		forward(&t, &t.worker.eval);
		worker_loaders(&t.worker, step_ns);
	}
	model_free(&model);
	return s;
}

const struct workload workload_tensor = {
	"tensor", "tensor parallel: two all-reduces per layer, forward and backward, on the path", 2,
	build, false};
