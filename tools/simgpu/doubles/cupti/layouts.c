#include "doubles/cupti/layouts.h"

#define FIELD(name, offset, width, since) {#name, offset, width, since},
#define TABLE(family, text) \
	static const struct layout_field family##_table[] = {LAYOUT_##family##_FIELDS(FIELD)};
LAYOUT_FAMILIES(TABLE)

#define FAMILY(family, text) [LAYOUT_##family] = {text, family##_table, family##_FIELDS},
const struct layout_family layout_families[LAYOUTS] = {LAYOUT_FAMILIES(FAMILY)};
