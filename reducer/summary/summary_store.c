#include "summary/summary_io.h"

#include "summary/summary_inputs.h"

#include <baton/summary_format.h>
#include <baton/writer.h>
#include <stdio.h>

enum { PAIRS_A_RECORD = 8192 }; /* of a distribution: below BATON_RECORD_BYTES at any values */

_Static_assert((int)BATON_S_GROUPS == (int)SUMMARY_GROUPS, "groups of a device");
_Static_assert(sizeof(struct baton_s_distribution) + PAIRS_A_RECORD * 2 * BATON_VARINT_MAX <
				   BATON_RECORD_BYTES,
			   "a full distribution record fits");

struct storing {
	const char *dir;
	const struct summary *summary;
	const char *options_text;
	struct baton_writer writer;
	struct strings texts; /* in the file: ids are those of the file */
	uint8_t *pairs;       /* room for the varints of one distribution record */
};

#define PUT(s, type, ...) \
	baton_writer_record(&(s)->writer, type, &(__VA_ARGS__), sizeof(__VA_ARGS__), NULL, 0)

/* The file's id of a text. Numbered by first use, so that equal rows give equal bytes in whatever
 * order the summary's pool was filled. */
static uint32_t put_text(struct storing *s, const char *at, size_t bytes)
{
	struct baton_r_string record = {.bytes = (uint32_t)bytes};
	int is_new = 0;
	if (bytes == 0)
		return 0;
	int error = strings_add(&s->texts, at, bytes, &record.id, &is_new);
	if (!error && is_new)
		error = baton_writer_record(&s->writer, BATON_R_STRING, &record, sizeof(record), at, bytes);
	if (error && !s->writer.error)
		s->writer.error = error; /* without memory, or the text is larger than a record */
	return record.id;
}

static uint32_t text_id(struct storing *s, uint32_t pool_id)
{
	struct text text = strings_get(&s->summary->pool, pool_id);
	return put_text(s, text.at, text.bytes);
}

static uint32_t leaf_id(struct storing *s, enum leaf leaf)
{
	return put_text(s, leaf_name(leaf), strlen(leaf_name(leaf)));
}

static int store_run(struct storing *s)
{
	const struct run_summary *run = &s->summary->run;
	struct baton_s_reduction record = {.reducer_version = SUMMARY_REDUCER_VERSION,
									   .world_size = run->world_size,
									   .options_hash =
										   XXH3_64bits(s->options_text, strlen(s->options_text)),
									   .hosts = run->hosts,
									   .step_source = text_id(s, run->step_source),
									   .mode = text_id(s, run->mode),
									   .source = text_id(s, run->source)};
	return PUT(s, BATON_S_REDUCTION, record);
}

static int store_inputs(struct storing *s)
{
	struct summary_inputs inputs;
	int error = summary_inputs_open(&inputs, s->dir);
	for (size_t i = 0; !error && i < inputs.n; i++) {
		const struct summary_input *input = &inputs.at[i];
		struct baton_s_input record = {.name = put_text(s, input->name, strlen(input->name)),
									   .bytes = input->bytes,
									   .mtime_ns = input->young ? -1 : input->mtime_ns};
		error = PUT(s, BATON_S_INPUT, record);
	}
	summary_inputs_close(&inputs);
	return error;
}

static int store_ranks(struct storing *s)
{
	const struct run_summary *run = &s->summary->run;
	uint32_t seen = 0, missing = 0;
	while (seen < run->n_ranks || missing < run->n_missing_ranks) {
		bool take_seen = missing == run->n_missing_ranks ||
						 (seen < run->n_ranks && run->ranks[seen] < run->missing_ranks[missing]);
		struct baton_s_rank record = {.state = take_seen ? BATON_RANK_SEEN : BATON_RANK_MISSING};
		record.rank = take_seen ? run->ranks[seen++] : run->missing_ranks[missing++];
		PUT(s, BATON_S_RANK, record);
	}
	return s->writer.error;
}

static int store_quality(struct storing *s)
{
	const struct quality *q = &s->summary->quality;
	struct baton_s_quality record = {.records = q->records,
									 .dropped = q->dropped,
									 .in_flight = q->in_flight,
									 .ops = q->ops,
									 .unmatched_ops = q->unmatched_ops,
									 .invalid_timestamps = q->invalid_timestamps,
									 .invalid_events = q->invalid_events,
									 .truncated_files = q->truncated_files,
									 .unreadable_files = q->unreadable_files,
									 .clock_residual_ns = q->clock_residual_ns,
									 .unrecorded_ns = q->unrecorded_ns,
									 .hand_offs = q->hand_offs,
									 .steps_cut = q->steps_cut,
									 .tool_ns = q->tool_ns,
									 .launches = q->launches,
									 .rounded_quantiles = q->rounded_quantiles,
									 .unsampled_ns = q->unsampled_ns};
	return PUT(s, BATON_S_QUALITY, record);
}

