/* Pens, machines and the usual process. See the header. */
#include "virtual/workloads/parts.h"

#include "baton/format.h"

/* ---- pens ---- */

void pen_insn(const struct pen *pen, struct insn insn)
{
	struct process_def *p = &pen->script->processes[pen->process];
	program_add(&p->threads[pen->thread].programs[pen->step], insn);
}

void pen_call(const struct pen *pen, struct insn insn)
{
	pen_insn(pen, (struct insn){.kind = pen->native ? INSN_WORK_NATIVE : INSN_WORK,
								.a = TABLE_HOST_GAP,
								.b = pen->gap});
	pen_insn(pen, insn);
}

void pen_launch(const struct pen *pen, const struct kernel_list *list)
{
	for (uint32_t i = 0; i < list->n; i++)
		pen_call(pen, (struct insn){.kind = INSN_KERNEL, .a = pen->stream, .b = list->at[i]});
}

void pen_point(const struct pen *pen, enum point point)
{
	if (!pen->quiet)
		pen_insn(pen, (struct insn){.kind = INSN_POINT, .a = (uint16_t)point});
}

void pen_push(const struct pen *pen, uint64_t word)
{
	uint32_t name = script_word(pen->script, word);
	pen_insn(pen, (struct insn){.kind = INSN_PUSH, .b = name});
}

void pen_pop(const struct pen *pen)
{
	pen_insn(pen, (struct insn){.kind = INSN_POP});
}

void pen_order(const struct pen *pen, uint16_t first, uint16_t later)
{
	uint16_t event = script_event(pen->script, pen->process);
	pen_insn(pen, (struct insn){.kind = INSN_RECORD, .a = event, .b = first});
	pen_insn(pen, (struct insn){.kind = INSN_WAIT, .a = later, .b = event});
}

void pen_collective(const struct pen *pen, uint16_t stream, uint32_t comm, int64_t bytes,
					int32_t coll)
{
	pen_call(pen,
			 (struct insn){.kind = INSN_COLLECTIVE, .a = stream, .b = comm, .c = bytes, .d = coll});
}

void pen_collective_inline(const struct pen *pen, uint16_t side, uint32_t comm, int64_t bytes,
						   int32_t coll)
{
	pen_order(pen, pen->stream, side);
	pen_collective(pen, side, comm, bytes, coll);
	pen_order(pen, side, pen->stream);
}

/* ---- machines ---- */

static uint32_t per_host(const struct workload_options *options)
{
	return options->per_host ? options->per_host : 8;
}

uint32_t parts_host_of(const struct workload_options *options, uint32_t device)
{
	return device / per_host(options);
}

uint32_t parts_group(uint32_t ranks, uint32_t most)
{
	uint32_t size = most < ranks ? most : ranks;
	while (ranks % size)
		size--;
	return size;
}

struct script *parts_script(const struct workload_options *options)
{
	struct script *s = script_new(options->seed, options->steps);
	uint32_t cores = options->cores ? options->cores : 16 * per_host(options);
	uint32_t hosts = (options->ranks + per_host(options) - 1) / per_host(options);
	for (uint32_t i = 0; i < hosts; i++)
		script_host(s, cores);
	return s;
}

/* A transfer of nothing takes longer the more members there are: a tree's depth. */
static uint32_t latency_ns(uint32_t members)
{
	uint32_t depth = 0;
	while (members > 1u << depth)
		depth++;
	return 6000 + 3000 * depth;
}

uint32_t parts_comm(struct script *s, const struct workload_options *options, const char *name,
					uint32_t first, uint32_t stride, uint32_t count)
{
	uint32_t members[4096];
	uint32_t n = count < 4096 ? count : 4096, last = first + stride * (n - 1);
	for (uint32_t i = 0; i < n; i++)
		members[i] = first + stride * i;
	bool one_host = parts_host_of(options, first) == parts_host_of(options, last);
	return script_comm(s, name, members, n, one_host ? BANDWIDTH_HOST : BANDWIDTH_NETWORK,
					   latency_ns(n));
}

/* ---- the usual process ---- */

struct worker worker_new(struct script *s, const struct workload_options *options, uint32_t rank)
{
	uint32_t process =
		script_process(s, parts_host_of(options, rank), (int32_t)rank, (int32_t)options->ranks, 1);
	struct worker w = {.script = s, .process = process};
	uint16_t main = script_thread(s, process, "python");
	uint16_t autograd = script_thread(s, process, "pt_autograd_0");
	w.compute = script_stream(s, process, 0, true);
	w.side = script_stream(s, process, 0, false);
	w.go = script_semaphore(s, process);
	w.done = script_semaphore(s, process);
	w.batches = script_queue(s, process, 4);
	w.main = (struct pen){s, process, main, w.compute, STEP_TRAIN, GAP_PYTHON, false, false};
	w.setup = w.eval = w.main;
	w.setup.step = STEP_SETUP;
	w.eval.step = STEP_EVAL;
	w.backward = (struct pen){s, process, autograd, w.compute, STEP_TRAIN, GAP_NATIVE, true, false};
	return w;
}

