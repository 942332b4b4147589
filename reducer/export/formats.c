#include "export/formats.h"

#include "export/nsys.h"
#include "export/nvprof.h"
#include "export/timeline_files.h"

#include <stddef.h>
#include <string.h>

const struct export_format export_formats[] = {
	{"nsys-sqlite", "the SQLite file that `nsys export -t sqlite` makes", nsys_export, false},
	{"nvprof-csv", "the tables that `nvprof --csv` prints", nvprof_export, false},
	{"perfetto", "a timeline for ui.perfetto.dev and its trace processor", timeline_perfetto, true},
	{"chrome", "the same as JSON, for chrome://tracing", timeline_chrome, true},
	{"kineto", "a file for each process, as torch.profiler writes them", timeline_kineto, true},
	{0},
};

const struct export_format *export_format_find(const char *name)
{
	for (const struct export_format *f = export_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}
