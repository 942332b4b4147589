#include "virtual/record/recorder.h"

#include "engine/room.h"
#include "virtual/account/log.h"
#include "virtual/draw/rng.h"
#include "virtual/record/shapes.h"

#include <baton/away.h>
#include <baton/drain.h>
#include <baton/writer.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SILENCE_NS 1000000 /* the sampler looks at threads that are silent for so long */
#define SAMPLE_NS 1000000
#define CHILD_NS 100000000 /* a row of a child process */
#define FIRST_TEXT 64      /* string ids below are the calls' names */

#define API_NAMED(name_, text_) [API_##name_] = text_,
static const char *const api_names[API_COUNT] = {APIS(API_NAMED)};
#undef API_NAMED

/* Python frames that the sampler meets in silent threads. */
enum frame_name { FRAME_LOADER = FIRST_TEXT - 4, FRAME_SCRIPT };
static const char *const frame_names[] = {
	[0] = "torch/utils/data/dataloader.py(1448): _get_data", [1] = "train.py(88): main"};

/* A thread that makes records, between two looks of the sampler at it. */
struct busy {
	struct baton_away away;
	int64_t slept, waited;
	int64_t look_ns; /* the next look */
	int64_t lock_ns; /* the last look that met it waiting for the GIL */
	uint32_t holder; /* which that thread had */
};

struct recorder {
	struct baton_writer writer;
	const struct script *script;
	const struct process_def *process;
	uint32_t index;
	uint8_t *written;  /* per string: 1 it went out, 2 with the shape of its kernels */
	int64_t *last_ns;  /* per thread: the end of its last row */
	bool *loaders;     /* per thread: does it stand for a process of its own? */
	struct busy *busy; /* per thread */
	uint64_t serial;   /* rows, for the dice that lose some */
	uint64_t lost_ops, lost_calls;
};

int64_t recorder_time(const struct script *script, uint32_t host, int64_t at_ns)
{
	const struct host_def *def = &script->hosts[host];
	__extension__ __int128 drift = (__int128)at_ns * def->clock_drift_ppb / 1000000000;
	const int64_t jumped =
		def->clock_jump_ns && at_ns >= def->clock_jump_at_ns ? def->clock_jump_ns : 0;
	return RECORDER_EPOCH_NS + at_ns + def->clock_offset_ns + (int64_t)drift + jumped;
}

void recorder_device_key(const struct script *script, uint32_t device, char *text)
{
	const struct process_def *p = &script->processes[script->devices[device].process];
	snprintf(text, 64, "node%u/%u", p->host, p->first_ordinal + device - p->first_device);
}

/* ---- the file and its dictionaries ---- */

static void write_string(struct recorder *r, uint32_t id, const char *text)
{
	struct baton_r_string row = {.id = id, .bytes = (uint32_t)strlen(text)};
	baton_writer_record(&r->writer, BATON_R_STRING, &row, sizeof(row), text, row.bytes);
}

static uint32_t text_id(struct recorder *r, uint32_t string)
{
	uint32_t id = string ? FIRST_TEXT + string : 0;
	if (string && !r->written[string]) {
		r->written[string] = 1;
		write_string(r, id, r->script->strings[string]);
	}
	return id;
}

enum {
	OWN_HOST = FIRST_TEXT - 12,
	OWN_SOURCE,
	OWN_VERSION,
	OWN_GPU,
	OWN_THREAD,
	OWN_LOCK,
	OWN_HOLDER
};

static void write_process(struct recorder *r)
{
	char host[32];
	snprintf(host, sizeof(host), "node%u", r->process->host);
	write_string(r, OWN_HOST, host);
	write_string(r, OWN_SOURCE, "simgpu");
	write_string(r, OWN_VERSION, "1");
	struct baton_r_process row = {.pid = 1000 + r->index,
								  .start_time = 1 + r->index,
								  .rank = r->process->rank,
								  .world_size = r->process->world_size,
								  .local_rank = r->process->local_rank,
								  .host = OWN_HOST,
								  .source = OWN_SOURCE,
								  .source_version = OWN_VERSION};
	uint64_t boot[2] = {rng_hash(r->script->seed, 0x626f6f74, r->process->host, 0),
						rng_hash(r->script->seed, 0x626f6f74, r->process->host, 1)};
	memcpy(row.boot_id, boot, sizeof(boot));
	baton_writer_record(&r->writer, BATON_R_PROCESS, &row, sizeof(row), NULL, 0);
}

