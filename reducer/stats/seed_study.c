#include "stats/seed_study.h"

#include "base/diag.h"
#include "base/plain.h"
#include "base/room.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "classify/seed.h"
#include "stats/copies.h"
#include "stats/events.h"
#include "stats/seed_chart.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TOP = 10, LEAST_PERCENT = 10 /* above the mean: less is no line */, COPY_NAMES = 16 };

static const enum group order[] = {GROUP_MATMUL, GROUP_MEMORY, GROUP_CUSTOM, GROUP_OTHER};
enum { STUDY_GROUPS = sizeof(order) / sizeof(order[0]) };
_Static_assert((int)STUDY_GROUPS == (int)SEED_CHART_GROUPS, "a bar for each group");

struct sum { /* of one name on one device */
	uint32_t device, name;
	uint32_t group, copies; /* copies: 1 for a copy or a fill */
	int64_t ns, bytes;
	uint64_t n;
};

struct study {
	struct stats_run run;
	struct sum *sums;
	size_t n;
	struct table table;
	struct study_device *devices; /* by number in `device_numbers` */
	size_t n_devices;
	struct table device_numbers;
	struct copies copies;
};

struct study_device {
	uint32_t key; /* its name in the run's pool */
	uint32_t zero;
	int64_t ns[STUDY_GROUPS], all_ns;
};

/* ---- reading ---- */

static uint32_t place_of(const char *name)
{
	struct identifier parts;
	struct kernel_class class;
	identifier_parse(&parts, name, strlen(name));
	seed_classify(&parts, name, strlen(name), &class);
	for (uint32_t i = 0; i < STUDY_GROUPS; i++)
		if (order[i] == class.group)
			return i;
	return STUDY_GROUPS - 1;
}

/* The device's name in the pool; 0: out of memory. */
static uint32_t device_of(struct stats_file *file, const struct rows *op)
{
	char name[384];
	const struct trace *trace = &file->trace;
	const uint32_t stream = idmap_get(&trace->stream_ids, (uint64_t)rows_value(op, OP_STREAM));
	run_device_key(trace, trace->streams[stream].device, name, sizeof(name));
	return stats_text(file, name);
}

static int add(struct study *s, struct stats_file *file, const struct rows *op, uint32_t device)
{
	const struct sum key = {.device = device, .name = stats_op_name(file, op)};
	const int64_t kind = rows_value(op, OP_KIND);
	const size_t before = s->n;
	struct sum *sum = key.name ? table_row(&s->table, TABLE_ROWS(s->sums, s->n, name), &key) : NULL;
	const struct study_device device_key = {.key = device};
	struct study_device *of =
		table_row(&s->device_numbers, TABLE_ROWS(s->devices, s->n_devices, zero), &device_key);
	if (!sum || !of)
		return -ENOMEM;
	if (s->n > before)
		sum->group = place_of(stats_name(&s->run, sum->name));
	const int64_t dur_ns = rows_value(op, OP_DUR);
	sum->copies = kind == BATON_MEMCPY || kind == BATON_MEMSET;
	sum->ns = saturate_add(sum->ns, dur_ns);
	sum->bytes = saturate_add(sum->bytes, rows_optional(op, OP_BYTES, 0));
	sum->n++;
	of->ns[sum->group] = saturate_add(of->ns[sum->group], dur_ns);
	of->all_ns = saturate_add(of->all_ns, dur_ns);
	return kind == BATON_MEMCPY ? copies_add(&s->copies, file, op, device) : 0;
}

static int add_file(struct stats_file *file, void *context)
{
	struct study *s = context;
	struct rows ops;
	uint32_t *devices = calloc(file->trace.n_streams + 1, sizeof(*devices));
	int error = devices ? rows_open(&ops, &file->trace, BATON_OP) : -ENOMEM;
	if (error) {
		free(devices);
		return error;
	}
	while (!error && stats_next(file, &ops)) {
		const uint32_t stream =
			idmap_get(&file->trace.stream_ids, (uint64_t)rows_value(&ops, OP_STREAM));
		if (!devices[stream])
			devices[stream] = device_of(file, &ops);
		error = devices[stream] ? add(s, file, &ops, devices[stream]) : -ENOMEM;
	}
	error = error ? error : ops.error;
	rows_close(&ops);
	free(devices);
	return error;
}

/* ---- printing ---- */

static int by_device(const void *a, const void *b, void *context)
{
	const struct study_device *x = a, *y = b;
	return strcmp(stats_name(context, x->key), stats_name(context, y->key));
}

