/* Turns the events of a Kineto file into rows of a trace. One thread per struct kineto_rows. */
#ifndef IMPORT_KINETO_ROWS_H
#define IMPORT_KINETO_ROWS_H

#include "import/kineto/kineto_facts.h"
#include "import/trace_out.h"

struct json_event_reader;

enum { KINETO_UNREAD = 4 };

/* Events of a category that is not known here. */
struct kineto_unread {
	char category[32];
	uint64_t events;
};

struct kineto_rows {
	struct trace_out *out;
	const struct kineto_facts *facts;
	struct json_event_reader *reader;
	char *scratch;                    /* for unescaped text */
	int64_t pid;                      /* of the first row of the CPU, 0 before */
	uint64_t useless;                 /* events of a known category that lack what a row needs */
	int32_t ordinals[KINETO_DEVICES]; /* devices that did work */
	uint32_t device_ids[KINETO_DEVICES];
	size_t n_devices;
	struct kineto_unread unread[KINETO_UNREAD]; /* the first categories that are met */
	size_t n_unread;
	uint64_t
		foreign; /* events as only other tools write them: no category, or begin and end apart */
};

int kineto_rows_init(struct kineto_rows *rows, struct trace_out *out,
					 const struct kineto_facts *facts); /* 0 or -ENOMEM */
void kineto_rows_free(struct kineto_rows *rows);

enum { KINETO_USELESS = 1 };

/* One event with its padding. 0, also for events of other kinds, which are passed over;
 * KINETO_USELESS (counted); -EBADMSG: no valid JSON; -ENOMEM. */
int kineto_rows_event(struct kineto_rows *rows, const char *at, size_t bytes);

#endif
