#include "base/guard.h"

SHIM_TLS uint32_t guard_layers;
