/* The payload that NCCL attaches to its NVTX ranges. binaryData is a header of four u64 (domain,
 * schema, payload bytes, and either the payload's offset, 32, or the bytes of both), as blob or hex
 * text, then the structure that NVTX_PAYLOAD_SCHEMA_ENTRIES describes; jsonText has the same fields
 * by name. NVIDIA does not document the header, so data that does not fit it exactly is not used. */
#ifndef IMPORT_NSYS_PAYLOAD_H
#define IMPORT_NSYS_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

struct nsys_db;
struct nsys_scan;

enum nsys_payload_field {
	PAYLOAD_COMM,
	PAYLOAD_BYTES,
	PAYLOAD_RANKS,
	PAYLOAD_PEER,
	PAYLOAD_SEQUENCE, /* of baton's own exports */
	PAYLOAD_FIELDS
};

struct nsys_payload {
	uint32_t present; /* bit per field */
	uint64_t values[PAYLOAD_FIELDS];
};

enum { NSYS_SCHEMAS = 256 };

struct nsys_schema {
	int64_t domain;
	int64_t number;
	int64_t offsets[PAYLOAD_FIELDS]; /* -1: not in the structure */
	uint8_t widths[PAYLOAD_FIELDS];
};

struct nsys_schemas {
	uint32_t n;
	struct nsys_schema all[NSYS_SCHEMAS];
};

void nsys_schemas_load(struct nsys_schemas *schemas, struct nsys_db *db);

/* Reads the payload of the current row from its fields `binary`, `json` and `json_string`. Without
 * a payload `present` is 0. */
struct nsys_payload nsys_payload_read(const struct nsys_schemas *schemas,
									  const struct nsys_scan *scan, unsigned binary, unsigned json,
									  unsigned json_string);

#endif
