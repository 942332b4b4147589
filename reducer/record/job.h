/* The job as a child: started with the descriptors, signal dispositions and limits that we were
 * given, in our process group; signals passed on, its end waited for and passed on. */
#ifndef RECORD_JOB_H
#define RECORD_JOB_H

#include <stdbool.h>

struct job_end {
	int status;  /* its exit status; 127 not found, 126 not executable */
	int signal;  /* that killed it, 0 none */
	int started; /* it was executed */
};

/* How it is ended, if at all: `signal` (0: not) is sent after `after_ns`, or up to ten seconds
 * later, as soon as is_ready(of). */
struct job_kill {
	int signal;
	long long after_ns;
	bool (*is_ready)(void *of);
	void *of;
};

/* What is to begin with it: called once it has been executed, so that nothing of ours is inherited,
 * with the signals blocked that are meant for it. */
struct job_beside {
	void (*begin)(void *of);
	void *of;
};

/* Runs argv and waits. 0 or -errno (fork failed). */
int job_run(char *const *argv, const struct job_kill *plan, const struct job_beside *beside,
			struct job_end *end);
/* Ends this process as the job ended: with its status, or by its signal. Returns the status when
 * the signal does not end it. */
int job_end_like(const struct job_end *end);

#endif
