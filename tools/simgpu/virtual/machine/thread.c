#include "virtual/machine/thread.h"

#include "virtual/draw/rng.h"
#include "virtual/machine/cpu.h"
#include "virtual/machine/noise.h"
#include "virtual/record/recorder.h"

enum { PLACE_INJECTED = 16 };

/* Distinct numbers for distinct uses of one instruction. */
uint64_t thread_random(const struct thread *t, uint32_t purpose)
{
	const struct frame *frame = &t->frames[t->depth - 1];
	uint64_t when = (uint64_t)(uint32_t)t->step << 16 | t->evals_left;
	return rng_hash(t->process->world->script->noise_seed, (uint64_t)t->id << 32 | purpose, when,
					(uint64_t)frame->place << 32 | frame->pc);
}

uint32_t thread_step_length(const struct thread *t)
{
	const struct script *script = t->process->world->script;
	if (script->length_spread <= SCALE_ONE || t->mode == MODE_SETUP)
		return SCALE_ONE;
	uint64_t dice = rng_hash(script->seed, 0x73746570, (uint64_t)(int64_t)t->step, 0);
	return SCALE_ONE + (uint32_t)rng_below(dice, script->length_spread - SCALE_ONE + 1);
}

/* ---- which program is next ---- */

static void push(struct thread *t, const struct program *program, uint32_t place)
{
	t->frames[t->depth++] = (struct frame){.program = program, .place = place};
}

static void begin_step(struct thread *t)
{
	t->step++;
	if (t->def->marks) {
		t->process->step = t->step;
		t->step_begin_ns = thread_now(t);
	}
}

static void end_step(struct thread *t)
{
	const struct script *script = t->process->world->script;
	if (t->def->marks && script->nvtx && t->process->recorder)
		recorder_range(t->process->recorder,
					   (struct recorder_thread_row){t->index, t->step_begin_ns, thread_now(t)},
					   script->step_name);
}

/* What is launched after the last step belongs to none. */
static void leave_steps(struct thread *t)
{
	if (t->def->marks && t->step + 1 >= (int32_t)t->process->world->script->n_steps)
		t->process->step = t->step + 1;
}

static bool all_over(const struct thread *t)
{
	return t->def->daemon && (t->process->running == 0 || t->def->programs[STEP_TRAIN].n == 0);
}

/* After a program has ended: what the thread does next. false: it is over. */
static bool next_program(struct thread *t)
{
	const struct script *script = t->process->world->script;
	if (t->mode == MODE_TRAIN) {
		end_step(t);
		leave_steps(t);
		bool due = script->eval_every && (uint32_t)(t->step + 1) % script->eval_every == 0;
		t->evals_left = due ? script->eval_batches : 0;
		t->mode = t->evals_left ? MODE_EVAL : MODE_TRAIN;
	} else if (t->mode == MODE_EVAL) {
		t->mode = --t->evals_left ? MODE_EVAL : MODE_TRAIN;
	} else {
		t->mode = MODE_TRAIN;
	}
	if (all_over(t) ||
		(!t->def->daemon && t->mode == MODE_TRAIN && t->step + 1 >= (int32_t)script->n_steps))
		return false;
	if (t->mode == MODE_TRAIN)
		begin_step(t);
	push(t, &t->def->programs[t->mode == MODE_EVAL ? STEP_EVAL : STEP_TRAIN], t->mode);
	return true;
}

static void thread_over(struct thread *t)
{
	t->mode = MODE_OVER;
	t->process->running -= !t->def->daemon;
	cpu_leave(t);
}

/* ---- instructions that are not calls ---- */

static int64_t scaled(int64_t ns, uint32_t factor)
{
	return ns * factor / SCALE_ONE;
}

static void do_work_for(struct thread *t, bool gil)
{
	const struct insn *insn = t->insn;
	const struct script *script = t->process->world->script;
	int64_t ns = insn->c;
	if (insn->a < TABLE_COUNT) {
		int64_t median = table_median(insn->a), drawn = table_draw(insn->a, thread_random(t, 1));
		ns = median + (drawn - median) * script->noise.host / SCALE_ONE;
	}
	if (insn->b)
		ns = scaled(ns, insn->b);
	ns = scaled(ns, noise_factor(script, t->process->index, thread_now(t)));
	cpu_busy(t, scaled(ns, thread_step_length(t)), CAUSE_CPU_WORK, gil, thread_next);
}

static void wake(void *who)
{
	thread_next(who);
}

static void slept(void *who)
{
	struct thread *t = who;
	log_add(&t->log, thread_now(t) - t->waited_ns, thread_now(t), t->insn->a, NULL);
	thread_next(t);
}

static void do_sleep(struct thread *t)
{
	cpu_leave(t);
	t->waited_ns = t->insn->c;
	agenda_add(&t->process->host->agenda, thread_now(t) + t->insn->c, slept, t);
}

static void wait_over(struct thread *t, enum cause cause, struct log *other)
{
	log_add(&t->log, t->asked_ns, thread_now(t), cause, other);
	agenda_add(&t->process->host->agenda, thread_now(t), wake, t);
}

