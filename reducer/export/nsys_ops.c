/* Rows of device work: kernels, copies, fills, graphs. */
#include "export/nsys_source.h"

#include <stdio.h>
#include <string.h>

/* The first columns of the four tables are the same. */
_Static_assert((int)KERNEL_globalPid == (int)MEMCPY_globalPid &&
				   (int)MEMCPY_globalPid == (int)MEMSET_globalPid &&
				   (int)MEMSET_globalPid == (int)GRAPH_globalPid,
			   "columns of device work");

/* nsys's numbers of directions; 13: those of unified memory are the last. */
static const char *const copy_labels[] = {"Unknown",
										  "Host-to-Device",
										  "Device-to-Host",
										  "Host-to-Array",
										  "Array-to-Host",
										  "Array-to-Array",
										  "Array-to-Device",
										  "Device-to-Array",
										  "Device-to-Device",
										  "Host-to-Host",
										  "Peer-to-Peer",
										  "Unified Host-to-Device",
										  "Unified Device-to-Host",
										  "Unified Device-to-Device"};
enum { COPY_LABELS = sizeof(copy_labels) / sizeof(copy_labels[0]), NSYS_MEMORY_UNKNOWN = 7 };

static void put_place(struct nsys_source *source, const struct rows *op,
					  enum nsys_table_number table)
{
	nsys_row(&source->out->tables, table);
	nsys_put_times(source, op);
	nsys_put_stream(source, op, OP_STREAM, KERNEL_deviceId);
	nsys_put_correlation(source, op, OP_CORRELATION, KERNEL_correlationId);
	nsys_put(&source->out->tables, KERNEL_globalPid, source->member->global);
}

static void put_node(struct nsys_source *source, const struct rows *op, int column)
{
	const int64_t node = rows_optional(op, OP_GRAPH_NODE, 0);
	if (node)
		nsys_put(&source->out->tables, column, node);
}

/* A number of a launch that the source may not know. */
static void put_known(struct nsys_tables *t, int column, uint32_t value)
{
	if (value != BATON_SHAPE_UNKNOWN)
		nsys_put(t, column, value);
}

static void put_shape(struct nsys_tables *t, const struct trace_shape *shape)
{
	for (int i = 0; i < 3; i++) {
		nsys_put(t, KERNEL_gridX + i, shape->grid[i]);
		nsys_put(t, KERNEL_blockX + i, shape->block[i]);
		if (shape->cluster[i])
			nsys_put(t, KERNEL_clusterX + i, shape->cluster[i]);
	}
	put_known(t, KERNEL_registersPerThread, shape->registers);
	put_known(t, KERNEL_staticSharedMemory, shape->static_shared);
	put_known(t, KERNEL_dynamicSharedMemory, shape->dynamic_shared);
}

static void write_kernel(struct nsys_source *source, const struct rows *op)
{
	struct nsys_tables *t = &source->out->tables;
	struct text text;
	struct nsys_name *name = nsys_name_of(source, op, OP_NAME, &text);
	if (!name->whole) {
		name->whole = nsys_string(t, text);
		name->brief = nsys_short_string(t, text);
	}
	put_place(source, op, NSYS_TABLE_KERNEL);
	if (name->whole) {
		nsys_put(t, KERNEL_demangledName, name->whole);
		nsys_put(t, KERNEL_shortName, name->brief);
	}
	const uint32_t shape =
		idmap_get(&source->file.trace.shape_ids, (uint64_t)rows_optional(op, OP_SHAPE, 0));
	if (shape)
		put_shape(t, &source->file.trace.shapes[shape]);
	put_node(source, op, KERNEL_graphNodeId);
	nsys_row_end(t);
}

/* An import has the label in the name, which says more than the direction: arrays, unified
 * memory. */
static int64_t copy_kind(struct nsys_source *source, const struct rows *op)
{
	static const uint8_t numbers[] = {0, 1, 2, 8, 9, 10}; /* by enum baton_copy_dir */
	static const char before[] = "[CUDA memcpy ";
	struct text text;
	nsys_name_of(source, op, OP_NAME, &text);
	const size_t skipped = sizeof(before) - 1;
	for (int i = 1; i < COPY_LABELS && text.bytes > skipped; i++) {
		const size_t bytes = strlen(copy_labels[i]);
		if (memcmp(text.at, before, skipped) == 0 && text.bytes == skipped + bytes + 1 &&
			memcmp(text.at + skipped, copy_labels[i], bytes) == 0)
			return i;
	}
	const int64_t direction = rows_optional(op, OP_COPY_DIR, 0);
	return direction >= 0 && direction <= BATON_COPY_PEER ? numbers[direction] : 0;
}

