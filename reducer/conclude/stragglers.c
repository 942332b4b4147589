#include "conclude/stragglers.h"

#include "base/room.h"
#include "base/sort.h"
#include "conclude/late_steps.h"
#include "conclude/lateness.h"
#include "conclude/replay_late.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Fewer say too little about one that is last no more often than it should. */
enum { LEAST_STEPS = 8, LEAST_COLLECTIVES = 32 };

int64_t straggler_share(const struct straggler *s)
{
	int64_t sum = s->wait_ns;
	for (int kind = 0; kind < TIME_KINDS; kind++)
		sum += s->taken_ns[kind];
	return sum;
}

static int by_difference(const void *a, const void *b)
{
	const struct excess *x = a, *y = b;
	int64_t xs = x->own_ns - x->others_ns, ys = y->own_ns - y->others_ns;
	if (xs != ys)
		return xs > ys ? -1 : 1;
	return strcmp(x->kind->name, y->kind->name);
}

bool straggler_has(const struct straggler *s, const struct summary *summary, size_t device)
{
	return s->host.at ? device_host_same(s->host, device_host(summary, device))
					  : device == s->device;
}

int64_t straggler_devices(const struct straggler *s, const struct summary *summary)
{
	int64_t n = 0;
	for (size_t i = 0; i < summary->n_devices; i++)
		n += straggler_has(s, summary, i);
	return n;
}

int straggler_compare(const struct straggler *s, const struct summary *summary, uint64_t leaves,
					  struct excess *e)
{
	int64_t *others = malloc((summary->n_devices + 1) * sizeof(*others));
	__int128 own = 0;
	size_t n = 0;
	if (!others)
		return -ENOMEM;
	for (size_t i = 0; i < summary->n_devices; i++) {
		int64_t ns = figures_device_time(&summary->devices[i], leaves);
		if (straggler_has(s, summary, i))
			own += ns;
		else
			others[n++] = ns;
	}
	e->own_ns = n < summary->n_devices ? (int64_t)(own / (int64_t)(summary->n_devices - n)) : 0;
	e->others_ns = figures_median(others, n);
	free(others);
	return 0;
}

bool straggler_is_apart(const struct straggler *s, const struct summary *summary)
{
	return s->culprit && summary->n_nccl == 0;
}

int64_t straggler_of_own_step(const struct straggler *s, const struct summary *summary, int64_t ns)
{
	const int64_t own = straggler_devices(s, summary);
	if (!straggler_is_apart(s, summary) || own == 0)
		return ns;
	const __int128 all_ns = (__int128)ns * (int64_t)summary->n_devices / own;
	return all_ns < INT64_MAX ? (int64_t)all_ns : INT64_MAX;
}

/* Its own time that the others do not have, the largest first, until as much is found as it is
 * late: what is beyond that has not held anybody up. */
static int explain(const struct summary *summary, struct straggler *s)
{
	struct excess all[TIME_KINDS];
	const int64_t devices = (int64_t)summary->n_devices, own = straggler_devices(s, summary);
	int64_t left = straggler_of_own_step(s, summary, s->late_ns);
	size_t n = 0;
	for (int k = 0; k < TIME_KINDS; k++) {
		struct excess e = {.kind = &finding_kinds[k]};
		if (e.kind->leaves & LEAVES_NCCL)
			continue;
		int error = straggler_compare(s, summary, e.kind->leaves, &e);
		if (error)
			return error;
		if (e.own_ns > e.others_ns)
			all[n++] = e;
	}
	sort_rows(all, n, sizeof(*all), by_difference);
	for (size_t i = 0; i < n; i++) {
		struct excess *e = &all[i];
		int64_t more = e->own_ns - e->others_ns, take = more < left ? more : left;
		left -= take;
		e->taken_ns = (int64_t)((__int128)take * own / devices);
		s->taken_ns[finding_kind_id(e->kind)] = e->taken_ns;
		if (i < EXCESSES && take > 0)
			s->excess[i] = *e;
	}
	return 0;
}

/* The kind that the replay names comes first, also if the device has no more of it than others
 * (threads of one process that wait for its lock, a loader's stall that another thread waits for). */
static int name_first(const struct summary *summary, struct straggler *s)
{
	const struct finding_kind *kind = replay_kind(summary, s->culprit);
	struct excess found = {.kind = kind};
	int i = 0;
	if (!kind || s->excess[0].kind == kind)
		return 0;
	while (i < EXCESSES - 1 && s->excess[i].kind != kind)
		i++;
	if (s->excess[i].kind == kind)
		found = s->excess[i];
	else if (straggler_compare(s, summary, kind->leaves, &found) != 0)
		return -ENOMEM;
	memmove(&s->excess[1], &s->excess[0], (size_t)i * sizeof(found));
	s->excess[0] = found;
	return 0;
}

