#include "import/nsys/nsys_target.h"

#include "import/nsys/nsys_schema.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(char *out, size_t room, const struct nsys_scan *scan, unsigned field)
{
	size_t bytes = 0;
	const char *text = nsys_text(scan, field, &bytes);
	bytes = bytes < room - 1 ? bytes : room - 1;
	memcpy(out, text ? text : "", text ? bytes : 0);
	out[text ? bytes : 0] = '\0';
}

static bool text_is(const struct nsys_scan *scan, unsigned field, const char *wanted)
{
	size_t bytes;
	const char *text = nsys_text(scan, field, &bytes);
	return text && bytes == strlen(wanted) && memcmp(text, wanted, bytes) == 0;
}

/* ---- GPUs ---- */

enum { PID_MASK = 0xffffff };

static bool is_full(struct nsys_target *target, size_t n)
{
	target->left_out += n >= NSYS_GPUS;
	return n >= NSYS_GPUS;
}

static int load_gpus(struct nsys_target *target, struct nsys_db *db)
{
	static const struct nsys_table table = {
		.name = "TARGET_INFO_GPU",
		.fields = {{.column = "id"},
				   {.column = "name"},
				   {.column = "uuid"},
				   {.column = "totalMemory"},
				   {.column = "smCount"}},
	};
	struct nsys_scan scan;
	int error = 0;
	nsys_scan_open(&scan, db, &table);
	while (!error && nsys_scan_next(&scan)) {
		struct nsys_gpu key;
		const size_t before = target->n_gpus;
		if (!nsys_int(&scan, 0, &key.id) || is_full(target, before))
			continue;
		struct nsys_gpu *gpu =
			table_row(&target->gpu_ids, TABLE_ROWS(target->gpus, target->n_gpus, id), &key);
		error = gpu ? 0 : -ENOMEM;
		if (target->n_gpus == before) /* the first row of each counts */
			continue;
		copy_text(gpu->name, sizeof(gpu->name), &scan, 1);
		copy_text(gpu->uuid, sizeof(gpu->uuid), &scan, 2);
		gpu->memory_bytes = nsys_int_or(&scan, 3, 0);
		gpu->sm_count = nsys_int_or(&scan, 4, 0);
	}
	nsys_scan_close(&scan);
	return error;
}

static int load_devices(struct nsys_target *target, struct nsys_db *db)
{
	static const struct nsys_table table = {
		.name = "TARGET_INFO_CUDA_DEVICE",
		.fields = {{.column = "pid"},
				   {.column = "cudaId"},
				   {.column = "gpuId"},
				   {.column = "numMultiprocessors"},
				   {.column = "uuid"}},
	};
	struct nsys_scan scan;
	int error = 0;
	nsys_scan_open(&scan, db, &table);
	while (!error && nsys_scan_next(&scan)) {
		struct nsys_cuda_device key;
		const size_t before = target->n_devices;
		if (!nsys_int(&scan, 0, &key.pid) || !nsys_int(&scan, 1, &key.ordinal) ||
			is_full(target, before))
			continue;
		key.pid &= PID_MASK;
		struct nsys_cuda_device *device = table_row(
			&target->device_ids, TABLE_ROWS(target->devices, target->n_devices, ordinal), &key);
		error = device ? 0 : -ENOMEM;
		if (target->n_devices == before)
			continue;
		device->gpu = nsys_int_or(&scan, 2, -1);
		device->sm_count = nsys_int_or(&scan, 3, 0);
		copy_text(device->uuid, sizeof(device->uuid), &scan, 4);
	}
	nsys_scan_close(&scan);
	return error;
}

static struct nsys_gpu find_gpu(const struct nsys_target *target, int64_t id, int64_t number)
{
	const struct nsys_gpu key = {.id = id};
	const uint32_t row =
		table_find(&target->gpu_ids, target->gpus, TABLE_SHAPE(struct nsys_gpu, id), &key);
	return row ? target->gpus[row - 1] : (struct nsys_gpu){.id = number};
}

struct nsys_gpu nsys_target_gpu(const struct nsys_target *target, int64_t pid, int64_t ordinal)
{
	if (target->n_devices == 0)
		return find_gpu(target, ordinal, ordinal);
	const struct nsys_cuda_device key = {.pid = pid, .ordinal = ordinal};
	const uint32_t row = table_find(&target->device_ids, target->devices,
									TABLE_SHAPE(struct nsys_cuda_device, ordinal), &key);
	if (!row)
		return (struct nsys_gpu){.id = ordinal};
	const struct nsys_cuda_device *device = &target->devices[row - 1];
	struct nsys_gpu gpu = find_gpu(target, device->gpu, device->gpu < 0 ? ordinal : device->gpu);
	if (!gpu.uuid[0])
		memcpy(gpu.uuid, device->uuid, sizeof(gpu.uuid));
	gpu.sm_count = gpu.sm_count ? gpu.sm_count : device->sm_count;
	return gpu;
}

