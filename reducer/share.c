#include "share.h"

#include "attribute/invariants.h"
#include "attribute/meetings.h"
#include "base/diag.h"
#include "base/team.h"
#include "summary/summary_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

enum { DECISION_MOST = 255 };

bool share_has(size_t i)
{
	const struct team *team = team_here();
	return !team || (int)(i % (size_t)team->size) == team->rank;
}

bool share_is_first(void)
{
	const struct team *team = team_here();
	return !team || team->rank == 0;
}

bool share_is_alone(void)
{
	return !team_here();
}

bool share_refuses(const struct reduce_options *options)
{
	const bool alone = options->gaps || options->idle || options->step || options->replay ||
					   options->study || options->part || options->met;
	if (!team_here() || !alone)
		return false;
	diag("--gaps, --leaf, --part and --met are not with baton-mpi: use baton");
	return true;
}

void share_leave(void)
{
	const struct team *team = team_here();
	if (team && team->rank > 0)
		team->leave();
	team_join(NULL);
}

/* What follows a meeting: an error here is this rank's alone. */
static int settled(int error)
{
	if (error)
		team_here()->fail(error);
	return error;
}

/* A number from 0 to `most`. */
static int take_number(const struct bytes *from, int most, int *number)
{
	int64_t told = 0;
	size_t at = 0;
	const int error = bytes_take(from, &at, &told, sizeof(told));
	if (error || told < 0 || told > most)
		return -EBADMSG;
	*number = (int)told;
	return 0;
}

/* ---- before the visits ---- */

/* What has to be the same for every rank: the numbers of processes and devices stand for them. */
static uint64_t hash_run(const struct run *run)
{
	uint64_t hash = run->n_devices;
	for (size_t i = 0; i < run->n_processes; i++)
		hash = XXH3_64bits_withSeed(run->processes[i].path, strlen(run->processes[i].path), hash);
	for (size_t i = 0; i < run->n_devices; i++) {
		const struct text key = strings_get(&run->pool, run->devices[i].key);
		hash = XXH3_64bits_withSeed(key.at, key.bytes, hash);
	}
	return hash;
}

int share_run(const struct run *run, int status)
{
	const uint64_t mine[2] = {hash_run(run), (uint64_t)status};
	uint64_t first[2] = {0}, other[2] = {0};
	struct bytes message = {0};
	struct team_told told;
	if (!team_here())
		return 0;
	int error = bytes_put(&message, mine, sizeof(mine));
	error = team_tell(&message, error, 1, &told);
	for (int r = 0; !error && r < told.n; r++) {
		size_t at = 0;
		error = settled(bytes_take(&told.of[r], &at, r ? other : first, sizeof(other)));
		if (error || r == 0 || memcmp(first, other, sizeof(first)) == 0)
			continue;
		diag("MPI rank %d does not see the same trace files as rank 0: name a directory that all "
			 "nodes share",
			 r);
		error = -ECANCELED;
	}
	team_told_free(&told);
	team_here()->speak();
	return error;
}

int share_decision(int decision, int *decided)
{
	const int64_t mine = decision;
	struct bytes message = {0};
	struct team_told told;
	*decided = decision;
	if (!team_here())
		return 0;
	int error = bytes_put(&message, &mine, sizeof(mine));
	error = team_tell(&message, error, 1, &told);
	if (!error)
		error = settled(take_number(&told.of[0], DECISION_MOST, decided));
	team_told_free(&told);
	return error;
}

int share_error(int error)
{
	struct bytes nothing = {0};
	struct team_told told;
	if (!team_here())
		return error;
	error = team_tell(&nothing, error, 1, &told);
	team_told_free(&told);
	return error;
}

int share_status(int status)
{
	const int64_t mine = status;
	struct bytes message = {0};
	struct team_told told;
	int first = STATUS_OK;
	if (!team_here())
		return status;
	int error = bytes_put(&message, &mine, sizeof(mine));
	error = team_tell(&message, error, 1, &told);
	for (int r = 0; !error && first == STATUS_OK && r < told.n; r++) {
		error = settled(take_number(&told.of[r], STATUS_OUTPUT, &first));
		if (r > 0 && first != STATUS_OK && share_is_first())
			diag(
				"MPI rank %d refuses what rank 0 takes: give all ranks the same options, and files "
				"that all nodes share",
				r);
	}
	team_told_free(&told);
	return error ? STATUS_INPUT : first;
}

