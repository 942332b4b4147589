#include "summary/summary_records.h"

#include "base/room.h"
#include "summary/summary_io.h"

#include <baton/columns.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_LIMIT = 1 << 30, OCTAVE_LIMIT = 62 };

/* ---- what a record may hold ---- */

static bool times_ok(const int64_t *times, size_t n)
{
	bool ok = true;
	for (size_t i = 0; i < n; i++)
		ok &= times[i] >= 0 && times[i] <= BATON_TIME_LIMIT_NS;
	return ok;
}

static bool numbers_ok(const uint64_t *numbers, size_t n)
{
	bool ok = true;
	for (size_t i = 0; i < n; i++)
		ok &= numbers[i] <= (uint64_t)BATON_TIME_LIMIT_NS;
	return ok;
}

/* -1 where a number is not known. */
static bool known_ok(int64_t number)
{
	return number >= -1 && number <= BATON_TIME_LIMIT_NS;
}

static bool text_ok(const struct summary_loading *l, uint32_t id)
{
	return id < l->summary->pool.n;
}

static bool find_leaf(const struct summary_loading *l, uint32_t id, enum leaf *leaf)
{
	const char *name = text_ok(l, id) ? summary_text(l->summary, id) : "";
	for (int i = 0; i < LEAF_COUNT; i++)
		if (strcmp(name, leaf_name((enum leaf)i)) == 0) {
			*leaf = (enum leaf)i;
			return true;
		}
	return false;
}

/* One more row behind n: zeros. */
static void *next_row(void **rows, size_t n, size_t bytes)
{
	if (room_next(rows, n, bytes) != 0)
		return NULL;
	return memset((char *)*rows + n * bytes, 0, bytes);
}

#define NEXT_ROW(array, n) next_row((void **)&(array), n, sizeof((array)[0]))

/* ---- one function per type: 0, -ESTALE, -EBADMSG, -ENOMEM ---- */

static int load_string(struct summary_loading *l, const void *record)
{
	const struct baton_r_string *r = record;
	uint32_t id;
	int error = strings_add(&l->summary->pool, (const char *)(r + 1), r->bytes, &id, NULL);
	return error ? error : id == r->id && r->bytes > 0 ? 0 : -EBADMSG;
}

static int load_reduction(struct summary_loading *l, const void *record)
{
	const struct baton_s_reduction *r = record;
	struct run_summary *run = &l->summary->run;
	if (r->reducer_version != SUMMARY_REDUCER_VERSION || r->options_hash != l->options_hash)
		return -ESTALE;
	run->world_size = r->world_size;
	run->hosts = r->hosts;
	run->step_source = r->step_source;
	run->mode = r->mode;
	run->source = r->source;
	bool ok = text_ok(l, r->step_source) && text_ok(l, r->mode) && text_ok(l, r->source) &&
			  r->world_size >= -1;
	return ok ? 0 : -EBADMSG;
}

static int load_input(struct summary_loading *l, const void *record)
{
	const struct baton_s_input *r = record;
	if (!text_ok(l, r->name))
		return -EBADMSG;
	if (l->n_inputs == l->inputs.n)
		return -ESTALE;
	const struct summary_input *now = &l->inputs.at[l->n_inputs++];
	bool same = strcmp(summary_text(l->summary, r->name), now->name) == 0 &&
				r->bytes == now->bytes && r->mtime_ns == now->mtime_ns && r->mtime_ns != -1;
	return same ? 0 : -ESTALE;
}

static int load_rank(struct summary_loading *l, const void *record)
{
	const struct baton_s_rank *r = record;
	struct run_summary *run = &l->summary->run;
	bool seen = r->state == BATON_RANK_SEEN;
	bool first = run->n_ranks == 0 && run->n_missing_ranks == 0;
	if ((!seen && r->state != BATON_RANK_MISSING) || r->rank < 0 ||
		(!first && r->rank <= l->last_rank))
		return -EBADMSG;
	l->last_rank = r->rank;
	int32_t *rank = seen ? NEXT_ROW(run->ranks, run->n_ranks)
						 : NEXT_ROW(run->missing_ranks, run->n_missing_ranks);
	if (!rank)
		return -ENOMEM;
	*rank = r->rank;
	if (seen)
		run->n_ranks++;
	else
		run->n_missing_ranks++;
	return 0;
}

