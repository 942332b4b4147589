#include "virtual/machine/cpu.h"

void thread_list_init(struct thread_list *list)
{
	list->head = NULL;
	list->tail = &list->head;
}

void thread_list_push(struct thread_list *list, struct thread *thread)
{
	thread->next = NULL;
	*list->tail = thread;
	list->tail = &thread->next;
}

struct thread *thread_list_pop(struct thread_list *list)
{
	struct thread *thread = list->head;
	if (thread) {
		list->head = thread->next;
		if (!list->head)
			list->tail = &list->head;
	}
	return thread;
}

static void acquire(struct thread *t);

static void leave_core(struct thread *t)
{
	struct host *host = t->process->host;
	if (!t->has_core)
		return;
	t->has_core = false;
	host->cores_free++;
	struct thread *next = thread_list_pop(&host->core_waiters);
	if (next) {
		log_add(&next->log, next->asked_ns, host->agenda.now_ns, CAUSE_NO_CORE, NULL);
		acquire(next);
	}
}

void cpu_drop_gil(struct thread *t)
{
	struct process *process = t->process;
	if (process->gil != t)
		return;
	struct thread *next = thread_list_pop(&process->gil_waiters);
	process->gil = next;
	if (next) {
		log_add_gil(&next->log, next->asked_ns, thread_now(t), t->index + 1);
		acquire(next);
	}
}

void cpu_leave(struct thread *t)
{
	cpu_drop_gil(t);
	leave_core(t);
}

/* ---- waiting on a core ---- */

/* The slice of a thread that spins is over. It comes back when what it waits for is there. */
static void preempt(void *who)
{
	struct thread *t = who;
	t->preempt_due = false;
	if (t->spins && t->process->host->core_waiters.head)
		leave_core(t);
}

static void preempt_later(struct thread *t)
{
	struct agenda *agenda = &t->process->host->agenda;
	int64_t at_ns = t->core_since_ns + CORE_QUANTUM_NS;
	if (!t->has_core || t->preempt_due)
		return;
	t->preempt_due = true;
	agenda_add(agenda, at_ns > agenda->now_ns ? at_ns : agenda->now_ns, preempt, t);
}

void cpu_spin(struct thread *t)
{
	struct host *host = t->process->host;
	t->spins = true;
	t->next_spinner = host->spinners;
	host->spinners = t;
	if (host->core_waiters.head)
		preempt_later(t);
}

void cpu_spin_over(struct thread *t)
{
	struct thread **at = &t->process->host->spinners;
	while (*at != t)
		at = &(*at)->next_spinner;
	*at = t->next_spinner;
	t->spins = false;
	t->busy_left_ns = 0;
	if (t->has_core)
		t->then(t);
	else
		acquire(t);
}

/* All cores are taken; those on which threads only spin become free when their slices are over. */
static void wait_for_core(struct thread *t)
{
	struct host *host = t->process->host;
	t->asked_ns = host->agenda.now_ns;
	thread_list_push(&host->core_waiters, t);
	for (struct thread *s = host->spinners; s; s = s->next_spinner)
		preempt_later(s);
}

/* ---- working ---- */

static void slice_over(void *who)
{
	struct thread *t = who;
	struct host *host = t->process->host;
	int64_t now = host->agenda.now_ns;
	log_add(&t->log, now - t->slice_ns, now, t->busy_cause, NULL);
	t->busy_left_ns -= t->slice_ns;
	if (t->busy_left_ns > 0 && host->core_waiters.head && now - t->core_since_ns >= CORE_QUANTUM_NS)
		leave_core(t);
	if (t->busy_left_ns > 0)
		acquire(t);
	else
		t->then(t);
}

/* Somebody has waited for the GIL for so long that its owner has to give it up, where it can: while
 * it runs, not inside a call. One that comes back to a core runs a slice first: it had no turn to
 * see that it was asked. */
static bool gil_is_asked(const struct thread *t)
{
	const struct process *process = t->process;
	bool python = t->busy_cause == CAUSE_CPU_WORK || t->busy_cause == CAUSE_PAGE_FAULT;
	return python && process->gil == t && process->gil_waiters.head &&
		   thread_now(t) - process->gil_waiters.head->asked_ns >= GIL_SWITCH_NS;
}

static void acquire(struct thread *t)
{
	struct process *process = t->process;
	struct host *host = process->host;
	if (t->busy_gil && t->has_core && gil_is_asked(t))
		cpu_drop_gil(t);
	if (t->busy_gil && process->gil != t) {
		if (process->gil) {
			leave_core(t);
			t->asked_ns = host->agenda.now_ns;
			thread_list_push(&process->gil_waiters, t);
			return;
		}
		process->gil = t;
	}
	if (!t->has_core) {
		if (host->cores_free == 0) {
			wait_for_core(t);
			return;
		}
		host->cores_free--;
		t->has_core = true;
		t->core_since_ns = host->agenda.now_ns;
	}
	if (t->call_begins)
		t->call_begin_ns = host->agenda.now_ns;
	t->call_begins = false;
	t->slice_ns = t->busy_left_ns < SLICE_NS ? t->busy_left_ns : SLICE_NS;
	agenda_add(&host->agenda, host->agenda.now_ns + t->slice_ns, slice_over, t);
}

void cpu_busy(struct thread *t, int64_t ns, enum cause cause, bool gil,
			  void (*then)(struct thread *thread))
{
	t->busy_left_ns = ns > 0 ? ns : 0;
	t->busy_cause = cause;
	t->busy_gil = gil;
	t->then = then;
	if (!gil)
		cpu_drop_gil(t);
	acquire(t);
}
