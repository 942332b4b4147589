#include "conclude/lateness.h"

#include "conclude/late_steps.h"

#include <errno.h>
#include <stdlib.h>

/* Of collectives in which a rank is last: fewer say too little. */
enum { LEAST_LAST = 5 };

struct lateness lateness_of(const struct late_summary *rows, size_t n)
{
	struct lateness all = {0}, nothing = {0};
	for (size_t i = 0; i < n; i++) {
		if ((rows[i].taken | all.taken) >> 50 || rows[i].last > rows[i].taken)
			return nothing; /* not a run: a damaged summary */
		all.last += rows[i].last;
		all.taken += rows[i].taken;
		all.caused_ns += rows[i].caused_ns;
	}
	return all.taken >> 50 ? nothing : all;
}

struct lateness lateness_of_here(const struct late_summary *rows, size_t n)
{
	struct lateness here = lateness_of(rows, n);
	for (size_t i = 0; here.taken && i < n; i++)
		if (!rows[i].device) {
			here.last -= rows[i].last;
			here.taken -= rows[i].taken;
		}
	return here;
}

bool lateness_sees_missing(const struct quality *quality)
{
	return !quality->truncated_files && !quality->unreadable_files && !quality->in_flight &&
		   !quality->dropped;
}

/* In five collectives or more, and more often than a fair draw would make it: that makes it last in
 * taken x p of its collectives, p = all.last / all.taken (1 / members when all are of one size),
 * with variance taken x p x (1 - p). At least sqrt(6) deviations above: 6 of 6 with two ranks. In
 * 16ths, so that few collectives count exactly enough. */
bool late_is_significant(const struct late_summary *late, const struct lateness *all)
{
	if (all->taken == 0 || late->last < LEAST_LAST || late->last > late->taken)
		return false;
	unsigned __int128 fair = (unsigned __int128)late->taken * all->last;
	int64_t expected16 = (int64_t)(16 * fair / all->taken);
	unsigned __int128 variance256 = 256 * fair / all->taken * (all->taken - all->last) / all->taken;
	__int128 above16 = (__int128)late->last * 16 - expected16;
	return above16 > 0 && (unsigned __int128)(above16 * above16) >= 6 * variance256;
}

/* last / taken >= (1 + p) / 2 */
bool late_is_mostly_last(const struct late_summary *late, const struct lateness *all)
{
	return late->taken > 0 && (unsigned __int128)2 * late->last * all->taken >=
								  (unsigned __int128)late->taken * (all->taken + all->last);
}

bool late_causes_most(const struct late_summary *late, const struct lateness *all)
{
	__int128 caused = late->caused_ns;
	return all->taken > 0 && all->caused_ns > 0 &&
		   2 * caused * (__int128)all->taken >= all->caused_ns * (__int128)(all->taken + all->last);
}

/* ---- hosts ---- */

struct host_rows {
	struct late_host *at;
	size_t n;
};

size_t late_device(const struct summary *summary, const struct late_summary *late)
{
	size_t i = 0;
	while (i < summary->n_devices && summary->devices[i].key != late->device)
		i++;
	return i;
}

/* Rows stand by device: the next one's host is mostly the last. */
static struct late_host *row_of(struct host_rows *rows, struct device_host host)
{
	for (size_t i = rows->n; i-- > 0;)
		if (device_host_same(rows->at[i].host, host))
			return &rows->at[i];
	rows->at[rows->n] = (struct late_host){.host = host};
	return &rows->at[rows->n++];
}

static void add_rank(struct late_host *row, const struct late_summary *late)
{
	row->ranks++;
	row->sum.last += late->last;
	row->sum.taken += late->taken;
	row->sum.caused_ns += late->caused_ns;
	if (!row->worst || late->caused_ns > row->worst->caused_ns)
		row->worst = late;
}

/* At least half-way from its ranks' part in the collectives to all of the wait. */
static bool host_causes_most(const struct late_host *row, const struct lateness *all)
{
	__int128 caused = row->sum.caused_ns;
	return row->ranks > 1 && 2 * caused * (__int128)all->taken >=
								 all->caused_ns * (__int128)(all->taken + row->sum.taken);
}

/* By step where there are enough steps; else it is last more often than its ranks should be. */
static int test_host(const struct late_steps *steps, const struct host_rows *rows, size_t host,
					 const struct lateness *all, bool *late)
{
	*late = late_is_significant(&rows->at[host].sum, all);
	return steps->n_steps < LATE_STEPS_LEAST ? 0 : late_steps_test(steps, host, late);
}

static int find_late(const struct summary *summary, const struct host_rows *rows,
					 const size_t *groups, const struct lateness *all, struct late_host *found)
{
	struct late_steps steps;
	int error = late_steps_open(&steps, summary, groups, rows->n + 1);
	if (!error)
		steps.out[rows->n] = true; /* ranks without a device */
	for (size_t i = 0; !error && !found->worst && rows->n > 1 && i < rows->n; i++) {
		bool late = false;
		if (host_causes_most(&rows->at[i], all))
			error = test_host(&steps, rows, i, all, &late);
		if (late)
			*found = rows->at[i];
	}
	late_steps_close(&steps);
	return error;
}

bool late_host_is_wider(const struct summary *summary, const struct late_host *host,
						const struct late_summary *const *ranks, size_t n)
{
	__int128 caused = 0, taken = 0;
	for (size_t i = 0; i < n; i++) {
		size_t device = late_device(summary, ranks[i]);
		if (!device_host_same(device_host(summary, device), host->host))
			return false;
		caused += ranks[i]->caused_ns;
		taken += ranks[i]->taken;
	}
	const __int128 of_host = host->sum.taken;
	return 2 * caused * of_host < host->sum.caused_ns * (of_host + taken);
}

int late_host_find(const struct summary *summary, const struct lateness *all,
				   struct late_host *found)
{
	struct host_rows rows = {.at = calloc(summary->n_late + 1, sizeof(*rows.at))};
	size_t *groups = calloc(summary->n_late + 1, sizeof(*groups));
	int error = rows.at && groups ? 0 : -ENOMEM;
	*found = (struct late_host){.worst = NULL};
	for (size_t i = 0; !error && i < summary->n_late; i++) {
		size_t device = late_device(summary, &summary->late[i]);
		groups[i] = SIZE_MAX;
		if (device == summary->n_devices)
			continue;
		struct late_host *row = row_of(&rows, device_host(summary, device));
		groups[i] = (size_t)(row - rows.at);
		add_rank(row, &summary->late[i]);
	}
	for (size_t i = 0; i < summary->n_late && !error; i++)
		groups[i] = groups[i] == SIZE_MAX ? rows.n : groups[i];
	if (!error)
		error = find_late(summary, &rows, groups, all, found);
	free(groups);
	free(rows.at);
	return error;
}
