/* The NVTX border against a loader like the one in NVTX's header: tables of 16 places, two modules.
 */
#include "sources/nvtx/nvtx.h"

#include "base/clock.h"
#include "check.h"
#include "recorder.h"
#include "ring/lane.h"
#include "ring/thread_name.h"
#include "sources/nvtx/nvtx_ranges.h"

#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

struct event {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, zero;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

/* ---- the loader of one module ---- */

struct module {
	void *core[16], *core2[16];
	void **core_places[16], **core2_places[16];
	unsigned size;
	struct {
		size_t bytes;
		int (*table)(int, void ****, unsigned *);
	} callbacks;
};

static struct module modules[2];
static int current;

static int give_table(int which, void ****table, unsigned *size)
{
	struct module *m = &modules[current];
	for (unsigned i = 0; i < 16; i++) {
		m->core_places[i] = &m->core[i];
		m->core2_places[i] = &m->core2[i];
	}
	*table = which == 1 ? m->core_places : m->core2_places;
	*size = m->size;
	return which == 1 || which == 5;
}

static const void *give(uint32_t table)
{
	struct module *m = &modules[current];
	m->callbacks.table = give_table;
	return table == 1 && m->callbacks.bytes ? &m->callbacks : NULL;
}

static int load(int which, unsigned size, size_t callbacks_bytes)
{
	current = which;
	modules[which].size = size;
	modules[which].callbacks.bytes = callbacks_bytes;
	return InitializeInjectionNvtx2(give);
}

#define CORE(place, type) ((type)modules[0].core[place])
#define CORE2(place, type) ((type)modules[0].core2[place])

static int push(const char *text)
{
	return CORE(9, int (*)(const char *))(text);
}

static int pop(void)
{
	return CORE(11, int (*)(void))();
}

static uint64_t start(const char *text)
{
	return CORE(5, uint64_t(*)(const char *))(text);
}

static void end(uint64_t id)
{
	CORE(7, void (*)(uint64_t))(id);
}

static int domain_push(void *domain, int type, const void *message)
{
	struct event e = {.version = 3, .size = 48, .message_type = type, .message = message};
	return CORE2(4, int (*)(void *, const struct event *))(domain, &e);
}

static int domain_pop(void *domain)
{
	return CORE2(5, int (*)(void *))(domain);
}

static void *domain(const char *name)
{
	return CORE2(12, void *(*)(const char *))(name);
}

/* ---- */

static void attaching(void)
{
	CHECK(load(0, 16, 4) == 0, "a callback table of another size was taken");
	CHECK(!modules[0].core[9], "and written to");
	CHECK(InitializeInjectionNvtx2(NULL) == 0, "no tables");
	CHECK(load(0, 16, 16) == 1 && modules[0].core[9] && modules[0].core2[12], "first module");
	CHECK(load(1, 10, 16) == 1, "second module, short tables");
	CHECK(modules[1].core[9] == modules[0].core[9], "same functions");
	CHECK(!modules[1].core[11] && !modules[1].core2[12],
		  "a place past the table's end was written");
	CHECK(!modules[0].core[0] && !modules[0].core2[6], "a place that we do not serve was written");
}

/* Before the first CUDA call: nothing is opened, levels and handles are right all the same. */
static void before_recording(void)
{
	char text[] = "early outer";
	CHECK(push(text) == 0, "level of the first range");
	memset(text, 'x', sizeof(text) - 1); /* the program's memory is its own again */
	CHECK(push("early inner") == 1 && pop() == 1, "levels");
	CHECK(domain("d1") && domain("d1") == domain("d1") && domain("d2") != domain("d1"), "domains");
	CORE(2, void (*)(const char *))("early mark");
	CHECK(pop() == 0 && pop() < 0, "pop of nothing");
	CHECK(recorder_opens == 0, "an NVTX call opened the recording");
}

static void across_the_start(void)
{
	char text[] = "outer";
	push(text);
	memset(text, 'x', 5);
	uint64_t span = start("span");
	uint64_t before = clock_ticks();
	recorder_start();
	CHECK(pop() == 0 && recorder_count() == 1, "a range that was open when the recording began");
	const struct baton_slot *slot = recorder_last();
	CHECK(strcmp(recorder_text(slot->name), "outer") == 0, "name '%s'", recorder_text(slot->name));
	CHECK(slot->begin && slot->begin < before && slot->end > before, "times");
	CHECK(slot->type == BATON_SLOT_RANGE && slot->aux == BATON_RANGE_NVTX, "type");
	end(span);
	slot = recorder_last();
	CHECK(recorder_count() == 2 && slot->aux == BATON_RANGE_NVTX_SPAN, "start/end");
	CHECK(strcmp(recorder_text(slot->name), "span") == 0, "name");
	end(span);
	end(0);
	end(12345);
	CHECK(recorder_count() == 2, "ended twice");
	recorder_clear();
}

static void domains_and_names(void)
{
	void *a = domain("alpha"), *b = domain("beta");
	void *registered = CORE2(10, void *(*)(void *, const char *))(a, "registered");
	CHECK(domain_push(a, 3, registered) == 0, "level in a");
	CHECK(domain_push(b, 1, "in b") == 0, "level in b is its own");
	CHECK(domain_push(a, 2, L"gr\u00fc\u00df \U0001F600") == 1, "second level in a");
	CHECK(domain_pop(b) == 0, "b ends under a");
	CHECK(strcmp(recorder_text(recorder_last()->name), "in b") == 0, "its name");
	CHECK(strcmp(recorder_text(recorder_last()->correlation), "beta") == 0, "its domain");
	CHECK(domain_pop(a) == 1 && strcmp(recorder_text(recorder_last()->name), "grüß 😀") == 0,
		  "wide '%s'", recorder_text(recorder_last()->name));
	CHECK(domain_pop(a) == 0 && strcmp(recorder_text(recorder_last()->name), "registered") == 0,
		  "registered");
	CHECK(domain_pop(a) < 0 && recorder_count() == 3, "count");
	struct event old = {.version = 1, .size = 16, .message_type = 1, .message = "beyond"};
	CORE(8, int (*)(const struct event *))(&old);
	pop();
	CHECK(recorder_last()->name == 0, "a message beyond the structure's size was read");
	CORE(2, void (*)(const char *))("here");
	CHECK(recorder_last()->aux == BATON_RANGE_MARK &&
			  recorder_last()->begin == recorder_last()->end,
		  "mark");
	CORE(14, void (*)(uint32_t, const char *))(4711, "loader");
	CORE(14, void (*)(uint32_t, const char *))(4711, "loader 2");
	CHECK(thread_name_given(4711) && strcmp(thread_name_given(4711), "loader 2") == 0, "thread name");
	CHECK(!thread_name_given(4712), "no name");
	recorder_clear();
}

static void too_deep(void)
{
	uint64_t dropped = recorder_dropped();
	for (int i = 0; i < 200; i++)
		CHECK(push("deep") == i, "level %d", i);
	for (int i = 199; i >= 0; i--)
		CHECK(pop() == i, "level %d back", i);
	CHECK(recorder_count() == 128 && recorder_dropped() == dropped + 72, "%u kept, %d dropped",
		  recorder_count(), (int)(recorder_dropped() - dropped));
	recorder_clear();
}

static void many_started(void)
{
	static uint64_t ids[3000];
	uint64_t dropped = recorder_dropped();
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 3000; i++)
			ids[i] = start("s");
		for (unsigned i = 0; i < 3000; i++)
			end(ids[i]);
		CHECK(recorder_count() == 2047, "%u of 3000 kept", recorder_count());
		recorder_clear();
	}
	CHECK(recorder_dropped() == dropped + 3 * (3000 - 2047), "the others are counted");
}

