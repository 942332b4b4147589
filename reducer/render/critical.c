#include "render/critical.h"

#include "base/amount.h"
#include "base/plain.h"
#include "base/sort.h"
#include "conclude/figures.h"
#include "graph/critical.h"
#include "render/json.h"
#include "render/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STEP_PARTS = 4, UNIT_ROWS = 16, PERMILLE = 1000, UNIT_COLUMNS = 26 };

struct slack { /* of the collectives of one size */
	int64_t bytes, least_ns, median_ns;
	uint64_t n;
};

struct view {
	const char *dir;
	struct replayed *r;
	struct critical critical;
	int64_t part_ns[CRITICAL_PARTS], ns; /* of all steps */
	struct slack *slacks;
	size_t n_slacks;
};

struct met { /* a meeting */
	int64_t bytes, slack_ns;
	uint32_t meeting;
};

static int by_bytes(const void *a, const void *b)
{
	const struct met *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->slack_ns != y->slack_ns)
		return x->slack_ns < y->slack_ns ? -1 : 1;
	return x->meeting < y->meeting ? -1 : x->meeting > y->meeting;
}

/* Each meeting once, by its size. */
static int find_slacks(struct view *v)
{
	const struct model *m = &v->r->model;
	struct met *met = malloc((m->n_transfers + 1) * sizeof(*met));
	size_t n = 0;
	v->slacks = malloc((m->n_transfers + 1) * sizeof(*v->slacks));
	if (!met || !v->slacks) {
		free(met);
		return -ENOMEM;
	}
	for (size_t i = 0; i < m->n_transfers; i++)
		if (v->critical.meeting_slack_ns[i] >= 0)
			met[n++] = (struct met){m->transfers[i].bytes, v->critical.meeting_slack_ns[i],
									m->transfers[i].meeting};
	sort_rows(met, n, sizeof(*met), by_bytes);
	size_t kept = 0;
	for (size_t i = 0; i < n; i++) /* the members of a meeting lie together: its slack is one */
		if (kept == 0 || by_bytes(&met[i], &met[kept - 1]) != 0)
			met[kept++] = met[i];
	for (size_t i = 0, end; i < kept; i = end) {
		for (end = i; end < kept && met[end].bytes == met[i].bytes; end++)
			;
		v->slacks[v->n_slacks++] =
			(struct slack){met[i].bytes, met[i].slack_ns, met[i + (end - i) / 2].slack_ns, end - i};
	}
	free(met);
	return 0;
}

static void sum_parts(struct view *v)
{
	for (uint32_t step = 0; step < v->critical.n_steps; step++) {
		v->ns += v->critical.steps[step].ns;
		for (int part = 0; part < CRITICAL_PARTS; part++)
			v->part_ns[part] += v->critical.steps[step].part_ns[part];
	}
}

/* The parts by size; returns how many have any. */
static int sort_parts(const int64_t *part_ns, int order[CRITICAL_PARTS])
{
	int n = 0;
	for (int part = 0; part < CRITICAL_PARTS; part++) {
		if (part_ns[part] == 0)
			continue;
		int at = n++;
		for (; at > 0 && part_ns[order[at - 1]] < part_ns[part]; at--)
			order[at] = order[at - 1];
		order[at] = part;
	}
	return n;
}

static const char *unit_key(const struct view *v, size_t unit)
{
	const struct run *run = v->r->sample.context->run;
	return unit < v->r->model.n_units ? strings_get(&run->pool, v->r->model.units[unit].key).at
									  : "between devices";
}

/* ---- text ---- */

static void print_parts(const struct view *v, const struct screen *screen)
{
	int order[CRITICAL_PARTS];
	const int n = sort_parts(v->part_ns, order);
	struct text_buffer ms;
	char name[32];
	for (int i = 0; i < n; i++)
		screen_line(screen, "  %-26s %9s %6.1f %%", critical_name(order[i], name),
					text_ms(screen, v->part_ns[order[i]] / v->critical.n_steps, &ms),
					text_percent(v->part_ns[order[i]], v->ns));
	screen_line(screen, "  %-26s %9s", "sum", text_ms(screen, v->ns / v->critical.n_steps, &ms));
}

