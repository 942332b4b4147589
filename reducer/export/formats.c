#include "export/formats.h"

#include "export/timeline_files.h"

const struct export_format export_formats[] = {
	{"perfetto", "a timeline for ui.perfetto.dev and its trace processor (docs/TIMELINES.md)",
	 timeline_perfetto},
	{"chrome", "the same as JSON, for chrome://tracing; compressed when the name ends in .gz",
	 timeline_chrome},
	{"kineto",
	 "a directory with a file for each process, as torch.profiler writes them, for "
	 "HolisticTraceAnalysis and TensorBoard",
	 timeline_kineto},
	{0},
};
