#include "doubles/cupti/render.h"
#include "doubles/cupti/knobs.h"
#include "doubles/cupti/release.h"
#include <string.h>
#include <unistd.h>

static const int8_t families[KINDS] = {
	/* + 1 */
	[KIND_MEMCPY] = LAYOUT_MEMCPY + 1,
	[KIND_MEMSET] = LAYOUT_MEMSET + 1,
	[KIND_KERNEL] = LAYOUT_KERNEL + 1,
	[KIND_DRIVER] = LAYOUT_API + 1,
	[KIND_RUNTIME] = LAYOUT_API + 1,
	[KIND_DEVICE] = LAYOUT_DEVICE + 1,
	[KIND_CONTEXT] = LAYOUT_CONTEXT + 1,
	[KIND_CONCURRENT_KERNEL] = LAYOUT_KERNEL + 1,
	[KIND_OVERHEAD] = LAYOUT_OVERHEAD + 1,
	[KIND_MEMCPY2] = LAYOUT_MEMCPY2 + 1,
	[KIND_CUDA_EVENT] = LAYOUT_EVENT + 1,
	[KIND_SYNCHRONIZATION] = LAYOUT_SYNC + 1,
	[KIND_EXTERNAL_CORRELATION] = LAYOUT_EXTERNAL + 1,
	[KIND_GRAPH_TRACE] = LAYOUT_GRAPH + 1,
};

uint32_t render_bytes(uint32_t kind)
{
	if (kind >= KINDS || !families[kind])
		return 0;
	return release_here()->layouts[families[kind] - 1].bytes;
}

/* A field that this release's struct does not have is left out. */
static void put(uint8_t *record, enum layout layout, unsigned field, uint64_t value)
{
	const struct layout_field *f = &layout_families[layout].fields[field];

	if (f->since <= release_here()->layouts[layout].number)
		memcpy(record + f->offset, &value, f->width < 8 ? f->width : 8);
}

static void put_pointer(uint8_t *record, enum layout layout, unsigned field, const void *value)
{
	put(record, layout, field, (uintptr_t)value);
}

#define PUT(family, field, value) put(record, LAYOUT_##family, family##_##field, (uint64_t)(value))

/* What all ops have. */
#define PUT_OP(family)                               \
	do {                                             \
		PUT(family, start, start);                   \
		PUT(family, end, end);                       \
		PUT(family, deviceId, op->device);           \
		PUT(family, contextId, op->context);         \
		PUT(family, streamId, op->stream);           \
		PUT(family, correlationId, op->correlation); \
		PUT(family, graphId, op->graph);             \
	} while (0)

static void render_kernel(uint8_t *record, const struct sim_record *op, uint64_t start,
						  uint64_t end)
{
	PUT_OP(KERNEL);
	PUT(KERNEL, completed, end);
	PUT(KERNEL, registersPerThread, 32);
	PUT(KERNEL, gridX, op->grid[0]);
	PUT(KERNEL, gridY, op->grid[1]);
	PUT(KERNEL, gridZ, op->grid[2]);
	PUT(KERNEL, blockX, op->block[0]);
	PUT(KERNEL, blockY, op->block[1]);
	PUT(KERNEL, blockZ, op->block[2]);
	PUT(KERNEL, dynamicSharedMemory, op->shared_bytes);
	PUT(KERNEL, gridId, op->correlation);
	PUT(KERNEL, graphNodeId, op->graph_node);
	PUT(KERNEL, channelID, 1 + op->stream % 8);
	PUT(KERNEL, channelType, 1);
	put_pointer(record, LAYOUT_KERNEL, KERNEL_name, op->name);
}

static void render_memcpy(uint8_t *record, const struct sim_record *op, uint64_t start,
						  uint64_t end)
{
	PUT_OP(MEMCPY);
	PUT(MEMCPY, copyKind, op->copy_kind);
	PUT(MEMCPY, srcKind, op->source_kind);
	PUT(MEMCPY, dstKind, op->target_kind);
	PUT(MEMCPY, bytes, op->bytes);
	PUT(MEMCPY, graphNodeId, op->graph_node);
	PUT(MEMCPY, channelType, 2);
	PUT(MEMCPY, copyCount, 1);
}

static void render_memcpy2(uint8_t *record, const struct sim_record *op, uint64_t start,
						   uint64_t end)
{
	PUT_OP(MEMCPY2);
	PUT(MEMCPY2, copyKind, op->copy_kind);
	PUT(MEMCPY2, srcKind, op->source_kind);
	PUT(MEMCPY2, dstKind, op->target_kind);
	PUT(MEMCPY2, bytes, op->bytes);
	PUT(MEMCPY2, srcDeviceId, op->source_device);
	PUT(MEMCPY2, dstDeviceId, op->target_device);
	PUT(MEMCPY2, srcContextId, op->context);
	PUT(MEMCPY2, dstContextId, op->context);
	PUT(MEMCPY2, graphNodeId, op->graph_node);
	PUT(MEMCPY2, channelType, 2);
}

