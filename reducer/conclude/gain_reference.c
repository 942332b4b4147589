#include "conclude/gain_reference.h"

#include <stddef.h>
#include <string.h>

enum gain_reference gain_reference_of(const char *cause)
{
	static const struct {
		const char *cause;
		enum gain_reference reference;
	} others[] = {{"host", REFERENCE_PEERS},      {"kernels", REFERENCE_PEERS},
				  {"even_host", REFERENCE_PEERS}, {"even_kernels", REFERENCE_PEERS},
				  {"link", REFERENCE_CLASS},      {"steady_host", REFERENCE_STEPS},
				  {"transfer", REFERENCE_NONE}};
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(others[i].cause, cause) == 0)
			return others[i].reference;
	return REFERENCE_REMOVAL;
}

const char *gain_reference_name(enum gain_reference reference)
{
	static const char *const names[] = {NULL, "removal", "steps", "class", "peers"};
	return names[reference];
}

const char *gain_reference_words(enum gain_reference reference)
{
	static const char *const words[] = {
		"no reference: the trace does not say how fast it should be", "with that time removed",
		"with all host work as long as in most steps",
		"compared with the median of like collectives", "compared with the other devices"};
	return words[reference];
}
