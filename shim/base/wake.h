/* How anybody wakes the writer thread, without knowing it: a word that it sleeps on. */
#ifndef SHIM_WAKE_H
#define SHIM_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* There is something to be done. From any thread, also inside a callback. */
void wake_writer(void);
/* It is to write out at once: lanes or room in the dictionary have run short. */
void wake_hurry(void);

/* The writer's side. Who wakes it after wake_clear() is not missed by wake_wait(). */
void wake_clear(void);
void wake_wait(int64_t ns);
/* Has anybody been in a hurry since this was asked last? */
bool wake_in_a_hurry(void);
/* In a forked child, which has no writer thread. */
void wake_forget(void);

/* The same for a word of the caller's: sleeps while it holds `value`. */
void wake_word_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns);
void wake_word(_Atomic uint32_t *word);

#endif
