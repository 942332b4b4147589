/* Walks a trace of any size in a bounded buffer: cuts the array `traceEvents` (or a file that is a
 * bare array) into single events and hands out the other top-level values whole. Offsets count the
 * inflated text. */
#ifndef IMPORT_JSON_SCAN_H
#define IMPORT_JSON_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	JSON_SCAN_PADDING = 64,   /* readable bytes after every text handed out */
	JSON_SCAN_ITEM = 16 << 20 /* a larger event or value is passed over */
};

struct json_input {
	ssize_t (*read)(void *context, void *buffer, size_t room); /* 0 at the end, -errno */
	void *context;
};

/* The texts are gone when the call returns. */
struct json_sink {
	/* 0; -EBADMSG: it is broken (the sink says so), look for the next one; else stop with this
	 * error. */
	int (*event)(void *context, const char *at, size_t bytes, uint64_t offset);
	void (*value)(void *context, const char *key, const char *at, size_t bytes);
	/* An event or value that cannot be used. */
	void (*trouble)(void *context, uint64_t offset, const char *what);
	void *context;
};

/* 0; -ENODATA: the text ends too early; -EBADMSG: not (or from *offset on no longer) a trace; else
 * the error of the input or sink. Everything before was handed out. *offset: where the text ended.
 * */
int json_scan(const struct json_input *input, const struct json_sink *sink, uint64_t *offset);

/* The same for a text in memory (with JSON_SCAN_PADDING readable bytes after it). */
int json_scan_text(const char *at, size_t bytes, const struct json_sink *sink);

#endif