static int load_quality(struct summary_loading *l, const void *record)
{
	const struct baton_s_quality *r = record;
	size_t before = (offsetof(struct baton_s_quality, clock_residual_ns) -
					 offsetof(struct baton_s_quality, records)) /
					sizeof(uint64_t);
	if (!numbers_ok(&r->records, before) || !known_ok(r->clock_residual_ns) ||
		!numbers_ok(&r->unrecorded_ns, 3) || !known_ok(r->tool_ns) || !numbers_ok(&r->launches, 3))
		return -EBADMSG;
	l->has_quality = true;
	l->summary->quality = (struct quality){.records = r->records,
										   .dropped = r->dropped,
										   .in_flight = r->in_flight,
										   .ops = r->ops,
										   .unmatched_ops = r->unmatched_ops,
										   .invalid_timestamps = r->invalid_timestamps,
										   .invalid_events = r->invalid_events,
										   .truncated_files = r->truncated_files,
										   .unreadable_files = r->unreadable_files,
										   .clock_residual_ns = r->clock_residual_ns,
										   .unrecorded_ns = r->unrecorded_ns,
										   .hand_offs = r->hand_offs,
										   .steps_cut = r->steps_cut,
										   .tool_ns = r->tool_ns,
										   .launches = r->launches,
										   .rounded_quantiles = r->rounded_quantiles,
										   .unsampled_ns = r->unsampled_ns};
	return 0;
}

static int load_device(struct summary_loading *l, const void *record)
{
	const struct baton_s_device *r = record;
	struct summary *s = l->summary;
	size_t numbers = (sizeof(*r) - offsetof(struct baton_s_device, steps)) / sizeof(int64_t);
	if (!text_ok(l, r->key) || !text_ok(l, r->name) || !times_ok(&r->steps, numbers) ||
		r->steps > STEPS_LIMIT)
		return -EBADMSG;
	struct device_summary *d = NEXT_ROW(s->devices, s->n_devices);
	if (!d)
		return -ENOMEM;
	s->n_devices++;
	*d = (struct device_summary){.key = r->key,
								 .name = r->name,
								 .steps = r->steps,
								 .window_ns = r->window_ns,
								 .hull_ns = r->hull_ns,
								 .hull_idle_ns = r->hull_idle_ns,
								 .lead_in_ns = r->lead_in_ns,
								 .nccl_hidden_ns = r->nccl_hidden_ns,
								 .floor_ns = r->floor_ns,
								 .queued_gap_ns = r->queued_gap_ns,
								 .kernels = r->kernels,
								 .launches = r->launches,
								 .short_kernels = r->short_kernels};
	memcpy(d->busy_ns, r->busy_ns, sizeof(d->busy_ns));
	return 0;
}

static int load_driver(struct summary_loading *l, const void *record)
{
	const struct baton_s_driver *r = record;
	struct device_summary *d = &l->summary->devices[l->summary->n_devices - 1];
	if (r->rank < -1)
		return -EBADMSG;
	int32_t *rank = NEXT_ROW(d->ranks, d->n_processes);
	int64_t *pid = NEXT_ROW(d->pids, d->n_processes);
	if (!rank || !pid)
		return -ENOMEM;
	*rank = r->rank;
	*pid = r->pid;
	d->n_processes++;
	return 0;
}

static int load_leaf(struct summary_loading *l, const void *record)
{
	const struct baton_s_leaf *r = record;
	struct device_summary *d = &l->summary->devices[l->summary->n_devices - 1];
	enum leaf leaf;
	if (!find_leaf(l, r->leaf, &leaf) || r->carried > 1 || !times_ok(&r->ns, 1))
		return -EBADMSG;
	d->time_ns[leaf] = r->ns;
	d->carried |= r->carried ? LEAF_BIT(leaf) : 0;
	return 0;
}

