/* The GPU probe: measures, on the machine at hand, what the recorder's design assumes of CUDA and
 * CUPTI. Every section runs in a process of its own with a time limit; what it wrote before a crash
 * or a hang counts. This process never touches CUDA.
 * Exit status: 0; 2 usage; 4 some section was lost; 5 the output could not be written; 77 no GPU.
 */
#include "cupti.h"
#include "report.h"
#include "section.h"
#include "work.h"

#include "clocks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct section *const sections[] = {
	&section_identity,   &section_launch,     &section_graph,     &section_latency,
	&section_dependency, &section_queue,      &section_callbacks, &section_events,
	&section_order,      &section_incomplete, &section_flush,     &section_timestamps,
	&section_attributes, &section_subscribe,  &section_dropped,   &section_copies,
	&section_teardown,   &section_clocks,     &section_nvml,
};

enum {
	SECTIONS = sizeof(sections) / sizeof(sections[0]),
	CANDIDATES_MOST = 24,
	KILLS_MOST = 2,
	SKIP = 77
};

struct outcome {
	char text[64];
	bool lost, killed;
	int status; /* of an ordinary exit, else -1 */
};

static FILE *result_file(void)
{
	FILE *file = tmpfile();

	if (!file) {
		fprintf(stderr, "probe: a temporary file: %s\n", strerror(errno));
		exit(5);
	}
	return file;
}

/* The child dies with us, and its words land in the log. */
static void child_begin(pid_t parent, int fd, int round, int log)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	result_open(fd, round);
}

/* Waits until the child ends; kills it when its time is up. */
static struct outcome child_wait(pid_t pid, int timeout_s)
{
	struct outcome outcome = {.lost = true, .status = -1};
	int64_t until = clock_mono() + (int64_t)timeout_s * 1000000000;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_mono() < until) {
			clock_sleep(2000000);
			continue;
		}
		outcome.killed = true;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		snprintf(outcome.text, sizeof(outcome.text), "killed after %d s", timeout_s);
		return outcome;
	}
	if (WIFSIGNALED(status)) {
		snprintf(outcome.text, sizeof(outcome.text), "died of signal %d", WTERMSIG(status));
		return outcome;
	}
	outcome.status = WEXITSTATUS(status);
	outcome.lost = outcome.status != 0;
	snprintf(outcome.text, sizeof(outcome.text), outcome.lost ? "exit status %d" : "ok",
			 outcome.status);
	return outcome;
}

/* One variant of a section in one round; false when it was lost. */
static bool run_once(const struct section *section, const char *variant, int round, int log,
					 struct report_section *report)
{
	int timeout_s = options.timeout_s ? options.timeout_s : section->timeout_s;
	FILE *results = result_file();
	pid_t parent = getpid(), pid;
	struct outcome outcome;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		child_begin(parent, fileno(results), round, log);
		section->run(variant);
		exit(0); /* with exit handlers: what they meet is one of the questions */
	}
	outcome = pid < 0 ? (struct outcome){.text = "fork failed", .lost = true, .status = -1}
					  : child_wait(pid, timeout_s);
	rewind(results);
	report_read(report, results, strchr(section->variants, ' ') ? variant : NULL);
	fclose(results);
	report->kills += outcome.killed;
	if (outcome.lost)
		snprintf(report->status, sizeof(report->status), "%.20s %.40s", variant, outcome.text);
	return !outcome.lost;
}

static bool run_section(const struct section *section, int log, int64_t until,
						struct report_section *report)
{
	char words[128], *save = NULL, *variant;
	int64_t from = clock_mono();
	bool whole = true;
	int round;

	report->name = section->name;
	snprintf(report->status, sizeof(report->status), "ok");
	for (round = 0; round < section->rounds; round++) {
		snprintf(words, sizeof(words), "%s", section->variants);
		for (variant = strtok_r(words, " ", &save); variant; variant = strtok_r(NULL, " ", &save)) {
			if (clock_mono() > until) {
				snprintf(report->status, sizeof(report->status), "no time left");
				whole = false;
				break;
			}
			if (report->kills == KILLS_MOST)
				break; /* the time is better spent on the other sections */
			whole &= run_once(section, variant, round, log, report);
		}
	}
	report->seconds = (double)(clock_mono() - from) / 1e9;
	report_finish(report);
	fprintf(stderr, "probe: %-12s %s, %.1f s\n", section->name, report->status, report->seconds);
	return whole;
}

static void no_callback(void *user, int domain, uint32_t cbid, const void *data)
{
	(void)user;
	(void)domain;
	(void)cbid;
	(void)data;
}

/* Does this libcupti work with this driver? 0 it does, 1 not, 77 there is no GPU to ask. */
static int candidate_answers(const char *path)
{
	void *subscriber = NULL;
	uint32_t version = 0;
	char why[512];
	int rc;

	if (driver_open(options.driver, why, sizeof(why))) {
		result_message("%s", why);
		return SKIP;
	}
	if (!path)
		return 0;
	if (cupti_open(path, why, sizeof(why))) {
		if (strchr(path, '/'))
			result_text("CUPTI candidate", "%s: %s", path, why);
		return 1;
	}
	rc = cupti.subscribe ? cupti.subscribe(&subscriber, no_callback, NULL) : -1;
	if (cupti.get_version)
		cupti.get_version(&version);
	result_text("CUPTI candidate", "%s: version %u, subscribe %d %s", path, version, rc,
				cupti_error(rc));
	return rc != 0;
}

