/* A process that used CUDA and has no trace leaves an empty hidden file in the output directory, so
 * that `baton record` does not say that there was none. */
#ifndef SHIM_UNRECORDED_H
#define SHIM_UNRECORDED_H

void unrecorded_note(void);

#endif
