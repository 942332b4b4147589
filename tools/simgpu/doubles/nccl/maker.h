/* Whose process made a communicator's id. As NCCL's bootstrap, an id is of use only while that
 * process lives: a job that is restarted may find the id of its last life (a file, a store), and is
 * not to wait for ranks that never come. */
#ifndef SIMGPU_NCCL_MAKER_H
#define SIMGPU_NCCL_MAKER_H

#include <stdbool.h>
#include <stddef.h>

/* Writes "-PID-START-NAMESPACE" of this process to `text`. */
void maker_sign(char *text, size_t room);
/* Has the process ended whose sign is in `name`? False where that cannot be known: no sign, or that
 * of another pid namespace. */
bool maker_is_gone(const char *name);
/* Removes from /dev/shm what killed jobs left there: boards where not all ranks came before the
 * maker of the id ended, so that they never will. */
void maker_clear_boards(void);

#endif
