#include "import/inflate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Profiles shrink to a tenth or a thirtieth; gz of zeros to a thousandth. */
enum { INPUT_BYTES = 256 << 10, GZ_WINDOW = 15 + 16, MOST_BYTES = 64 << 20, MOST_FOLD = 256 };

struct inflate {
	int fd;
	int error;
	bool packed;
	bool ended;          /* no more input in the file */
	bool member_open;    /* inside a gz member */
	uint64_t file_bytes; /* read from the file */
	uint64_t left;       /* how much more may come out of it */
	z_stream z;
	unsigned char input[INPUT_BYTES];
};

static ssize_t read_file(int fd, void *buffer, size_t room)
{
	size_t have = 0;
	while (have < room) {
		ssize_t n = read(fd, (char *)buffer + have, room - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

static int refill(struct inflate *s)
{
	memmove(s->input, s->z.next_in, s->z.avail_in);
	ssize_t n = read_file(s->fd, s->input + s->z.avail_in, INPUT_BYTES - s->z.avail_in);
	if (n < 0)
		return (int)n;
	s->ended = (size_t)n < INPUT_BYTES - s->z.avail_in;
	s->z.next_in = s->input;
	s->z.avail_in += (unsigned)n;
	s->file_bytes += (uint64_t)n;
	return 0;
}

static bool gz_magic(const struct inflate *s)
{
	return s->z.avail_in >= 2 && s->z.next_in[0] == 0x1f && s->z.next_in[1] == 0x8b;
}

int inflate_open(const char *path, struct inflate **stream)
{
	struct inflate *s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->z.next_in = s->input;
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	int error = s->fd < 0 ? -errno : refill(s);
	if (error)
		goto close_file;
	struct stat info;
	s->packed = gz_magic(s);
	if (fstat(s->fd, &info) != 0 || !S_ISREG(info.st_mode))
		s->left = UINT64_MAX; /* a pipe has no size */
	else
		s->left = MOST_BYTES + MOST_FOLD * (uint64_t)info.st_size;
	if (s->packed && inflateInit2(&s->z, GZ_WINDOW) != Z_OK) {
		error = -ENOMEM;
		goto close_file;
	}
	s->member_open = s->packed;
	*stream = s;
	return 0;
close_file:
	if (s->fd >= 0)
		close(s->fd);
	free(s);
	return error;
}

void inflate_close(struct inflate *s)
{
	if (!s)
		return;
	if (s->packed)
		inflateEnd(&s->z);
	close(s->fd);
	free(s);
}

uint64_t inflate_offset(const struct inflate *s)
{
	return s->file_bytes - s->z.avail_in;
}

/* Between members: another one follows, or the file ends. Other bytes after a member are padding
 * (as gzip has it). */
static bool next_member(struct inflate *s)
{
	if (!gz_magic(s)) {
		s->z.avail_in = 0;
		s->ended = true;
		return false;
	}
	s->member_open = inflateReset(&s->z) == Z_OK;
	return s->member_open;
}

static int inflate_some(struct inflate *s)
{
	if (s->z.avail_in < 2 && !s->ended) {
		int error = refill(s);
		if (error)
			return error;
	}
	if (!s->member_open && !next_member(s))
		return 0;
	if (s->z.avail_in == 0 && s->ended)
		return -ENODATA;
	int code = inflate(&s->z, Z_NO_FLUSH);
	if (code == Z_STREAM_END)
		s->member_open = false;
	else if (code == Z_BUF_ERROR && s->ended)
		return -ENODATA;
	else if (code != Z_OK && code != Z_BUF_ERROR)
		return code == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
	return 0;
}

static ssize_t read_plain(struct inflate *s, char *buffer, size_t room)
{
	size_t first = s->z.avail_in < room ? s->z.avail_in : room;
	memcpy(buffer, s->z.next_in, first);
	s->z.next_in += first;
	s->z.avail_in -= (unsigned)first;
	ssize_t n = first < room ? read_file(s->fd, buffer + first, room - first) : 0;
	if (n < 0) {
		s->error = (int)n;
		return first ? (ssize_t)first : n;
	}
	s->file_bytes += (uint64_t)n;
	return (ssize_t)first + n;
}

ssize_t inflate_read(struct inflate *s, void *buffer, size_t room)
{
	if (s->error)
		return s->error;
	if (room > 1u << 30)
		room = 1u << 30; /* zlib counts in unsigned int */
	if (!s->packed)
		return read_plain(s, buffer, room);
	s->z.next_out = buffer;
	s->z.avail_out = (unsigned)room;
	while (s->z.avail_out > 0 && !s->error && (s->member_open || s->z.avail_in > 0 || !s->ended))
		s->error = inflate_some(s);
	size_t have = room - s->z.avail_out;
	if (have > s->left) {
		have = (size_t)s->left;
		s->error = s->error ? s->error : -EFBIG;
	}
	s->left -= have;
	return have > 0 || !s->error ? (ssize_t)have : s->error;
}
