#include "import/nsys/nsys_names.h"

#include "base/room.h"
#include "base/sort.h"
#include "import/nsys/nsys_schema.h"
#include "import/trace_out.h"

#include <stdlib.h>

enum { LEAST_ROOM = 256, NAME_BYTES = 255 /* longer ones are cut */ };

static int64_t process_of(int64_t global)
{
	return global & ~(int64_t)0xffffff;
}

static int by_process(const void *a, const void *b)
{
	const struct nsys_thread_name *x = a, *y = b;
	const int64_t p = process_of(x->global), q = process_of(y->global);
	if (p != q)
		return p < q ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static int add(struct nsys_names *names, int64_t global, const char *text, size_t bytes)
{
	struct nsys_thread_name name = {.global = global, .row = (uint32_t)names->n};
	int error =
		strings_add(&names->texts, text, bytes < NAME_BYTES ? bytes : NAME_BYTES, &name.text, NULL);
	if (!error)
		error = room_for((void **)&names->at, names->n, &names->room, LEAST_ROOM, sizeof(name));
	if (!error)
		names->at[names->n++] = name;
	return error;
}

int nsys_names_load(struct nsys_names *names, struct nsys_db *db)
{
	static const struct nsys_table table = {
		.name = "ThreadNames",
		.fields = {{.column = "globalTid"}, {"nameId", NSYS_STRING}},
		.tail = "LIMIT 65536",
	};
	struct nsys_scan scan;
	int error = strings_init(&names->texts);
	if (error)
		return error;
	nsys_scan_open(&scan, db, &table);
	while (!error && nsys_scan_next(&scan)) {
		int64_t global;
		size_t bytes;
		const char *name = nsys_text(&scan, 1, &bytes);
		if (name && nsys_int(&scan, 0, &global))
			error = add(names, global, name, bytes);
	}
	nsys_scan_close(&scan);
	sort_rows(names->at, names->n, sizeof(*names->at), by_process);
	return error;
}

void nsys_names_free(struct nsys_names *names)
{
	free(names->at);
	strings_free(&names->texts);
}

void nsys_names_put(const struct nsys_names *names, const int64_t *process, struct trace_out *out)
{
	size_t from = 0, to = process ? names->n : 0;
	while (from < to) { /* the first one of the process */
		const size_t middle = from + (to - from) / 2;
		if (process_of(names->at[middle].global) < *process)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from < names->n; from++) {
		const struct nsys_thread_name *name = &names->at[from];
		const struct text text = strings_get(&names->texts, name->text);
		if (process && process_of(name->global) != *process)
			break;
		trace_out_thread(out, name->global >> 24 & 0xffffff, name->global & 0xffffff,
						 trace_out_string(out, text.at, text.bytes));
	}
}
