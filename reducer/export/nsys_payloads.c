/* The arguments of NCCL calls, as payloads of NVTX ranges. */
#include "export/nsys_source.h"

#include "base/room.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "import/nsys/nsys_coll.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	TYPE_PUSHED = 59,
	TYPE_DOMAIN = 75,
	SCHEMA_BASE = 1 << 24, /* NVTX's first number of a static schema */
	SCHEMA_INIT = 0,       /* NCCL's numbers */
	SCHEMA_COMM = 14,
	SCHEMA_PEERLESS = 1000, /* baton's own: sends and receives without their peer */
	HEADER = 32,
	PAYLOAD = 32 /* at most */
};

/* ---- payloads ---- */

struct payload_entry {
	const char *name;
	int type, offset; /* types of nvToolsExtPayload.h */
};

static const struct payload_entry init_entries[] = {
	{"NCCL communicator ID", 18, 0}, {"No. of ranks", 5, 8}, {0}};
static const struct payload_entry comm_entries[] = {
	{"NCCL communicator ID", 18, 0}, {"Sequence number", 18, 8}, {0}};
/* The numbers of calls are baton's own addition; UINT64_MAX: not known. */
static const struct payload_entry coll_entries[] = {{"NCCL communicator ID", 18, 0},
													{"Message size [bytes]", 22, 8},
													{"Sequence number", 18, 16},
													{0}};
static const struct payload_entry peer_entries[] = {{"NCCL communicator ID", 18, 0},
													{"Message size [bytes]", 22, 8},
													{"Sequence number", 18, 16},
													{"Peer rank", 5, 24},
													{0}};

struct payload_schema {
	int number, bytes;
	const struct payload_entry *entries;
};

static const struct payload_schema schemas[] = {{SCHEMA_INIT, 16, init_entries},
												{4, 24, coll_entries},
												{5, 24, coll_entries},
												{6, 24, coll_entries},
												{7, 24, coll_entries},
												{8, 24, coll_entries},
												{9, 32, peer_entries},
												{10, 32, peer_entries},
												{SCHEMA_COMM, 16, comm_entries},
												{16, 24, coll_entries},
												{17, 24, coll_entries},
												{18, 24, coll_entries},
												{SCHEMA_PEERLESS, 24, coll_entries}};

static void write_schemas(struct nsys_tables *t, int32_t domain)
{
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		int n = 0;
		for (const struct payload_entry *e = schemas[i].entries; e->name; e++, n++) {
			nsys_row(t, NSYS_TABLE_ENTRY);
			nsys_put(t, ENTRY_domainId, domain);
			nsys_put(t, ENTRY_schemaId, SCHEMA_BASE + schemas[i].number);
			nsys_put(t, ENTRY_idx, n);
			nsys_put(t, ENTRY_type, e->type);
			nsys_put_text(t, ENTRY_name, nsys_text_of(e->name));
			if (e->offset) /* as nsys: none for the first one */
				nsys_put(t, ENTRY_offset, e->offset);
			nsys_row_end(t);
		}
		nsys_row(t, NSYS_TABLE_SCHEMA);
		nsys_put(t, SCHEMA_domainId, domain);
		nsys_put(t, SCHEMA_schemaId, SCHEMA_BASE + schemas[i].number);
		nsys_put(t, SCHEMA_type, 1);
		nsys_put(t, SCHEMA_numEntries, n);
		nsys_put(t, SCHEMA_payloadSize, schemas[i].bytes);
		nsys_row_end(t);
	}
}

/* Schemas are a domain's: its first payload makes them known. Two processes may share a number. */
static void know_schemas(struct nsys_source *source, int32_t domain)
{
	uint64_t *known = &source->out->payload_domains;
	const uint64_t bit = domain < 64 ? 1ull << domain : 0;
	if (source->payloads.domain != domain && !(*known & bit))
		write_schemas(&source->out->tables, domain);
	*known |= bit;
	source->payloads.domain = domain;
}