static void write_lock(struct recorder *r)
{
	write_string(r, OWN_LOCK, BATON_META_PYTHON_LOCK);
	write_string(r, OWN_HOLDER, "holder");
	struct baton_r_meta row = {.key = OWN_LOCK, .value = OWN_HOLDER};
	baton_writer_record(&r->writer, BATON_R_META, &row, sizeof(row), NULL, 0);
}

static void write_places(struct recorder *r)
{
	write_string(r, OWN_GPU, "simulated GPU");
	for (uint32_t d = 0; d < r->process->n_devices; d++) {
		struct baton_r_device row = {.id = d + 1,
									 .ordinal = (int32_t)(r->process->first_ordinal + d),
									 .name = OWN_GPU,
									 .memory_bytes = (uint64_t)80 << 30,
									 .sm_count = 132};
		baton_writer_record(&r->writer, BATON_R_DEVICE, &row, sizeof(row), NULL, 0);
	}
	for (uint32_t s = 0; s < r->process->n_streams; s++) {
		const struct stream_def *def = &r->process->streams[s];
		struct baton_r_stream row = {.id = s + 1,
									 .device = def->device + 1u,
									 .context = 1 + def->device,
									 .stream = def->number};
		struct baton_r_priority priority = {.stream = row.id, .kind = BATON_STREAM_NON_BLOCKING};
		baton_writer_record(&r->writer, BATON_R_STREAM, &row, sizeof(row), NULL, 0);
		baton_writer_record(&r->writer, BATON_R_PRIORITY, &priority, sizeof(priority), NULL, 0);
	}
	for (uint32_t t = 0; t < r->process->n_threads; t++) {
		const int64_t tid = 1000 + r->index + 100000 * (int64_t)t;
		const int64_t pid = r->loaders[t] ? tid : 1000 + (int64_t)r->index;
		struct baton_r_thread row = {
			.id = t + 1, .name = text_id(r, r->process->threads[t].name), .pid = pid, .tid = tid};
		baton_writer_record(&r->writer, BATON_R_THREAD, &row, sizeof(row), NULL, 0);
	}
}

static bool is_member(const struct recorder *r, const struct comm_def *comm)
{
	for (uint32_t i = 0; i < comm->size; i++)
		if (comm->ranks[i] >= r->process->first_device &&
			comm->ranks[i] < r->process->first_device + r->process->n_devices)
			return true;
	return false;
}

static void write_comms(struct recorder *r)
{
	for (uint32_t c = 0; c < r->script->n_comms; c++) {
		const struct comm_def *comm = &r->script->comms[c];
		if (!is_member(r, comm))
			continue;
		struct baton_r_comm row = {
			.id = c + 1, .size = comm->size, .hash = comm->hash, .name = text_id(r, comm->name)};
		baton_writer_record(&r->writer, BATON_R_COMM, &row, sizeof(row), NULL, 0);
	}
}

struct recorder *recorder_open(const char *directory, const struct script *script, uint32_t process)
{
	char path[4096];
	uint32_t boot =
		(uint32_t)rng_hash(script->seed, 0x626f6f74, script->processes[process].host, 0);
	int n = snprintf(path, sizeof(path), "%s/%08x.%u.%u.0.baton", directory, boot, 1000 + process,
					 1 + process);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return NULL;
	struct recorder *r = must(calloc(1, sizeof(*r)));
	r->script = script;
	r->process = &script->processes[process];
	r->index = process;
	r->written = must(calloc(script->n_strings + 1, 1));
	r->last_ns = must(calloc(r->process->n_threads, sizeof(*r->last_ns)));
	r->loaders = must(calloc(r->process->n_threads, sizeof(*r->loaders)));
	for (uint32_t t = 0; t < r->process->n_threads; t++)
		r->loaders[t] = script_is_loader(r->process, t);
	r->busy = must(calloc(r->process->n_threads, sizeof(*r->busy)));
	if (baton_writer_open(&r->writer, fd, BATON_TRACE,
						  rng_hash(script->seed, 0x66696c65, process, 0)))
		must(NULL);
	if (script->n_devices > 64) /* many files are open at once */
		r->writer.run_rows = script->n_devices > 512 ? BATON_BLOCK_ROWS / 2 : BATON_BLOCK_ROWS;
	for (int i = 1; i < API_COUNT; i++)
		write_string(r, (uint32_t)i, api_names[i]);
	write_string(r, FRAME_LOADER, frame_names[0]);
	write_string(r, FRAME_SCRIPT, frame_names[1]);
	write_process(r);
	write_lock(r);
	write_places(r);
	write_comms(r);
	return r;
}