static int load_reading(struct summary_loading *l, const void *record)
{
	const struct baton_s_reading *r = record;
	struct device_summary *d = &l->summary->devices[l->summary->n_devices - 1];
	if (!text_ok(l, r->name) || r->looks == 0 || !numbers_ok(&r->looks, 1) ||
		!times_ok(&r->sum, 3) || r->least > r->most || r->most > r->sum)
		return -EBADMSG;
	const struct reading reading = {r->looks, r->sum, r->least, r->most};
	for (int kind = 0; kind < READINGS; kind++) {
		if (strcmp(summary_text(l->summary, r->name), reading_name((enum reading_kind)kind)) != 0)
			continue;
		if (kind >= READING_SLOWED && (r->most > 1 || r->sum > (int64_t)r->looks))
			return -EBADMSG;
		d->readings[kind] = reading;
	}
	return 0;
}

static int load_kernel(struct summary_loading *l, const void *record)
{
	const struct baton_s_kernel *r = record;
	struct summary *s = l->summary;
	if (!text_ok(l, r->name) || !text_ok(l, r->class_name) || r->group >= SUMMARY_GROUPS ||
		r->tensor_core < -1 || r->tensor_core > 1 || !times_ok(&r->total_ns, 1) ||
		!numbers_ok(&r->count, 1))
		return -EBADMSG;
	struct kernel_summary *k = NEXT_ROW(s->kernels, s->n_kernels);
	if (!k)
		return -ENOMEM;
	s->n_kernels++;
	*k = (struct kernel_summary){.name = r->name,
								 .class_name = r->class_name,
								 .group = (uint8_t)r->group,
								 .tensor_core = (int8_t)r->tensor_core,
								 .count = r->count,
								 .total_ns = r->total_ns};
	return 0;
}

static int load_pairs(const struct baton_s_distribution *r, struct counts *counts)
{
	const uint8_t *at = (const uint8_t *)(r + 1), *end = at + r->bytes;
	uint64_t value = 0;
	int error = 0;
	for (uint32_t i = 0; !error && i < r->pairs; i++) {
		uint64_t step, n;
		at = baton_varint_get(at, end, &step);
		at = at ? baton_varint_get(at, end, &n) : NULL;
		if (!at || n == 0 || (i > 0 && step == 0) || step > (uint64_t)BATON_TIME_LIMIT_NS)
			return -EBADMSG;
		value += step;
		if (value > (uint64_t)BATON_TIME_LIMIT_NS)
			return -EBADMSG;
		error = counts_add(counts, (int64_t)value, n);
	}
	return error ? error : at == end ? 0 : -EBADMSG;
}

static int load_distribution(struct summary_loading *l, const void *record)
{
	const struct baton_s_distribution *r = record;
	struct summary *s = l->summary;
	struct counts *counts = l->part == BATON_S_KERNEL ? &s->kernels[s->n_kernels - 1].dur_ns
													  : &s->devices[s->n_devices - 1].step_ns;
	if (r->bytes > r->head.size - sizeof(*r) || r->rounded > 1 ||
		(counts->used && counts->rounded != (r->rounded == 1)))
		return -EBADMSG;
	counts->rounded = r->rounded == 1;
	return load_pairs(r, counts);
}

static int load_nccl(struct summary_loading *l, const void *record)
{
	const struct baton_s_nccl *r = record;
	struct summary *s = l->summary;
	if (!text_ok(l, r->op) || !text_ok(l, r->comm) || !text_ok(l, r->reason) ||
		!known_ok(r->bytes) || !known_ok(r->max_bytes_moved) || !numbers_ok(&r->count, 1) ||
		!times_ok(&r->transfer_ns, 3))
		return -EBADMSG;
	struct nccl_summary *n = NEXT_ROW(s->nccl, s->n_nccl);
	if (!n)
		return -ENOMEM;
	s->n_nccl++;
	*n = (struct nccl_summary){.op = r->op,
							   .comm = r->comm,
							   .reason = r->reason,
							   .members = r->members,
							   .bytes = r->bytes,
							   .count = r->count,
							   .transfer_ns = r->transfer_ns,
							   .wait_ns = r->wait_ns,
							   .unsplit_ns = r->unsplit_ns,
							   .max_bytes_moved = r->max_bytes_moved};
	return 0;
}

