/* baton-sim: a GPU stack in virtual time. Writes a trace directory, and the truth beside it. */
#include "virtual/run.h"
#include "virtual/truth.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STATUS_OK = 0, STATUS_USAGE = 2, STATUS_IO = 5 };

static const char usage[] =
	"usage: baton-sim -o DIR [options]      simulate a training run and write its trace\n"
	"       baton-sim list                  the workloads and the faults\n"
	"       baton-sim run -- PROGRAM ...    run a program on simulated GPUs (run --help)\n"
	"\n"
	"  -o DIR              a new directory for the trace; without it nothing is written\n"
	"  --workload NAME     what runs (ddp)\n"
	"  --ranks N           devices, 1 to 4,096 (4)\n"
	"  --per-host N        devices of one host (8)\n"
	"  --steps N           training steps (20)\n"
	"  --seed N            another seed, another model and run; the same seed, the same bytes (1)\n"
	"  --host-noise SHAPE  even, drift or bursts: how host work varies over time (even)\n"
	"  --gpu-tick NS       GPU times of the trace are multiples of this (1)\n"
	"  --host-tick NS      host times of the trace are multiples of this (1)\n"
	"  --noise-seed N      the same model at another time: what varies is drawn anew (as --seed)\n"
	"  --kernels N         kernels in a step (the workload's own number)\n"
	"  --cores N           CPU cores of a host (plenty)\n"
	"  --fault SPEC        NAME[=STRENGTH][@RANK|@all]; may be given again\n"
	"  --nvtx on|off       record NVTX ranges (on)\n"
	"  --eval N:M          after every N steps M evaluation batches\n"
	"  --accumulate N      micro-batches of a step, reduced with the last one (1)\n"
	"  --recompute         the backward computes the forward of each layer again\n"
	"  --vary PERCENT      step length varies from 100 to PERCENT\n"
	"  --truth FILE        write what is true of the run, schema baton.truth/0\n"
	"  --without-calls     and how long the step is without calls that wait, or allocate\n"
	"  --threads N         threads that simulate; the result is the same with any number\n";

struct arguments {
	struct scenario scenario;
	const char *directory, *truth;
	unsigned threads;
	bool without_calls;
};

static int usage_error(const char *what, const char *value)
{
	fprintf(stderr, "baton-sim: %s: %s\n%s", what, value, usage);
	return STATUS_USAGE;
}

static bool number(const char *text, uint64_t least, uint64_t most, uint64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return end != text && *end == 0 && errno == 0 && text[0] != '-' && *out >= least &&
		   *out <= most;
}

static int list(void)
{
	puts("workloads");
	for (size_t i = 0; workload_at(i); i++)
		printf("  %-14s %s\n", workload_at(i)->name, workload_at(i)->about);
	puts("faults: NAME=STRENGTH@RANK");
	for (size_t i = 0; fault_at(i); i++) {
		const struct fault *fault = fault_at(i);
		printf("  %-14s %8" PRId64 " %-10s %s\n", fault->name, fault->usual, fault->unit,
			   fault->about);
	}
	return STATUS_OK;
}

/* Options with a number: where it goes and its bounds. */
enum option_id {
	OPT_WORKLOAD = 256,
	OPT_RANKS,
	OPT_PER_HOST,
	OPT_STEPS,
	OPT_SEED,
	OPT_NOISE_SEED,
	OPT_HOST_NOISE,
	OPT_GPU_TICK,
	OPT_HOST_TICK,
	OPT_KERNELS,
	OPT_CORES,
	OPT_FAULT,
	OPT_NVTX,
	OPT_EVAL,
	OPT_VARY,
	OPT_ACCUMULATE,
	OPT_RECOMPUTE,
	OPT_TRUTH,
	OPT_WITHOUT_CALLS,
	OPT_THREADS,
	OPT_HELP
};

