#include "export/proto.h"

#include "base/room.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, LEAST_ROOM = 4096, LENGTH_BYTES = 4 };

static bool has_room(struct proto *proto, size_t more)
{
	while (!proto->error && proto->n + more > proto->room)
		proto->error = room_double((void **)&proto->at, &proto->room, LEAST_ROOM, 1);
	return !proto->error;
}

static void put_varint(struct proto *proto, uint64_t value)
{
	if (!has_room(proto, 10))
		return;
	for (; value > 127; value >>= 7)
		proto->at[proto->n++] = (uint8_t)(value | 128);
	proto->at[proto->n++] = (uint8_t)value;
}

static void put_tag(struct proto *proto, unsigned field, unsigned type)
{
	put_varint(proto, (uint64_t)field << 3 | type);
}

void proto_varint(struct proto *proto, unsigned field, uint64_t value)
{
	put_tag(proto, field, VARINT);
	put_varint(proto, value);
}

void proto_fixed64(struct proto *proto, unsigned field, uint64_t value)
{
	put_tag(proto, field, FIXED64);
	if (!has_room(proto, 8))
		return;
	for (int i = 0; i < 8; i++)
		proto->at[proto->n++] = (uint8_t)(value >> 8 * i);
}

static void put_bytes(struct proto *proto, const char *at, size_t n)
{
	if (!has_room(proto, n))
		return;
	memcpy(proto->at + proto->n, at, n);
	proto->n += n;
}

void proto_text(struct proto *proto, unsigned field, const char *text)
{
	const size_t place = proto_begin(proto, field);
	for (size_t left = strlen(text); left > 0;) {
		uint32_t code;
		size_t n = utf8_decode(text, left, &code);
		put_bytes(proto, n ? text : "\xef\xbf\xbd", n ? n : 3);
		n = n ? n : 1;
		text += n;
		left -= n;
	}
	proto_end(proto, place);
}

/* The length takes four bytes whatever it is, as it is not known yet. */
size_t proto_begin(struct proto *proto, unsigned field)
{
	put_tag(proto, field, BYTES);
	if (!has_room(proto, LENGTH_BYTES))
		return 0;
	proto->n += LENGTH_BYTES;
	return proto->n;
}

void proto_end(struct proto *proto, size_t place)
{
	if (proto->error)
		return;
	size_t bytes = proto->n - place;
	for (int i = 0; i < LENGTH_BYTES; i++, bytes >>= 7)
		proto->at[place - LENGTH_BYTES + i] =
			(uint8_t)((bytes & 127) | (i < LENGTH_BYTES - 1 ? 128 : 0));
}
