/* Numbers as kernels read and write them: a value of one of six types, by the letter that the type
 * has in a mangled name: l i f d h b (int64, int32, float, double, uint8, bool). */
#ifndef SIMGPU_VALUES_NUMBER_H
#define SIMGPU_VALUES_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

union number {
	int64_t integer; /* also of h and b */
	double real;     /* of f and d */
};

size_t number_bytes(char type); /* 0: not one of the six */
bool number_is_real(char type);
union number number_load(char type, const void *from);
void number_store(char type, void *to, union number number);
/* As C++ converts: what comes out fits `to`. Of a real number that is none of its integers, int64
 * and int32 take the nearest, as a GPU does; of what is no number the least one, but of a float
 * that is none int32 takes 0; uint8 takes the low bits of the int64. An integer that does not fit
 * keeps its low bits. A bool is whether it differs from 0. */
union number number_cast(char from, char to, union number number);
/* -1, 0, 1; 2: one of them is no number. */
int number_order(char type, union number a, union number b);

#endif
