#include "export/kineto_args.h"

#include "import/kineto/kineto_nccl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool has(const struct walk_row *row, unsigned column)
{
	return row->present >> column & 1;
}

static void put_three(struct json *json, const char *key, const uint32_t of[3])
{
	json_array(json, key);
	for (int i = 0; i < 3; i++)
		json_number(json, NULL, of[i]);
	json_end_array(json);
}

/* Kineto has one number for static and dynamic shared memory. */
static void put_shape(struct json *json, const struct trace_shape *shape)
{
	uint64_t shared = 0;
	if (shape->registers != BATON_SHAPE_UNKNOWN)
		json_number(json, "registers per thread", shape->registers);
	if (shape->static_shared != BATON_SHAPE_UNKNOWN)
		shared += shape->static_shared;
	if (shape->dynamic_shared != BATON_SHAPE_UNKNOWN)
		shared += shape->dynamic_shared;
	if (shape->static_shared != BATON_SHAPE_UNKNOWN || shape->dynamic_shared != BATON_SHAPE_UNKNOWN)
		json_number(json, "shared memory", (int64_t)shared);
	put_three(json, "grid", shape->grid);
	put_three(json, "block", shape->block);
}

/* A recording's communicator has the same number in all its members, and others with its name may
 * exist: the name gets it. */
static void put_group(struct json *json, const struct trace *trace, const struct trace_comm *comm)
{
	char name[256];
	if (comm->size)
		json_number(json, "Group size", comm->size);
	if (trace_is_recorded(trace)) {
		snprintf(name, sizeof(name), "%.200s%s%016" PRIx64,
				 strings_get(&trace->strings, comm->name).at, comm->name ? " " : "", comm->hash);
		json_text(json, "Process Group Name", name);
		return;
	}
	if (comm->name)
		json_text(json, "Process Group Name", strings_get(&trace->strings, comm->name).at);
	if (comm->ranks)
		json_text(json, "Process Group Ranks", strings_get(&trace->strings, comm->ranks).at);
}

static void put_elements(struct json *json, const struct walk_row *coll, const struct text dtype)
{
	const uint32_t each = kineto_dtype_bytes(dtype.at, dtype.bytes);
	const int64_t by = each ? each : 1;
	if (has(coll, COLL_BYTES))
		json_number(json, "In msg nelems", coll->value[COLL_BYTES] / by);
	if (has(coll, COLL_OUT_BYTES))
		json_number(json, "Out msg nelems", coll->value[COLL_OUT_BYTES] / by);
	if (each || has(coll, COLL_BYTES) || has(coll, COLL_OUT_BYTES))
		json_text(json, "dtype", each ? dtype.at : "Byte");
}

static void put_collective(struct json *json, const struct trace *trace,
						   const struct walk_row *coll)
{
	static const char *const names[BATON_COLL_END] = {
		"unknown", "allreduce", "allgather", "reduce_scatter", "all_to_all", "barrier", "broadcast",
		"reduce",  "gather",    "scatter",   "send",           "recv",       "sendrecv"};
	const int64_t kind = coll->value[COLL_KIND];
	const uint32_t comm = idmap_get(&trace->comm_ids, (uint64_t)coll->value[COLL_COMM]);
	json_text(json, "Collective name", names[kind >= 0 && kind < BATON_COLL_END ? kind : 0]);
	put_elements(json, coll,
				 strings_get(&trace->strings,
							 idmap_get(&trace->string_ids, (uint64_t)coll->value[COLL_DTYPE])));
	if (has(coll, COLL_SEQUENCE))
		json_number(json, "Seq", coll->value[COLL_SEQUENCE]);
	if (comm)
		put_group(json, trace, &trace->comms[comm]);
}

static void put_stream(struct json *json, const struct trace *trace, int64_t id)
{
	const struct trace_stream *stream =
		&trace->streams[idmap_get(&trace->stream_ids, (uint64_t)id)];
	json_number(json, "device", trace->devices[stream->device].ordinal);
	json_number(json, "context", stream->context);
	json_number(json, "stream", stream->stream);
}

/* As torch.profiler has them of copies between devices, beside what it has of others. */
static void put_ends(struct json *json, const struct trace *trace, const struct walk_row *row)
{
	static const char *const words[2][2] = {{"fromDevice", "fromContext"},
											{"toDevice", "toContext"}};
	for (int i = 0; i < 2; i++) {
		const uint32_t device =
			idmap_get(&trace->device_ids, (uint64_t)row->value[i ? OP_TARGET : OP_SOURCE]);
		uint32_t s = 1;
		if (!device)
			continue;
		json_number(json, words[i][0], trace->devices[device].ordinal);
		while (s < trace->n_streams && trace->streams[s].device != device)
			s++;
		if (s < trace->n_streams)
			json_number(json, words[i][1], trace->streams[s].context);
	}
}