static int64_t at_most(int64_t ns, int64_t most_ns)
{
	return ns < 0 || most_ns < 0 ? 0 : ns < most_ns ? ns : most_ns;
}

static int append(struct stragglers *all, const struct straggler *s)
{
	if (room_next((void **)&all->at, all->n, sizeof(*all->at)) != 0)
		return -ENOMEM;
	all->at[all->n++] = *s;
	return 0;
}

static int add(struct stragglers *all, const struct summary *summary, struct straggler *s)
{
	int error = explain(summary, s);
	return error ? error : append(all, s);
}

/* Told from NCCL time that is not split, in which `waiting` devices wait: only if its own time
 * explains at least half of that. */
static int add_explained(struct stragglers *all, const struct summary *summary, struct straggler *s,
						 size_t waiting)
{
	const int64_t devices = (int64_t)summary->n_devices;
	s->wait_ns = (int64_t)((__int128)s->late_ns * (int64_t)waiting / devices);
	int error = explain(summary, s);
	int64_t own = straggler_share(s) - s->wait_ns;
	return error || 2 * own * devices < s->late_ns ? error : append(all, s);
}

/* More than its outlying steps can explain: then it is late in ordinary ones too. */
static bool late_in_most_steps(const struct device_summary *device, int64_t late_ns)
{
	int64_t mean = device->steps > 0 ? device->window_ns / device->steps : 0;
	return device->steps >= LEAST_STEPS &&
		   late_ns / 2 > mean - counts_percentile(&device->step_ns, 50);
}

static bool is_persistent(const struct straggler *s, const struct device_summary *device,
						  const struct lateness *sum)
{
	bool most = late_causes_most(s->late, sum);
	if (late_is_significant(s->late, sum))
		return most || late_is_mostly_last(s->late, sum);
	return most && s->late->taken >= LEAST_COLLECTIVES && late_in_most_steps(device, s->late_ns);
}

/* The others have waited wait_ns for what some ranks caused: each of them longer, as the late one
 * itself does not wait. */
static int64_t late_of_wait(const struct summary *summary, int64_t wait_ns)
{
	const int64_t devices = (int64_t)summary->n_devices;
	return (int64_t)((__int128)wait_ns * devices / (devices - 1));
}

static int add_host(struct stragglers *all, const struct summary *summary, int64_t wait_ns,
					const struct late_host *host)
{
	const struct lateness sum = lateness_of(summary->late, summary->n_late);
	struct straggler s = {.device = late_device(summary, host->worst),
						  .rank = host->worst->rank,
						  .late = host->worst,
						  .host = host->host,
						  .persistent = true,
						  .caused_ns = host->sum.caused_ns};
	s.wait_ns = (int64_t)((__int128)wait_ns * host->sum.caused_ns / sum.caused_ns);
	s.late_ns = late_of_wait(summary, s.wait_ns);
	return add(all, summary, &s);
}

/* Nobody is persistently late: a host may be, now by one of its ranks, now by another. */
static int add_seldom(struct stragglers *all, const struct summary *summary, int64_t wait_ns,
					  struct straggler *seldom)
{
	const struct lateness sum = lateness_of(summary->late, summary->n_late);
	struct late_host host;
	int error = late_host_find(summary, &sum, &host);
	if (error)
		return error;
	if (host.worst)
		return add_host(all, summary, wait_ns, &host);
	if (!seldom->late || seldom->late_ns == 0)
		return 0;
	seldom->wait_ns = wait_ns;
	return add(all, summary, seldom);
}

/* Ranks of one host that are late beside others of it: the host is. */
static int widen(struct stragglers *all, const struct summary *summary, int64_t wait_ns)
{
	const struct lateness sum = lateness_of(summary->late, summary->n_late);
	const struct late_summary **ranks = malloc(all->n * sizeof(*ranks));
	struct late_host host;
	int error = ranks ? late_host_find(summary, &sum, &host) : -ENOMEM;
	for (size_t i = 0; ranks && i < all->n; i++)
		ranks[i] = all->at[i].late;
	if (!error && host.worst && late_host_is_wider(summary, &host, ranks, all->n)) {
		all->n = 0;
		error = add_host(all, summary, wait_ns, &host);
	}
	free(ranks);
	return error;
}

