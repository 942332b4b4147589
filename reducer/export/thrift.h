/* Thrift's compact protocol, as Parquet's footer and page headers have it: structs of numbered fields,
 * which come in order of their numbers. */
#ifndef EXPORT_THRIFT_H
#define EXPORT_THRIFT_H

#include "export/buffer.h"

enum { THRIFT_DEEPEST = 8 };
enum thrift_type {
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12
};

struct thrift {
	struct buffer out;
	int last[THRIFT_DEEPEST]; /* the field before, of each struct that is open */
	int depth;
};

/* The outermost struct, or one that is an element of a list. */
void thrift_begin(struct thrift *thrift);
/* A struct that is a field. */
void thrift_struct(struct thrift *thrift, int field);
void thrift_end(struct thrift *thrift);
void thrift_int(struct thrift *thrift, int field, enum thrift_type type, int64_t value);
void thrift_binary(struct thrift *thrift, int field, const void *at, size_t n);
/* A list; its `n` elements follow: structs, or those of the next two. */
void thrift_list(struct thrift *thrift, int field, enum thrift_type type, size_t n);
void thrift_element_int(struct thrift *thrift, int64_t value);
void thrift_element_binary(struct thrift *thrift, const void *at, size_t n);

#endif
