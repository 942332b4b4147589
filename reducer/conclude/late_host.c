#include "conclude/late_host.h"

#include "conclude/lateness.h"

#include <errno.h>
#include <stdlib.h>

struct host_row { /* its ranks together */
	struct device_host host;
	uint32_t ranks;
	struct late_summary sum;
	const struct late_summary *worst;
};

struct host_rows {
	struct host_row *at;
	size_t n;
};

static size_t device_of(const struct summary *summary, const struct late_summary *late)
{
	size_t i = 0;
	while (i < summary->n_devices && summary->devices[i].key != late->device)
		i++;
	return i;
}

/* Rows stand by device: the next one's host is mostly the last. */
static struct host_row *row_of(struct host_rows *rows, struct device_host host)
{
	for (size_t i = rows->n; i-- > 0;)
		if (device_host_same(rows->at[i].host, host))
			return &rows->at[i];
	rows->at[rows->n] = (struct host_row){.host = host};
	return &rows->at[rows->n++];
}

static void add_rank(struct host_row *row, const struct late_summary *late)
{
	row->ranks++;
	row->sum.last += late->last;
	row->sum.taken += late->taken;
	row->sum.caused_ns += late->caused_ns;
	if (!row->worst || late->caused_ns > row->worst->caused_ns)
		row->worst = late;
}

/* Last more often than its ranks should be, and at least half-way from its ranks' part in the
 * collectives to all of the wait. */
static bool is_late(const struct host_row *row, const struct lateness *all)
{
	__int128 caused = row->sum.caused_ns;
	return row->ranks > 1 && late_is_significant(&row->sum, all) &&
		   2 * caused * (__int128)all->taken >=
			   all->caused_ns * (__int128)(all->taken + row->sum.taken);
}

static void describe(const struct summary *summary, const struct host_row *row, int64_t wait_ns,
					 const struct lateness *all, struct straggler *s)
{
	const int64_t devices = (int64_t)summary->n_devices;
	*s = (struct straggler){.device = device_of(summary, row->worst),
							.rank = row->worst->rank,
							.late = row->worst,
							.host = row->host,
							.persistent = true};
	s->caused_ns = row->sum.caused_ns;
	s->wait_ns = (int64_t)((__int128)wait_ns * row->sum.caused_ns / all->caused_ns);
	s->late_ns = (int64_t)((__int128)s->wait_ns * devices / (devices - 1));
}

bool late_host_is_wider(const struct summary *summary, const struct straggler *host,
						const struct straggler *ranks, size_t n)
{
	__int128 caused = 0, taken = 0, of_host = 0;
	for (size_t i = 0; i < n; i++) {
		if (!device_host_same(device_host(summary, ranks[i].device), host->host))
			return false;
		caused += ranks[i].late->caused_ns;
		taken += ranks[i].late->taken;
	}
	for (size_t i = 0; i < summary->n_late; i++) {
		size_t device = device_of(summary, &summary->late[i]);
		if (device < summary->n_devices &&
			device_host_same(device_host(summary, device), host->host))
			of_host += summary->late[i].taken;
	}
	return 2 * caused * of_host < host->caused_ns * (of_host + taken);
}

int late_host_find(const struct summary *summary, int64_t wait_ns, struct straggler *s, bool *found)
{
	const struct lateness all = lateness_of(summary->late, summary->n_late);
	struct host_rows rows = {.at = calloc(summary->n_late + 1, sizeof(*rows.at))};
	*found = false;
	if (!rows.at)
		return -ENOMEM;
	for (size_t i = 0; i < summary->n_late; i++) {
		size_t device = device_of(summary, &summary->late[i]);
		if (device < summary->n_devices)
			add_rank(row_of(&rows, device_host(summary, device)), &summary->late[i]);
	}
	for (size_t i = 0; !*found && rows.n > 1 && i < rows.n; i++) {
		*found = is_late(&rows.at[i], &all);
		if (*found)
			describe(summary, &rows.at[i], wait_ns, &all, s);
	}
	free(rows.at);
	return 0;
}
