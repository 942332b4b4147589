#include "record/place.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The kernel's form of an address has four digits of the domain, and small letters. */
static void kernel_form(const char *pci, char *out, size_t bytes)
{
	const char *colon = strchr(pci, ':');
	const size_t domain = colon ? (size_t)(colon - pci) : 0;
	snprintf(out, bytes, "%s", domain > 4 ? pci + domain - 4 : pci);
	for (char *c = out; *c; c++)
		*c = (char)tolower((unsigned char)*c);
}

/* The first line of a file that the kernel has about a device of the bus; "": there is none, or no
 * room for all of it. */
static void read_about(const char *pci, const char *what, char *text, size_t bytes)
{
	char path[128];
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", pci, what);
	FILE *file = fopen(path, "re");
	text[0] = 0;
	if (!file)
		return;
	if (!fgets(text, (int)bytes, file) || !strchr(text, '\n'))
		text[0] = 0;
	text[strcspn(text, "\n")] = 0;
	fclose(file);
}

static void add_link(char *links, size_t bytes, const char *word)
{
	const size_t used = strlen(links);
	snprintf(links + used, bytes - used, "%s%s", used ? " " : "", word);
}

void place_find(const struct nvml *nvml, unsigned device, struct place *place)
{
	char pci[NVML_PCI_BYTES] = "", word[NVML_LINK_BYTES];
	*place = (struct place){0};
	nvml_pci(&nvml->devices[device], pci);
	kernel_form(pci, place->pci, sizeof(place->pci));
	if (place->pci[0]) {
		read_about(place->pci, "numa_node", place->numa, sizeof(place->numa));
		read_about(place->pci, "local_cpulist", place->cpus, sizeof(place->cpus));
	}
	if (place->numa[0] == '-') /* the machine has one node */
		place->numa[0] = 0;
	for (unsigned i = 0; i < nvml->n_devices; i++) {
		nvml_link(&nvml->devices[device], &nvml->devices[i], word);
		add_link(place->links, sizeof(place->links), i == device ? "X" : word[0] ? word : "?");
	}
}
