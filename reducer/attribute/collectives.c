#include "attribute/collectives.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "base/table.h"

#include <baton/format.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What collectives of a kind take is known from so many, and is the percentile. That their transfer
 * alone takes longer by so many times is not taken for it. */
enum { KIND_LEAST = 8, KIND_PERCENTILE = 5, MISSED_TIMES = 2 };

/* Ends of an ordered collective are together when they are so near, or apart by at most this part of
 * how much its members' durations differ. The order is right when at most this part is not. */
enum { ENDS_NEAR_NS = 200000, ENDS_PART = 10, ORDERED_PART = 10 };

struct comm_members {
	uint64_t comm;
	uint32_t n;
};

struct collectives {
	pthread_mutex_t lock;
	struct table comms_by_hash, seen_by_key, memberships_by_both;
	struct comm_members *comms;
	struct coll_seen *seen;
	struct comm_member *memberships;
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
		*seen = (struct coll_seen){.key = op->key,
								   .rows = op->rows,
								   .last = op->member,
								   .min_ns = op->dur_ns,
								   .max_ns = op->dur_ns,
								   .first_end_ns = op->end_ns,
								   .last_end_ns = op->end_ns,
								   .bytes = op->bytes,
								   .base_ns = -1};
	seen->members += !again;
	seen->ambiguous |= again || seen->rows != op->rows;
	seen->rows = op->rows < seen->rows ? op->rows : seen->rows;
	seen->sum_ns = saturate_add(seen->sum_ns, op->dur_ns);
	if (seen->sum_ns > BATON_TIME_LIMIT_NS) /* what a file may hold */
		seen->sum_ns = BATON_TIME_LIMIT_NS;
	seen->max_ns = op->dur_ns > seen->max_ns ? op->dur_ns : seen->max_ns;
	seen->first_end_ns = op->end_ns < seen->first_end_ns ? op->end_ns : seen->first_end_ns;
	seen->last_end_ns = op->end_ns > seen->last_end_ns ? op->end_ns : seen->last_end_ns;
	seen->size = op->size > seen->size ? op->size : seen->size;
	seen->bytes = op->bytes > seen->bytes ? op->bytes : seen->bytes;
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

/* Of a kind: of one communicator, as many bytes. */
static int by_kind(const void *a, const void *b, void *context)
{
	const struct coll_seen *seen = context, *x = &seen[*(const uint64_t *)a],
						   *y = &seen[*(const uint64_t *)b];
	if (x->key.comm != y->key.comm)
		return x->key.comm < y->key.comm ? -1 : 1;
	if (x->key.coll != y->key.coll)
		return x->key.coll < y->key.coll ? -1 : 1;
	if (x->rows != y->rows)
		return x->rows < y->rows ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int by_kind_and_time(const void *a, const void *b, void *context)
{
	const struct coll_seen *seen = context;
	int64_t x = seen[*(const uint64_t *)a].min_ns, y = seen[*(const uint64_t *)b].min_ns;
	int order = by_kind(a, b, context);
	return order ? order : x < y ? -1 : x > y;
}

/* The sorted ones of one kind: a percentile, as a record may be wrong. */
static void settle_kind(struct coll_seen *seen, const uint64_t *of, uint64_t n)
{
	if (n < KIND_LEAST || seen[of[0]].bytes < 0)
		return;
	int64_t base_ns = seen[of[(KIND_PERCENTILE * n + 99) / 100 - 1]].min_ns;
	for (uint64_t i = 0; i < n; i++)
		seen[of[i]].base_ns = base_ns;
}

static uint64_t list_missed(const struct collectives *c, uint64_t *of, bool *any)
{
	uint64_t n = 0;
	*any = false;
	for (uint64_t i = 0; i < c->n_seen; i++) {
		const struct coll_seen *seen = &c->seen[i];
		if (seen->ambiguous || seen->size < 2)
			continue;
		*any |= seen->members < seen->size;
		of[n++] = i;
	}
	return n;
}

/* The ordered ones of one kernel name and step are counted out together. */
static int by_place(const void *a, const void *b, void *context)
{
	const struct coll_seen *seen = context;
	const struct coll_key *x = &seen[*(const uint64_t *)a].key;
	const struct coll_key *y = &seen[*(const uint64_t *)b].key;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	return x->step_number < y->step_number ? -1 : x->step_number > y->step_number;
}

/* All members leave a collective together, whenever they came. */
static bool ends_together(const struct coll_seen *seen)
{
	int64_t apart_ns; /* a file may say any two times */
	if (__builtin_sub_overflow(seen->last_end_ns, seen->first_end_ns, &apart_ns))
		return false;
	return apart_ns <= ENDS_NEAR_NS || apart_ns <= (seen->max_ns - seen->min_ns) / ENDS_PART;
}

/* Returns how many are left whose members all have as many of them in the step. */
static uint64_t drop_uncounted(struct coll_seen *seen, uint64_t *of, uint64_t n)
{
	uint64_t kept = 0;
	for (uint64_t i = 0, end; i < n; i = end) {
		bool whole = true;
		for (end = i; end < n && by_place(&of[i], &of[end], seen) == 0; end++)
			whole &= seen[of[end]].members == seen[of[end]].size && !seen[of[end]].ambiguous;
		for (uint64_t k = i; k < end; k++) {
			seen[of[k]].ambiguous = !whole;
			of[kept] = of[k];
			kept += whole;
		}
	}
	return kept;
}

static int settle_ordered(struct collectives *c)
{
	uint64_t n = 0, together = 0, *of = malloc((c->n_seen + 1) * sizeof(*of));
	if (!of)
		return -ENOMEM;
	for (uint64_t i = 0; i < c->n_seen; i++)
		if (c->seen[i].key.ordered)
			of[n++] = i;
	sort_rows_with(of, n, sizeof(*of), by_place, c->seen);
	n = drop_uncounted(c->seen, of, n);
	for (uint64_t i = 0; i < n; i++)
		together += ends_together(&c->seen[of[i]]);
	for (uint64_t i = 0; i < n; i++)
		c->seen[of[i]].ambiguous =
			ORDERED_PART * (n - together) > n || !ends_together(&c->seen[of[i]]);
	free(of);
	return 0;
}

int collectives_settle(struct collectives *c)
{
	int error = settle_ordered(c);
	if (error)
		return error;

	uint64_t *of = malloc((c->n_seen + 1) * sizeof(*of));
	bool any;
	if (!of)
		return -ENOMEM;
	uint64_t n = list_missed(c, of, &any);
	if (any)
		sort_rows_with(of, n, sizeof(*of), by_kind_and_time, c->seen);
	for (uint64_t i = 0, end; any && i < n; i = end) {
		for (end = i + 1; end < n && by_kind(&of[i], &of[end], c->seen) == 0; end++)
			;
		settle_kind(c->seen, &of[i], end - i);
	}
	free(of);
	return 0;
}

int64_t collective_waited(const struct coll_seen *seen, int64_t from_ns)
{
	const __int128 ns = seen->sum_ns - (__int128)from_ns * seen->members;
	return ns > 0 ? (int64_t)ns : 0;
}

bool collective_missed(const struct coll_seen *seen)
{
	const __int128 later = seen->min_ns - seen->base_ns, members = seen->members;
	return later > MISSED_TIMES * (__int128)seen->base_ns &&
		   later * (members - 1) > seen->sum_ns - members * seen->min_ns;
}

static int add_member_locked(struct collectives *c, const struct comm_member *add)
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
	int error = add_member_locked(c, &(struct comm_member){comm, member});
	pthread_mutex_unlock(&c->lock);
	return error;
}

uint32_t collectives_members(struct collectives *c, uint64_t comm)
{
	uint32_t row =
		table_find(&c->comms_by_hash, c->comms, TABLE_SHAPE(struct comm_members, comm), &comm);
	return row ? c->comms[row - 1].n : 0;
}

size_t collectives_all(const struct collectives *c, const struct coll_seen **seen)
{
	*seen = c->seen;
	return c->n_seen;
}

size_t collectives_all_members(const struct collectives *c, const struct comm_member **members)
{
	*members = c->memberships;
	return c->n_memberships;
}

int collectives_put(struct collectives *c, const struct coll_seen *seen)
{
	struct coll_seen *row =
		table_row(&c->seen_by_key, TABLE_ROWS(c->seen, c->n_seen, key), &seen->key);
	if (!row)
		return -ENOMEM;
	*row = *seen;
	return 0;
}

int collectives_put_members(struct collectives *c, uint64_t comm, uint32_t n)
{
	struct comm_members *row =
		table_row(&c->comms_by_hash, TABLE_ROWS(c->comms, c->n_comms, comm), &comm);
	if (!row)
		return -ENOMEM;
	row->n += n;
	return 0;
}
