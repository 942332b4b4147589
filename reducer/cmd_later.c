/* Commands that are promised (design: contracts) and not built yet: they say so and end with
 * status 2. */
#include "commands.h"

const struct command command_doctor = {.name = "doctor",
									   .summary = "what of this machine baton can use"};
