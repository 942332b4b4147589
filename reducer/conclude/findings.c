#include "conclude/findings.h"

#include "base/room.h"
#include "base/sort.h"
#include "base/source.h"
#include "classify/classes.h"
#include "conclude/by_step.h"
#include "conclude/finding_gain.h"
#include "conclude/finding_joint.h"
#include "conclude/finding_late.h"
#include "conclude/finding_rows.h"
#include "conclude/finding_text.h"
#include "conclude/finding_unknown.h"
#include "conclude/finding_uneven.h"
#include "conclude/finding_unsteady.h"
#include "conclude/habit.h"
#include "conclude/replay_late.h"
#include "conclude/uneven.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add(const struct summary *summary, const struct finding *finding,
			   struct findings *findings)
{
	if (room_next((void **)&findings->at, findings->n, sizeof(*findings->at)) != 0)
		return -ENOMEM;
	findings->at[findings->n] = *finding;
	if (!finding->gain_known)
		findings->at[findings->n].rank_ns =
			replay_rank_of_other(summary, finding->id, finding->share_ns);
	char *begin = findings->at[findings->n++].summary;
	*begin = (char)toupper((unsigned char)*begin); /* a sentence, whoever it begins with */
	return 0;
}

/* A graph is launched by one call and runs many kernels. */
static bool launches_graphs(const struct summary *summary, const struct figures *f)
{
	for (size_t i = 0; i < summary->n_evidence; i++)
		if (strstr(summary_text(summary, summary->evidence[i].what), "GraphLaunch"))
			return true;
	return f->time_ns[LEAF_WORK_GRAPH] > 0 ||
		   (10 * summary->quality.unmatched_ops <= summary->quality.ops && f->launches > 0 &&
			f->kernels / 2 > f->launches);
}

/* ---- losses of one leaf or two ---- */

/* Of all devices, at least 1. */
static uint64_t all_steps(const struct finding_source *m)
{
	uint64_t steps = 0;
	for (size_t i = 0; i < m->summary->n_devices; i++)
		steps += (uint64_t)m->summary->devices[i].steps;
	return steps > 0 ? steps : 1;
}

/* Most of the time that is not split is in kernels which are not NCCL's own (DeepEP, symmetric
 * memory): no trace has arguments of theirs. */
static bool are_foreign(const struct summary *s)
{
	__int128 own = 0, foreign = 0;
	for (size_t i = 0; i < s->n_kernels; i++) {
		const char *name = summary_text(s, s->kernels[i].name);
		if (s->kernels[i].group == GROUP_NCCL)
			*(strstr(name, "nccl") || strstr(name, "rccl") ? &own : &foreign) +=
				s->kernels[i].total_ns;
	}
	return foreign > own;
}

/* What would separate waiting from transfer: nothing that is there already, or that cannot be. */
static const char *split_remedy(const struct finding_source *m, const char *reason)
{
	const struct summary *s = m->summary;
	const bool recorded = source_is_recorded(source_kind(summary_text(s, s->run.source)));
	const bool one_sided = strcmp(reason, "not full-synchronising") == 0;
	if (one_sided && finding_unsplit_has_root(s))
		return "even out what the ranks do before it, or send less (one rank sends to all, or gets "
			   "from all: how much of that is waiting is not known)";
	if (one_sided)
		return "balance the stages, or overlap the transfers (which side is late is not known for "
			   "send/recv in this trace)";
	if (strcmp(reason, "sequence unknown") == 0)
		return "mark the steps (profiler.step() or --step-range), so that calls are matched by "
			   "their order in a step";
	if (strcmp(reason, "no arguments") == 0 && are_foreign(s))
		return "these kernels are no NCCL calls, so no trace has their arguments: compare what the "
			   "ranks do before them";
	if (s->run.n_missing_ranks > 0 && recorded)
		return "give all ranks of the run: the directories of all nodes";
	if (s->run.n_missing_ranks > 0)
		return finding_kinds[FINDING_UNSPLIT].remedy;
	if (strcmp(reason, "members missing") == 0)
		return "records of some ranks are lost (Quality says how many): record a shorter part";
	return recorded
			   ? "record CUDA and NCCL calls together (BATON_TRACE): these kernels have no NCCL "
				 "call"
			   : "record with baton: this profile has no NCCL arguments";
}