static void render_memset(uint8_t *record, const struct sim_record *op, uint64_t start,
						  uint64_t end)
{
	PUT_OP(MEMSET);
	PUT(MEMSET, value, op->value);
	PUT(MEMSET, bytes, op->bytes);
	PUT(MEMSET, memoryKind, op->target_kind);
	PUT(MEMSET, graphNodeId, op->graph_node);
	PUT(MEMSET, channelType, 1);
}

static void render_graph(uint8_t *record, const struct sim_record *op, uint64_t start, uint64_t end)
{
	PUT_OP(GRAPH);
	PUT(GRAPH, endDeviceId, op->device);
	PUT(GRAPH, endContextId, op->context);
}

static void render_op(uint8_t *record, const struct entry *entry, const struct clock_line *line)
{
	const struct sim_record *op = &entry->op;
	uint64_t start = entry->done ? clock_convert(line, op->start_ns) : 0;
	uint64_t end = entry->done ? clock_convert(line, op->end_ns) : 0;

	switch (entry->kind) {
	case KIND_MEMCPY:
		render_memcpy(record, op, start, end);
		break;
	case KIND_MEMCPY2:
		render_memcpy2(record, op, start, end);
		break;
	case KIND_MEMSET:
		render_memset(record, op, start, end);
		break;
	case KIND_GRAPH_TRACE:
		render_graph(record, op, start, end);
		break;
	default:
		render_kernel(record, op, start, end);
	}
}

static void render_sync(uint8_t *record, const struct sim_sync *sync, const struct clock_line *line)
{
	PUT(SYNC, type, sync->kind);
	PUT(SYNC, start, clock_convert(line, sync->start_ns));
	PUT(SYNC, end, clock_convert(line, sync->end_ns));
	PUT(SYNC, correlationId, sync->correlation);
	PUT(SYNC, contextId, sync->context);
	PUT(SYNC, streamId, sync->stream);
	PUT(SYNC, cudaEventId, sync->event);
}

static void render_api(uint8_t *record, const struct entry_api *api)
{
	PUT(API, cbid, api->cbid);
	PUT(API, start, api->start);
	PUT(API, end, api->end);
	PUT(API, processId, getpid());
	PUT(API, threadId, api->thread);
	PUT(API, correlationId, api->correlation);
	PUT(API, returnValue, api->result);
}

static void render_overhead(uint8_t *record, const struct entry_overhead *overhead)
{
	uint32_t object[3] = {(uint32_t)getpid(), overhead->thread, 0};

	PUT(OVERHEAD, overheadKind, overhead->kind);
	PUT(OVERHEAD, objectKind, 2);
	memcpy(record + layout_families[LAYOUT_OVERHEAD].fields[OVERHEAD_objectId].offset, object,
		   sizeof(object));
	PUT(OVERHEAD, start, overhead->start);
	PUT(OVERHEAD, end, overhead->end);
}

static void render_device(uint8_t *record, const struct entry_device *device)
{
	PUT(DEVICE, id, device->id);
	PUT(DEVICE, numThreadsPerWarp, 32);
	PUT(DEVICE, isCudaVisible, 1);
	memcpy(record + layout_families[LAYOUT_DEVICE].fields[DEVICE_uuid].offset, device->uuid, 16);
	put_pointer(record, LAYOUT_DEVICE, DEVICE_name, device->name);
}

static void render_host(uint8_t *record, const struct entry *entry, const struct clock_line *line)
{
	switch (entry->kind) {
	case KIND_SYNCHRONIZATION:
		render_sync(record, &entry->sync, line);
		break;
	case KIND_DRIVER:
	case KIND_RUNTIME:
		render_api(record, &entry->api);
		break;
	case KIND_OVERHEAD:
		render_overhead(record, &entry->overhead);
		break;
	case KIND_EXTERNAL_CORRELATION:
		PUT(EXTERNAL, externalKind, entry->external.kind);
		PUT(EXTERNAL, externalId, entry->external.id);
		PUT(EXTERNAL, correlationId, entry->external.correlation);
		break;
	case KIND_CONTEXT:
		PUT(CONTEXT, contextId, entry->context.id);
		PUT(CONTEXT, deviceId, entry->context.device);
		PUT(CONTEXT, computeApiKind, 1);
		break;
	case KIND_CUDA_EVENT:
		PUT(EVENT, correlationId, entry->event.correlation);
		PUT(EVENT, contextId, entry->event.context);
		PUT(EVENT, streamId, entry->event.stream);
		PUT(EVENT, eventId, entry->event.event);
		break;
	default:
		render_device(record, &entry->device);
	}
}

void render(uint8_t *record, const struct entry *entry, const struct clock_line *line)
{
	uint32_t kind = entry->done || !knobs()->invalid_incomplete ? entry->kind : 0;

	memset(record, 0, render_bytes(entry->kind));
	memcpy(record, &kind, sizeof(kind));
	switch (entry->kind) {
	case KIND_KERNEL:
	case KIND_CONCURRENT_KERNEL:
	case KIND_MEMCPY:
	case KIND_MEMCPY2:
	case KIND_MEMSET:
	case KIND_GRAPH_TRACE:
		render_op(record, entry, line);
		break;
	default:
		render_host(record, entry, line);
	}
}
