/* The probe's kernels, as PTX that the driver compiles: no nvcc is needed. */
#ifndef PROBE_KERNELS_H
#define PROBE_KERNELS_H

/* The text for the n-th target, oldest first (each driver takes some); NULL after the last. The
 * text is valid until the next call. */
const char *kernels_ptx(int n);

#endif
