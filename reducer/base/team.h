/* Several processes that reduce one run together (baton-mpi); baton itself is alone. All of them run
 * the same program on the same files, and meet in team_share() and team_gather(). */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stddef.h>
#include <stdint.h>

struct bytes { /* owned by whom it is given to */
	char *at;
	size_t n, room;
};

struct team {
	int rank, size;
	/* all[r] becomes what rank r has given; `gather` fills it in rank 0 only. They return when all
	 * ranks have called them. 0 or -errno. */
	int (*share)(const struct bytes *mine, struct bytes *all);
	int (*gather)(const struct bytes *mine, struct bytes *all);
	/* From now on a rank says something that the first one does not know. */
	void (*speak)(void);
	/* Ends this process, whose work is done, when rank 0 has ended too. */
	void (*leave)(void);
	/* Ends all processes: this one alone knows of `error`, and the others would wait for it. */
	void (*fail)(int error);
};

/* NULL: this process is alone. */
const struct team *team_here(void);
void team_join(const struct team *team);

/* 0 or -ENOMEM */
int bytes_put(struct bytes *bytes, const void *at, size_t n);
void bytes_free(struct bytes *bytes);

/* What rank r of the team has told: NULL at the end of the others. team_told_free() frees it. */
struct team_told {
	struct bytes *of; /* by rank; without what it begins with, its error */
	int n;            /* 0: in a rank that is told nothing */
};
/* Tells all ranks (`to_all`), or the first one, these bytes, or that it failed with `error`. 0, or
 * the error of the first rank that failed, which rank 0 says: the same in all that are told. Takes
 * the bytes. Who then fails with what it was told calls `fail`. */
int team_tell(struct bytes *mine, int error, int to_all, struct team_told *told);
void team_told_free(struct team_told *told);

/* Takes n bytes off the front. 0 or -EBADMSG. */
int bytes_take(const struct bytes *bytes, size_t *at, void *to, size_t n);

#endif
