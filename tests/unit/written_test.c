/* Traces that are still being written. Keeps out: a turn of --level summary that waits for a process that was killed; a process of
 * another pid namespace that is taken for a dead one; a salvage that removes the trace of a process that lives. */
#include "read/written.h"

#include "base/boot.h"
#include "base/started.h"
#include "check.h"

#include <baton/writer.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define S INT64_C(1000000000)
enum { LONG_AGO = 1000 };

static char directory[] = "/tmp/baton-written-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[256];
	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

/* The head of a file that was last written to long ago, with or without its end. */
static void make(const char *name, enum baton_content content, bool closes)
{
	const struct timespec times[2] = {{LONG_AGO, 0}, {LONG_AGO, 0}};
	const int fd = open(path_of(name), O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct baton_writer writer;
	CHECK(fd >= 0 && baton_writer_open(&writer, fd, content, 7) == 0, "%s cannot be made", name);
	if (closes)
		CHECK(baton_writer_close(&writer) == 0, "%s cannot be closed", name);
	else
		baton_writer_free(&writer);
	CHECK(utimensat(AT_FDCWD, path_of(name), times, 0) == 0, "%s has another time", name);
}

static void remove_file(const char *name)
{
	unlink(path_of(name));
}

static bool is_written(int64_t seconds)
{
	return written_to(directory, seconds * S) == seconds * S;
}

static void name_of(char name[72], const char *boot, pid_t pid, uint64_t start_time)
{
	snprintf(name, 72, "%.8s.%d.%" PRIu64 ".0.baton", boot, (int)pid, start_time);
}

static void check_living(const char *boot)
{
	char name[72];
	name_of(name, boot, getpid(), started_at((uint64_t)getpid()));
	make(name, BATON_TRACE, false);
	CHECK(!written_by_gone(name), "this process is here");
	CHECK(is_written(LONG_AGO - 1), "it was written to after that");
	CHECK(!is_written(LONG_AGO + 1), "more may come");
	CHECK(written_to(directory, INT64_MAX) == LONG_AGO * S, "what came before is there");
	make(name, BATON_TRACE, true);
	CHECK(is_written(LONG_AGO + 1), "it is closed");
	make(name, BATON_SUMMARY, false);
	CHECK(is_written(LONG_AGO + 1), "not a trace");
	remove_file(name);
	name_of(name, "ffffffff", getpid(), 1);
	CHECK(!written_by_gone(name), "of another boot nothing is known");
	CHECK(!written_by_gone("summary.baton"), "not the name of a trace");
	name_of(name, boot, getpid(), started_at((uint64_t)getpid()) + 1);
	CHECK(written_by_gone(name), "an earlier process with this number");
}

static void check_killed(const char *boot)
{
	char name[72];
	const pid_t pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	name_of(name, boot, pid, started_at((uint64_t)pid));
	make(name, BATON_TRACE, false);
	CHECK(!is_written(LONG_AGO + 1), "its process lives");
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0)
		;
	CHECK(written_by_gone(name), "its process is gone");
	CHECK(is_written(LONG_AGO + 1), "nothing more comes from a process that was killed");
	const int fd = open(path_of(name), O_RDONLY);
	CHECK(flock(fd, LOCK_EX | LOCK_NB) == 0, "nothing holds its lock");
	CHECK(!is_written(LONG_AGO + 1), "a process that cannot be seen from here writes it");
	close(fd);
	remove_file(name);
}

int main(void)
{
	char boot[BOOT_ID_CHARS + 1];
	if (!mkdtemp(directory) || boot_id_read(boot) != 0)
		return 77;
	check_living(boot);
	check_killed(boot);
	CHECK(is_written(LONG_AGO + 1), "a directory without traces");
	rmdir(directory);
	return finish();
}
