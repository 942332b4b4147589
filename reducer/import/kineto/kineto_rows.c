#include "import/kineto/kineto_rows.h"

#include "base/saturate.h"
#include "import/json/json_event.h"
#include "import/kineto/kineto_detail.h"
#include "import/kineto/kineto_nccl.h"
#include "import/kineto/kineto_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	EV_PH,
	EV_CAT,
	EV_NAME,
	EV_PID,
	EV_TID,
	EV_TS,
	EV_DUR,
	EV_ID,
	ARG_CORRELATION,
	ARG_DEVICE,
	ARG_CONTEXT,
	ARG_STREAM,
	ARG_BYTES,
	ARG_IN_DEVICE,
	ARG_IN_CONTEXT,
	ARG_FROM_DEVICE,
	ARG_TO_DEVICE,
	ARG_GRAPH_NODE,
	ARG_GRID,
	ARG_BLOCK,
	ARG_REGISTERS,
	ARG_SHARED,
	ARG_COLLECTIVE,
	ARG_IN_ELEMENTS,
	ARG_OUT_ELEMENTS,
	ARG_DTYPE,
	ARG_GROUP_SIZE,
	ARG_GROUP_NAME,
	ARG_GROUP_RANKS,
	ARG_SEQ,
	ARG_SYNC_KIND,
	ARG_WAIT_EVENT,
	ARG_WAIT_RECORD,
	ARG_SHAPES,
	ARG_TYPES,
	ARG_SEQUENCE,
	ARG_FORWARD,
	KEYS
};

static const struct json_key keys[KEYS] = {
	[EV_PH] = {"ph", false},
	[EV_CAT] = {"cat", false},
	[EV_NAME] = {"name", false},
	[EV_PID] = {"pid", false},
	[EV_TID] = {"tid", false},
	[EV_TS] = {"ts", false},
	[EV_DUR] = {"dur", false},
	[EV_ID] = {"id", false},
	[ARG_CORRELATION] = {"correlation", true},
	[ARG_DEVICE] = {"device", true},
	[ARG_CONTEXT] = {"context", true},
	[ARG_STREAM] = {"stream", true},
	[ARG_BYTES] = {"bytes", true},
	[ARG_IN_DEVICE] = {"inDevice", true},   /* copies between devices have these two */
	[ARG_IN_CONTEXT] = {"inContext", true}, /* instead of device and context */
	[ARG_FROM_DEVICE] = {"fromDevice", true},
	[ARG_TO_DEVICE] = {"toDevice", true},
	[ARG_GRAPH_NODE] = {"graph node id", true},
	[ARG_GRID] = {"grid", true},
	[ARG_BLOCK] = {"block", true},
	[ARG_REGISTERS] = {"registers per thread", true},
	[ARG_SHARED] = {"shared memory", true},
	[ARG_COLLECTIVE] = {"Collective name", true},
	[ARG_IN_ELEMENTS] = {"In msg nelems", true},
	[ARG_OUT_ELEMENTS] = {"Out msg nelems", true},
	[ARG_DTYPE] = {"dtype", true},
	[ARG_GROUP_SIZE] = {"Group size", true},
	[ARG_GROUP_NAME] = {"Process Group Name", true},
	[ARG_GROUP_RANKS] = {"Process Group Ranks", true},
	[ARG_SEQ] = {"Seq", true},
	[ARG_SYNC_KIND] = {"cuda_sync_kind", true},
	[ARG_WAIT_EVENT] = {"wait_on_cuda_event_id", true},
	[ARG_WAIT_RECORD] = {"wait_on_cuda_event_record_corr_id", true},
	[ARG_SHAPES] = {"Input Dims", true},
	[ARG_TYPES] = {"Input type", true},
	[ARG_SEQUENCE] = {"Sequence number", true}, /* of operators */
	[ARG_FORWARD] = {"Fwd thread id", true},    /* not 0: of a backward pass */
};

enum { SCRATCH_BYTES = 32 << 10 }; /* names are cut there anyway */

#define BIT(column) (1u << (column))

/* An event and the row it becomes; the start and duration are in the row. */
struct event {
	const struct json_text *v;
	int64_t row[BATON_MAX_COLUMNS];
	uint32_t present;
};