static int candidate_try(const char *path, int log, struct report_section *report)
{
	FILE *results = result_file();
	pid_t parent = getpid(), pid;
	struct outcome outcome;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		child_begin(parent, fileno(results), 0, log);
		_exit(candidate_answers(path));
	}
	outcome = pid < 0 ? (struct outcome){.text = "fork failed", .lost = true, .status = -1}
					  : child_wait(pid, 20);
	rewind(results);
	report_read(report, results, NULL);
	fclose(results);
	return outcome.status;
}

/* Picks options.cupti; false when there is no GPU. */
static bool pick(const char *given, int log, struct report_section *report)
{
	static char *paths[CANDIDATES_MOST];
	size_t i, count;

	report->name = "candidates";
	snprintf(report->status, sizeof(report->status), "ok");
	if (candidate_try(NULL, log, report) != 0)
		return false;
	count = cupti_candidates(given, paths, CANDIDATES_MOST);
	for (i = 0; i < count; i++) {
		int status = candidate_try(paths[i], log, report);

		if (status == 0 && !options.cupti)
			options.cupti = paths[i];
	}
	if (!options.cupti)
		snprintf(report->status, sizeof(report->status), "no CUPTI that works here");
	report_finish(report);
	return true;
}

static void usage(void)
{
	fprintf(stderr,
			"usage: probe OUT_DIR [--cupti FILE] [--driver FILE] [--quick] [--limit SECONDS]\n"
			"             [--only SECTION] [--timeout SECONDS]\n"
			"Measures CUDA and CUPTI on this machine; writes OUT_DIR/probe.json, table.txt,\n"
			"probe.log and fixtures/.\n");
	exit(2);
}

static const char *read_options(int argc, char **argv, const char **cupti_path)
{
	const char *only = NULL;
	int i;

	options.limit_s = 240; /* and the section that runs then */
	for (i = 1; i < argc; i++) {
		bool more = i + 1 < argc;

		if (!strcmp(argv[i], "--quick"))
			options.quick = true;
		else if (!strcmp(argv[i], "--cupti") && more)
			*cupti_path = argv[++i];
		else if (!strcmp(argv[i], "--driver") && more)
			options.driver = argv[++i];
		else if (!strcmp(argv[i], "--only") && more)
			only = argv[++i];
		else if (!strcmp(argv[i], "--timeout") && more)
			options.timeout_s = atoi(argv[++i]);
		else if (!strcmp(argv[i], "--limit") && more)
			options.limit_s = atof(argv[++i]);
		else if (argv[i][0] == '-' || options.out)
			usage();
		else
			options.out = argv[i];
	}
	if (!options.out)
		usage();
	return only;
}

static FILE *out_open(const char *name)
{
	char path[1024];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", options.out, name);
	out = fopen(path, "w");
	if (!out) {
		fprintf(stderr, "probe: %s: %s\n", path, strerror(errno));
		exit(5);
	}
	return out;
}

static void out_close(FILE *out, const char *name)
{
	bool failed = ferror(out);

	if (fclose(out) == 0 && !failed)
		return;
	fprintf(stderr, "probe: %s/%s could not be written\n", options.out, name);
	exit(5);
}

static FILE *out_begin(void)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/fixtures", options.out);
	if ((mkdir(options.out, 0777) != 0 && errno != EEXIST) ||
		(mkdir(path, 0777) != 0 && errno != EEXIST)) {
		fprintf(stderr, "probe: %s: %s\n", options.out, strerror(errno));
		exit(5);
	}
	return out_open("probe.log");
}

int main(int argc, char **argv)
{
	static struct report_section reports[SECTIONS + 1];
	const char *cupti_path = NULL, *only = read_options(argc, argv, &cupti_path);
	int64_t until = clock_mono() + (int64_t)(options.limit_s * 1e9);
	FILE *log = out_begin(), *out;
	size_t i, count = 1, lost = 0;

	if (!pick(cupti_path, fileno(log), &reports[0])) {
		fprintf(stderr, "probe: %s: nothing to measure here\n",
				reports[0].message_count ? reports[0].messages[0] : "no GPU");
		return SKIP;
	}
	for (i = 0; i < SECTIONS; i++)
		if (!only || !strcmp(only, sections[i]->name))
			lost += !run_section(sections[i], fileno(log), until, &reports[count++]);
	if (only && count == 1)
		usage();
	report_table(stdout, reports, count);
	out = out_open("table.txt");
	report_table(out, reports, count);
	out_close(out, "table.txt");
	out = out_open("probe.json");
	report_json(out, reports, count);
	out_close(out, "probe.json");
	out_close(log, "probe.log");
	fprintf(stderr, "probe: %zu sections, %zu of them not whole\n", count - 1, lost);
	return lost ? 4 : 0;
}
