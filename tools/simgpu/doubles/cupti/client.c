#include "doubles/cupti/client.h"

static __thread int depth;

void client_enter(void)
{
	depth++;
}

void client_leave(void)
{
	depth--;
}

int client_inside(void)
{
	return depth;
}
