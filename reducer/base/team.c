#include "base/team.h"

#include "base/diag.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_MOST = 4095 }; /* of the kernel */

static const struct team *joined;

const struct team *team_here(void)
{
	return joined;
}

void team_join(const struct team *team)
{
	joined = team;
}

int bytes_put(struct bytes *bytes, const void *at, size_t n)
{
	if (bytes->n + n > bytes->room) {
		const size_t room = 2 * bytes->room > bytes->n + n ? 2 * bytes->room : bytes->n + n + 4096;
		char *larger = realloc(bytes->at, room);
		if (!larger)
			return -ENOMEM;
		bytes->at = larger;
		bytes->room = room;
	}
	if (n)
		memcpy(bytes->at + bytes->n, at, n);
	bytes->n += n;
	return 0;
}

void bytes_free(struct bytes *bytes)
{
	free(bytes->at);
	*bytes = (struct bytes){0};
}

int bytes_take(const struct bytes *bytes, size_t *at, void *to, size_t n)
{
	if (n > bytes->n - *at)
		return -EBADMSG;
	if (n)
		memcpy(to, bytes->at + *at, n);
	*at += n;
	return 0;
}

/* Each message begins with the error of its sender. */
static int first_error(const struct team *team, struct team_told *told)
{
	int first = 0;
	for (int r = 0; r < told->n; r++) {
		int64_t error = 0;
		size_t at = 0;
		if (bytes_take(&told->of[r], &at, &error, sizeof(error)) != 0 || error > 0 ||
			error < -ERROR_MOST)
			error = -EBADMSG;
		if (error && !first) {
			first = (int)error;
			if (team->rank == 0 && first != -ECANCELED)
				diag("MPI rank %d failed: %s", r, strerror(-first));
		}
		told->of[r].n -= at;
		if (told->of[r].n)
			memmove(told->of[r].at, told->of[r].at + at, told->of[r].n);
	}
	return first;
}

int team_tell(struct bytes *mine, int error, int to_all, struct team_told *told)
{
	const struct team *team = joined;
	const int64_t sent = error;
	struct bytes message = {0};
	*told = (struct team_told){calloc((size_t)team->size, sizeof(*told->of)), 0};
	int failed = told->of ? bytes_put(&message, &sent, sizeof(sent)) : -ENOMEM;
	if (!failed && !error)
		failed = bytes_put(&message, mine->at, mine->n);
	bytes_free(mine);
	if (!failed)
		failed = to_all ? team->share(&message, told->of) : team->gather(&message, told->of);
	bytes_free(&message);
	if (failed) {
		team->fail(failed);
		return failed;
	}
	told->n = to_all || team->rank == 0 ? team->size : 0;
	return first_error(team, told);
}

void team_told_free(struct team_told *told)
{
	const int n = told->of && joined ? joined->size : 0;
	for (int r = 0; r < n; r++)
		bytes_free(&told->of[r]);
	free(told->of);
	*told = (struct team_told){0};
}
