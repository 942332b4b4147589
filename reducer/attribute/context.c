#include "attribute/context.h"

#include "base/room.h"
#include "stacks/origin.h"
#include "summary/evidence_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONTEXT_WORDS = sizeof(struct context) / sizeof(uint32_t) };

static int add_context(struct contexts *c, const struct context *context, uint32_t *number)
{
	uint32_t words[CONTEXT_WORDS];
	memcpy(words, context, sizeof(words));
	int error = intern_get(&c->contexts, words, number);
	if (*number == INTERN_FULL)
		*number = CONTEXT_REST;
	return error;
}

/* The numbers that mean something by themselves come first. */
static int add_fixed(struct contexts *c)
{
	struct context rest = {.feed = UINT32_MAX};
	uint32_t number, root[2] = {UINT32_MAX, 0}, path_rest[2] = {UINT32_MAX, 1};
	int error = add_context(c, &(struct context){.feed = UINT32_MAX - 1}, &number);
	if (!error)
		error = add_context(c, &rest, &number);
	if (!error)
		error = intern_get(&c->paths, root, &number);
	return error ? error : intern_get(&c->paths, path_rest, &number);
}

static int open_threads(struct contexts *c, uint32_t feed)
{
	const struct trace *trace = &c->feeds[feed].trace;
	uint32_t *callers = calloc(trace->n_threads, sizeof(*callers));
	c->threads[feed] = calloc(trace->n_threads, sizeof(**c->threads));
	if (callers && c->threads[feed]) {
		trace_callers(trace, callers);
		for (uint32_t t = 0; t < trace->n_threads; t++)
			c->threads[feed][t].caller = callers[t];
	}
	free(callers);
	return callers && c->threads[feed] ? 0 : -ENOMEM;
}

int contexts_open(struct contexts *c, struct feed *feeds, uint32_t n)
{
	*c = (struct contexts){.feeds = feeds,
						   .n_feeds = n,
						   .contexts = intern_of(CONTEXT_WORDS, CONTEXTS_MOST),
						   .paths = intern_of(2, PATHS_MOST)};
	c->threads = calloc(n, sizeof(*c->threads));
	c->folded = calloc(n, sizeof(*c->folded));
	c->origins = calloc(n, sizeof(*c->origins));
	if (!c->threads || !c->folded || !c->origins || strings_init(&c->texts) != 0)
		return -ENOMEM;
	int error = add_fixed(c);
	for (uint32_t i = 0; i < n && !error; i++)
		error = open_threads(c, i);
	return error;
}

void contexts_close(struct contexts *c)
{
	for (uint32_t i = 0; i < c->n_feeds; i++) {
		for (uint32_t t = 0; c->threads && c->threads[i] && t < c->feeds[i].trace.n_threads; t++)
			free(c->threads[i][t].open);
		if (c->threads)
			free(c->threads[i]);
		if (c->folded)
			free(c->folded[i]);
		if (c->origins)
			free(c->origins[i]);
	}
	free(c->threads);
	free(c->folded);
	free(c->origins);
	intern_free(&c->contexts);
	intern_free(&c->paths);
	if (c->texts.texts)
		strings_free(&c->texts);
	*c = (struct contexts){0};
}

/* Drops what ended at or before `at`. */
static void close_ended(struct context_thread *t, int64_t at)
{
	uint32_t kept = 0;
	t->next_end = INT64_MAX;
	for (uint32_t i = 0; i < t->n_open; i++) {
		if (t->open[i].end <= at)
			continue;
		t->next_end = t->open[i].end < t->next_end ? t->open[i].end : t->next_end;
		t->open[kept++] = t->open[i];
	}
	t->changed = t->changed || kept != t->n_open;
	t->n_open = kept;
}

int contexts_range(struct contexts *c, uint32_t feed, uint32_t thread,
				   const struct open_range *range)
{
	struct context_thread *t = &c->threads[feed][thread];
	if (range->category == BATON_RANGE_MARK || range->category == 0 || range->end <= range->start)
		return 0;
	while (t->n_open && t->open[t->n_open - 1].end <= range->start) {
		t->n_open--;
		t->changed = true;
	}
	if (t->n_open == RANGES_DEEP)
		close_ended(t, range->start);
	if (t->n_open == RANGES_DEEP)
		return 0;
	if (room_reach((void **)&t->open, &t->room, t->n_open, sizeof(*t->open)) != 0)
		return -ENOMEM;
	uint32_t at = t->n_open++;
	for (; at > 0 && t->open[at - 1].start == range->start && t->open[at - 1].end < range->end;
		 at--)
		t->open[at] = t->open[at - 1]; /* begun together: the longer one is outside */
	t->open[at] = *range;
	t->next_end = t->n_open == 1 || range->end < t->next_end ? range->end : t->next_end;
	t->changed = true;
	return 0;
}

