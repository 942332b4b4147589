/* A trace that is being written, copied as a whole one. */
#ifndef READ_COPY_TRACE_H
#define READ_COPY_TRACE_H

/* Copies the trace at `from` to `to`, a file that must not exist: of a closed one all, of another
 * one what the recorder had written completely (up to its last checkpoint), with an end block.
 * 0; -ENODATA: nothing is recorded in it yet, and there is no new file;
 * -EBADMSG: not a trace; or another -errno, and what was made is removed. */
int copy_trace(const char *from, const char *to);

#endif
