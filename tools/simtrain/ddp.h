/* One process per device, gradients summed in buckets while the backward pass goes on. */
#ifndef SIMTRAIN_DDP_H
#define SIMTRAIN_DDP_H

#include "options.h"

void ddp_train(const struct options *options);

#endif
