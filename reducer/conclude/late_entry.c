#include "conclude/late_entry.h"

#include "base/sort.h"
#include "conclude/step_trust.h"
#include "summary/device_host.h"

#include <errno.h>
#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

int late_entry_of(const struct summary *s, size_t device, int64_t *late_ns)
{
	const struct device_host host = device_host(s, device);
	const struct steps_summary *own = step_trust_device(s, s->devices[device].key);
	int64_t *others = malloc((s->n_devices + 1) * sizeof(*others));
	size_t n = 0;
	*late_ns = 0;
	if (!others)
		return -ENOMEM;
	for (size_t i = 0; own && own->entered_ns >= 0 && i < s->n_devices; i++) {
		const struct steps_summary *other = step_trust_device(s, s->devices[i].key);
		if (i != device && other && other->entered_ns >= 0 &&
			other->entered_after == own->entered_after && device_host_same(host, device_host(s, i)))
			others[n++] = other->entered_ns;
	}
	if (n) {
		sort_rows(others, n, sizeof(*others), by_time);
		*late_ns = own->entered_ns - others[(n - 1) / 2];
	}
	free(others);
	return 0;
}
