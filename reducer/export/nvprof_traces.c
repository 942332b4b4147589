/* The tables of nvprof with a row for each event. */
#include "export/nvprof.h"

#include "base/memory_kind.h"
#include "base/saturate.h"
#include "render/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- cells ---- */

static void put_device(const struct trace *trace, uint32_t index, FILE *out)
{
	char name[512];
	const struct trace_device *device = &trace->devices[index];
	const struct text model = strings_get(&trace->strings, device->name);
	snprintf(name, sizeof(name), "%.400s (%" PRId32 ")", model.bytes ? model.at : "GPU",
			 device->ordinal);
	csv_quoted(name, out);
}

/* Two cells for an end of a copy: its device and the first context there. */
static void put_end_device(const struct trace *trace, uint32_t device, FILE *out)
{
	if (device)
		put_device(trace, device, out);
	fputc(',', out);
	for (uint32_t s = 1; device && s < trace->n_streams; s++)
		if (trace->streams[s].device == device) {
			fprintf(out, "\"%" PRId64 "\"", trace->streams[s].context);
			break;
		}
	fputc(',', out);
}

static void put_places(const struct stats_file *file, const struct rows *op, bool ends, FILE *out)
{
	const struct trace *trace = &file->trace;
	const uint32_t number = idmap_get(&trace->stream_ids, (uint64_t)rows_value(op, OP_STREAM));
	const struct trace_stream *stream = &trace->streams[number];
	put_device(trace, stream->device, out);
	fprintf(out, ",\"%" PRId64 "\",\"%" PRId64 "\",", stream->context, stream->stream);
	for (int i = 0; ends && i < 2; i++) {
		const uint64_t id = (uint64_t)rows_optional(op, i ? OP_TARGET : OP_SOURCE, 0);
		put_end_device(trace, idmap_get(&trace->device_ids, id), out);
	}
}

static void put_bytes(uint32_t bytes, FILE *out)
{
	if (bytes != BATON_SHAPE_UNKNOWN)
		fprintf(out, "%" PRIu32, bytes);
	fputc(',', out);
}

/* Nine cells. */
static void put_shape(const struct stats_file *file, const struct rows *op, FILE *out)
{
	const uint32_t number =
		idmap_get(&file->trace.shape_ids, (uint64_t)rows_optional(op, OP_SHAPE, 0));
	const struct trace_shape *shape = &file->trace.shapes[number];
	if (!number) {
		fputs(",,,,,,,,,", out);
		return;
	}
	for (int i = 0; i < 3; i++)
		fprintf(out, "%" PRIu32 ",", shape->grid[i]);
	for (int i = 0; i < 3; i++)
		fprintf(out, "%" PRIu32 ",", shape->block[i]);
	put_bytes(shape->registers, out);
	put_bytes(shape->static_shared, out);
	put_bytes(shape->dynamic_shared, out);
}

/* Four cells: bytes, GB/s and the kinds of memory of a copy or a fill. */
static void put_memory(const struct rows *op, FILE *out)
{
	const int64_t kind = rows_value(op, OP_KIND), dur_ns = rows_value(op, OP_DUR);
	const bool copy = kind == BATON_MEMCPY || kind == BATON_MEMSET;
	const int64_t bytes = copy ? rows_optional(op, OP_BYTES, -1) : -1;
	const int64_t memory = copy ? rows_optional(op, OP_MEMORY, 0) : 0;
	if (bytes >= 0)
		fprintf(out, "%" PRId64 ".000000", bytes);
	fputc(',', out);
	if (bytes >= 0 && dur_ns > 0)
		fprintf(out, "%.6f", (double)bytes * 1e9 / (double)dur_ns / (1 << 30));
	fputc(',', out);
	if (memory & 15)
		fprintf(out, "\"%s\"", memory_kind_name(memory & 15));
	fputc(',', out);
	if (memory >> 4)
		fprintf(out, "\"%s\"", memory_kind_name(memory >> 4));
	fputc(',', out);
}

/* ---- rows ---- */

struct traces {
	struct nvprof_out *to;
	struct stats_file *file;
	struct rows ops, calls;
	bool more_ops, more_calls; /* the current rows are to be written */
	bool ends; /* columns for the devices of copies, which nvprof has where a row has */
};

