/* What baton inherits and changes for itself: closed standard streams, the limit of open files, two
 * signals. `baton record` restores them for the job. */
#ifndef CLI_INHERITED_H
#define CLI_INHERITED_H

/* Makes the changes. Call once, first thing in main(). */
void inherited_change(void);
/* Restores what was inherited. Call in a forked child before exec; async-signal-safe. */
void inherited_restore(void);

#endif
