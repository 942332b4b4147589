/* Encodes protocol buffers: fields into a buffer, messages inside of messages by their place. */
#ifndef EXPORT_PROTO_H
#define EXPORT_PROTO_H

#include <stddef.h>
#include <stdint.h>

struct proto {
	uint8_t *at;
	size_t n, room;
	int error; /* -ENOMEM: what comes after is not written */
};

void proto_varint(struct proto *proto, unsigned field, uint64_t value);
void proto_fixed64(struct proto *proto, unsigned field, uint64_t value);
/* Any bytes; what is no UTF-8 becomes U+FFFD. */
void proto_text(struct proto *proto, unsigned field, const char *text);
/* Begins a message; what is written until proto_end() of the returned place is inside of it. A
 * message has less than 256 MiB. */
size_t proto_begin(struct proto *proto, unsigned field);
void proto_end(struct proto *proto, size_t place);

#endif