/* A name's text in a path: "step 12" and "step 13" are one. */
static int folded_name(struct contexts *c, uint32_t feed, uint32_t name, uint32_t *text)
{
	const struct feed *s = &c->feeds[feed];
	if (!c->folded[feed]) {
		c->folded[feed] = calloc(s->trace.strings.n, sizeof(**c->folded));
		if (!c->folded[feed])
			return -ENOMEM;
	}
	uint32_t *known = &c->folded[feed][name];
	if (!*known) {
		char cut[512];
		struct text whole = strings_get(&s->trace.strings, name);
		size_t stem = evidence_stem(whole.at);
		int n = stem < whole.bytes ? snprintf(cut, sizeof(cut), "%.*s*", (int)stem, whole.at)
								   : snprintf(cut, sizeof(cut), "%s", whole.at);
		size_t bytes = (size_t)n < sizeof(cut) ? (size_t)n : sizeof(cut) - 1;
		int error = strings_add(&c->texts, cut, bytes, known, NULL);
		if (error)
			return error;
	}
	*text = *known;
	return 0;
}

/* One level deeper. */
static int add_level(struct contexts *c, uint32_t feed, uint32_t name, uint32_t *path)
{
	uint32_t level[2] = {*path, 0};
	if (*path == PATH_REST)
		return 0;
	int error = folded_name(c, feed, name, &level[1]);
	if (!error)
		error = intern_get(&c->paths, level, path);
	if (*path == INTERN_FULL)
		*path = PATH_REST;
	return error;
}

static enum origin frame_origin(struct contexts *c, uint32_t feed, uint32_t name)
{
	const struct feed *s = &c->feeds[feed];
	char line[2048], module[2048];
	if (!c->origins[feed])
		c->origins[feed] = calloc(s->trace.strings.n, 1);
	if (!c->origins[feed])
		return ORIGIN_UNKNOWN;
	uint8_t *known = &c->origins[feed][name];
	if (!*known)
		*known = (uint8_t)(1 + origin_of_range(feed_text(s, name), line, module, sizeof(line)));
	return (enum origin)(*known - 1);
}

static void add_frame(struct contexts *c, struct context *context, uint32_t name, bool *project)
{
	enum origin origin = frame_origin(c, context->feed, name);
	if (origin == ORIGIN_UNKNOWN)
		return;
	context->inner = name;
	if (origin == ORIGIN_PROJECT || !*project)
		context->frame = name;
	*project = *project || origin == ORIGIN_PROJECT;
}

const char *context_node(const char *name)
{
	static const char prefix[] = "autograd::engine::evaluate_function";
	const size_t bytes = sizeof(prefix) - 1;
	if (strncmp(name, prefix, bytes) != 0)
		return NULL;
	return strncmp(name + bytes, ": ", 2) == 0 ? name + bytes + 2 : "";
}

static int describe(struct contexts *c, uint32_t feed, struct context_thread *t)
{
	struct context context = {.feed = feed, .path = t->base};
	const bool shaped = c->feeds[feed].trace.n_inputs > 1; /* [0] is none */
	bool project = false;
	int error = 0;
	t->changed = false;
	t->context = CONTEXT_NONE;
	for (uint32_t i = 0; !error && i < t->n_open; i++) {
		const struct open_range *range = &t->open[i];
		if (!range->name)
			continue;
		if (shaped && (range->category == BATON_RANGE_OPERATOR || range->inputs)) {
			context.shaped = range->name;
			context.inputs = range->inputs;
		}
		if (range->category == BATON_RANGE_OPERATOR) {
			context.op = range->name;
			if (context_node(feed_text(&c->feeds[feed], range->name)))
				context.backward = range->name;
		} else if (range->category == BATON_RANGE_PYTHON) {
			add_frame(c, &context, range->name, &project);
		} else {
			error = add_level(c, feed, range->name, &context.path);
		}
	}
	t->path = context.path;
	return error || (t->n_open == 0 && t->base == 0) ? error
													 : add_context(c, &context, &t->context);
}

/* Autograd's threads work within the ranges of the thread that called backward(). */
static int follow_caller(struct contexts *c, uint32_t feed, struct context_thread *t, int64_t at)
{
	struct context_thread *caller = &c->threads[feed][t->caller];
	if (caller->n_open && caller->next_end <= at)
		close_ended(caller, at);
	const int error = caller->changed ? describe(c, feed, caller) : 0;
	t->changed |= caller->path != t->base;
	t->base = caller->path;
	return error;
}

int contexts_change(struct contexts *c, uint32_t feed, uint32_t thread, int64_t at)
{
	struct context_thread *t = &c->threads[feed][thread];
	if (t->n_open && t->next_end <= at)
		close_ended(t, at);
	const int error = t->caller ? follow_caller(c, feed, t, at) : 0;
	return !error && t->changed ? describe(c, feed, t) : error;
}

void contexts_path_text(const struct contexts *c, uint32_t node, char *out, size_t room)
{
	size_t at = room - 1;
	out[at] = 0;
	while (node > PATH_REST) {
		const uint32_t *level = intern_tuple(&c->paths, node);
		struct text text = strings_get(&c->texts, level[1]);
		const char *between = at == room - 1 ? "" : " / ";
		size_t bytes = text.bytes + strlen(between);
		if (bytes > at)
			break;
		at -= bytes;
		memcpy(out + at, text.at, text.bytes);
		memcpy(out + at + text.bytes, between, strlen(between));
		node = level[0];
	}
	memmove(out, out + at, room - at);
}
