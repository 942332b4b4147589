/* The data loader: a thread that makes batches and a queue of them. A batch is this rank's share
 * of the step's samples, added up, in pinned memory: over all ranks the shares add up to the same
 * whatever their number. */
#ifndef SIMTRAIN_LOADER_H
#define SIMTRAIN_LOADER_H

#include "options.h"

enum { BATCH_FLOATS = 16384, BATCH_BYTES = BATCH_FLOATS * 4 };

struct loader;

/* For `share` of `shares`. */
struct loader *loader_start(const struct options *options, int share, int shares);
/* The next batch, good until the one after the next is taken. Blocks until there is one. */
const float *dataloader_next(struct loader *loader);
void loader_stop(struct loader *loader);

#endif
