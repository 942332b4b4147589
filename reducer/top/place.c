#include "top/place.h"

#include "read/run.h"
#include "top/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 8192 };

/* ---- lists of CPUs ---- */

/* The next range of a list; false: there is none. */
static bool next_range(const char **at, unsigned long *first, unsigned long *last)
{
	char *end;
	if (**at < '0' || **at > '9')
		return false;
	*first = *last = strtoul(*at, &end, 10);
	if (*end == '-')
		*last = strtoul(end + 1, &end, 10);
	*at = *end == ',' ? end + 1 : end;
	return true;
}

/* The kernel writes them in order, so that one walk through both is enough. */
bool top_place_meets(const char *cpus, const char *others)
{
	unsigned long first, last, from, to;
	if (!cpus[0] || !others[0])
		return true;
	bool more = next_range(&cpus, &first, &last) && next_range(&others, &from, &to);
	while (more && (last < from || to < first))
		more = last < to ? next_range(&cpus, &first, &last) : next_range(&others, &from, &to);
	return more;
}

/* ---- finding ---- */

/* A list that is too long ends with ".." after a whole part of it. */
static void copy(char *out, size_t bytes, const char *text)
{
	const size_t n = strlen(text);
	size_t fits = n < bytes ? n : bytes - 3;
	while (fits < n && fits > 0 && text[fits] != ',' && text[fits] != ' ')
		fits--;
	memcpy(out, text, fits);
	strcpy(out + fits, fits < n ? ".." : "");
}

static void take(char *out, size_t bytes, const struct run *run, uint32_t id)
{
	copy(out, bytes, strings_get(&run->pool, id).at);
}

/* What the kernel says of a process that lives; NULL: nothing. */
static const char *read_allowed(int64_t pid, char *line, size_t bytes)
{
	static const char head[] = "Cpus_allowed_list:\t";
	char path[64];
	const char *list = NULL;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/status", pid);
	FILE *file = fopen(path, "re");
	while (file && !list && fgets(line, (int)bytes, file))
		if (strncmp(line, head, sizeof(head) - 1) == 0 && strchr(line, '\n'))
			list = line + sizeof(head) - 1;
	if (file)
		fclose(file);
	if (list)
		line[strcspn(line, "\n")] = 0;
	return list;
}

void top_place_find(struct top_place *place, const struct run *run, const struct run_device *device,
					const struct run_process *process)
{
	const char *near = device ? strings_get(&run->pool, device->cpus).at : "", *cpus = NULL;
	char line[LINE_BYTES];
	*place = (struct top_place){0};
	if (device) {
		take(place->pci, sizeof(place->pci), run, device->pci);
		take(place->numa, sizeof(place->numa), run, device->numa);
		take(place->links, sizeof(place->links), run, device->links);
		place->at = device->place;
	}
	if (top_state_is_here(process))
		cpus = read_allowed(process->pid, line, sizeof(line));
	if (!cpus)
		cpus = strings_get(&run->pool, process->cpus).at;
	copy(place->gpu_cpus, sizeof(place->gpu_cpus), near);
	copy(place->cpus, sizeof(place->cpus), cpus);
	place->far = !top_place_meets(cpus, near); /* of the whole lists */
}
