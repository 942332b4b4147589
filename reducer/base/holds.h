/* HOLDS(condition): what is so whatever the input, if baton is right. Builds with DEBUG=1 or SAN=
 * test it, name the condition and abort; others do not evaluate it. What an input can break is no
 * such thing: that is damage, and has a message of its own. */
#ifndef BASE_HOLDS_H
#define BASE_HOLDS_H

_Noreturn void holds_not(const char *file, int line, const char *condition);

#ifdef BATON_CHECKS
enum { HOLDS_TESTED = 1 };
#define HOLDS(condition) ((condition) ? (void)0 : holds_not(__FILE__, __LINE__, #condition))
#else
enum { HOLDS_TESTED = 0 };
#define HOLDS(condition) ((void)sizeof(condition))
#endif

#endif
