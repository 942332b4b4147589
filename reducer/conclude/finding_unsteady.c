#include "conclude/finding_unsteady.h"

#include "conclude/finding_text.h"

#include <stdio.h>

enum { WORTH_PART = 20 /* of the finding: less of it in long stretches is not said */ };

void finding_say_unsteady(const struct finding_source *m, struct finding *out)
{
	const int64_t code_ns = m->everywhere->code_ns;
	const bool mostly_steady = out->gain_ns < out->share_ns - out->gain_ns;
	const char *fewer = m->graphs ? "capture the remaining single launches in CUDA graphs"
								  : "make fewer launches: CUDA graphs, torch.compile";
	static const char disturbs[] = "find what disturbs the host (other jobs on its cores, CPU "
								   "clocks, garbage collection, page faults)";
	if (!out->gain_known || out->reference != REFERENCE_STEPS)
		return;
	finding_say(out->evidence, sizeof(out->evidence),
				"the same host work takes longer in some steps than in most");
	if (WORTH_PART * (__int128)code_ns >= out->share_ns)
		finding_say(out->evidence, sizeof(out->evidence),
					"%s ms of it is in stretches of 1 ms and more", finding_ms(m->f, code_ns).at);
	if (mostly_steady)
		snprintf(out->remedy, sizeof(out->remedy), "%s; %s", fewer, disturbs);
	else
		snprintf(out->remedy, sizeof(out->remedy), "%s, or %s", disturbs, fewer);
}
