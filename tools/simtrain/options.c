#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"simtrain [OPTION]...: a data-parallel transformer's training loop on the CUDA runtime.\n"
	"RANK, LOCAL_RANK and WORLD_SIZE as torchrun sets them; prints a checksum per step.\n"
	"  --mode dataparallel   one process, --devices N of them, broadcast and reduce\n"
	"  --steps N (10)  --layers N (8)  --buckets N (4)  --bucket-kib N (256)\n"
	"  --host-ns N           CPU time between two launches (4000)\n"
	"  --no-nvtx             no ranges\n"
	"  --graph               the forward pass is a graph\n"
	"  --threads N           2: the backward pass on a thread of its own; more: each launches\n"
	"                        small kernels beside it\n"
	"  --launches N          only N launches on each thread\n"
	"  --profile A-B         cudaProfilerStart within step A, cudaProfilerStop within step B\n"
	"planted causes:\n"
	"  --slow-rank R=PERCENT kernels of rank R have that many more blocks\n"
	"  --input-stall MS[@N]  the loader has a batch every MS at most; with @N every Nth is that\n"
	"                        late; --stall-range: within an NVTX range DataLoader\n"
	"  --batch-after FILE@N  the loader has the batch of step N once FILE is there\n"
	"  --sync-in-loop        a synchronisation after each layer\n"
	"  --alloc-in-loop       malloc and free in each layer\n"
	"  --slow-nccl FACTOR    the link is that much slower\n"
	"  --late-host R=MS      rank R computes on the CPU before its backward pass\n"
	"  --tiny N              so many tiny kernels per layer\n"
	"  --kill-rank R=STEP    rank R kills itself in that step\n";

enum {
	MODE = 256,
	DEVICES,
	STEPS,
	LAYERS,
	BUCKETS,
	BUCKET_KIB,
	HOST_NS,
	NO_NVTX,
	GRAPH,
	THREADS,
	LAUNCHES,
	PROFILE,
	SLOW_RANK,
	INPUT_STALL,
	STALL_RANGE,
	BATCH_AFTER,
	SYNC_IN_LOOP,
	ALLOC_IN_LOOP,
	SLOW_NCCL,
	LATE_HOST,
	TINY,
	KILL_RANK,
	HELP
};

static const struct option table[] = {{"mode", 1, NULL, MODE},
									  {"devices", 1, NULL, DEVICES},
									  {"steps", 1, NULL, STEPS},
									  {"layers", 1, NULL, LAYERS},
									  {"buckets", 1, NULL, BUCKETS},
									  {"bucket-kib", 1, NULL, BUCKET_KIB},
									  {"host-ns", 1, NULL, HOST_NS},
									  {"no-nvtx", 0, NULL, NO_NVTX},
									  {"graph", 0, NULL, GRAPH},
									  {"threads", 1, NULL, THREADS},
									  {"launches", 1, NULL, LAUNCHES},
									  {"profile", 1, NULL, PROFILE},
									  {"slow-rank", 1, NULL, SLOW_RANK},
									  {"input-stall", 1, NULL, INPUT_STALL},
									  {"stall-range", 0, NULL, STALL_RANGE},
									  {"batch-after", 1, NULL, BATCH_AFTER},
									  {"sync-in-loop", 0, NULL, SYNC_IN_LOOP},
									  {"alloc-in-loop", 0, NULL, ALLOC_IN_LOOP},
									  {"slow-nccl", 1, NULL, SLOW_NCCL},
									  {"late-host", 1, NULL, LATE_HOST},
									  {"tiny", 1, NULL, TINY},
									  {"kill-rank", 1, NULL, KILL_RANK},
									  {"help", 0, NULL, HELP},
									  {NULL, 0, NULL, 0}};

static void refuse(const char *what)
{
	fprintf(stderr, "simtrain: bad %s; --help lists the options\n", what);
	exit(2);
}

static long whole(const char *text, long least, long most, const char *what)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < least || value > most)
		refuse(what);
	return value;
}

static int from_environment(const char *name, int usual)
{
	const char *text = getenv(name);

	return text ? (int)whole(text, 0, 1 << 20, name) : usual;
}

/* "R=NUMBER" */
static double at_rank(const char *text, int *rank, const char *what)
{
	char *end;
	double value;

	*rank = (int)strtol(text, &end, 10);
	if (end == text || *end != '=')
		refuse(what);
	text = end + 1;
	value = strtod(text, &end);
	if (end == text || *end || value < 0)
		refuse(what);
	return value;
}

