/* What the devices showed within their windows, from the files of gauges that have them. Takes no
 * part in any time. */
#ifndef ATTRIBUTE_READINGS_H
#define ATTRIBUTE_READINGS_H

#include "attribute/device.h"

/* Of looks that began in [window_from, window_to) of a scanned device; each file is read once, for
 * all its devices. 0 or -ENOMEM; a file that cannot be read any more has shown nothing. */
int readings_take(const struct run *run, struct device_scan *scans, size_t n);

#endif
