#include "doubles/driver/core/settings.h"

#include "doubles/cuda_abi.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct settings values;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int64_t number(const char *variable, int64_t otherwise)
{
	const char *text = getenv(variable);
	if (!text || !*text)
		return otherwise;
	char *end;
	int64_t value = strtoll(text, &end, 10);
	if (end == text || *end || value < 0) {
		fprintf(stderr, "simgpu: %s=%s is not a number, %lld taken\n", variable, text,
				(long long)otherwise);
		return otherwise;
	}
	return value;
}

/* "12.8" -> 12080 */
static int release(const char *text)
{
	int major = 0, minor = 0;
	if (!text || !*text)
		return 0;
	if (sscanf(text, "%d.%d", &major, &minor) < 1 || major < 11 || minor > 99) {
		fprintf(stderr, "simgpu: SIMGPU_CUDA=%s is not a release like 12.8, ignored\n", text);
		return 0;
	}
	return major * 1000 + minor * 10;
}

/* A list of numbers or of UUIDs as context_uuid() makes them; it ends at the first that is not. */
static int visible(int devices, int *physical)
{
	const char *text = getenv("CUDA_VISIBLE_DEVICES");
	int n = 0;
	if (!text) {
		for (; n < devices; n++)
			physical[n] = n;
		return n;
	}
	while (*text && n < MAX_DEVICES) {
		char *end;
		long number_of =
			strncmp(text, "GPU-", 4) ? strtol(text, &end, 10) : strtol(text + 4, &end, 16);
		if (end == text || number_of < 0 || number_of >= devices)
			break;
		physical[n++] = (int)number_of;
		text = strchr(end, ',');
		if (!text++)
			break;
	}
	return n;
}

/* SIMGPU_SLOW="DEVICE=FACTOR;...": factors are decimal, devices count from SIMGPU_LOCAL_OFFSET. */
static void slow_devices(struct settings *s)
{
	const char *text = getenv("SIMGPU_SLOW");
	int offset = (int)number("SIMGPU_LOCAL_OFFSET", 0);
	for (int i = 0; i < MAX_DEVICES; i++)
		s->slow[i] = 1000;
	while (text && *text) {
		int device;
		double factor;
		if (sscanf(text, "%d=%lf", &device, &factor) != 2 || factor <= 0) {
			fprintf(stderr, "simgpu: SIMGPU_SLOW: DEVICE=FACTOR expected at '%s'\n", text);
			return;
		}
		for (int i = 0; i < s->devices; i++)
			if (s->physical[i] + offset == device)
				s->slow[i] = (int64_t)(factor * 1000 + 0.5);
		text = strchr(text, ';');
		text = text ? text + 1 : NULL;
	}
}

static void read_environment(void)
{
	struct settings *s = &values;
	int64_t machine = number("SIMGPU_DEVICES", 1);
	s->devices = visible(machine > MAX_DEVICES ? MAX_DEVICES : (int)machine, s->physical);
	s->cuda = release(getenv("SIMGPU_CUDA"));
	s->capability = (int)number("SIMGPU_CAPABILITY", 80);
	s->kernel_ns = number("SIMGPU_KERNEL_NS", 5000);
	s->latency_ns = number("SIMGPU_LATENCY_NS", 5200);
	s->gap_ns = number("SIMGPU_GAP_NS", 960);
	s->graph_gap_ns = number("SIMGPU_GRAPH_GAP_NS", s->gap_ns / 10);
	s->host_func_ns = number("SIMGPU_HOST_FUNC_NS", 50000);
	s->copy_mb_s = number("SIMGPU_COPY_MB_S", 25000);
	s->pageable_mb_s = number("SIMGPU_PAGEABLE_MB_S", 6000);
	s->local_mb_s = number("SIMGPU_LOCAL_MB_S", 1200000);
	s->memory_bytes = (size_t)number("SIMGPU_MEMORY_MB", 81920) << 20;
	s->fill_blocks = (uint32_t)number("SIMGPU_FILL_BLOCKS", 216);
	s->zero_bytes = (size_t)number("SIMGPU_ZERO_BYTES", 65536);
	slow_devices(s);
}

const struct settings *settings(void)
{
	pthread_once(&once, read_environment);
	return &values;
}

int settings_fail_init(void)
{
	int ordered = (int)number("SIMGPU_FAIL_INIT", 0);
	if (ordered)
		return ordered;
	return settings()->devices ? CUDA_OK : CUDA_NO_DEVICE;
}

/* "substring=NS" or "substring=NS+NS_PER_BLOCK", ';' between them. */
struct duration settings_duration(const char *name)
{
	const char *entry = getenv("SIMGPU_DURATIONS");
	while (entry && *entry) {
		const char *equals = strchr(entry, '='), *end = strchrnul(entry, ';');
		char text[256];
		size_t length = equals ? (size_t)(equals - entry) : 0;
		long long ns = 0, per_block = 0;
		if (length && equals < end && length < sizeof(text) &&
			sscanf(equals, "=%lld+%lld", &ns, &per_block) >= 1) {
			memcpy(text, entry, length);
			text[length] = 0;
			if (strstr(name, text))
				return (struct duration){ns, per_block};
		}
		entry = *end ? end + 1 : end;
	}
	return (struct duration){settings()->kernel_ns, 0};
}
