/* baton-mpi: `baton reduce` and `baton report` by all processes of an MPI job. Each of them runs the
 * command; they meet where base/team.h says. Rank 0 alone prints, stores and ends with the command's
 * status. What waits polls, so a process with nothing to do leaves its core to the others. */
#include "base/diag.h"
#include "base/team.h"
#include "commands.h"

#include <baton/version.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { POLL_US = 500, CHUNK_BYTES = 1 << 30, TAG = 7, EARLY_MS = 10000 };

static int said;        /* stderr as it was */
static MPI_Comm ending; /* what ends is apart from what is told */

static int wait_for(MPI_Request *request)
{
	int done = 0;
	while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS) {
		if (done)
			return 0;
		usleep(POLL_US);
	}
	return -EIO;
}

static int broadcast(void *at, size_t n, int root)
{
	int error = 0;
	for (size_t from = 0; !error && from < n; from += CHUNK_BYTES) {
		MPI_Request request;
		const size_t some = n - from < CHUNK_BYTES ? n - from : CHUNK_BYTES;
		if (MPI_Ibcast((char *)at + from, (int)some, MPI_BYTE, root, MPI_COMM_WORLD, &request) !=
			MPI_SUCCESS)
			return -EIO;
		error = wait_for(&request);
	}
	return error;
}

/* Room for what a rank has announced. Without it no rank can go on together with the others. */
static void make_room(struct bytes *bytes, size_t n)
{
	bytes->at = n < PTRDIFF_MAX ? malloc(n + 1) : NULL;
	bytes->n = bytes->room = n;
	if (bytes->at)
		return;
	diag("no memory for %zu bytes of another MPI rank", n);
	MPI_Abort(MPI_COMM_WORLD, STATUS_INPUT);
}

static int share(const struct bytes *mine, struct bytes *all)
{
	int rank, size, error = 0;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int r = 0; !error && r < size; r++) {
		uint64_t n = mine->n;
		error = broadcast(&n, sizeof(n), r);
		if (error)
			break;
		make_room(&all[r], n);
		if (r == rank && n)
			memcpy(all[r].at, mine->at, n);
		error = broadcast(all[r].at, n, r);
	}
	return error;
}

static int send(const void *at, size_t n)
{
	int error = 0;
	for (size_t from = 0; !error && from < n; from += CHUNK_BYTES) {
		MPI_Request request;
		const size_t some = n - from < CHUNK_BYTES ? n - from : CHUNK_BYTES;
		if (MPI_Isend((const char *)at + from, (int)some, MPI_BYTE, 0, TAG, MPI_COMM_WORLD,
					  &request) != MPI_SUCCESS)
			return -EIO;
		error = wait_for(&request);
	}
	return error;
}

static int receive(void *at, size_t n, int rank)
{
	int error = 0;
	for (size_t from = 0; !error && from < n; from += CHUNK_BYTES) {
		MPI_Request request;
		const size_t some = n - from < CHUNK_BYTES ? n - from : CHUNK_BYTES;
		if (MPI_Irecv((char *)at + from, (int)some, MPI_BYTE, rank, TAG, MPI_COMM_WORLD,
					  &request) != MPI_SUCCESS)
			return -EIO;
		error = wait_for(&request);
	}
	return error;
}

static int gather(const struct bytes *mine, struct bytes *all)
{
	int rank, size, error;
	uint64_t n = mine->n;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank > 0) {
		error = send(&n, sizeof(n));
		return error ? error : send(mine->at, mine->n);
	}
	make_room(&all[0], mine->n);
	if (mine->n)
		memcpy(all[0].at, mine->at, mine->n);
	error = 0;
	for (int r = 1; !error && r < size; r++) {
		error = receive(&n, sizeof(n), r);
		if (error)
			break;
		make_room(&all[r], n);
		error = receive(all[r].at, n, r);
	}
	return error;
}

static void speak(void)
{
	dup2(said, STDERR_FILENO);
}

/* Waits for all, so that MPI_Finalize() does not spin. Rank 0 may be alone for long. */
static void end(void)
{
	MPI_Request request;
	if (MPI_Ibarrier(ending, &request) == MPI_SUCCESS)
		wait_for(&request);
	MPI_Finalize();
}

/* Before the work was done: this is right only if all others are about to end too. One that waits for
 * this one elsewhere would wait for ever. */
static void end_early(int status)
{
	MPI_Request request;
	int done = 0;
	if (MPI_Ibarrier(ending, &request) != MPI_SUCCESS)
		return;
	for (int ms = 0; !done && ms < EARLY_MS && MPI_Test(&request, &done, MPI_STATUS_IGNORE) == 0;
		 ms++)
		usleep(1000);
	if (!done) {
		speak();
		diag("an MPI rank ended while others go on: give all ranks the same options");
		MPI_Abort(MPI_COMM_WORLD, status == STATUS_OK ? STATUS_INPUT : status);
	}
	MPI_Finalize();
}

static void leave(void)
{
	end();
	exit(STATUS_OK);
}

static void fail(int error)
{
	speak();
	diag("an MPI rank failed: %s", strerror(-error));
	MPI_Abort(MPI_COMM_WORLD, STATUS_INPUT);
}

/* Of all ranks the first one speaks for them. */
static void be_quiet(int rank)
{
	const int nowhere = rank ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
	said = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (nowhere < 0)
		return;
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	close(nowhere);
}

static int help(void)
{
	printf("usage: mpirun -n K baton-mpi reduce|report [OPTION...] DIR...\n\n"
		   "`baton reduce` and `baton report` of one run by the K processes of an MPI job: each\n"
		   "visits a share of the GPUs, rank 0 answers, with the same bytes as baton. DIR is in a\n"
		   "directory that all nodes share. Options as for baton; not --gaps, --part.\n");
	return finish_stdout(STATUS_OK);
}

static int run(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "--help";
	if (strcmp(name, "--version") == 0) {
		printf("baton-mpi %s\n", BATON_VERSION);
		return finish_stdout(STATUS_OK);
	}
	if (strcmp(name, "--help") == 0)
		return help();
	if (strcmp(name, "reduce") == 0)
		return command_run(&command_reduce, argc - 1, argv + 1);
	if (strcmp(name, "report") == 0)
		return command_run(&command_report, argc - 1, argv + 1);
	diag("baton-mpi knows reduce and report, not '%s'", name);
	return STATUS_USAGE;
}

int main(int argc, char **argv)
{
	struct team team = {
		.share = share, .gather = gather, .speak = speak, .leave = leave, .fail = fail};
	if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
		return STATUS_INPUT;
	MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &team.size);
	if (MPI_Comm_dup(MPI_COMM_WORLD, &ending) != MPI_SUCCESS)
		return STATUS_INPUT;
	setenv("NO_COLOR", "1", 1); /* mpirun's terminal is not the reader's */
	be_quiet(team.rank);
	if (team.size > 1)
		team_join(&team);
	const int status = run(argc, argv);
	if (team_here())
		end_early(status);
	else
		end();
	return team.rank ? STATUS_OK : status;
}
