#include "attribute/readings.h"

#include "read/rows.h"
#include "read/trace.h"

/* The device's index in the file; of two entries with one key the first. */
static uint32_t find(const struct trace *trace, const char *wanted)
{
	char key[512];
	for (uint32_t d = 1; d < trace->n_devices; d++) {
		run_device_key(trace, d, key, sizeof(key));
		if (strcmp(key, wanted) == 0)
			return d;
	}
	return 0;
}

static int take_rows(struct trace *trace, uint32_t device, int64_t from, int64_t to,
					 struct reading readings[READINGS])
{
	struct rows rows;
	struct reading_look look = {.any = false};
	int error = rows_open_within(&rows, trace, BATON_GAUGE, from, to);
	while (!error && rows_next(&rows)) {
		const struct reading_row row = {.start_ns = rows_value(&rows, ROW_START),
										.dur_ns = rows_value(&rows, ROW_DUR),
										.gauge = (uint8_t)rows_value(&rows, GAUGE_WHICH),
										.value = (uint64_t)rows_value(&rows, GAUGE_VALUE)};
		uint64_t id = (uint64_t)rows_value(&rows, GAUGE_DEVICE);
		if (row.start_ns >= from && row.start_ns < to &&
			idmap_get(&trace->device_ids, id) == device)
			reading_look_take(&look, &row, readings);
	}
	reading_look_end(&look, readings);
	error = error ? error : rows.error;
	rows_close(&rows);
	return error;
}

int readings_take(const struct run *run, const struct run_device *device, int64_t from, int64_t to,
				  struct reading readings[READINGS])
{
	struct trace trace;
	if (!device->gauges)
		return 0;
	int error = trace_open(&trace, run->gauges[device->gauges - 1].path, run->damage);
	if (error)
		return error == -ENOMEM ? error : 0;
	uint32_t index = find(&trace, strings_get(&run->pool, device->key).at);
	if (index)
		error = take_rows(&trace, index, from, to, readings);
	trace_close(&trace);
	return error == -ENOMEM ? error : 0;
}