static void read_stall(struct options *options, const char *text)
{
	char *end;

	options->stall_ms = strtod(text, &end);
	options->stall_every = *end == '@' ? (int)whole(end + 1, 1, 1 << 20, "--input-stall") : 1;
	if (end == text || (*end && *end != '@') || options->stall_ms < 0)
		refuse("--input-stall");
}

static void read_batch_after(struct options *options, const char *text)
{
	const char *at = strrchr(text, '@');

	if (!at || at == text)
		refuse("--batch-after");
	options->batch_file = strndup(text, (size_t)(at - text));
	if (!options->batch_file)
		refuse("memory");
	options->batch_step = (int)whole(at + 1, 0, 1 << 30, "--batch-after");
}

static void read_profile(struct options *options, const char *text)
{
	char *end;

	options->profile_from = (int)strtol(text, &end, 10);
	if (end == text || *end != '-' || options->profile_from < 0)
		refuse("--profile");
	options->profile_to = (int)whole(end + 1, options->profile_from, 1 << 30, "--profile");
}

static void set_number(struct options *o, int option, const char *text)
{
	switch (option) {
	case DEVICES:
		o->devices = (int)whole(text, 1, 64, "--devices");
		break;
	case STEPS:
		o->steps = (int)whole(text, 1, 1 << 30, "--steps");
		break;
	case LAYERS:
		o->layers = (int)whole(text, 1, 4096, "--layers");
		break;
	case BUCKETS:
		o->buckets = (int)whole(text, 1, 64, "--buckets");
		break;
	case BUCKET_KIB:
		o->bucket_kib = (int)whole(text, 64, 1 << 20, "--bucket-kib");
		break;
	case HOST_NS:
		o->host_ns = whole(text, 0, 1000000000, "--host-ns");
		break;
	case THREADS:
		o->threads = (int)whole(text, 1, 64, "--threads");
		break;
	case LAUNCHES:
		o->launches = whole(text, 1, 1L << 40, "--launches");
		break;
	default:
		o->tiny = (int)whole(text, 1, 1 << 20, "--tiny");
	}
}

static void set(struct options *o, int option, const char *text)
{
	switch (option) {
	case MODE:
		if (strcmp(text, "dataparallel") && strcmp(text, "ddp"))
			refuse("--mode");
		o->dataparallel = !strcmp(text, "dataparallel");
		break;
	case NO_NVTX:
		o->nvtx = false;
		break;
	case GRAPH:
		o->graph = true;
		break;
	case STALL_RANGE:
		o->stall_range = true;
		break;
	case SYNC_IN_LOOP:
		o->sync_in_loop = true;
		break;
	case ALLOC_IN_LOOP:
		o->alloc_in_loop = true;
		break;
	case SLOW_RANK:
		o->slow_percent = (int)at_rank(text, &o->slow_rank, "--slow-rank");
		break;
	case LATE_HOST:
		o->late_ms = at_rank(text, &o->late_rank, "--late-host");
		break;
	case KILL_RANK:
		o->kill_step = (int)at_rank(text, &o->kill_rank, "--kill-rank");
		break;
	case BATCH_AFTER:
		read_batch_after(o, text);
		break;
	case INPUT_STALL:
		read_stall(o, text);
		break;
	case PROFILE:
		read_profile(o, text);
		break;
	case SLOW_NCCL:
		setenv("SIMGPU_NCCL_SLOW", text, 1);
		break;
	case HELP:
		fputs(help, stdout);
		exit(0);
	case '?':
		refuse("usage");
		break;
	default:
		set_number(o, option, text);
	}
}

void options_read(struct options *options, int argc, char **argv)
{
	int option;

	*options = (struct options){.rank = from_environment("RANK", 0),
								.ranks = from_environment("WORLD_SIZE", 1),
								.nvtx = true,
								.devices = 1,
								.steps = 10,
								.layers = 8,
								.buckets = 4,
								.bucket_kib = 256,
								.threads = 1,
								.host_ns = 4000,
								.slow_rank = -1,
								.late_rank = -1,
								.kill_rank = -1,
								.profile_from = -1,
								.profile_to = -1};
	options->local_rank = from_environment("LOCAL_RANK", options->rank);
	while ((option = getopt_long(argc, argv, "", table, NULL)) >= 0)
		set(options, option, optarg);
	if (optind < argc)
		refuse(argv[optind]);
	if (options->ranks < 1 || options->rank >= options->ranks)
		refuse("RANK or WORLD_SIZE");
	if (options->graph && options->sync_in_loop)
		refuse("--graph: --sync-in-loop cannot be captured");
	if (options->buckets > options->layers)
		options->buckets = options->layers;
}
