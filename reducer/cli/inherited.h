/* What this process was given and changes for itself: standard streams that were closed, the limit
 * of open files, two signals. `baton record` gives it all to the job as it was. */
#ifndef CLI_INHERITED_H
#define CLI_INHERITED_H

/* Once, first thing in main. */
void inherited_change(void);
/* In a forked child that is about to become another program; async-signal-safe. */
void inherited_restore(void);

#endif
