/* The rows of a process that lie in the sample. */
#include "graph/process.h"

#include "base/room.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "stacks/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS_KNOWN = 0x80 };

struct row_reading { /* the part of a table that is read, on the process's clock */
	struct process *process;
	struct rows rows;
	int64_t from, to;
	struct stacks stacks;
	uint8_t *standings; /* by stack; 0: not looked at */
};

static uint32_t look_at_call(const struct process *p, uint32_t name)
{
	const char *text = strings_get(&p->trace.strings, name).at;
	const uint32_t mask = host_names_call(p->names, text);
	if (mask & HOST_MASK(HOST_BIT_FREE))
		return CALL_FREES;
	if (mask & HOST_MASK(HOST_BIT_ALLOC))
		return CALL_ALLOCS;
	if (mask & HOST_MASK(HOST_BIT_MODULE_LOAD))
		return CALL_LOADS;
	if (mask & HOST_MASK(HOST_BIT_SYNC))
		return CALL_WAITS;
	if (strstr(text, "StreamWaitEvent"))
		return CALL_WAITS_EVENT;
	if (strstr(text, "EventRecord"))
		return CALL_RECORDS_EVENT;
	if (strcmp(text, "ncclSend") == 0 || strcmp(text, "ncclRecv") == 0)
		return CALL_SENDS;
	return CALL_PLAIN;
}

/* The end of what begins at `start`, on the sample's clock. Both are moved: rows that meet on a clock
 * that drifts, a sleep and the call after it, meet here too. Not before `begin`, where it is set. */
static int64_t end_time(const struct process *p, int64_t begin, int64_t start, int64_t ns)
{
	const int64_t end = sample_time(p->sample, p->index, saturate_add(start, ns));
	return end > begin ? end : begin;
}

static int take_call(struct row_reading *r)
{
	struct process *p = r->process;
	if (room_for((void **)&p->calls, p->n_calls, &p->calls_room, 1024, sizeof(*p->calls)) != 0)
		return -ENOMEM;
	const int64_t start = rows_value(&r->rows, CALL_START), ns = rows_value(&r->rows, CALL_DUR);
	const uint32_t name =
		idmap_get(&p->trace.string_ids, (uint64_t)rows_value(&r->rows, CALL_NAME));
	if (!p->name_classes[name])
		p->name_classes[name] = (uint8_t)(look_at_call(p, name) | CLASS_KNOWN);
	const int64_t begin = sample_time(p->sample, p->index, start);
	p->calls[p->n_calls++] = (struct host_call){
		.begin = begin,
		.end = end_time(p, begin + 1, start, ns),
		.correlation = (uint64_t)rows_value(&r->rows, CALL_CORRELATION),
		.thread = idmap_get(&p->trace.thread_ids, (uint64_t)rows_value(&r->rows, CALL_THREAD)),
		.name = name,
		.class = p->name_classes[name] & (CLASS_KNOWN - 1),
		.device_wide = strstr(strings_get(&p->trace.strings, name).at, "Device") != NULL,
		.first_op = NO_INDEX,
		.own_op = NO_INDEX,
		.chain = EDGE_NONE};
	return 0;
}

static int take_op(struct row_reading *r)
{
	struct process *p = r->process;
	if (room_for((void **)&p->ops, p->n_ops, &p->ops_room, 1024, sizeof(*p->ops)) != 0)
		return -ENOMEM;
	const struct rows *rows = &r->rows;
	const int64_t start = rows_value(rows, OP_START);
	const int64_t begin = sample_time(p->sample, p->index, start);
	struct device_op *op = &p->ops[p->n_ops];
	*op = (struct device_op){
		.begin = begin,
		.end = end_time(p, begin, start, rows_value(rows, OP_DUR)),
		.correlation = (uint64_t)rows_value(rows, OP_CORRELATION),
		.call = NO_INDEX,
		.last_call = NO_INDEX,
		.name = idmap_get(&p->trace.string_ids, (uint64_t)rows_value(rows, OP_NAME)),
		.stream = idmap_get(&p->trace.stream_ids, (uint64_t)rows_value(rows, OP_STREAM)),
		.coll = NO_INDEX,
		.kind = (uint8_t)rows_value(rows, OP_KIND),
		.pageable =
			rows_value(rows, OP_KIND) == BATON_MEMCPY && rows_optional(rows, OP_PAGEABLE, 0) == 1};
	op->copies = op->kind == BATON_MEMCPY && rows_optional(rows, OP_COPY_DIR, 0) != BATON_COPY_DTOD;
	p->n_ops += op->stream != 0 && p->trace.streams[op->stream].device != 0;
	return 0;
}

