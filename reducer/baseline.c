#include "baseline.h"

#include "base/diag.h"
#include "read/run.h"
#include "reduce_options.h"
#include "summary/summary_io.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { OPTIONS_BYTES = 8192 };

static bool needs_events(const struct reduce_options *options)
{
	return options->gaps || options->idle || options->step || options->replay || options->study ||
		   options->classes_file;
}

int baseline_load(const char *path, const struct reduce_options *options, struct summary *out)
{
	char text[OPTIONS_BYTES];
	if (needs_events(options)) {
		diag("%s is a stored summary without events, which this needs: give the run's directory",
			 path);
		return STATUS_USAGE;
	}
	reduce_options_text(options, text, sizeof(text));
	int error = summary_load_alone(path, text, out);
	if (error == -ESTALE)
		diag("%s was made by another version of baton, whose numbers may mean something else: make "
			 "it anew from its traces (baton reduce -o)",
			 path);
	else if (error == -EINVAL)
		diag("%s was made with other options (--steps, --step-range, --taxonomy): give the same "
			 "here",
			 path);
	else if (error == -EBADMSG)
		diag("%s: the summary is damaged: make it anew from its traces (baton reduce -o)", path);
	else if (error)
		diag("%s: %s", path, strerror(-error));
	return error == -EINVAL ? STATUS_USAGE : error ? STATUS_INPUT : STATUS_OK;
}

int baseline_store(const char *path, const struct reduce_options *options,
				   const struct summary *summary)
{
	char text[OPTIONS_BYTES];
	struct stat status;
	if (stat(path, &status) == 0 && !run_is_summary(path)) {
		diag("%s exists and is no summary: it stays as it is", path);
		return STATUS_USAGE;
	}
	reduce_options_text(options, text, sizeof(text));
	int error = summary_store_alone(path, summary, text);
	if (error)
		diag("cannot write %s: %s", path, strerror(-error));
	return error ? STATUS_OUTPUT : STATUS_OK;
}
