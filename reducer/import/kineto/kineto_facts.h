/* What a Kineto file says about its process outside the events, and what its name says. */
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
	int64_t base_ns;    /* to be added to every time */
	char schema[16];
	char pytorch[32];
	struct kineto_device devices[KINETO_DEVICES];
	size_t n_devices;
	char host[64]; /* from the file's name, or "" */
	int64_t pid;   /* from the file's name, or 0 */
};

/* Rank from `rank-3`, `rank3`, `rank_3`; host and pid from HOST_PID.TIME.pt.trace.json, as the
 * TensorBoard handler names files. */
void kineto_facts_from_name(struct kineto_facts *facts, const char *path);

/* One top-level value (JSON_EVENT_PADDING readable bytes after it). Unknown keys and values of
 * another shape are passed over. 0 or -ENOMEM. */
int kineto_facts_value(struct kineto_facts *facts, const char *key, const char *at, size_t bytes);

const struct kineto_device *kineto_facts_device(const struct kineto_facts *facts, int32_t ordinal);

#endif