static int take_sent(struct row_reading *r)
{
	struct process *p = r->process;
	const struct rows *rows = &r->rows;
	const uint8_t coll = (uint8_t)rows_value(rows, COLL_KIND);
	const int64_t peer = rows_optional(rows, COLL_PEER, 0);
	if (peer <= 0 || peer > INT32_MAX || (coll != BATON_COLL_SEND && coll != BATON_COLL_RECV))
		return 0;
	if (room_for((void **)&p->sents, p->n_sents, &p->sents_room, 64, sizeof(*p->sents)) != 0)
		return -ENOMEM;
	p->sents[p->n_sents] = (struct sent_row){(uint64_t)rows_value(rows, COLL_CORRELATION),
											 (uint32_t)peer, (uint32_t)p->n_sents, coll};
	p->n_sents++;
	return 0;
}

/* The first row of a correlation tells what it is, the others how many there are. */
static int take_coll(struct row_reading *r)
{
	struct process *p = r->process;
	const struct rows *rows = &r->rows;
	if (room_for((void **)&p->colls, p->n_colls, &p->colls_room, 64, sizeof(*p->colls)) != 0)
		return -ENOMEM;
	p->colls[p->n_colls++] = (struct coll_row){
		.correlation = (uint64_t)rows_value(rows, COLL_CORRELATION),
		.sequence = (uint64_t)rows_optional(rows, COLL_SEQUENCE, 0),
		.bytes = rows_optional(rows, COLL_BYTES, -1),
		.comm = idmap_get(&p->trace.comm_ids, (uint64_t)rows_value(rows, COLL_COMM)),
		.rows = 1,
		.coll = (uint8_t)rows_value(rows, COLL_KIND),
		.has_sequence = (rows->now->present >> COLL_SEQUENCE & 1) != 0};
	return take_sent(r);
}

static int add_span(struct process *p, const struct rows *rows, uint32_t thread, uint8_t label)
{
	if (room_for((void **)&p->spans, p->n_spans, &p->spans_room, 64, sizeof(*p->spans)) != 0)
		return -ENOMEM;
	const int64_t start = rows_value(rows, ROW_START);
	const int64_t begin = sample_time(p->sample, p->index, start);
	p->spans[p->n_spans++] =
		(struct span){begin, end_time(p, begin, start, rows_value(rows, ROW_DUR)), thread, label};
	return 0;
}

static int take_range(struct row_reading *r)
{
	struct process *p = r->process;
	const uint32_t name =
		idmap_get(&p->trace.string_ids, (uint64_t)rows_value(&r->rows, RANGE_NAME));
	const int category = (int)rows_value(&r->rows, RANGE_CATEGORY);
	const uint32_t thread =
		idmap_get(&p->trace.thread_ids, (uint64_t)rows_value(&r->rows, RANGE_THREAD));
	if (room_for((void **)&p->begun, p->n_begun, &p->begun_room, 64, sizeof(*p->begun)) != 0)
		return -ENOMEM;
	if (!trace_is_recorded(&p->trace))
		p->begun[p->n_begun++] = (struct range_begin){
			sample_time(p->sample, p->index, rows_value(&r->rows, RANGE_START)), thread};
	/* the hash cache is free for ranges: bit 0 is always set in it */
	uint64_t *known = &p->name_hashes[name];
	if (*known == 0 || *known > 4) {
		const char *text = strings_get(&p->trace.strings, name).at;
		const uint32_t mask = host_names_range(p->names, text, category);
		*known = mask & HOST_MASK(HOST_BIT_INPUT) ? 4 : 2;
	}
	return *known == 4 ? add_span(p, &r->rows, thread, LABEL_INPUT) : 0;
}

static int take_overhead(struct row_reading *r)
{
	static const uint8_t labels[] = {[BATON_OVERHEAD_PROFILER] = LABEL_PROFILER,
									 [BATON_OVERHEAD_MODULE_LOAD] = LABEL_MODULE_LOAD,
									 [BATON_OVERHEAD_BUFFER_FULL] = LABEL_QUEUE_FULL};
	const uint64_t kind = (uint64_t)rows_value(&r->rows, OVERHEAD_KIND);
	if (kind >= sizeof(labels) || !labels[kind])
		return 0;
	return add_span(
		r->process, &r->rows,
		idmap_get(&r->process->trace.thread_ids, (uint64_t)rows_value(&r->rows, OVERHEAD_THREAD)),
		labels[kind]);
}

