#include "import/json/json_scan.h"

#include "import/json/json_walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 1 << 20, LOOK_BACK = 256, KEY_BYTES = 64 };

struct scan {
	const struct json_input *input;
	const struct json_sink *sink;
	char *buffer;
	size_t room;
	size_t item; /* bytes before it are no longer needed */
	size_t at;
	size_t end;
	uint64_t base; /* offset of buffer[0] in the text */
	bool ended;
	bool events_seen;
	int error;
};

/* Brings more text; item and at keep their meaning. False at the end of the text or on an error. */
static bool more(struct scan *s)
{
	if (s->ended)
		return false;
	memmove(s->buffer, s->buffer + s->item, s->end - s->item);
	s->base += s->item;
	s->at -= s->item;
	s->end -= s->item;
	s->item = 0;
	if (s->end == s->room) {
		char *larger = realloc(s->buffer, 2 * s->room + JSON_SCAN_PADDING);
		if (!larger) {
			s->error = -ENOMEM;
			s->ended = true;
			return false;
		}
		s->buffer = larger;
		s->room *= 2;
	}
	ssize_t n = s->input->read(s->input->context, s->buffer + s->end, s->room - s->end);
	if (n <= 0) {
		s->error = (int)n;
		s->ended = true;
		return false;
	}
	s->end += (size_t)n;
	memset(s->buffer + s->end, 0, JSON_SCAN_PADDING);
	return true;
}

/* The next byte that is neither white space nor a comma (when `commas`), or -1 at the end. */
static int next_byte(struct scan *s, bool commas)
{
	for (;;) {
		while (s->at < s->end &&
			   (json_is_space(s->buffer[s->at]) || (commas && s->buffer[s->at] == ',')))
			s->at++;
		s->item = s->at;
		if (s->at < s->end)
			return (unsigned char)s->buffer[s->at];
		if (!more(s))
			return -1;
	}
}

static int end_of_text(const struct scan *s)
{
	return s->error ? s->error : -ENODATA;
}

static void trouble(const struct scan *s, size_t at, const char *what)
{
	s->sink->trouble(s->sink->context, s->base + at, what);
}

/* From the first byte of a string, object or array (item = at) to after it. Above the limit the
 * text is passed over without being kept: *kept false. 0, -EBADMSG (said), -ENODATA, other. */
static int walk_item(struct scan *s, bool *kept)
{
	struct json_walk walk = {0};
	*kept = true;
	for (;;) {
		const char *at = s->buffer + s->at;
		enum json_walk_result result =
			json_walk_value(&walk, s->buffer + s->item, &at, s->buffer + s->end);
		s->at = (size_t)(at - s->buffer);
		if (result == JSON_WALK_DONE)
			return 0;
		if (result == JSON_WALK_BROKEN) {
			trouble(s, *kept ? s->item : s->at, walk.what);
			return -EBADMSG;
		}
		if (*kept && s->end - s->item > JSON_SCAN_ITEM) {
			trouble(s, s->item, "more than 16 MiB in one piece, passed over");
			*kept = false;
		}
		if (!*kept)
			s->item = s->at;
		if (!more(s))
			return end_of_text(s);
	}
}

/* An array of objects ends here: `}` and then `]`. */
static bool ends_objects(const struct scan *s)
{
	size_t p = s->at;
	while (p > s->item && json_is_space(s->buffer[p - 1]))
		p--;
	return p > s->item && s->buffer[p - 1] == '}';
}

/* An object that looks like the next of an array: a comma before it, a key inside. */
static bool begins_object(struct scan *s)
{
	size_t before = s->at, after = s->at + 1;
	while (before > s->item && json_is_space(s->buffer[before - 1]))
		before--;
	if (before == s->item || s->buffer[before - 1] != ',')
		return false;
	while (after < s->end && json_is_space(s->buffer[after]))
		after++;
	return after < s->end && s->buffer[after] == '"';
}

/* After damage: from `at` on to the next thing that looks like an event or like the end of the
 * events. What is nested in an event does not: its brackets come after colons. */
static bool resynchronise(struct scan *s)
{
	s->item = s->at;
	for (;;) {
		const char *found = json_find_structure(s->buffer + s->at, s->buffer + s->end);
		s->at = (size_t)(found - s->buffer);
		do { /* see all of what decides */
			s->item = s->at - s->item > LOOK_BACK ? s->at - LOOK_BACK : s->item;
		} while (s->end - s->at < LOOK_BACK && more(s));
		if (s->at >= s->end)
			return false;
		char c = s->buffer[s->at];
		if ((c == '{' && begins_object(s)) || (c == ']' && ends_objects(s)))
			return true;
		s->at++;
	}
}

static int scan_event(struct scan *s)
{
	bool kept;
	int error = walk_item(s, &kept);
	if (!error && kept)
		error = s->sink->event(s->sink->context, s->buffer + s->item, s->at - s->item,
							   s->base + s->item);
	if (error != -EBADMSG)
		return error;
	if (kept)
		s->at = s->item + 1;
	return resynchronise(s) ? 0 : end_of_text(s);
}