/* Stages of a pipeline wait for each other by design: the part of a slow one is told with it. */
static void say_bubble(const struct finding_source *m, struct finding *out)
{
	out->structural = true;
	snprintf(out->summary, sizeof(out->summary),
			 m->late->pipeline.stages > 0
				 ? "stages wait for what others send, beside the schedule's bubble"
				 : "ranks wait for what others send: the pipeline's bubble");
	finding_say_transfer_gain(m, out);
	snprintf(out->remedy, sizeof(out->remedy),
			 "more micro-batches per step, an interleaved schedule, or more even stages");
}

static void say_unsplit(const struct finding_source *m, struct finding *out)
{
	const char *reason = finding_unsplit_reason(m->summary);
	if (strcmp(reason, "not full-synchronising") == 0 && replay_knows(m->summary) &&
		!finding_unsplit_has_root(m->summary)) {
		say_bubble(m, out);
		return;
	}
	finding_say(out->evidence, sizeof(out->evidence), "waiting and transfer are not separated: %s",
				reason);
	if (replay_clears(m->summary) && replay_sizes(m->summary))
		finding_say_transfer_gain(m, out);
	snprintf(out->remedy, sizeof(out->remedy), "%s", split_remedy(m, reason));
}

/* What cannot be seen in the names behind a kind of loss. */
static void say_special(const struct finding_source *m, const struct finding_kind *kind,
						struct finding *out)
{
	const struct figures *f = m->f;
	if (kind->leaves & LEAF_BIT(LEAF_NCCL_TRANSFER))
		finding_say_transfer(m->summary, f, out->evidence, sizeof(out->evidence));
	if (finding_kind_id(kind) == FINDING_TRANSFER)
		finding_say_hidden_transfers(m, out);
	if (kind->leaves & LEAF_BIT(LEAF_NCCL_UNSPLIT))
		say_unsplit(m, out);
	if (finding_kind_id(kind) == FINDING_COPIES)
		finding_say_copies_gain(m, out);
	if (kind->leaves & LEAF_BIT(LEAF_HOST_CODE) &&
		m->summary->quality.unsampled_ns >
			(uint64_t)finding_time_in(m->summary, kind->leaves, 0) / 10)
		finding_say(
			out->evidence, sizeof(out->evidence),
			"for %s ms per %s of it the sampler saw no stack: the thread may have been blocked, "
			"waiting for input or without a core",
			finding_ms(f, (int64_t)(m->summary->quality.unsampled_ns / all_steps(m))).at,
			finding_per(f));
	if (kind->leaves & LEAF_BIT(LEAF_CPU_FRAMEWORK) && f->short_kernels > f->kernels / 2)
		finding_say(out->evidence, sizeof(out->evidence),
					"%lld of %lld kernels per %s are shorter than 5 us",
					(long long)f->short_kernels, (long long)f->kernels, finding_per(f));
}

/* The device that has most more of a kind than the median of the others. */
static int worst_device(const struct finding_source *m, const struct finding_kind *kind,
						size_t *device, struct excess *out)
{
	const struct summary *s = m->summary;
	*device = 0;
	for (size_t i = 1; i < s->n_devices; i++)
		if (figures_device_time(&s->devices[i], kind->leaves) >
			figures_device_time(&s->devices[*device], kind->leaves))
			*device = i;
	*out = (struct excess){.kind = kind,
						   .own_ns = figures_device_time(&s->devices[*device], kind->leaves)};
	return loss_median_of_others(s, kind, *device, &out->others_ns);
}

