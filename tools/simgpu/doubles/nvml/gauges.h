/* What the simulated devices show: constants, or SIMGPU_NVML="util=97,power=640000,throttle=4", and
 * after a semicolon and INDEX: what one of them shows instead: "util=97;1:sm=1185,throttle=4".
 * Keys: util, membw (per cent), sm, mem (MHz), power, limit (mW), temp, throttle (NVML's bits),
 * used (bytes of memory), links. */
#ifndef SIMGPU_DOUBLES_NVML_GAUGES_H
#define SIMGPU_DOUBLES_NVML_GAUGES_H

enum gauge {
	GAUGE_UTIL,
	GAUGE_MEMBW,
	GAUGE_SM,
	GAUGE_MEM,
	GAUGE_POWER,
	GAUGE_LIMIT,
	GAUGE_TEMP,
	GAUGE_THROTTLE,
	GAUGE_USED,
	GAUGE_LINKS,
	GAUGES
};

unsigned long long gauge(int device, enum gauge which);

#endif
