#include "conclude/slow_link.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOWER_TENTHS = 11, /* a call takes so much longer, or its size is no matter of the link */
	ROW_PART = 100,     /* of all transfers: rows with less are not looked at */
	MATTERS = 200,      /* of the step */
	STANDS_OUT = 400    /* of the step: so much more than the next one has a rank with most */
};

/* The mean of a collective's calls of that kind and size; 0: there are none. */
static int64_t call_ns(const struct summary *s, const struct summary *of,
					   const struct nccl_summary *like)
{
	__int128 ns = 0, count = 0;
	const char *op = summary_text(of, like->op);
	for (size_t i = 0; i < s->n_nccl; i++) {
		const struct nccl_summary *row = &s->nccl[i];
		if (row->reason || row->bytes != like->bytes || row->members != like->members ||
			strcmp(summary_text(s, row->op), op) != 0)
			continue;
		ns += row->transfer_ns;
		count += (__int128)row->count;
	}
	return count > 0 ? (int64_t)(ns / count) : 0;
}

static __int128 all_transfers(const struct summary *s)
{
	__int128 sum = 0;
	for (size_t i = 0; i < s->n_nccl; i++)
		sum += s->nccl[i].transfer_ns;
	return sum;
}

/* What all calls take longer than in the other run: per step and device. *worst: with most of it,
 * of communicators of at most so many members. */
static int64_t slower_ns(const struct slow_link_sides *sides, size_t members,
						 const struct nccl_summary **worst)
{
	const struct summary *s = sides->slow;
	const __int128 all = all_transfers(s),
				   steps = (__int128)s->n_devices * sides->slow_figures->steps;
	__int128 sum = 0, most = 0;
	for (size_t i = 0; i < s->n_nccl; i++) {
		const struct nccl_summary *row = &s->nccl[i];
		if (row->reason || row->bytes < 0 || row->count == 0 || row->members < 2 ||
			ROW_PART * (__int128)row->transfer_ns < all)
			continue;
		const int64_t before_ns = call_ns(sides->other, s, row), now_ns = call_ns(s, s, row);
		if (before_ns == 0 || 10 * (__int128)now_ns < SLOWER_TENTHS * (__int128)before_ns)
			continue;
		const __int128 more = (__int128)(now_ns - before_ns) * (__int128)row->count;
		sum += more;
		if (more > most && row->members <= members) {
			most = more;
			*worst = row;
		}
	}
	return steps > 0 ? (int64_t)(sum / steps) : 0;
}

static int64_t transfer_of(const struct summary *s, size_t device)
{
	return figures_device_time(&s->devices[device], LEAF_BIT(LEAF_NCCL_TRANSFER));
}

struct transfers { /* of the devices */
	int64_t least_ns, most_ns;
	int64_t below_ns; /* how far the mean is below the most */
};

static struct transfers spread_of(const struct summary *s)
{
	struct transfers spread = {INT64_MAX, 0, 0};
	__int128 sum = 0;
	for (size_t i = 0; i < s->n_devices; i++) {
		const int64_t ns = transfer_of(s, i);
		spread.least_ns = ns < spread.least_ns ? ns : spread.least_ns;
		spread.most_ns = ns > spread.most_ns ? ns : spread.most_ns;
		sum += ns;
	}
	if (s->n_devices > 0)
		spread.below_ns = spread.most_ns - (int64_t)(sum / (int64_t)s->n_devices);
	return spread;
}

static int by_number(const void *a, const void *b)
{
	const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return x < y ? -1 : x > y;
}

static int64_t at_least_none(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

int slow_link_charge(const struct slow_link_sides *sides, struct charges *charges)
{
	const struct figures *f = sides->slow_figures, *other = sides->other_figures;
	const struct nccl_summary *worst = NULL;
	struct charge charge = {.rank = -1, .device = "", .cause = "link", .leaf = LEAF_NCCL_TRANSFER};
	struct slow_link_ranks ranks;
	int error = slow_link_ranks_open(&ranks, sides->slow, f);
	const int64_t slower = slower_ns(sides, ranks.n ? ranks.n : sides->slow->n_devices, &worst);
	slow_link_ranks_close(&ranks);
	if (error || MATTERS * (__int128)slower < f->step_ns || !worst)
		return error;
	charge.link = worst;
	int64_t left_ns = spread_of(sides->slow).below_ns - spread_of(sides->other).below_ns;
	for (int from = 0; from < CHARGE_FROM; from++) {
		int64_t more_ns = f->time_ns[charge_from[from]] - other->time_ns[charge_from[from]];
		for (size_t i = 0; i < charges->n; i++)
			more_ns -= charges->at[i].taken_ns[from];
		more_ns = at_least_none(more_ns);
		if (charge_from[from] == LEAF_NCCL_TRANSFER) {
			charge.own_ns[LEAF_NCCL_TRANSFER] = more_ns;
			continue;
		}
		charge.taken_ns[from] = at_least_none(left_ns < more_ns ? left_ns : more_ns);
		left_ns -= charge.taken_ns[from];
	}
	return charges_add(charges, &charge);
}

void slow_link_ranks_close(struct slow_link_ranks *ranks)
{
	free(ranks->ranks);
	*ranks = (struct slow_link_ranks){.most = -1};
}

int slow_link_ranks_open(struct slow_link_ranks *out, const struct summary *s,
						 const struct figures *f)
{
	const struct transfers spread = spread_of(s);
	const int64_t middle_ns = spread.least_ns + (spread.most_ns - spread.least_ns) / 2;
	int64_t second_ns = 0, first_ns = 0;
	*out = (struct slow_link_ranks){.most = -1};
	if (spread.least_ns > spread.most_ns / 2)
		return 0;
	out->ranks = calloc(s->n_devices + 1, sizeof(*out->ranks));
	if (!out->ranks)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct device_summary *d = &s->devices[i];
		const int64_t ns = transfer_of(s, i);
		if (d->n_processes == 0 || d->ranks[0] < 0 || ns <= middle_ns)
			continue;
		out->ranks[out->n++] = d->ranks[0];
		out->most = ns > first_ns ? d->ranks[0] : out->most;
		second_ns = ns > first_ns ? first_ns : ns > second_ns ? ns : second_ns;
		first_ns = ns > first_ns ? ns : first_ns;
	}
	if (first_ns - second_ns < f->step_ns / STANDS_OUT)
		out->most = -1;
	sort_rows(out->ranks, out->n, sizeof(*out->ranks), by_number);
	return 0;
}
