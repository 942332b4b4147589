/* The NCCL border between this program and tests/shim/libs/nccl.c. The wrappers are in the program
 * itself, so that the library's calls to itself meet them too, as they meet a preloaded library. */
#include "ring/nccl_launch.h"

#include "check.h"
#include "libs/nccl.h"
#include "recorder.h"
#include "ring/lane.h"
#include "sources/nccl/nccl_comm.h"

#include <string.h>

static uint32_t correlation = 100;
static int s1, s2;

static void launch(void *stream, const char *symbol)
{
	CHECK(guard_is_up(GUARD_NCCL), "a launch outside of a call");
	nccl_saw_launch(stream, symbol, ++correlation);
}

static const struct baton_slot *of_type(unsigned type, unsigned which)
{
	for (unsigned i = 0; i < recorder_count(); i++)
		if (recorder_slot(i)->type == type && which-- == 0)
			return recorder_slot(i);
	static const struct baton_slot none;
	return &none;
}

static unsigned count_of(unsigned type)
{
	unsigned n = 0;
	for (unsigned i = 0; i < recorder_count(); i++)
		n += recorder_slot(i)->type == type;
	return n;
}

#define COLLECTIVE(i) of_type(BATON_SLOT_COLLECTIVE, i)
#define CALL(i) of_type(BATON_SLOT_CALL, i)

static void *join(char id, int size, int rank)
{
	struct test_id unique = {{0}};
	void *comm = NULL;
	unique.internal[127] = id;
	CHECK(ncclCommInitRank(&comm, size, unique, rank) == 0 && comm, "init");
	CHECK(nccl_double.id_of_last == id && nccl_double.rank_of_last == rank, "arguments by value");
	return comm;
}

static const struct baton_r_comm *comm_of(const struct baton_slot *slot)
{
	return recorder_comm(slot->name);
}

static void before_recording(void)
{
	void *comm = join('a', 4, 1);
	CHECK(ncclAllReduce(NULL, NULL, 10, 7, 0, comm, &s1) == 0, "all-reduce");
	CHECK(recorder_opens == 0 && recorder_comms() == 0, "an NCCL call opened the recording");
	recorder_start();
	ncclAllReduce(NULL, NULL, 10, 7, 0, comm, &s1);
	const struct baton_slot *slot = COLLECTIVE(0);
	CHECK(slot->end == 1, "sequence %d: calls before the recording count", (int)slot->end);
	CHECK(slot->begin == 40 && strcmp(recorder_text(slot->stack), "float32") == 0, "bytes, type");
	CHECK(slot->correlation == correlation && slot->aux == BATON_COLL_ALLREDUCE, "its kernel");
	CHECK(comm_of(slot)->size == 4 && comm_of(slot)->hash, "communicator");
	CHECK(strcmp(recorder_text(CALL(0)->name), "ncclAllReduce") == 0 && CALL(0)->stack == 77 &&
			  CALL(0)->correlation == 0 && CALL(0)->begin <= CALL(0)->end,
		  "call");
	CHECK(strcmp(recorder_text(comm_of(slot)->ranks), "1") == 0, "our rank in it");
	recorder_clear();
	ncclCommDestroy(comm);
	recorder_clear();
}

static void arguments(void)
{
	void *comm = join('b', 8, 0);
	recorder_clear();
	ncclReduceScatter(NULL, NULL, 100, 9, 0, comm, &s1);
	ncclAllGather(NULL, NULL, 100, 8, comm, &s1);
	ncclBcast(NULL, 3, 0, 0, comm, &s1);
	ncclBroadcast(NULL, NULL, 3, 99, 0, comm, &s1);
	ncclSend(NULL, 5, 6, 1, comm, &s1);
	ncclRecv(NULL, 5, 6, 0, comm, &s1);
	CHECK(COLLECTIVE(0)->begin == 1600 && COLLECTIVE(0)->aux == BATON_COLL_REDUCESCATTER, "%d",
		  (int)COLLECTIVE(0)->begin);
	CHECK(COLLECTIVE(1)->begin == 800 && COLLECTIVE(1)->aux == BATON_COLL_ALLGATHER, "all-gather");
	CHECK(count_of(BATON_SLOT_COLLECTIVE) == 6 && count_of(BATON_SLOT_CALL) == 6,
		  "NCCL's own call of ncclBroadcast was counted: %u calls", count_of(BATON_SLOT_CALL));
	CHECK(strcmp(recorder_text(CALL(2)->name), "ncclBcast") == 0, "the outer name");
	CHECK(COLLECTIVE(2)->end == 0 && COLLECTIVE(3)->end == 1, "one count for both");
	CHECK(COLLECTIVE(3)->begin == 0 && COLLECTIVE(3)->stack == 0, "an unknown type has no size");
	CHECK(COLLECTIVE(4)->begin == 10 && COLLECTIVE(4)->aux == BATON_COLL_SEND, "send");
	CHECK(baton_slot_peer(COLLECTIVE(4)) == 2 && baton_slot_peer(COLLECTIVE(5)) == 1 &&
			  baton_slot_number(COLLECTIVE(4)) == 0 && baton_slot_number(COLLECTIVE(5)) == 0,
		  "to rank 1, from rank 0: %u, %u", baton_slot_peer(COLLECTIVE(4)),
		  baton_slot_peer(COLLECTIVE(5)));
	CHECK(baton_slot_peer(COLLECTIVE(0)) == 0, "nobody's");
	recorder_clear();
	ncclCommDestroy(comm);
	recorder_clear();
}