/* Has the first of the counted steps half of it? */
static int starts(const struct finding_source *m, uint64_t leaves, bool *at_start)
{
	struct by_step steps;
	int error = by_step_open(&steps, m->summary, leaves, 0);
	*at_start = !error && steps.n > 0 && 2 * (__int128)steps.ns[0] >= by_step_sum(&steps);
	by_step_close(&steps);
	return error;
}

/* A loss as large as a finding in so few steps that it may not come again: of the lowest severity,
 * unless it is NCCL's, which noise makes too. 0 or -ENOMEM. */
static int judge_few(const struct finding_source *m, const struct finding_kind *kind,
					 struct finding *loss)
{
	const bool large =
		severity_of(m->summary, m->f, loss->share_ns, loss->share_ns) != SEVERITY_NONE;
	if (finding_counts(loss) || !large || kind->leaves & (LEAVES_NCCL | LEAVES_UNKNOWN))
		return 0;
	loss->severity = SEVERITY_LOW;
	loss->in_few_steps = true;
	return starts(m, kind->leaves, &loss->at_start);
}

/* Is a loss of some leaves, on a device (a key) or all, a finding? 0 or -ENOMEM. */
static int judge(const struct finding_source *m, uint64_t leaves, uint32_t device,
				 struct finding *loss)
{
	int64_t limit_ns = 0;
	int error = 0;
	if (severity_of(m->summary, m->f, loss->share_ns, loss->share_ns) != SEVERITY_NONE)
		error = by_step_limit_of(m->summary, leaves, device, loss->share_ns, &limit_ns);
	loss->severity = severity_of(m->summary, m->f, loss->share_ns, limit_ns);
	return error;
}

static struct finding_whom whom_of_device(const struct summary *s, size_t device,
										  const struct finding_kind *kind)
{
	const struct device_summary *d = &s->devices[device];
	return (struct finding_whom){.device_known = true,
								 .device = device,
								 .rank = d->n_processes ? d->ranks[0] : -1,
								 .cause = kind->name};
}

/* Is the device late, or of a host that is? Then its own time is told as what makes it late. `told`:
 * by a finding of these, of which those that are late come first; NULL: however little it is. */
static bool is_late(const struct finding_source *m, const struct findings *told, size_t device)
{
	for (size_t i = 0; i < m->late->n; i++)
		if (straggler_has(&m->late->at[i], m->summary, device) &&
			(!told || finding_counts(&told->at[i])))
			return true;
	return false;
}

/* Of a run without collectives nobody waits for a slow device: what it has more than the others is
 * a loss of its own. *taken_ns: its share, 0 when there is no such finding. */
static int add_asymmetry(const struct finding_source *m, const struct finding_kind *kind,
						 struct findings *out, int64_t *taken_ns)
{
	struct finding finding = {.id = FINDING_ASYMMETRY, .leaf = kind->leaf, .whom.rank = -1};
	struct excess excess;
	size_t device;
	*taken_ns = 0;
	if (m->f->devices < 2 || m->summary->n_nccl > 0 || kind->leaves & LEAVES_UNKNOWN)
		return 0;
	int error = worst_device(m, kind, &device, &excess);
	if (error || is_late(m, out, device))
		return error;
	int64_t more = excess.own_ns - excess.others_ns;
	finding.share_ns = more; /* of that device's step */
	error = judge(m, kind->leaves, m->summary->devices[device].key, &finding);
	if (error || !finding_counts(&finding))
		return error;
	finding.share_ns = more / m->f->devices; /* of the mean step, like every share */
	*taken_ns = finding.share_ns;
	finding.whom = whom_of_device(m->summary, device, kind);
	finding_say(finding.summary, sizeof(finding.summary), "%s has %s ms of %s, the others %s ms",
				finding_device(m->summary, device).at, finding_ms(m->f, excess.own_ns).at,
				kind->name, finding_ms(m->f, excess.others_ns).at);
	const char *remedy = kind->remedy;
	if (kind == &finding_kinds[FINDING_WORK]) {
		finding_say_clock(m->summary, device, &excess, finding.summary, sizeof(finding.summary));
		finding_say_work(m->summary, device, &excess, finding.evidence, sizeof(finding.evidence));
		finding_say_slowed(m->summary, device, finding.evidence, sizeof(finding.evidence));
		remedy = finding_work_remedy(m->summary, device, &excess);
	} else {
		finding_say_rare(m, kind->leaves, m->summary->devices[device].key, &finding);
	}
	snprintf(finding.remedy, sizeof(finding.remedy), "%s", remedy);
	if (kind != &finding_kinds[FINDING_WORK])
		error = finding_say_host(m, &(struct straggler){.device = device}, &finding);
	return error ? error : add(m->summary, &finding, out);
}