struct late_ranks {
	const struct summary *summary;
	const struct figures *f;
	struct lateness sum;
	struct stragglers *all;
	struct straggler seldom; /* causes most of the wait, but not persistently */
};

/* The exposed wait is shared out by what each rank caused: some of that may be hidden under
 * compute. False: nothing. */
static bool straggler_of(const struct late_ranks *r, const struct late_summary *late,
						 struct straggler *s)
{
	*s = (struct straggler){.device = late_device(r->summary, late),
							.rank = late->rank,
							.late = late,
							.caused_ns = late->caused_ns};
	if (s->device == r->summary->n_devices || late->caused_ns <= 0)
		return false;
	s->wait_ns =
		(int64_t)((__int128)r->f->time_ns[LEAF_NCCL_WAIT] * late->caused_ns / r->sum.caused_ns);
	s->late_ns = late_of_wait(r->summary, s->wait_ns);
	return true;
}

/* By how often each rank is last into its collectives: for runs of few steps. */
static int find_by_count(struct late_ranks *r)
{
	int error = 0;
	for (size_t i = 0; !error && i < r->summary->n_late; i++) {
		struct straggler s;
		if (!straggler_of(r, &r->summary->late[i], &s))
			continue;
		s.persistent = is_persistent(&s, &r->summary->devices[s.device], &r->sum);
		if (s.persistent)
			error = add(r->all, r->summary, &s);
		else if (late_causes_most(s.late, &r->sum))
			r->seldom = s;
	}
	return error;
}

/* By what each causes in each step: the one with most, and when that one is late the next. */
static int find_by_step(struct late_ranks *r, struct late_steps *steps)
{
	int error = 0;
	for (size_t i; !error && (i = late_steps_largest(steps)) < steps->n_columns;) {
		struct straggler s;
		if (!straggler_of(r, &r->summary->late[i], &s) || 50 * s.late_ns < r->f->step_ns)
			break;
		error = late_steps_test(steps, i, &s.persistent);
		if (error || !s.persistent)
			break;
		steps->out[i] = true;
		error = add(r->all, r->summary, &s);
	}
	for (size_t i = 0; i < steps->n_columns; i++) {
		struct straggler s;
		if (!steps->out[i] && straggler_of(r, &r->summary->late[i], &s) &&
			late_causes_most(s.late, &r->sum))
			r->seldom = s;
	}
	return error;
}

/* A rank that causes most of the wait now and then has all of it that nobody has persistently. */
static int add_late(struct stragglers *all, const struct summary *summary, const struct figures *f)
{
	struct late_ranks r = {
		summary, f, lateness_of(summary->late, summary->n_late), all, {.late = NULL}};
	const int64_t wait = f->time_ns[LEAF_NCCL_WAIT];
	struct late_steps steps;
	if (r.sum.caused_ns <= 0)
		return 0;
	int error = late_steps_open(&steps, summary, NULL, 0);
	if (!error && steps.n_steps >= LATE_STEPS_LEAST)
		error = find_by_step(&r, &steps);
	else if (!error)
		error = find_by_count(&r);
	late_steps_close(&steps);
	if (error)
		return error;
	return all->n ? widen(all, summary, wait) : add_seldom(all, summary, wait, &r.seldom);
}

static bool known(const struct stragglers *all, size_t device)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].device == device)
			return true;
	return false;
}

/* NCCL that is not split: the device that has least of it arrives last, if its own time says so
 * too: it has more of that than the others, at least half of what they have more of NCCL. */
static int add_unsplit(struct stragglers *all, const struct summary *summary)
{
	const struct finding_kind *unsplit = &finding_kinds[FINDING_UNSPLIT];
	size_t least = 0;
	int64_t others;
	for (size_t i = 1; i < summary->n_devices; i++)
		if (figures_device_time(&summary->devices[i], unsplit->leaves) <
			figures_device_time(&summary->devices[least], unsplit->leaves))
			least = i;
	int error = loss_median_of_others(summary, unsplit, least, &others);
	int64_t late_ns = others - figures_device_time(&summary->devices[least], unsplit->leaves);
	if (!error && all->pipeline.stages) {
		int64_t cost_ns;
		error = pipeline_cost(&all->pipeline, summary, least, &cost_ns);
		late_ns = cost_ns < late_ns ? cost_ns : late_ns;
	}
	if (error || late_ns <= 0 || known(all, least))
		return error;
	const struct device_summary *device = &summary->devices[least];
	struct straggler s = {.device = least,
						  .rank = device->n_processes ? device->ranks[0] : -1,
						  .persistent = true,
						  .late_ns = late_ns};
	return add_explained(all, summary, &s, summary->n_devices - 1);
}

