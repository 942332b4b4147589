#include "conclude/finding_late.h"

#include "conclude/by_step.h"
#include "conclude/finding_joint.h"
#include "conclude/finding_rows.h"
#include "conclude/finding_text.h"
#include "conclude/host_speed.h"
#include "conclude/late_entry.h"
#include "conclude/lateness.h"
#include "conclude/replay_late.h"

#include <stdio.h>
#include <string.h>

/* ---- who is late, and by how much ---- */

static void say_late(const struct finding_source *m, const struct straggler *s, char *out,
					 size_t bytes)
{
	const struct finding_words who = finding_straggler(m->summary, s);
	const struct finding_words what = finding_collectives(m->summary, "");
	struct finding_words late = finding_ms(m->f, s->late_ns);
	const struct lateness all = lateness_of(m->summary->late, m->summary->n_late);
	const char *per = finding_per(m->f);
	const bool alone = !s->culprit || replay_others(m->summary, s->culprit).n == 0;
	char both[160];
	if (finding_joint_ranks(m->summary, s, both, sizeof(both))) {
		finding_say(out, bytes, "%s makes each %s %s ms longer", both, per, late.at);
		return;
	}
	if (straggler_is_apart(s, m->summary)) {
		late = finding_ms(m->f, straggler_of_own_step(s, m->summary, s->late_ns));
		finding_say(out, bytes,
					s->host.at ? "the ranks of %s take %s ms longer for each %s"
							   : "%s takes %s ms longer for each %s",
					who.at, late.at, per);
		return;
	}
	if (s->culprit && !(alone && s->late && !s->host.at && late_is_mostly_last(s->late, &all))) {
		finding_say(out, bytes,
					s->host.at ? "the ranks of %s make each %s %s ms longer"
							   : "%s makes each %s %s ms longer",
					who.at, per, late.at);
		return;
	}
	if (!s->late) {
		finding_say(out, bytes, "the others wait %s ms per %s in NCCL for %s", late.at, per,
					who.at);
		return;
	}
	int last = (int)(100 * (unsigned __int128)s->late->last / s->late->taken);
	int caused = (int)(100 * (__int128)s->caused_ns / all.caused_ns);
	if (s->host.at)
		finding_say(out, bytes, "the ranks of %s cause %d %% of the wait in %s, %s ms per %s",
					who.at, caused, what.at, late.at, per);
	else if (!s->persistent && late_is_mostly_last(s->late, &all))
		finding_say(
			out, bytes,
			"%s arrives last at %llu of %llu %s, %s ms late per %s: not often enough to be sure",
			who.at, (unsigned long long)s->late->last, (unsigned long long)s->late->taken, what.at,
			late.at, per);
	else if (!s->persistent)
		finding_say(out, bytes,
					"ranks wait in %s, but no rank is persistently last; %s causes %d %% of the "
					"wait",
					what.at, who.at, caused);
	else if (late_is_mostly_last(s->late, &all))
		finding_say(out, bytes, "%s arrives last at %d %% of the %s, %s ms late per %s", who.at,
					last, what.at, late.at, per);
	else
		finding_say(out, bytes, "%s causes %d %% of the wait in %s, %s ms per %s", who.at, caused,
					what.at, late.at, per);
}

/* ---- who is late when some ranks are missing ---- */

struct lateness_here { /* over the collectives that have members which are missing */
	const struct summary *summary;
	const struct straggler *straggler;
	struct lateness all, here; /* of all, of the ranks that are here */
	struct finding_words collectives, late;
	const char *per; /* "step" */
	char ranks[MISSING_RANKS_BYTES];
};

static void say_missing(const struct lateness_here *h, struct finding *out)
{
	const struct straggler *s = h->straggler;
	char who[MISSING_RANKS_BYTES + 64];
	if (h->summary->run.n_missing_ranks == 1)
		snprintf(who, sizeof(who), "rank %s, which is missing, is late", h->ranks);
	else
		snprintf(who, sizeof(who), "some of the missing ranks (%s) are late", h->ranks);
	finding_say(out->summary, sizeof(out->summary),
				"%s: in %llu of %llu %s the last recorded rank waits too, for %d %% of all wait, "
				"%s ms per %s",
				who, (unsigned long long)s->late->last, (unsigned long long)h->all.last,
				h->collectives.at, (int)(100 * (__int128)s->caused_ns / h->all.caused_ns),
				h->late.at, h->per);
	finding_say(out->evidence, sizeof(out->evidence),
				"time counts as waiting in collectives that take three times as long as those of "
				"their size without waiting");
}

/* Every such collective has one that was last: a rank, or one of the missing; or one whose records
 * of it are lost. */
