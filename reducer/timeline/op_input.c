#include "timeline/op_input.h"

#include "base/diag.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int op_input_open(const char *path, struct op_input *input)
{
	input->path = path;
	input->head_bytes = input->head_read = 0;
	int error = inflate_open(path, &input->stream);
	if (error)
		return error;
	ssize_t n = inflate_read(input->stream, input->head, sizeof(input->head));
	if (n < 0 && n != -ENODATA && n != -EBADMSG) {
		inflate_close(input->stream);
		return (int)n;
	}
	input->head_bytes = n > 0 ? (size_t)n : 0;
	return 0;
}

void op_input_close(struct op_input *input)
{
	inflate_close(input->stream);
}

ssize_t op_input_read(struct op_input *input, void *buffer, size_t room)
{
	const size_t left = input->head_bytes - input->head_read;
	if (left == 0)
		return inflate_read(input->stream, buffer, room);
	const size_t n = left < room ? left : room;
	memcpy(buffer, input->head + input->head_read, n);
	input->head_read += n;
	return (ssize_t)n;
}

int op_input_refuse(const struct op_input *input, uint64_t line, const char *what)
{
	diag("%s:%" PRIu64 ": %s", input->path, line, what);
	return OP_REFUSED;
}
