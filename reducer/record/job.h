/* Runs the job as a child process: with the descriptors, signal dispositions and limits that `baton
 * record` was given, in the same process group. Signals are passed on to it, and its end is waited
 * for. */
#ifndef RECORD_JOB_H
#define RECORD_JOB_H

#include <stdbool.h>

struct job_end {
	int status;  /* its exit status; 127: not found, 126: not executable */
	int signal;  /* the signal that killed it; 0: none */
	int started; /* 1: it was executed */
};

/* Ends the job early: `signal` (0: never) is sent once is_ready(of) is true, at the earliest
 * `after_ns` after the start, and at the latest ten seconds later. */
struct job_kill {
	int signal;
	long long after_ns;
	bool (*is_ready)(void *of);
	void *of;
};

/* begin(of) is called once the job has been executed, so that the job inherits nothing from it, and
 * with the signals blocked that are meant for the job; child_ended(of) while the job runs, when some
 * child of this process may have ended. */
struct job_beside {
	void (*begin)(void *of);
	void (*child_ended)(void *of);
	void *of;
	int streams[3]; /* the job's stdin, stdout and stderr; -1: ours */
};

/* Runs argv, waits for it and fills `end`. 0, or -errno when it could not be forked. */
int job_run(char *const *argv, const struct job_kill *plan, const struct job_beside *beside,
			struct job_end *end);
/* Ends this process the way the job ended, by the same signal; otherwise returns the status to exit
 * with. Also returns when the signal does not end this process. */
int job_end_like(const struct job_end *end);

#endif
