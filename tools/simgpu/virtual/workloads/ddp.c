/* Data-parallel training: the same model on every rank, gradients reduced in buckets while the
 * backward still runs. ddp is a transformer, the others are the same job with other kernels. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

/* A data-parallel training job. */
struct data_parallel {
	const struct architecture *architecture;
	uint32_t kernels; /* when the options name no number */
	int64_t batch_bytes;
	int64_t kernel_ns; /* 0: long enough to be bound by the device; else their mean */
	bool unread;       /* nothing in the loop waits for the device; POINT_LOSS is there */
	uint32_t micro_batches;
	struct phase_length {
		enum phase phase;
		int64_t kernel_ns; /* the mean of this one's kernels; 0: as the others' */
	} unlike;
};

/* Of the backward's time, on the links of one host; links between hosts are half as fast. */
#define REDUCE_PART 128

struct reducer reducer_for(struct script *s, const struct workload_options *options,
						   uint32_t kernels)
{
	if (options->ranks < 2)
		return (struct reducer){0};
	uint32_t buckets = kernels / 40;
	if (buckets > 8)
		buckets = 8;
	if (buckets < 1)
		buckets = 1;
	return (struct reducer){parts_comm(s, options, "default_pg", 0, 1, options->ranks), buckets};
}

/* How many of `blocks` the first i of n buckets hold: each holds less than the one before, so that
 * the last have little left to transfer when nothing is left to hide it behind; none is empty. */
static uint32_t bucket_end(uint32_t i, uint32_t n, uint32_t blocks)
{
	uint32_t left = n - i, end = blocks - blocks * left * left / (n * n);
	return end < blocks - left ? end : blocks - left;
}

/* Whether a bucket is full after the backward of this block. The last two hold one block each. */
static bool bucket_ends(const struct model *m, const struct reducer *r, uint32_t block)
{
	if (r->n_buckets == 0)
		return false;
	if (block == 0 || r->n_buckets == 1)
		return block == 0;
	if (block == 1 || r->n_buckets == 2)
		return block == 1;
	for (uint32_t i = 1; i <= r->n_buckets - 2; i++)
		if (bucket_end(i, r->n_buckets - 2, m->n_blocks - 2) == m->n_blocks - block)
			return true;
	return false;
}

void pen_backward(const struct pen *pen, uint16_t side, const struct model *m,
				  const struct reducer *r)
{
	int64_t since_ns = list_ns(pen->script, &m->loss);
	for (uint32_t i = m->n_blocks; i-- > 0;) {
		if (m->recompute)
			pen_launch(pen, &m->blocks[i].forward);
		pen_launch(pen, &m->blocks[i].backward);
		since_ns += list_ns(pen->script, &m->blocks[i].backward);
		if (i % m->parts == 0)
			pen_point(pen, POINT_BACKWARD);
		if (!bucket_ends(m, r, i))
			continue;
		pen_order(pen, pen->stream, side);
		pen_collective(pen, side, r->comm, parts_bytes(since_ns, REDUCE_PART),
					   BATON_COLL_ALLREDUCE);
		since_ns = 0;
	}
	if (r->n_buckets)
		pen_order(pen, side, pen->stream);
}

static void micro_batch(const struct worker *w, const struct model *m, const struct reducer *r,
						const struct data_parallel *job)
{
	pen_batch(&w->main, w, job->batch_bytes);
	pen_push(&w->main, 1);
	pen_forward(&w->main, m);
	pen_pop(&w->main);
	if (job->unread)
		pen_point(&w->main, POINT_LOSS);
	worker_backward_begin(w);
	pen_backward(&w->backward, w->side, m, r);
	worker_backward_end(w);
}

static void train(const struct worker *w, const struct model *m, const struct reducer *r,
				  const struct data_parallel *job)
{
	static const struct reducer none = {0}; /* no_sync() */
	pen_point(&w->main, POINT_STEP_BEGIN);
	for (uint32_t i = 1; i < job->micro_batches; i++)
		micro_batch(w, m, &none, job);
	micro_batch(w, m, r, job);
	pen_push(&w->main, 2);
	pen_optimizer(&w->main, m);
	pen_pop(&w->main);
	if (!job->unread)
		pen_read_loss(&w->main, w->compute);
	pen_point(&w->main, POINT_STEP_END);
}