/* ---- threads ---- */

static pthread_barrier_t barrier;

static void *churn(void *arg)
{
	unsigned mistakes = 0;
	for (int i = 0; i < 20000; i++) {
		uint64_t id = start("t");
		mistakes += push("p") != 0;
		mistakes += pop() != 0;
		end(id);
		if (i % 1000 == 0) {
			mistakes += recorder_count() < 2;
			recorder_clear();
			lane_own(lane_mine)->tail_seen = 0;
		}
	}
	*(unsigned *)arg = mistakes;
	return NULL;
}

struct seen {
	unsigned n, named, thread;
};

static void see(void *who, uint32_t thread, const struct baton_slot *slot)
{
	struct seen *seen = who;
	seen->n++;
	seen->thread = thread;
	seen->named += strcmp(recorder_text(slot->name), "never ends") == 0 && slot->stack == 1 &&
				   slot->end == 9 && slot->begin > 0;
}

static void *linger(void *arg)
{
	push("never ends");
	*(unsigned *)arg = recorder_thread();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pop();
	return NULL;
}

static void what_never_ends(void)
{
	pthread_t thread;
	unsigned id = 0;
	struct seen seen = {0};

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, linger, &id);
	pthread_barrier_wait(&barrier);
	nvtx_close(9, see, &seen);
	CHECK(seen.n == 1 && seen.named == 1 && seen.thread == id, "%u open, %u right, thread %u of %u",
		  seen.n, seen.named, seen.thread, id);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	uint64_t span = start("never ends");
	seen = (struct seen){0};
	nvtx_close(9, see, &seen);
	CHECK(seen.n == 1 && seen.named == 1 && seen.thread == recorder_thread(), "%u spans", seen.n);
	end(span);
	seen = (struct seen){0};
	nvtx_close(9, see, &seen);
	CHECK(seen.n == 0, "nothing is open");
	recorder_clear();
}

static void together(void)
{
	pthread_t threads[4];
	unsigned mistakes[4];
	struct seen seen = {0};
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, churn, &mistakes[i]);
	for (int i = 0; i < 200; i++)
		nvtx_close(9, see, &seen);
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		CHECK(mistakes[i] == 0, "thread %d: %u mistakes", i, mistakes[i]);
	}
}

/* A child neither records its parent's ranges nor loses count of them. */
static void forked(void)
{
	push("parent's");
	uint64_t span = start("parent's");
	pid_t child = fork();
	if (!child) {
		struct seen seen = {0};
		recording_generation++;
		lane_mine = NULL;
		nvtx_close(9, see, &seen);
		int level = pop();
		end(span);
		_exit(level == 0 && recorder_count() == 0 && seen.n == 0 ? 0 : 1);
	}
	int status = -1;
	waitpid(child, &status, 0);
	CHECK(status == 0, "child: %d", status);
	pop();
	end(span);
	CHECK(recorder_count() == 2, "parent");
	recorder_clear();
}

static void inside_the_shim(void)
{
	int saved = 0;
	guard_enter(&saved);
	push("own");
	pop();
	guard_leave(saved);
	CHECK(recorder_count() == 0, "the shim recorded itself");
	errno = 5;
	push("x");
	pop();
	CHECK(errno == 5, "errno");
	recorder_clear();
}

int main(void)
{
	attaching();
	before_recording();
	across_the_start();
	domains_and_names();
	too_deep();
	many_started();
	what_never_ends();
	together();
	forked();
	inside_the_shim();
	return finish();
}
