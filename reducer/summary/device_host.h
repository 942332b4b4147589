/* The host of a device, taken from the device's key: HOST/ORDINAL or HOST/UUID. */
#ifndef SUMMARY_DEVICE_HOST_H
#define SUMMARY_DEVICE_HOST_H

#include "summary/summary.h"

#include <string.h>

struct device_host {
	const char *at; /* not terminated, in the summary's pool; NULL: none */
	size_t chars;
};

static inline struct device_host device_host(const struct summary *summary, size_t device)
{
	const char *key = summary_text(summary, summary->devices[device].key);
	return (struct device_host){key, strcspn(key, "/")};
}

static inline bool device_host_same(struct device_host a, struct device_host b)
{
	return a.chars == b.chars && (a.chars == 0 || memcmp(a.at, b.at, a.chars) == 0);
}

#endif
