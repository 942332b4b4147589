/* The cases of double.c, and what they share: the runtime's functions, kernels, what the observer
 * saw. */
#ifndef DOUBLE_CASES_H
#define DOUBLE_CASES_H

#include "doubles/observe.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

struct dim {
	unsigned x, y, z;
};
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaHostAlloc(void **, size_t, unsigned);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemset(void *, int, size_t);
int cudaSetDevice(int);
int cudaGetDevice(int *);
int cudaGetDeviceCount(int *);
int cudaGetLastError(void);
int cudaLaunchKernel(const void *, struct dim, struct dim, void **, size_t, void *);
int __cudaLaunchKernel(void *, struct dim, struct dim, void **, size_t, void *);
int __cudaGetKernel(void **, const void *);
int cudaLaunchHostFunc(void *, void (*)(void *), void *);
int cudaStreamCreate(void **);
int cudaStreamCreateWithFlags(void **, unsigned);
int cudaStreamDestroy(void *);
int cudaStreamSynchronize(void *);
int cudaStreamQuery(void *);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaEventCreate(void **);
int cudaEventRecord(void *, void *);
int cudaEventSynchronize(void *);
int cudaEventQuery(void *);
int cudaEventElapsedTime(float *, void *, void *);
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphLaunch(void *, void *);
int cudaGraphExecDestroy(void *);
int cudaGraphDestroy(void *);
int cudaDeviceSynchronize(void);
int cudaPointerGetAttributes(void *, const void *);
const char *cudaGetErrorName(int);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
							void *, void *, int *);
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				   void *, void **, void **);
int cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);

enum { HTOD = 1, DTOH = 2, NON_BLOCKING = 1, LATENCY = 4000, GAP = 1000, KERNEL = 20000 };
#define SLOW 3000000

void check(int ok, const char *what, const char *file, int line);
#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
#define OK(call) check((call) == 0, #call " is not 0", __FILE__, __LINE__)

#define SEEN 4096
extern struct sim_record ops[SEEN];
extern struct sim_call calls[SEEN]; /* .data: 1 enter, 2 leave */
extern struct sim_sync syncs[SEEN];
extern unsigned n_ops, n_calls, n_syncs, n_contexts;
extern pthread_t main_thread;
extern int op_on_main_thread, call_off_thread;

void plain(void);
void slow(void);
void blocks(void);
int launch_on(const void *kernel, unsigned grid, void *stream);
void watch(void);
void watched(void);
const struct sim_record *op_named(const char *name, unsigned nth);
void gate(void *unused);

/* A host function that holds its stream until opened: what is launched behind it is launched in
 * time, however slow this machine is. */
void close_gate(void *stream);
void open_gate(void);

void case_memory(void);
void case_stream_order(void);
void case_latency(void);
void case_legacy(void);
void case_events(void);
void case_host_function(void);
void case_graph(void);
void case_capture_errors(void);
void case_back_pressure(void);
void case_observer_order(void);
void case_copies(void);
void case_threads(void);
void case_external(void);
void case_entry_points(void);
void case_fork(void);

#endif