static const struct option options[] = {{"workload", 1, NULL, OPT_WORKLOAD},
										{"ranks", 1, NULL, OPT_RANKS},
										{"per-host", 1, NULL, OPT_PER_HOST},
										{"steps", 1, NULL, OPT_STEPS},
										{"seed", 1, NULL, OPT_SEED},
										{"noise-seed", 1, NULL, OPT_NOISE_SEED},
										{"host-noise", 1, NULL, OPT_HOST_NOISE},
										{"gpu-tick", 1, NULL, OPT_GPU_TICK},
										{"host-tick", 1, NULL, OPT_HOST_TICK},
										{"kernels", 1, NULL, OPT_KERNELS},
										{"cores", 1, NULL, OPT_CORES},
										{"fault", 1, NULL, OPT_FAULT},
										{"nvtx", 1, NULL, OPT_NVTX},
										{"eval", 1, NULL, OPT_EVAL},
										{"vary", 1, NULL, OPT_VARY},
										{"accumulate", 1, NULL, OPT_ACCUMULATE},
										{"recompute", 0, NULL, OPT_RECOMPUTE},
										{"truth", 1, NULL, OPT_TRUTH},
										{"without-calls", 0, NULL, OPT_WITHOUT_CALLS},
										{"threads", 1, NULL, OPT_THREADS},
										{"help", 0, NULL, OPT_HELP},
										{NULL, 0, NULL, 0}};

static bool take_number(struct arguments *a, int id, const char *text)
{
	struct scenario *s = &a->scenario;
	uint64_t value;
	switch (id) {
	case OPT_RANKS:
		return number(text, 1, 4096, &value) && (s->options.ranks = (uint32_t)value);
	case OPT_PER_HOST:
		return number(text, 1, 64, &value) && (s->options.per_host = (uint32_t)value);
	case OPT_STEPS:
		return number(text, 1, 100000, &value) && (s->options.steps = (uint32_t)value);
	case OPT_KERNELS:
		return number(text, 1, 1000000, &value) && (s->options.kernels = (uint32_t)value);
	case OPT_CORES:
		return number(text, 1, 4096, &value) && (s->options.cores = (uint32_t)value);
	case OPT_VARY:
		return number(text, 100, 1000, &value) && (s->vary_percent = (uint32_t)value);
	case OPT_ACCUMULATE:
		return number(text, 1, 64, &value) && (s->options.accumulate = (uint32_t)value);
	case OPT_GPU_TICK:
		return number(text, 1, 1000000, &value) && (s->gpu_tick_ns = (uint32_t)value);
	case OPT_HOST_TICK:
		return number(text, 1, 1000000, &value) && (s->host_tick_ns = (uint32_t)value);
	case OPT_THREADS:
		return number(text, 1, 64, &value) && (a->threads = (unsigned)value);
	case OPT_NOISE_SEED:
		s->own_noise = true;
		return number(text, 0, UINT64_MAX, &s->noise_seed);
	default:
		return number(text, 0, UINT64_MAX, &s->options.seed);
	}
}

static bool take_host_noise(struct scenario *s, const char *text)
{
	static const char *const shapes[] = {
		[NOISE_EVEN] = "even", [NOISE_DRIFT] = "drift", [NOISE_BURSTS] = "bursts"};
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (strcmp(text, shapes[i]) == 0) {
			s->host_noise = (enum noise_shape)i;
			return true;
		}
	return false;
}

static bool take_eval(struct scenario *s, const char *text)
{
	return sscanf(text, "%u:%u", &s->eval_every, &s->eval_batches) == 2 && s->eval_every > 0;
}

static bool take_fault(struct arguments *a, char *const *faults, uint32_t n)
{
	struct scenario *s = &a->scenario;
	for (uint32_t i = 0; i < n; i++)
		if (fault_parse(faults[i], s->options.ranks, &s->faults[s->n_faults++]) != 0) {
			usage_error(fault_why(), faults[i]);
			return false;
		}
	return true;
}

static int parse(int argc, char **argv, struct arguments *a)
{
	char *faults[SCENARIO_MAX_FAULTS];
	uint32_t n_faults = 0;
	int id;
	while ((id = getopt_long(argc, argv, "o:h", options, NULL)) != -1) {
		bool good = true;
		if (id == 'o')
			a->directory = optarg;
		else if (id == OPT_WORKLOAD)
			good = (a->scenario.workload = workload_find(optarg)) != NULL;
		else if (id == OPT_FAULT)
			good = n_faults < SCENARIO_MAX_FAULTS && (faults[n_faults++] = optarg);
		else if (id == OPT_NVTX)
			good = strcmp(optarg, "on") == 0 || !(a->scenario.nvtx = strcmp(optarg, "off") != 0);
		else if (id == OPT_EVAL)
			good = take_eval(&a->scenario, optarg);
		else if (id == OPT_HOST_NOISE)
			good = take_host_noise(&a->scenario, optarg);
		else if (id == OPT_TRUTH)
			a->truth = optarg;
		else if (id == OPT_RECOMPUTE)
			a->scenario.options.recompute = true;
		else if (id == OPT_WITHOUT_CALLS)
			a->without_calls = true;
		else if (id == OPT_HELP || id == 'h')
			return fputs(usage, stdout) < 0 ? STATUS_IO : -1;
		else if (id == '?')
			return usage_error("option", argv[optind - 1]);
		else
			good = take_number(a, id, optarg);
		if (!good)
			return usage_error("no such value", optarg);
	}
	if (optind < argc)
		return usage_error("argument", argv[optind]);
	return take_fault(a, faults, n_faults) ? STATUS_OK : STATUS_USAGE;
}

