/* The ring between a job's thread and the writer thread (shim/ring/lane.h, shim/drain/trace_rows.c)
 * and the dictionary beside it (shim/ring/dict.c) under a weak memory model, exhaustively: with
 * their barriers nothing wrong can be read in any order of their loads and stores; without any one
 * of the barriers something can.
 *
 * The model. A thread is a list of loads and stores; each takes effect at one moment, for all
 * threads. One may take effect before an earlier one of its thread, unless
 *   - both are of one place,
 *   - the earlier one is a load with acquire, or the later one a store with release,
 *   - the later one stores the value of the earlier one.
 * That is weaker than x86-64 and ARMv8: a branch orders nothing, as in C11. A store may be made on
 * a guess; an order in which the guess turns out wrong is none.
 *
 * What it does not cover: other sizes than these, the counts of dropped slots (only the producer
 * writes them), threads that take over a lane, and whether the code still has these operations. Who
 * changes the code changes this list. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 2, PUTS = 4, LOOKS = 3, MOST = 32, VISITED = 1 << 20, NOWHERE = -1 };
enum place { HEAD, TAIL, WORDS, SIZE = WORDS + SLOTS, NAME, PLACES }; /* a word for each slot */

struct condition {
	int load; /* index of an operation, NOWHERE: none */
	int low, high;
};

struct operation {
	bool store, barrier; /* barrier: acquire of a load, release of a store */
	int thread;
	enum place place;
	int value; /* of a store; of a load: what it must find, NOWHERE: anything */
	int from;  /* a store takes the value of this load instead */
	/* of a store: when it is made at all; of a load: when its value matters */
	struct condition when[2];
};

static struct program {
	struct operation list[MOST];
	int n;
} program;

struct state {
	uint32_t done; /* a bit for each operation */
	uint8_t memory[PLACES];
	uint8_t loaded[MOST];
};

static struct state *visited;
static unsigned states;
static bool wrong;

/* ---- programs ---- */

static const struct condition always[2] = {{NOWHERE, 0, 0}, {NOWHERE, 0, 0}};

static int add(struct operation operation, const struct condition *when)
{
	memcpy(operation.when, when, sizeof(operation.when));
	program.list[program.n] = operation;
	return program.n++;
}

static int load(int thread, enum place place, bool acquire, int expected,
				const struct condition *when)
{
	return add((struct operation){false, acquire, thread, place, expected, NOWHERE, {{0}}}, when);
}

static int store(int thread, enum place place, bool release, int value,
				 const struct condition *when)
{
	return add((struct operation){true, release, thread, place, value, NOWHERE, {{0}}}, when);
}

/* lane_next(), the slot, lane_commit(); a put that finds no room ends the producer. */
static void put_slots(void)
{
	struct condition room[2];
	memcpy(room, always, sizeof(room));
	for (int put = 0; put < PUTS; put++) {
		if (put >= SLOTS) {
			int tail = load(0, TAIL, true, NOWHERE, always);
			room[put - SLOTS] = (struct condition){tail, put - SLOTS + 1, PUTS};
		}
		store(0, WORDS + put % SLOTS, false, put + 1, room);
		store(0, HEAD, true, put + 1, room);
	}
}

/* take_lane(), and lanes_are_written() once the slots are in the file. */
static void take_slots(void)
{
	int before = NOWHERE;
	for (int look = 0; look < LOOKS; look++) {
		int head = load(1, HEAD, true, NOWHERE, always);
		for (int put = 0; put < PUTS; put++) {
			struct condition taken[2] = {{head, put + 1, PUTS}, {before, 0, put}};
			load(1, WORDS + put % SLOTS, false, put + 1, taken);
		}
		int tail = store(1, TAIL, true, 0, always);
		program.list[tail].from = head;
		before = head;
	}
}

static void make_ring(void)
{
	program.n = 0;
	put_slots();
	take_slots();
}

/* dict_publish() of a name, then a slot that has its number; who takes slots takes the dictionary
 * after them. The name of a slot is there, and one whose size is there is whole. */
static void make_dictionary(void)
{
	program.n = 0;
	store(0, NAME, false, 1, always);
	store(0, SIZE, true, 1, always);
	store(0, WORDS, false, 1, always);
	store(0, HEAD, true, 1, always);
	int head = load(1, HEAD, true, NOWHERE, always);
	struct condition taken[2] = {{head, 1, 1}, {NOWHERE, 0, 0}};
	load(1, WORDS, false, 1, taken);
	int size = load(1, SIZE, true, NOWHERE, always);
	load(1, SIZE, true, 1, taken);
	struct condition there[2] = {{size, 1, 1}, {NOWHERE, 0, 0}};
	load(1, NAME, false, 1, there);
}

/* ---- all orders ---- */

static bool is_done(const struct state *state, int i)
{
	return state->done >> i & 1;
}