int recorder_close(struct recorder *r)
{
	struct {
		uint32_t what;
		uint64_t count;
	} losses[] = {{BATON_OP, r->lost_ops}, {BATON_CALL, r->lost_calls}};
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++) {
		struct baton_r_loss row = {
			.kind = BATON_LOSS_DROPPED, .what = losses[i].what, .count = losses[i].count};
		if (row.count)
			baton_writer_record(&r->writer, BATON_R_LOSS, &row, sizeof(row), NULL, 0);
	}
	int error = baton_writer_close(&r->writer);
	free(r->written);
	free(r->last_ns);
	free(r->loaders);
	free(r->busy);
	free(r);
	return error;
}

/* ---- rows ---- */

static int64_t trace_time(const struct recorder *r, int64_t at_ns)
{
	return recorder_time(r->script, r->process->host, at_ns);
}

/* A time that the device's clock has seen. */
static int64_t tick(const struct recorder *r, int64_t at_ns)
{
	return at_ns - at_ns % r->script->gpu_tick_ns;
}

static bool lost(struct recorder *r, uint64_t *count)
{
	if (r->script->lost_ppm == 0)
		return false;
	uint64_t dice = rng_hash(r->script->noise_seed, 0x6c6f7374, r->index, r->serial++);
	bool yes = rng_below(dice, 1000000) < r->script->lost_ppm;
	*count += yes;
	return yes;
}

#define ALL_COLUMNS(n) ((1u << (n)) - 1)

static void add_row(struct recorder *r, enum baton_kind kind, int64_t from_ns, int64_t to_ns,
					int64_t *row, uint32_t present)
{
	const uint32_t tick_ns = baton_drain_from_ring(kind) ? r->script->host_tick_ns : 1;
	const int64_t from = trace_time(r, from_ns), to = trace_time(r, to_ns);
	row[ROW_START] = from - from % tick_ns;
	row[ROW_DUR] = to > from ? to - to % tick_ns - row[ROW_START] : 0; /* a clock may jump back */
	baton_writer_row(&r->writer, kind, row, present);
}

/* What a thread did in the time of a row: how long it slept, waited for a core, waited for its
 * data, and waited for the GIL, which `holder` had last. */
struct sample {
	int64_t slept, waited, input, gil;
	uint32_t holder;
};

static struct sample sample(const struct log *log, int64_t from, int64_t to)
{
	struct sample seen = {0};
	size_t i = log->n;
	while (i > 0 && log->at[i - 1].to_ns > from)
		i--;
	for (; i < log->n && log->at[i].from_ns < to; i++) {
		const struct segment *s = &log->at[i];
		int64_t a = s->from_ns > from ? s->from_ns : from, b = s->to_ns < to ? s->to_ns : to;
		bool asleep =
			s->cause == CAUSE_GIL || s->cause == CAUSE_SLEEP || s->cause == CAUSE_INPUT || s->other;
		if (b <= a)
			continue;
		seen.slept += asleep ? b - a : 0;
		seen.waited += s->cause == CAUSE_NO_CORE ? b - a : 0;
		seen.input += s->cause == CAUSE_INPUT ? b - a : 0;
		seen.gil += s->cause == CAUSE_GIL ? b - a : 0;
		seen.holder = s->cause == CAUSE_GIL ? s->holder : seen.holder;
	}
	return seen;
}

/* The Python frame that the sampler met in a silent thread. */
static void add_frame(struct recorder *r, uint32_t thread, int64_t from, int64_t to, bool input)
{
	int64_t row[BATON_MAX_COLUMNS] = {[RANGE_THREAD] = thread + 1,
									  [RANGE_NAME] = input ? FRAME_LOADER : FRAME_SCRIPT,
									  [RANGE_CATEGORY] = BATON_RANGE_PYTHON};
	add_row(r, BATON_RANGE, from, to, row, ALL_COLUMNS(RANGE_CATEGORY + 1));
}

