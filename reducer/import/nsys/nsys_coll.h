/* NCCL's calls as nsys shows them: ranges of the domain NCCL with a payload. */
#ifndef IMPORT_NSYS_COLL_H
#define IMPORT_NSYS_COLL_H

#include <stddef.h>
#include <stdint.h>

enum nsys_size_rule { SIZE_NONE, SIZE_ONE, SIZE_RANKS }; /* of the payload's message size */

struct nsys_coll {
	const char *call; /* NVTX text */
	uint8_t coll;     /* enum baton_coll */
	uint8_t kernel;   /* that its kernel's name says */
	uint8_t in, out;  /* enum nsys_size_rule of the buffers: NCCL gives ReduceScatter's output,
						 AllGather's input */
	uint8_t schema;   /* NCCL's number of the payload's schema */
};

/* By the text of a range, any case; by enum baton_coll. NULL: none. */
const struct nsys_coll *nsys_coll_called(const char *text, size_t bytes);
const struct nsys_coll *nsys_coll_of(int64_t coll);

/* The category of ranges that baton's own exports make from the rows of NCCL (export/nsys_payloads.c):
 * an import takes their payloads, and no ranges. */
enum { NSYS_CATEGORY_MADE = 0x6261746f };

#endif
