#include "base/recording.h"

SHIM_HOT _Atomic uint32_t recording_word;
SHIM_HOT uint32_t recording_generation = 1;
SHIM_HOT struct recording_window recording_window = {.until_ticks = UINT64_MAX};
struct recording recording;

bool recording_move(uint32_t from, uint32_t to)
{
	uint32_t word = atomic_load(&recording_word);
	while ((word & RECORDING_PHASES) == from)
		if (atomic_compare_exchange_weak(&recording_word, &word,
										 (word & ~(uint32_t)RECORDING_PHASES) | to))
			return true;
	return false;
}

void recording_mark(uint32_t bits)
{
	atomic_fetch_or(&recording_word, bits);
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
	atomic_store(&recording_word, (atomic_load(&recording_word) & kept) | RECORDING_ARMED);
}
