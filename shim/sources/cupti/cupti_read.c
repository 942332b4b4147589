/* The offsets are those of cupti_layout.h, which hold for every release. */
#include "sources/cupti/cupti_read.h"

#include "sources/cupti/cupti_layout.h"
#include "sources/cupti/cupti_table.h"

#include <baton/format.h>
#include <string.h>

static uint16_t u16(const uint8_t *record, size_t offset)
{
	uint16_t v;
	memcpy(&v, record + offset, sizeof(v));
	return v;
}

static uint32_t u32(const uint8_t *record, size_t offset)
{
	uint32_t v;
	memcpy(&v, record + offset, sizeof(v));
	return v;
}

static uint64_t u64(const uint8_t *record, size_t offset)
{
	uint64_t v;
	memcpy(&v, record + offset, sizeof(v));
	return v;
}

#define READ_COMMON(r, record, P)                               \
	do {                                                        \
		(r).start_ns = (int64_t)u64(record, CUPTI_##P##_START); \
		(r).end_ns = (int64_t)u64(record, CUPTI_##P##_END);     \
		(r).device = u32(record, CUPTI_##P##_DEVICE);           \
		(r).context = u32(record, CUPTI_##P##_CONTEXT);         \
		(r).stream = u32(record, CUPTI_##P##_STREAM);           \
		(r).correlation = u32(record, CUPTI_##P##_CORRELATION); \
	} while (0)

#define READ_NODE(r, record, P)                               \
	do {                                                      \
		(r).graph_node = u64(record, CUPTI_##P##_GRAPH_NODE); \
		(r).graph = u32(record, CUPTI_##P##_GRAPH);           \
	} while (0)

static uint8_t direction(uint8_t copy_kind)
{
	switch (copy_kind) {
	case CUPTI_COPY_HTOD:
		return BATON_COPY_HTOD;
	case CUPTI_COPY_DTOH:
		return BATON_COPY_DTOH;
	case CUPTI_COPY_DTOD:
		return BATON_COPY_DTOD;
	case CUPTI_COPY_HTOH:
		return BATON_COPY_HTOH;
	case CUPTI_COPY_PTOP:
		return BATON_COPY_PEER;
	default:
		return BATON_COPY_UNKNOWN;
	}
}

/* The format's kinds of memory are CUPTI's; what comes in a later release is not known. */
static uint8_t memory(unsigned kind)
{
	return kind <= CUPTI_MEMORY_MANAGED_STATIC ? (uint8_t)kind : 0;
}

static uint8_t memories(unsigned source, unsigned target)
{
	return (uint8_t)(memory(source) | memory(target) << 4);
}

static struct baton_r_shape read_shape(const uint8_t *record)
{
	struct baton_r_shape shape = {.registers = u16(record, CUPTI_KERNEL_REGISTERS),
								  .static_shared = u32(record, CUPTI_KERNEL_STATIC_SHARED),
								  .dynamic_shared = u32(record, CUPTI_KERNEL_DYNAMIC_SHARED)};
	memcpy(shape.grid, record + CUPTI_KERNEL_GRID, sizeof(shape.grid));
	memcpy(shape.block, record + CUPTI_KERNEL_BLOCK, sizeof(shape.block));
	memcpy(shape.cluster, record + CUPTI_KERNEL_CLUSTER, sizeof(shape.cluster));
	return shape;
}

static struct gpu_record read_kernel(const uint8_t *record)
{
	struct gpu_record r = {.kind = GPU_RECORD_KERNEL};
	READ_COMMON(r, record, KERNEL);
	READ_NODE(r, record, KERNEL);
	r.name = (const char *)(uintptr_t)u64(record, CUPTI_KERNEL_NAME);
	r.shape = read_shape(record);
	return r;
}

static struct gpu_record read_copy(const uint8_t *record)
{
	struct gpu_record r = {.kind = GPU_RECORD_COPY};
	READ_COMMON(r, record, MEMCPY);
	READ_NODE(r, record, MEMCPY);
	r.bytes = u64(record, CUPTI_MEMCPY_BYTES);
	r.copy_dir = direction(record[CUPTI_MEMCPY_COPY_KIND]);
	r.pageable = record[CUPTI_MEMCPY_SOURCE_KIND] == CUPTI_MEMORY_PAGEABLE ||
				 record[CUPTI_MEMCPY_TARGET_KIND] == CUPTI_MEMORY_PAGEABLE;
	r.memory = memories(record[CUPTI_MEMCPY_SOURCE_KIND], record[CUPTI_MEMCPY_TARGET_KIND]);
	return r;
}

static struct gpu_record read_peer_copy(const uint8_t *record)
{
	struct gpu_record r = {.kind = GPU_RECORD_COPY};
	READ_COMMON(r, record, MEMCPY2);
	READ_NODE(r, record, MEMCPY2);
	r.bytes = u64(record, CUPTI_MEMCPY2_BYTES);
	r.copy_dir = direction(record[CUPTI_MEMCPY2_COPY_KIND]);
	r.memory = memories(record[CUPTI_MEMCPY2_SOURCE_KIND], record[CUPTI_MEMCPY2_TARGET_KIND]);
	r.has_ends = true;
	r.source = u32(record, CUPTI_MEMCPY2_SOURCE_DEVICE);
	r.target = u32(record, CUPTI_MEMCPY2_TARGET_DEVICE);
	return r;
}

static struct gpu_record read_set(const uint8_t *record)
{
	struct gpu_record r = {.kind = GPU_RECORD_SET};
	READ_COMMON(r, record, MEMSET);
	READ_NODE(r, record, MEMSET);
	r.bytes = u64(record, CUPTI_MEMSET_BYTES);
	r.memory = memories(0, u16(record, CUPTI_MEMSET_MEMORY_KIND));
	return r;
}

static struct gpu_record read_graph(const uint8_t *record)
{
	struct gpu_record r = {.kind = GPU_RECORD_GRAPH, .graph = u32(record, CUPTI_GRAPH_ID)};
	r.start_ns = (int64_t)u64(record, CUPTI_GRAPH_START);
	r.end_ns = (int64_t)u64(record, CUPTI_GRAPH_END);
	r.device = u32(record, CUPTI_GRAPH_DEVICE);
	r.context = u32(record, CUPTI_GRAPH_CONTEXT);
	r.stream = u32(record, CUPTI_GRAPH_STREAM);
	r.correlation = u32(record, CUPTI_GRAPH_CORRELATION);
	return r;
}

static struct gpu_record read_overhead(const uint8_t *record)
{
	struct gpu_record r = {.kind = GPU_RECORD_OVERHEAD, .overhead_kind = BATON_OVERHEAD_PROFILER};
	uint32_t kind = u32(record, CUPTI_OVERHEAD_KIND);
	if (kind == CUPTI_OVERHEAD_COMMAND_BUFFER_FULL)
		r.overhead_kind = BATON_OVERHEAD_BUFFER_FULL;
	else if (kind == CUPTI_OVERHEAD_MODULE_LOADING ||
			 kind == CUPTI_OVERHEAD_LAZY_FUNCTION_LOADING || kind == CUPTI_OVERHEAD_DRIVER_COMPILER)
		r.overhead_kind = BATON_OVERHEAD_MODULE_LOAD;
	if (u32(record, CUPTI_OVERHEAD_OBJECT_KIND) == CUPTI_OBJECT_THREAD)
		r.thread = u32(record, CUPTI_OVERHEAD_THREAD);
	r.start_ns = (int64_t)u64(record, CUPTI_OVERHEAD_START);
	r.end_ns = (int64_t)u64(record, CUPTI_OVERHEAD_END);
	return r;
}

void cupti_read(const uint8_t *bytes, size_t valid, void (*each)(const struct gpu_record *))
{
	static struct gpu_record (*const readers[])(const uint8_t *) = {
		[CUPTI_KIND_MEMCPY] = read_copy,       [CUPTI_KIND_MEMSET] = read_set,
		[CUPTI_KIND_KERNEL] = read_kernel,     [CUPTI_KIND_CONCURRENT_KERNEL] = read_kernel,
		[CUPTI_KIND_OVERHEAD] = read_overhead, [CUPTI_KIND_MEMCPY2] = read_peer_copy,
		[CUPTI_KIND_GRAPH_TRACE] = read_graph};
	void *record = NULL;
	while (cupti.next_record((uint8_t *)bytes, valid, &record) == CUPTI_OK) {
		uint32_t kind = u32(record, CUPTI_RECORD_KIND);
		if (kind >= sizeof(readers) / sizeof(readers[0]) || !readers[kind])
			continue;
		struct gpu_record r = readers[kind](record);
		each(&r);
	}
}
