/* Pipeline parallel: consecutive ranks are the stages of one model, micro-batches go through in the
 * 1F1B order (as many forwards as stages follow, then one forward and one backward in turn, then
 * the backwards that are left); activations and their gradients are sent between neighbours,
 * grouped when both go. Waiting for neighbours at the ends of a step is part of this workload. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

#define SEND_PART 32 /* of 1024 of a micro-batch's forward */

struct stage {
	const struct model *model; /* of one micro-batch on one stage */
	struct worker worker;
	uint32_t number, of, batches; /* this stage, stages, micro-batches of a step */
	uint32_t comm, data_comm;     /* of the pipeline; of the same stage in the others */
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

static void forward(const struct stage *s)
{
	const struct model *m = s->model;
	const struct pen *pen = &s->worker.main;
	for (uint32_t i = 0; i < m->n_blocks; i++)
		pen_launch(pen, &m->blocks[i].forward);
	if (s->number == s->of - 1)
		pen_launch(pen, &m->loss);
	pen_point(pen, POINT_FORWARD);
}

static void backward(const struct stage *s)
{
	const struct model *m = s->model;
	worker_backward_begin(&s->worker);
	for (uint32_t i = m->n_blocks; i-- > 0;)
		pen_launch(&s->worker.backward, &m->blocks[i].backward);
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

static void comms(struct script *s, const struct workload_options *options, uint32_t stages)
{
	uint32_t replicas = options->ranks / stages;
	for (uint32_t r = 0; r < replicas; r++)
		parts_comm(s, options, "pipeline", r * stages, 1, stages);
	for (uint32_t i = 0; replicas > 1 && i < stages; i++)
		parts_comm(s, options, "data", i, stages, replicas);
}

static struct script *build(const struct workload_options *options)
{
	uint32_t kernels = options->kernels ? options->kernels : 1000;
	uint32_t stages = parts_group(options->ranks, 8), replicas = options->ranks / stages;
	uint32_t batches = 2 * stages, moved = 4 * batches + 1;
	if (stages < 2)
		return NULL; /* a prime number of ranks beyond one pipeline */
	struct script *s = parts_script(options);
	struct model model;
	if (model_build(&model, s, &architecture_transformer,
					kernels > moved ? (kernels - moved) / batches : 0, 0))
		return model_failed(&model);
	int64_t step_ns = parts_step_ns(kernels, 8, RATIO_HEALTHY);
	model_scale(&model, step_ns / batches);
	comms(s, options, stages);
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		struct stage stage = {.model = &model,
							  .worker = worker_new(s, options, rank),
							  .number = rank % stages,
							  .of = stages,
							  .batches = batches,
							  .comm = rank / stages,
							  .data_comm = replicas + rank % stages,
							  .replicas = replicas > 1,
							  .pad_kernel = model.padding[0],
							  .bytes = parts_bytes(step_ns / batches / 3, SEND_PART)};
		stage.padding = kernels - stage_kernels(&stage);
		worker_setup(&stage.worker);
		train(&stage, step_ns);
	}
	model_free(&model);
	return s;
}

const struct workload workload_pipeline = {
	"pipeline", "pipeline parallel: ranks are stages, micro-batches in the 1F1B order", 2, build,
	false};
