#include "attribute/collectives.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* What collectives of a kind take is known from so many, and is the percentile. That their transfer
 * alone takes longer by so many times is not taken for it. */
enum { KIND_LEAST = 8, KIND_PERCENTILE = 5, MISSED_TIMES = 2 };

/* (what, member) pairs: what is a communicator's hash. */
struct pair {
	uint64_t what;
	uint64_t member;
	uint32_t used;
};

struct pairs {
	struct pair *slots;
	uint64_t room, n;
};

struct comm_members { /* communicators are few: a list */
	uint64_t comm;
	uint32_t n;
};

struct collectives {
	pthread_mutex_t lock;
	struct comm_members *comms;
	size_t n_comms;
	struct coll_seen *seen;
	uint64_t n_seen, seen_room;
	uint64_t *slots; /* index + 1 into seen */
	uint64_t n_slots;
	struct pairs members; /* (communicator, member) */
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
	free(c->seen);
	free(c->slots);
	free(c->members.slots);
	free(c->comms);
	free(c);
}

static struct pair *pair_slot(const struct pairs *pairs, uint64_t what, uint64_t member)
{
	uint64_t key[2] = {what, member};
	uint64_t i = XXH3_64bits(key, sizeof(key)) & (pairs->room - 1);
	for (;; i = (i + 1) & (pairs->room - 1)) {
		struct pair *p = &pairs->slots[i];
		if (!p->used || (p->what == what && p->member == member))
			return p;
	}
}

/* *is_new: the pair was not there. */
static int pairs_add(struct pairs *pairs, uint64_t what, uint64_t member, bool *is_new)
{
	if (2 * pairs->n >= pairs->room) {
		struct pairs larger = {.room = pairs->room ? 2 * pairs->room : 256, .n = pairs->n};
		larger.slots = calloc(larger.room, sizeof(*larger.slots));
		if (!larger.slots)
			return -ENOMEM;
		for (uint64_t i = 0; i < pairs->room; i++)
			if (pairs->slots[i].used)
				*pair_slot(&larger, pairs->slots[i].what, pairs->slots[i].member) = pairs->slots[i];
		free(pairs->slots);
		*pairs = larger;
	}
	struct pair *p = pair_slot(pairs, what, member);
	*is_new = !p->used;
	pairs->n += *is_new;
	*p = (struct pair){what, member, 1};
	return 0;
}

static uint64_t *seen_slot(const struct collectives *c, const struct coll_key *key)
{
	uint64_t i = XXH3_64bits(key, sizeof(*key)) & (c->n_slots - 1);
	for (;; i = (i + 1) & (c->n_slots - 1))
		if (!c->slots[i] || memcmp(&c->seen[c->slots[i] - 1].key, key, sizeof(*key)) == 0)
			return &c->slots[i];
}

static int seen_grow(struct collectives *c)
{
	if (c->n_seen == c->seen_room) {
		uint64_t room = c->seen_room ? 2 * c->seen_room : 256;
		struct coll_seen *larger = realloc(c->seen, room * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		c->seen = larger;
		c->seen_room = room;
	}
	if (2 * c->n_seen < c->n_slots)
		return 0;
	uint64_t n = c->n_slots ? 2 * c->n_slots : 512;
	uint64_t *slots = calloc(n, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(c->slots);
	c->slots = slots;
	c->n_slots = n;
	for (uint64_t i = 0; i < c->n_seen; i++)
		*seen_slot(c, &c->seen[i].key) = i + 1;
	return 0;
}

static int add_locked(struct collectives *c, const struct coll_op *op, bool again)
{
	if (seen_grow(c) != 0)
		return -ENOMEM;
	uint64_t *slot = seen_slot(c, &op->key);
	if (!*slot) {
		c->seen[c->n_seen] = (struct coll_seen){.key = op->key,
												.rows = op->rows,
												.last = op->member,
												.min_ns = op->dur_ns,
												.bytes = op->bytes,
												.base_ns = -1};
		*slot = ++c->n_seen;
	}
	struct coll_seen *seen = &c->seen[*slot - 1];
	seen->members += !again;
	seen->ambiguous |= again || seen->rows != op->rows;
	seen->sum_ns += op->dur_ns;
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
	if (c->n_slots == 0)
		return NULL;
	uint64_t slot = *seen_slot(c, key);
	return slot ? &c->seen[slot - 1] : NULL;
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

int collectives_settle(struct collectives *c)
{
	uint64_t *of = malloc((c->n_seen + 1) * sizeof(*of));
	bool any;
	if (!of)
		return -ENOMEM;
	uint64_t n = list_missed(c, of, &any);
	if (any)
		qsort_r(of, n, sizeof(*of), by_kind_and_time, c->seen);
	for (uint64_t i = 0, end; any && i < n; i = end) {
		for (end = i + 1; end < n && by_kind(&of[i], &of[end], c->seen) == 0; end++)
			;
		settle_kind(c->seen, &of[i], end - i);
	}
	free(of);
	return 0;
}

bool collective_missed(const struct coll_seen *seen)
{
	const __int128 later = seen->min_ns - seen->base_ns, members = seen->members;
	return later > MISSED_TIMES * (__int128)seen->base_ns &&
		   later * (members - 1) > seen->sum_ns - members * seen->min_ns;
}

static struct comm_members *find_comm(const struct collectives *c, uint64_t comm)
{
	for (size_t i = 0; i < c->n_comms; i++)
		if (c->comms[i].comm == comm)
			return &c->comms[i];
	return NULL;
}

static int count_member(struct collectives *c, uint64_t comm)
{
	struct comm_members *found = find_comm(c, comm);
	if (!found) {
		struct comm_members *larger = realloc(c->comms, (c->n_comms + 1) * sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		c->comms = larger;
		found = &c->comms[c->n_comms++];
		*found = (struct comm_members){.comm = comm};
	}
	found->n++;
	return 0;
}

int collectives_add_member(struct collectives *c, uint64_t comm, uint64_t member)
{
	bool is_new;
	pthread_mutex_lock(&c->lock);
	int error = pairs_add(&c->members, comm, member, &is_new);
	if (!error && is_new)
		error = count_member(c, comm);
	pthread_mutex_unlock(&c->lock);
	return error;
}

uint32_t collectives_members(struct collectives *c, uint64_t comm)
{
	const struct comm_members *found = find_comm(c, comm);
	return found ? found->n : 0;
}
