/* A file with a timeline, as a stream of text; gz is inflated. Its beginning can be looked at. */
#ifndef TIMELINE_OP_INPUT_H
#define TIMELINE_OP_INPUT_H

#include "import/inflate.h"
#include "timeline/op_fields.h"

#include <stdbool.h>

enum { OP_HEAD_BYTES = 64 << 10 };

struct op_input {
	const char *path;
	struct inflate *stream;
	char head[OP_HEAD_BYTES];
	size_t head_bytes, head_read;
};

/* The reader has printed why it refuses the file; nothing of it may be used. */
#define OP_REFUSED (-ECANCELED)

int op_input_open(const char *path, struct op_input *input); /* 0 or -errno */
void op_input_close(struct op_input *input);
/* As inflate_read(), from the beginning on. */
ssize_t op_input_read(struct op_input *input, void *buffer, size_t room);

/* "baton: PATH:LINE: what". Returns OP_REFUSED. */
int op_input_refuse(const struct op_input *input, uint64_t line, const char *what);

/* The readers add the rows of a file. 0; OP_REFUSED; -ENODATA, -EBADMSG: the rows before the damage
 * have been added; else -errno. */
int csv_ops_read(struct op_input *input, struct op_rows *rows);
int json_ops_read(struct op_input *input, struct op_rows *rows);

#endif