struct partial { /* collectives with members that are not here */
	const struct summary *summary;
	struct lateness all, here;
	bool *member; /* devices that are in one */
};

/* 0 or -ENOMEM; free(partial->member) */
static int partial_open(struct partial *partial, const struct summary *summary)
{
	const struct late_summary *rows = summary->partial;
	*partial = (struct partial){.summary = summary,
								.all = lateness_of(rows, summary->n_partial),
								.here = lateness_of_here(rows, summary->n_partial),
								.member = calloc(summary->n_devices + 1, sizeof(bool))};
	if (!partial->member)
		return -ENOMEM;
	for (size_t i = 0; i < summary->n_partial; i++)
		if (rows[i].device)
			partial->member[late_device(summary, &rows[i])] = true;
	return 0;
}

/* The median of the other members; n: how many they are. 0 or -ENOMEM. */
static int median_of_members(const struct partial *partial, const struct finding_kind *kind,
							 size_t except, int64_t *ns, size_t *n)
{
	const struct summary *summary = partial->summary;
	int64_t *values = malloc((summary->n_devices + 1) * sizeof(*values));
	*n = 0;
	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < summary->n_devices; i++)
		if (i != except && partial->member[i])
			values[(*n)++] = figures_device_time(&summary->devices[i], kind->leaves);
	*ns = figures_median(values, *n);
	free(values);
	return 0;
}

/* The last of those that are here, if it is late by what the other members have more of NCCL, and
 * by its own time too. */
static int add_last_here(struct stragglers *all, const struct partial *partial,
						 const struct late_summary *late)
{
	const struct summary *summary = partial->summary;
	const struct finding_kind *unsplit = &finding_kinds[FINDING_UNSPLIT];
	size_t waiting;
	struct straggler s = {.device = late_device(summary, late),
						  .rank = late->rank,
						  .late = late,
						  .partial = true,
						  .caused_ns = late->caused_ns};
	int64_t others;
	if (s.device == summary->n_devices || known(all, s.device))
		return 0;
	int error = median_of_members(partial, unsplit, s.device, &others, &waiting);
	if (error)
		return error;
	s.late_ns = others - figures_device_time(&summary->devices[s.device], unsplit->leaves);
	s.persistent = is_persistent(&s, &summary->devices[s.device], &partial->here);
	return s.late_ns <= 0 || !s.persistent ? 0 : add_explained(all, summary, &s, waiting);
}

/* More often than a fair draw would make it; or, late into the first of many collectives of a step,
 * in every second step, which says nothing of those who are most of the members. */
static bool is_often_missing(const struct late_summary *late, const struct lateness *sum,
							 int64_t steps)
{
	return late_is_significant(late, sum) ||
		   (2 * late->taken <= sum->taken && late->last >= LEAST_STEPS &&
			2 * (int64_t)late->last >= steps);
}

/* The missing ones together, as the ranks of a host: late when they are often last, and their part
 * of all wait is at least half-way from their part in the collectives to all. What they cost is
 * taken in proportion: what of it no compute hides is not told. */
static int add_missing(struct stragglers *all, const struct partial *partial,
					   const struct figures *f, const struct late_summary *late)
{
	const struct summary *summary = partial->summary;
	const struct lateness *sum = &partial->all;
	const __int128 caused = late->caused_ns;
	__int128 unsplit_ns = 0;
	struct straggler s = {.device = summary->n_devices,
						  .rank = -1,
						  .late = late,
						  .partial = true,
						  .missing = true,
						  .persistent = true,
						  .caused_ns = late->caused_ns};
	if (!is_often_missing(late, sum, f->steps) ||
		2 * caused * (__int128)sum->taken < sum->caused_ns * (__int128)(sum->taken + late->taken))
		return 0;
	for (size_t i = 0; i < summary->n_nccl; i++)
		unsplit_ns += summary->nccl[i].unsplit_ns;
	if (unsplit_ns < caused)
		return 0;
	s.wait_ns = (int64_t)(f->time_ns[LEAF_NCCL_UNSPLIT] * caused / unsplit_ns);
	s.late_ns = s.wait_ns; /* all devices wait */
	return append(all, &s);
}

static int add_partial(struct stragglers *all, const struct summary *summary,
					   const struct figures *f)
{
	struct partial partial;
	int error = partial_open(&partial, summary);
	for (size_t i = 0; !error && partial.all.caused_ns > 0 && i < summary->n_partial; i++) {
		const struct late_summary *late = &summary->partial[i];
		if (late->caused_ns <= 0)
			continue;
		if (late->device)
			error = add_last_here(all, &partial, late);
		else if (lateness_sees_missing(&summary->quality))
			error = add_missing(all, &partial, f, late);
	}
	free(partial.member);
	return error;
}

