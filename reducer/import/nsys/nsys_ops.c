/* CUPTI_ACTIVITY_KIND_* tables of device work: kernels, copies, fills, graphs. */
#include "import/nsys/nsys_cuda.h"

#include "import/nsys/nsys_memories.h"
#include "import/nsys/nsys_nccl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Fields of their queries; A to D differ from table to table. */
enum {
	OP_BEGIN,
	OP_END,
	OP_PROCESS,
	OP_DEVICE,
	OP_CONTEXT,
	OP_LANE,
	OP_CORR,
	OP_NODE,
	OP_A,
	OP_B,
	OP_C,
	OP_D,
	OP_FROM, /* devices of a copy */
	OP_TO,
	/* of kernels */
	OP_REGISTERS = OP_C,
	OP_GRID,
	OP_BLOCK = OP_GRID + 3,
	OP_CLUSTER = OP_BLOCK + 3,
	OP_STATIC = OP_CLUSTER + 3,
	OP_DYNAMIC
};

#define OP_FIELDS                                                                            \
	{.column = "start"}, {.column = "end"}, {.column = "globalPid"}, {.column = "deviceId"}, \
		{.column = "contextId"}, {.column = "streamId"}, {.column = "correlationId"},        \
	{                                                                                        \
		.column = "graphNodeId"                                                              \
	}

static const struct nsys_table kernels = {
	.name = "CUPTI_ACTIVITY_KIND_KERNEL",
	.fields = {OP_FIELDS,
			   {"demangledName", NSYS_STRING},
			   {"shortName", NSYS_STRING},
			   {.column = "registersPerThread"},
			   {.column = "gridX"},
			   {.column = "gridY"},
			   {.column = "gridZ"},
			   {.column = "blockX"},
			   {.column = "blockY"},
			   {.column = "blockZ"},
			   {.column = "clusterX"},
			   {.column = "clusterY"},
			   {.column = "clusterZ"},
			   {.column = "staticSharedMemory"},
			   {.column = "dynamicSharedMemory"}},
};

static const struct nsys_table copies = {
	.name = "CUPTI_ACTIVITY_KIND_MEMCPY",
	.fields = {OP_FIELDS,
			   {.column = "bytes"},
			   {.column = "copyKind"},
			   {.column = "srcKind"},
			   {.column = "dstKind"},
			   {.column = "srcDeviceId"},
			   {.column = "dstDeviceId"}},
};

static const struct nsys_table fills = {
	.name = "CUPTI_ACTIVITY_KIND_MEMSET",
	.fields = {OP_FIELDS, {.column = "bytes"}, {.column = "memKind"}},
};

static const struct nsys_table graphs = {
	.name = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	.fields = {OP_FIELDS, {.column = "graphId"}, {.column = "graphExecId"}},
};

static const struct nsys_enum_spec directions = {
	.table = "ENUM_CUDA_MEMCPY_OPER",
	.rules = {{"HTOD", BATON_COPY_HTOD},
			  {"Host-to-Device", BATON_COPY_HTOD},
			  {"DTOH", BATON_COPY_DTOH},
			  {"Device-to-Host", BATON_COPY_DTOH},
			  {"DTOD", BATON_COPY_DTOD},
			  {"Device-to-Device", BATON_COPY_DTOD},
			  {"HTOH", BATON_COPY_HTOH},
			  {"Host-to-Host", BATON_COPY_HTOH},
			  {"PTOP", BATON_COPY_PEER},
			  {"Peer-to-Peer", BATON_COPY_PEER},
			  {"HTOA", BATON_COPY_HTOD},
			  {"Host-to-Array", BATON_COPY_HTOD}, /* arrays are on the device */
			  {"ATOH", BATON_COPY_DTOH},
			  {"Array-to-Host", BATON_COPY_DTOH},
			  {"ATO", BATON_COPY_DTOD},
			  {"Array-to", BATON_COPY_DTOD},
			  {"DTOA", BATON_COPY_DTOD},
			  {"to-Array", BATON_COPY_DTOD}},
	.numbers = {0, BATON_COPY_HTOD, BATON_COPY_DTOH, BATON_COPY_HTOD, BATON_COPY_DTOH,
				BATON_COPY_DTOD, BATON_COPY_DTOD, BATON_COPY_DTOD, BATON_COPY_DTOD, BATON_COPY_HTOH,
				BATON_COPY_PEER, BATON_COPY_HTOD, BATON_COPY_DTOH, BATON_COPY_DTOD},
};