static int take_event(struct row_reading *r)
{
	struct process *p = r->process;
	const struct rows *rows = &r->rows;
	const uint32_t stream =
		idmap_get(&p->trace.stream_ids, (uint64_t)rows_value(rows, SYNC_STREAM));
	if (!stream || !(rows->now->present >> SYNC_EVENT & 1))
		return 0;
	if (room_for((void **)&p->events, p->n_events, &p->events_room, 64, sizeof(*p->events)) != 0)
		return -ENOMEM;
	p->events[p->n_events++] =
		(struct event_row){sample_time(p->sample, p->index, rows_value(rows, SYNC_START)),
						   (uint64_t)rows_value(rows, SYNC_EVENT), stream,
						   rows_value(rows, SYNC_KIND) == BATON_SYNC_STREAM_WAIT};
	return 0;
}

static int take_sync(struct row_reading *r)
{
	struct process *p = r->process;
	const int64_t kind = rows_value(&r->rows, SYNC_KIND);
	if (kind == BATON_SYNC_EVENT_RECORD || kind == BATON_SYNC_STREAM_WAIT)
		return take_event(r);
	if (kind != BATON_SYNC_HOST_FUNC && kind != BATON_SYNC_PEER)
		return 0;
	if (room_for((void **)&p->helds, p->n_helds, &p->helds_room, 64, sizeof(*p->helds)) != 0)
		return -ENOMEM;
	const int64_t start = rows_value(&r->rows, SYNC_START);
	const int64_t begin = sample_time(p->sample, p->index, start);
	p->helds[p->n_helds++] = (struct held_row){
		begin, end_time(p, begin, start, rows_value(&r->rows, SYNC_DUR)),
		idmap_get(&p->trace.stream_ids, (uint64_t)rows_value(&r->rows, SYNC_STREAM)),
		(uint8_t)kind};
	return 0;
}

/* Of a stack: LOOKED once it is known; in a data loader, by the innermost frame with a class; in the
 * program's own code, not in a function that waits for another thread. */
enum { LOOKED = 1, IN_LOADER = 2, OF_ITS_OWN = 4 };

static uint8_t look_at_stack(struct row_reading *r, uint32_t index)
{
	uint32_t mask = 0;
	bool innermost = true, hands_over = false;
	for (uint32_t i = 0; i < stacks_frames(&r->stacks, index) && !mask; i++) {
		const char *file = stacks_python_file(&r->stacks, index, i);
		if (stacks_frame_kind(&r->stacks, index, i) == BATON_FRAME_BACKWARD)
			break;
		if (!file)
			continue;
		const char *function = stacks_python_function(&r->stacks, index, i);
		mask = host_names_frame(r->process->names, file, function);
		hands_over =
			hands_over || (innermost && host_names_hands_over(r->process->names, file, function));
		innermost = false;
	}
	return (uint8_t)(LOOKED | (mask & HOST_MASK(HOST_BIT_INPUT) ? IN_LOADER : 0) |
					 (hands_over ? 0 : OF_ITS_OWN));
}

/* Where a silent thread stands; 0: it is not known. */
static uint8_t standing_of(struct row_reading *r, uint64_t stack)
{
	if (!r->standings) {
		if (stacks_open(&r->stacks, &r->process->trace, NULL) != 0)
			return 0;
		r->standings = calloc(r->stacks.n_stacks + 1, 1);
		if (!r->standings) {
			stacks_close(&r->stacks);
			return 0;
		}
	}
	const uint32_t index = stacks_find(&r->stacks, stack);
	if (!r->standings[index])
		r->standings[index] = look_at_stack(r, index);
	return r->standings[index];
}

static int take_sched(struct row_reading *r)
{
	struct process *p = r->process;
	const struct rows *rows = &r->rows;
	if (saturate_add(rows_value(rows, SCHED_START), rows_value(rows, SCHED_DUR)) <= p->begins[0])
		return 0;
	if (room_for((void **)&p->scheds, p->n_scheds, &p->scheds_room, 256, sizeof(*p->scheds)) != 0 ||
		room_for((void **)&p->sched_threads, p->n_scheds, &p->sched_threads_room, 256,
				 sizeof(*p->sched_threads)) != 0)
		return -ENOMEM;
	const int64_t start = rows_value(rows, SCHED_START), ns = rows_value(rows, SCHED_DUR);
	const int64_t begin = sample_time(p->sample, p->index, start);
	const int64_t slept = rows_value(rows, SCHED_SLEPT), waited = rows_value(rows, SCHED_WAITED);
	const int64_t asleep = slept < 0 || slept > ns ? ns : slept;
	const int64_t away = waited < 0 || waited > ns - asleep ? ns : asleep + waited;
	const uint64_t stack = (uint64_t)rows_optional(rows, SCHED_STACK, 0);
	p->sched_threads[p->n_scheds] =
		idmap_get(&p->trace.thread_ids, (uint64_t)rows_value(rows, SCHED_THREAD));
	const uint64_t holder_id = (uint64_t)rows_optional(rows, SCHED_HOLDER, 0);
	const uint32_t holder = holder_id ? idmap_get(&p->trace.thread_ids, holder_id) : 0;
	const uint8_t standing = stack && asleep > 0 ? standing_of(r, stack) : 0;
	const int64_t woken = end_time(p, begin, start, asleep);
	const int64_t runs = end_time(p, woken, start, away);
	p->scheds[p->n_scheds++] = (struct sched_row){begin,
												  woken,
												  runs,
												  end_time(p, runs, start, ns),
												  standing & OF_ITS_OWN ? begin : woken,
												  holder,
												  (standing & IN_LOADER) != 0,
												  0};
	return 0;
}

