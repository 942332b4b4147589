/* The least of a libcupti that lets the shim attach: a callback that the bench calls itself, no
 * GPU, no records. What is left is the shim's own code. Loaded by BATON_CUPTI. */
#include <stddef.h>
#include <stdint.h>

typedef void (*callback)(void *user, int domain, uint32_t id, const void *data);

callback fake_callback;
void *fake_user;

int cuptiSubscribe(void **subscriber, callback on_event, void *user);
int cuptiSubscribe(void **subscriber, callback on_event, void *user)
{
	*subscriber = &fake_callback;
	fake_callback = on_event;
	fake_user = user;
	return 0;
}

#define SUCCEEDS(name) \
	int name(void);    \
	int name(void)     \
	{                  \
		return 0;      \
	}

SUCCEEDS(cuptiUnsubscribe)
SUCCEEDS(cuptiEnableCallback)
SUCCEEDS(cuptiActivityRegisterCallbacks)
SUCCEEDS(cuptiActivityEnable)
SUCCEEDS(cuptiActivityDisable)
SUCCEEDS(cuptiActivityFlushAll)
SUCCEEDS(cuptiActivitySetAttribute)
SUCCEEDS(cuptiSetThreadIdType)
SUCCEEDS(cuptiGetTimestamp)
SUCCEEDS(cuptiGetResultString)

int cuptiActivityGetNextRecord(void);
int cuptiActivityGetNextRecord(void)
{
	return 12; /* no more */
}

int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n);
int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *n)
{
	(void)context;
	(void)stream;
	*n = 0;
	return 0;
}