static void say_later(const struct lateness_here *h, struct finding *out)
{
	uint64_t later = 0;
	char times[24] = "none";
	if (!lateness_sees_missing(&h->summary->quality))
		return;
	for (size_t i = 0; i < h->summary->n_partial; i++)
		later += h->summary->partial[i].device ? 0 : h->summary->partial[i].last;
	if (later)
		snprintf(times, sizeof(times), "%llu", (unsigned long long)later);
	finding_say(
		out->evidence, sizeof(out->evidence),
		"a missing rank (%s) came even later in %s of %llu (a rank that is always late by as "
		"much cannot be seen)",
		h->ranks, times, (unsigned long long)h->all.last);
}

static void say_here(const struct lateness_here *h, struct finding *out)
{
	const struct straggler *s = h->straggler;
	const struct finding_words who = finding_straggler(h->summary, s);
	const uint32_t here = h->summary->run.n_ranks;
	if (late_is_mostly_last(s->late, &h->here))
		finding_say(
			out->summary, sizeof(out->summary),
			"of the %u recorded ranks %s arrives last at %d %% of the %s, %s ms late per %s", here,
			who.at, (int)(100 * (unsigned __int128)s->late->last / s->late->taken),
			h->collectives.at, h->late.at, h->per);
	else
		finding_say(out->summary, sizeof(out->summary),
					"of the %u recorded ranks %s causes %d %% of the wait in %s, %s ms per %s",
					here, who.at, (int)(100 * (__int128)s->caused_ns / h->all.caused_ns),
					h->collectives.at, h->late.at, h->per);
	say_later(h, out);
}

static void say_partial(const struct summary *summary, const struct figures *figures,
						const struct straggler *straggler, struct finding *out)
{
	struct lateness_here h = {.summary = summary,
							  .straggler = straggler,
							  .all = lateness_of(summary->partial, summary->n_partial),
							  .here = lateness_of_here(summary->partial, summary->n_partial),
							  .collectives = finding_collectives(summary, "members missing"),
							  .late = finding_ms(figures, straggler->late_ns),
							  .per = finding_per(figures)};
	finding_missing_ranks(&summary->run, h.ranks);
	if (straggler->missing)
		say_missing(&h, out);
	else
		say_here(&h, out);
}

/* ---- what it did meanwhile ---- */

/* Of the rank that is named: a host's work is the mean of its devices. */
static struct excess excess_of_rank(const struct finding_source *m, const struct straggler *s,
									const struct excess *e)
{
	struct excess own = *e;
	if (s->host.at)
		own.own_ns = figures_device_time(&m->summary->devices[s->device], e->kind->leaves);
	return own;
}

/* Why the work of that rank takes longer; nothing when it does so on others of its host alone. */
static void say_work(const struct finding_source *m, const struct straggler *s,
					 const struct excess *e, char *out, size_t bytes)
{
	const struct excess own = excess_of_rank(m, s, e);
	if (own.own_ns <= own.others_ns)
		return;
	if (s->host.at)
		finding_say(out, bytes, "the work of that rank takes %s ms",
					finding_ms(m->f, own.own_ns).at);
	finding_say_work(m->summary, s->device, &own, out, bytes);
	if (e != &s->excess[0] || s->host.at)
		finding_say_clock(m->summary, s->device, &own, out, bytes);
	finding_say_slowed(m->summary, s->device, out, bytes);
}

/* The kind of time that the replay names, of which it has no more than the others. Less of it, or
 * none, cannot be told as the reason: the evidence beside it would deny that. */
static void say_replayed(const struct finding_source *m, const struct straggler *s, char *out,
						 size_t bytes)
{
	const struct excess *e = &s->excess[0];
	const bool host = s->host.at != NULL, work = e->kind == &finding_kinds[FINDING_WORK];
	const struct finding_words gain = finding_ms(m->f, s->culprit ? s->culprit->gain_ns : 0);
	if (work)
		finding_say(out, bytes, "with kernels as fast as the others' the %s would be %s ms shorter",
					finding_per(m->f), gain.at);
	else if (e->own_ns > 0 && e->own_ns >= e->others_ns)
		finding_say(out, bytes, "%s time in %s is why", host ? "their" : "its", e->kind->name);
	else if (e->own_ns == 0)
		finding_say(out, bytes,
					"the replay finds %s there: without it the %s would be %s ms shorter",
					e->kind->name, finding_per(m->f), gain.at);
	else
		finding_say(out, bytes, "without %s waits in %s the %s would be %s ms shorter",
					host ? "their" : "its", e->kind->name, finding_per(m->f), gain.at);
}

