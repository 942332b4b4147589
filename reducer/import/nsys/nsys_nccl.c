#include "import/nsys/nsys_nccl.h"

#include "base/diag.h"
#include "base/room.h"
#include "base/sort.h"
#include "import/nsys/nsys_coll.h"
#include "import/nsys/nsys_file.h"
#include "import/nsys/nsys_payload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LAUNCHES = 1 << 20, /* NCCL kernels of an export; later ones get no row */
	PENDING = 1024,     /* calls of a group; a larger one gets no rows */
	COMMS = 4096,
	RANKS_LIMIT = 1 << 20
};

/* ---- names ---- */

static const struct {
	const char *part;
	uint8_t coll;
} kernel_parts[] = {
	{"ReduceScatter", BATON_COLL_REDUCESCATTER},
	{"AllReduce", BATON_COLL_ALLREDUCE},
	{"AllGather", BATON_COLL_ALLGATHER},
	{"SendRecv", BATON_COLL_SENDRECV},
	{"AlltoAll", BATON_COLL_ALLTOALL},
	{"Broadcast", BATON_COLL_BROADCAST},
	{"Reduce", BATON_COLL_REDUCE},
};

static uint8_t kernel_coll(const char *name, size_t bytes)
{
	for (size_t i = 0; i < sizeof(kernel_parts) / sizeof(kernel_parts[0]); i++)
		if (memmem(name, bytes, kernel_parts[i].part, strlen(kernel_parts[i].part)))
			return kernel_parts[i].coll;
	return BATON_COLL_UNKNOWN;
}

static bool text_is(const char *text, size_t bytes, const char *wanted)
{
	return text && strlen(wanted) == bytes && memcmp(text, wanted, bytes) == 0;
}

/* ---- kernels and their launches ---- */

struct launch {
	struct nsys_process *process;
	struct nsys_interval op;
	int64_t thread;  /* globalTid of its call, -1 without one */
	int64_t call_ns; /* begin of it */
	uint8_t coll;
};

struct pending {
	const struct nsys_coll *name;
	uint64_t comm;
	uint64_t bytes;
	bool sized;
	int64_t peer;     /* 1 + rank; 0: none */
	int64_t sequence; /* -1: not known */
};

struct comm {
	uint64_t id;
	uint32_t size;
};

struct nsys_nccl {
	struct nsys_schemas schemas;
	struct launch *launches;
	size_t n_launches, room;
	uint64_t left; /* kernels beyond LAUNCHES */
	bool by_correlation;
	struct comm comms[COMMS];
	uint32_t n_comms;
	struct pending pending[PENDING];
	uint32_t n_pending;
	bool overfull;
};

enum {
	CALL_BEGIN,
	CALL_END,
	CALL_KIND,
	CALL_TID,
	CALL_TEXT,
	CALL_REGISTERED,
	CALL_BLOB,
	CALL_JSON,
	CALL_JSON_STRING
};

#define CALL_FIELDS                                                                           \
	{.column = "start"}, {.column = "end"}, {.column = "eventType"}, {.column = "globalTid"}, \
		{.column = "text"}, {"textId", NSYS_STRING}, {.column = "binaryData"},                \
		{.column = "jsonText"},                                                               \
	{                                                                                         \
		"jsonTextId", NSYS_STRING                                                             \
	}

static const struct nsys_table probe = {
	.name = "NVTX_EVENTS",
	.fields = {CALL_FIELDS},
	.tail = "WHERE (f6 IS NOT NULL OR f7 IS NOT NULL OR f8 IS NOT NULL) AND coalesce(f4, f5) LIKE "
			"'nccl%' LIMIT 1",
};

static const struct nsys_table nccl_ranges = {
	.name = "NVTX_EVENTS",
	.fields = {CALL_FIELDS},
	.tail = "WHERE f2 IN (59, 70) AND coalesce(f4, f5) LIKE 'nccl%' ORDER BY f3, f0, f1 DESC",
};

static bool has_row(struct nsys_file *file, const struct nsys_table *table)
{
	struct nsys_scan scan;
	nsys_scan_open(&scan, &file->db, table);
	bool any = nsys_scan_next(&scan);
	nsys_scan_close(&scan);
	return any;
}

