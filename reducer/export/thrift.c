#include "export/thrift.h"

/* A field's number is written as how much it is above the one before. */
static void put_field(struct thrift *thrift, int field, enum thrift_type type)
{
	int *last = &thrift->last[thrift->depth - 1];
	buffer_number(&thrift->out, (uint64_t)(field - *last) << 4 | (uint64_t)type, 1);
	*last = field;
}

void thrift_begin(struct thrift *thrift)
{
	thrift->last[thrift->depth++] = 0;
}

void thrift_struct(struct thrift *thrift, int field)
{
	put_field(thrift, field, THRIFT_STRUCT);
	thrift_begin(thrift);
}

void thrift_end(struct thrift *thrift)
{
	buffer_number(&thrift->out, 0, 1);
	thrift->depth--;
}

void thrift_element_int(struct thrift *thrift, int64_t value)
{
	buffer_varint(&thrift->out, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void thrift_int(struct thrift *thrift, int field, enum thrift_type type, int64_t value)
{
	put_field(thrift, field, type);
	thrift_element_int(thrift, value);
}

void thrift_element_binary(struct thrift *thrift, const void *at, size_t n)
{
	buffer_varint(&thrift->out, n);
	buffer_put(&thrift->out, at, n);
}

void thrift_binary(struct thrift *thrift, int field, const void *at, size_t n)
{
	put_field(thrift, field, THRIFT_BINARY);
	thrift_element_binary(thrift, at, n);
}

void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t n)
{
	put_field(thrift, field, THRIFT_LIST);
	buffer_number(&thrift->out, (uint64_t)(n < 15 ? n : 15) << 4 | (uint64_t)type, 1);
	if (n >= 15)
		buffer_varint(&thrift->out, n);
}
