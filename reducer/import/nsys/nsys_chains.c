#include "import/nsys/nsys_chains.h"

#include "base/room.h"
#include "base/sort.h"
#include "base/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 256, LEAST_ROOM = 1024, FRAMES_MOST = 8 << 20 };

struct link {
	int64_t id, depth, address;
	uint32_t symbol, module; /* texts of the pool */
};

struct nsys_chains {
	struct strings pool;
	struct link *at; /* by (id, depth) */
	size_t n, room;
};

static int by_id(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static int pool_text(struct nsys_chains *chains, const struct nsys_scan *scan, unsigned field,
					 uint32_t *text)
{
	size_t bytes = 0;
	const char *at = nsys_text(scan, field, &bytes);
	*text = 0;
	return at ? strings_add(&chains->pool, at, bytes, text, NULL) : 0;
}

static int take_link(struct nsys_chains *chains, const struct nsys_scan *scan)
{
	struct link link = {.address = nsys_int_or(scan, 4, 0)};
	if (!nsys_int(scan, 0, &link.id) || !nsys_int(scan, 1, &link.depth))
		return 0;
	int error = pool_text(chains, scan, 2, &link.symbol);
	if (!error)
		error = pool_text(chains, scan, 3, &link.module);
	if (!error)
		error = room_for((void **)&chains->at, chains->n, &chains->room, LEAST_ROOM,
						 sizeof(*chains->at));
	if (!error)
		chains->at[chains->n++] = link;
	return error;
}

static void count_deep(const struct nsys_chains *chains, struct nsys_file *file)
{
	size_t depth = 0;
	for (size_t i = 1; i < chains->n; i++) {
		depth = chains->at[i].id == chains->at[i - 1].id ? depth + 1 : 0;
		if (depth >= DEPTH_MOST)
			nsys_refuse(file, NSYS_TOO_DEEP);
	}
}

struct nsys_chains *nsys_chains_new(struct nsys_file *file)
{
	static const struct nsys_table table = {
		.name = "CUDA_CALLCHAINS",
		.fields = {{.column = "id"},
				   {.column = "stackDepth"},
				   {"symbol", NSYS_STRING},
				   {"module", NSYS_STRING},
				   {.column = "originalIP"}},
	};
	struct nsys_chains *chains = calloc(1, sizeof(*chains));
	struct nsys_scan scan;
	int error = chains ? strings_init(&chains->pool) : -ENOMEM;
	nsys_scan_open(&scan, &file->db, &table);
	while (!error && chains->n < FRAMES_MOST && nsys_scan_next(&scan))
		error = take_link(chains, &scan);
	if (!error && chains->n == FRAMES_MOST)
		nsys_refuse_rest(file, &scan, NSYS_TOO_MANY_FRAMES);
	nsys_scan_close(&scan);
	if (!error)
		sort_rows(chains->at, chains->n, sizeof(*chains->at), by_id);
	if (!error)
		count_deep(chains, file);
	nsys_fail(file, error);
	if (!error && chains->n > 0)
		return chains;
	nsys_chains_free(chains);
	return NULL;
}

void nsys_chains_free(struct nsys_chains *chains)
{
	if (!chains)
		return;
	strings_free(&chains->pool);
	free(chains->at);
	free(chains);
}

static uint32_t out_text(struct trace_out *out, const char *at, size_t bytes)
{
	return bytes ? trace_out_string(out, at, bytes) : 0;
}

/* "FILE:LINE FUNCTION", where FILE is the module too. */
static bool python_frame(struct trace_out *out, struct text symbol, struct text module,
						 struct baton_frame *frame)
{
	char *end;
	const char *line = symbol.at + module.bytes + 1;
	if (module.bytes == 0 || symbol.bytes < module.bytes + 3 ||
		memcmp(symbol.at, module.at, module.bytes) != 0 || line[-1] != ':' || *line < '0' ||
		*line > '9')
		return false;
	const long number = strtol(line, &end, 10);
	if (*end != ' ' || number > INT32_MAX)
		return false;
	const uint32_t function = out_text(out, end + 1, symbol.bytes - (size_t)(end + 1 - symbol.at));
	const uint32_t file = out_text(out, module.at, module.bytes);
	*frame = (struct baton_frame){.kind = BATON_FRAME_PYTHON,
								  .of = trace_out_code(out, file, function, (int32_t)number)};
	return true;
}

/* A native frame keeps its library and its address: a trace has no room for its name. */
static void put_frame(const struct nsys_chains *chains, struct trace_out *out,
					  const struct link *link, struct baton_frame *frame)
{
	const struct text symbol = strings_get(&chains->pool, link->symbol);
	const struct text module = strings_get(&chains->pool, link->module);
	if (strcmp(symbol.at, "[backward]") == 0) {
		*frame = (struct baton_frame){.kind = BATON_FRAME_BACKWARD};
		return;
	}
	if (python_frame(out, symbol, module, frame))
		return;
	const char *offset = strstr(symbol.at, "+0x");
	const uint32_t path = out_text(out, module.at, module.bytes);
	*frame = (struct baton_frame){.kind = BATON_FRAME_NATIVE,
								  .of = path ? trace_out_module(out, path) : 0,
								  .offset = offset ? strtoull(offset + 1, NULL, 16)
												   : (uint64_t)link->address};
}

uint32_t nsys_chains_stack(const struct nsys_chains *chains, const struct nsys_process *process,
						   int64_t id)
{
	struct baton_frame frames[DEPTH_MOST];
	size_t from = 0, to = chains ? chains->n : 0;
	uint32_t n = 0;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		if (chains->at[middle].id < id)
			from = middle + 1;
		else
			to = middle;
	}
	for (; chains && from < chains->n && chains->at[from].id == id && n < DEPTH_MOST; from++)
		put_frame(chains, process->out, &chains->at[from], &frames[n++]);
	return n ? trace_out_stack(process->out, frames, n) : 0;
}