static int by_time(const void *a, const void *b, void *context)
{
	const struct sum *x = a, *y = b;
	if (x->device != y->device)
		return strcmp(stats_name(context, x->device), stats_name(context, y->device));
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(stats_name(context, x->name), stats_name(context, y->name));
}

static double percent(int64_t part, int64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

static void print_groups(const struct study *s, struct sheets *sheets)
{
	for (size_t d = 0; d < s->n_devices; d++) {
		const struct study_device *device = &s->devices[d];
		for (int g = 0; g <= STUDY_GROUPS; g++) {
			const int64_t ns = g < STUDY_GROUPS ? device->ns[g] : device->all_ns;
			const struct cell cells[] = {cell_text(stats_name(&s->run, device->key)),
										 cell_text(g < STUDY_GROUPS ? seed_label(order[g]) : "sum"),
										 cell_number(ns), cell_tenths(percent(ns, device->all_ns))};
			sheets_row(sheets, cells);
		}
	}
}

static void print_names(const struct study *s, struct sheets *sheets, bool copies)
{
	int shown = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct sum *sum = &s->sums[i];
		shown = i > 0 && s->sums[i - 1].device == sum->device ? shown : 0;
		if ((copies && !sum->copies) || (!copies && shown == TOP))
			continue;
		shown++;
		const bool timed = copies && sum->ns > 0;
		const struct cell cells[] = {
			cell_text(stats_name(&s->run, sum->device)),
			cell_text(copies ? stats_name(&s->run, sum->name) : seed_label(order[sum->group])),
			cell_number((int64_t)sum->n),
			cell_number(sum->ns),
			copies ? cell_number(sum->bytes) : cell_text(stats_name(&s->run, sum->name)),
			timed ? cell_tenths((double)sum->bytes / (double)sum->ns) : cell_none()};
		sheets_row(sheets, cells);
	}
}

struct uneven {                /* what differs between the devices */
	const char *what, *device; /* that with most */
	int64_t most_ns, device_ns;
	long double sum;
};

static void say_uneven(const struct uneven *u, size_t n_devices, FILE *out)
{
	const double mean = (double)(u->sum / (long double)n_devices);
	const double more = mean > 0 ? 100 * ((double)u->most_ns / mean - 1) : 0;
	if (more < LEAST_PERCENT || percent(u->most_ns, u->device_ns) < 1)
		return;
	fputs("Uneven: ", out);
	plain_put(u->what, out);
	fprintf(out, " takes %.1f ms on ", (double)u->most_ns / 1e6);
	plain_put(u->device, out);
	fprintf(out, ", %.0f %% more than the mean of %zu GPUs\n", more, n_devices);
}

static void add_uneven(struct uneven *u, const char *device, int64_t ns, int64_t device_ns)
{
	u->sum += ns;
	if (u->device && ns <= u->most_ns)
		return;
	u->device = device;
	u->most_ns = ns;
	u->device_ns = device_ns;
}

static int64_t time_of(const struct study *s, uint32_t device)
{
	for (size_t d = 0; d < s->n_devices; d++)
		if (s->devices[d].key == device)
			return s->devices[d].all_ns;
	return 0;
}

/* Times that differ between the devices, in words: groups, directions of copies, then pairs. */
static int say_all_uneven(const struct study *s, FILE *out)
{
	struct uneven copies[COPY_NAMES] = {0};
	size_t n = 0;
	for (int g = 0; g < STUDY_GROUPS && s->n_devices > 1; g++) {
		struct uneven group = {.what = seed_label(order[g])};
		for (size_t d = 0; d < s->n_devices; d++)
			add_uneven(&group, stats_name(&s->run, s->devices[d].key), s->devices[d].ns[g],
					   s->devices[d].all_ns);
		say_uneven(&group, s->n_devices, out);
	}
	for (size_t i = 0; i < s->n && s->n_devices > 1; i++) {
		const char *name = stats_name(&s->run, s->sums[i].name);
		size_t k = 0;
		while (s->sums[i].copies && k < n && strcmp(copies[k].what, name) != 0)
			k++;
		if (!s->sums[i].copies || k == COPY_NAMES)
			continue;
		n += k == n;
		copies[k].what = name;
		add_uneven(&copies[k], stats_name(&s->run, s->sums[i].device), s->sums[i].ns,
				   time_of(s, s->sums[i].device));
	}
	for (size_t k = 0; k < n; k++)
		say_uneven(&copies[k], s->n_devices, out);
	return copies_say_uneven(&s->copies, &s->run, "", out);
}

