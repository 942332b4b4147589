/* NVTX_EVENTS: ranges and marks. */
#include "import/nsys/nsys_nvtx.h"

#include "import/nsys/nsys_coll.h"
#include "import/nsys/nsys_inputs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOMAINS = 1024, DOMAIN_BYTES = 64 };

enum {
	NVTX_BEGIN,
	NVTX_END,
	NVTX_TYPE,
	NVTX_THREAD,
	NVTX_DOMAIN,
	NVTX_TEXT,
	NVTX_REGISTERED,
	NVTX_CATEGORY,
	NVTX_JSON,
	NVTX_JSON_STRING
};

#define NVTX_FIELDS                                                                           \
	{.column = "start"}, {.column = "end"}, {.column = "eventType"}, {.column = "globalTid"}, \
		{.column = "domainId"}, {.column = "text"}, {"textId", NSYS_STRING},                  \
		{.column = "category"}, {.column = "jsonText"},                                       \
	{                                                                                         \
		"jsonTextId", NSYS_STRING                                                             \
	}

/* A domain is created by an event of type 75. */
static const struct nsys_table domain_rows = {
	.name = "NVTX_EVENTS",
	.fields = {NVTX_FIELDS},
	.tail = "WHERE f2 = 75",
};

static const struct nsys_table all_rows = {.name = "NVTX_EVENTS", .fields = {NVTX_FIELDS}};

/* A range that never ended: its end is missing, or 0 in exports that had no NULL. */
static const struct nsys_table unclosed_rows = {
	.name = "NVTX_EVENTS",
	.fields = {NVTX_FIELDS},
	.tail = "WHERE f2 IN (59, 60, 70, 71) AND (f1 IS NULL OR (f1 = 0 AND f0 > 0))",
};

/* ---- domains ---- */

struct domain {
	int64_t process; /* the number of a domain is the process's own */
	int64_t number;
	char name[DOMAIN_BYTES];
};

struct domains {
	uint32_t n;
	struct domain all[DOMAINS];
};

static int64_t process_bits(const struct nsys_scan *scan)
{
	return nsys_int_or(scan, NVTX_THREAD, 0) & ~(int64_t)0xffffff;
}

static const struct domain *find_domain(const struct domains *domains, int64_t process,
										int64_t number)
{
	for (uint32_t i = 0; i < domains->n; i++)
		if (domains->all[i].number == number && domains->all[i].process == process)
			return &domains->all[i];
	return NULL;
}

static const char *row_text(const struct nsys_scan *scan, size_t *bytes)
{
	const char *text = nsys_text(scan, NVTX_TEXT, bytes);
	return text ? text : nsys_text(scan, NVTX_REGISTERED, bytes);
}

static void load_domains(struct nsys_file *file, struct domains *domains)
{
	struct nsys_scan scan;
	nsys_scan_open(&scan, &file->db, &domain_rows);
	while (nsys_scan_next(&scan)) {
		size_t bytes = 0;
		int64_t number = nsys_int_or(&scan, NVTX_DOMAIN, 0);
		const char *text = row_text(&scan, &bytes);
		if (!text || find_domain(domains, process_bits(&scan), number))
			continue;
		if (domains->n == DOMAINS) {
			nsys_refuse(file, NSYS_TOO_MANY_DOMAINS);
			continue;
		}
		struct domain *domain = &domains->all[domains->n++];
		domain->process = process_bits(&scan);
		domain->number = number;
		snprintf(domain->name, sizeof(domain->name), "%.*s",
				 (int)(bytes < DOMAIN_BYTES ? bytes : DOMAIN_BYTES), text);
	}
}

/* ---- rows ---- */

/* torch.autograd.profiler.emit_nvtx makes every text of its own: "aten::copy_, seq = 12, op_id =
 * 991065, sizes =
 * [[8, 3]]". Without this tail the dictionary has one entry per operator instead of one per call.
 */
static size_t without_tail(const char *text, size_t bytes)
{
	static const char *const tails[] = {
		", op_id = ", ", seq = ", ", sizes = ", ", input_op_ids = ", ", stashed seq = "};
	size_t left = bytes;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		const char *tail = memmem(text, left, tails[i], strlen(tails[i]));
		if (tail && tail > text)
			left = (size_t)(tail - text);
	}
	return left;
}

static int category_of(int64_t type)
{
	static const struct {
		int64_t type;
		int category;
	} categories[] = {
		{59, BATON_RANGE_NVTX},      {70, BATON_RANGE_NVTX}, {60, BATON_RANGE_NVTX_SPAN},
		{71, BATON_RANGE_NVTX_SPAN}, {34, BATON_RANGE_MARK},
	};
	for (size_t i = 0; i < sizeof(categories) / sizeof(categories[0]); i++)
		if (categories[i].type == type)
			return categories[i].category;
	return 0; /* a category, a thread's name, a domain: no row */
}

/* baton's own exports have the ends of optimizers' steps as marks of two domains (export/nsys_host.c),
 * which become what they were. */
static void restore_optimizer(const struct domain *domain, struct nsys_process *process,
							  int64_t row[BATON_MAX_COLUMNS])
{
	static const char before[] = "baton.optimizer";
	const size_t bytes = sizeof(before) - 1;
	if (!domain || row[RANGE_CATEGORY] != BATON_RANGE_MARK ||
		strncmp(domain->name, before, bytes) != 0)
		return;
	row[RANGE_CATEGORY] = BATON_RANGE_OPTIMIZER;
	row[RANGE_DOMAIN] = domain->name[bytes] ? trace_out_text(process->out, "again") : 0;
}

