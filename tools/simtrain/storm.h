/* Nothing but launches: what a recorder must count. */
#ifndef SIMTRAIN_STORM_H
#define SIMTRAIN_STORM_H

#include "options.h"

void storm_run(const struct options *options);

#endif
