#include "attribute/named_steps.h"

#include "base/diag.h"
#include "base/room.h"
#include "base/sort.h"
#include "read/rows.h"
#include "steps/markers.h"
#include "summary/evidence_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_MOST = 10, NAME_SHOWN = 60 };

struct range_name { /* names that differ by the number at their end are one */
	uint32_t text;
	bool is_operator;
	uint64_t count;
	int64_t ns;
};

struct name_list {
	struct strings texts;
	struct range_name *at; /* by text - 1 */
	size_t n, room;
};

static uint32_t name_of(const struct rows *ranges)
{
	return idmap_get(&ranges->trace->string_ids, (uint64_t)rows_value(ranges, RANGE_NAME));
}

static bool category_counts(const struct rows *ranges)
{
	return steps_may_mark((int)rows_value(ranges, RANGE_CATEGORY));
}

static int list_row(struct name_list *list, const struct rows *ranges)
{
	struct text whole = strings_get(&ranges->trace->strings, name_of(ranges));
	char name[512];
	size_t stem = evidence_stem(whole.at);
	int n =
		snprintf(name, sizeof(name), "%.*s%s", (int)stem, whole.at, stem < whole.bytes ? "*" : "");
	uint32_t id;
	int error = strings_add(&list->texts, name, n < 511 ? (size_t)n : 511, &id, NULL);
	if (error || id == 0)
		return error;
	if (room_reach((void **)&list->at, &list->room, id, sizeof(*list->at)) != 0)
		return -ENOMEM;
	struct range_name *row = &list->at[id - 1];
	row->text = id;
	row->is_operator = rows_value(ranges, RANGE_CATEGORY) == BATON_RANGE_OPERATOR;
	row->count++;
	row->ns += rows_value(ranges, RANGE_DUR);
	list->n = id > list->n ? id : list->n;
	return 0;
}

/* What a user may have meant: no operators, what covers most time first. */
static int by_use(const void *a, const void *b)
{
	const struct range_name *x = a, *y = b;
	if (x->is_operator != y->is_operator)
		return x->is_operator - y->is_operator;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->text < y->text ? -1 : x->text > y->text;
}

static void say_names(struct name_list *list, const char *text, const char *dir)
{
	char line[SHOWN_MOST * (NAME_SHOWN + 32)] = "";
	size_t used = 0, shown = list->n < SHOWN_MOST ? list->n : SHOWN_MOST;
	sort_rows(list->at, list->n, sizeof(*list->at), by_use);
	for (size_t i = 0; i < shown; i++) {
		const struct range_name *row = &list->at[i];
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s'%.*s' (%" PRIu64 ")",
								 i ? ", " : "", NAME_SHOWN, strings_get(&list->texts, row->text).at,
								 row->count);
	}
	if (list->n == 0)
		diag("%s: no range matches '%s' (--step-range): the run has no named ranges", dir, text);
	else if (list->n > shown)
		diag("%s: no range matches '%s' (--step-range); these are there: %s and %zu more", dir,
			 text, line, list->n - shown);
	else
		diag("%s: no range matches '%s' (--step-range); these are there: %s", dir, text, line);
}

/* Looks for a match; with `list`, puts every range into it instead. */
static int go_through(struct trace *trace, const struct step_range *range, struct name_list *list,
					  bool *found)
{
	struct rows ranges;
	int64_t number;
	bool *known = calloc((size_t)trace->strings.n + 1, sizeof(*known));
	int error = known ? rows_open(&ranges, trace, BATON_RANGE) : -ENOMEM;
	if (error) {
		free(known);
		return error;
	}
	while (!error && !*found && rows_next(&ranges)) {
		if (!category_counts(&ranges))
			continue;
		if (list)
			error = list_row(list, &ranges);
		else if (!known[name_of(&ranges)])
			*found = step_range_matches(range, strings_get(&trace->strings, name_of(&ranges)).at,
										&number);
		known[name_of(&ranges)] = true;
	}
	error = error ? error : ranges.error;
	rows_close(&ranges);
	free(known);
	return error;
}

static int each_process(const struct run *run, const struct step_range *range,
						struct name_list *list, bool *found)
{
	int error = 0;
	for (size_t i = 0; !error && !*found && i < run->n_processes; i++) {
		struct trace trace;
		if (run_process_open(&run->processes[i], &trace, run->damage) != 0)
			continue; /* said when its device is read */
		error = go_through(&trace, range, list, found);
		trace_close(&trace);
	}
	return error;
}

/* Says which ranges there are. */
static int list_names(const struct run *run, const char *text, const char *dir)
{
	struct name_list list = {0};
	bool found = false;
	int error = strings_init(&list.texts);
	if (!error)
		error = each_process(run, NULL, &list, &found);
	if (!error)
		say_names(&list, text, dir);
	strings_free(&list.texts);
	free(list.at);
	return error;
}

int named_steps_open(const struct run *run, const char *text, const char *dir,
					 struct step_range **out)
{
	char message[256] = "";
	bool found = false;
	*out = NULL;
	if (!text)
		return STATUS_OK;
	int error = step_range_open(text, message, sizeof(message), out);
	if (error == -EINVAL) {
		diag("--step-range %s: %s", text, message);
		return STATUS_USAGE;
	}
	if (!error)
		error = each_process(run, *out, NULL, &found);
	if (!error && !found)
		error = list_names(run, text, dir);
	if (error)
		diag("%s: %s", dir, strerror(-error));
	if (error || !found) {
		step_range_close(*out);
		*out = NULL;
	}
	return error ? STATUS_INPUT : found ? STATUS_OK : STATUS_USAGE;
}
