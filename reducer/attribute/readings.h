/* Readings of the devices (clock, power, temperature ...) within their windows, from the files of
 * gauges. They do not affect any time. */
#ifndef ATTRIBUTE_READINGS_H
#define ATTRIBUTE_READINGS_H

#include "attribute/device.h"

/* Fills scans[].readings from the samples that began in [window_from, window_to) of each scanned
 * device. Each file is read once for all its devices; a file that can no longer be read gives no
 * readings. 0 or -ENOMEM. */
int readings_take(const struct run *run, struct device_scan *scans, size_t n);

#endif