static int read_evidence(const struct summary_loading *l, const void *record, struct evidence *out)
{
	const struct baton_s_evidence *r = record;
	enum leaf leaf;
	if (!text_ok(l, r->device) || !text_ok(l, r->what) || !find_leaf(l, r->leaf, &leaf) ||
		!numbers_ok(&r->count, 1) || !times_ok(&r->ns, 1) || r->before > 1)
		return -EBADMSG;
	*out = (struct evidence){.device = r->device,
							 .leaf = (uint8_t)leaf,
							 .before = (uint8_t)r->before,
							 .what = r->what,
							 .count = r->count,
							 .ns = r->ns};
	return 0;
}

static int load_evidence(struct summary_loading *l, const void *record)
{
	struct summary *s = l->summary;
	struct evidence *e = NEXT_ROW(s->evidence, s->n_evidence);
	int error = e ? read_evidence(l, record, e) : -ENOMEM;
	s->n_evidence += !error;
	return error;
}

static int load_stall(struct summary_loading *l, const void *record)
{
	struct summary *s = l->summary;
	struct evidence *e = NEXT_ROW(s->stalls, s->n_stalls);
	int error = e ? read_evidence(l, record, e) : -ENOMEM;
	if (error)
		return error;
	s->n_stalls++;
	l->sites_ns += e->ns;
	return l->sites_ns > BATON_TIME_LIMIT_NS ? -EBADMSG : 0;
}

static int load_site(struct summary_loading *l, const void *record)
{
	const struct baton_s_site *r = record;
	struct summary *s = l->summary;
	if (r->by == 0 || r->by >= SITE_BY_END || r->kind == 0 || r->kind >= SITE_KIND_END ||
		r->backward > 1 || !text_ok(l, r->what) || !numbers_ok(&r->rows, 1) ||
		!times_ok(r->gpu_ns, BATON_S_GROUPS) || !numbers_ok(&r->launches, 1) ||
		!times_ok(&r->launch_ns, 3))
		return -EBADMSG;
	l->sites_ns += (__int128)r->launch_ns + r->cpu_ns + r->host_ns;
	for (int group = 0; group < BATON_S_GROUPS; group++)
		l->sites_ns += r->gpu_ns[group];
	if (l->sites_ns > BATON_TIME_LIMIT_NS)
		return -EBADMSG;
	struct site_summary *site = NEXT_ROW(s->sites, s->n_sites);
	if (!site)
		return -ENOMEM;
	s->n_sites++;
	*site = (struct site_summary){.by = (uint8_t)r->by,
								  .kind = (uint8_t)r->kind,
								  .backward = (uint8_t)r->backward,
								  .what = r->what,
								  .rows = r->rows,
								  .sums = {.launches = r->launches,
										   .launch_ns = r->launch_ns,
										   .cpu_ns = r->cpu_ns,
										   .host_ns = r->host_ns}};
	memcpy(site->sums.gpu_ns, r->gpu_ns, sizeof(site->sums.gpu_ns));
	return 0;
}

static int load_spread(struct summary_loading *l, const void *record)
{
	const struct baton_s_spread *r = record;
	struct summary *s = l->summary;
	enum leaf leaf;
	if (!text_ok(l, r->device) || !find_leaf(l, r->leaf, &leaf) || r->octave > OCTAVE_LIMIT ||
		r->steps == 0 || r->steps > STEPS_LIMIT || !times_ok(&r->ns, 3) ||
		r->worst_ns >> r->octave != 1 || r->ns < r->worst_ns)
		return -EBADMSG;
	l->spreads_ns += r->ns;
	struct spread *spread = NEXT_ROW(s->spreads, s->n_spreads);
	if (!spread)
		return -ENOMEM;
	s->n_spreads++;
	*spread = (struct spread){.device = r->device,
							  .leaf = (uint8_t)leaf,
							  .octave = (uint8_t)r->octave,
							  .steps = r->steps,
							  .ns = r->ns,
							  .worst_ns = r->worst_ns,
							  .worst_step = r->worst_step};
	return l->spreads_ns > BATON_TIME_LIMIT_NS ? -EBADMSG : 0;
}

