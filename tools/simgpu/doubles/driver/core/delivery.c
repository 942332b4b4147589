#include "doubles/driver/core/delivery.h"

#include "doubles/driver/core/core.h"
#include "engine/room.h"

#include <stdatomic.h>
#include <string.h>

enum what { DELIVER_RECORD, DELIVER_SYNC, DELIVER_STARTED };

struct item {
	enum what what;
	union {
		struct sim_record record;
		struct sim_sync sync;
		struct {
			struct sim_external external;
			int64_t start_ns;
		} started;
	};
};

struct items {
	struct item *at;
	size_t n;
	uint32_t room;
};

static struct items coming, going; /* going: the engine's thread's own while it hands over */
static uint64_t queued, arrived;
static const struct sim_observer *_Atomic observer_now;

const struct sim_observer *simgpu_observe(const struct sim_observer *observer)
{
	return atomic_exchange(&observer_now, observer);
}

const struct sim_observer *delivery_observer(void)
{
	return atomic_load_explicit(&observer_now, memory_order_acquire);
}

static struct item *add(enum what what)
{
	coming.at = room_for(coming.at, coming.n, &coming.room, 1024, sizeof(*coming.at));
	core.undelivered = true;
	queued++;
	struct item *item = &coming.at[coming.n++];
	item->what = what;
	return item;
}

void delivery_record(const struct sim_record *record)
{
	if (delivery_observer())
		add(DELIVER_RECORD)->record = *record;
}

void delivery_sync(const struct sim_sync *sync)
{
	if (delivery_observer())
		add(DELIVER_SYNC)->sync = *sync;
}

void delivery_started(const struct sim_external *external, int64_t start_ns)
{
	struct item *item = add(DELIVER_STARTED);
	item->started.external = *external;
	item->started.start_ns = start_ns;
}

size_t delivery_behind(void)
{
	return coming.n + going.n;
}

static void hand_over(const struct item *item)
{
	const struct sim_observer *observer = delivery_observer();
	switch (item->what) {
	case DELIVER_RECORD:
		if (observer && observer->op)
			observer->op(&item->record);
		break;
	case DELIVER_SYNC:
		if (observer && observer->sync)
			observer->sync(&item->sync);
		break;
	case DELIVER_STARTED:
		if (item->started.external.started)
			item->started.external.started(item->started.external.who, item->started.start_ns);
		break;
	}
}

void delivery_run(void)
{
	struct items empty = going;
	going = coming;
	coming = empty;
	core.undelivered = false;
	core_unlock();
	for (size_t i = 0; i < going.n; i++)
		hand_over(&going.at[i]);
	pthread_mutex_lock(&core.lock);
	arrived += going.n;
	going.n = 0;
	core.progress = true;
}

uint64_t delivery_queued(void)
{
	return queued;
}

bool delivery_arrived(uint64_t n)
{
	return arrived >= n;
}