/* The events, from after their `[` to after their `]`, which a bare array may lack. */
static int scan_events(struct scan *s, bool bare)
{
	for (;;) {
		int c = next_byte(s, true), error;
		if (c < 0)
			return bare ? s->error : end_of_text(s);
		if (c == ']') {
			s->at++;
			return 0;
		}
		if (c == '{') {
			error = scan_event(s);
		} else {
			trouble(s, s->at, "text that is not an event");
			error = resynchronise(s) ? 0 : end_of_text(s);
		}
		if (error)
			return error;
	}
}

static int walk_scalar(struct scan *s)
{
	for (;;) {
		for (; s->at < s->end; s->at++) {
			char c = s->buffer[s->at];
			if (c == ',' || c == '}' || json_is_space(c))
				return 0;
		}
		if (s->end - s->item > KEY_BYTES * 16)
			return -EBADMSG;
		if (!more(s))
			return end_of_text(s);
	}
}

static int scan_value(struct scan *s, const char *key)
{
	bool kept = true;
	int c = next_byte(s, false);
	if (c < 0)
		return end_of_text(s);
	if (c == '[' && strcmp(key, "traceEvents") == 0) {
		s->at++;
		s->events_seen = true;
		return scan_events(s, false);
	}
	int error = c == '"' || c == '{' || c == '[' ? walk_item(s, &kept) : walk_scalar(s);
	if (!error && kept)
		s->sink->value(s->sink->context, key, s->buffer + s->item, s->at - s->item);
	return error;
}

static int scan_key(struct scan *s, char key[KEY_BYTES])
{
	bool kept;
	int error = walk_item(s, &kept);
	if (error)
		return error;
	size_t bytes = s->at - s->item - 2;
	key[0] = 0;
	if (kept && bytes < KEY_BYTES) {
		memcpy(key, s->buffer + s->item + 1, bytes);
		key[bytes] = 0;
	}
	int c = next_byte(s, false);
	if (c != ':')
		return c < 0 ? end_of_text(s) : -EBADMSG;
	s->at++;
	return 0;
}

/* After damage before the events: on to their key. */
static bool find_events(struct scan *s)
{
	static const char events[] = "\"traceEvents\"";
	const size_t bytes = sizeof(events) - 1;
	for (;;) {
		const char *found = memmem(s->buffer + s->at, s->end - s->at, events, bytes);
		if (found) {
			s->at = s->item = (size_t)(found - s->buffer);
			return true;
		}
		s->at = s->item = s->end - s->at > bytes ? s->end - bytes : s->at;
		if (!more(s))
			return false;
	}
}

static int scan_object(struct scan *s)
{
	char key[KEY_BYTES];
	for (;;) {
		int c = next_byte(s, true);
		if (c < 0)
			return end_of_text(s);
		if (c == '}')
			return 0;
		int error = c == '"' ? scan_key(s, key) : -EBADMSG;
		if (!error)
			error = scan_value(s, key);
		if (error == -EBADMSG && !s->events_seen && find_events(s))
			continue;
		if (error)
			return error;
	}
}

static int scan_top(struct scan *s)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, written by some editors */
	while (s->end < 3 && more(s))
		;
	if (s->end >= 3 && memcmp(s->buffer, mark, 3) == 0)
		s->at = s->item = 3;
	int c = next_byte(s, false);
	s->at += c == '{' || c == '[';
	if (c == '{')
		return scan_object(s);
	s->events_seen = c == '[';
	if (c == '[')
		return scan_events(s, true);
	return s->error ? s->error : -EBADMSG;
}

/* Behind the trace only white space may follow; reading it also checks the end of a gz file. */
static int scan_rest(struct scan *s)
{
	if (next_byte(s, false) == '}')
		s->at++; /* the one that scan_object stopped at */
	return next_byte(s, false) < 0 ? s->error : -EBADMSG;
}

int json_scan(const struct json_input *input, const struct json_sink *sink, uint64_t *offset)
{
	struct scan s = {.input = input, .sink = sink, .room = FIRST_ROOM};
	s.buffer = malloc(s.room + JSON_SCAN_PADDING);
	if (!s.buffer)
		return -ENOMEM;
	int error = scan_top(&s);
	if (!error)
		error = scan_rest(&s);
	*offset = s.base + s.at;
	free(s.buffer);
	return error;
}

struct memory {
	const char *at;
	size_t left;
};

static ssize_t read_memory(void *context, void *buffer, size_t room)
{
	struct memory *m = context;
	size_t n = m->left < room ? m->left : room;
	memcpy(buffer, m->at, n);
	m->at += n;
	m->left -= n;
	return (ssize_t)n;
}

int json_scan_text(const char *at, size_t bytes, const struct json_sink *sink)
{
	struct memory memory = {at, bytes};
	struct json_input input = {read_memory, &memory};
	uint64_t offset;
	return json_scan(&input, sink, &offset);
}