static void print_units(const struct view *v, const struct screen *screen)
{
	struct text_buffer ms, key;
	size_t left = 0;
	screen_line(screen, "%s", "");
	screen_title(screen, "On which device it lies, ms per step");
	for (size_t unit = 0; unit <= v->r->model.n_units; unit++) {
		const int64_t ns = v->critical.unit_ns[unit];
		if (PERMILLE * (__int128)ns < v->ns || (unit >= UNIT_ROWS && unit < v->r->model.n_units)) {
			left += ns > 0;
			continue;
		}
		char rank[32] = "";
		if (unit < v->r->model.n_units && v->r->model.units[unit].rank >= 0)
			snprintf(rank, sizeof(rank), "rank %d", v->r->model.units[unit].rank);
		const char *shown = text_device(unit_key(v, unit), UNIT_COLUMNS, &key);
		screen_line(screen, "  %-*s %9s %6.1f %%  %s",
					UNIT_COLUMNS + (int)strlen(shown) - plain_columns(shown), shown,
					text_ms(screen, ns / v->critical.n_steps, &ms), text_percent(ns, v->ns), rank);
	}
	if (left)
		screen_line(screen, "  and %zu more (--json has them all)", left);
}

static void print_steps(const struct view *v, const struct screen *screen)
{
	screen_line(screen, "%s", "");
	screen_title(screen, "Each replayed step, ms, and its largest parts");
	for (uint32_t step = 0; step < v->critical.n_steps; step++) {
		const struct critical_step *s = &v->critical.steps[step];
		int order[CRITICAL_PARTS];
		const int n = sort_parts(s->part_ns, order);
		struct text_buffer ms;
		char line[256] = "", name[32];
		for (int i = 0; i < n && i < STEP_PARTS; i++) {
			const size_t used = strlen(line);
			snprintf(line + used, sizeof(line) - used, "%s%s %s", i ? ", " : "",
					 critical_name(order[i], name), text_ms(screen, s->part_ns[order[i]], &ms));
		}
		screen_wrap(screen, 14, "  %9s   %s", text_ms(screen, s->ns, &ms), line);
	}
}

static void print_slacks(const struct view *v, const struct screen *screen)
{
	struct text_buffer least, median;
	char grouped[32];
	if (v->n_slacks == 0)
		return;
	screen_line(screen, "%s", "");
	screen_title_wrap(screen, 0,
					  "How much later collectives could meet before a step gets longer, "
					  "ms");
	screen_line(screen, "  %14s %8s %9s %9s", "bytes", "number", "least", "median");
	for (size_t i = 0; i < v->n_slacks; i++)
		screen_line(screen, "  %14s %8llu %9s %9s",
					v->slacks[i].bytes < 0 ? "not known"
										   : amount_grouped((uint64_t)v->slacks[i].bytes, grouped),
					(unsigned long long)v->slacks[i].n,
					text_ms(screen, v->slacks[i].least_ns, &least),
					text_ms(screen, v->slacks[i].median_ns, &median));
}

static void print_text(const struct view *v, FILE *out)
{
	struct screen screen;
	struct text_buffer ms;
	screen_open(&screen, out, v->ns / v->critical.n_steps);
	screen_title_wrap(&screen, 0, "%s   the critical path of %u replayed steps of %s ms", v->dir,
					  v->critical.n_steps, text_ms(&screen, v->ns / v->critical.n_steps, &ms));
	screen_line(&screen, "%s", "");
	screen_title(&screen, "What it consists of, ms per step");
	print_parts(v, &screen);
	print_units(v, &screen);
	print_steps(v, &screen);
	print_slacks(v, &screen);
}

/* ---- JSON ---- */

static void parts_object(struct json *json, const int64_t *part_ns)
{
	char name[32];
	json_object(json, "path_ns");
	for (int part = 0; part < CRITICAL_PARTS; part++)
		if (part_ns[part] > 0)
			json_number(json, critical_name(part, name), part_ns[part]);
	json_end_object(json);
}

