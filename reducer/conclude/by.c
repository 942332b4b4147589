#include "conclude/by.h"

#include "base/source.h"

#include <stdio.h>
#include <string.h>

static const char *const names[SITE_BY_END] = {
	[SITE_LINE] = "line", [SITE_STACK] = "stack", [SITE_MODULE] = "module",
	[SITE_OP] = "op",     [SITE_RANGE] = "range", [SITE_SHAPE] = "shape"};

enum site_by by_named(const char *name)
{
	for (int by = SITE_LINE; by < SITE_BY_END; by++)
		if (strcmp(name, names[by]) == 0)
			return (enum site_by)by;
	return 0;
}

const char *by_name(enum site_by by)
{
	return names[by];
}

struct site_sums by_sum(const struct by_table *table, size_t from)
{
	struct site_sums sum = {0};
	for (size_t i = from; i < table->n; i++)
		site_sums_add(&sum, &table->rows[i].sums);
	return sum;
}

/* That a kernel is NCCL's needs no stack. */
static bool tells(const struct summary *summary, const struct site_summary *site)
{
	return site->kind != SITE_UNKNOWN &&
		   !(site->by == SITE_MODULE && strcmp(summary_text(summary, site->what), "NCCL") == 0);
}

void by_open(struct by_table *table, const struct summary *summary, enum site_by by)
{
	size_t from = 0, to;
	while (from < summary->n_sites && summary->sites[from].by != by)
		from++;
	for (to = from; to < summary->n_sites && summary->sites[to].by == by; to++)
		;
	*table = (struct by_table){.by = by, .n = to - from};
	if (table->n) /* there may be no sites at all */
		table->rows = summary->sites + from;
	table->all = by_sum(table, 0);
	for (size_t i = 0; i < summary->n_devices; i++)
		table->steps += summary->devices[i].steps > 0 ? summary->devices[i].steps : 1;
	for (size_t i = 0; i < table->n; i++)
		table->told = table->told || tells(summary, &table->rows[i]);
}

const char *by_lack(const struct summary *summary, enum site_by by)
{
	const enum source_kind source = source_kind(summary_text(summary, summary->run.source));
	if (by == SITE_SHAPE)
		return "no launch lies in an operator whose inputs the trace has: profile with "
			   "record_shapes=True (torch.profiler, emit_nvtx)";
	if (by == SITE_OP)
		return "no op has a launch record: the trace has no CUDA calls";
	if (source == SOURCE_NVPROF)
		return "a CSV of nvprof carries neither ranges nor call stacks: try --by op";
	if (by == SITE_RANGE)
		return "no launch lies in an NVTX range or annotation: mark the parts of the program "
			   "(torch.cuda.nvtx.range, record_function)";
	if (source == SOURCE_NSYS)
		return "this nsys report carries no call stacks of calls (CUDA_CALLCHAINS): try --by range "
			   "or "
			   "--by op";
	if (source == SOURCE_KINETO && by == SITE_STACK)
		return "imported Kineto traces carry no call stacks: try --by line or --by op";
	if (source == SOURCE_KINETO)
		return "the trace has no Python frames: profile with with_stack=True, or try --by op";
	return "no launch has a call stack: record with --stacks python; where that was so, the "
		   "program has "
		   "no Python that baton reads (CPython 3.8 to 3.13): --stacks native";
}

/* Where ":LINE FUNCTION" begins: a path may hold blanks, colons and " > "; NULL: a native frame. */
static const char *line_number(const char *line)
{
	for (const char *at = line; (at = strchr(at, ':')); at++) {
		size_t digits = strspn(at + 1, "0123456789");
		if (digits && at[1 + digits] == ' ')
			return at;
	}
	return NULL;
}

size_t by_outer_bytes(const char *line)
{
	const char *number = line_number(line), *inside = number ? strstr(number, SITE_INSIDE) : NULL;
	return inside ? (size_t)(inside - line) : strlen(line);
}

/* `bytes` of the line, with its directory or without. */
static void short_part(const char *line, size_t bytes, bool directory, char *out, size_t room)
{
	const char *number = line_number(line);
	if (!number) {
		snprintf(out, room, "%.*s", (int)bytes, line);
		return;
	}
	const char *from = directory ? line : number, *function = strchr(number, ' ');
	while (from > line && from[-1] != '/')
		from--;
	snprintf(out, room, "%.*s (%.*s)", (int)(function - from), from,
			 (int)(line + bytes - function - 1), function + 1);
}

void by_short_outer(const char *line, char *out, size_t room)
{
	short_part(line, by_outer_bytes(line), false, out, room);
}

void by_short_inside(const char *line, char *out, size_t room)
{
	size_t outer = by_outer_bytes(line);
	const char *inside = line[outer] ? line + outer + strlen(SITE_INSIDE) : "";
	short_part(inside, strlen(inside), true, out, room);
}

void by_short_line(const char *line, char *out, size_t room)
{
	by_short_outer(line, out, room);
	size_t at = strlen(out);
	if (!line[by_outer_bytes(line)] || at + sizeof(SITE_INSIDE) > room)
		return;
	memcpy(out + at, SITE_INSIDE, sizeof(SITE_INSIDE));
	at += strlen(SITE_INSIDE);
	by_short_inside(line, out + at, room - at);
}
