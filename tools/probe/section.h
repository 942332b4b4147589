/* A section is one part of the probe, run in a process of its own (once for each variant and
 * round): it may crash or hang without harm to the others. */
#ifndef PROBE_SECTION_H
#define PROBE_SECTION_H

struct section {
	const char *name;
	const char *variants; /* words; each runs by itself, in turn, so that A/B are interleaved */
	int rounds;
	int timeout_s;
	void (*run)(const char *variant);
};

extern const struct section section_identity, section_clocks, section_launch, section_graph,
	section_latency, section_dependency, section_queue, section_copies, section_incomplete,
	section_order, section_attributes, section_subscribe, section_timestamps, section_callbacks,
	section_events, section_flush, section_dropped, section_teardown, section_nvml;

#endif
