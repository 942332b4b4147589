/* The border to PyTorch's autograd (2.x): which forward line a backward node came from. Its threads
 * run no Python, so what they launch would have no line at all.
 *
 * Two functions that libtorch calls through its own PLT are exported here and so called instead:
 * the one that gives a new node its number (then the calling thread's Python stack is remembered
 * under that number) and the one that evaluates a node (while it runs, stacks of its thread end
 * with the remembered one). Numbers are counted per thread: both are read from the node. Where they
 * stand in a node differs between versions; that is learnt from the first nodes, and never used
 * before it is certain. */
#ifndef SHIM_BACKWARD_H
#define SHIM_BACKWARD_H

#include <stdbool.h>
#include <stdint.h>

struct backward_task;  /* torch::autograd::GraphTask */
struct backward_input; /* torch::autograd::InputBuffer */
struct backward_queue; /* torch::autograd::ReadyQueue */

uint64_t backward_number(void) __asm__("_ZN2at15sequence_number17get_and_incrementEv");
void backward_evaluate(void *engine, struct backward_task *task, const uint8_t *node,
					   struct backward_input *input,
					   const struct backward_queue *
						   queue) __asm__("_ZN5torch8autograd6Engine17evaluate_"
										  "functionERSt10shared_ptrINS0_9GraphTaskEE"
										  "PNS0_4NodeERNS0_11InputBufferERKS2_INS0_10ReadyQueueEE");

/* Has anything been back-propagated since it was asked last? True where that cannot be seen. Any
 * thread. */
bool backward_ran(void);
/* In a forked child: what is remembered lies in its parent's dictionary. */
void backward_forget(void);

#endif
