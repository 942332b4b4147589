/* The tables of summary/row_kinds.c agree with each other: what the compiler cannot see. */
#include "check.h"
#include "summary/row_kinds.h"

#include <string.h>

static bool has_field(const struct record_kind *record, const char *name)
{
	for (unsigned i = 0; i < record->n_fields; i++)
		if (strcmp(record->fields[i].name, name) == 0)
			return true;
	return false;
}

/* Fields follow each other and fill the record: nothing in it is neither checked nor stored. */
static void filled(unsigned type, const struct record_kind *record)
{
	size_t at = 0;
	for (unsigned i = 0; i < record->n_fields; i++) {
		const struct field *field = &record->fields[i];
		CHECK(field->offset == at, "type %u: %s lies at %u, not at %zu", type, field->name,
			  field->offset, at);
		CHECK(field->bytes == 4 || field->bytes % 8 == 0, "type %u: %s has %u bytes", type,
			  field->name, field->bytes);
		at += field->bytes;
	}
	CHECK(record->bytes <= RECORD_BYTES_MOST, "type %u is too large to be stored", type);
	CHECK(at + sizeof(struct baton_record) == record->bytes, "type %u: %zu bytes of %u", type, at,
		  record->bytes);
}

/* Keeps out: a misspelt name, which would sort by the weight, and an order that lets two rows be
 * equal, which then stand as they came. */
static void ordered(const struct row_rules *rules, const struct record_kind *record)
{
	char named[512] = " ";
	for (unsigned i = 0; i < ROW_ORDER_MOST && rules->order[i]; i++) {
		const char *name = rules->order[i] + (rules->order[i][0] == '-');
		bool weight = strcmp(name, "weight") == 0;
		CHECK(weight ? rules->weight != NULL : has_field(record, name),
			  "type %u is ordered by %s, which it does not have", rules->type, name);
		strcat(named, name);
		strcat(named, " ");
	}
	for (unsigned i = 0; i < record->n_fields; i++) {
		char name[64];
		snprintf(name, sizeof(name), " %s ", record->fields[i].name);
		CHECK(record->fields[i].merge != MERGE_KEY || strstr(named, name),
			  "type %u: rows may differ in%sonly, and have no order", rules->type, name);
	}
}

/* The fields of the key are those that a row begins with and is found by. */
static void keyed(const struct row_rules *rules, const struct record_kind *record)
{
	for (unsigned i = 0; i < record->n_fields; i++) {
		const struct field *field = &record->fields[i];
		CHECK((field->offset < rules->shape.key_bytes) == (field->merge == MERGE_KEY),
			  "type %u: %s and the key", rules->type, field->name);
	}
	CHECK(rules->shape.row_bytes >= record->bytes - sizeof(struct baton_record),
		  "type %u: a row has no room for its fields", rules->type);
}

int main(void)
{
	unsigned before = 0;
	for (unsigned type = BATON_S_REDUCTION; type < BATON_S_END; type++) {
		CHECK(record_kind(type)->bytes > 0, "type %u has no fields", type);
		filled(type, record_kind(type));
	}
	CHECK(record_kind(BATON_S_END)->bytes == 0 && record_kind(1)->bytes == 0,
		  "a type of no record");
	for (int kind = 0; kind < ROW_KINDS; kind++) {
		const struct row_rules *rules = &row_rules[kind];
		const struct record_kind *record = record_kind(rules->type);
		CHECK(rules->type > before, "kind %d is stored before its turn", kind);
		before = rules->type;
		ordered(rules, record);
		keyed(rules, record);
	}
	return finish();
}
