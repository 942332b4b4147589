/* CUDA graphs: the setup captures, each step replays forward and backward as one graph of two
 * branches, then, launched one by one, the reduction of gradients, the optimizer and the loss on
 * its way to the host. The host waits for the middle of the step before, so that it is never far
 * ahead. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

#define BRANCH_SHARE 88 /* of 1024: beside the main branch, whose kernels leave 96 */

struct replay {
	const struct model *model;
	struct worker worker;
	uint32_t graph, branch; /* nodes of the second branch */
	uint32_t comm;
	bool reduces;
	int64_t bytes;
};

/* ---- the graph ---- */

static int32_t chain(struct script *s, uint32_t graph, const struct kernel_list *list,
					 int32_t after)
{
	for (uint32_t i = 0; i < list->n; i++) {
		script_graph_node(s, graph, list->at[i], after);
		after = (int32_t)s->graphs[graph].n_nodes - 1;
	}
	return after;
}

/* Small kernels that fork off after the first node and run beside the rest. */
static void side_branch(struct script *s, uint32_t graph, uint32_t nodes)
{
	int32_t after = 0;
	for (uint32_t i = 0; i < nodes; i++) {
		uint32_t kernel = script_kernel(s, TABLE_POINTWISE, s->n_kernels, SCALE_ONE);
		s->kernels[kernel].share = BRANCH_SHARE;
		script_graph_node(s, graph, kernel, after);
		after = (int32_t)s->graphs[graph].n_nodes - 1;
	}
}

static uint32_t capture(struct script *s, const struct model *m, uint32_t branch)
{
	uint32_t graph = script_graph(s);
	int32_t after = -1;
	for (uint32_t i = 0; i < m->n_blocks; i++)
		after = chain(s, graph, &m->blocks[i].forward, after);
	after = chain(s, graph, &m->loss, after);
	for (uint32_t i = m->n_blocks; i-- > 0;)
		after = chain(s, graph, &m->blocks[i].backward, after);
	side_branch(s, graph, branch);
	return graph;
}

/* ---- the process ---- */

static void setup(const struct replay *r)
{
	const struct pen *pen = &r->worker.setup;
	worker_setup(&r->worker);
	for (uint32_t i = 0; i < r->model->n_blocks;
		 i++) /* once without, as torch.cuda.graph asks for */
		pen_launch(pen, &r->model->blocks[i].forward);
	pen_insn(pen, (struct insn){.kind = INSN_SYNC_DEVICE, .a = 0});
	pen_call(pen,
			 (struct insn){.kind = INSN_MODULE_LOAD, .c = 20000000}); /* capture, instantiate */
	if (r->reduces)
		worker_broadcast(&r->worker, r->comm);
}

static void train(const struct replay *r)
{
	const struct worker *w = &r->worker;
	const struct pen *pen = &w->main;
	uint16_t middle = script_event(w->script, w->process);
	pen_point(pen, POINT_STEP_BEGIN);
	pen_batch(pen, w, 64 << 10);
	pen_point(pen, POINT_FORWARD);
	pen_call(pen, (struct insn){.kind = INSN_GRAPH, .a = w->compute, .b = r->graph});
	pen_point(pen, POINT_BACKWARD);
	pen_insn(pen, (struct insn){.kind = INSN_SYNC_EVENT, .a = middle}); /* of the step before */
	pen_insn(pen, (struct insn){.kind = INSN_RECORD, .a = middle, .b = w->compute});
	if (r->reduces)
		pen_collective_inline(pen, w->side, r->comm, r->bytes, BATON_COLL_ALLREDUCE);
	pen_optimizer(pen, r->model);
	pen_call(pen, (struct insn){.kind = INSN_COPY, .a = w->compute, .b = COPY_DTOH_PINNED, .c = 4});
	pen_read_loss(pen, pen->stream);
	pen_point(pen, POINT_STEP_END);
}

static struct script *build(const struct workload_options *options)
{
	uint32_t kernels = options->kernels ? options->kernels : 500;
	bool reduces = options->ranks > 1;
	uint32_t branch = kernels / 12;
	struct script *s = parts_script(options);
	struct model model;
	if (model_build(&model, s, &architecture_transformer, kernels - branch - reduces, 0))
		return model_failed(&model);
	int64_t step_ns = parts_step_ns(kernels, 4, RATIO_HEALTHY);
	model_scale(&model, step_ns);
	struct replay r = {.model = &model, .branch = branch, .reduces = reduces};
	r.graph = capture(s, &model, branch);
	r.bytes = parts_bytes(step_ns, 8);
	if (reduces)
		r.comm = parts_comm(s, options, "default_pg", 0, 1, options->ranks);
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		r.worker = worker_new(s, options, rank);
		setup(&r);
		train(&r);
		worker_loaders(&r.worker, step_ns);
	}
	model_free(&model);
	return s;
}

const struct workload workload_graph = {
	"graph", "CUDA graphs: a step is one replay of some hundred nodes and an eager tail", 1, build,
	false};