/* A sched row of [from, to), of which `seen` tells. */
static void add_sched(struct recorder *r, uint32_t thread, int64_t from, int64_t to,
					  const struct sample *seen)
{
	/* as the recorder's sampler, who finds one thread at most looks of a row */
	const bool locked = 2 * seen->gil > to - from;
	int64_t row[BATON_MAX_COLUMNS] = {[SCHED_THREAD] = thread + 1,
									  [SCHED_SLEPT] = seen->slept,
									  [SCHED_WAITED] = seen->waited,
									  [SCHED_HOLDER] = locked ? seen->holder : 0};
	if (to > from)
		add_row(r, BATON_SCHED, from, to, row, ALL_COLUMNS(SCHED_STACK) | 1u << SCHED_HOLDER);
}

static bool is_away(const struct sample *seen, int64_t ns)
{
	return 2 * (seen->slept + seen->waited) > ns;
}

static int64_t next_look(int64_t at, int64_t to)
{
	const int64_t next = (at / SAMPLE_NS + 1) * SAMPLE_NS;
	return next < to ? next : to;
}

/* What the sampler saw of a thread that made no new record in [from, to): schedstat, and outside of
 * calls its Python frame, both once a sample. A thread that is away goes on so: where that began in
 * the sample before, it ran first. So it did before a call returned for which it had waited. */
static void add_samples(struct recorder *r, uint32_t thread, int64_t from, int64_t to,
						const struct log *log, bool frames)
{
	int64_t since = from; /* of the frame it is in */
	bool in_input = false, was_away = false;
	for (int64_t at = from, next; at < to; at = next) {
		next = next_look(at, to);
		struct sample seen = sample(log, at, next);
		const int64_t after = next_look(next, to), away = seen.slept + seen.waited;
		const struct sample then = sample(log, next, after);
		const bool goes_on = next < to ? is_away(&then, after - next) : !frames;
		const int64_t begins = goes_on && !was_away ? next - away : at;
		add_sched(r, thread, at, begins, &(struct sample){0});
		add_sched(r, thread, begins, next, &seen);
		was_away = is_away(&seen, next - at);
		bool now_input = 2 * seen.input >= next - at;
		if (frames && at > since && now_input != in_input) {
			add_frame(r, thread, since, at, in_input);
			since = at;
		}
		in_input = now_input;
	}
	if (frames)
		add_frame(r, thread, since, to, in_input);
}

/* The sched rows of the time since the last look. */
static void look_at_busy(struct recorder *r, uint32_t thread)
{
	struct busy *busy = &r->busy[thread];
	const int64_t away = busy->slept + busy->waited;
	const bool locked = busy->lock_ns && busy->look_ns - busy->lock_ns <= BATON_LOCK_REMEMBERED_NS;
	if (away >= BATON_AWAY_LEAST_NS)
		baton_away_divide(&busy->away, (uint64_t)away);
	for (unsigned i = 0; i < busy->away.n; i++) {
		const struct baton_stretch *s = &busy->away.at[i];
		const int64_t slept = (int64_t)s->away * busy->slept / (away ? away : 1);
		int64_t row[BATON_MAX_COLUMNS] = {[SCHED_THREAD] = thread + 1,
										  [SCHED_SLEPT] = slept,
										  [SCHED_WAITED] = (int64_t)s->away - slept,
										  [SCHED_HOLDER] = locked && slept ? busy->holder : 0};
		if (s->away)
			add_row(r, BATON_SCHED, (int64_t)s->begin, (int64_t)s->end, row,
					ALL_COLUMNS(SCHED_STACK) | 1u << SCHED_HOLDER);
	}
	busy->away.n = 0;
	busy->slept = busy->waited = 0;
}