static int print_all(struct study *s, enum sheet_format format, FILE *out)
{
	static const char *const groups[] = {"Device", "Group", "Time (ns)", "Time (%)", NULL};
	static const char *const names[] = {"Device", "Group", "Count", "Time (ns)", "Name", NULL};
	static const char *const copies[] = {"Device",   "Operation", "Count", "Time (ns)",
										 "Size (B)", "GB/s",      NULL};
	static const struct sheet_spec specs[] = {
		{"groups", "GPU time by device and group", groups},
		{"names", "The ten names of a device with most time", names},
		{"copies", "Copies and fills of each device", copies}};
	struct sheets sheets;
	sort_rows_with(s->devices, s->n_devices, sizeof(*s->devices), by_device, &s->run);
	sort_rows_with(s->sums, s->n, sizeof(*s->sums), by_time, &s->run);
	sheets_open(&sheets, out, format);
	for (int i = 0; i < 3; i++) {
		sheets_begin(&sheets, &specs[i]);
		if (i == 0)
			print_groups(s, &sheets);
		else
			print_names(s, &sheets, i == 2);
		sheets_end(&sheets);
	}
	if (!sheets.error && format == SHEET_TABLE)
		return say_all_uneven(s, out);
	return sheets.error;
}

static void study_close(struct study *s)
{
	free(s->sums);
	free(s->devices);
	table_free(&s->table);
	table_free(&s->device_numbers);
	copies_free(&s->copies);
	stats_run_close(&s->run);
}

/* An enum status; what is wrong has been said. Close it in any case. */
static int study_read(struct study *s, struct run *run, const struct stats_part *part)
{
	*s = (struct study){0};
	int error = stats_run_open(&s->run, run);
	s->run.part = *part;
	if (!error)
		error = stats_each(&s->run, add_file, s);
	if (error)
		diag("%s", strerror(-error));
	return error ? STATUS_INPUT : s->run.status;
}

static int draw(const struct seed_chart *chart, const char *path)
{
	struct seed_chart named = *chart;
	for (int g = 0; g < STUDY_GROUPS; g++)
		named.groups[g] = seed_label(order[g]);
	return seed_chart_write(&named, path);
}

static int draw_devices(const struct study *s, const char *path)
{
	struct seed_bar *bars = calloc(s->n_devices + 1, sizeof(*bars));
	if (!bars) {
		diag("%s: %s", path, strerror(ENOMEM));
		return STATUS_INPUT;
	}
	for (size_t d = 0; d < s->n_devices; d++) {
		bars[d].name = stats_name(&s->run, s->devices[d].key);
		bars[d].all_ns = s->devices[d].all_ns;
		memcpy(bars[d].ns, s->devices[d].ns, sizeof(bars[d].ns));
	}
	const struct seed_chart chart = {
		.title = "GPU time by device and group", .x = "GPU", .bars = bars, .n = s->n_devices};
	const int status = draw(&chart, path);
	free(bars);
	return status;
}

int seed_study_print(struct stats_run *run, const struct seed_forms *forms)
{
	struct study s;
	int status = study_read(&s, run->run, &run->part);
	if (status != STATUS_INPUT && print_all(&s, forms->format, forms->out) != 0) {
		diag("%s", strerror(ENOMEM));
		status = STATUS_INPUT;
	}
	if (status != STATUS_INPUT && forms->svg)
		status = (int)status_worse((enum status)status, (enum status)draw_devices(&s, forms->svg));
	study_close(&s);
	return status;
}

/* ---- several runs ---- */

struct runs { /* where they go */
	struct sheets sheets;
	struct seed_bar *bars;
	size_t n;
	FILE *uneven; /* lines that follow the table */
	const struct seed_opener *opener;
};

static void put_run(const char *name, const struct study *s, struct runs *runs)
{
	struct study_device all = {0};
	struct seed_bar *bar = &runs->bars[runs->n++];
	for (size_t d = 0; d < s->n_devices; d++) {
		all.all_ns = saturate_add(all.all_ns, s->devices[d].all_ns);
		for (int g = 0; g < STUDY_GROUPS; g++)
			all.ns[g] = saturate_add(all.ns[g], s->devices[d].ns[g]);
	}
	*bar = (struct seed_bar){.name = name, .all_ns = all.all_ns};
	memcpy(bar->ns, all.ns, sizeof(bar->ns));
	for (int g = 0; g <= STUDY_GROUPS; g++) {
		const int64_t ns = g < STUDY_GROUPS ? all.ns[g] : all.all_ns;
		const struct cell cells[] = {cell_text(name), cell_number((int64_t)s->n_devices),
									 cell_text(g < STUDY_GROUPS ? seed_label(order[g]) : "sum"),
									 cell_number(ns), cell_tenths(percent(ns, all.all_ns))};
		sheets_row(&runs->sheets, cells);
	}
}