/* Where a loss that all have is larger on one device, that is said with it. */
static int say_worst(const struct finding_source *m, const struct finding_kind *kind,
					 struct finding *out)
{
	struct excess excess;
	size_t device;
	if (m->f->devices < 2 || kind->leaves & (LEAVES_NCCL | LEAVES_UNKNOWN))
		return 0;
	int error = worst_device(m, kind, &device, &excess);
	struct finding more = {.share_ns = excess.own_ns - excess.others_ns};
	if (!error)
		error = judge(m, kind->leaves, m->summary->devices[device].key, &more);
	if (error || is_late(m, NULL, device) || !finding_counts(&more))
		return error;
	finding_say(out->evidence, sizeof(out->evidence), "%s: %s ms, the others %s ms",
				finding_device(m->summary, device).at, finding_ms(m->f, excess.own_ns).at,
				finding_ms(m->f, excess.others_ns).at);
	return 0;
}

/* The partition has more of this kind: what makes a rank late is told there. */
static void say_taken(const struct finding_source *m, const struct finding_kind *kind,
					  struct finding *out)
{
	for (size_t i = 0; i < m->late->n; i++) {
		const struct straggler *s = &m->late->at[i];
		const int64_t taken_ns = s->taken_ns[finding_kind_id(kind)];
		if (taken_ns > 0)
			finding_say(out->evidence, sizeof(out->evidence),
						"another %s ms are counted under %s (%s)", finding_ms(m->f, taken_ns).at,
						finding_kinds[finding_id_of_straggler(s)].name,
						finding_straggler(m->summary, s).at);
	}
}

/* The bubble, as much of it as the stragglers leave of the waiting: all but the transfers where a
 * replay says that nobody else is late. */
static int64_t bubble_left(const struct finding_source *m)
{
	int64_t left = m->f->time_ns[LEAF_NCCL_UNSPLIT];
	for (size_t i = 0; i < m->late->n; i++)
		if (!straggler_is_split(&m->late->at[i]))
			left -= m->late->at[i].wait_ns;
	left -= m->everywhere->taken_ns[FINDING_UNSPLIT];
	const int64_t bubble_ns = m->late->pipeline.bubble_ns,
				  waited_ns = left - replay_transfer_ns(m->summary);
	left = left > 0 ? left : 0;
	if (bubble_ns > 0 && replay_clears(m->summary) && waited_ns > bubble_ns)
		return waited_ns;
	return bubble_ns < left ? bubble_ns : left;
}

/* What is left of a kind after the stragglers took theirs, and with the waiting that it causes. */
static int64_t share_left(const struct finding_source *m, const struct finding_kind *kind)
{
	const enum finding_id id = finding_kind_id(kind);
	const int64_t transfer_ns = replay_transfer_ns(m->summary);
	int64_t share = everywhere_own(m->f, m->late, kind);
	share += m->everywhere->others_ns[id] - m->everywhere->taken_ns[id];
	share += id == FINDING_FRAMEWORK ? m->everywhere->code_ns : 0;
	if (kind->leaves & LEAF_BIT(LEAF_NCCL_TRANSFER) && replay_knows(m->summary) &&
		transfer_ns < share) /* a late rank exposes the transfers of the others too */
		share = transfer_ns;
	return share - (kind->leaves & LEAF_BIT(LEAF_NCCL_UNSPLIT) ? bubble_left(m) : 0);
}