static bool do_put(struct thread *t)
{
	struct queue *queue = &t->process->queues[t->insn->a];
	if (t->process->recorder)
		recorder_child(t->process->recorder, t->index, thread_now(t), &t->log);
	struct thread *getter = thread_list_pop(&queue->getters);
	if (getter) {
		wait_over(getter, getter->insn->b, NULL);
		return true;
	}
	if (queue->items < queue->capacity) {
		queue->items++;
		return true;
	}
	cpu_leave(t);
	t->asked_ns = thread_now(t);
	thread_list_push(&queue->putters, t);
	return false;
}

static bool do_get(struct thread *t)
{
	struct queue *queue = &t->process->queues[t->insn->a];
	if (queue->items) {
		queue->items--;
		struct thread *putter = thread_list_pop(&queue->putters);
		if (putter) {
			queue->items++;
			wait_over(putter, CAUSE_SLEEP, NULL);
		}
		return true;
	}
	cpu_leave(t);
	t->asked_ns = thread_now(t);
	thread_list_push(&queue->getters, t);
	return false;
}

static bool do_await(struct thread *t)
{
	struct semaphore *semaphore = &t->process->semaphores[t->insn->a];
	if (semaphore->value) {
		semaphore->value--;
		return true;
	}
	cpu_leave(t);
	t->asked_ns = thread_now(t);
	semaphore->waiting = t;
	return false;
}

static void do_signal(struct thread *t)
{
	struct semaphore *semaphore = &t->process->semaphores[t->insn->a];
	struct thread *waiting = semaphore->waiting;
	semaphore->waiting = NULL;
	if (waiting)
		wait_over(waiting, CAUSE_SLEEP, &t->log);
	else
		semaphore->value++;
}

static void do_pop(struct thread *t)
{
	if (t->n_ranges == 0)
		return;
	t->n_ranges--;
	if (t->n_ranges < 16 && t->process->world->script->nvtx && t->process->recorder)
		recorder_range(
			t->process->recorder,
			(struct recorder_thread_row){t->index, t->range_begin_ns[t->n_ranges], thread_now(t)},
			t->range_name[t->n_ranges]);
}

static void do_push(struct thread *t)
{
	if (t->n_ranges < 16) {
		t->range_begin_ns[t->n_ranges] = thread_now(t);
		t->range_name[t->n_ranges] = t->insn->b;
	}
	t->n_ranges++;
}

static void do_point_of(struct thread *t)
{
	const struct process_def *def = t->process->def;
	unsigned point = t->insn->a;
	if (t->mode == MODE_SETUP || def->injected[point].n == 0 || t->depth >= 3)
		return;
	push(t, &def->injected[point], PLACE_INJECTED + point);
	t->frames[t->depth - 1].pass = t->passes[point]++;
}

/* The next instruction of a frame that is due in its pass. NULL: the frame is over. */
static const struct insn *next_insn(struct frame *frame)
{
	while (frame->pc < frame->program->n) {
		const struct insn *insn = &frame->program->at[frame->pc++];
		if (insn->every < 2 || frame->pass % insn->every == 0)
			return insn;
	}
	return NULL;
}

/* ---- the loop ---- */

static void insn_work(struct thread *t)
{
	do_work_for(t, true);
}

static void insn_work_native(struct thread *t)
{
	do_work_for(t, false);
}

static void insn_stall(struct thread *t)
{
	cpu_busy(t, t->insn->c, t->insn->a, true, thread_next);
}

static instruction *const own[INSN_KINDS] = {[INSN_WORK] = insn_work,
											 [INSN_WORK_NATIVE] = insn_work_native,
											 [INSN_SLEEP] = do_sleep,
											 [INSN_STALL] = insn_stall};

/* What begins an instruction that takes time; NULL: it takes none. */
static instruction *timed(const struct thread *t)
{
	unsigned kind = t->insn->kind;
	return own[kind] ? own[kind] : t->process->world->calls[kind];
}

/* An instruction that takes no time. false: the thread waits. */
static bool untimed(struct thread *t)
{
	switch (t->insn->kind) {
	case INSN_GROUP_BEGIN:
		t->group++;
		return true;
	case INSN_PUT:
		return do_put(t);
	case INSN_GET:
		return do_get(t);
	case INSN_SIGNAL:
		do_signal(t);
		return true;
	case INSN_AWAIT:
		return do_await(t);
	case INSN_PUSH:
		do_push(t);
		return true;
	case INSN_POP:
		do_pop(t);
		return true;
	case INSN_POINT:
		do_point_of(t);
		return true;
	default:
		return true;
	}
}

void thread_next(struct thread *t)
{
	for (;;) {
		t->insn = NULL;
		while (t->depth && !(t->insn = next_insn(&t->frames[t->depth - 1])))
			t->depth--;
		if (t->depth == 0) {
			if (!next_program(t)) {
				thread_over(t);
				return;
			}
			continue;
		}
		instruction *begin = timed(t);
		if (begin) {
			begin(t);
			return;
		}
		if (!untimed(t))
			return;
	}
}

void thread_start(struct thread *t)
{
	push(t, &t->def->programs[STEP_SETUP], STEP_SETUP);
	agenda_add(&t->process->host->agenda, t->process->host->agenda.now_ns, wake, t);
}
