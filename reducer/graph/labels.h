/* What the time of a host thread was spent on: stretches of it with a label each. */
#ifndef GRAPH_LABELS_H
#define GRAPH_LABELS_H

#include "graph/process.h"

/* Sorts the spans of the process. Returns how many bounds of stretches it may have. */
size_t labels_begin(struct process *process);
/* The first of the sorted spans that is of this thread, or of a later one. */
size_t labels_spans_from(const struct process *process, uint32_t thread);
/* Finds the labelled stretches of a thread, whose rows are sorted; *left: how many bounds the process
 * may still have. 0, -ENOMEM or -E2BIG. */
int labels_find(const struct process *process, struct host_thread *thread, size_t *left);

/* The time of [from, to) with each label. */
void thread_labels(const struct host_thread *thread, int64_t from, int64_t to,
				   int64_t by_label[LABELS]);
/* Takes out all sleep that a lock or another thread may have caused. Returns how much. */
int64_t thread_take_sleep(int64_t by_label[LABELS]);
/* Notes the labelled time of an edge. 0 or -ENOMEM. */
int thread_note(struct model *model, uint32_t edge, const int64_t by_label[LABELS]);

#endif
