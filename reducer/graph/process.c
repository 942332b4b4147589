#include "graph/process.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

uint64_t process_name_hash(struct process *process, uint32_t name)
{
	uint64_t *hash = &process->name_hashes[name];
	if (*hash == 0) {
		const struct text text = strings_get(&process->trace.strings, name);
		*hash = XXH3_64bits(text.at, text.bytes) | 1;
	}
	return *hash;
}

int32_t process_step(const struct process *process, int64_t ns)
{
	uint32_t low = 0, high = process->sample->n_steps + 1;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (process->begins[middle] <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return (int32_t)low - 1;
}

static int by_thread(const void *a, const void *b)
{
	const struct host_call *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

struct key { /* a call or op by its correlation */
	uint64_t correlation;
	int64_t begin, end;
	uint32_t index;
};

/* The outermost call of a correlation comes first. */
static int by_correlation(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static uint32_t find_key(const struct key *keys, size_t n, uint64_t correlation)
{
	size_t low = 0, high = n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (keys[middle].correlation < correlation)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && keys[low].correlation == correlation ? keys[low].index : NO_INDEX;
}

/* Gives ops their calls and drops those that were launched after the sample. */
static int join_calls(struct process *p)
{
	struct key *keys = malloc((p->n_calls + 1) * sizeof(*keys));
	size_t n = 0, kept = 0;
	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_calls; i++)
		if (p->calls[i].correlation)
			keys[n++] = (struct key){p->calls[i].correlation, p->calls[i].begin, p->calls[i].end,
									 (uint32_t)i};
	sort_rows(keys, n, sizeof(*keys), by_correlation);
	const int64_t end_ns = p->begins[p->sample->n_steps];
	for (size_t i = 0; i < p->n_ops; i++) {
		struct device_op *op = &p->ops[i];
		op->call = op->correlation ? find_key(keys, n, op->correlation) : NO_INDEX;
		if (op->call != NO_INDEX || op->begin < end_ns)
			p->ops[kept++] = *op;
	}
	p->n_ops = kept;
	free(keys);
	return 0;
}

static int by_begin(const void *a, const void *b, void *context)
{
	const struct process *p = context;
	const struct device_op *x = a, *y = b;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	const int64_t xl = x->call == NO_INDEX ? INT64_MAX : p->calls[x->call].begin;
	const int64_t yl = y->call == NO_INDEX ? INT64_MAX : p->calls[y->call].begin;
	if (xl != yl)
		return xl < yl ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static uint32_t find_coll(const struct process *p, uint64_t correlation)
{
	size_t low = 0, high = p->n_colls;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (p->colls[middle].correlation < correlation)
			low = middle + 1;
		else
			high = middle;
	}
	return low < p->n_colls && p->colls[low].correlation == correlation ? (uint32_t)low : NO_INDEX;
}

/* What calls launched, and the steps of their ops. */
static void tell_calls(struct process *p)
{
	for (size_t i = 0; i < p->n_ops; i++) {
		struct device_op *op = &p->ops[i];
		op->coll =
			op->kind == BATON_KERNEL && op->correlation ? find_coll(p, op->correlation) : NO_INDEX;
		if (op->call == NO_INDEX)
			continue;
		struct host_call *call = &p->calls[op->call];
		op->step = process_step(p, call->begin);
		if (call->first_op == NO_INDEX) {
			call->first_op = (uint32_t)i;
			op->launches = true;
		}
		if (op->stream != p->ops[call->first_op].stream)
			op->launches = true;
		if (op->pageable)
			call->class = CALL_WAITS;
		if (call->class == CALL_WAITS)
			call->own_op = (uint32_t)i;
	}
}

static int count_streams(struct process *p)
{
	for (uint32_t s = 0; s < p->n_streams; s++)
		p->streams[s].n_ops = p->streams[s].n_launched = 0;
	for (size_t i = 0; i < p->n_ops; i++) {
		struct process_stream *stream = &p->streams[p->ops[i].stream];
		stream->n_ops++;
		stream->n_launched += p->ops[i].call != NO_INDEX;
	}
	for (uint32_t s = 0; s < p->n_streams; s++) {
		struct process_stream *stream = &p->streams[s];
		free(stream->ops);
		free(stream->launched);
		stream->ops = malloc((stream->n_ops + 1) * sizeof(*stream->ops));
		stream->launched = malloc((stream->n_launched + 1) * sizeof(*stream->launched));
		if (!stream->ops || !stream->launched)
			return -ENOMEM;
		stream->n_ops = stream->n_launched = 0;
	}
	return 0;
}

static int by_launch(const void *a, const void *b, void *context)
{
	const struct process *p = context;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const int64_t xl = p->calls[p->ops[x].call].begin, yl = p->calls[p->ops[y].call].begin;
	if (xl != yl)
		return xl < yl ? -1 : 1;
	return x < y ? -1 : x > y;
}

int process_fill_streams(struct process *p)
{
	int error = count_streams(p);
	if (error)
		return error;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		struct device_op *op = &p->ops[i];
		struct process_stream *stream = &p->streams[op->stream];
		if (op->call == NO_INDEX)
			op->step = stream->n_ops ? p->ops[stream->ops[stream->n_ops - 1]].step
									 : process_step(p, op->begin);
		else
			stream->launched[stream->n_launched++] = i;
		stream->ops[stream->n_ops++] = i;
	}
	for (uint32_t s = 0; s < p->n_streams; s++)
		sort_rows_with(p->streams[s].launched, p->streams[s].n_launched, sizeof(uint32_t),
					   by_launch, p);
	return 0;
}

/* Streams of the device are calibrated as it is. */
static void calibrate(struct process *p, uint32_t device, const struct device_scan *scan)
{
	for (uint32_t s = 1; s < p->n_streams; s++)
		if (p->streams[s].device == device)
			p->streams[s].calibration = &scan->calibration;
}

/* Each device with ops becomes a unit. */
static int find_units(struct process *p, struct model *model)
{
	const struct run_process *of = &p->run->processes[p->index];
	for (uint32_t s = 1; s < p->n_streams; s++) {
		struct process_stream *stream = &p->streams[s];
		uint16_t *unit = &p->unit_of_device[stream->device];
		if (stream->n_ops == 0)
			continue;
		if (*unit == UNIT_NONE) {
			struct unit *new = model->n_units < UNIT_NONE ? MODEL_ADD(model, units) : NULL;
			if (!new)
				return -ENOMEM;
			*unit = (uint16_t)(model->n_units - 1);
			char key[512];
			run_device_key(&p->trace, stream->device, key, sizeof(key));
			*new = (struct unit){
				.process = p->index, .host = p->sample->host_of[p->index], .rank = of->rank};
			for (uint32_t d = 0; d < p->run->n_devices; d++)
				if (strcmp(strings_get(&p->run->pool, p->run->devices[d].key).at, key) == 0) {
					new->key = p->run->devices[d].key;
					calibrate(p, stream->device, &p->sample->scans[d]);
				}
		}
		stream->unit = *unit;
	}
	for (size_t i = 0; i < p->n_ops; i++)
		p->ops[i].unit = p->streams[p->ops[i].stream].unit;
	return 0;
}

static int make_tables(struct process *p)
{
	const struct trace *trace = &p->trace;
	p->begins = calloc(p->sample->n_steps + 1, sizeof(*p->begins));
	p->name_hashes = calloc(trace->strings.n + 1, sizeof(*p->name_hashes));
	p->name_classes = calloc(trace->strings.n + 1, sizeof(*p->name_classes));
	p->kernel_classes = calloc(trace->strings.n + 1, sizeof(*p->kernel_classes));
	p->streams = calloc(trace->n_streams + 1, sizeof(*p->streams));
	p->unit_of_device = malloc((trace->n_devices + 1) * sizeof(*p->unit_of_device));
	if (!p->begins || !p->name_hashes || !p->name_classes || !p->kernel_classes || !p->streams ||
		!p->unit_of_device)
		return -ENOMEM;
	p->n_streams = trace->n_streams;
	for (uint32_t i = 0; i <= trace->n_streams; i++) /* until its device is known */
		p->streams[i].calibration = &p->sample->scans[p->sample->scan_of[p->index] - 1].calibration;
	for (uint32_t i = 0; i <= trace->n_devices; i++)
		p->unit_of_device[i] = UNIT_NONE;
	for (uint32_t i = 1; i < trace->n_streams; i++) {
		p->streams[i].device = trace->streams[i].device;
		p->streams[i].number = trace->streams[i].stream;
	}
	return 0;
}

static int read_all(struct process *p, struct model *model)
{
	int error = make_tables(p);
	if (error)
		return error;
	error = process_read(p);
	if (error)
		return error;
	for (uint32_t i = 0; i <= p->sample->n_steps; i++)
		p->begins[i] = sample_time(p->sample, p->index, p->begins[i]);
	sort_rows(p->calls, p->n_calls, sizeof(*p->calls), by_thread);
	error = join_calls(p);
	if (error)
		return error;
	sort_rows_with(p->ops, p->n_ops, sizeof(*p->ops), by_begin, p);
	tell_calls(p);
	error = process_fill_streams(p);
	return error ? error : find_units(p, model);
}

int process_open(struct process *process, struct model *model, const struct sample *sample,
				 uint32_t index)
{
	const struct device_context *context = sample->context;
	const struct run_process *of = &context->run->processes[index];
	*process = (struct process){.index = index,
								.sample = sample,
								.run = context->run,
								.lost = of->losses[BATON_LOSS_DROPPED] > 0,
								.names = context->names,
								.begin_node = NO_INDEX};
	if (!sample->scan_of[index])
		return 1;
	int error = run_process_open(of, &process->trace, NULL);
	if (error)
		return error;
	error = read_all(process, model);
	if (error)
		process_close(process);
	return error;
}

void process_close(struct process *p)
{
	for (uint32_t s = 0; s < p->n_streams; s++) {
		free(p->streams[s].ops);
		free(p->streams[s].launched);
	}
	for (uint32_t i = 0; i < p->n_threads; i++) {
		free(p->threads[i].points);
		free(p->threads[i].chain);
		free(p->threads[i].scheds);
		free(p->threads[i].pieces);
		free(p->threads[i].wakings);
	}
	free(p->threads);
	free(p->streams);
	free(p->begins);
	free(p->name_hashes);
	free(p->name_classes);
	free(p->kernel_classes);
	free(p->unit_of_device);
	free(p->calls);
	free(p->ops);
	free(p->colls);
	free(p->sents);
	free(p->spans);
	free(p->begun);
	free(p->helds);
	free(p->events);
	free(p->scheds);
	free(p->holdings);
	free(p->profilings);
	free(p->sched_threads);
	trace_close(&p->trace);
	memset(p, 0, sizeof(*p));
}

uint32_t process_given_before(const struct process *p, const struct process_stream *s, int64_t ns)
{
	uint32_t low = 0, high = s->n_launched;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (p->calls[p->ops[s->launched[middle]].call].begin < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
