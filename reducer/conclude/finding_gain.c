#include "conclude/finding_gain.h"

#include "conclude/finding_text.h"

/* The gain is that of host work as long as in most steps. No replay asks for what it takes in each
 * step: that is ranked by its time, like other losses without a gain. */
static void rank_steady(struct finding *out)
{
	const int64_t steady_ns = out->share_ns - out->gain_ns;
	if (out->gain_known && out->reference == REFERENCE_STEPS && steady_ns > out->rank_ns)
		out->rank_ns = steady_ns;
}

static int64_t part_of(int64_t ns, int64_t share_ns, int64_t whole_ns)
{
	return whole_ns > share_ns ? (int64_t)((__int128)ns * share_ns / whole_ns) : ns;
}

void finding_take_gain(const struct finding_source *m, int64_t whole_ns, struct finding *out)
{
	const struct everywhere *e = m->everywhere;
	const int64_t alone_ns = e->alone_ns[out->id];
	out->gain_known = e->known[out->id];
	out->gain_ns = part_of(e->gain_ns[out->id], out->share_ns, whole_ns);
	out->gain_low_ns = part_of(e->low_ns[out->id], out->share_ns, whole_ns);
	out->gain_high_ns = part_of(e->high_ns[out->id], out->share_ns, whole_ns);
	out->gain_alone_ns = alone_ns < 0 ? alone_ns : part_of(alone_ns, out->share_ns, whole_ns);
	out->reference = e->reference[out->id];
	out->gain_unsized = !replay_sizes(m->summary);
	out->rank_ns = part_of(e->rank_ns[out->id], out->share_ns, whole_ns);
	rank_steady(out);
}

void finding_say_unsized(const struct finding_source *m, struct finding *out)
{
	const struct culprit_summary *replay = m->summary->culprits;
	if (out->gain_known && out->gain_unsized && finding_counts(out))
		finding_say(out->evidence, sizeof(out->evidence),
					"how much curing it wins cannot be said: the trace does not explain %.1f %% of "
					"the critical path",
					100.0 * (double)replay->unexplained_ns / (double)replay->step_ns);
}

void finding_say_transfer_gain(const struct finding_source *m, struct finding *out)
{
	finding_say(out->evidence, sizeof(out->evidence),
				"without any transfer a %s would be %s ms shorter", finding_per(m->f),
				finding_ms(m->f, replay_transfer_ns(m->summary)).at);
}

/* Where others hide them: curing transfers first wins less. */
void finding_say_hidden_transfers(const struct finding_source *m, struct finding *out)
{
	const int64_t ns = replay_transfer_alone_ns(m->summary);
	if (ns >= 0 && 2 * ns < replay_transfer_ns(m->summary))
		finding_say(
			out->evidence, sizeof(out->evidence),
			"without any transfer a %s would be %s ms shorter, and %s ms once the other losses "
			"are cured",
			finding_per(m->f), finding_ms(m->f, ns).at,
			finding_ms(m->f, replay_transfer_ns(m->summary)).at);
}

void finding_say_copies_gain(const struct finding_source *m, struct finding *out)
{
	const int64_t ns = replay_copies_ns(m->summary);
	if (ns >= 0)
		finding_say(out->evidence, sizeof(out->evidence),
					"without these copies a %s would be %s ms shorter", finding_per(m->f),
					finding_ms(m->f, ns).at);
}

/* A loss whose cure wins more than its own time: others wait for who has it. */
static void judge_hidden(const struct finding_source *m, struct finding *loss)
{
	if (!loss->gain_known || loss->gain_unsized || loss->gain_ns < loss->share_ns)
		return;
	const enum severity sure = severity_of(m->summary, m->f, loss->gain_ns, loss->gain_low_ns);
	const enum severity seen = severity_of(m->summary, m->f, loss->gain_ns, loss->gain_ns);
	if (sure > loss->severity)
		loss->severity = sure;
	if (loss->severity == SEVERITY_NONE && seen > SEVERITY_NONE)
		loss->severity = SEVERITY_LOW;
}

/* Waiting by turns of which steps as even as their mean would win little is what others cause: it
 * stays a finding, of the severity of that gain. */
void finding_judge_gain(const struct finding_source *m, struct finding *loss)
{
	if (loss->id != FINDING_WAIT || m->everywhere->others_ns[FINDING_WAIT] > 0)
		judge_hidden(m, loss);
	if (loss->id != FINDING_WAIT || !loss->gain_known || loss->severity <= SEVERITY_LOW)
		return;
	const enum severity by_gain = severity_of(m->summary, m->f, loss->gain_ns, loss->gain_ns);
	if (by_gain < loss->severity)
		loss->severity = by_gain > SEVERITY_LOW ? by_gain : SEVERITY_LOW;
}
