#include "stacks/folded.h"

#include "base/room.h"
#include "base/sort.h"
#include "read/rows.h"

#include <errno.h>
#include <stdlib.h>

int folded_open(struct folded *f)
{
	*f = (struct folded){0};
	int error = strings_init(&f->pool);
	if (!error)
		error = symbols_open(&f->symbols);
	if (error)
		folded_close(f);
	return error;
}

void folded_close(struct folded *f)
{
	symbols_close(f->symbols);
	strings_free(&f->pool);
	free(f->lines);
	*f = (struct folded){0};
}

/* A frame must not end the line, nor look like two. */
static size_t put_frame(char *out, const char *frame)
{
	size_t n = 0;
	for (; frame[n]; n++)
		out[n] = frame[n] == ';' ? ':' : (unsigned char)frame[n] < ' ' ? ' ' : frame[n];
	return n;
}

size_t folded_text(const struct stacks *stacks, uint32_t index, char *out)
{
	char frame[FOLDED_FRAME_BYTES];
	uint32_t all = stacks_frames(stacks, index),
			 n = all < FOLDED_FRAMES_MOST ? all : FOLDED_FRAMES_MOST;
	size_t bytes = n < all ? put_frame(out, "...") : all ? 0 : put_frame(out, "?");
	while (n-- > 0) {
		if (bytes)
			out[bytes++] = ';';
		stacks_frame_text(stacks, index, n, frame, sizeof(frame));
		bytes += put_frame(out + bytes, frame);
	}
	return bytes;
}

static int add_line(struct folded *f, const char *text, size_t bytes, uint64_t calls)
{
	uint32_t id;
	int is_new, error = strings_add(&f->pool, text, bytes, &id, &is_new);
	if (error)
		return error;
	if (is_new && room_for((void **)&f->lines, f->n, &f->room, 256, sizeof(*f->lines)) != 0)
		return -ENOMEM;
	if (is_new)
		f->lines[f->n++] = (struct folded_line){.text = id};
	f->lines[id - 1].calls += calls;
	return 0;
}

/* calls[i]: of the stack with index i. */
static int count_calls(const struct stacks *stacks, struct trace *trace, uint64_t *calls)
{
	struct rows rows;
	int error = rows_open(&rows, trace, BATON_CALL);
	if (error)
		return error;
	while (rows_next(&rows))
		calls[stacks_find(stacks, (uint64_t)rows_optional(&rows, CALL_STACK, 0))]++;
	error = rows.error;
	rows_close(&rows);
	return error;
}

int folded_add(struct folded *f, struct trace *trace)
{
	struct stacks stacks;
	int error = stacks_open(&stacks, trace, f->symbols);
	if (error)
		return error;
	uint64_t *calls = calloc(stacks.n_stacks, sizeof(*calls));
	char *line = malloc(FOLDED_BYTES);
	error = calls && line ? count_calls(&stacks, trace, calls) : -ENOMEM;
	for (uint32_t i = 1; !error && i < stacks.n_stacks; i++)
		error = add_line(f, line, folded_text(&stacks, i, line), calls[i]);
	free(calls);
	free(line);
	stacks_close(&stacks);
	return error;
}

static int by_calls(const void *a, const void *b, void *context)
{
	const struct folded_line *x = a, *y = b;
	const struct strings *pool = context;
	if (x->calls != y->calls)
		return x->calls < y->calls ? 1 : -1;
	return strcmp(strings_get(pool, x->text).at, strings_get(pool, y->text).at);
}

void folded_sort(struct folded *f)
{
	sort_rows_with(f->lines, f->n, sizeof(*f->lines), by_calls, &f->pool);
}
