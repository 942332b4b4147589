#include "table_options.h"

#include "base/diag.h"

#include <string.h>

int table_options_read(const struct invocation *call, enum sheet_format *format)
{
	static const char *const forms[] = {"json", "csv", "markdown"};
	const char *first = NULL;
	*format = option_given(call, "csv")        ? SHEET_CSV
			  : option_given(call, "markdown") ? SHEET_MARKDOWN
											   : SHEET_TABLE;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (!option_given(call, forms[i]))
			continue;
		if (first) {
			diag("--%s and --%s are two forms of one answer: give one of them", first, forms[i]);
			return STATUS_USAGE;
		}
		first = forms[i];
	}
	return STATUS_OK;
}

int table_options_written(const char *dir, int error)
{
	if (error)
		diag("%s: %s", dir, strerror(-error));
	return error ? STATUS_INPUT : STATUS_OK;
}
