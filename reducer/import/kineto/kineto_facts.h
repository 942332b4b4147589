/* The facts about a process in a Kineto file: from the file's values outside of the events, and
 * from its name. */
#ifndef IMPORT_KINETO_FACTS_H
#define IMPORT_KINETO_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KINETO_DEVICES = 64, KINETO_NAME = 96 };

struct kineto_device {
	char name[KINETO_NAME];
	int32_t ordinal;
	uint32_t sm_count;
	uint64_t memory_bytes;
};

struct kineto_facts {
	int32_t rank;       /* -1 unknown */
	int32_t world_size; /* -1 unknown */
	int64_t base_ns;    /* added to every time */
	char schema[16];
	char pytorch[32];
	struct kineto_device devices[KINETO_DEVICES];
	size_t n_devices;
	char host[64]; /* from the file's name, or "" */
	int64_t pid;   /* from the file's name, or 0 */
};

/* Takes the rank from `rank-3`, `rank3` or `rank_3` in the file's name, and host and pid from
 * HOST_PID.TIME.pt.trace.json, the form that the TensorBoard handler uses. */
void kineto_facts_from_name(struct kineto_facts *facts, const char *path);

/* Takes the facts from one top-level value, which has JSON_EVENT_PADDING readable bytes after it.
 * Unknown keys and values of an unexpected shape are ignored. 0 or -ENOMEM. */
int kineto_facts_value(struct kineto_facts *facts, const char *key, const char *at, size_t bytes);

const struct kineto_device *kineto_facts_device(const struct kineto_facts *facts, int32_t ordinal);

#endif
