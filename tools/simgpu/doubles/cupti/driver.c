#include "doubles/cupti/driver.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct driver driver;
static _Atomic(const struct driver *) found;
static atomic_bool forked; /* CUDA does not survive a fork, nor does CUPTI */

static void driver_forked(void)
{
	atomic_store(&forked, true);
}

/* Data and function pointers have one size here. */
#define FIND(member, name) *(void **)&driver.member = dlsym(library, name)

static bool driver_connect(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (!library)
		return false;
	FIND(observe, "simgpu_observe");
	FIND(ready, "simgpu_ready");
	FIND(now_ns, "simgpu_now_ns");
	FIND(observed, "simgpu_observed");
	FIND(stream_id, "simgpu_stream_id");
	FIND(event_id, "simgpu_event_id");
	FIND(graph_node_id, "simgpu_graph_node_id");
	FIND(context_id, "simgpu_context_id");
	FIND(end_contexts, "simgpu_end_contexts");
	FIND(device_count, "cuDeviceGetCount");
	FIND(device_name, "cuDeviceGetName");
	FIND(device_uuid, "cuDeviceGetUuid_v2");
	if (!driver.observe || !driver.ready || !driver.now_ns) {
		dlclose(library);
		return false;
	}
	pthread_atfork(NULL, NULL, driver_forked);
	atomic_store(&found, &driver);
	return true;
}

const struct driver *driver_ready(void)
{
	if (atomic_load(&forked))
		return NULL;
	if (!atomic_load(&found)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load(&found))
			driver_connect();
		pthread_mutex_unlock(&lock);
	}
	const struct driver *d = atomic_load(&found);
	return d && d->ready() ? d : NULL;
}

int64_t driver_now_ns(void)
{
	const struct driver *d = atomic_load(&found);
	struct timespec now;

	if (d)
		return d->now_ns();
	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}