static int64_t number_or(struct json_text text, int64_t otherwise)
{
	int64_t value;
	return json_integer(text, &value) ? value : otherwise;
}

static int64_t positive(struct json_text text)
{
	int64_t value = number_or(text, 0);
	return value > 0 ? value : 0;
}

static uint32_t intern(struct kineto_rows *rows, struct json_text text)
{
	if (text.kind != JSON_STRING)
		return 0;
	if (!memchr(text.at, '\\', text.bytes))
		return trace_out_string(rows->out, text.at, text.bytes);
	size_t bytes = text.bytes < SCRATCH_BYTES ? text.bytes : SCRATCH_BYTES;
	return trace_out_string(rows->out, rows->scratch, json_unescape(text.at, bytes, rows->scratch));
}

static bool contains(struct json_text text, const char *part)
{
	return text.kind == JSON_STRING && memmem(text.at, text.bytes, part, strlen(part));
}

/* ---- work on the device ---- */

/* Of a device that may have no work in this file. */
static uint32_t peer_id(struct kineto_rows *rows, int32_t ordinal)
{
	struct baton_r_device device = {.ordinal = ordinal};
	const struct kineto_device *known = kineto_facts_device(rows->facts, ordinal);
	if (known) {
		device.name = trace_out_text(rows->out, known->name);
		device.memory_bytes = known->memory_bytes;
		device.sm_count = known->sm_count;
	}
	return trace_out_device(rows->out, &device);
}

static uint32_t device_id(struct kineto_rows *rows, int32_t ordinal)
{
	for (size_t i = 0; i < rows->n_devices; i++)
		if (rows->ordinals[i] == ordinal)
			return rows->device_ids[i];
	uint32_t id = peer_id(rows, ordinal);
	if (rows->n_devices < KINETO_DEVICES) {
		rows->ordinals[rows->n_devices] = ordinal;
		rows->device_ids[rows->n_devices++] = id;
	}
	return id;
}

/* Old versions give device and stream only as pid and tid ("stream 7"). False: the event does not
 * say where it ran. */
static bool stream_id(struct kineto_rows *rows, const struct json_text *v, uint32_t *id)
{
	int64_t device, stream, context = number_or(v[ARG_CONTEXT], number_or(v[ARG_IN_CONTEXT], 0));
	if (!json_integer(v[ARG_DEVICE], &device) && !json_integer(v[ARG_IN_DEVICE], &device) &&
		!json_integer(v[EV_PID], &device))
		return false;
	if (!json_integer(v[ARG_STREAM], &stream) && !json_integer(v[EV_TID], &stream))
		return false;
	if (device < 0 || device > INT32_MAX || stream < 0)
		return false;
	*id = trace_out_stream(rows->out, device_id(rows, (int32_t)device), context, stream);
	return true;
}

struct copy_name {
	const char *part;
	uint8_t dir;
};

static const struct copy_name copies[] = {
	/* CUDA's and ROCm's */
	{"HtoD", BATON_COPY_HTOD},         {"DtoH", BATON_COPY_DTOH},
	{"DtoD", BATON_COPY_DTOD},         {"HtoH", BATON_COPY_HTOH},
	{"PtoP", BATON_COPY_PEER},         {"HostToDevice", BATON_COPY_HTOD},
	{"DeviceToHost", BATON_COPY_DTOH}, {"DeviceToDevice", BATON_COPY_DTOD},
	{"HostToHost", BATON_COPY_HTOH},
};

static void describe_copy(struct event *e)
{
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		if (contains(e->v[EV_NAME], copies[i].part)) {
			e->row[OP_COPY_DIR] = copies[i].dir;
			e->present |= BIT(OP_COPY_DIR);
			break;
		}
	}
	struct kineto_memories memories;
	if (!kineto_memories(e->v[EV_NAME], &memories))
		return;
	e->row[OP_PAGEABLE] =
		memories.from == BATON_MEMORY_PAGEABLE || memories.to == BATON_MEMORY_PAGEABLE;
	e->row[OP_MEMORY] = memories.from | memories.to << 4;
	e->present |= BIT(OP_PAGEABLE) | BIT(OP_MEMORY);
}