/* ---- scans ---- */

/* What is kept by device, each rank's own told to all others. */
struct shared {
	const struct run *run;
	void *all; /* one for each device of the run */
	int (*put)(struct bytes *to, size_t device, const void *all);
	int (*take)(const struct bytes *from, size_t *at, const struct shared *shared, int rank);
};

static bool is_told_by(const struct shared *shared, size_t device, int rank)
{
	return device < shared->run->n_devices && (int)(device % (size_t)team_here()->size) == rank;
}

/* The calibration, the steps and their ends; what the second visit alone needs stays here. */
static int put_scan(struct bytes *to, size_t device, const void *scans)
{
	const struct device_scan *scan = (const struct device_scan *)scans + device;
	struct device_scan plain = *scan;
	const size_t ends = scan->ends ? (size_t)scan->steps.n_steps + 2 : 0;
	plain.steps.markers = NULL;
	plain.ends = plain.late_ns = NULL;
	plain.first_launch = NULL;
	plain.given = NULL;
	int error = bytes_put(to, &plain, sizeof(plain));
	if (!error)
		error = bytes_put(to, scan->steps.markers,
						  scan->steps.n_markers * sizeof(*scan->steps.markers));
	if (!error)
		error = bytes_put(to, &ends, sizeof(ends));
	return error ? error : bytes_put(to, scan->ends, ends * sizeof(*scan->ends));
}

/* `n` things of `bytes` bytes each; *to is NULL when there is none. */
static int take_array(const struct bytes *from, size_t *at, void **to, uint64_t n, size_t bytes)
{
	*to = NULL;
	if (n > (from->n - *at) / bytes)
		return -EBADMSG;
	if (n && !(*to = malloc((size_t)n * bytes)))
		return -ENOMEM;
	return bytes_take(from, at, *to, (size_t)n * bytes);
}

/* What another process sent as one may be anything. */
static bool is_bool(const bool *value)
{
	unsigned char byte;
	memcpy(&byte, value, sizeof(byte));
	return byte <= 1;
}

static bool is_time(int64_t ns)
{
	return ns >= -BATON_TIME_LIMIT_NS && ns <= BATON_TIME_LIMIT_NS;
}

/* Of the fields those that say how others are read. */
static bool fields_ok(const struct device_scan *scan, const struct run_device *device)
{
	const struct steps *steps = &scan->steps;
	return is_bool(&scan->empty) && is_bool(&scan->by_period) && is_bool(&scan->by_graphs) &&
		   is_bool(&scan->by_optimizer) && is_bool(&scan->any_before) &&
		   is_bool(&scan->left_before) && is_bool(&steps->numbered) &&
		   is_bool(&scan->calibration.shared) && (unsigned)steps->form <= MARKER_NAMED &&
		   memchr(steps->unit, 0, sizeof(steps->unit)) &&
		   memchr(steps->loop.thread, 0, sizeof(steps->loop.thread)) &&
		   is_bool(&scan->other.instead) && (unsigned)scan->other.way <= WAY_PERIOD &&
		   steps->n_steps >= 0 && (scan->process == 0 || scan->process < device->n_processes);
}

static bool markers_ok(const struct steps *steps)
{
	for (size_t i = 0; i < steps->n_markers; i++)
		if (!is_bool(&steps->markers[i].partial) || !is_time(steps->markers[i].begin_ns))
			return false;
	return steps_in_order(steps);
}

static bool times_ok(const struct device_scan *scan, uint64_t ends)
{
	if (scan->empty)
		return scan->steps.n_steps == 0 || ends > 0;
	if (!is_time(scan->hull_from) || !is_time(scan->hull_to) || !is_time(scan->window_from) ||
		!is_time(scan->window_to) || (scan->steps.n_steps > 0 && ends == 0))
		return false;
	for (int32_t i = 0; scan->steps.n_steps && i <= scan->steps.n_steps; i++)
		if (!is_time(scan->ends[i]))
			return false;
	return windows_tile(scan);
}