/* ---- host, rank, clock, version ---- */

/* The number of `NAME=` at the beginning of a line of the environment (or after ';' or a NUL), -1
 * without one. */
static int32_t number_of(const char *text, size_t bytes, const char *name)
{
	size_t length = strlen(name);
	for (const char *at = text, *end = text + bytes; at; at++) {
		at = memmem(at, (size_t)(end - at), name, length);
		if (!at)
			break;
		const char *digit = at + length;
		if ((at > text && !memchr("\n\r;", at[-1], 3) && at[-1] != '\0') || digit >= end)
			continue;
		int64_t value = 0;
		for (; digit < end && *digit >= '0' && *digit <= '9' && value <= INT32_MAX; digit++)
			value = value * 10 + (*digit - '0');
		bool ends = digit == end || *digit == '\0' || memchr("\n\r;", *digit, 3);
		if (digit > at + length && ends && value <= INT32_MAX)
			return (int32_t)value;
	}
	return -1;
}

static int32_t environment_rank(const struct nsys_scan *scan, unsigned field)
{
	static const char *const names[] = {"RANK=", "SLURM_PROCID=", "OMPI_COMM_WORLD_RANK="};
	size_t bytes;
	const char *text = nsys_text(scan, field, &bytes);
	int32_t rank = -1;
	for (size_t i = 0; text && i < sizeof(names) / sizeof(names[0]) && rank < 0; i++)
		rank = number_of(text, bytes, names[i]);
	return rank;
}

static void load_environment(struct nsys_target *target, struct nsys_db *db)
{
	static const struct nsys_table table = {
		.name = "TARGET_INFO_SYSTEM_ENV",
		.fields = {{.column = "name"}, {.column = "value"}},
		.tail = "WHERE f0 IN ('Hostname', 'DeviceEnvironment')",
	};
	struct nsys_scan scan;
	target->rank = -1;
	nsys_scan_open(&scan, db, &table);
	while (nsys_scan_next(&scan)) {
		if (text_is(&scan, 0, "Hostname") && !target->host[0])
			copy_text(target->host, sizeof(target->host), &scan, 1);
		else if (text_is(&scan, 0, "DeviceEnvironment") && target->rank < 0)
			target->rank = environment_rank(&scan, 1);
	}
	if (!target->host[0])
		memcpy(target->host, "local", sizeof("local"));
}

/* `nsys export --ts-normalize` writes times that begin at the UNIX epoch already. */
static bool load_version(struct nsys_target *target, struct nsys_db *db, const char *name)
{
	struct nsys_table table = {.name = name, .fields = {{.column = "name"}, {.column = "value"}}};
	struct nsys_scan scan;
	bool normalised = false;
	nsys_scan_open(&scan, db, &table);
	while (nsys_scan_next(&scan)) {
		if (text_is(&scan, 0, "EXPORT_PRODUCT_VERSION"))
			copy_text(target->version, sizeof(target->version), &scan, 1);
		else if (text_is(&scan, 0, "EXPORT_PARAM_TIME_NORMALIZE"))
			normalised = text_is(&scan, 1, "true");
	}
	return normalised;
}

static void load_clock(struct nsys_target *target, struct nsys_db *db)
{
	static const struct nsys_table table = {
		.name = "TARGET_INFO_SESSION_START_TIME",
		.fields = {{.column = "utcEpochNs"}},
	};
	struct nsys_scan scan;
	nsys_scan_open(&scan, db, &table);
	while (nsys_scan_next(&scan)) {
		int64_t utc_ns = nsys_int_or(&scan, 0, 0);
		if (!target->utc_ns && utc_ns > 0 && utc_ns < INT64_MAX / 4)
			target->utc_ns = utc_ns;
	}
}

int nsys_target_load(struct nsys_target *target, struct nsys_db *db)
{
	bool normalised = load_version(target, db, "META_DATA_EXPORT");
	if (!target->version[0])
		normalised |= load_version(target, db, "EXPORT_META_DATA"); /* its name until 2023 */
	load_clock(target, db);
	if (normalised)
		target->utc_ns = 0;
	load_environment(target, db);
	const int error = load_gpus(target, db);
	return error ? error : load_devices(target, db);
}

void nsys_target_free(struct nsys_target *target)
{
	free(target->gpus);
	free(target->devices);
	table_free(&target->gpu_ids);
	table_free(&target->device_ids);
}
