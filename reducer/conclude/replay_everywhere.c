#include "conclude/replay_everywhere.h"

#include "base/saturate.h"
#include "conclude/replay_late.h"

#include <string.h>

/* In the order in which waiting for others shows. */
static const enum finding_id nccl_kinds[] = {FINDING_WAIT, FINDING_TRANSFER, FINDING_UNSPLIT};
enum { NCCL_KINDS = sizeof(nccl_kinds) / sizeof(nccl_kinds[0]) };

int64_t everywhere_own(const struct figures *f, const struct stragglers *late,
					   const struct finding_kind *kind)
{
	int64_t share = figures_time(f, kind->leaves);
	for (size_t i = 0; i < late->n; i++) {
		const struct straggler *s = &late->at[i];
		const enum leaf from = straggler_is_split(s) ? LEAF_NCCL_WAIT : LEAF_NCCL_UNSPLIT;
		share -= s->taken_ns[finding_kind_id(kind)];
		share -= kind->leaves & LEAF_BIT(from) ? s->wait_ns : 0;
	}
	return share;
}

/* What varies from one rank and step to another makes them wait, and is nobody's. */
static bool is_uneven(const char *cause)
{
	return strcmp(cause, "even_kernels") == 0 || strcmp(cause, "even_host") == 0;
}

/* What is left of NCCL's time for those who make others wait. What transfers cost when all is cured
 * is theirs. */
static int64_t left_of(const struct summary *summary, const struct figures *f,
					   const struct stragglers *late, enum finding_id from)
{
	const int64_t kept_ns = from == FINDING_TRANSFER ? replay_transfer_ns(summary) : 0;
	return everywhere_own(f, late, &finding_kinds[from]) - kept_ns;
}

/* A cause that wins more than its own time has made others wait. */
static void take_waits(int64_t left_ns, enum finding_id kind, int64_t *there_ns,
					   struct everywhere *out)
{
	for (size_t i = 0; i < NCCL_KINDS && left_ns > 0; i++) {
		const int64_t taken_ns = there_ns[i] < left_ns ? there_ns[i] : left_ns;
		if (taken_ns <= 0)
			continue;
		there_ns[i] -= taken_ns;
		out->taken_ns[nccl_kinds[i]] += taken_ns;
		out->others_ns[kind] += taken_ns;
		left_ns -= taken_ns;
	}
}

/* Where collectives are not split what unevenness wins is waiting in them. */
static void take_unsplit(int64_t left_ns, int64_t *there_ns, struct everywhere *out)
{
	int64_t *unsplit_ns = &there_ns[NCCL_KINDS - 1];
	const int64_t taken_ns = *unsplit_ns < left_ns ? *unsplit_ns : left_ns;
	if (taken_ns <= 0)
		return;
	*unsplit_ns -= taken_ns;
	out->taken_ns[FINDING_UNSPLIT] += taken_ns;
	out->others_ns[FINDING_WAIT] += taken_ns;
}

/* Host work that takes longer at times than usually may be long enough to be code. */
static int64_t take_code(int64_t left_ns, int64_t *own_ns, struct everywhere *out)
{
	const int64_t taken_ns = *own_ns < left_ns ? *own_ns : left_ns;
	if (taken_ns <= 0)
		return 0;
	*own_ns -= taken_ns;
	out->taken_ns[FINDING_HOST_CODE] += taken_ns;
	out->code_ns += taken_ns;
	return taken_ns;
}

/* False: it is one rank's or host's, or its gain is none of a single loss. */
static bool is_everywhere(const struct summary *summary, const struct culprit_summary *culprit,
						  enum finding_id *id)
{
	const bool uneven = is_uneven(summary_text(summary, culprit->cause));
	const struct finding_kind *kind =
		uneven ? &finding_kinds[FINDING_WAIT] : replay_kind(summary, culprit);
	if (culprit->order == 0 || culprit->device || culprit->host || !kind)
		return false;
	*id = finding_kind_id(kind);
	return (int)*id < LOSS_KINDS;
}

void everywhere_find(const struct summary *summary, const struct figures *f,
					 const struct stragglers *late, struct everywhere *out)
{
	int64_t own_ns[LOSS_KINDS], there_ns[NCCL_KINDS];
	*out = (struct everywhere){0};
	if (!replay_knows(summary))
		return;
	for (size_t i = 0; i < NCCL_KINDS; i++)
		there_ns[i] = left_of(summary, f, late, nccl_kinds[i]);
	for (int kind = 0; kind < LOSS_KINDS; kind++)
		own_ns[kind] = everywhere_own(f, late, &finding_kinds[kind]);
	for (size_t i = 0; i < summary->n_culprits; i++) { /* what each wins beside those before it */
		const struct culprit_summary *culprit = &summary->culprits[i];
		enum finding_id id;
		if (!is_everywhere(summary, culprit, &id))
			continue;
		out->alone_ns[id] = replay_alone_ns(culprit, out->known[id] ? &out->alone_ns[id] : NULL);
		if (!out->known[id])
			out->rank_ns[id] = replay_rank_ns(summary, culprit);
		out->known[id] = true;
		out->gain_ns[id] = saturate_add(out->gain_ns[id], culprit->gain_ns);
		out->low_ns[id] = saturate_add(out->low_ns[id], culprit->low_ns);
		out->high_ns[id] = saturate_add(out->high_ns[id], culprit->high_ns);
		out->reference[id] = gain_reference_of(summary_text(summary, culprit->cause));
		int64_t used_ns = own_ns[id] < culprit->gain_ns ? own_ns[id] : culprit->gain_ns;
		own_ns[id] -= used_ns > 0 ? used_ns : 0;
		if (id == FINDING_FRAMEWORK)
			used_ns += take_code(culprit->gain_ns - used_ns, &own_ns[FINDING_HOST_CODE], out);
		if (id == FINDING_WAIT) { /* what unevenness wins is no later culprit's */
			there_ns[0] -= used_ns > 0 ? used_ns : 0;
			take_unsplit(culprit->gain_ns - (used_ns > 0 ? used_ns : 0), there_ns, out);
		} else {
			take_waits(culprit->gain_ns - (used_ns > 0 ? used_ns : 0), id, there_ns, out);
		}
	}
	if (!out->known[FINDING_WAIT]) { /* evening it out wins nothing */
		out->reference[FINDING_WAIT] = REFERENCE_PEERS;
		out->alone_ns[FINDING_WAIT] = -1;
	}
	out->known[FINDING_WAIT] |= replay_clears(summary);
}