/* Copies between devices say both. */
static void describe_ends(struct kineto_rows *rows, struct event *e)
{
	static const struct {
		unsigned key, column;
	} ends[] = {{ARG_FROM_DEVICE, OP_SOURCE}, {ARG_TO_DEVICE, OP_TARGET}};
	for (int i = 0; i < 2; i++) {
		int64_t ordinal;
		if (!json_integer(e->v[ends[i].key], &ordinal) || ordinal < 0 || ordinal > INT32_MAX)
			continue;
		e->row[ends[i].column] = peer_id(rows, (int32_t)ordinal);
		e->present |= BIT(ends[i].column);
	}
}

/* A text of the event as a string that ends with NUL, in `out`. */
static const char *plain_text(struct json_text text, char *out, size_t room)
{
	size_t bytes = text.bytes < room - 1 ? text.bytes : room - 1;
	if (text.kind == JSON_ABSENT)
		return NULL;
	size_t n = bytes;
	if (text.kind == JSON_STRING)
		n = json_unescape(text.at, bytes, out);
	else
		memcpy(out, text.at, bytes);
	out[n] = 0;
	return out;
}

static uint32_t comm_id(struct kineto_rows *rows, const struct json_text *v)
{
	char name[256], *ranks = rows->scratch;
	int64_t size = positive(v[ARG_GROUP_SIZE]);
	if (v[ARG_GROUP_NAME].kind == JSON_ABSENT && v[ARG_GROUP_RANKS].kind == JSON_ABSENT &&
		size == 0)
		return 0;
	return trace_out_comm(rows->out, size <= UINT32_MAX ? (uint32_t)size : 0,
						  plain_text(v[ARG_GROUP_NAME], name, sizeof(name)),
						  plain_text(v[ARG_GROUP_RANKS], ranks, SCRATCH_BYTES));
}

static void put_bytes(struct event *e, unsigned column, struct json_text elements, uint32_t each)
{
	int64_t n;
	if (each && json_integer(elements, &n) && n >= 0 &&
		!__builtin_mul_overflow(n, each, &e->row[column]))
		e->present |= BIT(column);
}

/* The kernel `op` says which collective it carries out. */
static void collective_row(struct kineto_rows *rows, const struct event *op)
{
	const struct json_text *v = op->v, name = v[ARG_COLLECTIVE], dtype = v[ARG_DTYPE];
	struct event e = {.v = v, .row = {op->row[ROW_START], op->row[ROW_DUR]}};
	e.row[COLL_CORRELATION] = op->row[OP_CORRELATION];
	e.row[COLL_COMM] = comm_id(rows, v);
	e.row[COLL_KIND] = kineto_coll(name.at, name.bytes);
	if (dtype.kind == JSON_STRING) {
		uint32_t each = kineto_dtype_bytes(dtype.at, dtype.bytes);
		put_bytes(&e, COLL_BYTES, v[ARG_IN_ELEMENTS], each);
		put_bytes(&e, COLL_OUT_BYTES, v[ARG_OUT_ELEMENTS], each);
		e.row[COLL_DTYPE] = intern(rows, dtype);
		e.present |= BIT(COLL_DTYPE);
	}
	int64_t sequence;
	if (json_integer(v[ARG_SEQ], &sequence) && sequence >= 0) {
		e.row[COLL_SEQUENCE] = sequence;
		e.present |= BIT(COLL_SEQUENCE);
	}
	trace_out_row(rows->out, BATON_COLLECTIVE, e.row, e.present);
}

static void describe_launch(struct kineto_rows *rows, struct event *e)
{
	const struct kineto_launch launch = {e->v[ARG_GRID], e->v[ARG_BLOCK], e->v[ARG_REGISTERS],
										 e->v[ARG_SHARED]};
	e->row[OP_SHAPE] = kineto_shape(rows->out, &launch);
	if (e->row[OP_SHAPE])
		e->present |= BIT(OP_SHAPE);
}

