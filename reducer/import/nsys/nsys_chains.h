/* CUDA_CALLCHAINS: the call stacks of CUDA calls, as stacks of the processes' traces. */
#ifndef IMPORT_NSYS_CHAINS_H
#define IMPORT_NSYS_CHAINS_H

#include "import/nsys/nsys_file.h"

struct nsys_chains;

/* Reads the table. NULL: the export has none, or there is no memory for it (nsys_fail()). */
struct nsys_chains *nsys_chains_new(struct nsys_file *file);
void nsys_chains_free(struct nsys_chains *chains);
/* The dictionary id, in the process's trace, of a chain of this number; 0: there is none. */
uint32_t nsys_chains_stack(const struct nsys_chains *chains, const struct nsys_process *process,
						   int64_t id);

#endif
