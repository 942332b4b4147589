#include "import/nvprof/nvprof_process.h"

#include "base/memory_kind.h"
#include "base/room.h"
#include "base/saturate.h"

#include <stdlib.h>
#include <string.h>

int nvprof_process_open(struct nvprof_process *process, int64_t pid, const char *dir)
{
	*process = (struct nvprof_process){.pid = pid};
	return trace_out_open(dir, false, &process->out);
}

void nvprof_process_free(struct nvprof_process *process)
{
	if (process->out)
		trace_out_abort(process->out);
	free(process->stream_ns);
	free(process->text);
}

/* ---- names ---- */

static bool begins(struct csv_cell name, const char *with)
{
	return name.bytes >= strlen(with) && memcmp(name.at, with, strlen(with)) == 0;
}

static bool holds(struct csv_cell name, const char *text)
{
	return memmem(name.at, name.bytes, text, strlen(text)) != NULL;
}

/* nvprof of CUDA 8 has no column for it: "...) [4158]". The name gets shorter. */
static bool take_tail(struct csv_cell *name, int64_t *correlation)
{
	const char *end = name->at + name->bytes, *digit = end;
	if (name->bytes < 5 || *--digit != ']')
		return false;
	while (digit > name->at && digit[-1] >= '0' && digit[-1] <= '9')
		digit--;
	int64_t number = 0;
	for (const char *at = digit; at < end - 1 && number < INT32_MAX; at++)
		number = 10 * number + (*at - '0');
	if (digit == end - 1 || digit - name->at < 3 || digit[-1] != '[' || digit[-2] != ' ')
		return false;
	name->bytes = (size_t)(digit - 2 - name->at);
	*correlation = number;
	return true;
}

/* The apostrophe keeps a spreadsheet from taking the name for a formula (render/csv.h). */
static uint32_t intern_name(struct nvprof_process *process, struct csv_cell name)
{
	if (name.bytes > 1 && name.at[0] == '\'' && memchr("=+-@", name.at[1], 4)) {
		name.at++;
		name.bytes--;
	}
	if (!name.doubled)
		return trace_out_string(process->out, name.at, name.bytes);
	if (room_reach((void **)&process->text, &process->text_room, name.bytes, 1) != 0)
		return 0;
	return trace_out_string(process->out, process->text, csv_cell_text(&name, process->text));
}

/* ---- places ---- */

/* "Tesla V100-SXM2-16GB (0)": the number of the device; -1: none. *bytes: of its name. */
static int32_t device_number(const struct csv_cell *cell, size_t *bytes)
{
	if (cell->bytes < 3)
		return -1; /* a cell that is not there has no place at all */
	const char *end = cell->at + cell->bytes, *digit = end;
	int64_t number = 0;
	if (*--digit != ')')
		return -1;
	while (digit > cell->at && digit[-1] >= '0' && digit[-1] <= '9')
		digit--;
	for (const char *at = digit; at < end - 1; at++)
		number = number > INT32_MAX ? number : 10 * number + (*at - '0');
	if (digit == end - 1 || digit == cell->at || digit[-1] != '(' || number > INT32_MAX)
		return -1;
	*bytes = (size_t)(digit - 1 - cell->at);
	while (*bytes > 0 && cell->at[*bytes - 1] == ' ')
		--*bytes;
	return (int32_t)number;
}

static uint32_t device_id(struct nvprof_process *process, int32_t ordinal,
						  const struct csv_cell *cell, size_t name_bytes)
{
	const struct baton_r_device record = {
		.ordinal = ordinal, .name = trace_out_string(process->out, cell->at, name_bytes)};
	return trace_out_device(process->out, &record);
}

static struct nvprof_device *device_of(struct nvprof_process *process, const struct csv_cell *cell,
									   enum nvprof_refusal *why)
{
	size_t bytes = 0;
	const int32_t ordinal = device_number(cell, &bytes);
	*why = ordinal < 0 ? NVPROF_NO_DEVICE : NVPROF_TOO_MANY;
	if (ordinal < 0)
		return NULL;
	for (uint32_t i = 0; i < process->n_devices; i++)
		if (process->devices[i].ordinal == ordinal)
			return &process->devices[i];
	if (process->n_devices == NVPROF_DEVICES)
		return NULL;
	struct nvprof_device *device = &process->devices[process->n_devices++];
	*device = (struct nvprof_device){.ordinal = ordinal};
	device->id = device_id(process, ordinal, cell, bytes);
	return device;
}

/* ---- GPU work ---- */