/* Of what waiting costs, nothing is seen on the ranks that make the others wait. */
static void say_others(const struct finding_source *m, struct finding *out)
{
	const int64_t others_ns = m->everywhere->others_ns[out->id];
	if (out->id != FINDING_WAIT && others_ns > 0 && 20 * (__int128)others_ns >= out->share_ns)
		finding_say(out->evidence, sizeof(out->evidence),
					"%s ms of it is NCCL time: ranks wait by turns for the one that has it",
					finding_ms(m->f, others_ns).at);
}

/* Where it is not told in which steps. */
static void say_few(struct finding *out)
{
	if (out->in_few_steps && out->rare.in == 0)
		finding_say(out->summary, sizeof(out->summary),
					"in too few steps to be sure that it comes again");
}

/* What it means, what to try, and what stood behind it. 0 or -ENOMEM. */
static int say_loss(const struct finding_source *m, const struct finding_kind *kind,
					struct finding *out)
{
	const bool whole_run = !m->f->has_steps && kind->whole_run;
	const char *remedy = m->graphs && kind->graph_remedy ? kind->graph_remedy : kind->remedy;
	snprintf(out->summary, sizeof(out->summary), "%s", whole_run ? kind->whole_run : kind->meaning);
	snprintf(out->remedy, sizeof(out->remedy), "%s", whole_run ? finding_profile_later : remedy);
	if (kind->leaves & LEAVES_UNKNOWN)
		finding_say_unknown(m, out);
	finding_say_unsteady(m, out);
	int error = finding_say_rows(m, kind->leaves, 0, out);
	if (error)
		return error;
	say_special(m, kind, out);
	say_others(m, out);
	say_taken(m, kind, out);
	if (out->share_ns >= figures_time(m->f, kind->leaves)) /* else a late rank took its part */
		finding_say_rare(m, kind->leaves, 0, out);
	say_few(out);
	finding_say_joint(m, out);
	return 0;
}

/* What few steps have of a loss is no habit of the run: where all have enough of it for a finding,
 * theirs is a row beside it, of *apart_ns; else their own limit decides. */
static int add_rare(const struct finding_source *m, const struct finding_kind *kind,
					struct finding *finding, struct findings *out, int64_t *apart_ns)
{
	struct finding rare = *finding;
	struct habit habit;
	int error = habit_find(m->summary, kind->leaves, finding->share_ns, &habit);
	if (error || habit.steps == 0)
		return error;
	rare.share_ns = habit.rare_ns;
	rare.severity = severity_of(m->summary, m->f, habit.rare_ns, habit.rare_limit_ns);
	finding->severity = severity_of(m->summary, m->f, habit.every_ns, habit.every_limit_ns);
	if (!finding_counts(finding)) {
		finding->severity = severity_of(m->summary, m->f, finding->share_ns, habit.rare_limit_ns);
		return 0;
	}
	snprintf(rare.summary, sizeof(rare.summary), "%s", kind->meaning);
	snprintf(rare.remedy, sizeof(rare.remedy), "%s", kind->remedy);
	finding_say_rare(m, kind->leaves, 0, &rare);
	finding_say(rare.evidence, sizeof(rare.evidence), "beside %s ms in every step",
				finding_ms(m->f, habit.every_ns).at);
	*apart_ns = habit.rare_ns;
	finding_take_gain(m, finding->share_ns, &rare);
	error = judge_few(m, kind, &rare);
	say_few(&rare);
	return error ? error : add(m->summary, &rare, out);
}

