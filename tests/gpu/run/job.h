/* Small jobs on the CUDA driver, each with an answer that is known beforehand (answers.py). */
#ifndef GPU_JOB_H
#define GPU_JOB_H

#include <stdbool.h>
#include <stdint.h>

struct job {
	int steps;
	int each;         /* launches of a step */
	int64_t spin_ns;  /* a kernel's length */
	int64_t sleep_ns; /* between two steps */
	int ranks, rank;
	const char *meet; /* a file through which ranks find each other */
	void *stream, *empty, *spin, *write;
	uint64_t memory;
};

enum { JOB_CANNOT = 77, JOB_BYTES = 1 << 26 };

int64_t job_now_ns(void);
void job_check(const char *what, int result); /* ends the program unless it is 0 */
void job_spin(struct job *job, int64_t ns);
void job_synchronize(struct job *job);

int job_gemm(struct job *job);
int job_nccl(struct job *job);

#endif
