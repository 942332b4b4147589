/* What machine this is. */
#include "section.h"

#include "activity.h"
#include "result.h"
#include "work.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void tell_line(const char *name, const char *path, const char *begins)
{
	char line[512];
	FILE *in = fopen(path, "r");

	if (!in) {
		result_text(name, "no %s", path);
		return;
	}
	while (fgets(line, sizeof(line), in)) {
		if (strncmp(line, begins, strlen(begins)) != 0)
			continue;
		result_text(name, "%s", line);
		break;
	}
	fclose(in);
}

static void tell_machine(void)
{
	struct utsname system;

	if (uname(&system) == 0)
		result_text("kernel", "%s %s", system.release, system.machine);
	result_value("cores", "count", sysconf(_SC_NPROCESSORS_ONLN));
	tell_line("processor", "/proc/cpuinfo", "model name");
	tell_line("clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource",
			  "");
	tell_line("kernel driver", "/proc/driver/nvidia/version", "NVRM");
}

static void tell_gpu(void)
{
	char name[128] = "?";
	int version = 0, count = 0, sms = 0, major = 0, minor = 0;

	if (result_have("cuDriverGetVersion", cuda.version) && cuda.version(&version) == 0)
		result_value("CUDA of the driver", "version", version);
	if (cuda.device_count && cuda.device_count(&count) == 0)
		result_value("GPUs", "count", count);
	if (cuda.device_name && cuda.device_name(name, sizeof(name), 0) == 0)
		result_text("GPU", "%s", name);
	if (!cuda.device_attribute)
		return;
	cuda.device_attribute(&sms, CUDA_ATTRIBUTE_SMS, 0);
	cuda.device_attribute(&major, CUDA_ATTRIBUTE_CC_MAJOR, 0);
	cuda.device_attribute(&minor, CUDA_ATTRIBUTE_CC_MINOR, 0);
	result_text("compute capability", "%d.%d, %d multiprocessors", major, minor, sms);
}

static void identity_run(const char *variant)
{
	uint32_t version = 0;

	(void)variant;
	tell_machine();
	if (!work_init())
		return;
	tell_gpu();
	if (!work_cupti())
		return;
	result_text("CUPTI", "%s", options.cupti);
	if (cupti.get_version && cupti.get_version(&version) == 0)
		result_value("CUPTI version", "version", version);
#define TELL_MISSING(member, symbol, arguments) \
	if (!cupti.member)                          \
		result_text("CUPTI lacks", "%s", symbol);
	CUPTI_FUNCTIONS(TELL_MISSING)
#undef TELL_MISSING
}

const struct section section_identity = {"identity", "all", 1, 20, identity_run};
