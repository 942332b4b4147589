#include "conclude/finding_unknown.h"

#include "base/source.h"
#include "conclude/finding_text.h"

#include <stdio.h>

/* What the trace lacks, and what to try: in the sentence that is said of the part with most time. */
struct reason {
	const char *evidence; /* what comes after "N ms" */
	const char *summary;
	const char *recorded, *imported; /* what to try, by where the trace comes from */
};

static const struct part {
	enum leaf leaf;
	struct reason reason;
} parts[] = {
	{LEAF_UNKNOWN_UNMATCHED,
	 {"before operations without a launch record",
	  "The trace does not explain the idle time: the launch records are missing",
	  "record a shorter part of the job (--duration); the line Quality says how many records were "
	  "dropped",
	  "profile a shorter part, so that no CPU record is dropped; record all threads, with "
	  "ProfilerActivity.CPU and .CUDA or nsys -t cuda,nvtx"}},
	{LEAF_UNKNOWN_UNRECORDED,
	 {"between the nodes of CUDA graphs",
	  "The trace does not explain the idle time: it lies inside CUDA graphs, whose edges are not "
	  "recorded",
	  "run once without CUDA graphs and compare; fuse the nodes before the longest gaps",
	  "run once without CUDA graphs and compare; fuse the nodes before the longest gaps"}},
	{LEAF_UNKNOWN_UNEXPLAINED,
	 {"although the next operation had been launched in time",
	  "The trace does not explain the idle time: the next work was launched, but did not start",
	  "look for another process on the GPU (nvidia-smi) and for work that waits on another stream",
	  "record with baton: it also sees host functions, waits for other devices and other "
	  "processes"}},
};
enum { PARTS = sizeof(parts) / sizeof(parts[0]) };

static const struct reason no_launches = {
	"", "The trace has no launch records, so it cannot say why the GPU was idle", "",
	"record CPU activity too: ProfilerActivity.CPU and .CUDA; nsys -t cuda,nvtx; nvprof "
	"--print-api-trace beside --print-gpu-trace"};

static const struct reason early_clock = {
	"", "The trace does not explain the idle time: operations begin before their own launch does",
	"the clocks of CPU and GPU disagree: record again, and report it if it stays",
	"the clocks of CPU and GPU disagree in this profile: record with baton, or profile again"};

static const struct reason *main_reason(const struct finding_source *m)
{
	const struct quality *q = &m->summary->quality;
	const struct part *most = &parts[0];
	if (figures_lack_cpu(m->summary))
		return &no_launches;
	for (const struct part *part = parts; part < parts + PARTS; part++)
		if (m->f->time_ns[part->leaf] > m->f->time_ns[most->leaf])
			most = part;
	if (most == &parts[0] && q->invalid_timestamps > q->unmatched_ops)
		return &early_clock;
	return &most->reason;
}

void finding_say_unknown(const struct finding_source *m, struct finding *out)
{
	const struct reason *reason = main_reason(m);
	const char *source = summary_text(m->summary, m->summary->run.source);
	const bool recorded = source_is_recorded(source_kind(source)) && reason->recorded[0];
	snprintf(out->summary, sizeof(out->summary), "%s", reason->summary);
	snprintf(out->remedy, sizeof(out->remedy), "%s",
			 recorded ? reason->recorded : reason->imported);
	for (const struct part *part = parts; part < parts + PARTS; part++)
		if (m->f->time_ns[part->leaf] > 0)
			finding_say(out->evidence, sizeof(out->evidence), "%s ms %s",
						finding_ms(m->f, m->f->time_ns[part->leaf]).at, part->reason.evidence);
}
