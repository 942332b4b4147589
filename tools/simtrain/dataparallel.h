/* One process with all devices, as nn.DataParallel: weights broadcast, gradients reduced to the
 * first device, each step. */
#ifndef SIMTRAIN_DATAPARALLEL_H
#define SIMTRAIN_DATAPARALLEL_H

#include "options.h"

void dataparallel_train(const struct options *options);

#endif
