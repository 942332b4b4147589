/* Walks a trace of any size with a bounded buffer. It passes on each event of the array
 * `traceEvents` (or of a file that is a bare array), and every other top-level value as a whole.
 * Offsets count bytes of the inflated text. */
#ifndef IMPORT_JSON_SCAN_H
#define IMPORT_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	JSON_SCAN_PADDING = 64,   /* readable bytes after every text passed on */
	JSON_SCAN_ITEM = 16 << 20 /* a larger event or value is skipped */
};

struct json_input {
	/* the number of bytes; 0: the end; or -errno */
	ssize_t (*read)(void *context, void *buffer, size_t room);
	void *context;
};

/* The texts are valid only during the call. */
struct json_sink {
	/* Takes one event. 0; -EBADMSG: the event is broken (the sink has reported it), go on with the
	 * next one; any other error stops the scan. */
	int (*event)(void *context, const char *at, size_t bytes, uint64_t offset);
	void (*value)(void *context, const char *key, const char *at, size_t bytes);
	/* Reports an event or value that cannot be used. */
	void (*trouble)(void *context, uint64_t offset, const char *what);
	void *context;
};

/* Passes the whole input to the sink. 0; -ENODATA: the text ends too early; -EBADMSG: it is not a
 * trace, or not from *offset on; else the error of the input or sink. Everything before the error
 * has been passed on. *offset: where the scan ended. */
int json_scan(const struct json_input *input, const struct json_sink *sink, uint64_t *offset);

/* The same for a text in memory (with JSON_SCAN_PADDING readable bytes after it). */
int json_scan_text(const char *at, size_t bytes, const struct json_sink *sink);

#endif
