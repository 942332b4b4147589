/* Cutting a trace into events: shapes of files, text that arrives in pieces, damage. */
#include "import/json/json_scan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void check(bool ok, const char *keeps_out)
{
	if (ok)
		return;
	printf("%s\n", keeps_out);
	failed = 1;
}

/* Everything the scanner hands out, as one line of text. */
struct seen {
	char text[4096];
	unsigned events;
	unsigned troubles;
	const char *refuse; /* events holding this are called broken */
	const char *whole;
	bool offsets_ok;
};

static void note(struct seen *seen, const char *what, const char *at, size_t bytes)
{
	size_t used = strlen(seen->text);
	if (bytes < 64)
		snprintf(seen->text + used, sizeof(seen->text) - used, "%s%.*s|", what, (int)bytes, at);
}

static int take_event(void *context, const char *at, size_t bytes, uint64_t offset)
{
	struct seen *seen = context;
	if (seen->whole && memcmp(seen->whole + offset, at, bytes) != 0)
		seen->offsets_ok = false;
	if (seen->refuse && memmem(at, bytes, seen->refuse, strlen(seen->refuse)))
		return -EBADMSG;
	note(seen, "", at, bytes);
	seen->events++;
	return 0;
}

static void take_value(void *context, const char *key, const char *at, size_t bytes)
{
	char what[80];
	snprintf(what, sizeof(what), "%s=", key);
	note(context, what, at, bytes);
}

static void take_trouble(void *context, uint64_t offset, const char *what)
{
	struct seen *seen = context;
	(void)offset, (void)what;
	seen->troubles++;
}

struct pieces {
	const char *at;
	size_t left;
	size_t most; /* bytes per read */
};

static ssize_t read_pieces(void *context, void *buffer, size_t room)
{
	struct pieces *p = context;
	size_t n = p->left < p->most ? p->left : p->most;
	n = n < room ? n : room;
	memcpy(buffer, p->at, n);
	p->at += n;
	p->left -= n;
	return (ssize_t)n;
}

static int scan(const char *text, size_t bytes, size_t piece, struct seen *seen)
{
	struct pieces pieces = {text, bytes, piece};
	struct json_input input = {read_pieces, &pieces};
	struct json_sink sink = {take_event, take_value, take_trouble, seen};
	uint64_t offset;
	seen->text[0] = 0;
	seen->events = seen->troubles = 0;
	seen->whole = text;
	seen->offsets_ok = true;
	return json_scan(&input, &sink, &offset);
}

struct sample {
	const char *text;
	int error;
	unsigned troubles;
	const char *seen;
	const char *keeps_out;
};

static const struct sample samples[] = {
	{"{\"a\":1,\"traceEvents\":[{\"x\":1},{\"x\":2}],\"b\":\"t\"}", 0, 0,
	 "a=1|{\"x\":1}|{\"x\":2}|b=\"t\"|", "a plain trace is not taken apart"},
	{" \n{ \"traceEvents\" : [ ] , \"b\" : { \"c\" : [ 1 , 2 ] } } ", 0, 0,
	 "b={ \"c\" : [ 1 , 2 ] }|", "white space is in the way"},
	{"\xef\xbb\xbf{\"b\":null}", 0, 0, "b=null|", "a byte order mark is in the way"},
	{"[{\"x\":1},\n{\"x\":2}]", 0, 0, "{\"x\":1}|{\"x\":2}|", "a bare array is refused"},
	{"[{\"x\":1},\n{\"x\":2},\n", 0, 0, "{\"x\":1}|{\"x\":2}|",
	 "a bare array must end with a bracket, which Chrome does not ask for"},
	{"{\"traceEvents\":[{\"x\":\"}]{\\\"\"},{\"x\":\"\\\\\"}]}", 0, 0,
	 "{\"x\":\"}]{\\\"\"}|{\"x\":\"\\\\\"}|", "brackets or escapes in strings are counted"},
	{"{\"traceEvents\":[{\"x\":{\"y\":[{\"z\":1},{\"z\":2}]}}]}", 0, 0,
	 "{\"x\":{\"y\":[{\"z\":1},{\"z\":2}]}}|", "nested objects are taken for events"},
	{"{\"traceEvents\":[{\"x\":1},]}", 0, 0, "{\"x\":1}|", "a comma too many stops the scan"},
	{"{\"a\":{\"traceEvents\":[{\"n\":1}]}}", 0, 0, "a={\"traceEvents\":[{\"n\":1}]}|",
	 "a nested traceEvents is walked"},
	{"{\"traceEvents\":[{\"x\":1},{\"x\":", -ENODATA, 0, "{\"x\":1}|",
	 "a text cut in an event loses the events before, or is taken for whole"},
	{"{\"traceEvents\":[{\"x\":1}", -ENODATA, 0, "{\"x\":1}|", "a missing end is not said"},
	{"{\"traceEvents\":[{\"x\":\"a},{\"x\":2},{\"x\":3}]}", 0, 1, "{\"x\":2}|{\"x\":3}|",
	 "a lost quote swallows the events behind"},
	{"{\"traceEvents\":[{\"x\":{\"y\":1},{\"x\":2},{\"x\":3}]}", 0, 1, "{\"x\":2}|{\"x\":3}|",
	 "a lost bracket swallows the events behind"},
	{"{\"traceEvents\":[{\"x\":1}},{\"x\":2}],\"b\":1}", 0, 1, "{\"x\":1}|{\"x\":2}|b=1|",
	 "a bracket too many ends the events"},
	{"{\"traceEvents\":[{\"x\":1},garbage,{\"x\":2}]}", 0, 1, "{\"x\":1}|{\"x\":2}|",
	 "garbage between events ends the scan"},
	{"{\"traceEvents\":[{\"x\":1},{\"x\":[1},\"y\":0}],\"b\":1}", 0, 1, "{\"x\":1}|b=1|",
	 "damage in the last event loses what stands behind the events"},
	{"{\"traceEvents\":[{\"x\":\"a\nb\"},{\"x\":2}]}", 0, 1, "{\"x\":2}|",
	 "a line break inside a string is accepted"},
	{"{\"a\":[1}, \"traceEvents\":[{\"x\":1}]}", 0, 1, "{\"x\":1}|",
	 "damage before the events loses all events"},
	{"hello", -EBADMSG, 0, "", "any text is a trace"},
	{"", -EBADMSG, 0, "", "an empty file is a trace"},
	{"{\"traceEvents\":[{\"x\":\"REFUSE\"},{\"x\":2}]}", 0, 0, "{\"x\":2}|",
	 "after an event its parser refuses the next one is lost"},
};