static int add_loss(const struct finding_source *m, const struct finding_kind *kind,
					struct findings *out)
{
	struct finding finding = {.id = finding_kind_id(kind), .leaf = kind->leaf, .whom.rank = -1};
	int64_t apart_ns = 0, few_ns = 0;
	int error = 0;
	finding.share_ns = share_left(m, kind);
	error = judge(m, kind->leaves, 0, &finding);
	if (!error && !finding_counts(&finding))
		error = add_asymmetry(m, kind, out, &apart_ns);
	else if (!error)
		error = add_rare(m, kind, &finding, out, &few_ns);
	const int64_t whole_ns = few_ns ? finding.share_ns : 0;
	finding.share_ns -= apart_ns + few_ns;
	error = error ? error : judge_few(m, kind, &finding);
	if (error || finding.share_ns <= 0)
		return error;
	finding_take_gain(m, whole_ns, &finding);
	finding_judge_gain(m, &finding);
	error = say_loss(m, kind, &finding);
	finding_say_unsized(m, &finding);
	if (few_ns > 0)
		finding_say(finding.evidence, sizeof(finding.evidence),
					"another %s ms are those of few steps, a row of its own",
					finding_ms(m->f, few_ns).at);
	if (!error && apart_ns == 0)
		error = say_worst(m, kind, &finding);
	return error ? error : add(m->summary, &finding, out);
}

static int add_straggler(const struct finding_source *m, const struct straggler *straggler,
						 struct findings *out)
{
	struct finding finding;
	int error = finding_of_straggler(m, straggler, &finding);
	if (!error)
		finding_say_unsized(m, &finding);
	return error ? error : add(m->summary, &finding, out);
}

static int by_gain(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	if (finding_counts(x) != finding_counts(y))
		return finding_counts(x) ? -1 : 1;
	if (x->at_start != y->at_start)
		return x->at_start ? 1 : -1;
	if (x->structural != y->structural)
		return x->structural ? 1 : -1;
	if (x->rank_ns != y->rank_ns)
		return x->rank_ns > y->rank_ns ? -1 : 1;
	if (x->share_ns != y->share_ns)
		return x->share_ns > y->share_ns ? -1 : 1;
	int names = strcmp(finding_kinds[x->id].name, finding_kinds[y->id].name);
	return names ? names : strcmp(x->summary, y->summary);
}

/* The bubble is the schedule's, and no stage's fault. */
static int add_bubble(const struct finding_source *m, struct findings *out)
{
	const struct pipeline *p = &m->late->pipeline;
	const char *schedule = p->chunks > 1 ? "interleaved 1F1B" : "1F1B or GPipe";
	struct finding finding = {.id = FINDING_BUBBLE, .leaf = "nccl.unsplit", .whom.rank = -1};
	finding.share_ns = bubble_left(m);
	finding.structural = true;
	if (p->stages == 0 || finding.share_ns == 0)
		return 0;
	finding.severity = severity_of(m->summary, m->f, finding.share_ns, finding.share_ns);
	finding_say(finding.summary, sizeof(finding.summary),
				"pipeline bubble: with %lld stages and %lld micro-batches each stage waits while "
				"the pipeline fills and drains; that is the schedule, no stage is at fault",
				(long long)p->stages, (long long)p->micro_batches);
	finding_say(finding.evidence, sizeof(finding.evidence),
				"%s: (p - 1) / (m v + p - 1) = %.1f %% of a step of equal stages, with p = %lld, "
				"m = %lld, v = %lld chunks of a stage, by what each stage sends and receives",
				schedule,
				100.0 * (double)(p->stages - 1) /
					(double)(p->micro_batches * p->chunks + p->stages - 1),
				(long long)p->stages, (long long)p->micro_batches, (long long)p->chunks);
	snprintf(finding.remedy, sizeof(finding.remedy), "%s", finding_kinds[FINDING_BUBBLE].remedy);
	return add(m->summary, &finding, out);
}

/* Has a finding told already that this device has more of it than the others? */
static bool is_told(const struct finding_source *m, const struct findings *out, size_t device,
					const struct finding_kind *kind)
{
	for (size_t i = 0; i < out->n; i++) {
		const struct finding *f = &out->at[i];
		if (f->id == FINDING_ASYMMETRY && f->whom.device == device && f->whom.cause == kind->name)
			return true;
	}
	return is_late(m, NULL, device);
}