/* Frees the script. 0: it does not run. */
static int64_t step_of(const struct arguments *a, struct script *script)
{
	struct world_options run = {.threads = a->threads};
	struct world world;
	int64_t step_ns = 0;
	if (script && world_run(&world, script, &run) == 0) {
		step_ns = truth_step_ns(&world);
		world_close(&world);
	}
	script_free(script);
	return step_ns;
}

static int64_t step_without_calls(const struct arguments *a, enum removable calls)
{
	struct script *script = scenario_script(&a->scenario, -1);
	if (script)
		script_without(script, calls);
	return step_of(a, script);
}

static int write_truth(const struct arguments *a, const struct world *world)
{
	struct truth_without without = {0};
	for (uint32_t i = 0; i < a->scenario.n_faults; i++)
		without.fault_ns[i] = step_of(a, scenario_script(&a->scenario, (int)i));
	for (int calls = 0; a->without_calls && calls < CALLS_KINDS; calls++)
		without.calls_ns[calls] = step_without_calls(a, (enum removable)calls);
	FILE *out = fopen(a->truth, "w");
	if (!out)
		return -errno;
	truth_write(out, &a->scenario, world, &without);
	bool failed = ferror(out) != 0;
	return fclose(out) != 0 || failed ? -EIO : 0;
}

/* With its parents, as mkdir -p; itself it must be new. */
static int make_directory(const char *path)
{
	char part[PATH_MAX];
	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = part + 1; *part && (slash = strchr(slash, '/')) && slash[1]; slash++) {
		*slash = 0;
		mkdir(part, 0777);
		*slash = '/';
	}
	return mkdir(path, 0700);
}

static int simulate(const struct arguments *a)
{
	struct script *script = scenario_script(&a->scenario, -1);
	struct world_options run = {
		.truth = a->truth != NULL, .directory = a->directory, .threads = a->threads};
	struct world world;
	if (!script)
		return STATUS_USAGE;
	if (a->directory && make_directory(a->directory) != 0) {
		fprintf(stderr, "baton-sim: %s: %s\n", a->directory, strerror(errno));
		script_free(script);
		return STATUS_IO;
	}
	int error = world_run(&world, script, &run);
	if (!error && a->truth)
		error = write_truth(a, &world);
	if (error)
		fprintf(stderr, "baton-sim: %s: %s\n", a->directory ? a->directory : a->truth,
				strerror(-error));
	else
		fprintf(stderr, "baton-sim: %s, %u devices, step %" PRId64 ".%03" PRId64 " ms\n",
				a->scenario.workload->name, script->n_devices, truth_step_ns(&world) / 1000000,
				truth_step_ns(&world) / 1000 % 1000);
	world_close(&world);
	script_free(script);
	return error ? STATUS_IO : STATUS_OK;
}

int main(int argc, char **argv)
{
	struct arguments a = {.threads = 1};
	a.scenario = (struct scenario){.workload = workload_find("ddp"),
								   .nvtx = true,
								   .vary_percent = 100,
								   .gpu_tick_ns = 1,
								   .host_tick_ns = 1};
	a.scenario.options =
		(struct workload_options){.seed = 1, .ranks = 4, .per_host = 8, .steps = 20};
	if (argc == 2 && strcmp(argv[1], "list") == 0)
		return list();
	if (argc >= 2 && strcmp(argv[1], "run") == 0)
		return run_program(argc - 1, argv + 1);
	int status = parse(argc, argv, &a);
	if (status)
		return status < 0 ? STATUS_OK : status;
	const struct workload_options *o = &a.scenario.options;
	if (o->ranks < a.scenario.workload->least_ranks)
		return usage_error("--ranks is too small for", a.scenario.workload->name);
	if ((o->accumulate > 1 || o->recompute) && !a.scenario.workload->trains_plainly)
		return usage_error("--accumulate and --recompute are not for", a.scenario.workload->name);
	return simulate(&a);
}