struct nsys_nccl *nsys_nccl_new(struct nsys_file *file)
{
	static const struct nsys_table kernels = {
		.name = "StringIds",
		.fields = {{.column = "value"}},
		.tail = "WHERE f0 GLOB 'ncclDevKernel*' OR f0 GLOB 'ncclKernel*' LIMIT 1",
	};
	bool any = has_row(file, &probe);
	if (!any && has_row(file, &kernels))
		diag("%s: no NCCL sizes and communicators in it, so waiting and transfer cannot be "
			 "separated; export it with nsys export --include-blobs=true",
			 file->db.path);
	struct nsys_nccl *nccl = any ? calloc(1, sizeof(*nccl)) : NULL;
	if (any && !nccl)
		nsys_fail(file, -ENOMEM);
	if (nccl)
		nsys_schemas_load(&nccl->schemas, &file->db);
	return nccl;
}

void nsys_nccl_free(struct nsys_nccl *nccl)
{
	if (nccl)
		free(nccl->launches);
	free(nccl);
}

void nsys_nccl_kernel(struct nsys_nccl *nccl, struct nsys_process *process, const char *name,
					  size_t bytes, const struct nsys_interval *op)
{
	if (!nccl || !name || op->correlation == 0 ||
		(!memmem(name, bytes, "ncclDevKernel", 13) && !memmem(name, bytes, "ncclKernel", 10)))
		return;
	nccl->left += nccl->n_launches == LAUNCHES;
	if (nccl->n_launches == LAUNCHES)
		return;
	if (room_for((void **)&nccl->launches, nccl->n_launches, &nccl->room, 1024,
				 sizeof(*nccl->launches)) != 0)
		return; /* no row for this one */
	nccl->launches[nccl->n_launches++] = (struct launch){
		.process = process, .op = *op, .thread = -1, .coll = kernel_coll(name, bytes)};
}