/* [from, to) of a thread that makes records: a call, or between two. */
static void add_busy(struct recorder *r, uint32_t thread, int64_t from, int64_t to,
					 const struct log *log)
{
	struct busy *busy = &r->busy[thread];
	while (from < to) {
		if (busy->look_ns <= from) {
			look_at_busy(r, thread);
			busy->look_ns = (from / SAMPLE_NS + 1) * SAMPLE_NS;
		}
		const int64_t until = busy->look_ns < to ? busy->look_ns : to;
		const struct sample seen = sample(log, from, until);
		const struct sample now = sample(log, until - 1, until);
		busy->slept += seen.slept;
		busy->waited += seen.waited;
		baton_away_add(&busy->away, (uint64_t)from, (uint64_t)until);
		if (until == busy->look_ns && now.gil) {
			busy->lock_ns = until;
			busy->holder = now.holder;
		}
		from = until;
	}
}

void recorder_call(struct recorder *r, struct recorder_thread_row where, struct recorder_api api,
				   const struct log *log)
{
	int64_t *last = &r->last_ns[where.thread];
	if (*last && where.from_ns - *last >= SILENCE_NS)
		add_samples(r, where.thread, *last, where.from_ns, log, true);
	else if (*last)
		add_busy(r, where.thread, *last, where.from_ns, log);
	const int64_t from =
		where.from_ns > *last ? where.from_ns : *last; /* calls in it have theirs */
	if (where.to_ns - from >= SILENCE_NS)
		add_samples(r, where.thread, from, where.to_ns, log, false);
	else
		add_busy(r, where.thread, from, where.to_ns, log);
	*last = where.to_ns > *last ? where.to_ns : *last;
	if (lost(r, &r->lost_calls))
		return;
	int64_t row[BATON_MAX_COLUMNS] = {[CALL_THREAD] = where.thread + 1,
									  [CALL_NAME] = api.name,
									  [CALL_CORRELATION] = (int64_t)api.correlation,
									  [CALL_DEVICE] = r->process->n_devices > 1 ? api.device : 0};
	uint32_t present = ALL_COLUMNS(CALL_CORRELATION + 1);
	if (row[CALL_DEVICE])
		present |= 1u << CALL_DEVICE;
	add_row(r, BATON_CALL, where.from_ns, where.to_ns, row, present);
}

void recorder_child(struct recorder *r, uint32_t thread, int64_t until_ns, const struct log *log)
{
	int64_t *last = &r->last_ns[thread];
	if (!r->loaders[thread])
		return;
	if (*last == 0) /* its first batch: before that it may not have begun */
		*last = until_ns;
	for (; until_ns - *last >= CHILD_NS; *last += CHILD_NS) {
		const struct sample seen = sample(log, *last, *last + CHILD_NS);
		add_sched(r, thread, *last, *last + CHILD_NS, &seen);
	}
}

void recorder_range(struct recorder *r, struct recorder_thread_row where, uint32_t name)
{
	int64_t row[BATON_MAX_COLUMNS] = {[RANGE_THREAD] = where.thread + 1,
									  [RANGE_NAME] = text_id(r, name),
									  [RANGE_CATEGORY] = BATON_RANGE_NVTX};
	add_row(r, BATON_RANGE, where.from_ns, where.to_ns, row, ALL_COLUMNS(RANGE_CATEGORY + 1));
}

void recorder_overhead(struct recorder *r, struct recorder_thread_row where, unsigned kind)
{
	int64_t row[BATON_MAX_COLUMNS] = {[OVERHEAD_THREAD] = where.thread + 1, [OVERHEAD_KIND] = kind};
	add_row(r, BATON_OVERHEAD, where.from_ns, where.to_ns, row, ALL_COLUMNS(OVERHEAD_KIND + 1));
}

void recorder_held_up(struct recorder *r, unsigned sync_kind, uint32_t stream, int64_t from_ns,
					  int64_t to_ns)
{
	int64_t row[BATON_MAX_COLUMNS] = {[SYNC_KIND] = sync_kind, [SYNC_STREAM] = stream + 1};
	add_row(r, BATON_SYNC, from_ns, to_ns, row, ALL_COLUMNS(SYNC_STREAM + 1));
}

void recorder_event(struct recorder *r, struct recorder_thread_row where, unsigned sync_kind,
					const struct recorder_event_row *what)
{
	int64_t row[BATON_MAX_COLUMNS] = {[SYNC_KIND] = sync_kind,
									  [SYNC_STREAM] = what->stream + 1,
									  [SYNC_CORRELATION] = (int64_t)what->correlation,
									  [SYNC_EVENT] = what->event + 1};
	add_row(r, BATON_SYNC, where.from_ns, where.to_ns, row, ALL_COLUMNS(SYNC_EVENT + 1));
}

