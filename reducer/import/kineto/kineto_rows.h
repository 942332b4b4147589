/* Turns the events of a Kineto file into rows of a trace. One thread per struct kineto_rows. */
#ifndef IMPORT_KINETO_ROWS_H
#define IMPORT_KINETO_ROWS_H

#include "import/kineto/kineto_autograd.h"
#include "import/kineto/kineto_facts.h"
#include "import/kineto/kineto_optimizer.h"
#include "import/trace_out.h"

struct json_event_reader;

enum { KINETO_UNREAD = 4 };

/* Events of an unknown category. */
struct kineto_unread {
	char category[32];
	uint64_t events;
};

struct kineto_rows {
	struct trace_out *out;
	const struct kineto_facts *facts;
	struct json_event_reader *reader;
	char *scratch; /* for unescaped text */
	int64_t pid;   /* pid of the first CPU row; 0: none yet */
	/* events of a known category that lack something a row needs */
	uint64_t useless;
	int32_t ordinals[KINETO_DEVICES]; /* devices with ops */
	uint32_t device_ids[KINETO_DEVICES];
	size_t n_devices;
	struct kineto_autograd autograd;
	struct kineto_optimizers optimizers;
	struct kineto_unread unread[KINETO_UNREAD]; /* the first unknown categories */
	size_t n_unread;
	uint64_t
		/* events that only other tools write: without a category, or with begin and end apart */
		foreign;
};

int kineto_rows_init(struct kineto_rows *rows, struct trace_out *out,
					 const struct kineto_facts *facts); /* 0 or -ENOMEM */
void kineto_rows_free(struct kineto_rows *rows);

enum { KINETO_USELESS = 1 };

/* Takes one event, with its padding. 0, also for events of other kinds, which are ignored;
 * KINETO_USELESS: counted, no row; -EBADMSG: invalid JSON; -ENOMEM. */
int kineto_rows_event(struct kineto_rows *rows, const char *at, size_t bytes);

#endif
