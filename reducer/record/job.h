/* The job as a child: started with the descriptors, signal dispositions and limits that we were
 * given, in our process group; signals passed on, its end waited for and passed on. */
#ifndef RECORD_JOB_H
#define RECORD_JOB_H

struct job_end {
	int status;  /* its exit status; 127 not found, 126 not executable */
	int signal;  /* that killed it, 0 none */
	int started; /* it was executed */
};

/* Runs argv and waits. `kill_after_ns` > 0: `kill_signal` is sent then. 0 or -errno (fork failed).
 */
int job_run(char *const *argv, long long kill_after_ns, int kill_signal, struct job_end *end);
/* Ends this process as the job ended: with its status, or by its signal. Returns the status when
 * the signal does not end it. */
int job_end_like(const struct job_end *end);

#endif
