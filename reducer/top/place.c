#include "top/place.h"

#include "read/run.h"
#include "top/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What the kernel says of a process that lives. */
static bool read_allowed(int64_t pid, char *out, size_t bytes)
{
	static const char head[] = "Cpus_allowed_list:\t";
	char path[64], line[4096];
	bool found = false;
	snprintf(path, sizeof(path), "/proc/%" PRId64 "/status", pid);
	FILE *file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		found = strncmp(line, head, sizeof(head) - 1) == 0;
		line[strcspn(line, "\n")] = 0;
		if (found)
			copy(out, bytes, line + sizeof(head) - 1);
	}
	if (file)
		fclose(file);
	return found;
}

void top_place_find(struct top_place *place, const struct run *run, const struct run_device *device,
					const struct run_process *process)
{
	*place = (struct top_place){0};
	if (device) {
		take(place->pci, sizeof(place->pci), run, device->pci);
		take(place->numa, sizeof(place->numa), run, device->numa);
		take(place->gpu_cpus, sizeof(place->gpu_cpus), run, device->cpus);
		take(place->links, sizeof(place->links), run, device->links);
		place->at = device->place;
	}
	if (!top_state_is_here(process) ||
		!read_allowed(process->pid, place->cpus, sizeof(place->cpus)))
		take(place->cpus, sizeof(place->cpus), run, process->cpus);
}

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

bool top_place_meets(const char *cpus, const char *others)
{
	unsigned long first, last, from, to;
	if (!cpus[0] || !others[0])
		return true;
	while (next_range(&cpus, &first, &last))
		for (const char *at = others; next_range(&at, &from, &to);)
			if (first <= to && from <= last)
				return true;
	return false;
}
