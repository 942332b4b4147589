#include "read/written.h"

#include "base/boot.h"
#include "base/started.h"
#include "read/paths.h"

#include <baton/reader.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

bool written_by_gone(const char *name)
{
	char here[BOOT_ID_CHARS + 1], boot[BOOT_ID_SHORT + 1];
	uint64_t pid, start_time;
	return sscanf(name, "%8[0-9a-f].%" SCNu64 ".%" SCNu64 ".%*u.baton", boot, &pid, &start_time) ==
			   3 &&
		   boot_id_read(here) == 0 && strncmp(boot, here, BOOT_ID_SHORT) == 0 &&
		   started_at(pid) != start_time;
}

/* A process that records holds a lock on its trace, so it is seen from other pid namespaces too. */
static bool is_locked(int fd)
{
	return flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/* Opening reads all heads of blocks, so the time of the file is asked first. */
static int64_t file_written_to(const char *path, int64_t most_ns)
{
	const char *slash = strrchr(path, '/');
	struct baton_reader reader;
	struct stat st;
	if (stat(path, &st) != 0)
		return most_ns;
	const int64_t at_ns = st.st_mtim.tv_sec * INT64_C(1000000000);
	if (at_ns > most_ns || baton_reader_open(&reader, AT_FDCWD, path) != 0)
		return most_ns;
	const bool is_over = reader.closed || reader.header.content != BATON_TRACE ||
						 (written_by_gone(slash ? slash + 1 : path) && !is_locked(reader.fd));
	baton_reader_close(&reader);
	return is_over ? most_ns : at_ns;
}

int64_t written_to(const char *directory, int64_t most_ns)
{
	struct paths paths = {0};
	int64_t least_ns = paths_add(&paths, directory, false) == 0 ? most_ns : 0;
	for (size_t i = 0; i < paths.n; i++)
		least_ns = file_written_to(paths.at[i], least_ns);
	paths_free(&paths);
	return least_ns;
}