static void print_json(const struct view *v, FILE *out)
{
	struct json json = {.out = out};
	json_object(&json, NULL);
	json_text(&json, "schema", "baton.critical/0");
	json_text(&json, "run", v->dir);
	json_array(&json, "steps");
	for (uint32_t step = 0; step < v->critical.n_steps; step++) {
		json_object(&json, NULL);
		json_number(&json, "ns", v->critical.steps[step].ns);
		parts_object(&json, v->critical.steps[step].part_ns);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_array(&json, "devices");
	for (size_t unit = 0; unit < v->r->model.n_units; unit++) {
		json_object(&json, NULL);
		json_text(&json, "device", unit_key(v, unit));
		json_known(&json, "rank", v->r->model.units[unit].rank);
		json_number(&json, "ns", v->critical.unit_ns[unit]);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_number(&json, "between_devices_ns", v->critical.unit_ns[v->r->model.n_units]);
	json_array(&json, "slack");
	for (size_t i = 0; i < v->n_slacks; i++) {
		json_object(&json, NULL);
		json_known(&json, "bytes", v->slacks[i].bytes);
		json_number(&json, "number", (int64_t)v->slacks[i].n);
		json_number(&json, "least_ns", v->slacks[i].least_ns);
		json_number(&json, "median_ns", v->slacks[i].median_ns);
		json_end_object(&json);
	}
	json_end_array(&json);
	json_end_object(&json);
	fputc('\n', out);
}

/* ---- tables ---- */

static struct cell percent(int64_t part, int64_t whole)
{
	return whole > 0 ? cell_milli(100 * (double)part / (double)whole) : cell_none();
}

static void parts_sheet(const struct view *v, struct sheets *sheets)
{
	static const char *const heads[] = {"part", "path_ns", "percent", NULL};
	static const struct sheet_spec spec = {"parts", "What the critical path consists of, by step",
										   heads};
	int order[CRITICAL_PARTS];
	const int n = sort_parts(v->part_ns, order);
	char name[32];
	sheets_begin(sheets, &spec);
	for (int i = 0; i < n; i++) {
		const int64_t ns = v->part_ns[order[i]];
		const struct cell cells[] = {cell_text(critical_name(order[i], name)),
									 cell_mean_ns((double)ns / v->critical.n_steps),
									 percent(ns, v->ns)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

static void units_sheet(const struct view *v, struct sheets *sheets)
{
	static const char *const heads[] = {"device", "rank", "path_ns", "percent", NULL};
	static const struct sheet_spec spec = {"devices", "On which device it lies, by step", heads};
	sheets_begin(sheets, &spec);
	for (size_t unit = 0; unit <= v->r->model.n_units; unit++) {
		const int64_t ns = v->critical.unit_ns[unit];
		const bool between = unit == v->r->model.n_units;
		const struct cell cells[] = {
			cell_text(unit_key(v, unit)), cell_known(between ? -1 : v->r->model.units[unit].rank),
			cell_mean_ns((double)ns / v->critical.n_steps), percent(ns, v->ns)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

/* A row for each part of each step. */
static void steps_sheet(const struct view *v, struct sheets *sheets)
{
	static const char *const heads[] = {"step", "step_ns", "part", "path_ns", NULL};
	static const struct sheet_spec spec = {"steps", "Each replayed step, and its parts", heads};
	char name[32];
	sheets_begin(sheets, &spec);
	for (uint32_t step = 0; step < v->critical.n_steps; step++) {
		const struct critical_step *s = &v->critical.steps[step];
		int order[CRITICAL_PARTS];
		const int n = sort_parts(s->part_ns, order);
		for (int i = 0; i < n; i++) {
			const struct cell cells[] = {cell_number(step), cell_ns(s->ns),
										 cell_text(critical_name(order[i], name)),
										 cell_ns(s->part_ns[order[i]])};
			sheets_row(sheets, cells);
		}
	}
	sheets_end(sheets);
}

static void slack_sheet(const struct view *v, struct sheets *sheets)
{
	static const char *const heads[] = {"bytes", "number", "least_ns", "median_ns", NULL};
	static const struct sheet_spec spec = {
		"slack", "How much later collectives could meet before a step gets longer", heads};
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < v->n_slacks; i++) {
		const struct slack *slack = &v->slacks[i];
		const struct cell cells[] = {cell_known(slack->bytes), cell_number((int64_t)slack->n),
									 cell_ns(slack->least_ns), cell_ns(slack->median_ns)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

static int print_sheets(const struct view *v, enum sheet_format format, FILE *out)
{
	struct sheets sheets;
	sheets_open(&sheets, out, format);
	parts_sheet(v, &sheets);
	units_sheet(v, &sheets);
	steps_sheet(v, &sheets);
	slack_sheet(v, &sheets);
	return sheets.error;
}

int critical_print(const char *dir, struct replayed *r, enum sheet_format format, FILE *out)
{
	struct view v = {.dir = dir, .r = r};
	int error = critical_open(&v.critical, &r->causes);
	if (!error) {
		sum_parts(&v);
		error = find_slacks(&v);
	}
	if (!error && format == SHEET_JSON)
		print_json(&v, out);
	else if (!error && format != SHEET_TABLE)
		error = print_sheets(&v, format, out);
	else if (!error)
		print_text(&v, out);
	free(v.slacks);
	critical_close(&v.critical);
	return error;
}
