/* The host threads of a process as chains of nodes: begin and end of every call, and what the time
 * between them was spent on. */
#ifndef GRAPH_THREADS_H
#define GRAPH_THREADS_H

#include "graph/labels.h"
#include "graph/process.h"

/* Groups calls by thread, adds their nodes, and finds the labels of their time. 0 or -ENOMEM. */
int threads_open(struct process *process, struct model *model);
/* Adds the edges along each thread, hand-offs between threads among them. 0 or -ENOMEM. */
int threads_link(struct process *process, struct model *model);
/* Adds the chains to the positions that are compared with other devices; call it when all weights
 * of the process are final. 0 or -ENOMEM. */
int threads_compare(struct process *process, struct model *model);

/* When the thread slept outside of calls until another thread of its process woke it: adds the nodes
 * of these wake-ups. 0 or -ENOMEM. */
int hand_offs_find(const struct process *process, struct host_thread *thread, struct model *model);
/* Replaces the edges of such segments: the waker leads to the wake-up. The wake-ups of all threads
 * are found. Other segments keep EDGE_NONE in thread->chain. 0 or -ENOMEM. */
int hand_offs_link(struct host_thread *thread, struct model *model);

/* From the begin of the sample to the thread's first call in it, which else would be when it was
 * whatever is cured before it. The wake-ups of all threads are found. 0 or -ENOMEM. */
int hand_offs_lead(struct process *process, const struct host_thread *thread, struct model *model);

/* How soon batches come that the thread waits for all the time. 0 or -ENOMEM. */
int loaders_link(const struct process *process, const struct host_thread *thread,
				 struct model *model);
/* Finds process->starving and process->children_known. */
void loaders_starve(struct process *process);
/* With cores enough a loader that gets none for a part of its time would be done by that part sooner:
 * so much of a wait for it, from one to the next, is of two causes. */
void loaders_share(struct host_thread *thread, double starving);

/* The last point at or before `ns`; -1: none. */
int64_t thread_point(const struct host_thread *thread, int64_t ns);
/* The thread with calls that has this index of the trace; NULL: none. */
struct host_thread *thread_called(const struct process *process, uint32_t index);

#endif
