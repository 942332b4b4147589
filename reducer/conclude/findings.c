#include "conclude/findings.h"

#include "base/room.h"
#include "summary/evidence_rows.h"
#include "conclude/finding_line.h"
#include "conclude/finding_text.h"
#include "conclude/lateness.h"
#include "conclude/missing.h"
#include "conclude/stragglers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROWS = 2 /* of evidence, by name */
};

struct making {
	const struct summary *summary;
	const struct figures *f;
	const struct stragglers *late;
	struct findings *out;
	bool graphs; /* CUDA graphs are launched */
};

static const char *severity(const struct making *m, int64_t share_ns)
{
	const struct figures *f = m->f;
	const __int128 share = share_ns;
	if (share <= 0 || 50 * share < f->step_ns || share <= 2 * (__int128)f->noise_ns ||
		share <= f->tool_ns || share <= m->summary->quality.clock_residual_ns)
		return "none";
	return 10 * share >= f->step_ns ? "high" : 20 * share >= f->step_ns ? "medium" : "low";
}

static int add(struct findings *findings, const struct finding *finding)
{
	if (room_next((void **)&findings->at, findings->n, sizeof(*findings->at)) != 0)
		return -ENOMEM;
	findings->at[findings->n++] = *finding;
	return 0;
}

bool findings_lack_cpu(const struct summary *summary)
{
	for (size_t i = 0; i < summary->n_devices; i++)
		if (summary->devices[i].launches > 0)
			return false;
	return summary->quality.ops > 0 && summary->quality.unmatched_ops >= summary->quality.ops;
}

/* A graph is launched by one call and runs many kernels. */
static bool launches_graphs(const struct summary *summary, const struct figures *f)
{
	for (size_t i = 0; i < summary->n_evidence; i++)
		if (strstr(summary_text(summary, summary->evidence[i].what), "GraphLaunch"))
			return true;
	return f->time_ns[LEAF_WORK_GRAPH] > 0 ||
		   (summary->quality.unmatched_ops == 0 && f->launches > 0 && f->kernels / 2 > f->launches);
}

/* ---- losses of one leaf or two ---- */

/* All time of some leaves, of one device or (device 0) of all. */
static int64_t time_in(const struct summary *s, uint64_t leaves, uint32_t device)
{
	__int128 sum = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		for (int leaf = 0; leaf < LEAF_COUNT && (!device || s->devices[i].key == device); leaf++)
			sum += leaves & LEAF_BIT(leaf) ? s->devices[i].time_ns[leaf] : 0;
	return sum > INT64_MAX ? INT64_MAX : (int64_t)sum;
}

/* The names with most time behind some leaves, of one device or (device 0) of all. */
static int say_rows(const struct making *m, uint64_t leaves, uint32_t device, struct finding *out)
{
	struct evidence_rows rows;
	const int64_t steps = m->f->steps * (device ? 1 : m->f->devices);
	int error = evidence_rows_open(&rows, m->summary, leaves, device);
	for (size_t i = 0; !error && i < rows.n && i < ROWS; i++) {
		const struct evidence_row *row = &rows.at[i];
		char name[91];
		finding_say(out->evidence, sizeof(out->evidence), "%s (%s ms/%s, %llu gaps)",
					evidence_row_name(row, name, sizeof(name)),
					finding_ms(m->f, row->ns / (steps > 0 ? steps : 1)).at,
					m->f->has_steps ? "step" : "run", (unsigned long long)row->count);
	}
	evidence_rows_close(&rows);
	return error ? error
				 : finding_say_line(m->summary, m->f, leaves, device,
									time_in(m->summary, leaves, device), out);
}

/* Is it a matter of a few steps? What is left of a loss when a late rank took its part is not
 * asked. */
