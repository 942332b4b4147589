#include "conclude/lateness.h"

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
