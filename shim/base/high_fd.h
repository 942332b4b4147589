/* Descriptors of our own that stay open: out of the way of the job's, whose numbers start from 0,
 * but within the table that the process has. */
#ifndef SHIM_HIGH_FD_H
#define SHIM_HIGH_FD_H

/* Moves it near the top of the table; the same number when that is not possible, or it is < 0. */
int high_fd(int fd);

#endif
