/* Where the GPUs of this node sit: their addresses on the PCI bus, the NUMA node and CPUs near
 * each, and what connects them, in the words of nvidia-smi topo -m. */
#ifndef RECORD_PLACE_H
#define RECORD_PLACE_H

#include "record/nvml.h"

enum { PLACE_TEXT_BYTES = 4096 /* a page: what sysfs gives at most */ };

/* What is not known is "". */
struct place {
	char pci[NVML_PCI_BYTES];
	char numa[16];
	char cpus[PLACE_TEXT_BYTES];
	char links[NVML_DEVICES * 6]; /* to each GPU of NVML's list, itself included: "X NV18 SYS" */
};
void place_find(const struct nvml *nvml, unsigned device, struct place *place);

#endif
