#include "base/guard.h"

SHIM_TLS int guard_depth;
