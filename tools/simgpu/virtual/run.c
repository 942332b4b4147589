#include "virtual/run.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: baton-sim run [options] [--] PROGRAM [ARGUMENT]...\n"
	"\n"
	"Runs PROGRAM, a PyTorch job for example, on simulated GPUs. It computes nothing.\n"
	"\n"
	"  --gpus N            simulated devices, 1 to 16 (1)\n"
	"  --cc M.N            their compute capability (8.0)\n"
	"  --cuda M.N          the CUDA release of the driver (that of the runtime loaded first)\n"
	"  --memory MB         memory of a device (81920)\n"
	"  --kernel-ns NS      a kernel's time (5000); SIMGPU_DURATIONS says it by name\n"
	"  --preload 12|13     for programs whose RPATH names NVIDIA's own libraries, as PyTorch's "
	"does\n"
	"                      when they are installed: LD_PRELOAD of that CUDA's instead of a path\n"
	"\n"
	"docs/SIMGPU.md lists the variables (SIMGPU_...) that say more.\n";

enum { STATUS_USAGE = 2, STATUS_NOT_RUN = 126, STATUS_NOT_FOUND = 127 };
enum { OPT_GPUS = 256, OPT_CAPABILITY, OPT_CUDA, OPT_MEMORY, OPT_KERNEL, OPT_PRELOAD, OPT_HELP };

static const struct option options[] = {
	{"gpus", 1, NULL, OPT_GPUS},        {"cc", 1, NULL, OPT_CAPABILITY},
	{"cuda", 1, NULL, OPT_CUDA},        {"memory", 1, NULL, OPT_MEMORY},
	{"kernel-ns", 1, NULL, OPT_KERNEL}, {"preload", 1, NULL, OPT_PRELOAD},
	{"help", 0, NULL, OPT_HELP},        {NULL, 0, NULL, 0}};

/* The doubles that a CUDA release has; 0: both. */
static const struct {
	const char *name;
	int cuda;
} doubles[] = {
	{"libcuda.so.1", 0},       {"libcudart.so.12", 12},     {"libcudart.so.13", 13},
	{"libnvidia-ml.so.1", 0},  {"libcupti.so.12", 12},      {"libcupti.so.13", 13},
	{"libnccl.so.2", 0},       {"libcublasLt.so.12", 12},   {"libcublasLt.so.13", 13},
	{"libcublas.so.12", 12},   {"libcublas.so.13", 13},     {"libcudnn.so.9", 0},
	{"libnvrtc.so.12", 12},    {"libnvrtc.so.13", 13},      {"libcufft.so.11", 12},
	{"libcufft.so.12", 13},    {"libcurand.so.10", 12},     {"libcusparse.so.12", 0},
	{"libcusparseLt.so.0", 0}, {"libcusolver.so.11", 12},   {"libcusolver.so.12", 13},
	{"libcufile.so.0", 0},     {"libnvshmem_host.so.3", 0},
};

static int usage_error(const char *what, const char *value)
{
	fprintf(stderr, "baton-sim run: %s: %s\n%s", what, value, usage);
	return STATUS_USAGE;
}

static bool set_number(const char *variable, const char *text, long least, long most)
{
	char *end;
	long value = strtol(text, &end, 10);
	return end != text && !*end && value >= least && value <= most &&
		   setenv(variable, text, 1) == 0;
}

/* "8.0" -> SIMGPU_CAPABILITY=80 */
static bool set_capability(const char *text)
{
	unsigned major, minor;
	char rest, number[24];
	if (sscanf(text, "%2u.%1u%c", &major, &minor, &rest) != 2 || !major)
		return false;
	snprintf(number, sizeof(number), "%u%u", major, minor);
	return setenv("SIMGPU_CAPABILITY", number, 1) == 0;
}

static bool set_cuda(const char *text)
{
	unsigned major, minor;
	char rest;
	return sscanf(text, "%2u.%2u%c", &major, &minor, &rest) == 2 && major >= 11 &&
		   setenv("SIMGPU_CUDA", text, 1) == 0;
}

/* Beside this program, where the build puts them. */
static bool find_doubles(char *directory, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", directory, room - 1);
	if (n <= 0)
		return false;
	directory[n] = 0;
	char *slash = strrchr(directory, '/');
	if (!slash || (size_t)(slash - directory) + sizeof("/simgpu/libcuda.so.1") > room)
		return false;
	strcpy(slash, "/simgpu/libcuda.so.1");
	bool there = access(directory, R_OK) == 0;
	*strrchr(directory, '/') = 0;
	return there;
}

/* Puts `text` before what the variable says, or after it. */
static bool add_path(const char *variable, const char *text, bool before)
{
	const char *old = getenv(variable);
	if (!old || !*old)
		return setenv(variable, text, 1) == 0;
	size_t room = strlen(old) + strlen(text) + 2;
	char *both = malloc(room);
	if (!both)
		return false;
	snprintf(both, room, "%s:%s", before ? text : old, before ? old : text);
	bool set = setenv(variable, both, 1) == 0;
	free(both);
	return set;
}

/* After what is preloaded already: a recorder comes first. */
static bool preload(const char *directory, int cuda)
{
	char path[PATH_MAX + 64];
	for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
		if (doubles[i].cuda && doubles[i].cuda != cuda)
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, doubles[i].name);
		if (!add_path("LD_PRELOAD", path, false))
			return false;
	}
	return true;
}

/* False: no such value. */
static bool take(int id, const char *value, int *preloaded)
{
	switch (id) {
	case OPT_GPUS:
		return set_number("SIMGPU_DEVICES", value, 1, 16);
	case OPT_CAPABILITY:
		return set_capability(value);
	case OPT_CUDA:
		return set_cuda(value);
	case OPT_MEMORY:
		return set_number("SIMGPU_MEMORY_MB", value, 1, 1 << 24);
	case OPT_KERNEL:
		return set_number("SIMGPU_KERNEL_NS", value, 0, LONG_MAX);
	default:
		*preloaded = strcmp(value, "12") == 0 ? 12 : strcmp(value, "13") == 0 ? 13 : 0;
		return *preloaded != 0;
	}
}

int run_program(int argc, char **argv)
{
	char directory[PATH_MAX];
	int id, preloaded = 0;
	while ((id = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
		if (id == OPT_HELP || id == 'h')
			return fputs(usage, stdout) < 0;
		if (id == '?')
			return usage_error("option", argv[optind - 1]);
		if (!take(id, optarg, &preloaded))
			return usage_error("no such value", optarg);
	}
	if (optind == argc)
		return usage_error("PROGRAM", "none named");
	if (!find_doubles(directory, sizeof(directory))) {
		fputs("baton-sim run: no simulated libraries beside this program: make doubles\n", stderr);
		return STATUS_NOT_RUN;
	}
	fputs("baton-sim run: simulated GPUs: kernels take their time and compute nothing\n", stderr);
	bool set =
		preloaded ? preload(directory, preloaded) : add_path("LD_LIBRARY_PATH", directory, true);
	if (set)
		execvp(argv[optind], &argv[optind]);
	fprintf(stderr, "baton-sim run: %s: %s\n", argv[optind], strerror(errno));
	return errno == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_RUN;
}
