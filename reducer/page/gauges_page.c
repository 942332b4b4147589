#include "page/gauges_page.h"

#include "read/rows.h"
#include "read/trace.h"
#include "render/json.h"
#include "summary/reading.h"

#include <errno.h>
#include <stdlib.h>

/* What is shown; of the reasons that slow a GPU down the share of samples, in thousandths. */
static const enum reading_kind shown[] = {READING_SM_MHZ, READING_POWER_MW, READING_TEMPERATURE_C,
										  READING_MEMORY_USED_BYTES, READING_SLOWED};
enum { SHOWN = sizeof(shown) / sizeof(shown[0]) };

struct look_cell { /* of one gauge, over the GPUs */
	int64_t sum, least, most;
	uint32_t devices, least_device, most_device;
};

struct gauges {
	const struct step_views *views;
	struct look_cell (*cells)[SHOWN]; /* by cell of steps */
	struct reading (*of)[READINGS];   /* the same of one device */
	struct reading all[READINGS];     /* of all cells and devices: which reasons there were */
	uint32_t devices;                 /* that have readings */
};

static int64_t mean_of(const struct reading *reading, enum reading_kind kind)
{
	const int64_t looks = (int64_t)reading->looks;
	return kind == READING_SLOWED ? 1000 * reading->sum / looks : reading->sum / looks;
}

/* The means of a device's cells, among those of the others. */
static void add_device(struct gauges *g, uint32_t device)
{
	bool any = false;
	for (size_t i = 0; i < g->views->cells.n; i++) {
		for (int k = 0; k < SHOWN; k++) {
			const struct reading *reading = &g->of[i][shown[k]];
			struct look_cell *cell = &g->cells[i][k];
			if (reading->looks == 0)
				continue;
			const int64_t mean = mean_of(reading, shown[k]);
			if (cell->devices == 0 || mean < cell->least) {
				cell->least = mean;
				cell->least_device = device;
			}
			if (cell->devices == 0 || mean > cell->most) {
				cell->most = mean;
				cell->most_device = device;
			}
			cell->sum += mean;
			cell->devices++;
			any = true;
		}
		for (int kind = 0; kind < READINGS; kind++)
			reading_add(&g->all[kind], &g->of[i][kind]);
	}
	g->devices += any;
}

struct looking {
	struct reading_look look;
	size_t cell; /* of the look; cells->n: none */
};

static void end_look(struct gauges *g, struct looking *l)
{
	if (l->look.any && l->cell < g->views->cells.n)
		reading_look_end(&l->look, g->of[l->cell]);
	l->look = (struct reading_look){.any = false};
}

static void take_row(struct gauges *g, struct looking *l, uint32_t process, const struct rows *rows)
{
	const struct reading_row row = {.start_ns = rows_value(rows, ROW_START),
									.dur_ns = rows_value(rows, ROW_DUR),
									.gauge = (uint8_t)rows_value(rows, GAUGE_WHICH),
									.value = (uint64_t)rows_value(rows, GAUGE_VALUE)};
	if (l->look.any && (row.start_ns != l->look.start_ns || row.dur_ns != l->look.dur_ns))
		end_look(g, l);
	if (!l->look.any)
		l->cell =
			step_cells_at(&g->views->cells, scene_time(&g->views->scene, process, row.start_ns));
	reading_look_take(&l->look, &row, g->of[0]);
}

/* A file that can no longer be read gives no readings. */
static int take_device(struct gauges *g, uint32_t i)
{
	const struct run *run = &g->views->scene.run;
	const struct run_device *device = &run->devices[i];
	struct looking l = {.cell = g->views->cells.n};
	struct trace trace;
	struct rows rows;
	const struct step_cell *window = &g->views->cells.own[i];
	if (!device->gauges || window->from_ns == window->to_ns ||
		trace_open(&trace, run->gauges[device->gauges - 1].path, NULL) != 0)
		return 0;
	const uint32_t wanted = run_device_find(&trace, strings_get(&run->pool, device->key).at);
	memset(g->of, 0, g->views->cells.n * sizeof(*g->of));
	int error = rows_open_within(&rows, &trace, BATON_GAUGE, window->from_ns, window->to_ns);
	while (wanted && !error && rows_next(&rows)) {
		const int64_t start = rows_value(&rows, ROW_START);
		if (start >= window->from_ns && start < window->to_ns &&
			idmap_get(&trace.device_ids, (uint64_t)rows_value(&rows, GAUGE_DEVICE)) == wanted)
			take_row(g, &l, device->processes[0], &rows);
	}
	end_look(g, &l);
	error = error ? error : rows.error;
	rows_close(&rows);
	trace_close(&trace);
	add_device(g, i);
	return error;
}

static void put_column(struct json *j, const struct gauges *g, int k, int column)
{
	static const char *const names[] = {"least", "mean", "most", "least_device", "most_device"};
	json_array(j, names[column]);
	for (size_t i = 0; i < g->views->cells.n; i++) {
		const struct look_cell *c = &g->cells[i][k];
		const int64_t values[] = {c->least, c->devices ? c->sum / c->devices : 0, c->most,
								  c->least_device, c->most_device};
		if (c->devices)
			json_number(j, NULL, values[column]);
		else
			json_null(j, NULL);
	}
	json_end_array(j);
}

static void put_devices(struct json *j, const struct run *run)
{
	json_array(j, "devices");
	for (size_t i = 0; i < run->n_devices; i++)
		json_text(j, NULL, strings_get(&run->pool, run->devices[i].key).at);
	json_end_array(j);
}

static void put_gauges(struct json *j, const struct gauges *g)
{
	json_number(j, "width", g->views->cells.width);
	json_number(j, "with_readings", g->devices);
	if (g->devices)
		put_devices(j, &g->views->scene.run);
	json_array(j, "gauges");
	for (int k = 0; k < SHOWN && g->devices; k++) {
		if (g->all[shown[k]].looks == 0)
			continue;
		json_object(j, NULL);
		json_text(j, "name", reading_name(shown[k]));
		json_number(j, "samples", (int64_t)g->all[shown[k]].looks);
		for (int column = 0; column < 5; column++)
			put_column(j, g, k, column);
		json_end_object(j);
	}
	json_end_array(j);
	json_array(j, "reasons"); /* that some sample had */
	for (int kind = READING_SLOWED + 1; kind < READINGS; kind++)
		if (g->all[kind].sum > 0)
			json_text(j, NULL, reading_reason((enum reading_kind)kind));
	json_end_array(j);
}

int gauges_page_write(const void *of, FILE *out)
{
	const struct step_views *views = of;
	struct gauges g = {.views = views};
	struct json json = {.out = out}, *j = &json;
	g.cells = calloc(views->cells.n + 1, sizeof(*g.cells));
	g.of = calloc(views->cells.n + 1, sizeof(*g.of));
	int error = g.cells && g.of ? 0 : -ENOMEM;
	for (uint32_t i = 0; !error && views->opened && i < views->scene.run.n_devices; i++)
		error = take_device(&g, i);
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.gauges/0");
	if (!error)
		put_gauges(j, &g);
	json_end_object(j);
	free(g.cells);
	free(g.of);
	return error;
}