/* What it does that the others do not, and the rows behind most of that. */
static int say_own_time(const struct finding_source *m, const struct straggler *s,
						struct finding *out)
{
	const struct excess *most = &s->excess[0], *work = NULL;
	char *text = out->evidence;
	const size_t bytes = sizeof(out->evidence);
	const bool host = s->host.at != NULL;
	if (!most->kind) {
		finding_say(text, bytes, "%s own time does not differ from the others'",
					host ? "their" : "its");
		return 0;
	}
	const struct finding_words more = finding_ms(m->f, most->own_ns - most->others_ns);
	if (most->own_ns <= most->others_ns)
		say_replayed(m, s, out->summary, sizeof(out->summary));
	else if (most->kind == &finding_kinds[FINDING_WORK])
		finding_say(out->summary, sizeof(out->summary), "%s kernels take %s ms longer",
					host ? "their" : "its", more.at);
	else
		finding_say(out->summary, sizeof(out->summary), "%s %s ms more in %s",
					host ? "they spend" : "it spends", more.at, most->kind->name);
	for (const struct excess *e = most; e < most + EXCESSES && e->kind; e++) {
		if (!e->own_ns && !e->others_ns)
			continue; /* the replay alone has found it */
		finding_say(text, bytes, "%s %s ms, the others %s ms", e->kind->name,
					finding_ms(m->f, e->own_ns).at, finding_ms(m->f, e->others_ns).at);
		if (e->kind == &finding_kinds[FINDING_WORK] && s->host.at)
			work = e; /* once it is said whose */
		else if (e->kind == &finding_kinds[FINDING_WORK])
			say_work(m, s, e, text, bytes);
	}
	if (s->host.at)
		finding_say(text, bytes, "most of it by %s", finding_device(m->summary, s->device).at);
	if (work)
		say_work(m, s, work, text, bytes);
	if (most->kind != &finding_kinds[FINDING_WORK])
		return finding_say_rows(m, most->kind->leaves, m->summary->devices[s->device].key, out);
	if (!s->host.at)
		finding_say_clock(m->summary, s->device, most, out->summary, sizeof(out->summary));
	return 0;
}

static const char entry_remedy[] =
	"record or profile what comes before these steps, on that rank and on another";

/* A rank that was late when the steps began, by half of what it costs them or more. */
static int say_entry(const struct finding_source *m, const struct straggler *s, struct finding *out)
{
	int64_t late_ns;
	if (s->missing || s->host.at || !s->persistent || s->culprit) /* a culprit is of the steps */
		return 0;
	const int64_t steps = m->summary->devices[s->device].steps;
	int error = late_entry_of(m->summary, s->device, &late_ns);
	if (error || steps == 0 || late_ns <= 0 || late_ns / steps < s->late_ns / 2)
		return error;
	finding_say(out->summary, sizeof(out->summary),
				"it enters the first step %s ms after the others, late from what it did before",
				finding_ms(m->f, late_ns).at);
	snprintf(out->remedy, sizeof(out->remedy), "%s", entry_remedy);
	out->whom.cause = "before_step";
	return 0;
}

static const char *remedy_of(const struct finding_source *m, const struct straggler *s)
{
	const struct finding_kind *own = s->excess[0].kind;
	if (s->missing)
		return finding_kinds[FINDING_LATE_MISSING].remedy;
	if (own == &finding_kinds[FINDING_WORK]) {
		const struct excess excess = excess_of_rank(m, s, &s->excess[0]);
		return finding_work_remedy(m->summary, s->device, &excess);
	}
	if (s->host.at)
		return finding_kinds[FINDING_LATE_HOST].remedy;
	return own ? own->remedy : finding_kinds[FINDING_LATE_RANK].remedy;
}

enum finding_id finding_id_of_straggler(const struct straggler *s)
{
	if (s->missing)
		return FINDING_LATE_MISSING;
	if (s->host.at)
		return FINDING_LATE_HOST;
	return s->persistent ? FINDING_LATE_RANK : FINDING_WAIT;
}

/* That one rank or host is late has been tested already; that ranks wait by turns has not. */
static int limit_of(const struct finding_source *m, const struct straggler *s, int64_t share_ns,
					int64_t *limit_ns)
{
	*limit_ns = share_ns;
	if (s->culprit)
		*limit_ns = replay_total(m->summary, s->culprit).limit_ns;
	if (s->persistent)
		return 0;
	return by_step_limit_of(m->summary, LEAF_BIT(LEAF_NCCL_WAIT), 0, share_ns, limit_ns);
}

static bool is_work(const struct finding_kind *kind)
{
	return kind == &finding_kinds[FINDING_WORK];
}

static const char host_remedy[] =
	"; check that rank's host: CPU clocks, other jobs on its cores, NUMA";