/* Each sample whole, byte by byte, and in sizes that put the ends of pieces everywhere. */
static void test_samples(void)
{
	static const size_t sizes[] = {1, 2, 3, 7, 1 << 20};
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *s = &samples[i];
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			struct seen seen = {.refuse = "REFUSE"};
			int error = scan(s->text, strlen(s->text), sizes[k], &seen);
			bool same = error == s->error && strcmp(seen.text, s->seen) == 0 &&
						(seen.troubles > 0) == (s->troubles > 0);
			check(same, s->keeps_out);
			if (!same)
				printf("    pieces of %zu: %d, %u troubles, %s\n", sizes[k], error, seen.troubles,
					   seen.text);
			check(seen.offsets_ok, "an event comes with a wrong offset");
		}
	}
}

/* Larger than the window: offsets and order hold across many refills. */
static void test_many(void)
{
	enum { EVENTS = 60000, ROOM = 8 << 20 };
	char *text = malloc(ROOM);
	size_t n = (size_t)snprintf(text, ROOM, "{\"traceEvents\":[");
	for (int i = 0; i < EVENTS; i++)
		n += (size_t)snprintf(text + n, ROOM - n, "%s{\"name\":\"k%d\",\"args\":{\"a\":[1,2]}}",
							  i ? ",\n  " : "", i);
	n += (size_t)snprintf(text + n, ROOM - n, "],\"b\":1}");
	struct seen seen = {0};
	int error = scan(text, n, 65521, &seen);
	check(error == 0 && seen.events == EVENTS, "events are lost where the window moves");
	check(seen.offsets_ok, "offsets are wrong where the window moves");
	free(text);
}

/* An event and a value above the limit are passed over, what stands behind them is used. */
static void test_too_large(void)
{
	size_t large = JSON_SCAN_ITEM + (3u << 20), room = 2 * large + 200, n = 0;
	char *text = malloc(room);
	n += (size_t)sprintf(text + n, "{\"big\":\"");
	memset(text + n, 'v', large);
	n += large;
	n += (size_t)sprintf(text + n, "\",\"traceEvents\":[{\"x\":1},{\"y\":\"");
	memset(text + n, 'e', large);
	n += large;
	n += (size_t)sprintf(text + n, "\"},{\"x\":2}],\"b\":1}");
	struct seen seen = {0};
	int error = scan(text, n, 1 << 20, &seen);
	check(error == 0, "a piece above the limit ends the scan");
	check(strcmp(seen.text, "{\"x\":1}|{\"x\":2}|b=1|") == 0,
		  "a piece above the limit takes others with it, or is handed out");
	check(seen.troubles == 2, "pieces above the limit are not counted");
	free(text);
}

/* Nested beyond any trace: said, never a crash. */
static void test_deep(void)
{
	enum { DEPTH = 100000 };
	char *text = malloc(DEPTH + 100);
	size_t n = (size_t)sprintf(text, "{\"traceEvents\":[{\"x\":");
	memset(text + n, '[', DEPTH);
	n += DEPTH;
	n += (size_t)sprintf(text + n, "},{\"x\":2}]}");
	struct seen seen = {0};
	scan(text, n, 4096, &seen);
	check(seen.troubles > 0 && seen.events == 1,
		  "an event nested too deeply is used or takes others along");
	free(text);
}

int main(void)
{
	test_samples();
	test_many();
	test_too_large();
	test_deep();
	return failed;
}
