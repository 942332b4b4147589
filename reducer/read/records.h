/* The records of a block of kind 2 (docs/FORMAT.md section 3). */
#ifndef READ_RECORDS_H
#define READ_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

struct baton_record;

/* Does this payload consist of `rows` well-formed records? */
bool records_ok(const uint8_t *payload, uint32_t bytes, uint32_t rows);

/* The record at *at of a payload of `bytes` bytes that records_ok() has accepted; *at moves to the
 * next one. NULL at the end. */
const struct baton_record *records_next(const uint8_t *payload, uint32_t bytes, uint32_t *at);

#endif