/* Pairs of GPUs of one run. */
static int say_run_uneven(const char *name, const struct study *s, FILE *out)
{
	char before[300];
	snprintf(before, sizeof(before), "%.280s: ", name);
	plain_text(before);
	return copies_say_uneven(&s->copies, &s->run, before, out);
}

struct named_run {
	const char *name;
	struct runs *runs;
};

static int compare_run(struct stats_run *run, const void *context)
{
	const struct named_run *of = context;
	struct study s;
	int status = study_read(&s, run->run, &run->part);
	if (status != STATUS_INPUT)
		put_run(of->name, &s, of->runs);
	if (status != STATUS_INPUT && say_run_uneven(of->name, &s, of->runs->uneven) != 0)
		status = STATUS_INPUT;
	study_close(&s);
	return status;
}

/* `text` has commas between the directories, unless it is the name of one; they become ends. */
static int open_run(char *text, const struct named_run *of)
{
	char *rest = NULL, **dirs = calloc(strlen(text) + 1, sizeof(*dirs));
	size_t n = 0;
	int status = STATUS_INPUT;
	const char *cut = access(of->name, F_OK) == 0 ? "" : ",";
	for (char *dir = dirs ? strtok_r(text, cut, &rest) : NULL; dir;
		 dir = strtok_r(NULL, cut, &rest))
		dirs[n++] = dir;
	if (n > 0) {
		const struct seed_opener *opener = of->runs->opener;
		status = opener->open(opener->context, dirs, n, &(struct seed_view){compare_run, of});
	} else if (dirs) {
		diag("'%s' names no directory", of->name);
		status = STATUS_USAGE;
	}
	free(dirs);
	return status;
}

/* Text that is written out when it turns out to be an answer: heads without a table are none. */
struct held {
	char *text;
	size_t bytes;
	FILE *file;
};

static void held_close(struct held *held, FILE *out) /* NULL: it is none */
{
	if (held->file)
		fclose(held->file);
	if (held->file && out)
		fwrite(held->text, 1, held->bytes, out);
	free(held->text);
}

static int compare_runs(char *const *operands, size_t n, struct runs *runs)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < n && status != STATUS_INPUT; i++) {
		char *dirs = strdup(operands[i]);
		const int one =
			dirs ? open_run(dirs, &(struct named_run){operands[i], runs}) : STATUS_INPUT;
		status = (int)status_worse((enum status)status, (enum status)one);
		free(dirs);
	}
	sheets_end(&runs->sheets);
	if (runs->sheets.error) {
		diag("%s", strerror(-runs->sheets.error));
		status = STATUS_INPUT;
	}
	return status;
}

int seed_study_compare(char *const *operands, size_t n, const struct seed_forms *forms,
					   const struct seed_opener *opener)
{
	static const char *const heads[] = {"Run", "GPUs", "Group", "Time (ns)", "Time (%)", NULL};
	static const struct sheet_spec spec = {"runs", "GPU time of each run by group", heads};
	struct held table = {0}, uneven = {0};
	struct runs runs = {.bars = calloc(n + 1, sizeof(*runs.bars)), .opener = opener};
	int status = STATUS_INPUT;
	table.file = open_memstream(&table.text, &table.bytes);
	runs.uneven = uneven.file = open_memstream(&uneven.text, &uneven.bytes);
	if (runs.bars && table.file && uneven.file) {
		sheets_open(&runs.sheets, table.file, forms->format);
		sheets_begin(&runs.sheets, &spec);
		status = compare_runs(operands, n, &runs);
	}
	const bool answered = status == STATUS_OK || status == STATUS_PARTIAL;
	held_close(&table, answered ? forms->out : NULL);
	held_close(&uneven, answered && forms->format == SHEET_TABLE ? forms->out : NULL);
	const struct seed_chart chart = {
		.title = "GPU time of each run by group", .x = "run", .bars = runs.bars, .n = runs.n};
	if (forms->svg && answered)
		status = (int)status_worse((enum status)status, (enum status)draw(&chart, forms->svg));
	free(runs.bars);
	return status;
}