void recorder_sendrecv(struct recorder *r, const struct gpu_op *op,
					   const struct recorder_transfer *transfer)
{
	int64_t row[BATON_MAX_COLUMNS] = {[COLL_CORRELATION] = (int64_t)op->launch.correlation,
									  [COLL_COMM] = transfer->comm + 1,
									  [COLL_KIND] = transfer->coll,
									  [COLL_BYTES] = transfer->bytes,
									  [COLL_SEQUENCE] = transfer->sequence,
									  [COLL_PEER] = transfer->peer + 1};
	add_row(r, BATON_COLLECTIVE, tick(r, op->start_ns), tick(r, op->end_ns), row,
			ALL_COLUMNS(COLL_BYTES + 1) | 1u << COLL_SEQUENCE | 1u << COLL_PEER);
}

static void add_collective(struct recorder *r, const struct gpu_op *op)
{
	int64_t row[BATON_MAX_COLUMNS] = {[COLL_CORRELATION] = (int64_t)op->launch.correlation,
									  [COLL_COMM] = op->launch.comm + 1,
									  [COLL_KIND] = op->launch.coll,
									  [COLL_BYTES] = op->launch.bytes,
									  [COLL_OUT_BYTES] = op->launch.bytes,
									  [COLL_SEQUENCE] = op->launch.sequence};
	add_row(r, BATON_COLLECTIVE, tick(r, op->start_ns), tick(r, op->end_ns), row,
			ALL_COLUMNS(COLL_OUT_BYTES + 1) | 1u << COLL_SEQUENCE);
}

/* One for each name, under the name's number; 0 without a name. */
static uint32_t shape_id(struct recorder *r, const struct gpu_op *op)
{
	const uint32_t name = op->launch.name;
	if (name && r->written[name] < 2) {
		struct baton_r_shape row = shape_of(op);
		row.id = FIRST_TEXT + name;
		baton_writer_record(&r->writer, BATON_R_SHAPE, &row, sizeof(row), NULL, 0);
		r->written[name] = 2;
	}
	return name ? FIRST_TEXT + name : 0;
}

void recorder_op(struct recorder *r, const struct gpu_op *op, uint32_t stream)
{
	static const uint8_t kinds[] = {[GPU_KERNEL] = BATON_KERNEL,
									[GPU_COPY] = BATON_MEMCPY,
									[GPU_MEMSET] = BATON_MEMSET,
									[GPU_NCCL] = BATON_KERNEL};
	if (lost(r, &r->lost_ops))
		return;
	const struct gpu_launch *launch = &op->launch;
	int64_t row[BATON_MAX_COLUMNS] = {[OP_KIND] = kinds[op->kind],
									  [OP_STREAM] = stream + 1,
									  [OP_CORRELATION] = (int64_t)launch->correlation,
									  [OP_NAME] = text_id(r, launch->name)};
	uint32_t present = ALL_COLUMNS(OP_NAME + 1);
	if (op->kind == GPU_COPY || op->kind == GPU_MEMSET) {
		row[OP_BYTES] = launch->bytes;
		row[OP_COPY_DIR] = launch->copy_dir;
		row[OP_PAGEABLE] = launch->pageable;
		row[OP_MEMORY] = memory_of(op);
		present |= 1u << OP_BYTES | 1u << OP_COPY_DIR | 1u << OP_PAGEABLE | 1u << OP_MEMORY;
		if (launch->peer) {
			row[OP_SOURCE] = r->process->streams[stream].device + 1;
			row[OP_TARGET] = launch->peer;
			present |= 1u << OP_SOURCE | 1u << OP_TARGET;
		}
	} else {
		row[OP_SHAPE] = shape_id(r, op);
		present |= 1u << OP_SHAPE;
	}
	if (launch->node) {
		row[OP_GRAPH_NODE] = (int64_t)launch->node;
		present |= 1u << OP_GRAPH_NODE;
	}
	add_row(r, BATON_OP, tick(r, op->start_ns), tick(r, op->end_ns), row, present);
	if (op->kind == GPU_NCCL && launch->coll != BATON_COLL_SENDRECV)
		add_collective(r, op);
}
