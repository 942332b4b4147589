#include "attribute/readings.h"

#include "read/rows.h"
#include "read/trace.h"

#include <errno.h>
#include <stdlib.h>

struct watched {              /* a device of a file: whose it is, the look in hand */
	struct device_scan *scan; /* NULL: nobody's */
	struct reading_look look;
};

static void take_row(const struct rows *rows, struct watched *watched, uint32_t device)
{
	const struct reading_row row = {.start_ns = rows_value(rows, ROW_START),
									.dur_ns = rows_value(rows, ROW_DUR),
									.gauge = (uint8_t)rows_value(rows, GAUGE_WHICH),
									.value = (uint64_t)rows_value(rows, GAUGE_VALUE)};
	struct device_scan *scan = watched[device].scan;
	if (scan && row.start_ns >= scan->window_from && row.start_ns < scan->window_to)
		reading_look_take(&watched[device].look, &row, scan->readings);
}

/* All rows from the first window's begin to the last one's end. */
static int take_rows(struct trace *trace, struct watched *watched)
{
	int64_t from = INT64_MAX, to = INT64_MIN;
	struct rows rows;
	for (uint32_t d = 0; d < trace->n_devices; d++) {
		const struct device_scan *scan = watched[d].scan;
		from = scan && scan->window_from < from ? scan->window_from : from;
		to = scan && scan->window_to > to ? scan->window_to : to;
	}
	if (from >= to)
		return 0;
	int error = rows_open_within(&rows, trace, BATON_GAUGE, from, to);
	while (!error && rows_next(&rows))
		take_row(&rows, watched,
				 idmap_get(&trace->device_ids, (uint64_t)rows_value(&rows, GAUGE_DEVICE)));
	for (uint32_t d = 0; d < trace->n_devices; d++)
		if (watched[d].scan)
			reading_look_end(&watched[d].look, watched[d].scan->readings);
	error = error ? error : rows.error;
	rows_close(&rows);
	return error;
}

static int take_file(const struct run *run, size_t file, struct device_scan *scans, size_t n)
{
	struct trace trace;
	int error = trace_open(&trace, run->gauges[file].path, run->damage);
	if (error)
		return error;
	struct watched *watched = calloc(trace.n_devices + 1, sizeof(*watched));
	for (size_t i = 0; watched && i < n; i++) {
		const struct run_device *device = &run->devices[scans[i].device];
		if (device->gauges != file + 1 || scans[i].empty)
			continue;
		uint32_t index = run_device_find(&trace, strings_get(&run->pool, device->key).at);
		if (index)
			watched[index].scan = &scans[i];
	}
	error = watched ? take_rows(&trace, watched) : -ENOMEM;
	free(watched);
	trace_close(&trace);
	return error;
}

static bool is_used(const struct run *run, size_t file, const struct device_scan *scans, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!scans[i].empty && run->devices[scans[i].device].gauges == file + 1)
			return true;
	return false;
}

int readings_take(const struct run *run, struct device_scan *scans, size_t n)
{
	for (size_t file = 0; file < run->n_gauges; file++)
		if (is_used(run, file, scans, n) && take_file(run, file, scans, n) == -ENOMEM)
			return -ENOMEM;
	return 0;
}
