/* Timelines as Chrome's trace events: type, step and microbatch in an event, the data-parallel rank
 * as its process, the stage in the name of its thread. */
#ifndef TIMELINE_CHROME_OPS_H
#define TIMELINE_CHROME_OPS_H

#include "import/json/json_event.h"
#include "timeline/op_fields.h"

struct chrome_thread {
	int64_t pid, tid;
	uint32_t place; /* its stage; of an operation: the number of its row */
};

struct chrome_threads {
	struct chrome_thread *at;
	size_t n, room;
};

struct chrome_ops {
	struct chrome_threads stages;  /* of the threads with a name */
	struct chrome_threads waiting; /* operations whose stage their thread's name says */
};

/* The keys of an event. */
extern const struct json_key chrome_keys[];
extern const size_t chrome_keys_n;

/* Takes an event by the texts of its keys. 0: it is an operation, of which `values` has the fields;
 * 1: it is none; -ENOMEM. */
int chrome_ops_take(struct chrome_ops *chrome, const struct json_text *texts,
					struct op_value values[FIELDS]);

/* Row number `row` is the operation of these texts: note where its stage will come from. 0;
 * -EBADMSG: from nowhere; -ENOMEM. */
int chrome_ops_wait(struct chrome_ops *chrome, const struct json_text *texts, size_t row);

/* Gives the rows their stages. 0; -EBADMSG: a thread has no name with a stage. */
int chrome_ops_finish(struct chrome_ops *chrome, struct op_rows *rows);
void chrome_ops_free(struct chrome_ops *chrome);

#endif
