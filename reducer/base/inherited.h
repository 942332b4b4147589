/* What this process was started with and changes for itself: closed standard streams, the limit of
 * open files, signals that would end it for a failed write. A job that it starts gets them back. */
#ifndef BASE_INHERITED_H
#define BASE_INHERITED_H

/* First thing in main(). */
void inherited_change(void);
/* In the child, before exec. */
void inherited_restore(void);

#endif
