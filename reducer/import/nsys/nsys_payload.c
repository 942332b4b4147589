#include "import/nsys/nsys_payload.h"

#include "import/nsys/nsys_schema.h"

#include <baton/bounds.h>
#include <string.h>

enum { HEADER_BYTES = 32, BLOB_BYTES = 512 };

static const char *const field_names[PAYLOAD_FIELDS] = {
	"NCCL communicator ID", "Message size [bytes]", "No. of ranks", "Peer rank", "Sequence number"};

/* ---- schemas ---- */

/* Width of the integer types of nvToolsExtPayload.h that NCCL uses, 0 for others. */
static uint8_t type_width(int64_t type)
{
	static const uint8_t widths[] = {
		[5] = 4, [6] = 4, [15] = 4, [16] = 4, [17] = 8, [18] = 8, [22] = 8};
	return type >= 0 && type < (int64_t)sizeof(widths) ? widths[type] : 0;
}

static struct nsys_schema *schema_of(struct nsys_schemas *schemas, int64_t domain, int64_t number)
{
	for (uint32_t i = 0; i < schemas->n; i++)
		if (schemas->all[i].domain == domain && schemas->all[i].number == number)
			return &schemas->all[i];
	if (schemas->n == NSYS_SCHEMAS)
		return NULL;
	struct nsys_schema *schema = &schemas->all[schemas->n++];
	*schema =
		(struct nsys_schema){.domain = domain, .number = number, .offsets = {-1, -1, -1, -1, -1}};
	return schema;
}

void nsys_schemas_load(struct nsys_schemas *schemas, struct nsys_db *db)
{
	static const struct nsys_table table = {
		.name = "NVTX_PAYLOAD_SCHEMA_ENTRIES",
		.fields = {{.column = "domainId"},
				   {.column = "schemaId"},
				   {.column = "name"},
				   {.column = "type"},
				   {.column = "offset"},
				   {.column = "idx"}},
	};
	struct nsys_scan scan;
	schemas->n = 0;
	nsys_scan_open(&scan, db, &table);
	while (nsys_scan_next(&scan)) {
		size_t bytes;
		const char *name = nsys_text(&scan, 2, &bytes);
		uint8_t width = type_width(nsys_int_or(&scan, 3, -1));
		int64_t offset = nsys_int_or(&scan, 4, nsys_int_or(&scan, 5, -1) == 0 ? 0 : -1);
		for (int f = 0; name && width && offset >= 0 && f < PAYLOAD_FIELDS; f++) {
			if (strcmp(name, field_names[f]) != 0)
				continue;
			struct nsys_schema *schema =
				schema_of(schemas, nsys_int_or(&scan, 0, -1), nsys_int_or(&scan, 1, -1));
			if (schema) {
				schema->offsets[f] = offset;
				schema->widths[f] = width;
			}
		}
	}
}

/* ---- binary ---- */

static uint64_t little_endian(const unsigned char *at, unsigned bytes)
{
	uint64_t value = 0;
	memcpy(&value, at, bytes);
	return value;
}

static int hex_digit(unsigned char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c | 0x20) : NULL;
	return at && (c | 0x20) == *at ? (int)(at - digits) : -1;
}

/* Hex text to bytes; false when it is none. */
static bool from_hex(const unsigned char *text, size_t bytes, unsigned char out[BLOB_BYTES])
{
	if (bytes % 2 || bytes / 2 > BLOB_BYTES || bytes / 2 < HEADER_BYTES)
		return false;
	for (size_t i = 0; i < bytes; i++) {
		int digit = hex_digit(text[i]);
		if (digit < 0)
			return false;
		out[i / 2] = (unsigned char)(i % 2 ? out[i / 2] | digit : digit << 4);
	}
	return true;
}

static void decode(struct nsys_payload *out, const struct nsys_schemas *schemas,
				   const unsigned char *blob, size_t bytes)
{
	uint64_t size = little_endian(blob + 16, 8), offset = little_endian(blob + 24, 8);
	if (size == bytes - HEADER_BYTES && offset == bytes)
		offset = HEADER_BYTES; /* it is the size of all */
	if (offset < HEADER_BYTES || !baton_holds(bytes, offset, size, 1))
		return;
	const struct nsys_schema *schema = NULL;
	for (uint32_t i = 0; i < schemas->n && !schema; i++)
		if ((uint64_t)schemas->all[i].domain == little_endian(blob, 8) &&
			(uint64_t)schemas->all[i].number == little_endian(blob + 8, 8))
			schema = &schemas->all[i];
	for (int f = 0; schema && f < PAYLOAD_FIELDS; f++) {
		int64_t at = schema->offsets[f];
		if (at < 0 || !baton_holds(size, (uint64_t)at, schema->widths[f], 1))
			continue;
		out->values[f] = little_endian(blob + offset + at, schema->widths[f]);
		out->present |= 1u << f;
	}
}

/* ---- JSON ---- */

/* The number after "NAME": in a flat object; digits may be quoted and grouped by commas. */
static bool json_number(const char *text, size_t bytes, const char *name, uint64_t *value)
{
	const char *end = text + bytes, *at = memmem(text, bytes, name, strlen(name));
	bool quoted = false;
	if (!at || at == text || at[-1] != '"')
		return false;
	at += strlen(name);
	if (at == end || *at++ != '"')
		return false;
	while (at < end && (*at == ' ' || *at == ':'))
		at++;
	if (at < end && *at == '"') {
		quoted = true;
		at++;
	}
	const char *first = at;
	*value = 0;
	for (; at < end && ((*at >= '0' && *at <= '9') || (quoted && *at == ',')); at++) {
		if (*at == ',')
			continue;
		if (__builtin_mul_overflow(*value, 10u, value) ||
			__builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
			return false;
	}
	return at > first && (!quoted || (at < end && *at == '"'));
}

struct nsys_payload nsys_payload_read(const struct nsys_schemas *schemas,
									  const struct nsys_scan *scan, unsigned binary, unsigned json,
									  unsigned json_string)
{
	struct nsys_payload out = {0};
	unsigned char from_text[BLOB_BYTES];
	size_t bytes = 0;
	const unsigned char *blob = nsys_bytes(scan, binary, &bytes);
	if (blob && from_hex(blob, bytes, from_text))
		decode(&out, schemas, from_text, bytes / 2);
	else if (blob && bytes >= HEADER_BYTES)
		decode(&out, schemas, blob, bytes);
	if (out.present)
		return out;
	const char *text = nsys_text(scan, json, &bytes);
	text = text ? text : nsys_text(scan, json_string, &bytes);
	for (int f = 0; text && f < PAYLOAD_FIELDS; f++)
		if (json_number(text, bytes, field_names[f], &out.values[f]))
			out.present |= 1u << f;
	return out;
}
