/* A tool whose own state is gone before the driver's exit: it must have heard of the context while
 * that state lived. Prints "context ends, state alive". */
#include <stdio.h>
#include <stdlib.h>

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuptiSubscribe(void **, void (*)(void *, int, unsigned, const void *), void *);
int cuptiEnableCallback(unsigned, void *, int, unsigned);

enum { DOMAIN_RESOURCE = 3, CONTEXT_DESTROY_STARTING = 2 };
static int alive = 1;

static void state_goes(void)
{
	alive = 0;
}

static void heard(void *user, int domain, unsigned id, const void *data)
{
	(void)user, (void)data;
	if (domain == DOMAIN_RESOURCE && id == CONTEXT_DESTROY_STARTING)
		printf("context ends, state %s\n", alive ? "alive" : "gone");
}

int main(void)
{
	void *context, *subscriber;

	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0))
		return 1;
	atexit(state_goes); /* made before the subscription, so it goes after CUPTI's end */
	if (cuptiSubscribe(&subscriber, heard, NULL) ||
		cuptiEnableCallback(1, subscriber, DOMAIN_RESOURCE, CONTEXT_DESTROY_STARTING))
		return 1;
	return 0;
}
