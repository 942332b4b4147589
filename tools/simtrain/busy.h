/* CPU time, spent by counting: a thread that is preempted is not excused. */
#ifndef SIMTRAIN_BUSY_H
#define SIMTRAIN_BUSY_H

void busy_ns(long ns);

#endif