static void put_times(const struct traces *t, const struct rows *rows)
{
	nvprof_put_ms(saturate_sub(rows_value(rows, ROW_START), t->to->rows->begin_ns), t->to->out);
	fputc(',', t->to->out);
	nvprof_put_ms(rows_value(rows, ROW_DUR), t->to->out);
	fputc(',', t->to->out);
}

static int put_end(const struct traces *t, const char *name, int64_t correlation)
{
	if (!name)
		return -ENOMEM;
	csv_quoted(name, t->to->out);
	if (correlation > 0)
		fprintf(t->to->out, ",%" PRId64 "\n", correlation);
	else
		fputs(",\n", t->to->out);
	return 0;
}

static int put_op(const struct traces *t)
{
	put_times(t, &t->ops);
	put_shape(t->file, &t->ops, t->to->out);
	put_memory(&t->ops, t->to->out);
	put_places(t->file, &t->ops, t->ends, t->to->out);
	return put_end(t, nvprof_op_name(t->to, t->file, &t->ops), rows_value(&t->ops, OP_CORRELATION));
}

static int put_call(const struct traces *t)
{
	put_times(t, &t->calls);
	if (t->to->tables & NVPROF_GPU_TRACE)
		fputs(t->ends ? ",,,,,,,,,,,,,,,,,,,," : ",,,,,,,,,,,,,,,,", t->to->out);
	return put_end(t, nvprof_call_name(t->to, t->file, &t->calls),
				   rows_value(&t->calls, CALL_CORRELATION));
}

static void put_head(const struct traces *t)
{
	nvprof_remark(t->to, t->file, "Profiling result:");
	if (t->to->tables & NVPROF_GPU_TRACE)
		fprintf(t->to->out,
				"\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\","
				"\"Block Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\","
				"\"Throughput\",\"SrcMemType\",\"DstMemType\",\"Device\",\"Context\",\"Stream\","
				"%s\"Name\",\"Correlation_ID\"\nms,ms,,,,,,,,B,B,B,GB/s,,,,,,%s,\n",
				t->ends ? "\"Src Dev\",\"Src Ctx\",\"Dst Dev\",\"Dst Ctx\"," : "",
				t->ends ? ",,,," : "");
	else
		fputs("\"Start\",\"Duration\",\"Name\",\"Correlation_ID\"\nms,ms,,\n", t->to->out);
}

static int put_rows(struct traces *t)
{
	int error = 0;
	if (t->more_ops || t->more_calls)
		put_head(t);
	else
		nvprof_remark(t->to, t->file, "No kernels were profiled.");
	while (!error && (t->more_ops || t->more_calls) && !ferror(t->to->out)) {
		const bool op = t->more_ops && (!t->more_calls || rows_value(&t->ops, OP_START) <=
															  rows_value(&t->calls, CALL_START));
		error = op ? put_op(t) : put_call(t);
		if (op)
			t->more_ops = stats_next(t->file, &t->ops);
		else
			t->more_calls = stats_next(t->file, &t->calls);
	}
	return error;
}

/* *any: some op that counts names a device that it copies from or to. 0 or -errno. */
static int find_ends(struct stats_file *file, bool *any)
{
	struct rows ops;
	*any = false;
	if (file->trace.n_devices < 2) /* [0] is none */
		return 0;
	int error = rows_open(&ops, &file->trace, BATON_OP);
	if (error)
		return error;
	while (!*any && stats_next(file, &ops))
		*any = rows_optional(&ops, OP_SOURCE, 0) || rows_optional(&ops, OP_TARGET, 0);
	error = ops.error;
	rows_close(&ops);
	return error;
}

int nvprof_write_traces(struct nvprof_out *to, struct stats_file *file)
{
	struct traces t = {.to = to, .file = file};
	int error = to->tables & NVPROF_GPU_TRACE ? find_ends(file, &t.ends) : 0;
	error = error ? error : rows_open(&t.ops, &file->trace, BATON_OP);
	if (error)
		return error;
	error = rows_open(&t.calls, &file->trace, BATON_CALL);
	if (!error) {
		t.more_ops = to->tables & NVPROF_GPU_TRACE && stats_next(file, &t.ops);
		t.more_calls = to->tables & NVPROF_API_TRACE && stats_next(file, &t.calls);
		error = put_rows(&t);
		error = error ? error : t.ops.error ? t.ops.error : t.calls.error;
		rows_close(&t.calls);
	}
	rows_close(&t.ops);
	return error;
}
