/* Prints the tables of releases and records, for the test that compares them with the vendor's
 * headers: "release NAME VERSION RUNTIME_CBIDS DRIVER_CBIDS", "record STRUCT BYTES", "field NAME
 * OFFSET WIDTH", "call DOMAIN NUMBER NAME", "error NUMBER NAME". */
#include "doubles/cupti/names.h"
#include "doubles/cupti/release.h"
#include <stdio.h>

static void print_record(const struct release *release, enum layout layout)
{
	const struct layout_family *family = &layout_families[layout];
	struct layout_struct s = release->layouts[layout];
	char number[8] = "";

	if (s.number)
		snprintf(number, sizeof(number), "%u", s.number);
	printf("record %s%s %u\n", family->name, number, s.bytes);
	for (unsigned i = 0; i < family->count; i++)
		if (family->fields[i].since <= s.number)
			printf("field %s %u %u\n", family->fields[i].name, family->fields[i].offset,
				   family->fields[i].width);
}

int main(void)
{
	const char *name;

	for (const struct release *r = releases; r->name; r++) {
		printf("release %s %u %u %u\n", r->name, r->version, r->runtime_cbids, r->driver_cbids);
		for (int layout = 0; layout < LAYOUTS; layout++)
			print_record(r, layout);
	}
	for (uint32_t domain = DOMAIN_DRIVER; domain <= DOMAIN_RUNTIME; domain++)
		for (uint32_t cbid = 0; cbid < 1024; cbid++)
			if ((name = names_find(domain, cbid)))
				printf("call %u %u %s\n", domain, cbid, name);
	for (int i = 0; i <= UNKNOWN; i++)
		if ((name = names_result(i)))
			printf("error %d %s\n", i, name);
	return 0;
}
