#include "summary/row_kinds.h"

#include "base/saturate.h"
#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- fields ---- */

#define VALUES_NUMBER .least = 0, .most = BATON_TIME_LIMIT_NS
#define VALUES_TOTALLED .least = 0, .most = BATON_TIME_LIMIT_NS, .totalled = true
#define VALUES_KNOWN .least = -1, .most = BATON_TIME_LIMIT_NS
#define VALUES_RANGE(a, b) .least = (a), .most = (b)
#define VALUES_ANY .least = INT64_MIN, .most = INT64_MAX
#define VALUES_TEXT .holds = HOLDS_TEXT
#define VALUES_LEAF .holds = HOLDS_LEAF
#define VALUES_ZERO .holds = HOLDS_NOTHING

#define JSON_HIDDEN .json_part = 0
#define JSON_SHOWN(part) .json_part = (part)
#define JSON_NAMED(part, as) .json_part = (part), .json = (as)

#define PLACE(R, member)                                                          \
	.name = #member, .offset = offsetof(R, member) - sizeof(struct baton_record), \
	.bytes = sizeof(((R *)0)->member)
/* A line of a list as struct field. */
#define FIELD(R, type, member, values) {PLACE(R, member), VALUES_##values},
#define ROW_FIELD(R, type, member, values, rule, shown) \
	{PLACE(R, member), VALUES_##values, .merge = MERGE_##rule, JSON_##shown},

static const struct field reduction_fields[] = {
	BATON_S_REDUCTION_FIELDS(FIELD, struct baton_s_reduction)};
static const struct field input_fields[] = {BATON_S_INPUT_FIELDS(FIELD, struct baton_s_input)};
static const struct field rank_fields[] = {BATON_S_RANK_FIELDS(FIELD, struct baton_s_rank)};
static const struct field quality_fields[] = {
	BATON_S_QUALITY_FIELDS(ROW_FIELD, struct baton_s_quality)};
static const struct field device_fields[] = {
	BATON_S_DEVICE_FIELDS(ROW_FIELD, struct baton_s_device)};
static const struct field driver_fields[] = {BATON_S_DRIVER_FIELDS(FIELD, struct baton_s_driver)};
static const struct field leaf_fields[] = {BATON_S_LEAF_FIELDS(FIELD, struct baton_s_leaf)};
static const struct field kernel_fields[] = {
	BATON_S_KERNEL_FIELDS(ROW_FIELD, struct baton_s_kernel)};
static const struct field distribution_fields[] = {
	BATON_S_DISTRIBUTION_FIELDS(FIELD, struct baton_s_distribution)};
static const struct field nccl_fields[] = {BATON_S_NCCL_FIELDS(ROW_FIELD, struct baton_s_nccl)};
static const struct field evidence_fields[] = {
	BATON_S_EVIDENCE_FIELDS(ROW_FIELD, struct baton_s_evidence)};
static const struct field site_fields[] = {BATON_S_SITE_FIELDS(ROW_FIELD, struct baton_s_site)
											   BATON_S_SITE_SUMS(ROW_FIELD, struct baton_s_site)};
static const struct field spread_fields[] = {
	BATON_S_SPREAD_FIELDS(ROW_FIELD, struct baton_s_spread)};
static const struct field reading_fields[] = {
	BATON_S_READING_FIELDS(FIELD, struct baton_s_reading)};
static const struct field copy_fields[] = {BATON_S_COPY_FIELDS(ROW_FIELD, struct baton_s_copy)};
static const struct field pair_fields[] = {BATON_S_PAIR_FIELDS(ROW_FIELD, struct baton_s_pair)};
static const struct field series_fields[] = {
	BATON_S_SERIES_FIELDS(ROW_FIELD, struct baton_s_series)};
static const struct field cells_fields[] = {BATON_S_CELLS_FIELDS(FIELD, struct baton_s_cells)};
static const struct field steps_fields[] = {BATON_S_STEPS_FIELDS(ROW_FIELD, struct baton_s_steps)};
static const struct field culprit_fields[] = {
	BATON_S_CULPRIT_FIELDS(ROW_FIELD, struct baton_s_culprit)};
static const struct field process_fields[] = {
	BATON_S_PROCESS_FIELDS(ROW_FIELD, struct baton_s_process)};
static const struct field scan_fields[] = {BATON_S_SCAN_FIELDS(ROW_FIELD, struct baton_s_scan)};
static const struct field comm_fields[] = {BATON_S_COMM_FIELDS(ROW_FIELD, struct baton_s_comm)};
static const struct field meeting_fields[] = {
	BATON_S_MEETING_FIELDS(ROW_FIELD, struct baton_s_meeting)};
static const struct field late_fields[] = {BATON_S_LATE_FIELDS(ROW_FIELD, struct baton_s_late)};

#define RECORD(list, type)                                   \
	{                                                        \
		list, sizeof(list) / sizeof((list)[0]), sizeof(type) \
	}

static const struct record_kind records[BATON_S_END] = {
	[BATON_S_REDUCTION] = RECORD(reduction_fields, struct baton_s_reduction),
	[BATON_S_INPUT] = RECORD(input_fields, struct baton_s_input),
	[BATON_S_RANK] = RECORD(rank_fields, struct baton_s_rank),
	[BATON_S_QUALITY] = RECORD(quality_fields, struct baton_s_quality),
	[BATON_S_DEVICE] = RECORD(device_fields, struct baton_s_device),
	[BATON_S_DRIVER] = RECORD(driver_fields, struct baton_s_driver),
	[BATON_S_LEAF] = RECORD(leaf_fields, struct baton_s_leaf),
	[BATON_S_KERNEL] = RECORD(kernel_fields, struct baton_s_kernel),
	[BATON_S_DISTRIBUTION] = RECORD(distribution_fields, struct baton_s_distribution),
	[BATON_S_NCCL] = RECORD(nccl_fields, struct baton_s_nccl),
	[BATON_S_EVIDENCE] = RECORD(evidence_fields, struct baton_s_evidence),
	[BATON_S_LATE] = RECORD(late_fields, struct baton_s_late),
	[BATON_S_SITE] = RECORD(site_fields, struct baton_s_site),
	[BATON_S_STALL] = RECORD(evidence_fields, struct baton_s_evidence),
	[BATON_S_SPREAD] = RECORD(spread_fields, struct baton_s_spread),
	[BATON_S_READING] = RECORD(reading_fields, struct baton_s_reading),
	[BATON_S_PARTIAL] = RECORD(late_fields, struct baton_s_late),
	[BATON_S_COPY] = RECORD(copy_fields, struct baton_s_copy),
	[BATON_S_SERIES] = RECORD(series_fields, struct baton_s_series),
	[BATON_S_CELLS] = RECORD(cells_fields, struct baton_s_cells),
	[BATON_S_STEPS] = RECORD(steps_fields, struct baton_s_steps),
	[BATON_S_CULPRIT] = RECORD(culprit_fields, struct baton_s_culprit),
	[BATON_S_PROCESS] = RECORD(process_fields, struct baton_s_process),
	[BATON_S_SCAN] = RECORD(scan_fields, struct baton_s_scan),
	[BATON_S_COMM] = RECORD(comm_fields, struct baton_s_comm),
	[BATON_S_MEETING] = RECORD(meeting_fields, struct baton_s_meeting),
	[BATON_S_PAIR] = RECORD(pair_fields, struct baton_s_pair),
};

const struct record_kind *record_kind(unsigned type)
{
	return &records[type < BATON_S_END ? type : 0];
}

unsigned field_numbers(const struct field *field)
{
	return field->bytes < sizeof(int64_t) ? 1 : field->bytes / sizeof(int64_t);
}

int64_t field_get(const struct field *field, const void *row, unsigned i)
{
	const char *at = (const char *)row + field->offset;
	int64_t number;
	uint32_t small;
	if (field->bytes == sizeof(small)) {
		memcpy(&small, at, sizeof(small));
		return field->least == -1 ? (int32_t)small : (int64_t)small;
	}
	memcpy(&number, at + i * sizeof(number), sizeof(number));
	return number;
}

void field_set(const struct field *field, void *row, unsigned i, int64_t value)
{
	char *at = (char *)row + field->offset;
	const uint32_t small = (uint32_t)value;
	if (field->bytes == sizeof(small))
		memcpy(at, &small, sizeof(small));
	else
		memcpy(at + i * sizeof(value), &value, sizeof(value));
}

/* ---- what only one kind of rows has ---- */

static int64_t lowest_rank(const void *row)
{
	const struct device_summary *d = row;
	return d->n_processes ? (uint32_t)d->ranks[0] : UINT32_MAX; /* -1 comes last */
}

static int64_t nccl_ns(const void *row)
{
	const struct nccl_summary *n = row;
	return saturate_add(saturate_add(n->transfer_ns, n->wait_ns), n->unsplit_ns);
}

static int64_t site_cost(const void *row)
{
	return site_weight(&((const struct site_summary *)row)->sums);
}

static bool spread_ok(const void *row)
{
	const struct spread *spread = row;
	return spread->worst_ns >> spread->octave == 1 && spread->ns >= spread->worst_ns;
}

static int merge_spread(void *into, const void *from)
{
	struct spread *row = into;
	const struct spread *add = from;
	bool longer = add->worst_ns > row->worst_ns;
	if (longer || (add->worst_ns == row->worst_ns && add->worst_step < row->worst_step))
		row->worst_step = add->worst_step;
	row->worst_ns = longer ? add->worst_ns : row->worst_ns;
	return 0;
}

static int merge_kernel(void *into, const void *from)
{
	return counts_merge(&((struct kernel_summary *)into)->dur_ns,
						&((const struct kernel_summary *)from)->dur_ns);
}

static void free_kernel(void *row)
{
	counts_free(&((struct kernel_summary *)row)->dur_ns);
}

/* -1 sorts last, as in the order of devices. */
static bool process_before(int32_t rank, int64_t pid, int32_t other_rank, int64_t other_pid)
{
	uint32_t a = (uint32_t)rank, b = (uint32_t)other_rank;
	return a != b ? a < b : pid < other_pid;
}

/* The union of two sorted lists. */
static int merge_processes(struct device_summary *into, const struct device_summary *from)
{
	size_t room = (size_t)into->n_processes + from->n_processes;
	if (from->n_processes == 0)
		return 0;
	int32_t *ranks = malloc(room * sizeof(*ranks));
	int64_t *pids = malloc(room * sizeof(*pids));
	if (!ranks || !pids) {
		free(ranks);
		free(pids);
		return -ENOMEM;
	}
	uint32_t n = 0, i = 0, k = 0;
	while (i < into->n_processes || k < from->n_processes) {
		bool first = k == from->n_processes ||
					 (i < into->n_processes && !process_before(from->ranks[k], from->pids[k],
															   into->ranks[i], into->pids[i]));
		int32_t rank = first ? into->ranks[i] : from->ranks[k];
		int64_t pid = first ? into->pids[i] : from->pids[k];
		i += first;
		k += !first;
		if (n > 0 && ranks[n - 1] == rank && pids[n - 1] == pid)
			continue;
		ranks[n] = rank;
		pids[n++] = pid;
	}
	free(into->ranks);
	free(into->pids);
	into->ranks = ranks;
	into->pids = pids;
	into->n_processes = n;
	return 0;
}

static int merge_device(void *into, const void *from)
{
	struct device_summary *row = into;
	const struct device_summary *add = from;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		row->time_ns[leaf] += add->time_ns[leaf];
	row->carried |= add->carried;
	for (int kind = 0; kind < READINGS; kind++)
		reading_add(&row->readings[kind], &add->readings[kind]);
	int error = merge_processes(row, add);
	return error ? error : counts_merge(&row->step_ns, &add->step_ns);
}

static void free_device(void *row)
{
	struct device_summary *d = row;
	free(d->ranks);
	free(d->pids);
	counts_free(&d->step_ns);
}

static bool row_series_ok(const void *row)
{
	return series_ok(row);
}

static int merge_series(void *into, const void *from)
{
	return series_merge(into, from);
}

static void free_series(void *row)
{
	free(((struct series *)row)->ns);
}

static bool meeting_ok(const void *row)
{
	const struct meeting *m = row;
	return m->members > 0 && m->min_ns <= m->max_ns && m->first_end_ns <= m->last_end_ns &&
		   (__int128)m->min_ns * m->members <= m->sum_ns;
}

/* The shortest op is that of the member that came last; of equals the first device. Members that
 * say differently of how many calls it is made of are no members of one collective. */
static void choose_last(const struct summary *s, void *into, const void *from)
{
	struct meeting *row = into;
	const struct meeting *add = from;
	const bool first = strcmp(strings_get(&s->pool, add->last_device).at,
							  strings_get(&s->pool, row->last_device).at) < 0;
	if (add->min_ns < row->min_ns || (add->min_ns == row->min_ns && first)) {
		row->last_device = add->last_device;
		row->last_driver = add->last_driver;
	}
	row->ambiguous |= add->ambiguous | (add->calls != row->calls);
}

/* ---- rows ---- */

#define ROWS(type_, row, last_of_key) .type = (type_), .shape = TABLE_SHAPE(row, last_of_key)

const struct row_rules row_rules[ROW_KINDS] = {
	[ROW_DEVICE] = {ROWS(BATON_S_DEVICE, struct device_summary, key), .order = {"weight", "key"},
					.weight = lowest_rank, .merge = merge_device, .free = free_device},
	[ROW_KERNEL] = {ROWS(BATON_S_KERNEL, struct kernel_summary, class_name),
					.order = {"-total_ns", "name", "class_name"}, .merge = merge_kernel,
					.free = free_kernel},
	[ROW_NCCL] = {ROWS(BATON_S_NCCL, struct nccl_summary, bytes),
				  .order = {"-weight", "op", "comm", "bytes", "members", "reason"},
				  .weight = nccl_ns},
	[ROW_EVIDENCE] = {ROWS(BATON_S_EVIDENCE, struct evidence, before),
					  .order = {"-ns", "device", "leaf", "before", "what"}},
	[ROW_LATE] = {ROWS(BATON_S_LATE, struct late_summary, rank),
				  .order = {"-caused_ns", "rank", "device"}, .total = TOTAL_LATE},
	/* As the tables are printed: the project's code first, then the dearest. */
	[ROW_SITE] = {ROWS(BATON_S_SITE, struct site_summary, backward),
				  .order = {"by", "kind", "-weight", "what", "backward"}, .weight = site_cost,
				  .total = TOTAL_SITES},
	[ROW_STALL] = {ROWS(BATON_S_STALL, struct evidence, before),
				   .order = {"-ns", "device", "leaf", "before", "what"}, .total = TOTAL_SITES},
	[ROW_SPREAD] = {ROWS(BATON_S_SPREAD, struct spread, octave),
					.order = {"device", "leaf", "octave"}, .total = TOTAL_SPREADS, .ok = spread_ok,
					.merge = merge_spread},
	[ROW_PARTIAL] = {ROWS(BATON_S_PARTIAL, struct late_summary, rank),
					 .order = {"-caused_ns", "rank", "device"}, .total = TOTAL_LATE},
	[ROW_COPY] = {ROWS(BATON_S_COPY, struct copy_summary, pageable),
				  .order = {"-total_ns", "device", "direction", "pageable"}, .total = TOTAL_COPIES},
	[ROW_SERIES] = {ROWS(BATON_S_SERIES, struct series, what), .order = {"device", "rank", "what"},
					.ok = row_series_ok, .merge = merge_series, .free = free_series},
	[ROW_STEPS] = {ROWS(BATON_S_STEPS, struct steps_summary, device), .order = {"device"}},
	[ROW_CULPRIT] = {ROWS(BATON_S_CULPRIT, struct culprit_summary, order), .order = {"order"}},
	[ROW_PROCESS] = {ROWS(BATON_S_PROCESS, struct process_summary, start_time),
					 .order = {"host", "pid", "start_time", "generation"}},
	[ROW_SCAN] = {ROWS(BATON_S_SCAN, struct scan_summary, device), .order = {"device"}},
	[ROW_COMM] = {ROWS(BATON_S_COMM, struct comm_summary, device), .order = {"comm", "device"}},
	[ROW_MEETING] = {ROWS(BATON_S_MEETING, struct meeting, ordered),
					 .order = {"comm", "coll", "ordered", "step_number", "sequence"},
					 .ok = meeting_ok, .choose = choose_last},
	[ROW_PAIR] = {ROWS(BATON_S_PAIR, struct pair_summary, device),
				  .order = {"-total_ns", "from", "to", "device"}, .total = TOTAL_PAIRS},
};

/* The rows of a summary lie in the order of their kinds, and begin with the fields of their
 * records. */
#define SAME_PLACE(kind, array)                                                             \
	_Static_assert(offsetof(struct summary, array) == offsetof(struct summary, rows[kind]), \
				   "rows of a summary: " #array)
SAME_PLACE(ROW_DEVICE, devices);
SAME_PLACE(ROW_KERNEL, kernels);
SAME_PLACE(ROW_NCCL, nccl);
SAME_PLACE(ROW_EVIDENCE, evidence);
SAME_PLACE(ROW_LATE, late);
SAME_PLACE(ROW_SITE, sites);
SAME_PLACE(ROW_STALL, stalls);
SAME_PLACE(ROW_SPREAD, spreads);
SAME_PLACE(ROW_PARTIAL, partial);
SAME_PLACE(ROW_COPY, copies);
SAME_PLACE(ROW_SERIES, series);
SAME_PLACE(ROW_STEPS, steps);
SAME_PLACE(ROW_CULPRIT, culprits);
SAME_PLACE(ROW_PROCESS, processes);
SAME_PLACE(ROW_SCAN, scans);
SAME_PLACE(ROW_COMM, comms);
SAME_PLACE(ROW_MEETING, meetings);
SAME_PLACE(ROW_PAIR, pairs);

_Static_assert((int)SITE_BY_END == BATON_S_SITE_BY + 1, "what sites stand for");
_Static_assert((int)SITE_KIND_END == BATON_S_SITE_KIND + 1, "kinds of sites");

#define SAME_LAYOUT(row, member, record, last)                            \
	_Static_assert(offsetof(row, member) + sizeof(struct baton_record) == \
					   offsetof(struct baton_s_##record, last),           \
				   "a row as its record: " #record)
SAME_LAYOUT(struct quality, unsampled_ns, quality, unsampled_ns);
SAME_LAYOUT(struct device_summary, busy_ns, device, busy_ns);
SAME_LAYOUT(struct kernel_summary, total_ns, kernel, total_ns);
SAME_LAYOUT(struct nccl_summary, max_bytes_moved, nccl, max_bytes_moved);
SAME_LAYOUT(struct evidence, ns, evidence, ns);
SAME_LAYOUT(struct site_summary, sums.host_ns, site, host_ns);
SAME_LAYOUT(struct spread, worst_step, spread, worst_step);
SAME_LAYOUT(struct late_summary, caused_ns, late, caused_ns);
SAME_LAYOUT(struct copy_summary, sized_ns, copy, sized_ns);
SAME_LAYOUT(struct series, width, series, width);
SAME_LAYOUT(struct steps_summary, left_out, steps, left_out);
SAME_LAYOUT(struct culprit_summary, with_alone_ns, culprit, with_alone_ns);
SAME_LAYOUT(struct process_summary, world_size, process, world_size);
SAME_LAYOUT(struct scan_summary, met, scan, met);
SAME_LAYOUT(struct comm_summary, members, comm, members);
SAME_LAYOUT(struct meeting, bytes, meeting, bytes);
SAME_LAYOUT(struct pair_summary, sized_ns, pair, sized_ns);
