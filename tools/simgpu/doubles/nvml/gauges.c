#include "doubles/nvml/gauges.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 64 };

static const struct {
	const char *key;
	unsigned long long value;
} usual[GAUGES] = {
	[GAUGE_UTIL] = {"util", 92},       [GAUGE_MEMBW] = {"membw", 41},
	[GAUGE_SM] = {"sm", 1980},         [GAUGE_MEM] = {"mem", 3201},
	[GAUGE_POWER] = {"power", 512000}, [GAUGE_LIMIT] = {"limit", 700000},
	[GAUGE_TEMP] = {"temp", 58},       [GAUGE_THROTTLE] = {"throttle", 0},
	[GAUGE_USED] = {"used", 2u << 30}, [GAUGE_LINKS] = {"links", 18},
};
static unsigned long long values[DEVICES][GAUGES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* KEY=VALUE, of the devices from `first` to `last`. */
static void read_one(const char *text, int first, int last)
{
	for (int i = 0; i < GAUGES; i++) {
		size_t bytes = strlen(usual[i].key);

		if (strncmp(text, usual[i].key, bytes) || text[bytes] != '=')
			continue;
		for (int device = first; device <= last; device++)
			values[device][i] = strtoull(text + bytes + 1, NULL, 0);
	}
}

/* [INDEX:]KEY=VALUE,KEY=VALUE... up to a semicolon. */
static void read_group(const char *text)
{
	char *after;
	unsigned long index = strtoul(text, &after, 10);
	int named = after > text && *after == ':';

	if (named && index >= DEVICES)
		return;
	for (text = named ? after + 1 : text;; text++) {
		read_one(text, named ? (int)index : 0, named ? (int)index : DEVICES - 1);
		text += strcspn(text, ",;");
		if (*text != ',')
			return;
	}
}

static void read_all(void)
{
	const char *text = getenv("SIMGPU_NVML");

	for (int device = 0; device < DEVICES; device++)
		for (int i = 0; i < GAUGES; i++)
			values[device][i] = usual[i].value;
	for (; text; text = strchr(text, ';')) {
		text += *text == ';';
		read_group(text);
	}
}

unsigned long long gauge(int device, enum gauge which)
{
	pthread_once(&once, read_all);
	return values[device >= 0 && device < DEVICES ? device : 0][which];
}
