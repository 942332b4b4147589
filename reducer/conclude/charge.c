#include "conclude/charge.h"

#include "base/room.h"
#include "conclude/lateness.h"
#include "conclude/replay_late.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_PART = 100 };

const enum leaf charge_from[CHARGE_FROM] = {CHARGE_FROM_LEAVES};

struct charging {
	const struct summary *summary;
	const struct figures *f;
	struct charges *out;
	int64_t left_ns[CHARGE_FROM]; /* that no row has taken */
};

struct lateness_row { /* what makes a charge */
	const struct straggler *straggler;
	const struct finding_kind *kind; /* NULL: any time of its own */
	const char *cause;
	int64_t gain_ns;
	int64_t ranks; /* that others wait for at the same time: 2 of a pair, else 1 */
};

int64_t charge_own(const struct charge *charge)
{
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += charge->own_ns[leaf];
	return sum;
}

int64_t charge_taken(const struct charge *charge)
{
	int64_t sum = 0;
	for (int from = 0; from < CHARGE_FROM; from++)
		sum += charge->taken_ns[from];
	return sum;
}

void charge_into(const struct charge *charge, int from, int64_t into_ns[LEAF_COUNT])
{
	const int64_t own_ns = charge_own(charge);
	__int128 terms[LEAF_COUNT];
	memset(into_ns, 0, LEAF_COUNT * sizeof(*into_ns));
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		terms[leaf] = (__int128)charge->own_ns[leaf] * charge->taken_ns[from];
	if (own_ns > 0)
		figures_share_out(terms, LEAF_COUNT, own_ns, into_ns);
	else
		into_ns[charge->leaf] = charge->taken_ns[from];
}

static int64_t at_most(int64_t ns, int64_t most_ns)
{
	return ns < 0 || most_ns < 0 ? 0 : ns < most_ns ? ns : most_ns;
}

/* ---- one rank or host ---- */

static bool is_same(const struct charge *charge, const struct summary *summary,
					const struct straggler *s)
{
	if (s->host.at)
		return charge->host.at && device_host_same(charge->host, s->host);
	return !charge->host.at &&
		   strcmp(charge->device, summary_text(summary, summary->devices[s->device].key)) == 0;
}

/* What it has more than the others, leaf by leaf, as a mean of all devices; less what charges of
 * its other causes have. 0 or -ENOMEM. */
static int own_time(const struct charging *c, const struct straggler *s, int64_t own_ns[LEAF_COUNT])
{
	const int64_t own = straggler_devices(s, c->summary), n = (int64_t)c->summary->n_devices;
	memset(own_ns, 0, LEAF_COUNT * sizeof(*own_ns));
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		struct excess e;
		if (LEAF_BIT(leaf) & LEAVES_NCCL)
			continue;
		int error = straggler_compare(s, c->summary, LEAF_BIT(leaf), &e);
		if (error)
			return error;
		own_ns[leaf] =
			at_most((int64_t)((__int128)(e.own_ns - e.others_ns) * own / n), c->f->time_ns[leaf]);
		for (size_t i = 0; i < c->out->n; i++)
			if (is_same(&c->out->at[i], c->summary, s))
				own_ns[leaf] -= at_most(c->out->at[i].own_ns[leaf], own_ns[leaf]);
	}
	return 0;
}

/* Of the leaves in `of` the largest first, until that is `most_ns`; none with less than a hundredth
 * of it. */
static void take_own(const int64_t own_ns[LEAF_COUNT], uint64_t of, int64_t most_ns,
					 struct charge *charge)
{
	const int64_t least_ns = most_ns / LEAST_PART;
	while (most_ns > 0) {
		int largest = -1;
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			if (of & LEAF_BIT(leaf) && own_ns[leaf] > (largest < 0 ? least_ns : own_ns[largest]))
				largest = leaf;
		if (largest < 0)
			return;
		if (charge_own(charge) == 0)
			charge->leaf = (enum leaf)largest;
		charge->own_ns[largest] = at_most(own_ns[largest], most_ns);
		most_ns -= charge->own_ns[largest];
		of &= ~LEAF_BIT(largest);
	}
}

static int64_t sum_of(const int64_t own_ns[LEAF_COUNT], uint64_t of)
{
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += of & LEAF_BIT(leaf) ? own_ns[leaf] : 0;
	return sum;
}

/* All of a kind's leaves count, where they are more than enough together. */
static void scale_down(int64_t own_ns[LEAF_COUNT], uint64_t of, int64_t most_ns)
{
	const int64_t sum = sum_of(own_ns, of);
	for (int leaf = 0; leaf < LEAF_COUNT && sum > most_ns; leaf++)
		own_ns[leaf] = (int64_t)((__int128)own_ns[leaf] * most_ns / sum);
}

static void take_waits(struct charging *c, int64_t ns, const int64_t kept_ns[CHARGE_FROM],
					   struct charge *charge)
{
	for (int from = 0; from < CHARGE_FROM; from++) {
		charge->taken_ns[from] = at_most(ns, c->left_ns[from] - kept_ns[from]);
		c->left_ns[from] -= charge->taken_ns[from];
		ns -= charge->taken_ns[from];
	}
}

