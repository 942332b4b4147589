#include "values/host.h"

static int nowhere(const void *address)
{
	(void)address;
	return -1;
}

static bool no_block(const void *address, void **start, size_t *bytes)
{
	(void)address, (void)start, (void)bytes;
	return false;
}

static struct values_host values = {nowhere, no_block, 0};

void values_open(const struct values_host *host)
{
	values = *host;
}

const struct values_host *values_host(void)
{
	return &values;
}
