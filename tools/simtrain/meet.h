/* How ranks learn of each other: rank 0 leaves NCCL's id in the file SIMTRAIN_ID names (simlaunch
 * sets it), the others wait for it. */
#ifndef SIMTRAIN_MEET_H
#define SIMTRAIN_MEET_H

#include "interfaces.h"

ncclComm_t meet_others(int rank, int ranks);

#endif
