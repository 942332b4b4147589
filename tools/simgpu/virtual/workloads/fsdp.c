/* Fully sharded data parallel: parameters of a layer are gathered on one side stream before its
 * forward and its backward, gradients reduced and scattered on another. A gather waits until the
 * layer before the last one has been freed, so that the host cannot run away with the memory. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

#define GATHER_PART 96 /* of 1024 of the time its layer computes, on one host's links */

struct fsdp {
	const struct model *model;
	struct worker worker;
	uint16_t scatter; /* stream; gathers are on the worker's side stream */
	uint32_t comm;
	int64_t bytes; /* of a layer */
	uint32_t micro_batches;
};

enum { FREED = 2 };

struct frees { /* events at the ends of the last layers of this pass */
	uint16_t events[FREED];
	uint32_t n;
};

static void gather(const struct fsdp *f, const struct pen *pen, const struct frees *frees)
{
	if (frees->n >= FREED)
		pen_insn(pen, (struct insn){.kind = INSN_WAIT,
									.a = f->worker.side,
									.b = frees->events[frees->n % FREED]});
	pen_collective(pen, f->worker.side, f->comm, f->bytes, BATON_COLL_ALLGATHER);
	pen_order(pen, f->worker.side, pen->stream);
}

static void layer_freed(const struct pen *pen, struct frees *frees)
{
	uint16_t event = script_event(pen->script, pen->process);
	pen_insn(pen, (struct insn){.kind = INSN_RECORD, .a = event, .b = pen->stream});
	frees->events[frees->n++ % FREED] = event;
}

static void forward(const struct fsdp *f, const struct pen *pen)
{
	const struct model *m = f->model;
	struct frees frees = {{0}, 0};
	pen_launch(pen, &m->blocks[0].forward);
	for (uint32_t layer = 0; layer < model_layers(m); layer++) {
		gather(f, pen, &frees);
		for (uint32_t part = 0; part < m->parts; part++)
			pen_launch(pen, &m->blocks[1 + layer * m->parts + part].forward);
		layer_freed(pen, &frees);
		pen_point(pen, POINT_FORWARD);
	}
	pen_launch(pen, &m->loss);
}

static void backward(const struct fsdp *f, const struct pen *pen)
{
	const struct model *m = f->model;
	struct frees frees = {{0}, 0};
	for (uint32_t layer = model_layers(m); layer-- > 0;) {
		gather(f, pen, &frees);
		for (uint32_t part = 0; m->recompute && part < m->parts; part++)
			pen_launch(pen, &m->blocks[1 + layer * m->parts + part].forward);
		for (uint32_t part = m->parts; part-- > 0;)
			pen_launch(pen, &m->blocks[1 + layer * m->parts + part].backward);
		layer_freed(pen, &frees);
		pen_order(pen, pen->stream, f->scatter);
		pen_collective(pen, f->scatter, f->comm, f->bytes, BATON_COLL_REDUCESCATTER);
		pen_point(pen, POINT_BACKWARD);
	}
	pen_launch(pen, &m->blocks[0].backward);
	pen_order(pen, f->scatter, pen->stream);
}

static void train(const struct fsdp *f)
{
	const struct worker *w = &f->worker;
	pen_point(&w->main, POINT_STEP_BEGIN);
	for (uint32_t i = 0; i < f->micro_batches; i++) {
		pen_batch(&w->main, w, 64 << 10);
		/* the optimizer of the step before wrote what is gathered now */
		pen_order(&w->main, w->compute, w->side);
		forward(f, &w->main);
		worker_backward_begin(w);
		backward(f, &w->backward);
		worker_backward_end(w);
	}
	pen_optimizer(&w->main, f->model);
	pen_read_loss(&w->main, w->compute);
	pen_point(&w->main, POINT_STEP_END);
}

static struct script *build(const struct workload_options *options)
{
	uint32_t kernels = options->kernels ? options->kernels : 900;
	struct script *s = parts_script(options);
	struct model model;
	if (model_build(&model, s, &architecture_transformer, kernels, 3))
		return model_failed(&model);
	int64_t step_ns = parts_step_ns(kernels, 8, RATIO_HEALTHY);
	model_scale(&model, step_ns);
	model.recompute = options->recompute;
	struct fsdp f = {.model = &model,
					 .comm = parts_comm(s, options, "fsdp", 0, 1, options->ranks),
					 .micro_batches = options->accumulate ? options->accumulate : 1};
	/* a layer's forward is a third of what it computes; a gather moves half of an all-reduce */
	f.bytes = 2 * parts_bytes(step_ns / model_layers(&model) / 3, GATHER_PART);
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		f.worker = worker_new(s, options, rank);
		f.scatter = script_stream(s, f.worker.process, 0, false);
		worker_setup(&f.worker);
		worker_broadcast(&f.worker, f.comm);
		train(&f);
		forward(&f, &f.worker.eval);
		worker_loaders(&f.worker, step_ns);
	}
	model_free(&model);
	return s;
}

const struct workload workload_fsdp = {
	"fsdp", "sharded: all-gather before each layer, reduce-scatter after, on side streams", 2,
	build, true};