void kineto_args_op(struct json *json, const struct walk_slice *slice)
{
	const struct walk_row *row = slice->row;
	const struct trace *trace = slice->trace;
	const uint32_t shape = idmap_get(&trace->shape_ids, (uint64_t)row->value[OP_SHAPE]);
	if (slice->op_number)
		json_number(json, "External id", (int64_t)slice->op_number);
	put_stream(json, trace, row->value[OP_STREAM]);
	json_number(json, "correlation", row->value[OP_CORRELATION]);
	if (has(row, OP_BYTES))
		json_number(json, "bytes", row->value[OP_BYTES]);
	if (row->value[OP_GRAPH_NODE])
		json_number(json, "graph node id", row->value[OP_GRAPH_NODE]);
	put_ends(json, trace, row);
	if (shape)
		put_shape(json, &trace->shapes[shape]);
	if (slice->coll)
		put_collective(json, trace, slice->coll);
}

void kineto_args_call(struct json *json, const struct walk_slice *slice)
{
	if (slice->op_number)
		json_number(json, "External id", (int64_t)slice->op_number);
	json_number(json, "correlation", slice->row->value[CALL_CORRELATION]);
}

/* ---- inputs of operators ---- */

enum { WORD_BYTES = 128, DEEPEST = 8 };

/* A text or a number at `at`. Returns what follows it, NULL: there is none. json NULL: only looks. */
static const char *put_word(struct json *json, const char *at)
{
	char word[WORD_BYTES];
	const bool text = *at == '"';
	const char *from = at + text;
	const size_t bytes = strcspn(from, text ? "\"\\" : "],");
	char *end;
	if ((bytes == 0 && !text) || bytes >= sizeof(word) || (text && from[bytes] != '"'))
		return NULL;
	memcpy(word, from, bytes);
	word[bytes] = 0;
	errno = 0;
	const int64_t number = text ? 0 : strtoll(word, &end, 10);
	if (!text && (errno || *end || strchr(" +\t\n\v\f\r", *word)))
		return NULL;
	if (json && text)
		json_text(json, NULL, word);
	else if (json)
		json_number(json, NULL, number);
	return from + bytes + text;
}

/* The lists that an importer has found; a trace may hold any text. False: it is no list. */
static bool put_lists(struct json *json, const char *key, const char *at)
{
	int depth = 0;
	bool value = true; /* one is expected, or may be */
	do {
		if (*at == '[' && value && depth < DEEPEST) {
			if (json)
				json_array(json, depth++ ? NULL : key);
			else
				depth++;
			at++;
		} else if (*at == ']' && depth > 0 && (!value || at[-1] == '[')) {
			depth--;
			value = false;
			at++;
			if (json)
				json_end_array(json);
		} else if (*at == ',' && !value) {
			value = true;
			at++;
		} else {
			at = value && depth > 0 ? put_word(json, at) : NULL;
			value = false;
		}
	} while (at && depth > 0);
	return at && !*at;
}

static void put_inputs(struct json *json, const char *key, struct text text)
{
	if (text.bytes == 0)
		return;
	if (*text.at == '[' && strlen(text.at) == text.bytes && put_lists(NULL, key, text.at))
		put_lists(json, key, text.at);
	else
		json_text(json, key, text.at);
}

void kineto_args_operator(struct json *json, const struct walk_slice *slice)
{
	const struct trace *trace = slice->trace;
	const struct trace_inputs *inputs =
		&trace->inputs[idmap_get(&trace->input_ids, (uint64_t)slice->row->value[RANGE_INPUTS])];
	json_number(json, "External id", (int64_t)slice->op_number);
	put_inputs(json, "Input Dims", strings_get(&trace->strings, inputs->shapes));
	put_inputs(json, "Input type", strings_get(&trace->strings, inputs->types));
}

const char *kineto_sync_name(int64_t kind)
{
	static const char *const names[] = {[BATON_SYNC_STREAM_WAIT] = "Stream Wait Event",
										[BATON_SYNC_EVENT] = "Event Sync",
										[BATON_SYNC_STREAM] = "Stream Sync",
										[BATON_SYNC_CONTEXT] = "Context Sync"};
	return kind > 0 && kind <= BATON_SYNC_CONTEXT ? names[kind] : NULL;
}

void kineto_args_sync(struct json *json, const struct walk_row *row, uint64_t record)
{
	json_text(json, "cuda_sync_kind", kineto_sync_name(row->value[SYNC_KIND]));
	if (has(row, SYNC_CORRELATION))
		json_number(json, "correlation", row->value[SYNC_CORRELATION]);
	if (has(row, SYNC_EVENT))
		json_number(json, "wait_on_cuda_event_id", row->value[SYNC_EVENT]);
	if (record)
		json_number(json, "wait_on_cuda_event_record_corr_id", (int64_t)record);
}