static int three_way(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_correlation(const void *a, const void *b)
{
	const struct launch *x = a, *y = b;
	int order = three_way(x->process->global, y->process->global);
	order = order ? order : three_way(x->op.correlation, y->op.correlation);
	return order ? order : three_way(x->op.start_ns, y->op.start_ns);
}

static int by_thread(const void *a, const void *b)
{
	const struct launch *x = a, *y = b;
	int order = three_way(x->thread, y->thread);
	order = order ? order : three_way(x->call_ns, y->call_ns);
	return order ? order : three_way(x->op.correlation, y->op.correlation);
}

static void sort_launches(struct nsys_nccl *nccl, int (*compare)(const void *, const void *))
{
	sort_rows(nccl->launches, nccl->n_launches, sizeof(nccl->launches[0]), compare);
}

void nsys_nccl_call(struct nsys_nccl *nccl, struct nsys_process *process, int64_t thread,
					const struct nsys_interval *call)
{
	if (!nccl)
		return;
	if (!nccl->by_correlation)
		sort_launches(nccl, by_correlation);
	nccl->by_correlation = true;
	size_t low = 0, high = nccl->n_launches;
	struct launch wanted = {.process = process, .op = {call->correlation, INT64_MIN, 0}};
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (by_correlation(&nccl->launches[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < nccl->n_launches; low++) { /* the outermost call is the launch */
		struct launch *launch = &nccl->launches[low];
		if (launch->process != process || launch->op.correlation != call->correlation)
			break;
		if (launch->thread != -1 && launch->call_ns <= call->start_ns)
			continue;
		launch->thread = thread;
		launch->call_ns = call->start_ns;
	}
}

/* ---- communicators ---- */

static struct comm *find_comm(struct nsys_nccl *nccl, uint64_t id)
{
	for (uint32_t i = 0; i < nccl->n_comms; i++)
		if (nccl->comms[i].id == id)
			return &nccl->comms[i];
	return NULL;
}

/* The sizes are in the payloads of ncclCommInit*. They hold for every process, so that its files
 * agree. */
static void load_comms(struct nsys_nccl *nccl, struct nsys_file *file)
{
	struct nsys_table table = nccl_ranges;
	struct nsys_scan scan;
	table.tail = "WHERE coalesce(f4, f5) LIKE 'nccl%'";
	nsys_scan_open(&scan, &file->db, &table);
	while (nsys_scan_next(&scan)) {
		struct nsys_payload payload =
			nsys_payload_read(&nccl->schemas, &scan, CALL_BLOB, CALL_JSON, CALL_JSON_STRING);
		if (!(payload.present & 1u << PAYLOAD_COMM) || !(payload.present & 1u << PAYLOAD_RANKS) ||
			payload.values[PAYLOAD_RANKS] == 0 || payload.values[PAYLOAD_RANKS] > RANKS_LIMIT ||
			nccl->n_comms == COMMS || find_comm(nccl, payload.values[PAYLOAD_COMM]))
			continue;
		nccl->comms[nccl->n_comms++] =
			(struct comm){payload.values[PAYLOAD_COMM], (uint32_t)payload.values[PAYLOAD_RANKS]};
	}
}

/* ---- calls to kernels ---- */

static bool buffer_bytes(enum nsys_size_rule rule, uint64_t bytes, uint32_t size, int64_t *out)
{
	uint64_t product = bytes;
	if (rule == SIZE_NONE || (rule == SIZE_RANKS && size == 0) ||
		(rule == SIZE_RANKS && __builtin_mul_overflow(bytes, (uint64_t)size, &product)))
		return false;
	*out = (int64_t)product;
	return true;
}

static void emit(struct nsys_nccl *nccl, struct nsys_file *file, const struct launch *launch,
				 const struct pending *call)
{
	int64_t row[BATON_MAX_COLUMNS] = {0};
	uint32_t present = 0;
	char name[24];
	const struct comm *comm = find_comm(nccl, call->comm);
	uint32_t size = comm ? comm->size : 0;
	snprintf(name, sizeof(name), "0x%" PRIx64, call->comm);
	row[COLL_CORRELATION] = launch->op.correlation;
	row[COLL_COMM] = trace_out_comm(launch->process->out, size, name, NULL);
	row[COLL_KIND] = call->name->coll;
	if (call->sized && buffer_bytes(call->name->in, call->bytes, size, &row[COLL_BYTES]))
		present |= 1u << COLL_BYTES;
	if (call->sized && buffer_bytes(call->name->out, call->bytes, size, &row[COLL_OUT_BYTES]))
		present |= 1u << COLL_OUT_BYTES;
	row[COLL_PEER] = call->peer;
	present |= call->peer ? 1u << COLL_PEER : 0;
	row[COLL_SEQUENCE] = call->sequence >= 0 ? call->sequence : 0;
	present |= call->sequence >= 0 ? 1u << COLL_SEQUENCE : 0;
	nsys_add_row(file, launch->process, BATON_COLLECTIVE, launch->op.start_ns, launch->op.end_ns,
				 row, present);
}

/* Several kernels of one group: a call belongs to the only kernel of its kind, or, when there are
 * as many calls of the kind as kernels and all of one communicator, to the one in its place. */
static void match_kind(struct nsys_nccl *nccl, struct nsys_file *file,
					   const struct launch *launches, size_t n, uint8_t kind)
{
	const struct pending *first = NULL;
	size_t kernels = 0, calls = 0, only = 0;
	bool one_comm = true;
	for (size_t i = 0; i < n; i++)
		if (launches[i].coll == kind) {
			only = i;
			kernels++;
		}
	for (uint32_t i = 0; i < nccl->n_pending; i++)
		if (nccl->pending[i].name->kernel == kind) {
			first = first ? first : &nccl->pending[i];
			one_comm &= nccl->pending[i].comm == first->comm;
			calls++;
		}
	if (kernels == 0 || (kernels > 1 && (kernels != calls || !one_comm)))
		return;
	for (uint32_t i = 0, next = 0; i < nccl->n_pending; i++) {
		if (nccl->pending[i].name->kernel != kind)
			continue;
		while (kernels > 1 && launches[next].coll != kind)
			next++;
		emit(nccl, file, &launches[kernels > 1 ? next++ : only], &nccl->pending[i]);
	}
}

/* Gives the pending calls to the kernels launched on this thread in [start, end). */
static void match(struct nsys_nccl *nccl, struct nsys_file *file, int64_t thread, int64_t start_ns,
				  int64_t end_ns)
{
	size_t low = 0, high = nccl->n_launches, n = 0;
	struct launch wanted = {.thread = thread, .call_ns = start_ns, .op.correlation = INT64_MIN};
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (by_thread(&nccl->launches[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	const struct launch *launches = nccl->launches + low;
	while (low + n < nccl->n_launches && launches[n].thread == thread &&
		   launches[n].call_ns < end_ns)
		n++;
	if (n == 1)
		for (uint32_t i = 0; i < nccl->n_pending; i++)
			emit(nccl, file, launches, &nccl->pending[i]);
	for (int kind = 1; n > 1 && kind < BATON_COLL_END; kind++)
		match_kind(nccl, file, launches, n, (uint8_t)kind);
	nccl->n_pending = 0;
}

struct walk {
	int64_t thread;
	int64_t call_end_ns; /* of the last call outside a group: calls inside it are its own */
	uint64_t depth;      /* of ncclGroupStart */
};

static int64_t peer_of(const struct nsys_payload *payload)
{
	const uint64_t peer = payload->values[PAYLOAD_PEER];
	return payload->present & 1u << PAYLOAD_PEER && peer < RANKS_LIMIT ? (int64_t)peer + 1 : 0;
}

static int64_t sequence_of(const struct nsys_payload *payload)
{
	const uint64_t sequence = payload->values[PAYLOAD_SEQUENCE];
	return payload->present & 1u << PAYLOAD_SEQUENCE && sequence <= INT64_MAX ? (int64_t)sequence
																			  : -1;
}

static void add_pending(struct nsys_nccl *nccl, const struct nsys_scan *scan,
						const struct nsys_coll *name)
{
	struct nsys_payload payload =
		nsys_payload_read(&nccl->schemas, scan, CALL_BLOB, CALL_JSON, CALL_JSON_STRING);
	nccl->overfull |= nccl->n_pending == PENDING || !(payload.present & 1u << PAYLOAD_COMM);
	if (!nccl->overfull)
		nccl->pending[nccl->n_pending++] =
			(struct pending){.name = name,
							 .comm = payload.values[PAYLOAD_COMM],
							 .bytes = payload.values[PAYLOAD_BYTES],
							 .sized = payload.present & 1u << PAYLOAD_BYTES,
							 .peer = peer_of(&payload),
							 .sequence = sequence_of(&payload)};
}

static void step(struct nsys_nccl *nccl, struct nsys_file *file, struct walk *walk,
				 const struct nsys_scan *scan)
{
	size_t bytes = 0;
	const char *text = nsys_text(scan, CALL_TEXT, &bytes);
	text = text ? text : nsys_text(scan, CALL_REGISTERED, &bytes);
	int64_t start_ns = nsys_int_or(scan, CALL_BEGIN, 0), end_ns = nsys_int_or(scan, CALL_END, 0);
	const struct nsys_coll *name = nsys_coll_called(text, bytes);
	if (text_is(text, bytes, "ncclGroupStart")) {
		walk->depth++;
	} else if (text_is(text, bytes, "ncclGroupEnd") && walk->depth > 0) {
		if (--walk->depth > 0)
			return;
		nccl->n_pending = nccl->overfull ? 0 : nccl->n_pending;
		match(nccl, file, walk->thread, start_ns, end_ns);
		nccl->overfull = false;
	} else if (name && walk->depth > 0) {
		add_pending(nccl, scan, name);
	} else if (name && start_ns >= walk->call_end_ns) {
		add_pending(nccl, scan, name);
		match(nccl, file, walk->thread, start_ns, end_ns);
		nccl->overfull = false;
		walk->call_end_ns = end_ns;
	}
}

void nsys_nccl_finish(struct nsys_nccl *nccl, struct nsys_file *file)
{
	if (!nccl || nccl->n_launches == 0)
		return;
	struct walk walk = {.call_end_ns = INT64_MIN};
	struct nsys_scan scan;
	file->refused[NSYS_TOO_MANY_NCCL] += nccl->left;
	load_comms(nccl, file);
	sort_launches(nccl, by_thread);
	nsys_scan_open(&scan, &file->db, &nccl_ranges);
	while (nsys_scan_next(&scan)) {
		int64_t thread = nsys_int_or(&scan, CALL_TID, -1);
		if (thread < 0)
			continue;
		if (thread != walk.thread) {
			walk = (struct walk){.thread = thread, .call_end_ns = INT64_MIN};
			nccl->n_pending = 0;
			nccl->overfull = false;
		}
		step(nccl, file, &walk, &scan);
	}
}