static bool op_row(struct kineto_rows *rows, struct event *e, int kind)
{
	uint32_t stream;
	int64_t number;
	if (!stream_id(rows, e->v, &stream))
		return false;
	e->row[OP_KIND] = kind;
	e->row[OP_STREAM] = stream;
	e->row[OP_CORRELATION] = positive(e->v[ARG_CORRELATION]);
	e->row[OP_NAME] = intern(rows, e->v[EV_NAME]);
	if (kind != BATON_KERNEL && json_integer(e->v[ARG_BYTES], &number) && number >= 0) {
		e->row[OP_BYTES] = number;
		e->present |= BIT(OP_BYTES);
	}
	if (kind == BATON_MEMCPY) {
		describe_copy(e);
		describe_ends(rows, e);
	}
	if (kind == BATON_KERNEL)
		describe_launch(rows, e);
	if (json_integer(e->v[ARG_GRAPH_NODE], &number) && number >= 0) {
		e->row[OP_GRAPH_NODE] = number;
		e->present |= BIT(OP_GRAPH_NODE);
	}
	trace_out_row(rows->out, BATON_OP, e->row, e->present);
	if (e->v[ARG_COLLECTIVE].kind == JSON_STRING && kind == BATON_KERNEL)
		collective_row(rows, e);
	return true;
}

/* ---- work on the host ---- */

