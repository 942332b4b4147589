#include "conclude/finding_joint.h"

#include "conclude/finding_text.h"
#include "conclude/replay_late.h"

#include <stdio.h>
#include <string.h>

/* Is the culprit what the finding is about: its rank's or host's, or its kind on all ranks? */
static bool is_of(const struct finding_source *m, const struct finding *out,
				  const struct culprit_summary *culprit)
{
	const size_t device = replay_device(m->summary, culprit);
	if (device != m->summary->n_devices)
		return out->whom.device_known && out->whom.device == device;
	return !out->whom.device_known && !out->whom.host.at &&
		   replay_kind(m->summary, culprit) == &finding_kinds[out->id];
}

/* "rank 1 (blocked)" */
static void name_other(const struct summary *summary, const struct culprit_summary *culprit,
					   char *out, size_t bytes)
{
	const char *cause = summary_text(summary, culprit->with_cause);
	if (culprit->with_rank >= 0)
		snprintf(out, bytes, "rank %d (%s)", culprit->with_rank, cause);
	else if (culprit->with_device)
		snprintf(out, bytes, "%.80s (%s)", summary_text(summary, culprit->with_device), cause);
	else
		snprintf(out, bytes, "%s", cause);
}

bool finding_joint_ranks(const struct summary *summary, const struct straggler *straggler,
						 char *out, size_t bytes)
{
	const struct culprit_summary *culprit = straggler->culprit;
	if (!culprit || !culprit->with_cause || culprit->rank < 0 || culprit->with_rank < 0 ||
		culprit->rank == culprit->with_rank ||
		replay_total(summary, culprit).gain_ns != culprit->gain_ns)
		return false;
	snprintf(out, bytes, "rank %d together with rank %d", culprit->rank, culprit->with_rank);
	return true;
}

void finding_say_joint(const struct finding_source *m, struct finding *out)
{
	const struct culprit_summary *joint = NULL;
	char other[128], part[160] = "it pays";
	size_t n = 0;
	for (size_t i = 0; out->gain_known && i < m->summary->n_culprits; i++) {
		const struct culprit_summary *culprit = &m->summary->culprits[i];
		if (culprit->order == 0 || !is_of(m, out, culprit))
			continue;
		joint = culprit->with_cause ? culprit : joint;
		n++;
	}
	if (!joint)
		return;
	out->joint = joint;
	name_other(m->summary, joint, other, sizeof(other));
	if (n > 1) /* the rest of the gain needs no other cure */
		snprintf(part, sizeof(part), "%s ms of it pay", finding_ms(m->f, joint->gain_ns).at);
	finding_say(out->summary, sizeof(out->summary),
				"%s only together with %s: alone they win %s and %s ms per %s", part, other,
				finding_ms(m->f, joint->alone_ns).at, finding_ms(m->f, joint->with_alone_ns).at,
				finding_per(m->f));
}
