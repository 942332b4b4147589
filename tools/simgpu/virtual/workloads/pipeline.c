/* Pipeline parallel: consecutive ranks are the stages of one model, micro-batches go through in the
 * 1F1B order (as many forwards as stages follow, then one forward and one backward in turn, then
 * the backwards that are left); activations and their gradients are sent between neighbours,
 * grouped when both go. Waiting for neighbours at the ends of a step is part of this workload.
 * three_level has a tensor-parallel group in each stage, and pipelines side by side: collectives in
 * groups of ranks that follow each other, between stages, and between pipelines. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

#define SEND_PART 32   /* of 1024 of a micro-batch's forward */
#define TENSOR_PART 48 /* of 1024 of its half layer */

struct stage {
	const struct model *model; /* of one micro-batch on one stage */
	struct worker worker;
	uint32_t number, of, batches; /* this stage, stages, micro-batches of a step */
	uint32_t comm, data_comm;     /* of the pipeline; of the same stage in the others */
	uint32_t tensor_comm, width;  /* width 1: nothing to reduce in a stage */
	uint16_t tensor_side;         /* stream */
	bool replicas;
	uint32_t padding, pad_kernel; /* so that every stage has the same number of kernels */
	int64_t bytes;
};

/* ---- transfers: one kernel each, or one for both directions ---- */

static void transfer(const struct stage *s, int32_t peer, int32_t what)
{
	const struct pen *pen = &s->worker.main;
	if (peer < 0 || peer >= (int32_t)s->of)
		return;
	pen_order(pen, pen->stream, s->worker.side);
	pen_insn(pen, (struct insn){.kind = INSN_GROUP_BEGIN});
	for (int32_t way = SENDRECV_SEND; way <= SENDRECV_RECV; way += SENDRECV_SEND)
		if (what & way)
			pen_call(pen, (struct insn){.kind = INSN_SENDRECV,
										.a = s->worker.side,
										.b = s->comm,
										.c = s->bytes,
										.d = peer | way});
	pen_insn(pen, (struct insn){.kind = INSN_GROUP_END});
	if (what & SENDRECV_RECV)
		pen_order(pen, s->worker.side, pen->stream);
}

static void with_next(const struct stage *s, int32_t what)
{
	transfer(s, (int32_t)s->number + 1, what);
}

static void with_previous(const struct stage *s, int32_t what)
{
	transfer(s, (int32_t)s->number - 1, what);
}

/* ---- the work of one micro-batch ---- */

/* After half a layer its parts are added up. */
static void reduce_half(const struct stage *s, const struct pen *pen,
						const struct kernel_list *list)
{
	if (s->width > 1)
		pen_collective_inline(pen, s->tensor_side, s->tensor_comm,
							  parts_bytes(list_ns(pen->script, list), TENSOR_PART),
							  BATON_COLL_ALLREDUCE);
}

static void forward(const struct stage *s)
{
	const struct model *m = s->model;
	const struct pen *pen = &s->worker.main;
	for (uint32_t i = 0; i < m->n_blocks; i++) {
		pen_launch(pen, &m->blocks[i].forward);
		if (i)
			reduce_half(s, pen, &m->blocks[i].forward);
	}
	if (s->number == s->of - 1)
		pen_launch(pen, &m->loss);
	pen_point(pen, POINT_FORWARD);
}

static void backward(const struct stage *s)
{
	const struct model *m = s->model;
	worker_backward_begin(&s->worker);
	for (uint32_t i = m->n_blocks; i-- > 0;) {
		pen_launch(&s->worker.backward, &m->blocks[i].backward);
		if (i)
			reduce_half(s, &s->worker.backward, &m->blocks[i].backward);
	}
	pen_point(&s->worker.backward, POINT_BACKWARD);
	worker_backward_end(&s->worker);
}

/* ---- the schedule ---- */

static uint32_t warm_ups(const struct stage *s)
{
	uint32_t after = s->of - s->number - 1;
	return after < s->batches ? after : s->batches;
}

static void schedule(const struct stage *s)
{
	uint32_t warm = warm_ups(s), steady = s->batches - warm;
	for (uint32_t i = 0; i < warm; i++) {
		with_previous(s, SENDRECV_RECV);
		forward(s);
		with_next(s, SENDRECV_SEND);
	}
	with_previous(s, SENDRECV_RECV);
	for (uint32_t i = 0; i < steady; i++) {
		forward(s);
		with_next(s, SENDRECV_SEND | SENDRECV_RECV);
		backward(s);
		with_previous(s, i + 1 < steady ? SENDRECV_SEND | SENDRECV_RECV : SENDRECV_SEND);
	}
	for (uint32_t i = 0; i < warm; i++) {
		with_next(s, SENDRECV_RECV);
		backward(s);
		with_previous(s, SENDRECV_SEND);
	}
}

/* Kernels of the schedule's transfers, one way or both. */
static uint32_t transfers(const struct stage *s)
{
	uint32_t warm = warm_ups(s), steady = s->batches - warm;
	uint32_t next = s->number + 1 < s->of ? 2 * warm + steady : 0;
	return next + (s->number ? 2 * warm + steady + 1 : 0);
}

