#include "read/records.h"

#include <baton/bounds.h>
#include <baton/format.h>
#include <string.h>

static const uint16_t least_size[] = {
	[BATON_R_STRING] = sizeof(struct baton_r_string),
	[BATON_R_THREAD] = sizeof(struct baton_r_thread),
	[BATON_R_DEVICE] = sizeof(struct baton_r_device),
	[BATON_R_STREAM] = sizeof(struct baton_r_stream),
	[BATON_R_COMM] = sizeof(struct baton_r_comm),
	[BATON_R_PROCESS] = sizeof(struct baton_r_process),
	[BATON_R_META] = sizeof(struct baton_r_meta),
	[BATON_R_CLOCK] = sizeof(struct baton_r_clock),
	[BATON_R_LOSS] = sizeof(struct baton_r_loss),
	[BATON_R_COST] = sizeof(struct baton_r_cost),
	[BATON_R_MODULE] = sizeof(struct baton_r_module),
	[BATON_R_CODE] = sizeof(struct baton_r_code),
	[BATON_R_STACK] = sizeof(struct baton_r_stack),
	[BATON_R_SHAPE] = sizeof(struct baton_r_shape),
	[BATON_R_KEPT] = sizeof(struct baton_r_kept),
	[BATON_R_INPUTS] = sizeof(struct baton_r_inputs),
	[BATON_R_PRIORITY] = sizeof(struct baton_r_priority),
};

enum { KNOWN_TYPES = sizeof(least_size) / sizeof(least_size[0]) };

/* Dictionary records begin with their id. */
static bool has_id(uint16_t type)
{
	return (type >= BATON_R_STRING && type <= BATON_R_COMM) ||
		   (type >= BATON_R_MODULE && type <= BATON_R_STACK) || type == BATON_R_SHAPE ||
		   type == BATON_R_INPUTS;
}

/* Is what follows a record's fixed part inside the record? */
static bool tail_ok(const struct baton_record *record)
{
	const void *any = record;
	const struct baton_r_string *string = any;
	const struct baton_r_code *code = any;
	const struct baton_r_stack *stack = any;
	switch (record->type) {
	case BATON_R_STRING:
		return baton_holds(record->size, sizeof(*string), string->bytes, 1);
	case BATON_R_CODE:
		return baton_holds(record->size, sizeof(*code), code->bytes, 1);
	case BATON_R_STACK:
		return baton_holds(record->size, sizeof(*stack), stack->frames, sizeof(struct baton_frame));
	default:
		return true;
	}
}

static bool record_ok(const struct baton_record *record, uint32_t left)
{
	if (record->size < sizeof(*record) || record->size % 8 != 0 || record->size > left)
		return false;
	if (record->type < KNOWN_TYPES && record->size < least_size[record->type])
		return false;
	uint32_t id = 1;
	if (has_id(record->type))
		memcpy(&id, record + 1, sizeof(id));
	return id != 0 && tail_ok(record);
}

bool records_ok(const uint8_t *payload, uint32_t bytes, uint32_t rows)
{
	uint32_t at = 0, n = 0;
	while (bytes - at >= sizeof(struct baton_record)) {
		const struct baton_record *record = (const void *)(payload + at);
		if (!record_ok(record, bytes - at))
			return false;
		at += record->size;
		n++;
	}
	return at == bytes && n == rows;
}

const struct baton_record *records_next(const uint8_t *payload, uint32_t bytes, uint32_t *at)
{
	if (*at >= bytes)
		return NULL;
	const struct baton_record *record = (const void *)(payload + *at);
	*at += record->size;
	return record;
}