static void say_rare(const struct making *m, uint64_t leaves, uint32_t device, struct finding *out)
{
	const struct figures *f = m->f;
	rare_find(m->summary, leaves, device, &out->rare);
	const struct rare *rare = &out->rare;
	if (rare->in == 0)
		return;
	char others[40] = "";
	if (rare->devices > 1)
		snprintf(others, sizeof(others), " (and of %u other GPU%s)", rare->devices - 1,
				 rare->devices == 2 ? "" : "s");
	const struct finding_words who =
		f->devices > 1 ? finding_device(m->summary, rare->device) : (struct finding_words){""};
	const char *of = who.at[0] ? " of " : "";
	if (rare->in == 1)
		finding_say(out->summary, sizeof(out->summary),
					"rare: in 1 of %lld steps%s%s%s, %s ms, step %lld", (long long)rare->of, of,
					who.at, others, finding_ms(f, rare->worst_ns).at, (long long)rare->worst_step);
	else
		finding_say(out->summary, sizeof(out->summary),
					"rare: in %llu of %lld steps%s%s%s, %s ms in each, worst %s ms in step %lld",
					(unsigned long long)rare->in, (long long)rare->of, of, who.at, others,
					finding_ms(f, rare->ns / (int64_t)rare->in).at,
					finding_ms(f, rare->worst_ns).at, (long long)rare->worst_step);
}

