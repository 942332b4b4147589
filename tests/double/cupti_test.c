/* The libcupti double, one case per process: cupti_test DIRECTORY RELEASE CASE, or "list". */
#include "cupti_cases.h"
#include "cupti_client.h"
#include "fake_driver.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *release;
int version;

struct sim_call launch_call(void)
{
	return (struct sim_call){.domain = SIM_RUNTIME,
							 .cbid = CUPTI_CBID_cudaLaunchKernel_v7000,
							 .function = "cudaLaunchKernel",
							 .symbol = "_Z4gemmPf"};
}

uint32_t launch(int result, uint32_t ops)
{
	struct sim_call call = launch_call();

	fake_enter(&call);
	fake_leave(&call, result, ops);
	return call.correlation;
}

struct sim_record kernel_of(uint32_t correlation)
{
	return (struct sim_record){.kind = SIM_KERNEL,
							   .start_ns = 1000000 + correlation,
							   .end_ns = 2000000 + correlation,
							   .device = 3,
							   .context = 7,
							   .stream = 9,
							   .correlation = correlation,
							   .name = "_Z4gemmPf",
							   .grid = {1, 2, 3},
							   .block = {4, 5, 6}};
}

void end_kernel(uint32_t correlation)
{
	struct sim_record record = kernel_of(correlation);

	fake_op(&record);
}

void start(int kind)
{
	fake_set_ready(true);
	client_record();
	CHECK_IS(cupti.ActivityEnable(kind), CUPTI_OK);
}

bool wait_records(unsigned count)
{
	for (int i = 0; i < 50000; i++) { /* the case's own limit is a minute */
		if (client_count(CUPTI_KIND_CONCURRENT_KERNEL) >= count)
			return true;
		usleep(1000);
	}
	return false;
}

static const struct test_case {
	const char *name;
	void (*run)(void);
} cases[] = {{"driverless", case_driverless},
			 {"fork", case_fork},
			 {"subscribe", case_subscribe},
			 {"holder", case_holder},
			 {"busy", case_busy},
			 {"callbacks", case_callbacks},
			 {"names", case_names},
			 {"records", case_records},
			 {"graph_trace", case_graph_trace},
			 {"flush", case_flush},
			 {"invalid_incomplete", case_invalid_incomplete},
			 {"no_op", case_no_op},
			 {"full", case_full},
			 {"threads", case_threads},
			 {"period", case_period},
			 {"dropped", case_dropped},
			 {"drop_knob", case_drop_knob},
			 {"flush_in_callback", case_flush_in_callback},
			 {"deadlock", case_deadlock},
			 {"behind", case_behind},
			 {"conservation", case_conservation},
			 {"finalize", case_finalize},
			 {"clock", case_clock},
			 {"correlation", case_correlation},
			 {"order", case_order},
			 {"ids", case_ids}};

int main(int argc, char **argv)
{
	unsigned major, minor;

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (argc == 2)
			printf("%s\n", cases[i].name);
		if (argc != 4 || strcmp(argv[3], cases[i].name))
			continue;
		release = argv[2];
		if (sscanf(release, "%u.%u", &major, &minor) != 2 || !client_open(argv[1], release))
			return 1;
		version = (int)(major * 100 + minor);
		cases[i].run();
		return 0;
	}
	return argc == 2 ? 0 : 2;
}
