/* A library that launches in its own odd way. caller.c loads it. */
#ifndef SIMTRAIN_CALLERS_CALLER_H
#define SIMTRAIN_CALLERS_CALLER_H

#define CALLER_API __attribute__((visibility("default")))

/* `n` launches on the calling thread and their end; 0 or the CUresult that went wrong. */
CALLER_API int caller_launch(unsigned n);

#endif