/* A value as JSON text without blanks; 0 where it is no list, or longer than a string may be. */
static uint32_t json_words(struct kineto_rows *rows, struct json_text text)
{
	const bool list = text.kind == JSON_NESTED && text.bytes > 1 && *text.at == '[';
	bool quoted = false, escaped = false;
	size_t n = 0;
	for (size_t i = 0; list && i < text.bytes; i++) {
		const char c = text.at[i];
		quoted ^= c == '"' && !escaped;
		escaped = c == '\\' && !escaped;
		if (!quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r'))
			continue;
		if (n == SCRATCH_BYTES)
			return 0;
		rows->scratch[n++] = c;
	}
	return n ? trace_out_string(rows->out, rows->scratch, n) : 0;
}

static bool thread_id(struct kineto_rows *rows, const struct json_text *v, uint32_t *id)
{
	int64_t pid, tid;
	if (!json_integer(v[EV_PID], &pid) || !json_integer(v[EV_TID], &tid))
		return false;
	*id = trace_out_thread(rows->out, pid, tid, 0);
	if (rows->pid == 0 && pid > 0)
		rows->pid = pid;
	return true;
}

static bool call_row(struct kineto_rows *rows, struct event *e, int unused)
{
	uint32_t thread;
	(void)unused;
	if (!thread_id(rows, e->v, &thread))
		return false;
	e->row[CALL_THREAD] = thread;
	e->row[CALL_NAME] = intern(rows, e->v[EV_NAME]);
	e->row[CALL_CORRELATION] = positive(e->v[ARG_CORRELATION]);
	trace_out_row(rows->out, BATON_CALL, e->row, 0);
	return true;
}

static bool range_row(struct kineto_rows *rows, struct event *e, int category)
{
	uint32_t thread;
	int64_t number;
	if (!thread_id(rows, e->v, &thread))
		return false;
	e->row[RANGE_THREAD] = thread;
	e->row[RANGE_NAME] = intern(rows, e->v[EV_NAME]);
	e->row[RANGE_CATEGORY] = category;
	if (category == BATON_RANGE_OPERATOR && json_integer(e->v[ARG_SEQUENCE], &number))
		kineto_autograd_sequence(&rows->autograd, number, number_or(e->v[ARG_FORWARD], 0) != 0,
								 thread);
	if (category == BATON_RANGE_OPERATOR && e->v[ARG_SHAPES].kind != JSON_ABSENT) {
		const uint32_t shapes = json_words(rows, e->v[ARG_SHAPES]);
		e->row[RANGE_INPUTS] =
			trace_out_inputs(rows->out, shapes, json_words(rows, e->v[ARG_TYPES]));
		e->present |= BIT(RANGE_INPUTS);
	}
	trace_out_row(rows->out, BATON_RANGE, e->row, e->present);
	const int64_t begin_ns = e->row[ROW_START];
	const int64_t span[2] = {begin_ns, saturate_add(begin_ns, e->row[ROW_DUR])};
	kineto_optimizers_range(&rows->optimizers, e->v[EV_NAME].at, e->v[EV_NAME].bytes, span, thread);
	return true;
}

struct sync_name {
	const char *name;
	uint8_t kind;
};

static const struct sync_name syncs[] = {
	{"Event Sync", BATON_SYNC_EVENT},
	{"Stream Sync", BATON_SYNC_STREAM},
	{"Context Sync", BATON_SYNC_CONTEXT},
	{"Device Sync", BATON_SYNC_CONTEXT},
	{"Stream Wait Event", BATON_SYNC_STREAM_WAIT},
};

static bool sync_row(struct kineto_rows *rows, struct event *e, int unused)
{
	const struct json_text *v = e->v, kind = v[ARG_SYNC_KIND].kind ? v[ARG_SYNC_KIND] : v[EV_NAME];
	uint32_t stream = 0;
	int64_t number;
	(void)unused;
	for (size_t i = 0; i < sizeof(syncs) / sizeof(syncs[0]); i++)
		if (json_is(kind, syncs[i].name))
			e->row[SYNC_KIND] = syncs[i].kind;
	if (e->row[SYNC_KIND] == 0)
		return false;
	stream_id(rows, v, &stream); /* none for waits on an event or a context: -1 */
	e->row[SYNC_STREAM] = stream;
	if (json_integer(v[ARG_CORRELATION], &number)) {
		e->row[SYNC_CORRELATION] = number > 0 ? number : 0;
		e->present |= BIT(SYNC_CORRELATION);
	}
	if (json_integer(v[ARG_WAIT_EVENT], &number) && number >= 0) {
		e->row[SYNC_EVENT] = number;
		e->present |= BIT(SYNC_EVENT);
	}
	if (json_integer(v[ARG_WAIT_RECORD], &number) && number > 0) {
		e->row[SYNC_RECORD_CORRELATION] = number;
		e->present |= BIT(SYNC_RECORD_CORRELATION);
	}
	trace_out_row(rows->out, BATON_SYNC, e->row, e->present);
	return true;
}

/* Overhead on pid -1 or thread 0 or below holds for every thread. */
static bool overhead_row(struct kineto_rows *rows, struct event *e, int unused)
{
	struct json_text name = e->v[EV_NAME];
	int64_t pid = number_or(e->v[EV_PID], -1), tid = number_or(e->v[EV_TID], -1);
	(void)unused;
	e->row[OVERHEAD_KIND] = BATON_OVERHEAD_PROFILER;
	if (contains(name, "Lazy") || contains(name, "Module Load"))
		e->row[OVERHEAD_KIND] = BATON_OVERHEAD_MODULE_LOAD;
	else if (contains(name, "Command Buffer Full"))
		e->row[OVERHEAD_KIND] = BATON_OVERHEAD_BUFFER_FULL;
	if (pid > 0 && tid > 0)
		e->row[OVERHEAD_THREAD] = trace_out_thread(rows->out, pid, tid, 0);
	e->row[OVERHEAD_NAME] = intern(rows, name);
	trace_out_row(rows->out, BATON_OVERHEAD, e->row, BIT(OVERHEAD_NAME));
	return true;
}

/* ---- categories ---- */

struct category {
	const char *name;
	size_t bytes;
	bool (*row)(struct kineto_rows *, struct event *, int detail);
	int detail;
};

#define NAME(text) text, sizeof(text) - 1

/* The frequent ones first; calls of other runtimes are known by the end of their category. */
static const struct category categories[] = {
	{NAME("cpu_op"), range_row, BATON_RANGE_OPERATOR},
	{NAME("cuda_runtime"), call_row, 0},
	{NAME("kernel"), op_row, BATON_KERNEL},
	{NAME("python_function"), range_row, BATON_RANGE_PYTHON},
	{NAME("cuda_driver"), call_row, 0},
	{NAME("gpu_memcpy"), op_row, BATON_MEMCPY},
	{NAME("gpu_memset"), op_row, BATON_MEMSET},
	{NAME("user_annotation"), range_row, BATON_RANGE_ANNOTATION},
	{NAME("cuda_sync"), sync_row, 0},
	{NAME("overhead"), overhead_row, 0},
	{NAME("Operator"), range_row, BATON_RANGE_OPERATOR}, /* before PyTorch 1.12 */
	{NAME("Runtime"), call_row, 0},
	{NAME("Kernel"), op_row, BATON_KERNEL},
	{NAME("Memcpy"), op_row, BATON_MEMCPY},
	{NAME("Memset"), op_row, BATON_MEMSET},
};

/* hip_, xpu_, mtia_, privateuse1_ */
static bool is_call(struct json_text cat)
{
	static const struct category ends[] = {{NAME("_runtime"), NULL, 0}, {NAME("_driver"), NULL, 0}};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (cat.bytes > ends[i].bytes &&
			memcmp(cat.at + cat.bytes - ends[i].bytes, ends[i].name, ends[i].bytes) == 0)
			return true;
	return false;
}

static const struct category *find_category(struct json_text cat)
{
	static const struct category call = {NAME(""), call_row, 0};
	if (cat.kind != JSON_STRING)
		return NULL;
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		if (cat.bytes == categories[i].bytes && memcmp(cat.at, categories[i].name, cat.bytes) == 0)
			return &categories[i];
	return is_call(cat) ? &call : NULL;
}

/* What is passed over, for the message when a file turns out to have no work of a GPU. */
static void note_unread(struct kineto_rows *rows, struct json_text cat)
{
	if (cat.kind != JSON_STRING || cat.bytes >= sizeof(rows->unread[0].category) ||
		json_is(cat, "Trace") || json_is(cat, "gpu_user_annotation"))
		return;
	for (size_t i = 0; i < rows->n_unread; i++)
		if (json_is(cat, rows->unread[i].category)) {
			rows->unread[i].events++;
			return;
		}
	if (rows->n_unread == KINETO_UNREAD)
		return;
	struct kineto_unread *unread = &rows->unread[rows->n_unread++];
	memcpy(unread->category, cat.at, cat.bytes);
	unread->category[cat.bytes] = 0;
	unread->events = 1;
}

static bool take_time(struct json_text text, int64_t *ns)
{
	return (text.kind == JSON_NUMBER || text.kind == JSON_STRING) &&
		   kineto_time_ns(text.at, text.bytes, ns) == 0;
}

static void take_flow(struct kineto_rows *rows, const struct json_text *v)
{
	uint32_t thread;
	int64_t id;
	const bool begins = json_is(v[EV_PH], "s");
	if (json_is(v[EV_CAT], "fwdbwd") && (begins || json_is(v[EV_PH], "f")) &&
		json_integer(v[EV_ID], &id) && thread_id(rows, v, &thread))
		kineto_autograd_flow(&rows->autograd, id, !begins, thread);
}

int kineto_rows_event(struct kineto_rows *rows, const char *at, size_t bytes)
{
	struct json_text v[KEYS];
	int error = json_event_read(rows->reader, at, bytes, v);
	if (error)
		return error;
	bool whole = json_is(v[EV_PH], "X");
	rows->foreign += (whole && v[EV_CAT].kind == JSON_ABSENT) || json_is(v[EV_PH], "B");
	if (!whole) {
		take_flow(rows, v);
		return 0;
	}
	const struct category *category = find_category(v[EV_CAT]);
	if (!category) {
		note_unread(rows, v[EV_CAT]);
		return 0;
	}
	struct event e = {.v = v};
	if (take_time(v[EV_TS], &e.row[ROW_START]) && take_time(v[EV_DUR], &e.row[ROW_DUR]) &&
		v[EV_NAME].kind == JSON_STRING && category->row(rows, &e, category->detail))
		return 0;
	rows->useless++;
	return KINETO_USELESS;
}

int kineto_rows_init(struct kineto_rows *rows, struct trace_out *out,
					 const struct kineto_facts *facts)
{
	*rows = (struct kineto_rows){.out = out, .facts = facts};
	rows->reader = json_event_new(keys, KEYS);
	rows->scratch = malloc(SCRATCH_BYTES);
	if (rows->reader && rows->scratch)
		return 0;
	kineto_rows_free(rows);
	return -ENOMEM;
}

void kineto_rows_free(struct kineto_rows *rows)
{
	json_event_free(rows->reader);
	kineto_autograd_free(&rows->autograd);
	kineto_optimizers_free(&rows->optimizers);
	free(rows->scratch);
	rows->reader = NULL;
	rows->scratch = NULL;
}
