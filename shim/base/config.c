#include "base/config.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

struct config config;

static void text(char *to, size_t room, const char *value)
{
	snprintf(to, room, "%s", value);
}

static void read_out(const char *value)
{
	if (value[0] == '/')
		text(config.out, sizeof(config.out), value);
	else if (realpath(value, config.out) == NULL)
		config.out[0] = 0;
}

static void read_ring_dir(const char *value)
{
	text(config.ring_dir, sizeof(config.ring_dir), value);
}

static void read_run_id(const char *value)
{
	if (!config.run_id[0])
		text(config.run_id, sizeof(config.run_id), value);
}

static void read_cupti(const char *value)
{
	text(config.cupti, sizeof(config.cupti), value);
}

static void read_stacks(const char *value)
{
	static const char *const names[] = {"off", "python", "native", "both"};
	for (int i = 0; i < 4; i++)
		if (strcmp(value, names[i]) == 0)
			config.stacks = (enum stacks_mode)i;
}

static bool listed(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
		if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ','))
			return true;
	return false;
}

static void read_trace(const char *value)
{
	config.cuda = listed(value, "cuda");
	config.nvtx = listed(value, "nvtx");
	config.nccl = listed(value, "nccl");
}

static void read_graphs(const char *value)
{
	config.graph_whole = strcmp(value, "graph") == 0;
}

static void read_backward(const char *value)
{
	config.backward = strcmp(value, "off") != 0;
}

static void read_verbose(const char *value)
{
	config.verbose = value[0] && strcmp(value, "0") != 0;
}

static void read_host_clock(const char *value)
{
	config.host_tick_ns = strcmp(value, "32ns") == 0 ? 32 : 0;
}

static void read_slots(const char *value)
{
	uint64_t n = strtoull(value, NULL, 10);
	if (n >= 16 && n <= 1 << 20 && (n & (n - 1)) == 0)
		config.ring_slots = n;
}

static void read_window(const char *value)
{
	text(config.window, sizeof(config.window), value);
}

static void read_keep_last(const char *value)
{
	const unsigned long long s = strtoull(value, NULL, 10);
	if (s >= 1 && s <= 1000000000)
		config.keep_ns = (int64_t)s * 1000000000;
}

static const struct {
	const char *name;
	void (*read)(const char *value);
} variables[] = {
	{"BATON_OUT", read_out},
	{"BATON_RING_DIR", read_ring_dir},
	{"BATON_RUN_ID", read_run_id},
	{"TORCHELASTIC_RUN_ID", read_run_id},
	{"SLURM_JOB_ID", read_run_id},
	{"BATON_CUPTI", read_cupti},
	{"BATON_STACKS", read_stacks},
	{"BATON_TRACE", read_trace},
	{"BATON_GRAPHS", read_graphs},
	{"BATON_VERBOSE", read_verbose},
	{"BATON_RING_SLOTS", read_slots},
	{"BATON_BACKWARD", read_backward},
	{"BATON_WINDOW", read_window},
	{"BATON_HOST_CLOCK", read_host_clock},
	{"BATON_KEEP_LAST", read_keep_last},
};

bool config_read(void)
{
	config = (struct config){.stacks = STACKS_PYTHON,
							 .cuda = true,
							 .nvtx = true,
							 .nccl = true,
							 .backward = true,
							 .ring_slots = MEMORY_RING_SLOTS};
	if (getauxval(AT_SECURE))
		return false;
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i].name);
		if (value && value[0])
			variables[i].read(value);
	}
	return config.out[0] != 0;
}