int charges_add(struct charges *out, const struct charge *charge)
{
	if (room_next((void **)&out->at, out->n, sizeof(*out->at)) != 0)
		return -ENOMEM;
	out->at[out->n++] = *charge;
	return 0;
}

/* The waits go to the kind of time that the replay names where the rank's own time bears that out
 * by half, else to whatever it has more. Where it has nothing more, the waits stay where they are. */
static int add_late(struct charging *c, const struct lateness_row *row)
{
	static const int64_t keep_nothing[CHARGE_FROM] = {0};
	const struct straggler *s = row->straggler;
	struct charge charge = {
		.rank = s->host.at ? -1 : s->rank, .device = "", .host = s->host, .cause = row->cause};
	const int64_t own = straggler_devices(s, c->summary), n = (int64_t)c->summary->n_devices;
	const bool apart = straggler_is_apart(s, c->summary); /* the gain is a mean already */
	const int64_t late_ns = apart ? row->gain_ns : (int64_t)((__int128)row->gain_ns * own / n);
	int64_t own_ns[LEAF_COUNT];
	int error = own_time(c, s, own_ns);
	if (error)
		return error;
	uint64_t of = row->kind ? row->kind->leaves : LEAVES_IDLE;
	if (sum_of(own_ns, of) < late_ns / 2)
		of = LEAVES_ALL & ~LEAVES_NCCL;
	if (sum_of(own_ns, of) < late_ns / 2)
		return 0;
	charge.devices = own;
	charge.more_ns = sum_of(own_ns, LEAVES_ALL);
	if (row->kind && of == row->kind->leaves)
		scale_down(own_ns, of, late_ns);
	take_own(own_ns, of, late_ns, &charge);
	if (charge_own(&charge) == 0)
		return 0;
	if (!s->host.at)
		charge.device = summary_text(c->summary, c->summary->devices[s->device].key);
	const int64_t waits_ns = row->gain_ns / row->ranks - charge_own(&charge);
	take_waits(c, waits_ns, keep_nothing, &charge);
	return charges_add(c->out, &charge);
}

/* Who is late by a culprit. Of two that pay only together others wait for both at once: each has
 * its own time, and half of what they win beside that. */
static int add_late_culprit(struct charging *c, const struct culprit_summary *culprit,
							const struct straggler *s)
{
	const bool pair = culprit->with_cause != 0 && culprit->device && culprit->with_device;
	struct culprit_summary other = *culprit;
	struct straggler second;
	int error = add_late(c, &(struct lateness_row){s, replay_kind(c->summary, culprit),
												   summary_text(c->summary, culprit->cause),
												   culprit->gain_ns, pair ? 2 : 1});
	other.device = culprit->with_device;
	other.cause = culprit->with_cause;
	other.rank = culprit->with_rank;
	if (error || !pair || !straggler_of_culprit(c->summary, &other, &second))
		return error;
	return add_late(c, &(struct lateness_row){&second, replay_kind(c->summary, &other),
											  summary_text(c->summary, other.cause),
											  culprit->gain_ns, 2});
}

/* ---- a cause of all ranks, who are late by turns ---- */

static int add_everywhere(struct charging *c, const struct culprit_summary *culprit)
{
	const struct finding_kind *kind = replay_kind(c->summary, culprit);
	const int64_t kept_ns[CHARGE_FROM] = {[1] = replay_transfer_ns(c->summary)};
	struct charge charge = {
		.rank = -1, .device = "", .cause = summary_text(c->summary, culprit->cause)};
	int64_t own_ns[LEAF_COUNT];
	if (!kind || kind->leaves & LEAVES_NCCL)
		return 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		own_ns[leaf] = c->f->time_ns[leaf];
		for (size_t i = 0; i < c->out->n; i++)
			own_ns[leaf] -= c->out->at[i].own_ns[leaf];
	}
	take_own(own_ns, kind->leaves, culprit->gain_ns, &charge);
	if (charge_own(&charge) == 0)
		return 0;
	take_waits(c, culprit->gain_ns - charge_own(&charge), kept_ns, &charge);
	return charges_add(c->out, &charge);
}

/* ---- waits that are known to be for them ---- */

struct measured { /* what some ranks caused in split collectives, of what all did */
	__int128 caused_ns;
	uint64_t taken;
};

static bool is_of(const struct summary *s, const struct charge *charge, size_t device)
{
	if (charge->host.at)
		return device_host_same(charge->host, device_host(s, device));
	return strcmp(charge->device, summary_text(s, s->devices[device].key)) == 0;
}

static struct measured caused_by(const struct summary *s, const struct charge *charge)
{
	struct measured sum = {0, 0};
	for (size_t i = 0; i < s->n_late; i++) {
		const size_t device = late_device(s, &s->late[i]);
		if (device == s->n_devices || !is_of(s, charge, device))
			continue;
		sum.caused_ns += s->late[i].caused_ns;
		sum.taken += s->late[i].taken;
	}
	return sum;
}