static void take_shape(struct nvprof_process *process, const struct nvprof_row *row, int64_t *op,
					   uint32_t *present)
{
	struct baton_r_shape shape = {0};
	int64_t number[NVPROF_FIELDS];
	for (int f = NVPROF_GRID; f <= NVPROF_DYNAMIC; f++) {
		const bool size = f == NVPROF_STATIC || f == NVPROF_DYNAMIC;
		const bool said = size ? nvprof_bytes(row->table, row->cells, f, &number[f])
							   : nvprof_number(row->cells, f, &number[f]);
		if (!said || number[f] < 0 || number[f] >= BATON_SHAPE_UNKNOWN)
			number[f] = f < NVPROF_REGISTERS ? 0 : BATON_SHAPE_UNKNOWN;
	}
	for (int i = 0; i < 3; i++) {
		shape.grid[i] = (uint32_t)number[NVPROF_GRID + i];
		shape.block[i] = (uint32_t)number[NVPROF_BLOCK + i];
	}
	shape.registers = (uint32_t)number[NVPROF_REGISTERS];
	shape.static_shared = (uint32_t)number[NVPROF_STATIC];
	shape.dynamic_shared = (uint32_t)number[NVPROF_DYNAMIC];
	if (!shape.grid[0] || !shape.block[0])
		return;
	op[OP_SHAPE] = trace_out_shape(process->out, &shape);
	*present |= 1u << OP_SHAPE;
}

/* Arrays are on the device. */
static enum baton_copy_dir direction_of(struct csv_cell name)
{
	static const struct {
		const char *word;
		enum baton_copy_dir direction;
	} words[] = {{" HtoD]", BATON_COPY_HTOD}, {" DtoH]", BATON_COPY_DTOH},
				 {" DtoD]", BATON_COPY_DTOD}, {" HtoH]", BATON_COPY_HTOH},
				 {" PtoP]", BATON_COPY_PEER}, {" HtoA]", BATON_COPY_HTOD},
				 {" AtoH]", BATON_COPY_DTOH}, {" AtoA]", BATON_COPY_DTOD},
				 {" AtoD]", BATON_COPY_DTOD}, {" DtoA]", BATON_COPY_DTOD}};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (holds(name, words[i].word))
			return words[i].direction;
	return BATON_COPY_UNKNOWN;
}

static void take_memory(const struct nvprof_row *row, int64_t *op, uint32_t *present)
{
	const enum baton_memory from =
		memory_kind_find(row->cells[NVPROF_SOURCE].at, row->cells[NVPROF_SOURCE].bytes);
	const enum baton_memory to =
		memory_kind_find(row->cells[NVPROF_TARGET].at, row->cells[NVPROF_TARGET].bytes);
	if (nvprof_bytes(row->table, row->cells, NVPROF_SIZE, &op[OP_BYTES]))
		*present |= 1u << OP_BYTES;
	if (!from && !to)
		return;
	op[OP_MEMORY] = from | to << 4;
	*present |= 1u << OP_MEMORY;
	if (op[OP_KIND] != BATON_MEMCPY)
		return;
	op[OP_PAGEABLE] = from == BATON_MEMORY_PAGEABLE || to == BATON_MEMORY_PAGEABLE;
	*present |= 1u << OP_PAGEABLE;
}

/* The devices of a copy between two: nvprof has columns for them where some row has them. */
static void take_ends(struct nvprof_process *process, const struct nvprof_row *row, int64_t *op,
					  uint32_t *present)
{
	static const struct {
		enum nvprof_field field;
		unsigned column;
	} ends[] = {{NVPROF_SOURCE_DEVICE, OP_SOURCE}, {NVPROF_TARGET_DEVICE, OP_TARGET}};
	for (int i = 0; i < 2; i++) {
		const struct csv_cell *cell = &row->cells[ends[i].field];
		size_t bytes = 0;
		const int32_t ordinal = device_number(cell, &bytes);
		if (ordinal < 0)
			continue;
		op[ends[i].column] = device_id(process, ordinal, cell, bytes);
		*present |= 1u << ends[i].column;
	}
}

/* A stream runs its work in order. Where a start is printed in coarser digits than a duration, an
 * op may seem to begin before the last one ended: by less than such a digit, which is put right. */
static bool put_in_order(struct nvprof_process *process, struct nvprof_row *row, uint32_t stream)
{
	const int64_t digit_ns = nvprof_digit_ns(row->table, row->cells, NVPROF_START);
	if (room_reach((void **)&process->stream_ns, &process->stream_room, stream,
				   sizeof(*process->stream_ns)) != 0)
		return false;
	int64_t *last_ns = &process->stream_ns[stream];
	const int64_t early_ns = saturate_sub(*last_ns, row->start_ns);
	if (digit_ns > 1 && early_ns > 0 && early_ns <= digit_ns)
		row->start_ns = *last_ns;
	const int64_t end_ns = saturate_add(row->start_ns, row->dur_ns);
	*last_ns = end_ns > *last_ns ? end_ns : *last_ns;
	return true;
}

static int64_t number_or(const struct nvprof_row *row, enum nvprof_field field, int64_t otherwise)
{
	int64_t number;
	return nvprof_number(row->cells, field, &number) ? number : otherwise;
}

