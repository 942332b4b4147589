#include "attribute/owners.h"

#include "base/room.h"
#include "base/saturate.h"

#include <errno.h>
#include <stdlib.h>

enum { OWNER_WORDS = sizeof(struct owner) / sizeof(uint32_t) };

static int add_owner(struct owners *o, const struct owner *owner, uint32_t *number)
{
	uint32_t words[OWNER_WORDS];
	memcpy(words, owner, sizeof(words));
	int error = intern_get(&o->owners, words, number);
	if (*number == INTERN_FULL)
		*number = OWNER_REST;
	return error ? error : room_reach((void **)&o->sums, &o->sums_room, *number, sizeof(*o->sums));
}

int owners_open(struct owners *o, struct feed *feeds, uint32_t n)
{
	uint32_t number;
	*o = (struct owners){.owners = intern_of(OWNER_WORDS, OWNERS_MOST),
						 .stall_keys = intern_of(3, STALLS_MOST)};
	int error = contexts_open(&o->contexts, feeds, n);
	if (!error)
		error = add_owner(o, &(struct owner){.feed = UINT32_MAX}, &number);
	if (!error)
		error = add_owner(o, &(struct owner){.feed = UINT32_MAX, .stack = 1}, &number);
	o->threads = error ? NULL : calloc(n, sizeof(*o->threads));
	if (!o->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		o->threads[i] = calloc(feeds[i].trace.n_threads, sizeof(**o->threads));
		if (!o->threads[i])
			return -ENOMEM;
	}
	return 0;
}

void owners_close(struct owners *o)
{
	for (uint32_t i = 0; o->threads && i < o->contexts.n_feeds; i++)
		free(o->threads[i]);
	free(o->threads);
	free(o->sums);
	free(o->stalls);
	intern_free(&o->owners);
	intern_free(&o->stall_keys);
	contexts_close(&o->contexts);
	*o = (struct owners){0};
}

int owners_change(struct owners *o, uint32_t feed, struct owner_thread *last)
{
	const struct owner key = {
		.feed = feed, .stack = last->stack, .call = last->call, .context = last->context};
	return add_owner(o, &key, &last->owner);
}

int owners_stack(struct owners *o, uint32_t feed, uint32_t stack, uint32_t *owner)
{
	*owner = OWNER_NONE;
	return stack ? add_owner(o, &(struct owner){.feed = feed, .stack = stack}, owner) : 0;
}

/* The owner of an op; NCCL's kernels add up apart, for they have a module of their own. */
static int owner_of(struct owners *o, const struct op *op, uint32_t *number)
{
	*number = op->flags & OP_MATCHED ? op->owner : OWNER_NONE;
	if (op->group != GROUP_NCCL)
		return 0;
	struct owner owner = owners_get(o, *number);
	owner.nccl = 1;
	return add_owner(o, &owner, number);
}

int owners_add_op(struct owners *o, const struct op *op)
{
	const int64_t ns = op->end - op->start;
	uint32_t number;
	int error = owner_of(o, op, &number);
	if (error)
		return error;
	if ((op->flags & (OP_MATCHED | OP_FIRST_OF_CALL)) == (OP_MATCHED | OP_FIRST_OF_CALL))
		owners_add_launch(o, number, op->group, ns, op->le - op->ls);
	else
		o->sums[number].gpu_ns[op->group] = saturate_add(o->sums[number].gpu_ns[op->group], ns);
	return 0;
}

bool owners_have_place(const struct owners *o, uint32_t number)
{
	if (number <= OWNER_REST)
		return false;
	struct owner owner = owners_get(o, number);
	return owner.stack || contexts_get(&o->contexts, owner.context).frame;
}

static int add_stall(struct owners *o, const uint32_t key[3], int64_t ns, uint64_t gap)
{
	uint32_t number;
	int error = intern_get(&o->stall_keys, key, &number);
	if (error || number == INTERN_FULL)
		return error;
	if (room_reach((void **)&o->stalls, &o->stalls_room, number, sizeof(*o->stalls)) != 0)
		return -ENOMEM;
	struct stall *stall = &o->stalls[number];
	stall->count += stall->last_gap != gap;
	stall->last_gap = gap;
	stall->ns += ns;
	return 0;
}

int owners_add_idle(struct owners *o, const struct op *k, enum leaf leaf, uint32_t seen, int64_t ns,
					uint64_t gap)
{
	uint32_t number;
	if (!owners_have_leaf(leaf))
		return 0;
	int error = owner_of(o, k, &number);
	if (error)
		return error;
	if (LEAF_BIT(leaf) & LEAVES_CPU)
		o->sums[number].cpu_ns += ns;
	else
		o->sums[number].host_ns += ns;
	const bool before = !owners_have_place(o, seen);
	const uint32_t key[3] = {leaf, before ? number : seen, before};
	return owners_have_place(o, key[1]) ? add_stall(o, key, ns, gap) : 0;
}
