/* NVTX version 3, the little that the program says. No-ops unless NVTX_INJECTION64_PATH names a
 * library that wants to hear it. */
#ifndef SIMTRAIN_NVTX_H
#define SIMTRAIN_NVTX_H

/* A range of the default domain. */
void nvtx_push(const char *text);
void nvtx_pop(void);
/* A range of the domain "simtrain" with a registered string; `text` is a literal. */
void nvtx_phase_push(const char *text);
void nvtx_phase_pop(void);
void nvtx_mark(const char *text);
/* From now on the calls above do nothing. */
void nvtx_silence(void);

#endif