bool straggler_of_culprit(const struct summary *summary, const struct culprit_summary *culprit,
						  struct straggler *s)
{
	const size_t device = replay_device(summary, culprit);
	if (device == summary->n_devices)
		return false;
	const struct device_summary *row = &summary->devices[device];
	*s = (struct straggler){.device = device,
							.rank = row->n_processes ? row->ranks[0] : -1,
							.late = replay_late_row(summary, device),
							.culprit = culprit,
							.persistent = true,
							.late_ns = replay_total(summary, culprit).gain_ns};
	if (culprit->device && culprit->rank >= 0)
		s->rank = culprit->rank;
	if (!culprit->device)
		s->host = device_host(summary, device);
	s->caused_ns = s->late ? s->late->caused_ns : 0;
	return true;
}

/* What the replay found. The gain of each is on top of those before it, and its share is that gain:
 * its own time, then the wait of the others, and the transfers that they have no work left to hide
 * under. */
static int add_replayed(struct stragglers *all, const struct summary *summary,
						const struct figures *f)
{
	int64_t wait_ns = f->time_ns[LEAF_NCCL_WAIT], transfer_ns = f->time_ns[LEAF_NCCL_TRANSFER];
	int64_t unsplit_ns = f->time_ns[LEAF_NCCL_UNSPLIT];
	for (size_t i = 0; i < summary->n_culprits; i++) {
		struct straggler s;
		if (!straggler_of_culprit(summary, &summary->culprits[i], &s) || known(all, s.device))
			continue;
		int error = explain(summary, &s);
		error = error ? error : name_first(summary, &s);
		if (error)
			return error;
		int64_t left_ns = s.late_ns - straggler_share(&s);
		if (s.late) {
			s.wait_ns = at_most(left_ns, wait_ns);
			s.taken_ns[FINDING_TRANSFER] = at_most(left_ns - s.wait_ns, transfer_ns);
			wait_ns -= s.wait_ns;
			transfer_ns -= s.taken_ns[FINDING_TRANSFER];
			left_ns -= s.wait_ns + s.taken_ns[FINDING_TRANSFER];
			s.taken_ns[FINDING_UNSPLIT] = at_most(left_ns, unsplit_ns);
			unsplit_ns -= s.taken_ns[FINDING_UNSPLIT];
			left_ns -= s.taken_ns[FINDING_UNSPLIT];
		}
		s.wait_ns += left_ns > 0 ? left_ns : 0;
		error = append(all, &s);
		if (error)
			return error;
	}
	return 0;
}

/* That a device waits for another one of its process is the program's order to the replay, and so
 * it is no cause. */
static int add_waiting(struct stragglers *all, const struct summary *summary,
					   const struct figures *f)
{
	const int error = f->time_ns[LEAF_NCCL_UNSPLIT] > 0 ? add_unsplit(all, summary) : 0;
	if (all->n && all->at[0].excess[0].kind != &finding_kinds[FINDING_DEPENDENCY])
		all->n = 0;
	return error;
}

static int by_wait(const void *a, const void *b)
{
	const struct straggler *x = a, *y = b;
	if (x->wait_ns != y->wait_ns)
		return x->wait_ns > y->wait_ns ? -1 : 1;
	return x->device < y->device ? -1 : x->device > y->device;
}

int stragglers_open(struct stragglers *all, const struct summary *summary, const struct figures *f)
{
	*all = (struct stragglers){0};
	if (summary->n_devices < 2)
		return 0;
	int error = pipeline_find(summary, f, &all->pipeline);
	if (!error && replay_knows(summary))
		error = add_replayed(all, summary, f);
	if (error || all->n > 0)
		return error;
	if (replay_clears(summary))
		return replay_finds_none(summary) ? add_waiting(all, summary, f) : 0;
	error = add_late(all, summary, f);
	if (error)
		return error;
	if (f->time_ns[LEAF_NCCL_UNSPLIT] > 0 && summary->run.n_missing_ranks == 0)
		error = add_unsplit(all, summary);
	else if (f->time_ns[LEAF_NCCL_UNSPLIT] > 0)
		error = add_partial(all, summary, f);
	sort_rows(all->at, all->n, sizeof(*all->at), by_wait);
	return error;
}

void stragglers_close(struct stragglers *all)
{
	free(all->at);
	*all = (struct stragglers){0};
}
