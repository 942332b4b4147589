#include "export/job.h"

#include <inttypes.h>
#include <stdio.h>

char *export_member_name(const struct export_member *m, const char *ending)
{
	char *name;
	const int n = m->alone ? asprintf(&name, "rank%03" PRId32 ".%s", m->rank, ending)
				  : m->rank >= 0
					  ? asprintf(&name, "rank%03" PRId32 ".%" PRId64 ".%zu.%s", m->rank, m->pid,
								 m->place, ending)
					  : asprintf(&name, "process%" PRId64 ".%zu.%s", m->pid, m->place, ending);
	return n < 0 ? NULL : name;
}
