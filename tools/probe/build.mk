# The GPU probe: run.sh measures CUDA and CUPTI on a machine with a GPU; fixture_dump prints what it kept.

PROBE := $(BUILD)/probe
PROBE_SRC := $(filter-out tools/probe/fixture_dump.c,$(sort $(wildcard tools/probe/*.c)))
PROBE_HEADERS := $(sort $(wildcard tools/probe/*.h))
PROBE_CC = $(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -o $@ $(filter %.c,$^)

$(PROBE)/probe: $(PROBE_SRC) $(PROBE_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(PROBE_CC) -ldl
$(PROBE)/fixture_dump: tools/probe/fixture_dump.c $(PROBE_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(PROBE_CC)
