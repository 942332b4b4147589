# The programs of the tests.

SIM_UNIT_SRC := $(sort $(wildcard tests/unit/sim*_test.c tests/unit/tables_test.c))
SIM_UNIT := $(SIM_UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)
UNIT_SRC := $(filter-out $(SIM_UNIT_SRC),$(sort $(wildcard tests/unit/*_test.c)))
UNIT := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)

$(BUILD)/digest: tests/fuzz/digest.c $(LIB) $(BUILD)/flags
	@$(CC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -o $@ $< $(LIB) -lstdc++ $(LIBS)

$(BUILD)/tests/commands: tests/fuzz/commands.c reducer/main.c $(LIB) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -o $@ $< $(LIB) -lstdc++ $(LIBS)

$(BUILD)/tests/%: tests/unit/%.c $(LIB) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  test  $@"
	@$(CC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -Itests/unit -o $@ $< $(LIB) -lstdc++ $(LIBS) -lm

$(SIM_UNIT): $(BUILD)/tests/%: tests/unit/%.c $(SIM_LIB) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  test  $@"
	@$(CC) $(CFLAGS_ALL) $(SIM_INCLUDES) -Itests/unit -o $@ $< $(SIM_LIB) $(SIM_LIBS)

-include $(UNIT:=.d) $(SIM_UNIT:=.d)

# ---- around the doubles, and against them ----

$(RT)/libcount.so: tests/double/count.c $(RT_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(PLAIN_CFLAGS) -fPIC -fvisibility=hidden -shared $(DOUBLE_INCLUDES) -o $@ $< -ldl
$(RT)/nvtx_listener.so: tests/double/nvtx_listener.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(PLAIN_CFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $<
$(RT)/nccl_test: $(addprefix tests/double/nccl_,test.c data.c members.c cases.h)
$(RT)/nvml_test: tests/double/nvml_test.c
$(RT)/nccl_test $(RT)/nvml_test: $(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1 $(RT)/libcudart.so.12 $(BUILD)/flags
	@$(CC) $(PLAIN_CFLAGS) $(DOUBLE_INCLUDES) \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.c,$^) $(filter %.so.1 %.so.2 %.so.12,$^) $(RT)/libcuda.so.1 -lm

simtrain: $(addprefix $(RT)/,libcount.so nvtx_listener.so nccl_test nvml_test)

# ---- the libcupti double against a driver that is told what to do ----

DOUBLE_DIR := $(BUILD)/tests/double

$(DOUBLE_DIR)/libcuda.so.1: tests/double/fake_driver.c tests/double/fake_driver.h $(RT_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -fPIC -shared -Wl,-soname,$(@F) $(DOUBLE_INCLUDES) -o $@ $<

CUPTI_TEST := $(addprefix tests/double/cupti_,test.c calls.c records.c buffers.c client.c)
$(DOUBLE_DIR)/cupti_test: $(CUPTI_TEST) $(DOUBLE_DIR)/libcuda.so.1 shim/sources/cupti/cupti_layout.h \
		$(addprefix tests/double/,cupti_cases.h cupti_client.h fake_driver.h) $(RT_HEADERS) $(BUILD)/flags
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) $(DOUBLE_INCLUDES) -Ishim -o $@ $(filter %.c,$^) \
		$(DOUBLE_DIR)/libcuda.so.1 -ldl

$(DOUBLE_DIR)/cupti_layouts: $(CUPTI_DIR)/layouts_main.c $(CUPTI_OBJ) $(BUILD)/pic/$(CUPTI_DIR)/release-13.o
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(DOUBLE_INCLUDES) -o $@ $^ -ldl -lpthread

.PHONY: cupti
cupti: $(CUPTI_LIBS) $(DOUBLE_DIR)/cupti_test $(DOUBLE_DIR)/cupti_layouts

# ---- the shim's hooks: their tests ----

HOOKS_SRC := $(sort $(wildcard shim/dlsym*.[cS] $(addprefix shim/sources/,launch/*.c nccl/*.c nvtx/*.c))) \
	$(addprefix shim/base/,config.c guard.c message.c perthread.c caller.c recording.c symbols.c) shim/ring/hosted.c shim/ring/thread_name.c \
	$(SHIM_WRAPPERS)
HOOKS_DEPS := $(HOOKS_SRC) $(SHIM_HEADERS) $(wildcard include/baton/*.h include/baton/*/*.h tests/shim/*.[ch] tests/shim/libs/*) shim/export.map
HOOKS_CC = $(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -fPIC -fvisibility=hidden -DXXH_INLINE_ALL -Ishim -Iinclude -Itests/shim -Itests/unit
HOOKS_OUT := $(BUILD)/tests/shim
HOOKS_LIBS := $(addprefix $(HOOKS_OUT)/,libcuda.so.1 libcudart.so.12 libnccl.so.2 libnccl_copy.so libone.so libtwo.so liblocal.so)
HOOKS_TESTS := $(addprefix $(HOOKS_OUT)/,nvtx_test nccl_test launch_test dlsym_test)
HOOKS_RPATH = -L$(HOOKS_OUT) -Wl,-rpath,$(abspath $(HOOKS_OUT)) -Wl,--no-as-needed

.PHONY: hooks-tests
hooks-tests: $(SHIM) $(HOOKS_TESTS) $(HOOKS_OUT)/shim_hooks.so

# plain C libraries, as a program meets them: no sanitizer in them
# (the driver binds its own functions to itself, as the real one does)
$(HOOKS_OUT)/libcuda.so.1: HOOKS_LINK := -Wl,-Bsymbolic-functions
$(HOOKS_LIBS): $(HOOKS_DEPS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) -std=c11 -D_GNU_SOURCE -g -O1 $(WARN) -fPIC -shared $(HOOKS_LINK) -Wl,-soname,$(@F) -o $@ \
		$(patsubst lib%,tests/shim/libs/%.c,$(firstword $(subst _copy, ,$(firstword $(subst ., ,$(@F)))))) -ldl

$(HOOKS_OUT)/shim_hooks.so: $(HOOKS_DEPS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(HOOKS_CC) -fno-sanitize=all -shared -Wl,--version-script=shim/export.map -o $@ $(HOOKS_SRC) tests/shim/recorder.c

$(HOOKS_OUT)/nvtx_test $(HOOKS_OUT)/nccl_test $(HOOKS_OUT)/launch_test: $(HOOKS_OUT)/%: $(HOOKS_DEPS) $(HOOKS_LIBS)
	@echo "  test  $@"
	@$(HOOKS_CC) -rdynamic -o $@ tests/shim/$*.c tests/shim/recorder.c $(HOOKS_SRC) $(HOOKS_RPATH) \
		-l:libnccl.so.2 -l:libcudart.so.12 -l:libcuda.so.1

$(HOOKS_OUT)/dlsym_test: $(HOOKS_DEPS) $(HOOKS_LIBS)
	@$(HOOKS_CC) -fno-sanitize=all -o $@ tests/shim/dlsym_test.c $(HOOKS_RPATH) -lone -ltwo

# The shim's objects in a program of their own, with the points at which a test kills it.
SHIM_STOP_OBJ := $(patsubst $(BUILD)/shim/%,$(BUILD)/stop/%,$(SHIM_OBJ))
$(BUILD)/stop/codec/%.o: $(BUILD)/shim/codec/%.o
	@mkdir -p $(@D)
	@cp $< $@
$(BUILD)/stop/%.o: shim/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -DSHIM_STOP_POINTS $(SHIM_FLAGS) $(SHIM_INCLUDES) -c $< -o $@
$(BUILD)/stop/%_wrappers.o: $(BUILD)/shim/%_wrappers.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -DSHIM_STOP_POINTS $(SHIM_FLAGS) $(SHIM_INCLUDES) -c $< -o $@
$(BUILD)/stop/%.o: shim/%.S $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) -c $< -o $@
SHIM_TEST_HEADERS := $(wildcard tests/unit/*.h tests/shim/*.h include/baton/*.h include/baton/*/*.h)
$(BUILD)/tests/shim/kill_test: tests/shim/kill_test.c $(SHIM_STOP_OBJ) $(LIB) $(SHIM_TEST_HEADERS)
	@mkdir -p $(@D)
	@echo "  test  $@"
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -DSHIM_STOP_POINTS -DXXH_INLINE_ALL $(SHIM_INCLUDES) -Ireducer -Itests/unit \
		-o $@ $< $(SHIM_STOP_OBJ) $(LIB) $(SHIM_LIBS) -lxxhash
SHIM_TEST_READER := $(addprefix $(BUILD)/codec/,reader.o columns_decode.o bitplane_get.o)
$(addprefix $(BUILD)/tests/shim/,core_test memory_test limits_test silence_clock): $(BUILD)/tests/shim/%: tests/shim/%.c $(SHIM_OBJ) $(SHIM_TEST_READER) $(SHIM_TEST_HEADERS)
	@mkdir -p $(@D)
	@echo "  test  $@"
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -DXXH_INLINE_ALL $(SHIM_INCLUDES) -Itests/unit -o $@ $< $(SHIM_OBJ) $(SHIM_TEST_READER) $(SHIM_LIBS) -lxxhash
$(BUILD)/tests/shim/replay_cupti.so: tests/shim/replay_cupti.c tools/probe/fixture.h $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) -std=c11 -D_GNU_SOURCE -g -O1 $(WARN) -Itools/probe -fPIC -shared -o $@ $< -lpthread
$(BUILD)/tests/shim/replay: tests/shim/replay.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -o $@ $< -ldl
shim-tests: $(addprefix $(BUILD)/tests/shim/,core_test memory_test limits_test silence_clock kill_test replay replay_cupti.so)
.PHONY: shim-tests
-include $(SHIM_STOP_OBJ:.o=.d)

# ---- the GPU probe, over the doubles and what is planted between ----

PROBE_ALL := $(addprefix $(PROBE)/,probe planted fixture_dump fixture_test)
probe: $(BUILD)/baton $(PROBE_ALL) $(SHIM) doubles simtrain cupti
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/run.sh probe
.PHONY: probe
$(PROBE)/planted: tests/gpu/probe/planted.c $(PROBE_SRC) $(PROBE_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(PROBE_CC) -Itools/probe -Wl,--wrap=dlsym -ldl
$(PROBE)/fixture_test: tests/gpu/probe/fixture_test.c $(addprefix tools/probe/,fixture_write.c cupti.c) $(PROBE_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(PROBE_CC) -Itools/probe -Itests/unit -ldl

# ---- the hard rows (tests/hard): their programs ----

HARD := $(BUILD)/tests/hard
$(HARD)/tally $(HARD)/flips: $(HARD)/%: tests/hard/%.c $(CODEC_OBJ) $(wildcard include/baton/*.h include/baton/*/*.h) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -Iinclude -o $@ $< $(CODEC_OBJ) -lzstd -lxxhash
$(HARD)/many $(HARD)/forks: $(HARD)/%: tests/hard/%.c $(RT)/libcuda.so.1 $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -O1 -g $(WARN) -o $@ $< $(RT)/libcuda.so.1 -lpthread -ldl
$(HARD)/disk.so $(HARD)/held.so: $(HARD)/%.so: tests/hard/%.c tests/shim/libs/recorder_code.h $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -Itests/shim -D_GNU_SOURCE -O1 -g $(WARN) -fno-builtin -fno-optimize-sibling-calls -fPIC -shared -o $@ $< -ldl
.PHONY: hard-programs
hard-programs: $(addprefix $(HARD)/,tally flips many forks disk.so held.so)