static enum nvprof_refusal take_op(struct nvprof_process *process, struct nvprof_row *row,
								   struct csv_cell name, int64_t correlation)
{
	int64_t op[BATON_MAX_COLUMNS] = {0};
	uint32_t present = 0;
	enum nvprof_refusal why;
	struct nvprof_device *device = device_of(process, &row->cells[NVPROF_DEVICE], &why);
	if (!device)
		return why;
	device->ops++;
	const bool managed = begins(name, "[Unified Memory Memcpy");
	op[OP_KIND] = managed || begins(name, "[CUDA memcpy") ? BATON_MEMCPY
				  : begins(name, "[CUDA memset")          ? BATON_MEMSET
														  : BATON_KERNEL;
	op[OP_STREAM] = trace_out_stream(process->out, device->id, number_or(row, NVPROF_CONTEXT, 0),
									 number_or(row, NVPROF_STREAM, 0));
	op[OP_CORRELATION] = correlation;
	op[OP_NAME] = intern_name(process, name);
	if (op[OP_KIND] == BATON_KERNEL) {
		take_shape(process, row, op, &present);
	} else {
		take_memory(row, op, &present);
	}
	if (op[OP_KIND] == BATON_MEMCPY) {
		take_ends(process, row, op, &present);
		op[OP_COPY_DIR] = direction_of(name);
		present |= 1u << OP_COPY_DIR;
	}
	if (!put_in_order(process, row, (uint32_t)op[OP_STREAM]))
		return NVPROF_NO_MEMORY;
	op[OP_START] = row->start_ns;
	op[OP_DUR] = row->dur_ns;
	trace_out_row(process->out, BATON_OP, op, present);
	return NVPROF_TAKEN;
}

/* ---- calls ---- */

/* The CSV does not say threads. Calls that overlap are of two, unless the runtime calls the
 * driver. */
static uint32_t thread_of(struct nvprof_process *process, struct nvprof_row *row, bool driver)
{
	const int64_t slack_ns = nvprof_digit_ns(row->table, row->cells, NVPROF_START);
	const int64_t end_ns = saturate_add(row->start_ns, row->dur_ns);
	uint32_t i = 0;
	for (; i + 1 < NVPROF_THREADS && i < process->n_threads; i++) {
		const struct nvprof_thread *thread = &process->threads[i];
		const bool inside = driver && end_ns <= saturate_add(thread->runtime_ns, slack_ns);
		const int64_t free_ns = inside || thread->driver_ns > thread->runtime_ns
									? thread->driver_ns
									: thread->runtime_ns;
		if (free_ns <= row->start_ns || free_ns - row->start_ns <= slack_ns)
			break;
	}
	if (i >= process->n_threads)
		process->threads[process->n_threads++] = (struct nvprof_thread){0};
	struct nvprof_thread *thread = &process->threads[i];
	int64_t *last_ns = driver ? &thread->driver_ns : &thread->runtime_ns;
	*last_ns = end_ns > *last_ns ? end_ns : *last_ns;
	return i;
}

/* cuLaunchKernel, but not cudaLaunchKernel. */
static bool is_driver(struct csv_cell name)
{
	return name.bytes > 2 && begins(name, "cu") && name.at[2] >= 'A' && name.at[2] <= 'Z';
}

static enum nvprof_refusal take_call(struct nvprof_process *process, struct nvprof_row *row,
									 struct csv_cell name, int64_t correlation)
{
	int64_t call[BATON_MAX_COLUMNS] = {0};
	const uint32_t thread = thread_of(process, row, is_driver(name));
	call[CALL_START] = row->start_ns;
	call[CALL_DUR] = row->dur_ns;
	call[CALL_THREAD] = trace_out_thread(process->out, process->pid, (int64_t)thread + 1, 0);
	call[CALL_NAME] = intern_name(process, name);
	call[CALL_CORRELATION] = correlation;
	trace_out_row(process->out, BATON_CALL, call, 0);
	return NVPROF_TAKEN;
}

enum nvprof_kind nvprof_row_kind(const struct nvprof_row *row)
{
	return row->cells[NVPROF_DEVICE].bytes == 0 && row->cells[NVPROF_STREAM].bytes == 0
			   ? NVPROF_CALLS
			   : NVPROF_OPS;
}

bool nvprof_row_unread(const struct nvprof_row *row)
{
	const struct csv_cell name = row->cells[NVPROF_NAME];
	return begins(name, "[Unified Memory") && !begins(name, "[Unified Memory Memcpy");
}

enum nvprof_refusal nvprof_take_row(struct nvprof_process *process, struct nvprof_row *row)
{
	struct csv_cell name = row->cells[NVPROF_NAME];
	const enum nvprof_kind kind = nvprof_row_kind(row);
	int64_t correlation = 0;
	if (name.bytes == 0)
		return NVPROF_NO_NAME;
	if (!nvprof_number(row->cells, NVPROF_CORRELATION, &correlation) &&
		!row->table->has[NVPROF_CORRELATION])
		take_tail(&name, &correlation);
	correlation = correlation > 0 ? correlation : 0;
	const enum nvprof_refusal taken = kind == NVPROF_OPS
										  ? take_op(process, row, name, correlation)
										  : take_call(process, row, name, correlation);
	const int64_t end_ns = saturate_add(row->start_ns, row->dur_ns);
	if (taken == NVPROF_TAKEN && end_ns > process->last_ns[kind])
		process->last_ns[kind] = end_ns;
	process->has[kind] = process->has[kind] || taken == NVPROF_TAKEN;
	return taken;
}
