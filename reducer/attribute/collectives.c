#include "attribute/collectives.h"

#include "base/table.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct membership {
	uint64_t comm; /* its hash */
	uint64_t member;
};

struct comm_members {
	uint64_t comm;
	uint32_t n;
};

struct collectives {
	pthread_mutex_t lock;
	struct table comms_by_hash, seen_by_key, memberships_by_both;
	struct comm_members *comms;
	struct coll_seen *seen;
	struct membership *memberships;
	size_t n_comms, n_seen, n_memberships;
};

int collectives_open(struct collectives **out)
{
	struct collectives *c = calloc(1, sizeof(*c));
	if (!c)
		return -ENOMEM;
	pthread_mutex_init(&c->lock, NULL);
	*out = c;
	return 0;
}

void collectives_close(struct collectives *c)
{
	if (!c)
		return;
	pthread_mutex_destroy(&c->lock);
	table_free(&c->comms_by_hash);
	table_free(&c->seen_by_key);
	table_free(&c->memberships_by_both);
	free(c->comms);
	free(c->seen);
	free(c->memberships);
	free(c);
}

static int add_locked(struct collectives *c, const struct coll_op *op, bool again)
{
	size_t before = c->n_seen;
	struct coll_seen *seen =
		table_row(&c->seen_by_key, TABLE_ROWS(c->seen, c->n_seen, key), &op->key);
	if (!seen)
		return -ENOMEM;
	if (c->n_seen > before)
		*seen = (struct coll_seen){
			.key = op->key, .rows = op->rows, .last = op->member, .min_ns = op->dur_ns};
	seen->members += !again;
	seen->ambiguous |= again || seen->rows != op->rows;
	seen->sum_ns += op->dur_ns;
	if (op->dur_ns < seen->min_ns || (op->dur_ns == seen->min_ns && op->member < seen->last)) {
		seen->min_ns = op->dur_ns;
		seen->last = op->member;
	}
	return 0;
}

int collectives_add(struct collectives *c, const struct coll_op *op, bool again)
{
	pthread_mutex_lock(&c->lock);
	int error = add_locked(c, op, again);
	pthread_mutex_unlock(&c->lock);
	return error;
}

const struct coll_seen *collectives_find(struct collectives *c, const struct coll_key *key)
{
	uint32_t row = table_find(&c->seen_by_key, c->seen, TABLE_SHAPE(struct coll_seen, key), key);
	return row ? &c->seen[row - 1] : NULL;
}

static int add_member_locked(struct collectives *c, const struct membership *add)
{
	size_t before = c->n_memberships;
	if (!table_add(&c->memberships_by_both, TABLE_ROWS(c->memberships, c->n_memberships, member),
				   add))
		return -ENOMEM;
	struct comm_members *comm =
		table_row(&c->comms_by_hash, TABLE_ROWS(c->comms, c->n_comms, comm), &add->comm);
	if (!comm)
		return -ENOMEM;
	comm->n += c->n_memberships > before;
	return 0;
}

int collectives_add_member(struct collectives *c, uint64_t comm, uint64_t member)
{
	pthread_mutex_lock(&c->lock);
	int error = add_member_locked(c, &(struct membership){comm, member});
	pthread_mutex_unlock(&c->lock);
	return error;
}

uint32_t collectives_members(struct collectives *c, uint64_t comm)
{
	uint32_t row =
		table_find(&c->comms_by_hash, c->comms, TABLE_SHAPE(struct comm_members, comm), &comm);
	return row ? c->comms[row - 1].n : 0;
}