static int store_counts(struct storing *s, const struct counts *counts)
{
	struct count *sorted;
	int error = counts_sorted(counts, &sorted);
	for (uint32_t at = 0; !error && at < counts->used; at += PAIRS_A_RECORD) {
		uint32_t left = counts->used - at, n = left < PAIRS_A_RECORD ? left : PAIRS_A_RECORD;
		uint8_t *end = s->pairs;
		for (uint32_t i = 0; i < n; i++) {
			int64_t before = i ? sorted[at + i - 1].value : 0;
			end = baton_varint_put(end, (uint64_t)(sorted[at + i].value - before));
			end = baton_varint_put(end, sorted[at + i].n);
		}
		struct baton_s_distribution record = {
			.pairs = n, .bytes = (uint32_t)(end - s->pairs), .rounded = counts->rounded};
		error = baton_writer_record(&s->writer, BATON_S_DISTRIBUTION, &record, sizeof(record),
									s->pairs, record.bytes);
	}
	free(sorted);
	return error;
}

static void store_readings(struct storing *s, const struct device_summary *d)
{
	for (int kind = 0; kind < READINGS; kind++) {
		const struct reading *reading = &d->readings[kind];
		const char *name = reading_name((enum reading_kind)kind);
		if (reading->looks == 0)
			continue;
		struct baton_s_reading record = {.name = put_text(s, name, strlen(name)),
										 .looks = reading->looks,
										 .sum = reading->sum,
										 .least = reading->least,
										 .most = reading->most};
		PUT(s, BATON_S_READING, record);
	}
}

static int store_device(struct storing *s, const struct device_summary *d)
{
	struct baton_s_device record = {.key = text_id(s, d->key),
									.name = text_id(s, d->name),
									.steps = d->steps,
									.window_ns = d->window_ns,
									.hull_ns = d->hull_ns,
									.hull_idle_ns = d->hull_idle_ns,
									.lead_in_ns = d->lead_in_ns,
									.nccl_hidden_ns = d->nccl_hidden_ns,
									.floor_ns = d->floor_ns,
									.queued_gap_ns = d->queued_gap_ns,
									.kernels = d->kernels,
									.launches = d->launches,
									.short_kernels = d->short_kernels};
	memcpy(record.busy_ns, d->busy_ns, sizeof(record.busy_ns));
	PUT(s, BATON_S_DEVICE, record);
	for (uint32_t i = 0; i < d->n_processes; i++) {
		struct baton_s_driver driver = {.rank = d->ranks[i], .pid = d->pids[i]};
		PUT(s, BATON_S_DRIVER, driver);
	}
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		bool carried = d->carried & LEAF_BIT(leaf);
		if (!carried && d->time_ns[leaf] == 0)
			continue;
		struct baton_s_leaf time = {
			.leaf = leaf_id(s, (enum leaf)leaf), .carried = carried, .ns = d->time_ns[leaf]};
		PUT(s, BATON_S_LEAF, time);
	}
	store_readings(s, d);
	return store_counts(s, &d->step_ns);
}

static int store_devices(struct storing *s)
{
	int error = 0;
	for (size_t i = 0; !error && i < s->summary->n_devices; i++)
		error = store_device(s, &s->summary->devices[i]);
	return error;
}

static int store_kernels(struct storing *s)
{
	int error = 0;
	for (size_t i = 0; !error && i < s->summary->n_kernels; i++) {
		const struct kernel_summary *k = &s->summary->kernels[i];
		struct baton_s_kernel record = {.name = text_id(s, k->name),
										.class_name = text_id(s, k->class_name),
										.group = k->group,
										.tensor_core = k->tensor_core,
										.count = k->count,
										.total_ns = k->total_ns};
		PUT(s, BATON_S_KERNEL, record);
		error = store_counts(s, &k->dur_ns);
	}
	return error;
}

static int store_nccl(struct storing *s)
{
	for (size_t i = 0; i < s->summary->n_nccl; i++) {
		const struct nccl_summary *n = &s->summary->nccl[i];
		struct baton_s_nccl record = {.op = text_id(s, n->op),
									  .comm = text_id(s, n->comm),
									  .reason = text_id(s, n->reason),
									  .members = n->members,
									  .bytes = n->bytes,
									  .count = n->count,
									  .transfer_ns = n->transfer_ns,
									  .wait_ns = n->wait_ns,
									  .unsplit_ns = n->unsplit_ns,
									  .max_bytes_moved = n->max_bytes_moved};
		PUT(s, BATON_S_NCCL, record);
	}
	return s->writer.error;
}