static void optimize(const struct stage *s)
{
	const struct pen *pen = &s->worker.main;
	if (s->replicas)
		pen_collective_inline(pen, s->worker.side, s->data_comm, 4 * s->bytes,
							  BATON_COLL_ALLREDUCE);
	pen_optimizer(pen, s->model);
	for (uint32_t i = 0; i < s->padding; i++)
		pen_call(pen, (struct insn){.kind = INSN_KERNEL, .a = pen->stream, .b = s->pad_kernel});
}

static void train(const struct stage *s, int64_t step_ns)
{
	const struct pen *pen = &s->worker.main;
	pen_point(pen, POINT_STEP_BEGIN);
	if (s->number == 0 || s->number == s->of - 1) { /* tokens, labels */
		worker_loaders(&s->worker, step_ns);
		pen_batch(pen, &s->worker, 64 << 10);
	}
	schedule(s);
	optimize(s);
	pen_read_loss(pen, pen->stream);
	pen_point(pen, POINT_STEP_END);
}

/* ---- the script ---- */

static uint32_t stage_kernels(const struct stage *s)
{
	const struct model *m = s->model;
	uint32_t pass = model_kernels(m) - m->optimizer.n - m->loss.n;
	uint32_t last = s->number == s->of - 1 ? m->loss.n : 0;
	return s->batches * (pass + last) + m->optimizer.n + transfers(s) + s->replicas;
}

/* How ranks are laid out: tensor groups of `width` ranks that follow each other, `stages` of them
 * are a pipeline, `replicas` pipelines. */
struct layout {
	uint32_t width, stages, replicas;
};

/* Pipelines first, one for each place in a tensor group; then the data-parallel groups, then the
 * tensor groups. */
static void comms(struct script *s, const struct workload_options *options, const struct layout *l)
{
	uint32_t deep = l->width * l->stages;
	for (uint32_t r = 0; r < l->replicas; r++)
		for (uint32_t t = 0; t < l->width; t++)
			parts_comm(s, options, "pipeline", r * deep + t, l->width, l->stages);
	for (uint32_t i = 0; l->replicas > 1 && i < deep; i++)
		parts_comm(s, options, "data", i, deep, l->replicas);
	for (uint32_t g = 0; l->width > 1 && g < l->stages * l->replicas; g++)
		parts_comm(s, options, "tensor", g * l->width, 1, l->width);
}

/* The part of the rank; its worker is made later. */
static struct stage stage_of(const struct layout *l, uint32_t rank)
{
	uint32_t deep = l->width * l->stages, pipelines = l->width * l->replicas;
	uint32_t data = l->replicas > 1 ? deep : 0;
	return (struct stage){.number = rank % deep / l->width,
						  .of = l->stages,
						  .batches = 2 * l->stages,
						  .comm = rank / deep * l->width + rank % l->width,
						  .data_comm = pipelines + rank % deep,
						  .tensor_comm = pipelines + data + rank / l->width,
						  .width = l->width,
						  .replicas = l->replicas > 1};
}

static struct script *pipelines_build(const struct workload_options *options,
									  const struct layout *l, uint32_t kernels)
{
	uint32_t batches = 2 * l->stages, moved = 4 * batches + 1;
	struct script *s = parts_script(options);
	struct model model;
	/* two all-reduces forward and two backward in each layer of a tensor group */
	if (model_build(&model, s, &architecture_transformer,
					kernels > moved ? (kernels - moved) / batches : 0, l->width > 1 ? 4 : 0))
		return model_failed(&model);
	int64_t step_ns = parts_step_ns(kernels, 8, RATIO_HEALTHY);
	model_scale(&model, step_ns / batches);
	comms(s, options, l);
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		struct stage stage = stage_of(l, rank);
		stage.model = &model;
		stage.worker = worker_new(s, options, rank);
		stage.pad_kernel = model.padding[0];
		stage.bytes = parts_bytes(step_ns / batches / 3, SEND_PART);
		if (l->width > 1)
			stage.tensor_side = script_stream(s, stage.worker.process, 0, false);
		stage.padding = kernels - stage_kernels(&stage);
		worker_setup(&stage.worker);
		train(&stage, step_ns);
	}
	model_free(&model);
	return s;
}

static struct script *build(const struct workload_options *options)
{
	uint32_t stages = parts_group(options->ranks, 8);
	struct layout layout = {1, stages, options->ranks / stages};
	if (stages < 2)
		return NULL; /* a prime number of ranks beyond one pipeline */
	return pipelines_build(options, &layout, options->kernels ? options->kernels : 1000);
}

const struct workload workload_pipeline = {
	"pipeline", "pipeline parallel: ranks are stages, micro-batches in the 1F1B order", 2, build,
	false};

/* Two ranks for each part of a stage; two stages, four from 16 ranks on. */
static struct script *build_three_level(const struct workload_options *options)
{
	uint32_t pairs = options->ranks / 2;
	uint32_t stages = parts_group(pairs, options->ranks < 16 && pairs % 2 == 0 ? 2 : 4);
	struct layout layout = {2, stages, pairs / stages};
	if (options->ranks % 2 || stages < 2)
		return NULL;
	return pipelines_build(options, &layout, options->kernels ? options->kernels : 1400);
}

const struct workload workload_three_level = {
	"three_level", "tensor groups in the stages of pipelines, data parallel between them", 4,
	build_three_level, false};