static void groups(void)
{
	void *a = join('c', 2, 0), *b = join('d', 2, 0);
	recorder_clear();
	uint32_t first = correlation;
	ncclGroupStart();
	ncclSend(NULL, 1, 7, 1, a, &s1);
	ncclGroupStart();
	ncclRecv(NULL, 1, 7, 1, a, &s2);
	ncclAllReduce(NULL, NULL, 1, 7, 0, b, &s2);
	ncclGroupEnd();
	CHECK(count_of(BATON_SLOT_COLLECTIVE) == 0, "written before the outermost group ended");
	ncclGroupEnd();
	CHECK(count_of(BATON_SLOT_COLLECTIVE) == 3 && count_of(BATON_SLOT_CALL) == 7, "all written");
	CHECK(correlation == first + 2, "two kernels");
	CHECK(COLLECTIVE(0)->correlation == first + 1 && COLLECTIVE(1)->correlation == first + 1,
		  "both operations of one communicator are in one kernel, also on two streams");
	CHECK(COLLECTIVE(2)->correlation == first + 2, "the other's kernel: %u",
		  COLLECTIVE(2)->correlation);
	CHECK(COLLECTIVE(2)->name != COLLECTIVE(0)->name, "its communicator");
	recorder_clear();
	nccl_double.kernels_each = 3;
	first = correlation;
	ncclAllReduce(NULL, NULL, 1, 7, 0, a, &s1);
	CHECK(count_of(BATON_SLOT_COLLECTIVE) == 1 && COLLECTIVE(0)->correlation == first + 1,
		  "several kernels of one operation");
	nccl_double.kernels_each = 0;
	ncclAllReduce(NULL, NULL, 1, 7, 0, a, &s1);
	CHECK(COLLECTIVE(1)->correlation == 0, "no kernel");
	nccl_double.kernels_each = 1;
	recorder_clear();
}

static void too_many(void)
{
	void *comm = join('e', 2, 0);
	uint64_t dropped = recorder_dropped();
	recorder_clear();
	ncclGroupStart();
	for (int i = 0; i < 1100; i++)
		ncclSend(NULL, 1, 7, 1, comm, &s1);
	ncclGroupEnd();
	CHECK(count_of(BATON_SLOT_COLLECTIVE) == 1000 && recorder_dropped() == dropped + 100, "%u, %d",
		  count_of(BATON_SLOT_COLLECTIVE), (int)(recorder_dropped() - dropped));
	recorder_clear();
	ncclSend(NULL, 1, 7, 1, comm, &s1);
	CHECK(baton_slot_number(COLLECTIVE(0)) == 1100 && recorder_dropped() == dropped + 100, "and the next group");
	recorder_clear();
}

static void failures(void)
{
	void *comm = join('f', 2, 0);
	recorder_clear();
	nccl_double.result = 4;
	CHECK(ncclAllReduce(NULL, NULL, 1, 7, 0, comm, &s1) == 4, "its result");
	CHECK(CALL(0)->flags == BATON_SLOT_FAILED && count_of(BATON_SLOT_COLLECTIVE) == 0, "failed");
	CHECK(CALL(0)->aux == 4, "its result, in the slot");
	nccl_double.result = 7;
	CHECK(ncclAllReduce(NULL, NULL, 1, 7, 0, comm, &s1) == 7, "in progress");
	CHECK(CALL(1)->flags == 0 && CALL(1)->aux == 0 && COLLECTIVE(0)->end == 0, "what failed was not counted");
	CHECK(ncclGroupEnd() == 5, "an end without a start");
	ncclAllReduce(NULL, NULL, 1, 7, 0, comm, &s1);
	CHECK(count_of(BATON_SLOT_COLLECTIVE) == 2, "groups still nest right");
	CHECK(ncclCommShrink(comm, NULL, 0, NULL, NULL, 0) == 3, "a function that this NCCL lacks");
	recorder_clear();
}