/* The forward alone; the loss of every batch is read, as evaluation loops do. */
static void evaluate(const struct worker *w, const struct model *m, int64_t batch)
{
	pen_batch(&w->eval, w, batch);
	pen_push(&w->eval, 3);
	pen_forward(&w->eval, m);
	pen_pop(&w->eval);
	pen_read_loss(&w->eval, w->compute);
}

static struct script *data_parallel_build(const struct workload_options *options,
										  const struct data_parallel *kind)
{
	struct data_parallel copy = *kind, *job = &copy;
	copy.micro_batches = options->accumulate;
	uint32_t kernels = options->kernels ? options->kernels : job->kernels;
	struct script *s = parts_script(options);
	struct reducer reducer = reducer_for(s, options, kernels);
	struct model model;
	if (model_build(&model, s, job->architecture, kernels - reducer.n_buckets, 0))
		return model_failed(&model);
	int64_t step_ns = parts_step_ns(kernels, 8, RATIO_HEALTHY);
	model.recompute = options->recompute;
	if (job->kernel_ns)
		step_ns = job->kernel_ns * kernels;
	model_scale(&model, step_ns);
	if (job->unlike.kernel_ns)
		model_scale_phase(&model, job->unlike.phase,
						  job->unlike.kernel_ns * model_phase_kernels(&model, job->unlike.phase));
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		struct worker w = worker_new(s, options, rank);
		worker_setup(&w);
		if (reducer.n_buckets)
			worker_broadcast(&w, reducer.comm);
		train(&w, &model, &reducer, job);
		evaluate(&w, &model, job->batch_bytes);
		worker_loaders(&w, step_ns);
	}
	model_free(&model);
	return s;
}

/* ---- the jobs ---- */

static struct script *build_ddp(const struct workload_options *options)
{
	static const struct data_parallel JOB = {
		&architecture_transformer, 900, 64 << 10, 0, false, 0, {0}};
	return data_parallel_build(options, &JOB);
}

const struct workload workload_ddp = {
	"ddp", "data-parallel transformer, gradient buckets overlap the backward", 1, build_ddp, true};

/* On images: convolutions, larger batches to copy. */
static struct script *build_resnet(const struct workload_options *options)
{
	static const struct data_parallel JOB = {&architecture_resnet, 700, 4 << 20, 0, false, 0, {0}};
	return data_parallel_build(options, &JOB);
}

const struct workload workload_resnet = {
	"resnet", "data-parallel image training: convolutions, loaders, pinned copies", 1, build_resnet,
	true};

/* Kernels shorter than their launches: the device waits for the host most of the time. */
static struct script *build_tiny(const struct workload_options *options)
{
	static const struct data_parallel JOB = {
		&architecture_mlp, 4000, 16 << 10, 3000, false, 0, {0}};
	return data_parallel_build(options, &JOB);
}

const struct workload workload_tiny = {
	"tiny", "thousands of kernels of 2 to 5 us: bound by launches, never healthy", 1, build_tiny,
	true};

/* One phase has kernels shorter than their launches, and the loop never waits for the device: it
 * stays busy there only while the host is ahead, from the phase before. A wait before such a phase
 * costs what the lead would have hidden. */
#define SHORT_NS 8000 /* less than any launch with the work before it */

static struct script *build_forward(const struct workload_options *options)
{
	static const struct data_parallel JOB = {&architecture_transformer, 900, 64 << 10, 0, true, 0,
											 {PHASE_FORWARD, SHORT_NS}};
	return data_parallel_build(options, &JOB);
}

static struct script *build_backward(const struct workload_options *options)
{
	static const struct data_parallel JOB = {&architecture_transformer, 900, 64 << 10, 0, true, 0,
											 {PHASE_BACKWARD, SHORT_NS}};
	return data_parallel_build(options, &JOB);
}

const struct workload workload_short_forward = {
	"short_forward", "short kernels in the forward; the loop never reads its loss", 1,
	build_forward, true};
const struct workload workload_short_backward = {
	"short_backward", "short kernels in the backward; the loop never reads its loss", 1,
	build_backward, true};