void worker_setup(const struct worker *w)
{
	for (int i = 0; i < 3; i++)
		pen_call(&w->setup, (struct insn){.kind = INSN_MODULE_LOAD, .c = 4000000});
	for (int i = 0; i < 6; i++)
		pen_call(&w->setup, (struct insn){.kind = INSN_MALLOC, .c = 300000});
	pen_call(
		&w->setup,
		(struct insn){.kind = INSN_COPY, .a = w->compute, .b = COPY_HTOD_PAGEABLE, .c = 64 << 20});
	pen_call(&w->setup, (struct insn){.kind = INSN_MEMSET, .a = w->compute, .c = 64 << 20});
}

void worker_broadcast(const struct worker *w, uint32_t comm)
{
	pen_collective_inline(&w->setup, w->side, comm, 64 << 20, BATON_COLL_BROADCAST);
}

void worker_loaders(const struct worker *w, int64_t step_ns)
{
	struct pen pen = {.script = w->script, .process = w->process, .step = STEP_TRAIN};
	for (int i = 0; i < 2;
		 i++) { /* each makes one batch per step: a quarter waits, the rest decodes */
		pen.thread = script_thread(w->script, w->process, "pt_data_worker");
		w->script->processes[w->process].threads[pen.thread].daemon = true;
		pen_insn(&pen, (struct insn){.kind = INSN_SLEEP, .a = CAUSE_INPUT, .c = step_ns / 4});
		pen_insn(&pen,
				 (struct insn){
					 .kind = INSN_WORK_NATIVE, .a = TABLE_COUNT, .b = SCALE_ONE, .c = step_ns / 2});
		pen_insn(&pen, (struct insn){.kind = INSN_PUT, .a = w->batches});
	}
}

void pen_batch(const struct pen *pen, const struct worker *w, int64_t bytes)
{
	pen_insn(pen, (struct insn){.kind = INSN_GET, .a = w->batches, .b = CAUSE_INPUT});
	pen_point(pen, POINT_INPUT);
	pen_call(pen,
			 (struct insn){.kind = INSN_COPY, .a = w->compute, .b = COPY_HTOD_PINNED, .c = bytes});
}

void pen_read_loss(const struct pen *pen, uint16_t stream)
{
	pen_call(pen, (struct insn){.kind = INSN_COPY, .a = stream, .b = COPY_DTOH_PAGEABLE, .c = 8});
}

void worker_backward_begin(const struct worker *w)
{
	pen_insn(&w->main, (struct insn){.kind = INSN_SIGNAL, .a = w->go});
	pen_insn(&w->backward, (struct insn){.kind = INSN_AWAIT, .a = w->go});
}

void worker_backward_end(const struct worker *w)
{
	pen_insn(&w->backward, (struct insn){.kind = INSN_SIGNAL, .a = w->done});
	pen_insn(&w->main, (struct insn){.kind = INSN_AWAIT, .a = w->done});
}

void pen_forward(const struct pen *pen, const struct model *m)
{
	for (uint32_t i = 0; i < m->n_blocks; i++) {
		pen_launch(pen, &m->blocks[i].forward);
		if (i % m->parts == 0)
			pen_point(pen, POINT_FORWARD);
	}
	pen_launch(pen, &m->loss);
}

void pen_optimizer(const struct pen *pen, const struct model *m)
{
	pen_point(pen, POINT_OPTIMIZER);
	pen_launch(pen, &m->optimizer);
}

/* ---- how long, how much ---- */

/* The forward is the Python thread's, the rest (two in three) the autograd thread's. */
int64_t parts_step_ns(uint32_t kernels, uint32_t extra, uint32_t ratio)
{
	int64_t gap = (GAP_PYTHON + 2 * GAP_NATIVE) / 3;
	int64_t call_ns = table_mean(TABLE_HOST_GAP) * gap / SCALE_ONE + table_mean(TABLE_LAUNCH_CALL);
	return (int64_t)(kernels + extra) * call_ns * ratio / SCALE_ONE;
}

int64_t parts_bytes(int64_t dur_ns, uint32_t part)
{
	return dur_ns * part / SCALE_ONE * BANDWIDTH_HOST / 1000 / 2;
}
