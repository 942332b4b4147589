/* The study's own file: one of each GPU and step, a line for each kernel with its launch. */
#include "render/out_file.h"
#include "jitter/print.h"
#include "render/csv.h"

static void put_call(FILE *out, const struct feed *feed, const struct jitter_op *op)
{
	if (op->ls == INT64_MAX) {
		fputs(",,", out);
		return;
	}
	csv_text(feed_text(feed, op->call_name), out);
	fprintf(out, ",%lld,%lld", (long long)op->ls, (long long)op->le);
}

static const struct marker *find_marker(const struct steps *steps, int32_t step)
{
	for (size_t i = 0; i < steps->n_markers; i++)
		if (steps->markers[i].step == step)
			return &steps->markers[i];
	return NULL;
}

static void put_rows(FILE *out, const struct step_source *source, const struct step_ops *ops,
					 const char *label)
{
	const struct device_feeds *feeds = source->feeds;
	const struct feed *own = &feeds->feeds[source->scan->process];
	const int32_t ordinal = own->trace.devices[own->device].ordinal;
	const struct marker *m = find_marker(&source->scan->steps, ops->step);
	for (size_t i = 0; i < ops->n; i++) {
		const struct jitter_op *op = &ops->at[i];
		const struct feed *feed = &feeds->feeds[op->feed];
		csv_text(label, out);
		if (m)
			fprintf(out, ",%lld,%lld", (long long)m->begin_ns, (long long)m->end_ns);
		else
			fputs(",,", out);
		fprintf(out, ",%d,", ordinal);
		put_call(out, feed, op);
		fputc(',', out);
		csv_text(feed_text(feed, op->name), out);
		fprintf(out, ",%lld,%lld,%lld,%lld\n", (long long)op->stream, (long long)op->start,
				(long long)op->end, (long long)(op->end - op->start));
	}
}

int jitter_write_step(const struct jitter_study *study, const struct step_source *source,
					  const struct step_ops *ops)
{
	struct out_file file;
	const struct device_scan *scan = source->scan;
	const struct feed *feed = &source->feeds->feeds[scan->process];
	const struct run_process *process = &source->context->run->processes[feed->process];
	const long long number = step_axis_number(&study->axis, scan, ops->step);
	char name[96], label[96];
	if (process->rank >= 0)
		snprintf(name, sizeof(name), "rank%04d-device%u-step%06lld.csv", process->rank,
				 scan->device, number);
	else
		snprintf(name, sizeof(name), "device%u-step%06lld.csv", scan->device, number);
	snprintf(label, sizeof(label), "step%lld-rank%d", number, process->rank);
	int error = out_file_open(&file, study->steps_dir, name);
	if (error)
		return error;
	fputs("nvtx_text,nvtx_start,nvtx_end,device,crt_name,crt_start,crt_end,kernel_demangled_name,"
		  "kernel_stream,kernel_start,kernel_end,kernel_duration\n",
		  file.out);
	put_rows(file.out, source, ops, label);
	return out_file_close(&file, 0);
}