/* What one row has is not in another: copies of all have the rest. Those of few steps, which may be a
 * row of their own, stand before those of all steps. */
static void take_copies(const struct finding_source *m, const struct finding *uneven,
						struct findings *out)
{
	struct finding *f = NULL;
	for (size_t i = 0; i < out->n; i++)
		if (out->at[i].id == FINDING_COPIES && out->at[i].share_ns >= uneven->share_ns)
			f = &out->at[i];
	if (!f)
		return;
	f->share_ns -= uneven->share_ns;
	f->rank_ns = f->gain_known ? f->rank_ns : f->rank_ns - uneven->share_ns;
	finding_say(f->evidence, sizeof(f->evidence), "another %s ms are counted under uneven (%s)",
				finding_ms(m->f, uneven->share_ns).at,
				finding_device(m->summary, uneven->whom.device).at);
}

/* One device works or copies longer than the mean of all, and no other finding names it for that:
 * whether the others wait for it is not known, so there is no gain and the lowest severity. */
static int add_uneven(const struct finding_source *m, const struct uneven *row,
					  struct findings *out)
{
	const struct finding_kind *kind = &finding_kinds[row->copies ? FINDING_COPIES : FINDING_WORK];
	struct finding finding = {.id = FINDING_UNEVEN, .leaf = kind->leaf, .structural = true};
	finding.share_ns = row->exposed_ns; /* of that device's step */
	const int error = judge(m, row->leaves, m->summary->devices[row->device].key, &finding);
	if (error || !finding_counts(&finding))
		return error;
	if (is_told(m, out, row->device, kind)) {
		finding_say_pair_there(m, row, out->at, out->n);
		return 0;
	}
	finding.severity = SEVERITY_LOW;
	finding.share_ns = row->exposed_ns / m->f->devices; /* of the mean step, like every share */
	finding.whom = whom_of_device(m->summary, row->device, kind);
	finding_say_uneven(m, row, &finding);
	if (row->copies)
		take_copies(m, &finding, out);
	return add(m->summary, &finding, out);
}

static int add_all_uneven(const struct finding_source *m, struct findings *out)
{
	struct uneven rows[UNEVEN_MOST];
	size_t n = 0;
	int error = uneven_find(m->summary, rows, &n);
	for (size_t i = 0; !error && i < n; i++)
		error = add_uneven(m, &rows[i], out);
	return error;
}

static int add_all(const struct finding_source *m, struct findings *out)
{
	int64_t unused;
	for (size_t i = 0; i < m->late->n; i++) {
		int error = add_straggler(m, &m->late->at[i], out);
		if (error)
			return error;
	}
	for (int i = 0; i < LOSS_KINDS; i++) {
		int error = add_loss(m, &finding_kinds[i], out);
		if (error)
			return error;
	}
	int error = add_bubble(m, out);
	error = error ? error : add_asymmetry(m, &finding_kinds[FINDING_WORK], out, &unused);
	return error ? error : add_all_uneven(m, out);
}

int findings_make(const struct summary *summary, const struct figures *figures,
				  struct findings *out)
{
	struct stragglers late;
	struct everywhere everywhere;
	struct finding_source m = {summary, figures, &late, &everywhere,
							   launches_graphs(summary, figures)};
	memset(out, 0, sizeof(*out));
	int error = stragglers_open(&late, summary, figures);
	everywhere_find(summary, figures, &late, &everywhere);
	if (!error)
		error = add_all(&m, out);
	stragglers_close(&late);
	sort_rows(out->at, out->n, sizeof(*out->at), by_gain);
	if (error)
		findings_free(out);
	return error;
}

void findings_free(struct findings *findings)
{
	free(findings->at);
	memset(findings, 0, sizeof(*findings));
}
