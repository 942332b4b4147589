/* Random numbers that are a function of a place, not of what was drawn before: the same (seed, a,
 * b, c) gives the same number whatever else a scenario holds, so a run with and without a fault
 * differs in nothing else. Integer arithmetic only. The mixing step is the finaliser of splitmix64
 * (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
#ifndef SIMGPU_VIRTUAL_DRAW_RNG_H
#define SIMGPU_VIRTUAL_DRAW_RNG_H

#include <stdint.h>

static inline uint64_t rng_mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15u;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static inline uint64_t rng_hash(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	return rng_mix(rng_mix(rng_mix(rng_mix(seed) ^ a) ^ b) ^ c);
}

/* A number in [0, n) from a random u; 0 when n is 0. */
static inline uint64_t rng_below(uint64_t u, uint64_t n)
{
	__extension__ typedef unsigned __int128 wide;
	return (uint64_t)(((wide)u * n) >> 64);
}

#endif
