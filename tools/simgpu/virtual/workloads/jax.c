/* JAX: one process per host drives all its devices. The main thread hands each device's thread the
 * step; those launch few long kernels from compiled code, and gradients are reduced over all
 * devices of all hosts beside the backward. */
#include "virtual/workloads/parts.h"

#define MOST_DEVICES 64
#define KERNEL_NS 150000 /* on average */
#define GAP_COMPILED (SCALE_ONE / 2)

struct host {
	struct script *script;
	const struct model *model;
	struct reducer reducer;
	uint32_t process, n;
	uint16_t queue, side[MOST_DEVICES];
	uint16_t go[MOST_DEVICES], done[MOST_DEVICES];
	struct pen main, devices[MOST_DEVICES];
};

/* Streams 0 .. n-1 compute on their devices, the side streams come after. */
static void host_new(struct host *h, uint32_t number)
{
	struct script *s = h->script;
	int32_t hosts = (int32_t)s->n_hosts;
	h->process = script_process(s, number, (int32_t)number, hosts, h->n);
	h->queue = script_queue(s, h->process, 4);
	uint16_t main = script_thread(s, h->process, "python");
	h->main = (struct pen){s, h->process, main, 0, STEP_TRAIN, GAP_PYTHON, false, false};
	for (uint32_t d = 0; d < h->n; d++) {
		uint16_t thread = script_thread(s, h->process, "tf_XLAPjRt");
		uint16_t stream = script_stream(s, h->process, (uint16_t)d, false);
		h->devices[d] =
			(struct pen){s, h->process, thread, stream, STEP_TRAIN, GAP_COMPILED, true, d > 0};
		h->go[d] = script_semaphore(s, h->process);
		h->done[d] = script_semaphore(s, h->process);
	}
	for (uint32_t d = 0; d < h->n; d++)
		h->side[d] = script_stream(s, h->process, (uint16_t)d, false);
}

static void setup(const struct host *h)
{
	struct pen pen = h->main;
	pen.step = STEP_SETUP;
	pen_call(&pen, (struct insn){.kind = INSN_MODULE_LOAD, .c = 30000000});
	for (uint32_t d = 0; d < h->n; d++) {
		pen_call(&pen, (struct insn){.kind = INSN_MALLOC, .a = (uint16_t)d, .c = 1000000});
		pen_call(&pen, (struct insn){.kind = INSN_MEMSET, .a = (uint16_t)d, .c = 64 << 20});
	}
}

static void execute(const struct host *h, uint32_t d)
{
	const struct pen *pen = &h->devices[d];
	pen_insn(pen, (struct insn){.kind = INSN_AWAIT, .a = h->go[d]});
	for (uint32_t i = 0; i < h->model->n_blocks; i++) {
		pen_launch(pen, &h->model->blocks[i].forward);
		pen_point(pen, POINT_FORWARD);
	}
	pen_launch(pen, &h->model->loss);
	pen_backward(pen, h->side[d], h->model, &h->reducer);
	pen_launch(pen, &h->model->optimizer);
	pen_insn(pen, (struct insn){.kind = INSN_SIGNAL, .a = h->done[d]});
}

static void train(const struct host *h)
{
	const struct pen *pen = &h->main;
	pen_point(pen, POINT_STEP_BEGIN);
	pen_insn(pen, (struct insn){.kind = INSN_GET, .a = h->queue, .b = CAUSE_INPUT});
	pen_point(pen, POINT_INPUT);
	for (uint32_t d = 0; d < h->n; d++)
		pen_call(pen,
				 (struct insn){
					 .kind = INSN_COPY, .a = (uint16_t)d, .b = COPY_HTOD_PINNED, .c = 64 << 10});
	for (uint32_t d = 0; d < h->n; d++)
		pen_insn(pen, (struct insn){.kind = INSN_SIGNAL, .a = h->go[d]});
	for (uint32_t d = 0; d < h->n; d++)
		execute(h, d);
	for (uint32_t d = 0; d < h->n; d++)
		pen_insn(pen, (struct insn){.kind = INSN_AWAIT, .a = h->done[d]});
	pen_point(pen, POINT_OPTIMIZER);
	pen_point(pen, POINT_STEP_END);
}

static struct script *build(const struct workload_options *options)
{
	uint32_t kernels = options->kernels ? options->kernels : 200;
	uint32_t per_host = options->per_host ? options->per_host : 8;
	if (per_host > MOST_DEVICES)
		return NULL;
	struct script *s = parts_script(options);
	struct reducer reducer = reducer_for(s, options, kernels);
	struct model model;
	if (model_build(&model, s, &architecture_transformer, kernels - reducer.n_buckets, 0))
		return model_failed(&model);
	int64_t step_ns = (int64_t)kernels * KERNEL_NS;
	model_scale(&model, step_ns);
	for (uint32_t first = 0; first < options->ranks; first += per_host) {
		uint32_t left = options->ranks - first;
		struct host h = {.script = s, .model = &model, .reducer = reducer};
		h.n = left < per_host ? left : per_host;
		host_new(&h, first / per_host);
		setup(&h);
		train(&h);
		struct worker feeder = {.script = s, .process = h.process, .batches = h.queue};
		worker_loaders(&feeder, step_ns);
	}
	model_free(&model);
	return s;
}

const struct workload workload_jax = {
	"jax", "one process per host, a thread per device, few long kernels, all-reduce over all", 1,
	build, false};