/* The arrays that belong to *scan. */
static int take_arrays(const struct bytes *from, size_t *at, struct device_scan *scan,
					   uint64_t n_markers)
{
	uint64_t ends = 0;
	int error = take_array(from, at, (void **)&scan->steps.markers, n_markers,
						   sizeof(*scan->steps.markers));
	if (error)
		return error;
	scan->steps.n_markers = (size_t)n_markers;
	if (!markers_ok(&scan->steps))
		return -EBADMSG;
	error = bytes_take(from, at, &ends, sizeof(ends));
	if (!error && ends != 0 && ends != (uint64_t)scan->steps.n_steps + 2)
		return -EBADMSG;
	if (!error)
		error = take_array(from, at, (void **)&scan->ends, ends, sizeof(*scan->ends));
	return error || times_ok(scan, ends) ? error : -EBADMSG;
}

static int take_scan(const struct bytes *from, size_t *at, const struct shared *shared, int rank)
{
	struct device_scan plain;
	int error = bytes_take(from, at, &plain, sizeof(plain));
	if (error || !is_told_by(shared, plain.device, rank) ||
		!fields_ok(&plain, &shared->run->devices[plain.device]))
		return -EBADMSG;
	const uint64_t n_markers = plain.steps.n_markers;
	struct device_scan *scan = (struct device_scan *)shared->all + plain.device;
	steps_free(&scan->steps);
	free(scan->ends);
	plain.steps.markers = NULL;
	plain.steps.n_markers = 0;
	plain.ends = plain.late_ns = NULL;
	plain.first_launch = NULL;
	plain.given = NULL;
	*scan = plain;
	return take_arrays(from, at, scan, n_markers);
}

static int share_all(const struct shared *shared, int error)
{
	const struct team *team = team_here();
	struct bytes mine = {0};
	struct team_told told;
	if (!team)
		return error;
	for (size_t i = 0; !error && i < shared->run->n_devices; i++)
		error = share_has(i) ? shared->put(&mine, i, shared->all) : 0;
	error = team_tell(&mine, error, 1, &told);
	for (int r = 0; !error && r < told.n; r++)
		for (size_t at = 0; r != team->rank && !error && at < told.of[r].n;)
			error = settled(shared->take(&told.of[r], &at, shared, r));
	team_told_free(&told);
	return error;
}

int share_scans(const struct run *run, struct device_scan *scans, int error)
{
	return share_all(&(struct shared){run, scans, put_scan, take_scan}, error);
}

/* ---- proposals of steps ---- */

static int put_proposals(struct bytes *to, size_t device, const void *proposals)
{
	const struct proposals *all = (const struct proposals *)proposals + device;
	int error = bytes_put(to, &device, sizeof(device));
	if (!error)
		error = bytes_put(to, &all->n, sizeof(all->n));
	for (size_t i = 0; !error && i < all->n; i++) {
		error = bytes_put(to, &all->at[i], sizeof(all->at[i]));
		if (!error)
			error = bytes_put(to, all->at[i].begins, all->at[i].n * sizeof(int64_t));
	}
	return error;
}

static int take_proposal(const struct bytes *from, size_t *at, struct proposal *proposal)
{
	int error = bytes_take(from, at, proposal, sizeof(*proposal));
	proposal->begins = NULL;
	if (!error)
		error = take_array(from, at, (void **)&proposal->begins, proposal->n,
						   sizeof(*proposal->begins));
	for (uint32_t i = 0; !error && i < proposal->n; i++)
		if (!is_time(proposal->begins[i]))
			error = -EBADMSG;
	return error || is_time(proposal->end_ns) ? error : -EBADMSG;
}

static int take_proposals(const struct bytes *from, size_t *at, const struct shared *shared,
						  int rank)
{
	size_t device = 0;
	uint64_t many = 0;
	int error = bytes_take(from, at, &device, sizeof(device));
	if (!error)
		error = bytes_take(from, at, &many, sizeof(many));
	if (error || !is_told_by(shared, device, rank) ||
		many > (from->n - *at) / sizeof(struct proposal))
		return -EBADMSG;
	struct proposals *into = (struct proposals *)shared->all + device;
	proposals_free(into); /* told twice: the last one counts */
	into->at = calloc(many + 1, sizeof(*into->at));
	if (!into->at)
		return -ENOMEM;
	while (!error && into->n < many)
		error = take_proposal(from, at, &into->at[into->n++]);
	return error;
}