/* Another cause of the same rank or host was charged before. */
static bool is_again(const struct charges *charges, size_t k)
{
	bool again = false;
	for (size_t i = 0; i < k; i++)
		again |= device_host_same(charges->at[i].host, charges->at[k].host) &&
				 strcmp(charges->at[i].device, charges->at[k].device) == 0;
	return again;
}

struct charged_already { /* to all causes of a rank or host */
	int64_t wait_ns, all_ns;
};

static struct charged_already charged_to(const struct charges *charges, size_t k)
{
	struct charged_already sum = {0, 0};
	for (size_t i = k; i < charges->n; i++) {
		const struct charge *charge = &charges->at[i];
		if (!device_host_same(charge->host, charges->at[k].host) ||
			strcmp(charge->device, charges->at[k].device) != 0)
			continue;
		sum.wait_ns += charge->taken_ns[0];
		sum.all_ns += charge_own(charge) + charge_taken(charge);
	}
	return sum;
}

/* Does its own time explain half of so much lateness? */
static bool explains(const struct charging *c, const struct charge *charge, int64_t late_ns)
{
	return 2 * (__int128)charge->more_ns * (int64_t)c->summary->n_devices >=
		   (__int128)late_ns * charge->devices;
}

/* The replay's gain is a lower limit of what others wait for a culprit: without it they would wait
 * for the next one. Where the culprits together cause most of the wait, each has what it causes, if
 * its own time bears that out. */
static void add_caused(struct charging *c)
{
	const struct lateness all = lateness_of(c->summary->late, c->summary->n_late);
	struct measured sum = {0, 0};
	for (size_t k = 0; k < c->out->n; k++) {
		const struct measured of = caused_by(c->summary, &c->out->at[k]);
		sum.caused_ns += is_again(c->out, k) ? 0 : of.caused_ns;
		sum.taken += is_again(c->out, k) ? 0 : of.taken;
	}
	if (all.caused_ns <= 0 ||
		2 * sum.caused_ns * (__int128)all.taken < all.caused_ns * (__int128)(all.taken + sum.taken))
		return;
	for (size_t k = 0; k < c->out->n; k++) {
		struct charge *charge = &c->out->at[k];
		const struct charged_already there = charged_to(c->out, k);
		const __int128 caused_ns = caused_by(c->summary, charge).caused_ns;
		const int64_t wait_ns =
			(int64_t)(c->f->time_ns[LEAF_NCCL_WAIT] * caused_ns / all.caused_ns);
		const int64_t more_ns = at_most(wait_ns - there.wait_ns, c->left_ns[0]);
		if (is_again(c->out, k) || !explains(c, charge, there.all_ns + more_ns))
			continue;
		charge->taken_ns[0] += more_ns;
		c->left_ns[0] -= more_ns;
	}
}

/* ---- all ---- */

static int add_culprits(struct charging *c)
{
	int error = 0;
	for (size_t i = 0; !error && i < c->summary->n_culprits; i++) {
		const struct culprit_summary *culprit = &c->summary->culprits[i];
		struct straggler s;
		if (culprit->order == 0 || culprit->gain_ns <= 0)
			continue;
		if (!straggler_of_culprit(c->summary, culprit, &s)) {
			error = culprit->device || culprit->host ? 0 : add_everywhere(c, culprit);
			continue;
		}
		error = add_late_culprit(c, culprit, &s);
	}
	return error;
}

static int add_by_rules(struct charging *c)
{
	struct stragglers late;
	int error = stragglers_open(&late, c->summary, c->f);
	for (size_t i = 0; !error && i < late.n; i++) {
		const struct straggler *s = &late.at[i];
		const struct finding_kind *kind = s->excess[0].kind;
		if (s->persistent && !s->missing && kind)
			error = add_late(c, &(struct lateness_row){s, kind, kind->name, straggler_share(s), 1});
	}
	stragglers_close(&late);
	return error;
}

int charges_open(struct charges *charges, const struct summary *summary, const struct figures *f)
{
	struct charging c = {.summary = summary, .f = f, .out = charges};
	*charges = (struct charges){0};
	for (int from = 0; from < CHARGE_FROM; from++)
		c.left_ns[from] = f->time_ns[charge_from[from]];
	if (summary->n_devices < 2)
		return 0;
	if (replay_knows(summary)) {
		int error = add_culprits(&c);
		add_caused(&c);
		charges->by = CHARGES_BY_REPLAY;
		if (error || charges->n > 0 || (replay_clears(summary) && !replay_finds_none(summary)))
			return error;
	}
	int error = add_by_rules(&c);
	if (charges->n > 0 || charges->by == CHARGES_UNKNOWN)
		charges->by = CHARGES_BY_RULES;
	return error;
}

void charges_close(struct charges *charges)
{
	free(charges->at);
	*charges = (struct charges){0};
}
