/* CPython's texts and code objects in the dictionary: each written once, by its content. */
#ifndef SHIM_PYTHON_CODE_H
#define SHIM_PYTHON_CODE_H

#include <baton/format.h>
#include <stdint.h>

enum {
	PYTHON_FRAMES = 128, /* of a stack, at most */
	PYTHON_TEXT_BYTES = 4096,
	PYTHON_TABLE_BYTES = 120 << 10 /* of a line table: what one dictionary record can hold */
};

/* The id of a str's text; all of the object must be readable. */
uint32_t python_str_id(const uint8_t *object, char text[PYTHON_TEXT_BYTES]);
/* The id of a code object's record, by content: head's texts, line and size of the table. */
uint32_t python_code_intern(struct baton_r_code *head, const uint8_t *table);
/* The same by a hash of what stands for the code object; 0: not known. */
uint32_t python_code_known(uint64_t hash);
void python_code_know(uint64_t hash, uint32_t id);

#endif