static void say_unknown(const struct making *m, struct finding *out)
{
	const struct figures *f = m->f;
	static const struct {
		enum leaf leaf;
		const char *what;
	} parts[] = {{LEAF_UNKNOWN_UNMATCHED, "before ops without a launch record"},
				 {LEAF_UNKNOWN_UNRECORDED, "between the nodes of CUDA graphs"},
				 {LEAF_UNKNOWN_UNEXPLAINED, "launched in time, but not started"}};
	if (findings_lack_cpu(m->summary)) {
		snprintf(out->summary, sizeof(out->summary),
				 "the trace ties no CPU activity to the GPU's (no launch records): why it was idle "
				 "cannot be told");
		snprintf(out->remedy, sizeof(out->remedy),
				 "record the CPU side too: ProfilerActivity.CPU and .CUDA; nsys -t cuda,nvtx");
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (f->time_ns[parts[i].leaf] > 0)
			finding_say(out->evidence, sizeof(out->evidence), "%s %s ms", parts[i].what,
						finding_ms(f, f->time_ns[parts[i].leaf]).at);
}

/* Of all devices, at least 1. */
static uint64_t all_steps(const struct making *m)
{
	uint64_t steps = 0;
	for (size_t i = 0; i < m->summary->n_devices; i++)
		steps += (uint64_t)m->summary->devices[i].steps;
	return steps > 0 ? steps : 1;
}

static void say_unsplit(const struct making *m, struct finding *out)
{
	const char *reason = finding_unsplit_reason(m->summary);
	finding_say(out->evidence, sizeof(out->evidence), "not split: %s", reason);
	if (strcmp(reason, "not full-synchronising") == 0) /* more ranks would not help */
		snprintf(out->remedy, sizeof(out->remedy),
				 "who sends late is not told: even out the stages, or overlap what they exchange");
}

/* What cannot be seen in the names behind a kind of loss. */
static void say_special(const struct making *m, const struct loss_kind *kind, struct finding *out)
{
	const struct figures *f = m->f;
	if (kind->leaves & LEAF_BIT(LEAF_NCCL_TRANSFER))
		finding_say_transfer(m->summary, f, out->evidence, sizeof(out->evidence));
	if (kind->leaves & LEAF_BIT(LEAF_NCCL_UNSPLIT))
		say_unsplit(m, out);
	if (kind->leaves & LEAF_BIT(LEAF_HOST_CODE) &&
		m->summary->quality.unsampled_ns > (uint64_t)time_in(m->summary, kind->leaves, 0) / 10)
		finding_say(
			out->evidence, sizeof(out->evidence),
			"%s ms/%s of it in silences that the sampler missed: perhaps blocked, input or no "
			"core",
			finding_ms(f, (int64_t)(m->summary->quality.unsampled_ns / all_steps(m))).at,
			f->has_steps ? "step" : "run");
	if (kind->leaves & LEAF_BIT(LEAF_CPU_FRAMEWORK) && f->short_kernels > f->kernels / 2)
		finding_say(out->evidence, sizeof(out->evidence),
					"%lld of %lld kernels a %s are shorter than 5 us", (long long)f->short_kernels,
					(long long)f->kernels, f->has_steps ? "step" : "run");
}

/* The device that has most more of a kind than the median of the others. */
static int worst_device(const struct making *m, const struct loss_kind *kind, size_t *device,
						struct excess *out)
{
	const struct summary *s = m->summary;
	*device = 0;
	for (size_t i = 1; i < s->n_devices; i++)
		if (loss_of_device(&s->devices[i], kind) > loss_of_device(&s->devices[*device], kind))
			*device = i;
	*out = (struct excess){.kind = kind, .own_ns = loss_of_device(&s->devices[*device], kind)};
	return loss_median_of_others(s, kind, *device, &out->others_ns);
}

/* Of a run without collectives nobody waits for a slow device: what it has more than the others is
 * a loss of its own. *taken_ns: its share, 0 when there is no such finding. */
static int add_asymmetry(const struct making *m, const struct loss_kind *kind, int64_t *taken_ns)
{
	struct finding finding = {.id = "asymmetry", .leaf = kind->leaf};
	struct excess excess;
	size_t device;
	*taken_ns = 0;
	if (m->f->devices < 2 || m->summary->n_nccl > 0 || kind->leaves & LOSS_UNKNOWN)
		return 0;
	int error = worst_device(m, kind, &device, &excess);
	int64_t more = excess.own_ns - excess.others_ns;
	finding.severity = severity(m, more); /* of that device's step */
	if (error || !finding_counts(&finding))
		return error;
	finding.share_ns = more / m->f->devices; /* of the mean step, like every share */
	*taken_ns = finding.share_ns;
	finding_say(finding.summary, sizeof(finding.summary), "%s has %s ms of %s, the others %s",
				finding_device(m->summary, device).at, finding_ms(m->f, excess.own_ns).at, kind->id,
				finding_ms(m->f, excess.others_ns).at);
	if (kind == &loss_kind_work) {
		finding_say_clock(m->summary, device, &excess, finding.summary, sizeof(finding.summary));
		finding_say_work(m->summary, device, &excess, finding.evidence, sizeof(finding.evidence));
		finding_say_slowed(m->summary, device, finding.evidence, sizeof(finding.evidence));
	} else {
		say_rare(m, kind->leaves, m->summary->devices[device].key, &finding);
	}
	snprintf(finding.remedy, sizeof(finding.remedy), "%s",
			 kind == &loss_kind_work ? finding_work_remedy(m->summary, device, &excess)
									 : kind->remedy);
	return add(m->out, &finding);
}

/* Where a loss that all have is larger on one device, that is said with it. */
static int say_worst(const struct making *m, const struct loss_kind *kind, struct finding *out)
{
	struct excess excess;
	size_t device;
	if (m->f->devices < 2 || kind->leaves & (LOSS_NCCL | LOSS_UNKNOWN))
		return 0;
	int error = worst_device(m, kind, &device, &excess);
	bool known = false; /* as what makes it late */
	for (size_t i = 0; i < m->late->n; i++)
		known = known || straggler_has(&m->late->at[i], m->summary, device);
	if (!error && !known && severity(m, excess.own_ns - excess.others_ns)[0] != 'n')
		finding_say(out->evidence, sizeof(out->evidence), "%s: %s ms, the others %s",
					finding_device(m->summary, device).at, finding_ms(m->f, excess.own_ns).at,
					finding_ms(m->f, excess.others_ns).at);
	return error;
}

/* The partition has more of this kind: what makes a rank late is told there. */
static void say_taken(const struct making *m, const struct loss_kind *kind, struct finding *out)
{
	for (size_t i = 0; i < m->late->n; i++) {
		const struct straggler *s = &m->late->at[i];
		if (s->taken_ns[kind - loss_kinds] > 0)
			finding_say(out->evidence, sizeof(out->evidence), "without the %s ms that make %s late",
						finding_ms(m->f, s->taken_ns[kind - loss_kinds]).at,
						finding_straggler(m->summary, s).at);
	}
}

/* What is left of a kind after the stragglers took theirs. */
static int64_t share_left(const struct making *m, const struct loss_kind *kind)
{
	int64_t share = loss_share(m->f, kind);
	for (size_t i = 0; i < m->late->n; i++) {
		const struct straggler *s = &m->late->at[i];
		enum leaf from = straggler_is_split(s) ? LEAF_NCCL_WAIT : LEAF_NCCL_UNSPLIT;
		share -= s->taken_ns[kind - loss_kinds];
		share -= kind->leaves & LEAF_BIT(from) ? s->wait_ns : 0;
	}
	return share;
}

static int add_loss(const struct making *m, const struct loss_kind *kind)
{
	struct finding finding = {.id = kind->id, .leaf = kind->leaf};
	int64_t apart_ns = 0;
	int error = 0;
	finding.share_ns = share_left(m, kind);
	finding.severity = kind->leaves & LOSS_UNKNOWN ? "none" : severity(m, finding.share_ns);
	if (!finding_counts(&finding))
		error = add_asymmetry(m, kind, &apart_ns);
	finding.share_ns -= apart_ns;
	if (error || finding.share_ns <= 0)
		return error;
	snprintf(finding.summary, sizeof(finding.summary), "%s", kind->meaning);
	snprintf(finding.remedy, sizeof(finding.remedy), "%s",
			 m->graphs && kind->graph_remedy ? kind->graph_remedy : kind->remedy);
	if (kind->leaves & LOSS_UNKNOWN)
		say_unknown(m, &finding);
	error = say_rows(m, kind->leaves, 0, &finding);
	say_special(m, kind, &finding);
	say_taken(m, kind, &finding);
	if (finding.share_ns == loss_share(m->f, kind))
		say_rare(m, kind->leaves, 0, &finding);
	if (!error && apart_ns == 0)
		error = say_worst(m, kind, &finding);
	return error ? error : add(m->out, &finding);
}

/* ---- ranks that the others wait for ---- */

static void say_late(const struct making *m, const struct straggler *s, char *out, size_t bytes)
{
	struct finding_words who = finding_straggler(m->summary, s);
	const char *what = finding_collectives(m->summary, "");
	struct finding_words late = finding_ms(m->f, s->late_ns);
	const struct lateness all = lateness_of(m->summary->late, m->summary->n_late);
	if (!s->late) {
		finding_say(out, bytes, "the others wait in NCCL for %s, %s ms", who.at, late.at);
		return;
	}
	int last = (int)(100 * (unsigned __int128)s->late->last / s->late->taken);
	int caused = (int)(100 * (__int128)s->caused_ns / all.caused_ns);
	if (s->host.at)
		finding_say(out, bytes, "the ranks of %s cause %d %% of the wait in %s, %s ms", who.at,
					caused, what, late.at);
	else if (!s->persistent && late_is_mostly_last(s->late, &all))
		finding_say(out, bytes, "%s is last into %llu of %llu %s, by %s ms: few to call it a habit",
					who.at, (unsigned long long)s->late->last, (unsigned long long)s->late->taken,
					what, late.at);
	else if (!s->persistent)
		finding_say(out, bytes,
					"ranks wait in %s, no rank is persistently last; %s causes %d %% of it", what,
					who.at, caused);
	else if (late_is_mostly_last(s->late, &all))
		finding_say(out, bytes, "%s is last into %d %% of %s, by %s ms", who.at, last, what,
					late.at);
	else
		finding_say(out, bytes, "%s causes %d %% of the wait in %s, %s ms", who.at, caused, what,
					late.at);
}

/* Of the rank that is named: a host's work is the mean of its devices. */
static struct excess excess_of_rank(const struct making *m, const struct straggler *s,
									const struct excess *e)
{
	struct excess own = *e;
	if (s->host.at)
		own.own_ns = loss_of_device(&m->summary->devices[s->device], e->kind);
	return own;
}

/* Why the work of that rank takes longer; nothing when it does so on others of its host alone. */
static void say_work(const struct making *m, const struct straggler *s, const struct excess *e,
					 char *out, size_t bytes)
{
	const struct excess own = excess_of_rank(m, s, e);
	if (own.own_ns <= own.others_ns)
		return;
	if (s->host.at)
		finding_say(out, bytes, "its work %s ms", finding_ms(m->f, own.own_ns).at);
	finding_say_work(m->summary, s->device, &own, out, bytes);
	if (e != &s->excess[0] || s->host.at)
		finding_say_clock(m->summary, s->device, &own, out, bytes);
	finding_say_slowed(m->summary, s->device, out, bytes);
}

/* What it does that the others do not, and the rows behind most of that. */
static int say_own_time(const struct making *m, const struct straggler *s, struct finding *out)
{
	const struct excess *most = &s->excess[0], *work = NULL;
	char *text = out->evidence;
	const size_t bytes = sizeof(out->evidence);
	const char *its = s->host.at ? "their" : "its";
	if (!most->kind) {
		finding_say(text, bytes, "nothing in %s own time differs from the others", its);
		return 0;
	}
	finding_say(out->summary, sizeof(out->summary), "%s own time: %s +%s ms", its, most->kind->id,
				finding_ms(m->f, most->own_ns - most->others_ns).at);
	for (const struct excess *e = most; e < most + EXCESSES && e->kind; e++) {
		finding_say(text, bytes, "%s %s ms, the others %s", e->kind->id,
					finding_ms(m->f, e->own_ns).at, finding_ms(m->f, e->others_ns).at);
		if (e->kind == &loss_kind_work && s->host.at)
			work = e; /* once it is said whose */
		else if (e->kind == &loss_kind_work)
			say_work(m, s, e, text, bytes);
	}
	if (s->host.at)
		finding_say(text, bytes, "most by %s", finding_device(m->summary, s->device).at);
	if (work)
		say_work(m, s, work, text, bytes);
	if (most->kind != &loss_kind_work)
		return say_rows(m, most->kind->leaves, m->summary->devices[s->device].key, out);
	if (!s->host.at)
		finding_say_clock(m->summary, s->device, most, out->summary, sizeof(out->summary));
	return 0;
}

static const char *remedy_of(const struct making *m, const struct straggler *s)
{
	if (s->missing)
		return missing_remedy;
	const struct loss_kind *own = s->excess[0].kind;
	if (own == &loss_kind_work) {
		const struct excess excess = excess_of_rank(m, s, &s->excess[0]);
		return finding_work_remedy(m->summary, s->device, &excess);
	}
	if (s->host.at)
		return "compare this host with the others: clock and load of its CPU, other jobs, where "
			   "its processes are bound, its storage";
	return own ? own->remedy : "see which rank is late and what it was doing";
}

static int add_straggler(const struct making *m, const struct straggler *s)
{
	const struct loss_kind *own = s->excess[0].kind;
	const char *id = s->missing      ? "late_missing"
					 : s->host.at    ? "late_host"
					 : s->persistent ? "late_rank"
									 : "wait";
	struct finding finding = {.id = id,
							  .leaf = straggler_is_split(s) ? "nccl.wait" : "nccl.unsplit",
							  .share_ns = straggler_share(s)};
	finding.severity = severity(m, finding.share_ns);
	if (s->partial)
		missing_say_late(m->summary, m->f, s, &finding);
	else
		say_late(m, s, finding.summary, sizeof(finding.summary));
	int error = s->missing ? 0 : say_own_time(m, s, &finding);
	if (own && own != &loss_kind_work)
		say_rare(m, own->leaves, m->summary->devices[s->device].key, &finding);
	snprintf(finding.remedy, sizeof(finding.remedy), "%s", remedy_of(m, s));
	return error ? error : add(m->out, &finding);
}

static int by_share(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	if (finding_counts(x) != finding_counts(y))
		return finding_counts(x) ? -1 : 1;
	if (x->share_ns != y->share_ns)
		return x->share_ns > y->share_ns ? -1 : 1;
	int ids = strcmp(x->id, y->id);
	return ids ? ids : strcmp(x->summary, y->summary);
}

int findings_make(const struct summary *summary, const struct figures *figures,
				  struct findings *out)
{
	struct stragglers late;
	struct making m = {summary, figures, &late, out, launches_graphs(summary, figures)};
	int64_t unused;
	memset(out, 0, sizeof(*out));
	int error = stragglers_open(&late, summary, figures);
	for (size_t i = 0; !error && i < late.n; i++)
		error = add_straggler(&m, &late.at[i]);
	for (int i = 0; !error && i < LOSS_KINDS; i++)
		error = add_loss(&m, &loss_kinds[i]);
	if (!error)
		error = add_asymmetry(&m, &loss_kind_work, &unused);
	stragglers_close(&late);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_share);
	if (error)
		findings_free(out);
	return error;
}

void findings_free(struct findings *findings)
{
	free(findings->at);
	memset(findings, 0, sizeof(*findings));
}
