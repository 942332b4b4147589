/* A thread that does one thing at a time for another: the autograd thread, beside-launchers. */
#ifndef SIMTRAIN_WORKER_H
#define SIMTRAIN_WORKER_H

struct worker;

struct worker *worker_start(void);
void worker_begin(struct worker *worker, void (*work)(void *), void *what);
void worker_await(struct worker *worker);
void worker_stop(struct worker *worker);

#endif