static int read_table(struct row_reading *r, unsigned kind, int (*take)(struct row_reading *))
{
	int error = rows_open_within(&r->rows, &r->process->trace, kind, r->from, r->to);
	if (error)
		return error;
	while (!error && rows_next(&r->rows)) {
		const int64_t start = rows_value(&r->rows, ROW_START);
		if (start >= r->to)
			break;
		if (start >= r->from)
			error = take(r);
	}
	error = error ? error : r->rows.error;
	rows_close(&r->rows);
	return error;
}

static int by_correlation(const void *a, const void *b)
{
	const struct coll_row *x = a, *y = b;
	return x->correlation < y->correlation ? -1 : x->correlation > y->correlation;
}

static int by_sent(const void *a, const void *b)
{
	const struct sent_row *x = a, *y = b;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_event(const void *a, const void *b)
{
	const struct event_row *x = a, *y = b;
	if (x->event != y->event)
		return x->event < y->event ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int by_thread(const void *a, const void *b)
{
	const struct range_begin *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static void group_colls(struct process *p)
{
	size_t kept = 0;
	sort_rows(p->colls, p->n_colls, sizeof(*p->colls), by_correlation);
	for (size_t i = 0; i < p->n_colls; i++) {
		struct coll_row *last = kept ? &p->colls[kept - 1] : NULL;
		if (!last || last->correlation != p->colls[i].correlation) {
			p->colls[kept++] = p->colls[i];
			continue;
		}
		last->rows++;
		if (last->coll != p->colls[i].coll && last->coll >= BATON_COLL_SEND)
			last->coll = BATON_COLL_SENDRECV; /* a group that does both */
	}
	p->n_colls = kept;
}

int process_read(struct process *p)
{
	static const struct {
		unsigned kind;
		int (*take)(struct row_reading *);
	} host[] = {{BATON_RANGE, take_range},
				{BATON_CALL, take_call},
				{BATON_OVERHEAD, take_overhead}},
	  gpu[] = {{BATON_OP, take_op}, {BATON_COLLECTIVE, take_coll}, {BATON_SYNC, take_sync}};
	struct row_reading r = {.process = p};
	sample_begins(p->sample, p->index, p->begins);
	r.from = p->begins[0];
	r.to = p->begins[p->sample->n_steps];
	const int64_t end = r.to, step = (end - r.from) / p->sample->n_steps;
	int error = 0;
	for (size_t i = 0; !error && i < sizeof(host) / sizeof(host[0]); i++)
		error = read_table(&r, host[i].kind, host[i].take);
	memset(p->name_hashes, 0, (p->trace.strings.n + 1) * sizeof(*p->name_hashes));
	r.from = saturate_sub(p->begins[0], step); /* a thread may be silent when the sample begins */
	error = error ? error : read_table(&r, BATON_SCHED, take_sched);
	r.from = p->begins[0];
	r.to = end + step; /* the GPU may be far behind */
	const int64_t gpu_end = sample_gpu_end(p->sample, p->index);
	r.to = gpu_end >= r.to ? gpu_end + 1 : r.to;
	for (size_t i = 0; !error && i < sizeof(gpu) / sizeof(gpu[0]); i++)
		error = read_table(&r, gpu[i].kind, gpu[i].take);
	group_colls(p);
	sort_rows(p->sents, p->n_sents, sizeof(*p->sents), by_sent);
	sort_rows(p->events, p->n_events, sizeof(*p->events), by_event);
	if (p->n_scheds)
		p->n_begun = 0;
	sort_rows(p->begun, p->n_begun, sizeof(*p->begun), by_thread);
	if (r.standings)
		stacks_close(&r.stacks);
	free(r.standings);
	return error;
}
