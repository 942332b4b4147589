#include "fuzz_team.h"

#include "base/team.h"
#include "reduce.h"

#include <baton/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MESSAGES = 32 };

static char directory[4096];
static struct bytes told[MESSAGES]; /* by the other rank, in order */
static size_t n_told, next;
static struct bytes instead;
static size_t replaced;
static int other = -1; /* a socket while the team is real */

static void receive(void *at, size_t n)
{
	for (size_t done = 0; done < n;) {
		const ssize_t some = read(other, (char *)at + done, n - done);
		if (some <= 0)
			abort();
		done += (size_t)some;
	}
}

static void get(struct bytes *bytes)
{
	uint64_t n;
	receive(&n, sizeof(n));
	bytes->at = malloc(n + 1);
	bytes->n = bytes->room = n;
	receive(bytes->at, n);
}

static void put(const struct bytes *bytes)
{
	const uint64_t n = bytes->n;
	if (write(other, &n, sizeof(n)) != sizeof(n) || write(other, bytes->at, n) != (ssize_t)n)
		abort();
}

static void copy(const struct bytes *from, struct bytes *to)
{
	if (bytes_put(to, from->at, from->n) != 0)
		abort();
}

/* Rank 0: the other's message comes from the socket, or is one that it told before. */
static int hear(const struct bytes *mine, struct bytes *all, int answers)
{
	copy(mine, &all[0]);
	if (other < 0) {
		copy(next == replaced ? &instead : &told[next % MESSAGES], &all[1]);
		next++;
		return 0;
	}
	get(&all[1]);
	copy(&all[1], &told[n_told++ % MESSAGES]);
	if (answers)
		put(mine);
	return 0;
}

static int share(const struct bytes *mine, struct bytes *all)
{
	return hear(mine, all, 1);
}

static int gather(const struct bytes *mine, struct bytes *all)
{
	return hear(mine, all, 0);
}

static int other_share(const struct bytes *mine, struct bytes *all)
{
	put(mine);
	get(&all[0]);
	copy(mine, &all[1]);
	return 0;
}

static int other_gather(const struct bytes *mine, struct bytes *all)
{
	(void)all;
	put(mine);
	return 0;
}

static void stay(void)
{
}

static void leave(void)
{
	_exit(0);
}

static void fail(int error)
{
	(void)error; /* MPI_Abort() would end us here; what follows has the error too */
}

static void reduce(const struct team *team)
{
	char *dirs[] = {directory};
	const struct reduce_options options = {
		.only_read = true, .fresh = true, .threads = 1, .no_replay = team->rank != 0};
	struct reduction out;
	team_join(team);
	reduce_run(dirs, 1, &options, &out);
	reduction_free(&out);
	team_join(NULL);
}

static const struct team first = {0, 2, share, gather, stay, leave, fail};
static const struct team second = {1, 2, other_share, other_gather, stay, leave, fail};

static void write_seeds(const char *seeds)
{
	for (size_t i = 0; i < n_told; i++) {
		char path[4200];
		snprintf(path, sizeof(path), "%s/seed-%zu", seeds, i);
		FILE *file = fopen(path, "wbe");
		if (!file || fputc((int)i, file) == EOF ||
			fwrite(told[i].at, 1, told[i].n, file) != told[i].n || fclose(file) != 0)
			abort();
	}
}

void team_learn(const char *dir, const char *seeds)
{
	int ends[2];
	snprintf(directory, sizeof(directory), "%s", dir);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		abort();
	const pid_t child = fork();
	other = ends[child == 0];
	close(ends[child != 0]);
	if (child == 0) {
		reduce(&second);
		_exit(0);
	}
	reduce(&first);
	close(other);
	other = -1;
	waitpid(child, NULL, 0);
	if (n_told == 0 || n_told > MESSAGES)
		abort();
	if (seeds)
		write_seeds(seeds);
}

void team_fuzz(const uint8_t *data, size_t bytes, void (*seal)(uint8_t *data, size_t bytes))
{
	static const char magic[] = BATON_FILE_MAGIC;
	if (bytes == 0)
		return;
	replaced = data[0] % n_told;
	next = 0;
	instead.n = 0;
	if (bytes_put(&instead, data + 1, bytes - 1) != 0)
		abort();
	char *summary = instead.n ? memmem(instead.at, instead.n, magic, sizeof(magic) - 1) : NULL;
	if (summary)
		seal((uint8_t *)summary, instead.n - (size_t)(summary - instead.at));
	reduce(&first);
}