static void put_number(unsigned char *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

/* What NCCL calls the communicator: the number that an import has from there, else its hash. */
static uint64_t comm_id(const struct nsys_source *source, uint32_t comm)
{
	const struct trace_comm *of = &source->file.trace.comms[comm];
	const struct text name = strings_get(&source->file.trace.strings, of->name);
	char *end;
	if (name.bytes > 2 && name.at[0] == '0' && name.at[1] == 'x') {
		const uint64_t id = strtoull(name.at, &end, 16);
		if (*end == 0 && id != 0)
			return id;
	}
	return of->hash;
}

static void put_payload(struct nsys_source *source, int32_t domain, const struct nsys_collective *c,
						int schema)
{
	unsigned char blob[HEADER + PAYLOAD] = {0};
	size_t bytes = 0;
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++)
		bytes = schemas[i].number == schema ? (size_t)schemas[i].bytes : bytes;
	put_number(blob, (uint64_t)domain, 8);
	put_number(blob + 8, SCHEMA_BASE + (uint64_t)schema, 8);
	put_number(blob + 16, bytes, 8);
	put_number(blob + 24, HEADER, 8);
	put_number(blob + HEADER, comm_id(source, c->comm), 8);
	if (schema == SCHEMA_INIT)
		put_number(blob + HEADER + 8, source->file.trace.comms[c->comm].size, 4);
	else if (schema != SCHEMA_COMM)
		put_number(blob + HEADER + 8, (uint64_t)c->message, 8);
	if (schema != SCHEMA_INIT)
		put_number(blob + HEADER + (schema == SCHEMA_COMM ? 8 : 16),
				   source->payloads.unnumbered ? UINT64_MAX : (uint64_t)c->sequence, 8);
	if (bytes >= 32)
		put_number(blob + HEADER + 24, c->peer - 1, 4);
	nsys_put_bytes(&source->out->tables, RANGE_binaryData, blob, HEADER + bytes);
}

/* Which schema has all that is known of a call, and nothing else. */
static int schema_of(const struct nsys_collective *c)
{
	const bool has_peer = c->coll == BATON_COLL_SEND || c->coll == BATON_COLL_RECV;
	if (c->message < 0)
		return SCHEMA_COMM;
	return has_peer && !c->peer ? SCHEMA_PEERLESS : nsys_coll_of(c->coll)->schema;
}

/* ---- rows of NCCL ---- */

static int64_t message_in(int64_t bytes, uint8_t rule, uint32_t ranks)
{
	if (bytes < 0 || rule == SIZE_NONE)
		return -1;
	if (rule == SIZE_ONE)
		return bytes;
	return ranks > 0 && bytes % ranks == 0 ? bytes / ranks : -1;
}

/* The bytes of a message, as NCCL counts them; -1: not known. */
static int64_t message_of(const struct rows *row, const struct nsys_coll *coll, uint32_t ranks)
{
	const int64_t in = message_in(rows_optional(row, COLL_BYTES, -1), coll->in, ranks);
	return in >= 0 ? in : message_in(rows_optional(row, COLL_OUT_BYTES, -1), coll->out, ranks);
}

static int add_row(struct nsys_source *source, const struct rows *row)
{
	struct nsys_payloads *nccl = &source->payloads;
	const struct trace *trace = &source->file.trace;
	const struct nsys_coll *coll = nsys_coll_of(rows_value(row, COLL_KIND));
	const uint32_t comm = idmap_get(&trace->comm_ids, (uint64_t)rows_value(row, COLL_COMM));
	const int64_t correlation = rows_value(row, COLL_CORRELATION);
	if (!coll || !comm || correlation <= 0)
		return 0;
	nccl->unnumbered |= rows_optional(row, COLL_SEQUENCE, -1) < 0;
	const int error =
		room_for((void **)&nccl->rows, nccl->n, &nccl->room, 256, sizeof(*nccl->rows));
	if (!error)
		nccl->rows[nccl->n++] =
			(struct nsys_collective){.correlation = correlation,
									 .message = message_of(row, coll, trace->comms[comm].size),
									 .sequence = rows_optional(row, COLL_SEQUENCE, -1),
									 .comm = comm,
									 .coll = coll->coll,
									 .peer = (uint32_t)rows_optional(row, COLL_PEER, 0)};
	return error;
}

static int by_correlation(const void *a, const void *b)
{
	const struct nsys_collective *x = a, *y = b;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static int by_thread(const void *a, const void *b)
{
	const struct nsys_collective *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->launch_ns != y->launch_ns)
		return x->launch_ns < y->launch_ns ? -1 : 1;
	return by_correlation(a, b);
}

