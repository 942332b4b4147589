/* nn.DataParallel: one process drives all devices of a host. Each step the first device sends
 * parameters and inputs to the others, a thread per device runs forward and backward (all want the
 * one GIL), outputs and gradients come back, and the first device alone takes the loss and the
 * optimizer. The others wait for it inside the broadcast. No loss is read: the threads would begin
 * every step without a lead and queue for the lock. Only the first device has the number of kernels
 * asked for. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

#define MOST_DEVICES 16
#define MOVE_PART 20 /* of 1024 of the step */
#define INPUT_BYTES (1 << 20)

struct replicas {
	const struct model *model;
	struct script *script;
	uint32_t process, n, comm;
	uint16_t queue;
	uint16_t go[MOST_DEVICES], done[MOST_DEVICES];
	struct pen main, devices[MOST_DEVICES];
	int64_t bytes; /* of the parameters */
};

/* Stream d is the compute stream of device d. */
static void everywhere(const struct replicas *r, const struct pen *pen, int32_t coll)
{
	for (uint32_t d = 0; d < r->n; d++)
		pen_collective(pen, (uint16_t)d, r->comm, r->bytes, coll);
}

static void scatter(const struct replicas *r)
{
	for (uint32_t d = 1; d < r->n; d++) {
		pen_call(&r->main,
				 (struct insn){
					 .kind = INSN_COPY, .a = 0, .b = COPY_PEER, .c = INPUT_BYTES, .d = (int32_t)d});
		pen_order(&r->main, 0, (uint16_t)d);
	}
}

static void gather(const struct replicas *r)
{
	for (uint32_t d = 1; d < r->n; d++) {
		pen_call(
			&r->main,
			(struct insn){
				.kind = INSN_COPY, .a = (uint16_t)d, .b = COPY_PEER, .c = INPUT_BYTES, .d = 0});
		pen_order(&r->main, (uint16_t)d, 0);
	}
}

static void hand_over(const struct replicas *r)
{
	for (uint32_t d = 0; d < r->n; d++) {
		pen_insn(&r->main, (struct insn){.kind = INSN_SIGNAL, .a = r->go[d]});
		pen_insn(&r->devices[d], (struct insn){.kind = INSN_AWAIT, .a = r->go[d]});
	}
}

static void take_back(const struct replicas *r)
{
	for (uint32_t d = 0; d < r->n; d++) {
		pen_insn(&r->devices[d], (struct insn){.kind = INSN_SIGNAL, .a = r->done[d]});
		pen_insn(&r->main, (struct insn){.kind = INSN_AWAIT, .a = r->done[d]});
	}
}

static void forward(const struct replicas *r)
{
	const struct model *m = r->model;
	hand_over(r);
	for (uint32_t d = 0; d < r->n; d++)
		for (uint32_t i = 0; i < m->n_blocks; i++) {
			pen_launch(&r->devices[d], &m->blocks[i].forward);
			if (i % m->parts == 0)
				pen_point(&r->devices[d], POINT_FORWARD);
		}
	take_back(r);
}

static void backward(const struct replicas *r)
{
	const struct model *m = r->model;
	static const struct reducer NONE = {0, 0};
	hand_over(r);
	for (uint32_t d = 0; d < r->n; d++) {
		struct pen native = r->devices[d];
		native.native = true;
		native.gap = GAP_NATIVE;
		pen_backward(&native, (uint16_t)d, m, &NONE);
	}
	take_back(r);
}

static void train(const struct replicas *r)
{
	const struct pen *pen = &r->main;
	pen_point(pen, POINT_STEP_BEGIN);
	pen_insn(pen, (struct insn){.kind = INSN_GET, .a = r->queue, .b = CAUSE_INPUT});
	pen_point(pen, POINT_INPUT);
	pen_call(pen, (struct insn){
					  .kind = INSN_COPY, .a = 0, .b = COPY_HTOD_PINNED, .c = INPUT_BYTES * r->n});
	scatter(r);
	everywhere(r, pen, BATON_COLL_BROADCAST);
	forward(r);
	gather(r);
	pen_launch(pen, &r->model->loss);
	backward(r);
	everywhere(r, pen, BATON_COLL_REDUCE);
	pen_optimizer(pen, r->model);
	pen_point(pen, POINT_STEP_END);
}

static void setup(const struct replicas *r)
{
	struct pen pen = r->main;
	pen.step = STEP_SETUP;
	pen_call(&pen, (struct insn){.kind = INSN_MODULE_LOAD, .c = 4000000});
	for (uint32_t d = 0; d < r->n; d++) {
		pen_call(&pen, (struct insn){.kind = INSN_MALLOC, .a = (uint16_t)d, .c = 300000});
		pen_call(&pen, (struct insn){.kind = INSN_MEMSET, .a = (uint16_t)d, .c = 64 << 20});
	}
}

static void replicas_new(struct replicas *r, const struct workload_options *options)
{
	struct script *s = r->script;
	r->process = script_process(s, 0, 0, 1, r->n);
	r->queue = script_queue(s, r->process, 4);
	uint16_t main = script_thread(s, r->process, "python");
	for (uint32_t d = 0; d < r->n; d++) {
		uint16_t thread = script_thread(s, r->process, "replica");
		uint16_t stream = script_stream(s, r->process, (uint16_t)d, true);
		r->go[d] = script_semaphore(s, r->process);
		r->done[d] = script_semaphore(s, r->process);
		r->devices[d] =
			(struct pen){s, r->process, thread, stream, STEP_TRAIN, GAP_PYTHON, false, d > 0};
	}
	r->main = (struct pen){s, r->process, main, 0, STEP_TRAIN, GAP_PYTHON, false, false};
	r->comm = parts_comm(s, options, "replicas", 0, 1, r->n);
}

static struct script *build(const struct workload_options *options)
{
	uint32_t kernels = options->kernels ? options->kernels : 600;
	if (options->ranks > MOST_DEVICES || parts_host_of(options, options->ranks - 1))
		return NULL; /* one process, one host */
	struct script *s = parts_script(options);
	struct model model;
	if (model_build(&model, s, &architecture_resnet, kernels - 2, 0))
		return model_failed(&model);
	/* one lock for all threads: the host needs their sum */
	int64_t step_ns = parts_step_ns(kernels * options->ranks, 4, RATIO_HEALTHY);
	model_scale(&model, step_ns);
	struct replicas r = {.model = &model, .script = s, .n = options->ranks};
	r.bytes = parts_bytes(step_ns, MOVE_PART);
	replicas_new(&r, options);
	setup(&r);
	train(&r);
	struct worker feeder = {.script = s, .process = r.process, .batches = r.queue};
	worker_loaders(&feeder, step_ns);
	model_free(&model);
	return s;
}

const struct workload workload_dataparallel = {
	"dataparallel", "nn.DataParallel: one process, a thread per device, broadcast and reduce", 2,
	build, false};
