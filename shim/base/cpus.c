#include "base/cpus.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

void cpus_text(char *text, size_t bytes)
{
	cpu_set_t may; /* where there are more CPUs than it has room for, the call fails */
	size_t used = 0;
	text[0] = 0;
	if (sched_getaffinity(getpid(), sizeof(may), &may) != 0)
		return;
	for (int cpu = 0, first; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &may))
			continue;
		for (first = cpu; cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, &may);)
			cpu++;
		const char *comma = used ? "," : "";
		const int n = first == cpu
						  ? snprintf(text + used, bytes - used, "%s%d", comma, first)
						  : snprintf(text + used, bytes - used, "%s%d-%d", comma, first, cpu);
		if (n < 0 || (size_t)n >= bytes - used) {
			text[0] = 0;
			return;
		}
		used += (size_t)n;
	}
}