int nsys_payloads_gather(struct nsys_source *source)
{
	struct nsys_payloads *nccl = &source->payloads;
	struct rows rows;
	int error = rows_open(&rows, &source->file.trace, BATON_COLLECTIVE);
	if (error)
		return error;
	while (!error && stats_next(&source->file, &rows))
		error = add_row(source, &rows);
	error = error ? error : rows.error == -ENOMEM ? rows.error : 0;
	rows_close(&rows);
	if (!error && nccl->n)
		sort_rows(nccl->rows, nccl->n, sizeof(*nccl->rows), by_correlation);
	return error;
}

/* ---- their calls ---- */

struct made { /* a range */
	const char *text;
	int64_t begin_ns, end_ns;
};

/* The first row that is not before this one. */
static size_t lower(const struct nsys_payloads *nccl, const struct nsys_collective *wanted,
					int (*compare)(const void *, const void *))
{
	size_t low = 0, high = nccl->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (compare(&nccl->rows[middle], wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of calls with one id the outermost launches. */
void nsys_payloads_call(struct nsys_source *source, const struct rows *call, struct text name)
{
	struct nsys_payloads *nccl = &source->payloads;
	const struct nsys_collective wanted = {.correlation = rows_value(call, CALL_CORRELATION)};
	const int64_t begin_ns = rows_value(call, CALL_START);
	const int64_t end_ns = saturate_add(begin_ns, rows_value(call, CALL_DUR));
	const uint32_t thread =
		idmap_get(&source->file.trace.thread_ids, (uint64_t)rows_value(call, CALL_THREAD));
	if (nccl->n == 0 || wanted.correlation <= 0 || !source->threads[thread] ||
		(name.bytes > 4 && memcmp(name.at, "nccl", 4) == 0))
		return;
	for (size_t i = lower(nccl, &wanted, by_correlation);
		 i < nccl->n && nccl->rows[i].correlation == wanted.correlation; i++) {
		struct nsys_collective *row = &nccl->rows[i];
		if (row->thread && row->launch_ns <= begin_ns)
			continue;
		row->thread = source->threads[thread];
		row->launch_ns = row->begin_ns = begin_ns;
		row->end_ns = end_ns;
	}
}

static void sort_by_thread(struct nsys_payloads *nccl)
{
	if (!nccl->by_thread && nccl->n)
		sort_rows(nccl->rows, nccl->n, sizeof(*nccl->rows), by_thread);
	nccl->by_thread = true;
}

/* The only row that was launched within the range, if it is one of this kind. */
static const struct nsys_collective *only_row(const struct nsys_payloads *nccl, int64_t thread,
											  const struct made *range)
{
	const struct nsys_collective wanted = {.thread = thread, .launch_ns = range->begin_ns};
	const size_t i = lower(nccl, &wanted, by_thread);
	const struct nsys_collective *row = &nccl->rows[i];
	if (!thread || i == nccl->n || row->thread != thread || row->launch_ns >= range->end_ns)
		return NULL;
	if (i + 1 < nccl->n && row[1].thread == thread && row[1].launch_ns < range->end_ns)
		return NULL;
	return row->coll == nsys_coll_called(range->text, strlen(range->text))->coll ? row : NULL;
}

const struct nsys_collective *nsys_payloads_of(struct nsys_source *source, const struct rows *range,
											   struct text name, int32_t domain)
{
	struct nsys_payloads *nccl = &source->payloads;
	const struct nsys_coll *coll = nsys_coll_called(name.at, name.bytes);
	const uint32_t thread =
		idmap_get(&source->file.trace.thread_ids, (uint64_t)rows_value(range, RANGE_THREAD));
	if (!coll || rows_value(range, RANGE_CATEGORY) != BATON_RANGE_NVTX)
		return NULL;
	nccl->own = true;
	sort_by_thread(nccl);
	const int64_t begin_ns = rows_value(range, RANGE_START);
	const struct made made = {coll->call, begin_ns,
							  saturate_add(begin_ns, rows_value(range, RANGE_DUR))};
	const struct nsys_collective *row = only_row(nccl, source->threads[thread], &made);
	if (row)
		know_schemas(source, domain);
	return row;
}

void nsys_payloads_put(struct nsys_source *source, const struct nsys_collective *row)
{
	put_payload(source, source->payloads.domain, row, schema_of(row));
}

/* ---- ranges ---- */

static void begin_range(struct nsys_source *source, const struct nsys_collective *row,
						const struct made *made)
{
	struct nsys_tables *t = &source->out->tables;
	nsys_row(t, NSYS_TABLE_RANGE);
	nsys_put(t, RANGE_start, nsys_time(source, made->begin_ns));
	nsys_put(t, RANGE_end, nsys_time(source, made->end_ns));
	nsys_put(t, RANGE_eventType, TYPE_PUSHED);
	nsys_put(t, RANGE_category, NSYS_CATEGORY_MADE);
	nsys_put_text(t, RANGE_text, nsys_text_of(made->text));
	nsys_put(t, RANGE_globalTid, row->thread);
	nsys_put(t, RANGE_domainId, source->payloads.domain);
}

static void write_range(struct nsys_source *source, const struct nsys_collective *row,
						const struct made *made)
{
	begin_range(source, row, made);
	nsys_payloads_put(source, row);
	nsys_row_end(&source->out->tables);
}

static void make_domain(struct nsys_source *source, const struct nsys_collective *first)
{
	struct nsys_tables *t = &source->out->tables;
	const int32_t domain = ++source->domains;
	nsys_row(t, NSYS_TABLE_RANGE);
	nsys_put(t, RANGE_start, nsys_time(source, first->begin_ns));
	nsys_put(t, RANGE_eventType, TYPE_DOMAIN);
	nsys_put_text(t, RANGE_text, nsys_text_of("NCCL"));
	nsys_put(t, RANGE_globalTid, first->thread);
	nsys_put(t, RANGE_domainId, domain);
	nsys_row_end(t);
	know_schemas(source, domain);
}

/* The sizes of communicators stand in the payloads of the calls that made them: one without length
 * before the first use of each. */
static void write_comms(struct nsys_source *source, const struct nsys_collective *first)
{
	const struct nsys_payloads *nccl = &source->payloads;
	bool *known = calloc(source->file.trace.n_comms + 1, sizeof(*known));
	for (size_t i = 0; known && i < nccl->n; i++) {
		const struct nsys_collective *row = &nccl->rows[i];
		if (!row->thread || known[row->comm] || !source->file.trace.comms[row->comm].size)
			continue;
		known[row->comm] = true;
		begin_range(source, row,
					&(struct made){"ncclCommInitRank", first->begin_ns, first->begin_ns});
		put_payload(source, nccl->domain, row, SCHEMA_INIT);
		nsys_row_end(&source->out->tables);
	}
	if (!known)
		source->out->tables.error = -ENOMEM;
	free(known);
}

/* One kernel of several calls is what a group launches at its end. */
static void write_group(struct nsys_source *source, const struct nsys_collective *rows, size_t n)
{
	const int64_t at = rows->launch_ns;
	const struct made begin = {"ncclGroupStart", saturate_sub(at, 3), saturate_sub(at, 2)};
	const struct made end = {"ncclGroupEnd", at, rows->end_ns};
	begin_range(source, rows, &begin);
	nsys_row_end(&source->out->tables);
	for (size_t i = 0; i < n; i++)
		write_range(source, &rows[i],
					&(struct made){nsys_coll_of(rows[i].coll)->call, saturate_sub(at, 2),
								   saturate_sub(at, 1)});
	begin_range(source, rows, &end);
	nsys_row_end(&source->out->tables);
}

void nsys_payloads_write(struct nsys_source *source)
{
	struct nsys_payloads *nccl = &source->payloads;
	size_t i = 0, end;
	sort_by_thread(nccl);
	while (i < nccl->n && !nccl->rows[i].thread)
		i++;
	if (nccl->own || i == nccl->n)
		return;
	make_domain(source, &nccl->rows[i]);
	write_comms(source, &nccl->rows[i]);
	for (; i < nccl->n && !source->out->tables.error; i = end) {
		const struct nsys_collective *row = &nccl->rows[i];
		for (end = i + 1; end < nccl->n && nccl->rows[end].correlation == row->correlation &&
						  nccl->rows[end].thread == row->thread;)
			end++;
		if (end - i > 1)
			write_group(source, row, end - i);
		else
			write_range(source, row,
						&(struct made){nsys_coll_of(row->coll)->call, row->begin_ns, row->end_ns});
	}
}

void nsys_payloads_free(struct nsys_source *source)
{
	free(source->payloads.rows);
}
