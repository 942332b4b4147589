#include "export/nsys_about.h"

#include "base/saturate.h"
#include "export/nsys_plan.h"
#include "export/nsys_tables.h"

#include <baton/version.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- the words of numbers ---- */

static const struct nsys_word copy_words[] = {
	{0, "CUDA_MEMCPY_KIND_UNKNOWN", "Unknown"},
	{1, "CUDA_MEMCPY_KIND_HTOD", "Host-to-Device"},
	{2, "CUDA_MEMCPY_KIND_DTOH", "Device-to-Host"},
	{3, "CUDA_MEMCPY_KIND_HTOA", "Host-to-Array"},
	{4, "CUDA_MEMCPY_KIND_ATOH", "Array-to-Host"},
	{5, "CUDA_MEMCPY_KIND_ATOA", "Array-to-Array"},
	{6, "CUDA_MEMCPY_KIND_ATOD", "Array-to-Device"},
	{7, "CUDA_MEMCPY_KIND_DTOA", "Device-to-Array"},
	{8, "CUDA_MEMCPY_KIND_DTOD", "Device-to-Device"},
	{9, "CUDA_MEMCPY_KIND_HTOH", "Host-to-Host"},
	{10, "CUDA_MEMCPY_KIND_PTOP", "Peer-to-Peer"},
	{11, "CUDA_MEMCPY_KIND_UVM_HTOD", "Unified Host-to-Device"},
	{12, "CUDA_MEMCPY_KIND_UVM_DTOH", "Unified Device-to-Host"},
	{13, "CUDA_MEMCPY_KIND_UVM_DTOD", "Unified Device-to-Device"},
	{0, NULL, NULL}};
static const struct nsys_word memory_words[] = {
	{0, "CUDA_MEMOPR_MEMORY_KIND_PAGEABLE", "Pageable"},
	{1, "CUDA_MEMOPR_MEMORY_KIND_PINNED", "Pinned"},
	{2, "CUDA_MEMOPR_MEMORY_KIND_DEVICE", "Device"},
	{3, "CUDA_MEMOPR_MEMORY_KIND_ARRAY", "Array"},
	{4, "CUDA_MEMOPR_MEMORY_KIND_MANAGED", "Managed"},
	{5, "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC", "Device Static"},
	{6, "CUDA_MEMOPR_MEMORY_KIND_MANAGED_STATIC", "Managed Static"},
	{7, "CUDA_MEMOPR_MEMORY_KIND_UNKNOWN", "Unknown"},
	{0, NULL, NULL}};