/* nsys numbers pageable memory 0, CUPTI 1: the label decides, the number only without one. */
const struct nsys_enum_spec nsys_memories = {
	.table = "ENUM_CUDA_MEM_KIND",
	.rules = {{"DEVICE_STATIC", BATON_MEMORY_DEVICE_STATIC},
			  {"Device Static", BATON_MEMORY_DEVICE_STATIC},
			  {"MANAGED_STATIC", BATON_MEMORY_MANAGED_STATIC},
			  {"Managed Static", BATON_MEMORY_MANAGED_STATIC},
			  {"PAGEABLE", BATON_MEMORY_PAGEABLE},
			  {"PINNED", BATON_MEMORY_PINNED},
			  {"DEVICE", BATON_MEMORY_DEVICE},
			  {"ARRAY", BATON_MEMORY_ARRAY},
			  {"MANAGED", BATON_MEMORY_MANAGED}},
	.numbers = {BATON_MEMORY_PAGEABLE, BATON_MEMORY_PINNED, BATON_MEMORY_DEVICE, BATON_MEMORY_ARRAY,
				BATON_MEMORY_MANAGED, BATON_MEMORY_DEVICE_STATIC, BATON_MEMORY_MANAGED_STATIC},
};

struct op_reader {
	struct nsys_file *file;
	struct nsys_scan scan;
	struct nsys_process *process;
	struct nsys_enum directions;
	struct nsys_enum memories;
	int64_t row[BATON_MAX_COLUMNS];
	uint32_t present;
};

static bool field_present(const struct nsys_scan *scan, unsigned field)
{
	return scan->present & 1u << field;
}

static void take_bytes(struct op_reader *op, unsigned field)
{
	if (nsys_int(&op->scan, field, &op->row[OP_BYTES]))
		op->present |= 1u << OP_BYTES;
}

/* A number of a launch; `absent` where the export has none, or none that can be true. */
static uint32_t launch_number(const struct op_reader *op, unsigned field, uint32_t absent)
{
	const int64_t number = nsys_int_or(&op->scan, field, -1);
	return number >= 0 && number < BATON_SHAPE_UNKNOWN ? (uint32_t)number : absent;
}

static void take_shape(struct op_reader *op)
{
	struct baton_r_shape shape = {
		.registers = launch_number(op, OP_REGISTERS, BATON_SHAPE_UNKNOWN),
		.static_shared = launch_number(op, OP_STATIC, BATON_SHAPE_UNKNOWN),
		.dynamic_shared = launch_number(op, OP_DYNAMIC, BATON_SHAPE_UNKNOWN)};
	for (unsigned i = 0; i < 3; i++) {
		shape.grid[i] = launch_number(op, OP_GRID + i, 0);
		shape.block[i] = launch_number(op, OP_BLOCK + i, 0);
		shape.cluster[i] = launch_number(op, OP_CLUSTER + i, 0);
	}
	if (!shape.grid[0] || !shape.block[0])
		return;
	op->row[OP_SHAPE] = trace_out_shape(op->process->out, &shape);
	op->present |= 1u << OP_SHAPE;
}

static void take_kernel(struct op_reader *op)
{
	size_t bytes = 0;
	const char *name = nsys_text(&op->scan, OP_A, &bytes);
	name = name ? name : nsys_text(&op->scan, OP_B, &bytes);
	op->row[OP_NAME] = name ? trace_out_string(op->process->out, name, bytes) : 0;
	nsys_nccl_kernel(op->file->nccl, op->process, name, bytes,
					 &(struct nsys_interval){op->row[OP_CORRELATION],
											 nsys_int_or(&op->scan, OP_BEGIN, 0),
											 nsys_int_or(&op->scan, OP_END, 0)});
	take_shape(op);
}

/* Where one end of the copy lies, or what is filled. */
static void take_memory(struct op_reader *op, unsigned field, unsigned shift)
{
	int64_t number;
	if (!nsys_int(&op->scan, field, &number))
		return;
	const uint8_t kind = nsys_enum_value(&op->memories, number);
	op->row[OP_MEMORY] |= kind << shift;
	op->present |= 1u << OP_MEMORY;
	if (op->row[OP_KIND] != BATON_MEMCPY)
		return;
	op->present |= 1u << OP_PAGEABLE;
	op->row[OP_PAGEABLE] |= kind == BATON_MEMORY_PAGEABLE;
}

