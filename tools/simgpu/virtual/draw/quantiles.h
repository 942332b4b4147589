/* Quantiles of recorded runs' samples, nearest rank. quantiles.c is written by tables.py. */
#ifndef SIMGPU_VIRTUAL_DRAW_QUANTILES_H
#define SIMGPU_VIRTUAL_DRAW_QUANTILES_H

#include "virtual/draw/tables.h"

enum { QUANTILES = 257 };

extern const int64_t quantiles[TABLE_COUNT][QUANTILES];

#endif
