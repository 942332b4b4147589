#include "drain/gpu_rows.h"

#include "base/recording.h"
#include "drain/places.h"
#include "drain/shapes.h"
#include "ring/buffers.h"
#include "ring/dict.h"
#include "sources/cupti/cupti.h"
#include "sources/cupti/cupti_read.h"
#include "sources/cupti/cupti_window.h"

#include <baton/drain.h>
#include <string.h>

enum { RECENT_GRAPHS = 256 };

static struct {
	struct baton_writer *file;
	struct baton_drain *drain;
	struct gpu_rows_counts counts;
	bool dropping;
	bool over;                      /* what is dropped is not the recording's */
	uint32_t graphs[RECENT_GRAPHS]; /* launches of graphs, by correlation */
} rows;

void gpu_rows_open(struct baton_writer *file, struct baton_drain *drain)
{
	memset(&rows, 0, sizeof(rows));
	rows.file = file;
	rows.drain = drain;
}

struct gpu_rows_counts gpu_rows_counts(void)
{
	return rows.counts;
}

static void add_overhead(const struct gpu_record *r)
{
	int64_t row[BATON_MAX_COLUMNS] = {[OVERHEAD_START] = r->start_ns,
									  [OVERHEAD_DUR] = r->end_ns - r->start_ns,
									  [OVERHEAD_KIND] = r->overhead_kind};
	if (r->overhead_kind == BATON_OVERHEAD_PROFILER && r->thread == 0)
		return; /* CUPTI's own worker: it holds nobody up */
	baton_writer_row(rows.file, BATON_OVERHEAD, row, (1u << (OVERHEAD_KIND + 1)) - 1);
}

static void count_op(const struct gpu_record *r)
{
	uint32_t *recent = &rows.graphs[r->correlation % RECENT_GRAPHS];
	bool node = r->graph_node != 0;
	int64_t ns = r->end_ns - r->start_ns;
	rows.counts.ops++;
	rows.counts.copies += !node && (r->kind == GPU_RECORD_COPY || r->kind == GPU_RECORD_SET);
	if (node && ns > rows.counts.longest_node_ns)
		rows.counts.longest_node_ns = ns;
	if ((node || r->kind == GPU_RECORD_GRAPH) && *recent != r->correlation) {
		*recent = r->correlation;
		rows.counts.graphs++;
	}
	rows.drain->kernels += r->kind == GPU_RECORD_KERNEL && !node;
}

static void add_op(const struct gpu_record *r)
{
	static const uint8_t kinds[] = {[GPU_RECORD_KERNEL] = BATON_KERNEL,
									[GPU_RECORD_COPY] = BATON_MEMCPY,
									[GPU_RECORD_SET] = BATON_MEMSET,
									[GPU_RECORD_GRAPH] = BATON_GRAPH};
	int64_t row[BATON_MAX_COLUMNS] = {
		[OP_START] = r->start_ns,
		[OP_DUR] = r->end_ns - r->start_ns,
		[OP_KIND] = kinds[r->kind],
		[OP_STREAM] = places_stream(r->device, r->context, r->stream),
		[OP_CORRELATION] = r->correlation,
		[OP_NAME] = r->name ? dict_string(r->name, strlen(r->name)) : 0,
		[OP_BYTES] = (int64_t)r->bytes,
		[OP_COPY_DIR] = r->copy_dir,
		[OP_PAGEABLE] = r->pageable,
		[OP_GRAPH_NODE] = (int64_t)r->graph_node,
		[OP_SHAPE] = r->kind == GPU_RECORD_KERNEL ? shapes_id(&r->shape) : 0,
		[OP_MEMORY] = r->memory,
		[OP_SOURCE] = r->has_ends ? places_device(r->source) : 0,
		[OP_TARGET] = r->has_ends ? places_device(r->target) : 0};
	uint32_t present = (1u << (OP_NAME + 1)) - 1;
	if (r->kind == GPU_RECORD_COPY || r->kind == GPU_RECORD_SET)
		present |= 1u << OP_BYTES | 1u << OP_COPY_DIR | 1u << OP_PAGEABLE | 1u << OP_MEMORY;
	if (row[OP_SHAPE])
		present |= 1u << OP_SHAPE;
	if (row[OP_SOURCE] || row[OP_TARGET])
		present |= 1u << OP_SOURCE | 1u << OP_TARGET;
	if (r->graph_node)
		present |= 1u << OP_GRAPH_NODE;
	baton_writer_row(rows.file, BATON_OP, row, present);
	count_op(r);
	if (r->name && (strstr(r->name, "nccl") || strstr(r->name, "NCCL")))
		baton_drain_op(rows.drain, r->correlation, row[OP_START], row[OP_DUR]);
}

static void add_record(const struct gpu_record *r)
{
	if (recording.windowed && !cupti_window_takes(r))
		return;
	if (r->end_ns == 0 || r->end_ns < r->start_ns) /* it had not ended when the last flush came */
		rows.counts.incomplete += r->kind != GPU_RECORD_KERNEL || r->graph_node;
	else if (rows.dropping)
		rows.counts.lost += r->kind != GPU_RECORD_OVERHEAD;
	else if (r->kind == GPU_RECORD_OVERHEAD)
		add_overhead(r);
	else
		add_op(r);
}

static void count_dropped(void *context, uint32_t stream)
{
	uint64_t dropped = cupti_dropped(context, stream);
	if (!rows.over)
		rows.counts.lost += dropped;
}

bool gpu_rows_take(bool dropping)
{
	struct buffer_full full;
	if (!buffers_next(&full))
		return false;
	rows.dropping = dropping;
	cupti_read(full.bytes, full.valid, add_record);
	count_dropped(full.context, full.stream);
	buffers_give_back(&full);
	return true;
}

void gpu_rows_take_dropped(void)
{
	count_dropped(NULL, 0);
}

void gpu_rows_window_over(void)
{
	gpu_rows_take_dropped();
	rows.over = true;
}