int share_proposals(const struct run *run, struct proposals *proposals, int error)
{
	return share_all(&(struct shared){run, proposals, put_proposals, take_proposals}, error);
}

/* ---- summaries, as their files ---- */

static int put_summary(struct bytes *to, struct summary *summary)
{
	char chunk[1 << 16];
	const int file = memfd_create("baton", MFD_CLOEXEC);
	const int copy = file < 0 ? -1 : dup(file);
	int error = copy < 0 ? -errno : 0;
	summary_sort(summary);
	if (!error)
		error = summary_write(copy, summary, ""); /* closes it */
	off_t at = 0;
	for (ssize_t n = 1; !error && n > 0; at += n) {
		n = pread(file, chunk, sizeof(chunk), at);
		error = n < 0 ? -errno : bytes_put(to, chunk, (size_t)n);
	}
	if (file >= 0)
		close(file);
	return error;
}

static int write_all(int file, const struct bytes *from)
{
	for (size_t at = 0; at < from->n;) {
		const ssize_t n = write(file, from->at + at, from->n - at);
		if (n < 0 && errno != EINTR)
			return -errno;
		at += n < 0 ? 0 : (size_t)n;
	}
	return 0;
}

static int take_summary(const struct bytes *from, struct summary *sum)
{
	char path[64];
	struct summary part;
	const int file = memfd_create("baton", MFD_CLOEXEC);
	int error = file < 0 ? -errno : write_all(file, from);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (!error)
		error = summary_load_alone(path, "", &part);
	if (file >= 0)
		close(file);
	if (error)
		return error;
	error = summary_merge(sum, &part);
	summary_free(&part);
	return error;
}

static int take_all(const struct team_told *told, struct summary *sum)
{
	int error = summary_init(sum);
	for (int r = 0; !error && r < told->n; r++)
		error = take_summary(&told->of[r], sum);
	return error;
}

static int replace_collectives(struct device_context *context, const struct summary *all)
{
	struct collectives *table;
	const int error = collectives_open(&table);
	if (error)
		return error;
	collectives_close(context->collectives);
	context->collectives = table;
	return meetings_load(table, context->run, all);
}

int share_meetings(struct device_context *context, int error)
{
	struct bytes message = {0};
	struct team_told told;
	struct summary mine, all = {0};
	if (!team_here())
		return error;
	if (!error)
		error = summary_init(&mine);
	if (!error) {
		error = meetings_store(context->collectives, context->run, &mine);
		error = error ? error : put_summary(&message, &mine);
		summary_free(&mine);
	}
	error = team_tell(&message, error, 1, &told);
	if (!error)
		error = settled(take_all(&told, &all));
	if (!error)
		error = settled(replace_collectives(context, &all));
	summary_free(&all);
	team_told_free(&told);
	return error;
}

static int put_damage(struct bytes *to, const struct damage_log *damage)
{
	const struct damage_place *places;
	const size_t n = damage_log_places(damage, &places);
	const int error = bytes_put(to, &n, sizeof(n));
	return error ? error : bytes_put(to, places, n * sizeof(*places));
}

/* Off the front of the message. */
static int take_damage(struct bytes *from, struct damage_log *damage)
{
	void *places = NULL;
	uint64_t n = 0;
	size_t at = 0;
	int error = bytes_take(from, &at, &n, sizeof(n));
	if (!error)
		error = take_array(from, &at, &places, n, sizeof(struct damage_place));
	if (!error)
		damage_log_join(damage, places, (size_t)n);
	free(places);
	from->n -= at;
	if (from->n)
		memmove(from->at, from->at + at, from->n);
	return error;
}

int share_summary(struct summary *summary, struct damage_log *damage, int error)
{
	const struct team *team = team_here();
	struct bytes message = {0};
	struct team_told told;
	if (!team)
		return error;
	if (!error)
		error = put_damage(&message, damage);
	if (!error)
		error = put_summary(&message, summary);
	error = team_tell(&message, error, 0, &told);
	for (int r = 0; !error && r < told.n; r++)
		error = take_damage(&told.of[r], damage);
	if (!error && team->rank == 0) {
		summary_free(summary);
		error = take_all(&told, summary);
	}
	team_told_free(&told);
	share_leave();
	return error;
}
