/* The part of opstream.h that reads ahead. */
#ifndef ATTRIBUTE_OPSTREAM_FILL_H
#define ATTRIBUTE_OPSTREAM_FILL_H

#include "attribute/op_ring.h"

/* Reads OPSTREAM_AHEAD ops ahead, as far as there are so many. 0 or -errno. */
int opstream_fill(struct opstream *stream);

#endif
