#include "sources/stacks/python_code.h"

#include "base/idcache.h"
#include "ring/dict.h"
#include "sources/stacks/python_layout.h"

#include <stddef.h>
#include <string.h>
#include <xxhash.h>

static struct idcache codes; /* of code objects: by identity and by content */

static size_t utf8_put(uint32_t c, char *out)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c >= 0xdc80 && c <= 0xdcff) { /* a byte of a file name that was no UTF-8 */
		out[0] = (char)(c - 0xdc00);
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c >= 0xd800 && c <= 0xdfff)
		c = 0xfffd;
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | (c >> 18 & 7));
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static uint32_t character(const uint8_t *data, unsigned kind, uint64_t i)
{
	if (kind == 1)
		return data[i];
	return kind == 2 ? (uint32_t)data[2 * i] | (uint32_t)data[2 * i + 1] << 8
					 : load32(data + 4 * i);
}

/* The id of a str's text. Its state: 2 bits interned, 3 bits kind, compact, ascii. */
uint32_t python_str_id(const uint8_t *object, char text[PYTHON_TEXT_BYTES])
{
	const struct layout *l = &python.layout;
	if (!plausible(object))
		return 0;
	uint32_t state = load32(object + STR_STATE);
	unsigned kind = state >> 2 & 7;
	bool compact = state & 1u << 5, ascii = state & 1u << 6;
	uint64_t length = load64(object + OBJECT_SIZE);
	const uint8_t *data = object + (ascii ? l->ascii : l->wide);
	if (!compact) /* a subclass of str, or a text of the old C API: a pointer to it follows */
		data = load_pointer(object + l->wide);
	if (!data || (kind != 1 && kind != 2 && kind != 4))
		return 0;
	if (ascii)
		return dict_string((const char *)data,
						   length < PYTHON_TEXT_BYTES ? length : PYTHON_TEXT_BYTES);
	size_t n = 0;
	for (uint64_t i = 0; i < length && n + 4 <= PYTHON_TEXT_BYTES; i++)
		n += utf8_put(character(data, kind, i), text + n);
	return dict_string(text, n);
}

static uint32_t code_write(const struct baton_r_code *head, const uint8_t *table)
{
	size_t bytes = sizeof(*head) + head->bytes;
	struct baton_r_code *record = dict_reserve_stack(bytes);
	if (!record)
		return 0;
	uint32_t id = dict_id();
	memcpy(&record->id, &head->id, sizeof(*head) - offsetof(struct baton_r_code, id));
	record->id = id;
	memcpy(record + 1, table, head->bytes);
	dict_publish(record, BATON_R_CODE, bytes);
	return id;
}

uint32_t python_code_known(uint64_t hash)
{
	return idcache_get(&codes, hash);
}

void python_code_know(uint64_t hash, uint32_t id)
{
	if (id)
		idcache_put(&codes, hash, id);
}

/* Equal code gives one record, however often it is compiled. */
uint32_t python_code_intern(struct baton_r_code *head, const uint8_t *table)
{
	uint64_t hash = XXH3_64bits_withSeed(
		table, head->bytes, XXH3_64bits(&head->id, sizeof(*head) - sizeof(head->head)));
	uint32_t id = python_code_known(hash);
	if (id)
		return id;
	id = code_write(head, table);
	python_code_know(hash, id);
	return id;
}