int64_t nsys_memory_number(int64_t kind)
{
	return kind > BATON_MEMORY_UNKNOWN && kind < BATON_MEMORY_END ? kind - 1 : NSYS_MEMORY_UNKNOWN;
}

/* A trace may know of a copy only whether one end is pageable: which one follows from the
 * direction. The other end is "Unknown", a word that nsys has. */
static void put_ends(struct nsys_source *source, const struct rows *op)
{
	struct nsys_tables *t = &source->out->tables;
	const int64_t memory = rows_optional(op, OP_MEMORY, -1);
	const int64_t pageable = rows_optional(op, OP_PAGEABLE, -1);
	int64_t from = memory & 15, to = memory >> 4;
	if (memory < 0 && pageable < 0)
		return;
	if (memory < 0) {
		const bool to_host = rows_optional(op, OP_COPY_DIR, 0) == BATON_COPY_DTOH;
		from = pageable == 1 && !to_host ? BATON_MEMORY_PAGEABLE : BATON_MEMORY_UNKNOWN;
		to = pageable == 1 && to_host ? BATON_MEMORY_PAGEABLE : BATON_MEMORY_UNKNOWN;
	}
	nsys_put(t, MEMCPY_srcKind, nsys_memory_number(from));
	nsys_put(t, MEMCPY_dstKind, nsys_memory_number(to));
}

static void put_bytes(struct nsys_source *source, const struct rows *op, int column)
{
	const int64_t bytes = rows_optional(op, OP_BYTES, -1);
	if (bytes >= 0)
		nsys_put(&source->out->tables, column, bytes);
}

static void put_end_device(struct nsys_source *source, const struct rows *op, unsigned end,
						   int column)
{
	const uint64_t id = (uint64_t)rows_optional(op, end, 0);
	nsys_put_device(source, idmap_get(&source->file.trace.device_ids, id), column);
}

static void write_copy(struct nsys_source *source, const struct rows *op)
{
	put_place(source, op, NSYS_TABLE_MEMCPY);
	put_bytes(source, op, MEMCPY_bytes);
	nsys_put(&source->out->tables, MEMCPY_copyKind, copy_kind(source, op));
	put_ends(source, op);
	put_end_device(source, op, OP_SOURCE, MEMCPY_srcDeviceId);
	put_end_device(source, op, OP_TARGET, MEMCPY_dstDeviceId);
	put_node(source, op, MEMCPY_graphNodeId);
	nsys_row_end(&source->out->tables);
}

static void write_fill(struct nsys_source *source, const struct rows *op)
{
	const int64_t memory = rows_optional(op, OP_MEMORY, -1);
	put_place(source, op, NSYS_TABLE_MEMSET);
	put_bytes(source, op, MEMSET_bytes);
	if (memory >= 0)
		nsys_put(&source->out->tables, MEMSET_memKind, nsys_memory_number(memory >> 4));
	put_node(source, op, MEMSET_graphNodeId);
	nsys_row_end(&source->out->tables);
}

/* Its number stands in the name that an import gives it. */
static void write_graph(struct nsys_source *source, const struct rows *op)
{
	struct text text;
	long long number;
	nsys_name_of(source, op, OP_NAME, &text);
	put_place(source, op, NSYS_TABLE_GRAPH);
	if (sscanf(text.at, "CUDA graph %18lld", &number) == 1)
		nsys_put(&source->out->tables, GRAPH_graphId, number);
	nsys_row_end(&source->out->tables);
}

void nsys_write_op(struct nsys_source *source, const struct rows *op)
{
	switch (rows_value(op, OP_KIND)) {
	case BATON_KERNEL:
		write_kernel(source, op);
		break;
	case BATON_MEMCPY:
		write_copy(source, op);
		break;
	case BATON_MEMSET:
		write_fill(source, op);
		break;
	case BATON_GRAPH:
		write_graph(source, op);
		break;
	default:
		break;
	}
}