/* The device of one end of a copy. */
static void take_end(struct op_reader *op, unsigned field, unsigned column)
{
	int64_t ordinal;
	if (!nsys_int(&op->scan, field, &ordinal))
		return;
	op->row[column] = nsys_device_id(op->file, op->process, ordinal);
	if (op->row[column])
		op->present |= 1u << column;
}

static void take_copy(struct op_reader *op)
{
	char name[NSYS_LABEL_BYTES + 16];
	int64_t kind = nsys_int_or(&op->scan, OP_B, 0);
	const char *label = nsys_enum_label(&op->directions, kind);
	if (label) {
		snprintf(name, sizeof(name), "[CUDA memcpy %s]", label);
		op->row[OP_NAME] = trace_out_text(op->process->out, name);
	}
	take_bytes(op, OP_A);
	take_memory(op, OP_C, 0);
	take_memory(op, OP_D, 4);
	take_end(op, OP_FROM, OP_SOURCE);
	take_end(op, OP_TO, OP_TARGET);
	op->row[OP_COPY_DIR] = nsys_enum_value(&op->directions, kind);
	if (field_present(&op->scan, OP_B))
		op->present |= 1u << OP_COPY_DIR;
}

static void take_fill(struct op_reader *op)
{
	op->row[OP_NAME] = trace_out_text(op->process->out, "[CUDA memset]");
	take_bytes(op, OP_A);
	take_memory(op, OP_B, 4);
}

static void take_graph(struct op_reader *op)
{
	char name[48];
	int64_t number;
	if (!nsys_int(&op->scan, OP_A, &number) && !nsys_int(&op->scan, OP_B, &number))
		return;
	snprintf(name, sizeof(name), "CUDA graph %" PRId64, number);
	op->row[OP_NAME] = trace_out_text(op->process->out, name);
}

static uint32_t take_stream(struct op_reader *op, struct nsys_device *device)
{
	struct nsys_process *process = op->process;
	int64_t context;
	bool said = nsys_int(&op->scan, OP_CONTEXT, &context);
	if (said && process->n_contexts < NSYS_PROCESS_DEVICES && !nsys_context_of(process, context))
		process->contexts[process->n_contexts++] =
			(struct nsys_context){context, (uint32_t)(device - process->devices)};
	return trace_out_stream(process->out, device->id, said ? context : 0,
							nsys_int_or(&op->scan, OP_LANE, 0));
}

static void take_op(struct op_reader *op, enum baton_op_kind kind,
					void (*complete)(struct op_reader *))
{
	struct nsys_file *file = op->file;
	int64_t start_ns, end_ns, ordinal;
	op->process = nsys_process_of(file, &op->scan, OP_PROCESS);
	if (!op->process)
		return;
	if (!nsys_int(&op->scan, OP_BEGIN, &start_ns) || !nsys_int(&op->scan, OP_END, &end_ns)) {
		nsys_refuse(file, NSYS_NO_TIME);
		return;
	}
	if (!nsys_int(&op->scan, OP_DEVICE, &ordinal)) {
		nsys_refuse(file, NSYS_NO_DEVICE);
		return;
	}
	struct nsys_device *device = nsys_device_of(file, op->process, ordinal);
	if (!device)
		return;
	device->ops++;
	memset(op->row, 0, sizeof(op->row));
	op->present = field_present(&op->scan, OP_NODE) ? 1u << OP_GRAPH_NODE : 0;
	op->row[OP_KIND] = kind;
	op->row[OP_STREAM] = take_stream(op, device);
	op->row[OP_CORRELATION] = nsys_int_or(&op->scan, OP_CORR, 0);
	op->row[OP_GRAPH_NODE] = nsys_int_or(&op->scan, OP_NODE, 0);
	complete(op);
	nsys_add_row(file, op->process, BATON_OP, start_ns, end_ns, op->row, op->present);
}

void nsys_read_ops(struct nsys_file *file)
{
	static const struct {
		const struct nsys_table *table;
		enum baton_op_kind kind;
		void (*complete)(struct op_reader *op);
	} tables[] = {
		{&kernels, BATON_KERNEL, take_kernel},
		{&copies, BATON_MEMCPY, take_copy},
		{&fills, BATON_MEMSET, take_fill},
		{&graphs, BATON_GRAPH, take_graph},
	};
	struct op_reader op = {.file = file};
	nsys_enum_load(&op.directions, &file->db, &directions);
	nsys_enum_load(&op.memories, &file->db, &nsys_memories);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		nsys_scan_open(&op.scan, &file->db, tables[i].table);
		while (nsys_scan_next(&op.scan))
			take_op(&op, tables[i].kind, tables[i].complete);
	}
}