static uint64_t hash_of(void *comm)
{
	recorder_clear();
	ncclAllReduce(NULL, NULL, 1, 7, 0, comm, &s1);
	uint64_t hash = comm_of(COLLECTIVE(0))->hash;
	recorder_clear();
	return hash;
}

static void communicators(void)
{
	void *a = join('g', 4, 0), *same = join('g', 4, 1), *other = join('h', 4, 0);
	void *x = NULL, *y = NULL, *z = NULL, *none = &s1;
	CHECK(hash_of(a) == hash_of(same) && hash_of(a) != hash_of(other), "by unique id");
	ncclCommSplit(a, 0, 0, &x, NULL);
	ncclCommSplit(same, 0, 1, &y, NULL);
	CHECK(hash_of(x) == hash_of(y) && hash_of(x) != hash_of(a), "members of a split agree");
	ncclAllReduce(NULL, NULL, 1, 7, 0, x, &s1);
	CHECK(comm_of(COLLECTIVE(0))->size == 2, "its size: NCCL says");
	ncclCommSplit(a, 1, 0, &z, NULL);
	CHECK(hash_of(z) != hash_of(x), "the next split, another colour");
	ncclCommSplit(a, -1, 0, &none, NULL);
	CHECK(none == NULL, "no colour");
	ncclCommSplit(a, 0, 0, &z, NULL);
	ncclCommSplit(same, 0, 0, &y, NULL);
	CHECK(hash_of(z) != hash_of(x) && hash_of(z) != hash_of(y), "the number of the split tells");
	recorder_clear();
	void *all[3] = {0};
	ncclCommInitAll(all, 3, NULL);
	CHECK(count_of(BATON_SLOT_CALL) == 1, "what ncclCommInitAll calls was counted");
	CHECK(hash_of(all[0]) == hash_of(all[2]) && hash_of(all[0]) != hash_of(a), "all of a process");
	ncclCommDestroy(all[2]);
	CHECK(!nccl_comm_find(all[2]), "known after its end");
	void *again = join('i', 2, 0);
	CHECK(again == all[2], "the test needs the address again");
	recorder_clear();
	ncclAllReduce(NULL, NULL, 1, 7, 0, again, &s1);
	CHECK(COLLECTIVE(0)->end == 0 && comm_of(COLLECTIVE(0))->size == 2,
		  "an address that came again");
	recorder_clear();
}

/* Made in a group: stored at once (new NCCLs) or as the group ends, over whatever was there. */
static void born_in_a_group(int late)
{
	struct test_id id = {{'j', (char)late}};
	void *comm = &s2;
	nccl_double.late_comms = late;
	ncclGroupStart();
	CHECK(ncclCommInitRankConfig(&comm, 6, id, 3, NULL) == 7, "in progress");
	ncclGroupEnd();
	nccl_double.late_comms = 0;
	recorder_clear();
	ncclAllReduce(NULL, NULL, 1, 7, 0, comm, &s1);
	CHECK(comm_of(COLLECTIVE(0))->size == 6 && comm_of(COLLECTIVE(0))->hash == nccl_hash(&id, 128),
		  "late %d: size %u", late, comm_of(COLLECTIVE(0))->size);
	recorder_clear();
}

static void many(void)
{
	for (int i = 0; i < 3000; i++)
		ncclCommDestroy(join('k', 2, 0));
	void *comm = join('l', 2, 0);
	CHECK(nccl_comm_find(comm) && !nccl_comm_find(&s1), "after 3,000 that came and went");
	nccl_comm_add(comm, (struct nccl_member){1, 3, 0});
	CHECK(nccl_comm_member(nccl_comm_find(comm)).size == 3,
		  "its end was not seen: the new one holds");
	recorder_clear();
}

static void inside_the_shim(void)
{
	int saved = 0;
	void *comm = join('m', 2, 0);
	recorder_clear();
	guard_enter(&saved);
	ncclAllReduce(NULL, NULL, 1, 7, 0, comm, &s1);
	guard_leave(saved);
	CHECK(recorder_count() == 0 && !guard_is_up(GUARD_NCCL), "the shim recorded itself");
	errno = 3;
	ncclAllReduce(NULL, NULL, 1, 7, 0, comm, &s1);
	CHECK(errno == 3, "errno");
	recorder_clear();
}

int main(void)
{
	nccl_double.launch = launch;
	before_recording();
	arguments();
	groups();
	too_many();
	failures();
	communicators();
	born_in_a_group(0);
	born_in_a_group(1);
	many();
	inside_the_shim();
	return finish();
}