static bool in_order(int earlier, int later)
{
	const struct operation *a = &program.list[earlier], *b = &program.list[later];
	return a->thread == b->thread && (a->place == b->place || (!a->store && a->barrier) ||
									  (b->store && b->barrier) || b->from == earlier);
}

static bool may_happen(const struct state *state, int i)
{
	for (int j = 0; j < i; j++)
		if (!is_done(state, j) && in_order(j, i))
			return false;
	return !is_done(state, i);
}

enum answer { NO, YES, NOT_KNOWN };

static enum answer applies(const struct state *state, const struct operation *operation)
{
	enum answer all = YES;
	for (int i = 0; i < 2; i++) {
		const struct condition *c = &operation->when[i];
		if (c->load == NOWHERE)
			continue;
		if (!is_done(state, c->load))
			all = NOT_KNOWN;
		else if (state->loaded[c->load] < c->low || state->loaded[c->load] > c->high)
			return NO;
	}
	return all;
}

/* False: a store was made on a guess that is wrong, so this order is none. */
static bool guessed_right(const struct state *state, bool *all_known)
{
	*all_known = true;
	for (int i = 0; i < program.n; i++) {
		if (!program.list[i].store || !is_done(state, i) || !state->loaded[i])
			continue;
		enum answer known = applies(state, &program.list[i]);
		if (known == NO)
			return false;
		*all_known &= known == YES;
	}
	return true;
}

/* Loads whose value does not matter are not in the code: a loop ends before them. */
static void leave_out(struct state *state)
{
	for (int i = 0; i < program.n; i++) {
		const struct operation *operation = &program.list[i];
		if (operation->store || applies(state, operation) != NO)
			continue;
		state->done |= 1u << i;
		state->loaded[i] = 0;
	}
}

static void look_for_wrong(const struct state *state)
{
	for (int i = 0; i < program.n; i++) {
		const struct operation *operation = &program.list[i];
		if (is_done(state, i) && !operation->store && operation->value != NOWHERE &&
			applies(state, operation) == YES && state->loaded[i] != operation->value)
			wrong = true;
	}
}

/* True the first time. */
static bool is_new(const struct state *state)
{
	uint64_t hash = 1469598103934665603u;
	for (size_t i = 0; i < sizeof(*state); i++)
		hash = (hash ^ ((const uint8_t *)state)[i]) * 1099511628211u;
	for (size_t at = hash % VISITED;; at = (at + 1) % VISITED) {
		if (!visited[at].done) {
			visited[at] = *state;
			states++;
			return true;
		}
		if (memcmp(&visited[at], state, sizeof(*state)) == 0)
			return false;
	}
}

static void step(struct state *state, int i)
{
	const struct operation *operation = &program.list[i];
	state->done |= 1u << i;
	if (!operation->store) {
		state->loaded[i] = state->memory[operation->place];
	} else if (applies(state, operation) != NO) {
		state->loaded[i] = 1; /* it was made: a guess that turns out wrong is none */
		state->memory[operation->place] =
			operation->from == NOWHERE ? (uint8_t)operation->value : state->loaded[operation->from];
	}
}

static void explore(const struct state *state)
{
	for (int i = 0; i < program.n && !wrong && states < VISITED / 2; i++) {
		struct state next = *state;
		if (!may_happen(state, i))
			continue;
		bool all_known;
		step(&next, i);
		leave_out(&next);
		if (!guessed_right(&next, &all_known) || !is_new(&next))
			continue;
		if (all_known)
			look_for_wrong(&next);
		explore(&next);
	}
}

/* Can anything be read wrongly? */
static bool breaks(void)
{
	static const struct state begin;
	memset(visited, 0, VISITED * sizeof(*visited));
	states = 0;
	wrong = false;
	explore(&begin);
	CHECK(states < VISITED / 2, "more than %u states: not all were looked at", states);
	return wrong;
}

static void look_at(const char *what, void (*make)(void))
{
	int barriers = 0;
	make();
	CHECK(!breaks(), "%s: read wrongly with all barriers", what);
	printf("%s: %d operations, %u states\n", what, program.n, states);
	for (int i = 0; i < program.n; i++) {
		make();
		if (!program.list[i].barrier)
			continue;
		barriers++;
		/* every barrier of its kind: the code has it in one place */
		for (int j = 0; j < program.n; j++)
			if (program.list[j].place == program.list[i].place &&
				program.list[j].store == program.list[i].store)
				program.list[j].barrier = false;
		CHECK(breaks(), "%s: the %s of place %d is not needed: the model sees too little", what,
			  program.list[i].store ? "release" : "acquire", program.list[i].place);
	}
	CHECK(barriers >= 4, "%s: %d barriers", what, barriers);
}

int main(void)
{
	visited = calloc(VISITED, sizeof(*visited));
	if (!visited)
		return 1;
	look_at("ring", make_ring);
	look_at("dictionary", make_dictionary);
	free(visited);
	return finish();
}