static const struct nsys_word sync_words[] = {
	{0, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN", "Unknown"},
	{1, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE", "Event sync"},
	{2, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT", "Stream wait sync"},
	{3, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE", "Stream sync"},
	{4, "CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE", "Context sync"},
	{0, NULL, NULL}};
static const struct nsys_word overhead_words[] = {
	{0, "OVERHEAD_UNDEFINED", "Undefined"},
	{4, "OVERHEAD_CUPTI_INSTRUMENTATION", "Instrumentation (Profiler)"},
	{6, "OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING", "Runtime module loading (CUDA)"},
	{8, "OVERHEAD_COMMAND_BUFFER_FULL", "Command buffer full (CUDA)"},
	{0, NULL, NULL}};
static const struct nsys_word class_words[] = {
	{0, "TRACE_PROCESS_EVENT_CUDA_RUNTIME", "CUDA runtime"},
	{1, "TRACE_PROCESS_EVENT_CUDA_DRIVER", "CUDA driver"},
	{0, NULL, NULL}};
static const struct nsys_word type_words[] = {{34, "NvtxMark", "NvtxMark"},
											  {59, "NvtxPushPopRange", "NvtxPushPopRange"},
											  {60, "NvtxStartEndRange", "NvtxStartEndRange"},
											  {75, "NvtxDomainCreate", "NvtxDomainCreate"},
											  {0, NULL, NULL}};

static const struct {
	const char *table;
	const struct nsys_word *words;
} enums[] = {{"ENUM_CUDA_MEMCPY_OPER", copy_words},  {"ENUM_CUDA_MEM_KIND", memory_words},
			 {"ENUM_CUPTI_SYNC_TYPE", sync_words},   {"ENUM_CUPTI_OVERHEAD_TYPE", overhead_words},
			 {"ENUM_NSYS_EVENT_CLASS", class_words}, {"ENUM_NSYS_EVENT_TYPE", type_words}};

/* ---- the file ---- */

static void put_pair(struct nsys_tables *t, const char *name, const char *value)
{
	nsys_row(t, NSYS_TABLE_MADE);
	nsys_put_text(t, MADE_name, nsys_text_of(name));
	nsys_put_text(t, MADE_value, nsys_text_of(value));
	nsys_row_end(t);
}

/* The schema is that of nsys 2023.4; later columns are additions to it. */
static void write_versions(struct nsys_tables *t)
{
	static const char *const pairs[][2] = {
		{"EXPORT_PRODUCT_NAME", "baton"},      {"EXPORT_PRODUCT_VERSION", "baton " BATON_VERSION},
		{"EXPORT_SCHEMA_VERSION", "3.7.2"},    {"EXPORT_SCHEMA_VERSION_MAJOR", "3"},
		{"EXPORT_SCHEMA_VERSION_MINOR", "7"},  {"EXPORT_SCHEMA_VERSION_MICRO", "2"},
		{"EXPORT_PARAM_EXPORT_TYPE", "SQLite"}};
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		put_pair(t, pairs[i][0], pairs[i][1]);
	nsys_make_table(t, NSYS_TABLE_CAPTURE);
}

static void write_clock(struct nsys_tables *t, const struct nsys_plan *plan, int64_t machine)
{
	const int64_t zero_ns = plan->zero_ns, length_ns = saturate_sub(plan->last_ns, zero_ns);
	const time_t seconds = (time_t)(zero_ns / 1000000000);
	struct tm broken;
	char text[32];
	if (plan->utc && zero_ns > 0 && gmtime_r(&seconds, &broken)) {
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &broken);
		nsys_row(t, NSYS_TABLE_SESSION);
		nsys_put(t, SESSION_utcEpochNs, zero_ns);
		nsys_put_text(t, SESSION_utcTime, nsys_text_of(text));
		nsys_row_end(t);
	}
	nsys_row(t, NSYS_TABLE_ANALYSIS);
	nsys_put(t, ANALYSIS_globalVid, machine);
	nsys_put(t, ANALYSIS_duration, length_ns);
	nsys_put(t, ANALYSIS_startTime, 0);
	nsys_put(t, ANALYSIS_stopTime, length_ns);
	nsys_row_end(t);
}

/* ---- machines, processes, GPUs ---- */

struct fact { /* by nsys's name and number */
	const char *name;
	int number;
};

static void put_fact(struct nsys_tables *t, int64_t machine, struct fact fact, struct text value)
{
	nsys_row(t, NSYS_TABLE_ENVIRONMENT);
	nsys_put(t, ENVIRONMENT_globalVid, machine);
	nsys_put_text(t, ENVIRONMENT_devStateName, nsys_text_of("Local (CLI)"));
	nsys_put_text(t, ENVIRONMENT_name, nsys_text_of(fact.name));
	nsys_put(t, ENVIRONMENT_nameEnum, fact.number);
	nsys_put_text(t, ENVIRONMENT_value, value);
	nsys_row_end(t);
}

/* nsys has no column for a rank. Of a lone process readers take it from the environment. */
static void write_rank(struct nsys_tables *t, const struct nsys_member *member)
{
	char text[64];
	const struct run_process *process = member->process;
	if (process->rank < 0)
		return;
	int n = snprintf(text, sizeof(text), "RANK=%" PRId32, process->rank);
	if (process->world_size > 0)
		snprintf(text + n, sizeof(text) - (size_t)n, "\nWORLD_SIZE=%" PRId32, process->world_size);
	put_fact(t, member->machine, (struct fact){"DeviceEnvironment", 610}, nsys_text_of(text));
}

static bool is_new_machine(const struct nsys_plan *plan, size_t first, size_t i)
{
	for (size_t k = first; k < i; k++)
		if (plan->members[k].machine == plan->members[i].machine)
			return false;
	return true;
}

static void write_processes(struct nsys_tables *t, const struct nsys_plan *plan, size_t first,
							size_t n)
{
	for (size_t i = first; i < first + n; i++) {
		const struct nsys_member *member = &plan->members[i];
		nsys_row(t, NSYS_TABLE_PROCESS);
		nsys_put(t, PROCESS_globalPid, member->global);
		nsys_put(t, PROCESS_pid, member->process->pid);
		nsys_row_end(t);
		if (member->host && is_new_machine(plan, first, i))
			put_fact(t, member->machine, (struct fact){"Hostname", 619},
					 nsys_plan_text(plan, member->host));
	}
	if (n == 1)
		write_rank(t, &plan->members[first]);
}

static void write_gpus(struct nsys_tables *t, const struct nsys_plan *plan)
{
	nsys_make_table(t, NSYS_TABLE_GPU);
	for (size_t i = 0; i < plan->n_gpus; i++) {
		const struct nsys_gpu *gpu = &plan->gpus[i];
		if (!gpu->used)
			continue;
		nsys_row(t, NSYS_TABLE_GPU);
		nsys_put(t, GPU_vmId, gpu->machine);
		nsys_put(t, GPU_id, gpu->number);
		if (gpu->name)
			nsys_put_text(t, GPU_name, nsys_plan_text(plan, gpu->name));
		if (gpu->memory_bytes && gpu->memory_bytes <= INT64_MAX)
			nsys_put(t, GPU_totalMemory, (int64_t)gpu->memory_bytes);
		if (gpu->sm_count)
			nsys_put(t, GPU_smCount, gpu->sm_count);
		if (gpu->uuid)
			nsys_put_text(t, GPU_uuid, nsys_plan_text(plan, gpu->uuid));
		nsys_put(t, GPU_cuDevice, gpu->ordinal);
		nsys_row_end(t);
	}
}

void nsys_about_write(struct nsys_tables *t, const struct nsys_plan *plan, size_t first, size_t n)
{
	write_versions(t);
	write_clock(t, plan, n > 0 ? plan->members[first].machine : 0);
	write_processes(t, plan, first, n);
	write_gpus(t, plan);
	nsys_make_table(t, NSYS_TABLE_THREAD);
	nsys_make_table(t, NSYS_TABLE_STRING);
	for (size_t i = 0; i < sizeof(enums) / sizeof(enums[0]); i++)
		nsys_put_words(t, enums[i].table, enums[i].words);
}