static uint32_t inputs_of(struct trace_out *out, const struct nsys_scan *scan, const char *text,
						  size_t bytes)
{
	size_t json_bytes = 0;
	const char *json = nsys_text(scan, NVTX_JSON, &json_bytes);
	json = json ? json : nsys_text(scan, NVTX_JSON_STRING, &json_bytes);
	const uint32_t inputs = json ? nsys_inputs_of_json(out, json, json_bytes) : 0;
	return inputs ? inputs : nsys_inputs_of_text(out, text, bytes);
}

static void add_range(struct nsys_file *file, const struct domains *domains,
					  struct nsys_process *process, const struct nsys_scan *scan, int64_t end_ns)
{
	int64_t row[BATON_MAX_COLUMNS] = {0};
	size_t bytes = 0;
	const char *text = row_text(scan, &bytes);
	const struct domain *domain =
		find_domain(domains, process_bits(scan), nsys_int_or(scan, NVTX_DOMAIN, 0));
	row[RANGE_THREAD] = nsys_thread_of(process, scan, NVTX_THREAD);
	row[RANGE_NAME] = text ? trace_out_string(process->out, text, without_tail(text, bytes)) : 0;
	row[RANGE_CATEGORY] = category_of(nsys_int_or(scan, NVTX_TYPE, 0));
	row[RANGE_DOMAIN] = domain ? trace_out_text(process->out, domain->name) : 0;
	row[RANGE_UNCLOSED] = end_ns == INT64_MAX;
	row[RANGE_INPUTS] = inputs_of(process->out, scan, text, bytes);
	restore_optimizer(domain, process, row);
	int64_t start_ns = nsys_int_or(scan, NVTX_BEGIN, 0);
	if (end_ns == INT64_MAX)
		end_ns = process->last_ns > start_ns ? process->last_ns : start_ns;
	nsys_add_row(file, process, BATON_RANGE, start_ns, end_ns, row,
				 1u << RANGE_DOMAIN | 1u << RANGE_UNCLOSED |
					 (row[RANGE_INPUTS] ? 1u << RANGE_INPUTS : 0));
}

static bool is_unclosed(const struct nsys_scan *scan, int64_t *end_ns)
{
	return !nsys_int(scan, NVTX_END, end_ns) ||
		   (*end_ns == 0 && nsys_int_or(scan, NVTX_BEGIN, 0) > 0);
}

/* Returns how many ranges were never closed: they wait until the end of the capture is known. */
static uint64_t add_closed(struct nsys_file *file, const struct domains *domains)
{
	struct nsys_scan scan;
	uint64_t unclosed = 0;
	nsys_scan_open(&scan, &file->db, &all_rows);
	while (nsys_scan_next(&scan)) {
		int64_t start_ns, end_ns;
		int category = category_of(nsys_int_or(&scan, NVTX_TYPE, 0));
		if (!category || nsys_int_or(&scan, NVTX_CATEGORY, 0) == NSYS_CATEGORY_MADE)
			continue;
		if (!nsys_int(&scan, NVTX_BEGIN, &start_ns)) {
			nsys_refuse(file, NSYS_NO_TIME);
			continue;
		}
		if (category == BATON_RANGE_MARK) {
			end_ns = start_ns;
		} else if (is_unclosed(&scan, &end_ns)) {
			unclosed++;
			continue;
		}
		struct nsys_process *process = nsys_process_of(file, &scan, NVTX_THREAD);
		if (process)
			add_range(file, domains, process, &scan, end_ns);
	}
	return unclosed;
}

/* The latest time of the whole export. Rows that were refused do not move it, where that is known
 * already. */
static void share_end(struct nsys_file *file)
{
	int64_t last_ns = INT64_MIN, first_ns, end_ns;
	for (size_t i = 0; i < file->n_processes; i++) {
		struct nsys_process *process = file->processes[i].at;
		trace_out_hull(process->out, &first_ns, &end_ns);
		if (end_ns != 0)
			process->last_ns = end_ns - file->target.utc_ns;
		last_ns = process->last_ns > last_ns ? process->last_ns : last_ns;
	}
	for (size_t i = 0; i < file->n_processes; i++)
		file->processes[i].at->last_ns = last_ns;
}

void nsys_read_ranges(struct nsys_file *file)
{
	struct domains *domains = calloc(1, sizeof(*domains));
	if (!domains) {
		nsys_fail(file, -ENOMEM);
		return;
	}
	load_domains(file, domains);
	if (add_closed(file, domains) > 0) {
		struct nsys_scan scan;
		share_end(file);
		nsys_scan_open(&scan, &file->db, &unclosed_rows);
		while (nsys_scan_next(&scan)) {
			int64_t start_ns;
			if (!nsys_int(&scan, NVTX_BEGIN, &start_ns))
				continue; /* counted before */
			struct nsys_process *process = nsys_process_of(file, &scan, NVTX_THREAD);
			if (process)
				add_range(file, domains, process, &scan, INT64_MAX);
		}
	}
	free(domains);
}