static int read_late(struct summary_loading *l, const void *record, struct late_summary *out)
{
	const struct baton_s_late *r = record;
	if (!text_ok(l, r->device) || r->rank < -1 || !numbers_ok(&r->last, 2) ||
		!times_ok(&r->caused_ns, 1))
		return -EBADMSG;
	*out = (struct late_summary){.device = r->device,
								 .rank = r->rank,
								 .last = r->last,
								 .taken = r->taken,
								 .caused_ns = r->caused_ns};
	l->late_ns += r->caused_ns;
	return l->late_ns > BATON_TIME_LIMIT_NS ? -EBADMSG : 0;
}

static int load_late(struct summary_loading *l, const void *record)
{
	struct late_summary *late = NEXT_ROW(l->summary->late, l->summary->n_late);
	int error = late ? read_late(l, record, late) : -ENOMEM;
	l->summary->n_late += !error;
	return error;
}

static int load_partial(struct summary_loading *l, const void *record)
{
	struct late_summary *late = NEXT_ROW(l->summary->partial, l->summary->n_partial);
	int error = late ? read_late(l, record, late) : -ENOMEM;
	l->summary->n_partial += !error;
	return error;
}

/* ---- the file ---- */

#define BEHIND(part) (1u << ((part)-BATON_S_REDUCTION))

static const struct {
	int (*load)(struct summary_loading *, const void *record);
	uint32_t least_size;
	uint32_t behind; /* it belongs to a record of one of these parts; 0: it is a part itself */
} types[] = {
	[BATON_S_REDUCTION] = {load_reduction, sizeof(struct baton_s_reduction), 0},
	[BATON_S_INPUT] = {load_input, sizeof(struct baton_s_input), 0},
	[BATON_S_RANK] = {load_rank, sizeof(struct baton_s_rank), 0},
	[BATON_S_QUALITY] = {load_quality, sizeof(struct baton_s_quality), 0},
	[BATON_S_DEVICE] = {load_device, sizeof(struct baton_s_device), 0},
	[BATON_S_DRIVER] = {load_driver, sizeof(struct baton_s_driver), BEHIND(BATON_S_DEVICE)},
	[BATON_S_LEAF] = {load_leaf, sizeof(struct baton_s_leaf), BEHIND(BATON_S_DEVICE)},
	[BATON_S_KERNEL] = {load_kernel, sizeof(struct baton_s_kernel), 0},
	[BATON_S_DISTRIBUTION] = {load_distribution, sizeof(struct baton_s_distribution),
							  BEHIND(BATON_S_DEVICE) | BEHIND(BATON_S_KERNEL)},
	[BATON_S_NCCL] = {load_nccl, sizeof(struct baton_s_nccl), 0},
	[BATON_S_EVIDENCE] = {load_evidence, sizeof(struct baton_s_evidence), 0},
	[BATON_S_LATE] = {load_late, sizeof(struct baton_s_late), 0},
	[BATON_S_PARTIAL] = {load_partial, sizeof(struct baton_s_late), 0},
	[BATON_S_SITE] = {load_site, sizeof(struct baton_s_site), 0},
	[BATON_S_STALL] = {load_stall, sizeof(struct baton_s_evidence), 0},
	[BATON_S_SPREAD] = {load_spread, sizeof(struct baton_s_spread), 0},
	[BATON_S_READING] = {load_reading, sizeof(struct baton_s_reading), BEHIND(BATON_S_DEVICE)},
};

int summary_record(struct summary_loading *l, const struct baton_record *record)
{
	unsigned type = record->type;
	if (type == BATON_R_STRING)
		return load_string(l, record);
	if (type >= BATON_S_END || !types[type].load)
		return 0; /* of a later minor version */
	if (record->size < types[type].least_size)
		return -EBADMSG;
	if (types[type].behind) {
		if (l->part == 0 || !(types[type].behind & BEHIND(l->part)))
			return -EBADMSG;
	} else {
		bool once = type == BATON_S_REDUCTION || type == BATON_S_QUALITY;
		if ((l->part == 0) != (type == BATON_S_REDUCTION) || type < l->part ||
			(once && type == l->part))
			return -EBADMSG;
		l->part = type;
	}
	return types[type].load(l, record);
}