int finding_say_host(const struct finding_source *m, const struct straggler *s, struct finding *out)
{
	struct host_speed speed;
	int error = host_speed_of(m->summary, s, &speed);
	if (error)
		return error;
	if (speed.slower) {
		const size_t used = strlen(out->remedy);
		finding_say(out->summary, sizeof(out->summary),
					"%s needs %.1f times as long between launches",
					s->host.at ? "that host" : "its host", speed.times);
		finding_say(out->evidence, sizeof(out->evidence),
					"for the same calls its host needs %.1f times as long from one to the next "
					"(longer in %lld of %lld steps)",
					speed.times, (long long)speed.in, (long long)speed.steps);
		if (!s->host.at) /* what to do about a late host says so already */
			snprintf(out->remedy + used, sizeof(out->remedy) - used, "%s", host_remedy);
	} else if (host_speed_more_calls(&speed)) {
		finding_say(out->evidence, sizeof(out->evidence),
					"it makes %lld CUDA calls per %s, the others %lld", (long long)speed.calls,
					finding_per(m->f), (long long)speed.others_calls);
	}
	return 0;
}

static struct finding_whom whom_of(const struct straggler *s)
{
	const bool one = !s->missing && !s->host.at;
	return (struct finding_whom){.device_known = one,
								 .device = s->device,
								 .rank = one ? s->rank : -1,
								 .host = s->host,
								 .cause = s->excess[0].kind ? s->excess[0].kind->name : NULL};
}

static void take_gain(const struct summary *summary, const struct straggler *s, struct finding *out)
{
	const struct replay_total total = replay_total(summary, s->culprit);
	out->gain_ns = s->late_ns;
	out->gain_low_ns = total.low_ns;
	out->gain_high_ns = total.high_ns;
	out->gain_alone_ns = total.alone_ns;
	out->reference = total.reference;
	out->gain_unsized = !replay_sizes(summary);
}

static const char *separator(size_t i, size_t n)
{
	return i == 0 ? "" : i + 1 == n ? " and " : ", ";
}

enum { OTHERS_NAMED = 3 };

/* Others with the same loss: as long as one of them has it, curing this one wins less. */
static void say_others(const struct finding_source *m, const struct straggler *s,
					   struct finding *out)
{
	const struct replay_others others = replay_others(m->summary, s->culprit);
	const struct finding_words gain = finding_ms(m->f, others.gain_ns);
	char names[OTHERS_NAMED * 72] = "";
	size_t used = 0;
	for (size_t i = 0; i < others.n && i < OTHERS_NAMED; i++)
		used +=
			(size_t)snprintf(names + used, sizeof(names) - used, "%s%.64s", separator(i, others.n),
							 finding_device(m->summary, others.device[i]).at);
	if (others.n > OTHERS_NAMED)
		finding_say(out->summary, sizeof(out->summary),
					"%s and %zu more have the same loss, and curing all wins %s ms", names,
					others.n - OTHERS_NAMED, gain.at);
	else if (others.n)
		finding_say(out->summary, sizeof(out->summary),
					"%s %s the same loss, and curing all wins %s ms", names,
					others.n > 1 ? "have" : "has", gain.at);
	out->others = others;
}

/* As long as one of them is late curing another one wins less, so they count as what all win. */
static void judge_group(const struct finding_source *m, const struct straggler *s,
						struct finding *out)
{
	const struct replay_others others = replay_others(m->summary, s->culprit);
	if (others.n)
		out->severity = severity_of(m->summary, m->f, others.gain_ns, others.limit_ns);
}

int finding_of_straggler(const struct finding_source *m, const struct straggler *s,
						 struct finding *out)
{
	const struct finding_kind *own = s->excess[0].kind;
	int64_t limit_ns;
	int error = 0;
	*out = (struct finding){.id = finding_id_of_straggler(s),
							.leaf = straggler_is_split(s) ? "nccl.wait" : "nccl.unsplit",
							.share_ns = straggler_share(s),
							.whom = whom_of(s)};
	out->gain_known = s->culprit != NULL;
	if (s->culprit)
		take_gain(m->summary, s, out);
	out->rank_ns = s->culprit ? replay_rank_ns(m->summary, s->culprit) : 0;
	error = limit_of(m, s, out->share_ns, &limit_ns);
	if (error)
		return error;
	out->severity =
		severity_of(m->summary, m->f, straggler_of_own_step(s, m->summary, out->share_ns),
					straggler_of_own_step(s, m->summary, limit_ns));
	if (s->culprit && !straggler_is_apart(s, m->summary))
		judge_group(m, s, out);
	if (s->partial)
		say_partial(m->summary, m->f, s, out);
	else
		say_late(m, s, out->summary, sizeof(out->summary));
	snprintf(out->remedy, sizeof(out->remedy), "%s", remedy_of(m, s));
	error = say_entry(m, s, out);
	if (!error && !s->missing)
		error = say_own_time(m, s, out);
	if (own && !is_work(own))
		finding_say_rare(m, own->leaves, m->summary->devices[s->device].key, out);
	if (!error && own && !is_work(own))
		error = finding_say_host(m, s, out);
	if (!error && s->culprit)
		say_others(m, s, out);
	finding_say_joint(m, out);
	return error;
}
