/* The arguments of NCCL calls, from the NVTX payloads of NCCL 2.14 and later where the export has
 * them: `nsys export --include-blobs=true` (binaryData, with NVTX_PAYLOAD_SCHEMA_ENTRIES) or
 * --include-json=true (jsonText). A call is joined to the one kernel that the same thread launched
 * inside its range, or inside the end of its group. Where several kernels are possible, no row is
 * made. Nothing is kept when there are no payloads. One thread. */
#ifndef IMPORT_NSYS_NCCL_H
#define IMPORT_NSYS_NCCL_H

#include <stddef.h>
#include <stdint.h>

struct nsys_file;
struct nsys_nccl;
struct nsys_process;

/* An op or a call of the export. */
struct nsys_interval {
	int64_t correlation;
	int64_t start_ns;
	int64_t end_ns;
};

/* NULL: the export has no payloads, or memory is out (then file->error is set). The other functions
 * do nothing with NULL. */
struct nsys_nccl *nsys_nccl_new(struct nsys_file *file);
void nsys_nccl_free(struct nsys_nccl *nccl);

/* Call for every kernel, then for every call. `name` need not end with a NUL. */
void nsys_nccl_kernel(struct nsys_nccl *nccl, struct nsys_process *process, const char *name,
					  size_t bytes, const struct nsys_interval *op);
void nsys_nccl_call(struct nsys_nccl *nccl, struct nsys_process *process, int64_t thread,
					const struct nsys_interval *call);

/* Adds the collective rows. */
void nsys_nccl_finish(struct nsys_nccl *nccl, struct nsys_file *file);

#endif
