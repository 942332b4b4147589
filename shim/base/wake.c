#include "base/wake.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000

static _Atomic uint32_t wake, hurry;

void wake_word_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
	struct timespec timeout = {ns / SECOND_NS, ns % SECOND_NS};
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
}

void wake_word(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void wake_writer(void)
{
	if (atomic_exchange(&wake, 1) == 0)
		wake_word(&wake);
}

void wake_hurry(void)
{
	atomic_store(&hurry, 1);
	wake_writer();
}

void wake_clear(void)
{
	atomic_store(&wake, 0);
}

void wake_wait(int64_t ns)
{
	wake_word_wait(&wake, 0, ns);
}

bool wake_in_a_hurry(void)
{
	return atomic_exchange(&hurry, 0) != 0;
}

void wake_forget(void)
{
	atomic_store(&wake, 0);
}
