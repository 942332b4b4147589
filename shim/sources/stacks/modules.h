/* Which mapped ELF file an address belongs to. Slow path only: the loader's lock is taken, for as
 * long as its list is looked at; files are remembered until the loader unloads something. */
#ifndef SHIM_MODULES_H
#define SHIM_MODULES_H

#include <stdint.h>

struct module_place {
	uint32_t module;     /* id of the module record; 0: unknown */
	uint64_t offset;     /* virtual address in that file; the address itself when unknown */
	uintptr_t from, end; /* of the executable segment that holds the address */
};

/* Their ids mean nothing any more. */
void modules_forget(void);

void modules_resolve(void *const addresses[], unsigned n, struct module_place places[]);
#endif
