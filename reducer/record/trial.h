/* Records a small job (record/trial_job.h) as `baton record` does it, and reads what came of it; then
 * runs it without the recorder. */
#ifndef RECORD_TRIAL_H
#define RECORD_TRIAL_H

#include <stdbool.h>

enum { TRIAL_TEXT_BYTES = 512 };

struct trial {
	int driver;                   /* 12080; 0: not known */
	unsigned gpus;                /* that were used */
	char name[TRIAL_TEXT_BYTES];  /* of the first one */
	char fault[TRIAL_TEXT_BYTES]; /* what went wrong in the job; "": nothing */
	char said[TRIAL_TEXT_BYTES];  /* what `baton record` said, but for its last line; "": nothing */
	bool recorded;                /* there is a trace */
	unsigned gpus_recorded;       /* of which there is GPU work in it */
	unsigned long long losses;    /* records that were dropped */
	long long recorded_ns;        /* a launch takes in it, and without the recorder; 0: not known */
	long long plain_ns;
};

/* Where its trace is for a moment: TMPDIR, or /tmp. */
const char *trial_place(void);
/* 0; else -errno of the directory in TMPDIR or of starting it: nothing is known then. */
int trial_run(struct trial *trial);

#endif