static int store_rows(struct storing *s, unsigned type, const struct evidence *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct evidence *e = &rows[i];
		struct baton_s_evidence record = {.device = text_id(s, e->device),
										  .leaf = leaf_id(s, (enum leaf)e->leaf),
										  .what = text_id(s, e->what),
										  .before = e->before,
										  .count = e->count,
										  .ns = e->ns};
		PUT(s, type, record);
	}
	return s->writer.error;
}

static int store_evidence(struct storing *s)
{
	return store_rows(s, BATON_S_EVIDENCE, s->summary->evidence, s->summary->n_evidence);
}

static int store_stalls(struct storing *s)
{
	return store_rows(s, BATON_S_STALL, s->summary->stalls, s->summary->n_stalls);
}

static int store_sites(struct storing *s)
{
	for (size_t i = 0; i < s->summary->n_sites; i++) {
		const struct site_summary *site = &s->summary->sites[i];
		struct baton_s_site record = {.by = site->by,
									  .what = text_id(s, site->what),
									  .kind = site->kind,
									  .backward = site->backward,
									  .rows = site->rows,
									  .launches = site->sums.launches,
									  .launch_ns = site->sums.launch_ns,
									  .cpu_ns = site->sums.cpu_ns,
									  .host_ns = site->sums.host_ns};
		memcpy(record.gpu_ns, site->sums.gpu_ns, sizeof(record.gpu_ns));
		PUT(s, BATON_S_SITE, record);
	}
	return s->writer.error;
}

static int store_spreads(struct storing *s)
{
	for (size_t i = 0; i < s->summary->n_spreads; i++) {
		const struct spread *spread = &s->summary->spreads[i];
		struct baton_s_spread record = {.device = text_id(s, spread->device),
										.leaf = leaf_id(s, (enum leaf)spread->leaf),
										.octave = spread->octave,
										.steps = spread->steps,
										.ns = spread->ns,
										.worst_ns = spread->worst_ns,
										.worst_step = spread->worst_step};
		PUT(s, BATON_S_SPREAD, record);
	}
	return s->writer.error;
}

static int store_late_rows(struct storing *s, unsigned type, const struct late_summary *rows,
						   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct late_summary *l = &rows[i];
		struct baton_s_late record = {.device = text_id(s, l->device),
									  .rank = l->rank,
									  .last = l->last,
									  .taken = l->taken,
									  .caused_ns = l->caused_ns};
		PUT(s, type, record);
	}
	return s->writer.error;
}

static int store_late(struct storing *s)
{
	return store_late_rows(s, BATON_S_LATE, s->summary->late, s->summary->n_late);
}

static int store_partial(struct storing *s)
{
	return store_late_rows(s, BATON_S_PARTIAL, s->summary->partial, s->summary->n_partial);
}

static int store_parts(struct storing *s)
{
	static int (*const parts[])(struct storing *) = {
		store_run,     store_inputs,  store_ranks,    store_quality, store_devices,
		store_kernels, store_nccl,    store_evidence, store_late,    store_sites,
		store_stalls,  store_spreads, store_partial};
	int error = 0;
	for (size_t i = 0; !error && i < sizeof(parts) / sizeof(parts[0]); i++)
		error = parts[i](s);
	return error;
}

/* Writes all of it to `fd`, which is closed in any case. */
static int store_file(struct storing *s, int fd)
{
	uint64_t id = XXH3_64bits(s->options_text, strlen(s->options_text));
	int error = baton_writer_open(&s->writer, fd, BATON_SUMMARY, id);
	if (!error)
		error = store_parts(s);
	if (!error)
		return baton_writer_close(&s->writer);
	baton_writer_free(&s->writer);
	return error;
}

/* A name of its own first: two reducers of one directory never write into each other's file. */
static int store_renamed(struct storing *s, char *temporary, const char *path)
{
	int fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int error = store_file(s, fd);
	if (!error && rename(temporary, path) != 0)
		error = -errno;
	if (error)
		unlink(temporary);
	return error;
}

int summary_store(const char *dir, const struct summary *summary, const char *options_text)
{
	struct storing s = {.dir = dir, .summary = summary, .options_text = options_text};
	char *temporary = NULL, *path = NULL;
	int error = strings_init(&s.texts);
	if (error)
		return error;
	s.pairs = malloc(PAIRS_A_RECORD * 2 * BATON_VARINT_MAX);
	if (asprintf(&path, "%s/summary.baton", dir) < 0)
		path = NULL;
	if (asprintf(&temporary, "%s/.summary.XXXXXX", dir) < 0)
		temporary = NULL;
	error = s.pairs && path && temporary ? store_renamed(&s, temporary, path) : -ENOMEM;
	free(temporary);
	free(path);
	free(s.pairs);
	strings_free(&s.texts);
	return error;
}
