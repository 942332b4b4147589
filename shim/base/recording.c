#include "base/recording.h"

SHIM_HOT _Atomic uint32_t recording_word;
SHIM_HOT uint32_t recording_generation = 1;
/* Not among what every launch reads: it would part that in two cache lines. */
_Alignas(64) struct recording_window recording_window = {.until_ticks = UINT64_MAX};
struct recording recording;

/* With RECORDING_BY_WRAPPERS as it follows from the other bits. */
static uint32_t complete(uint32_t word)
{
	bool takes = (word & (RECORDING_ARMED | RECORDING_BEGINS | RECORDING_OPEN)) != 0;
	bool others = (word & (RECORDING_BY_CUPTI | RECORDING_NO_CUDA)) != 0;
	word &= ~(uint32_t)RECORDING_BY_WRAPPERS;
	return takes && !others ? word | RECORDING_BY_WRAPPERS : word;
}

bool recording_move(uint32_t from, uint32_t to)
{
	uint32_t word = atomic_load(&recording_word);
	while ((word & RECORDING_PHASES) == from) {
		uint32_t moved = complete((word & ~(uint32_t)RECORDING_PHASES) | to);
		if (atomic_compare_exchange_weak(&recording_word, &word, moved))
			return true;
	}
	return false;
}

void recording_mark(uint32_t bits)
{
	uint32_t word = atomic_load(&recording_word);
	while (!atomic_compare_exchange_weak(&recording_word, &word, complete(word | bits)))
		;
}

bool recording_exit(void)
{
	uint32_t word = atomic_load(&recording_word);
	while (word & RECORDING_BEGUN && !(word & RECORDING_EXITS))
		if (atomic_compare_exchange_weak(&recording_word, &word, word | RECORDING_EXITS))
			return true;
	return false;
}

void recording_forget(void)
{
	const uint32_t kept = RECORDING_NO_CUDA | RECORDING_NO_NCCL;
	recording_generation++;
	atomic_store(&recording_word,
				 complete((atomic_load(&recording_word) & kept) | RECORDING_ARMED));
}
