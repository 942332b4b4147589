#include "sources/nccl/nccl_comm.h"

#include "base/clock.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "sources/nccl/nccl_library.h"

#include <baton/format.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#define COMMS 1024u /* a power of two */
#define GONE ((void *)&gone)

struct nccl_comm {
	_Atomic(void *) address; /* NULL never used; GONE: free again */
	struct nccl_member member;
	_Atomic uint64_t splits;
	_Atomic uint64_t counts[BATON_COLL_END];
	_Atomic uint64_t published; /* recording_generation << 32 | dictionary id */
};

static struct nccl_comm comms[COMMS];
static char gone;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

uint64_t nccl_hash(const void *bytes, size_t n)
{
	return XXH3_64bits(bytes, n);
}

uint64_t nccl_hash_child(uint64_t parent, uint64_t ordinal, uint64_t colour)
{
	uint64_t key[] = {parent, ordinal, colour};
	return nccl_hash(key, sizeof(key));
}

uint64_t nccl_hash_private(const void *comm)
{
	uint64_t key[] = {(uint64_t)getpid(), clock_ticks(), (uint64_t)(uintptr_t)comm};
	return nccl_hash(key, sizeof(key));
}

static unsigned place(const void *comm)
{
	return (unsigned)(((uint64_t)(uintptr_t)comm * 0x9E3779B97F4A7C15u) >> 40) & (COMMS - 1);
}

struct nccl_comm *nccl_comm_find(void *comm)
{
	for (unsigned i = place(comm), n = 0; n < COMMS; i = (i + 1) & (COMMS - 1), n++) {
		void *at = atomic_load_explicit(&comms[i].address, memory_order_acquire);
		if (at == comm)
			return comm ? &comms[i] : NULL;
		if (!at)
			return NULL;
	}
	return NULL;
}

static void fill(struct nccl_comm *at, void *comm, struct nccl_member member)
{
	at->member = member;
	atomic_store_explicit(&at->splits, 0, memory_order_relaxed);
	for (unsigned i = 0; i < BATON_COLL_END; i++)
		atomic_store_explicit(&at->counts[i], 0, memory_order_relaxed);
	atomic_store_explicit(&at->published, 0, memory_order_relaxed);
	atomic_store_explicit(&at->address, comm, memory_order_release);
}

void nccl_comm_add(void *comm, struct nccl_member member)
{
	if (!comm)
		return;
	nccl_comm_remove(comm);
	pthread_mutex_lock(&changing);
	for (unsigned i = place(comm), n = 0; n < COMMS; i = (i + 1) & (COMMS - 1), n++) {
		void *at = atomic_load_explicit(&comms[i].address, memory_order_relaxed);
		if (at && at != GONE)
			continue;
		fill(&comms[i], comm, member);
		break;
	}
	pthread_mutex_unlock(&changing);
}

void nccl_comm_remove(void *comm)
{
	pthread_mutex_lock(&changing);
	struct nccl_comm *at = nccl_comm_find(comm);
	if (at)
		atomic_store_explicit(&at->address, GONE, memory_order_release);
	pthread_mutex_unlock(&changing);
}

struct nccl_comm *nccl_comm_use(void *comm)
{
	struct nccl_comm *known = nccl_comm_find(comm);
	if (SHIM_LIKELY(known != NULL) || !comm)
		return known;
	nccl_comm_add(comm, (struct nccl_member){nccl_hash_private(comm), 0, -1});
	return nccl_comm_find(comm);
}

/* NCCL answers once the communicator is ready: at the latest in its first operation. */
struct nccl_member nccl_comm_member(const struct nccl_comm *comm)
{
	struct nccl_member member = comm->member;
	if (member.size <= 0)
		member.size = nccl_ask_size(atomic_load_explicit(&comm->address, memory_order_relaxed));
	return member;
}

uint64_t nccl_comm_split(struct nccl_comm *comm)
{
	return atomic_fetch_add_explicit(&comm->splits, 1, memory_order_relaxed);
}

uint64_t nccl_comm_count(struct nccl_comm *comm, unsigned coll)
{
	return atomic_fetch_add_explicit(&comm->counts[coll], 1, memory_order_relaxed);
}

void nccl_comm_uncount(struct nccl_comm *comm, unsigned coll)
{
	atomic_fetch_sub_explicit(&comm->counts[coll], 1, memory_order_relaxed);
}

/* Where no launcher says the process's rank, this does. */
static uint32_t own_rank(struct nccl_member member)
{
	char text[16];
	return member.rank < 0
			   ? 0
			   : dict_string(text, (size_t)snprintf(text, sizeof(text), "%d", member.rank));
}

static uint32_t publish(struct nccl_comm *comm)
{
	struct nccl_member member = nccl_comm_member(comm); /* calls NCCL: before the room is taken */
	uint32_t ranks = own_rank(member);
	struct baton_r_comm *record = dict_reserve(sizeof(*record));
	if (!record)
		return 0;
	uint32_t id = dict_id();
	record->id = id;
	record->size = member.size > 0 ? (uint32_t)member.size : 0;
	record->hash = member.hash;
	record->name = 0;
	record->ranks = ranks;
	dict_publish(record, BATON_R_COMM, sizeof(*record));
	return id;
}

/* Two threads may both publish: two ids of one hash, which a reader joins. */
uint32_t nccl_comm_id(struct nccl_comm *comm)
{
	uint64_t known = atomic_load_explicit(&comm->published, memory_order_relaxed);
	if (SHIM_LIKELY((uint32_t)known && known >> 32 == recording_generation))
		return (uint32_t)known;
	uint32_t id = publish(comm);
	atomic_store_explicit(&comm->published, (uint64_t)recording_generation << 32 | id,
						  memory_order_relaxed);
	return id;
}

void nccl_comm_forget(void)
{
	pthread_mutex_init(&changing, NULL);
}
