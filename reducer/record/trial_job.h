/* The job that `baton doctor` has recorded: on each GPU it sets 4 KiB and launches a kernel that does
 * nothing, by the driver's interface alone. On the first GPU it launches more of them, to see what a
 * launch takes. */
#ifndef RECORD_TRIAL_JOB_H
#define RECORD_TRIAL_JOB_H

/* Prints lines for the process that started it: "driver N" (as cuDriverGetVersion() has it: 12080),
 * "gpu NAME" for each that was set, "launch N" (ns a launch of the fastest burst, where the driver could
 * compile the kernel), and "fault TEXT". 0, or 1 after a fault. */
int trial_job_run(void);

#endif
