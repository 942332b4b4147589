# baton. `make help` lists what this builds and runs. Variables: SAN=address,undefined or SAN=thread, WERROR=1,
# DEBUG=1, PREFIX, DESTDIR.

CC ?= gcc
CXX ?= g++
AR ?= ar
PYTHON ?= python3
PREFIX ?= /usr/local

comma := ,
CONFIG := $(if $(SAN),san-$(subst $(comma),-,$(SAN)),$(if $(DEBUG),debug,release))
BUILD := build/$(CONFIG)

WARN := -Wall -Wextra -Wshadow -Wundef $(if $(WERROR),-Werror)
WARN_C := -Wstrict-prototypes -Wmissing-prototypes
OPT := $(if $(DEBUG),-O0,-O2) -g
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
COMMON := $(OPT) $(WARN) $(SANFLAGS) -D_GNU_SOURCE -MMD -MP -pthread
REDUCER_INCLUDES := -Ireducer -Iinclude
CFLAGS_ALL := -std=c11 $(COMMON) $(WARN_C) $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 -fno-exceptions -fno-rtti $(COMMON) $(CXXFLAGS)
LIBS := -lsimdjson -lsqlite3 -lz -lzstd -lxxhash -lpthread -ldl

REDUCER_SRC := $(sort $(wildcard reducer/*.c reducer/*/*.c))
REDUCER_CXX := $(sort $(wildcard reducer/*/*.cpp))
REDUCER_OBJ := $(REDUCER_SRC:%.c=$(BUILD)/%.o) $(REDUCER_CXX:%.cpp=$(BUILD)/%.o)
LIB := $(BUILD)/libreducer.a
# The simulator sees the format and nothing of the reducer; nor does the reducer see it.
SIM_INCLUDES := -Itools/simgpu -Iinclude
SIM_SRC := $(sort $(wildcard tools/simgpu/*.c))
SIM_OBJ := $(SIM_SRC:%.c=$(BUILD)/%.o)
SIM_LIB := $(BUILD)/libsimgpu.a
SIM_MAIN := $(BUILD)/tools/simgpu/main.o
SIM := $(if $(filter $(SIM_MAIN),$(SIM_OBJ)),$(BUILD)/baton-sim)
SIM_LIBS := -lzstd -lxxhash -lpthread
SIM_UNIT_SRC := $(sort $(wildcard tests/unit/sim*_test.c tests/unit/tables_test.c))
SIM_UNIT := $(SIM_UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)
UNIT_SRC := $(filter-out $(SIM_UNIT_SRC),$(sort $(wildcard tests/unit/*_test.c)))
UNIT := $(UNIT_SRC:tests/unit/%.c=$(BUILD)/tests/%)
SIM_HEADERS := $(sort $(wildcard tools/simgpu/*.h))
HEADERS := $(sort $(wildcard include/baton/*.h reducer/*.h reducer/*/*.h))
# The shim is a library of its own: C, hidden symbols but for shim/export.map, zstd and xxHash inside.
SHIM_INCLUDES := -Ishim -Iinclude
SHIM_FLAGS := -fPIC -fvisibility=hidden -DXXH_INLINE_ALL $(if $(SAN),,-include shim/glibc.h)
SHIM_SRC := $(sort $(wildcard shim/*.c) $(wildcard shim/*_$(shell uname -m).S))
SHIM_OBJ := $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(SHIM_SRC))))
SHIM_LIBS := -l:libzstd.a $(if $(SAN),-lpthread -ldl,-Wl$(comma)--no-as-needed -l:libpthread.so.0 -l:libdl.so.2)
SHIM := $(BUILD)/libbaton.so
SHIM_PYTHON := $(BUILD)/python/sitecustomize.py
SHIM_HEADERS := $(sort $(wildcard shim/*.h))
MAN := $(patsubst %,$(BUILD)/man/baton-%.1,record import reduce report compare jitter whatif stats \
	classify export dump check doctor)

.PHONY: tables all help deps demo test unit fuzz accuracy bench bench-scale headers man install clean format
.PRECIOUS: $(BUILD)/%.o

all: $(BUILD)/baton $(BUILD)/digest $(SIM) $(SHIM)

help:
	@echo "make              build build/release/baton (installs the libraries it needs when root)"
	@echo "make demo         record 1, 2 and 4 simulated GPUs, report and compare; then the sample traces"
	@echo "make test         all tests (unit, command line, format, fuzz, accuracy)"
	@echo "make demo-torch   the same with real PyTorch and torchrun on simulated GPUs (installs PyTorch without CUDA, 1.3 GB)"
	@echo "make test-torch   real PyTorch with and without the recorder; test-torch-all: torch.compile and a second release too"
	@echo "make bench-torch  what recording costs a PyTorch program, against torch.profiler"
	@echo "make fuzz         100,000 mutated files through both readers of the format"
	@echo "make accuracy     the attribution against the slow reference (1,000 random traces) and against the truth"
	@echo "                  of simulated runs; writes the table of docs/ACCURACY.md"
	@echo "make probe        the GPU probe over fakes; on a machine with a GPU: sh tests/gpu/probe/run.sh OUT_DIR"
	@echo "make bench        speed and memory, printed with this machine's name (bench-record: recording alone)"
	@echo "make bench-scale  a run of 960 ranks made and reduced (BENCH_RANKS=960; 1.3 GB free)"
	@echo "make man          the manual pages, build/release/man"
	@echo "make install      PREFIX=$(PREFIX) DESTDIR="
	@echo "make doubles      CUDA's libraries simulated in real time, build/release/simgpu (docs/SIMGPU.md)"
	@echo "make test PARTS=\"unit cli\"   only some parts of it (tests/run.sh lists them)"
	@echo "variables         SAN=address,undefined | SAN=thread, WERROR=1, DEBUG=1"

# ---- what the build needs: headers and libraries, no GPU, no CUDA ----

deps: build/deps.ok
build/deps.ok: tools/deps.sh
	@mkdir -p build
	@sh tools/deps.sh
	@touch $@

# ---- what is recorded from a tree gets its libbaton.so by LD_PRELOAD: said before anything is built ----

ifneq ($(words x$(CURDIR)x)$(findstring :,$(CURDIR)),1)
ifneq ($(filter demo% test% bench%,$(MAKECMDGOALS)),)
$(error "$(CURDIR)": LD_PRELOAD cannot take a path with a blank or a colon; move this tree, or make install PREFIX=)
endif
endif

# ---- objects; the flags are an input like any other ----

$(BUILD)/flags: force
	@mkdir -p $(BUILD)
	@echo '$(CC) $(CXX) $(CFLAGS_ALL) $(CXXFLAGS_ALL) $(SHIM_FLAGS)' | cmp -s - $@ || \
		echo '$(CC) $(CXX) $(CFLAGS_ALL) $(CXXFLAGS_ALL) $(SHIM_FLAGS)' > $@
.PHONY: force

$(BUILD)/reducer/%.o: reducer/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -c $< -o $@

$(BUILD)/reducer/%.o: reducer/%.cpp $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  c++   $<"
	@$(CXX) $(CXXFLAGS_ALL) $(REDUCER_INCLUDES) -c $< -o $@

$(LIB): $(filter-out $(BUILD)/reducer/main.o,$(REDUCER_OBJ))
	@rm -f $@
	@$(AR) rcs $@ $^

$(BUILD)/baton: $(BUILD)/reducer/main.o $(LIB)
	@echo "  link  $@"
	@$(CXX) $(SANFLAGS) -o $@ $^ $(LIBS)

$(BUILD)/digest: tests/fuzz/digest.c $(LIB) $(BUILD)/flags
	@$(CC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -o $@ $< $(LIB) -lstdc++ $(LIBS)

$(BUILD)/tests/%: tests/unit/%.c $(LIB) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  test  $@"
	@$(CC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -Itests/unit -o $@ $< $(LIB) -lstdc++ $(LIBS) -lm

# ---- the simulator: an archive, its program, its own unit tests ----

$(BUILD)/tools/simgpu/%.o: tools/simgpu/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(SIM_INCLUDES) -c $< -o $@

$(SIM_LIB): $(filter-out $(SIM_MAIN),$(SIM_OBJ))
	@rm -f $@
	@$(AR) rcs $@ $^

$(BUILD)/baton-sim: $(SIM_MAIN) $(SIM_LIB)
	@echo "  link  $@"
	@$(CC) $(SANFLAGS) -o $@ $^ $(SIM_LIBS)

$(SIM_UNIT): $(BUILD)/tests/%: tests/unit/%.c $(SIM_LIB) $(BUILD)/flags
	@mkdir -p $(@D)
	@echo "  test  $@"
	@$(CC) $(CFLAGS_ALL) $(SIM_INCLUDES) -Itests/unit -o $@ $< $(SIM_LIB) $(SIM_LIBS)

# ---- CUDA's libraries, simulated in real time: libcuda.so.1, libcudart.so.12 and .13 (docs/SIMGPU.md). They are the tests'
# surroundings, loaded into programs without a sanitizer: SAN= does not touch them, DOUBLE_SAN=thread does.

DOUBLES := $(BUILD)/simgpu
DOUBLE_INCLUDES := -Itools/simgpu -Itools/simgpu/rt
DOUBLE_FLAGS := -std=c11 $(OPT) $(WARN) $(WARN_C) -D_GNU_SOURCE -MMD -MP -pthread -fPIC -fvisibility=hidden \
	$(if $(DOUBLE_SAN),-fsanitize=$(DOUBLE_SAN) -fno-omit-frame-pointer) $(CFLAGS)
DRIVER_SRC := tools/simgpu/gpu.c tools/simgpu/agenda.c $(sort $(wildcard tools/simgpu/rt/driver/*.c))
DRIVER_OBJ := $(DRIVER_SRC:%.c=$(DOUBLES)/obj/driver/%.o)
RUNTIME_SRC := $(sort $(wildcard tools/simgpu/rt/runtime/*.c))
RUNTIMES := $(DOUBLES)/libcudart.so.12 $(DOUBLES)/libcudart.so.13

doubles: $(DOUBLES)/libcuda.so.1 $(RUNTIMES) $(addprefix $(DOUBLES)/,libnccl.so.2 libnvidia-ml.so.1 libcupti.so.12 libcupti.so.13)
.PHONY: doubles
all: doubles

# What PyTorch imports and no source defines is written by stubs.py, from lists that are part of the tree (imports.py).
IMPORTS := $(sort $(wildcard tools/simgpu/rt/imports/*.txt))
STUBS := tools/simgpu/rt/stubs.py
WRITE_STUBS = mkdir -p $(@D) && $(PYTHON) $(STUBS) $(1) $@ $(@:.c=.map) $(IMPORTS) $(filter %.o,$^)

$(DOUBLES)/obj/driver/%.o: %.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $@"
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -Itools/simgpu/rt/driver -c $< -o $@

$(DOUBLES)/obj/driver/stubs.c: $(DRIVER_OBJ) $(STUBS) $(IMPORTS)
	@$(call WRITE_STUBS,libcuda.so.1)
$(DOUBLES)/obj/driver/stubs.o: $(DOUBLES)/obj/driver/stubs.c tools/simgpu/rt/stub.h $(BUILD)/flags
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -Itools/simgpu/rt/driver -c $< -o $@

$(DOUBLES)/libcuda.so.1: $(DRIVER_OBJ) $(DOUBLES)/obj/driver/stubs.o
	@echo "  link  $@"
	@echo '{ global: cu*; simgpu_*; local: *; };' > $(DOUBLES)/obj/cuda.map
	@$(CC) $(DOUBLE_FLAGS) -shared -Wl,-soname,libcuda.so.1 -Wl,--version-script=$(DOUBLES)/obj/cuda.map -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs -o $@ $^ -ldl
	@ln -sf libcuda.so.1 $(DOUBLES)/libcuda.so

$(foreach n,12 13,$(RUNTIME_SRC:%.c=$(DOUBLES)/obj/runtime$(n)/%.o)): | build/deps.ok
$(DOUBLES)/obj/runtime12/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -DCUDART_MAJOR=12 -c $< -o $@
$(DOUBLES)/obj/runtime13/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -DCUDART_MAJOR=13 -c $< -o $@

.SECONDEXPANSION:
$(foreach n,12 13,$(DOUBLES)/obj/runtime$(n)/stubs.c): $(DOUBLES)/obj/runtime%/stubs.c: \
		$$(addprefix $(DOUBLES)/obj/runtime$$*/,$$(RUNTIME_SRC:.c=.o)) $(STUBS) $(IMPORTS)
	@$(call WRITE_STUBS,libcudart.so.$*)
$(foreach n,12 13,$(DOUBLES)/obj/runtime$(n)/stubs.o): %.o: %.c tools/simgpu/rt/stub.h $(BUILD)/flags
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -c $< -o $@
$(RUNTIMES): $(DOUBLES)/libcudart.so.%: $$(addprefix $(DOUBLES)/obj/runtime$$*/,$$(RUNTIME_SRC:.c=.o) stubs.o) $(DOUBLES)/libcuda.so.1
	@echo "  link  $@"
	@echo 'libcudart.so.$* { global: *; };' > $(DOUBLES)/obj/cudart$*.map
	@$(CC) $(DOUBLE_FLAGS) -shared -Wl,-soname,libcudart.so.$* -Wl,--version-script=$(DOUBLES)/obj/cudart$*.map \
		-Wl,-rpath,'$$ORIGIN' -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs -o $@ $(filter %.o,$^) -L$(DOUBLES) -l:libcuda.so.1 -ldl
	@ln -sf libcudart.so.13 $(DOUBLES)/libcudart.so

# ---- the libraries of which PyTorch needs a few functions, or only that they are there. What the sources in the directory
# behind ':' define is exported when it begins as the library's functions do (stubs.py); the rest is stubs.

LIBRARIES := libcublas.so.12:cublas libcublas.so.13:cublas libcublasLt.so.12:cublas libcublasLt.so.13:cublas libcudnn.so.9:cudnn \
	libnvrtc.so.12:nvrtc libnvrtc.so.13:nvrtc libcufft.so.11:cufft libcufft.so.12:cufft libcurand.so.10: libcusparse.so.12: \
	libcusparseLt.so.0: libcusolver.so.11: libcusolver.so.12: libcufile.so.0: libnvshmem_host.so.3:
SONAME = $(firstword $(subst :, ,$(1)))
SOURCES = $(if $(word 2,$(subst :, ,$(1))),$(sort $(wildcard tools/simgpu/rt/library/*.c tools/simgpu/rt/$(word 2,$(subst :, ,$(1)))/*.c)))
doubles: $(foreach l,$(LIBRARIES),$(DOUBLES)/$(call SONAME,$(l)))

# library SONAME, its sources: compiled for one major release, CUDA_MAJOR
define library
$(DOUBLES)/obj/$(1)/%.o: %.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $$(@D)
	@echo "  cc    $$@"
	@$(CC) $(DOUBLE_FLAGS) -fvisibility=default $(DOUBLE_INCLUDES) -DCUDA_MAJOR=$(patsubst .%,%,$(suffix $(1))) -c $$< -o $$@
$(DOUBLES)/obj/$(1)/stubs.c: $(2:%.c=$(DOUBLES)/obj/$(1)/%.o) $(STUBS) $(IMPORTS)
	@$$(call WRITE_STUBS,$(1))
$(DOUBLES)/$(1): $(DOUBLES)/obj/$(1)/stubs.c $(2:%.c=$(DOUBLES)/obj/$(1)/%.o) $(DOUBLES)/libcuda.so.1 tools/simgpu/rt/stub.h
	@echo "  link  $$@"
	@$(CC) $(filter-out -MMD -MP,$(DOUBLE_FLAGS)) $(DOUBLE_INCLUDES) -shared -Wl,-soname,$(1) -Wl,--version-script=$$(<:.c=.map) \
		-Wl,-rpath,'$$$$ORIGIN' -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs -o $$@ $$(filter %.c %.o,$$^) \
		-L$(DOUBLES) -Wl,--as-needed -l:libcuda.so.1 -ldl -lm
-include $(2:%.c=$(DOUBLES)/obj/$(1)/%.d)
endef
$(foreach l,$(LIBRARIES),$(eval $(call library,$(call SONAME,$(l)),$(call SOURCES,$(l)))))

# ---- the doubles of NCCL and NVML, on the libcuda double; the training job on all of them ----

RT := $(BUILD)/simgpu
RT_HEADERS := $(wildcard tools/simgpu/rt/*.h tools/simgpu/rt/nccl/*.h tools/simgpu/rt/nvml/*.h)
PLAIN_CFLAGS = $(filter-out -MMD -MP $(SANFLAGS),$(CFLAGS_ALL))
NCCL_OBJ := $(patsubst %.c,$(RT)/obj/nccl/%.o,$(sort $(wildcard tools/simgpu/rt/nccl/*.c)))
$(RT)/obj/nccl/%.o: %.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $@"
	@$(CC) $(DOUBLE_FLAGS) -fwrapv $(DOUBLE_INCLUDES) -c $< -o $@
$(RT)/obj/nccl/stubs.c: $(NCCL_OBJ) $(STUBS) $(IMPORTS)
	@$(call WRITE_STUBS,libnccl.so.2)
-include $(NCCL_OBJ:.o=.d)
$(RT)/libnccl.so.2: $(RT)/obj/nccl/stubs.c $(NCCL_OBJ)
$(RT)/libnvidia-ml.so.1: $(sort $(wildcard tools/simgpu/rt/nvml/*.c))
$(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1: $(RT)/libcuda.so.1 $(RT_HEADERS) $(BUILD)/flags
	@echo "  link  $@"
	@$(CC) $(PLAIN_CFLAGS) $(DOUBLE_INCLUDES) -fPIC -fvisibility=hidden -fwrapv -shared -Wl,-soname,$(@F) \
		-Wl,-z,defs -Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.c %.o,$^) $(RT)/libcuda.so.1

# Two builds of one program: CUDA 12's launches and CUDA 13's.
TRAIN_SRC := $(sort $(filter-out tools/simtrain/launch.c,$(wildcard tools/simtrain/*.c)))
TRAIN_HEADERS := $(wildcard tools/simtrain/*.h tools/simtrain/callers/*.h)
$(BUILD)/simtrain: $(RT)/libcudart.so.12
$(BUILD)/simtrain13: $(RT)/libcudart.so.13
$(BUILD)/simtrain $(BUILD)/simtrain13: $(TRAIN_SRC) $(TRAIN_HEADERS) $(RT)/libnccl.so.2 $(BUILD)/flags
	@echo "  link  $@"
	@$(CC) $(PLAIN_CFLAGS) -DSIMTRAIN_CUDA=$(if $(findstring 13,$@),13,12) \
		-Wl,-rpath,'$$ORIGIN/simgpu' -Wl,-rpath-link,$(RT) -o $@ $(filter %.c %.so.12 %.so.13 %.so.2,$^) -ldl

$(BUILD)/simlaunch: tools/simtrain/launch.c $(BUILD)/flags
	@$(CC) $(PLAIN_CFLAGS) -o $@ $<

CALLERS := $(patsubst %,$(RT)/%.so,static_cudart triton_like getproc)
$(BUILD)/simcaller: tools/simtrain/callers/caller.c $(TRAIN_HEADERS) $(BUILD)/flags
	@$(CC) $(PLAIN_CFLAGS) -o $@ $< -ldl
$(CALLERS): $(RT)/%.so: tools/simtrain/callers/%.c $(TRAIN_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(PLAIN_CFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $< -ldl
$(RT)/libcount.so: tests/double/count.c $(RT_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(PLAIN_CFLAGS) -fPIC -fvisibility=hidden -shared -Itools/simgpu/rt -o $@ $< -ldl
$(RT)/nvtx_listener.so: tests/double/nvtx_listener.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(PLAIN_CFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $<
$(RT)/nccl_test: $(addprefix tests/double/nccl_,test.c data.c members.c cases.h)
$(RT)/nvml_test: tests/double/nvml_test.c
$(RT)/nccl_test $(RT)/nvml_test: $(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1 $(RT)/libcudart.so.12 $(BUILD)/flags
	@$(CC) $(PLAIN_CFLAGS) -Itools/simgpu/rt -Itools/simgpu/rt/nccl -Itools/simgpu/rt/nvml \
		-Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.c,$^) $(filter %.so.1 %.so.2 %.so.12,$^) $(RT)/libcuda.so.1 -lm

TRAIN := $(BUILD)/simtrain $(BUILD)/simtrain13 $(BUILD)/simlaunch $(BUILD)/simcaller $(CALLERS) \
	$(RT)/libcount.so $(RT)/nvtx_listener.so $(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1 $(RT)/nccl_test $(RT)/nvml_test
.PHONY: simtrain
simtrain: $(TRAIN)

# ---- the shim ----

$(BUILD)/shim/%.o: shim/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(SHIM_FLAGS) $(SHIM_INCLUDES) -c $< -o $@

$(BUILD)/shim/%.o: shim/%.S $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) -c $< -o $@

$(SHIM_PYTHON): shim/python/sitecustomize.py
	@mkdir -p $(@D)
	@cp $< $@
all: $(SHIM_PYTHON)

# no named version node: it would hide the hooks from references to versioned symbols
$(SHIM): $(SHIM_OBJ) shim/export.map | $(SHIM_PYTHON)
	@echo "  link  $@"
	@$(CC) -shared $(SANFLAGS) -o $@ $(SHIM_OBJ) -Wl,--version-script=shim/export.map -Wl,--exclude-libs,ALL \
		-Wl,-z,nodelete -Wl,-soname,libbaton.so $(SHIM_LIBS)

# ---- the libcupti double, as three sonames, and its tests against a driver that is told what to do ----

CUPTI_DIR := tools/simgpu/rt/cupti
CUPTI_ALL := $(sort $(wildcard $(CUPTI_DIR)/*.c))
CUPTI_SRC := $(filter-out %_main.c,$(CUPTI_ALL))
CUPTI_OBJ := $(filter-out %/release.o,$(CUPTI_SRC:%.c=$(BUILD)/pic/%.o))
CUPTI_LIBS := $(addprefix $(BUILD)/simgpu/libcupti.so.,11.8 12 13)
CUPTI_INCLUDES := -Itools/simgpu/rt -I$(CUPTI_DIR)
DOUBLE_DIR := $(BUILD)/tests/double

$(BUILD)/pic/$(CUPTI_DIR)/%.o: $(CUPTI_DIR)/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) -fPIC -fvisibility=hidden $(CUPTI_INCLUDES) -c $< -o $@

$(BUILD)/pic/$(CUPTI_DIR)/release-%.o: $(CUPTI_DIR)/release.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -fPIC -fvisibility=hidden -DCUPTI_MAJOR='"$(basename $*)"' $(CUPTI_INCLUDES) -c $< -o $@

# 13 came with a second way to subscribe, 12 with hardware tracing
CUPTI_HIDDEN_11.8 := cuptiSubscribe_v2; cuptiActivityEnableHWTrace;
CUPTI_HIDDEN_12. := cuptiSubscribe_v2;
$(CUPTI_LIBS): $(BUILD)/simgpu/libcupti.so.%: $(BUILD)/pic/$(CUPTI_DIR)/release-%.o $(CUPTI_OBJ)
	@mkdir -p $(@D)
	@echo "  link  $@"
	@echo '$(@F) { global: cupti*; local: $(CUPTI_HIDDEN_$(if $(suffix $*),$*,$*.)) *; };' > $@.map
	@$(CC) $(SANFLAGS) -shared -o $@ -Wl,-soname,$(@F) -Wl,--version-script,$@.map -Wl,-z,nodelete $^ -ldl -lpthread

$(DOUBLE_DIR)/libcuda.so.1: tests/double/fake_driver.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -fPIC -shared -Wl,-soname,$(@F) -Itools/simgpu/rt -o $@ $<

CUPTI_TEST := $(addprefix tests/double/cupti_,test.c calls.c records.c buffers.c client.c)
$(DOUBLE_DIR)/cupti_test: $(CUPTI_TEST) $(DOUBLE_DIR)/libcuda.so.1 shim/cupti_layout.h \
		$(addprefix tests/double/,cupti_cases.h cupti_client.h fake_driver.h) $(BUILD)/flags
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -Itools/simgpu/rt -Ishim -o $@ $(filter %.c,$^) \
		$(DOUBLE_DIR)/libcuda.so.1 -ldl

$(DOUBLE_DIR)/cupti_layouts: $(CUPTI_DIR)/layouts_main.c $(CUPTI_OBJ) $(BUILD)/pic/$(CUPTI_DIR)/release-13.o
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) $(CUPTI_INCLUDES) -o $@ $^ -ldl -lpthread

.PHONY: cupti
cupti: $(CUPTI_LIBS) $(DOUBLE_DIR)/cupti_test $(DOUBLE_DIR)/cupti_layouts
-include $(CUPTI_SRC:%.c=$(BUILD)/pic/%.d)

# ---- the shim's hooks: their tests; what plt.py writes is checked in ----

HOOKS_SRC := $(sort $(wildcard shim/dlsym*.[cS] shim/launch*.c shim/nccl*.c shim/nvtx*.c)) shim/perthread.c shim/message_write.c shim/caller.c
HOOKS_DEPS := $(HOOKS_SRC) $(wildcard shim/*.h include/baton/*.h tests/shim/*.[ch] tests/shim/libs/*) shim/export.map
HOOKS_CC = $(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -fPIC -fvisibility=hidden -DXXH_INLINE_ALL -Ishim -Iinclude -Itests/shim -Itests/unit
HOOKS_OUT := $(BUILD)/tests/shim
HOOKS_LIBS := $(addprefix $(HOOKS_OUT)/,libcuda.so.1 libcudart.so.12 libnccl.so.2 libnccl_copy.so libone.so libtwo.so liblocal.so)
HOOKS_TESTS := $(addprefix $(HOOKS_OUT)/,nvtx_test nccl_test launch_test dlsym_test)
HOOKS_RPATH = -L$(HOOKS_OUT) -Wl,-rpath,$(abspath $(HOOKS_OUT)) -Wl,--no-as-needed

.PHONY: hooks-tests hooks-generate
hooks-tests: $(SHIM) $(HOOKS_TESTS) $(HOOKS_OUT)/shim_hooks.so

hooks-generate:
	$(PYTHON) shim/plt.py launch > shim/launch_plt.c
	$(PYTHON) shim/plt.py nccl > shim/nccl_plt.c

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
$(BUILD)/stop/%.o: shim/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -DSHIM_STOP_POINTS $(SHIM_FLAGS) $(SHIM_INCLUDES) -c $< -o $@
$(BUILD)/stop/%.o: shim/%.S $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) -c $< -o $@
$(BUILD)/tests/shim/kill_test: tests/shim/kill_test.c $(SHIM_STOP_OBJ) $(LIB)
	@mkdir -p $(@D)
	@echo "  test  $@"
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -DSHIM_STOP_POINTS -DXXH_INLINE_ALL $(SHIM_INCLUDES) -Ireducer -Itests/unit \
		-o $@ $< $(SHIM_STOP_OBJ) $(LIB) $(SHIM_LIBS) -lxxhash
$(BUILD)/tests/shim/core_test $(BUILD)/tests/shim/memory_test: $(BUILD)/tests/shim/%: tests/shim/%.c $(SHIM_OBJ)
	@mkdir -p $(@D)
	@echo "  test  $@"
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -DXXH_INLINE_ALL $(SHIM_INCLUDES) -Itests/unit -o $@ $< $(SHIM_OBJ) $(SHIM_LIBS)
$(BUILD)/tests/shim/replay_cupti.so: tests/shim/replay_cupti.c tests/gpu/probe/fixture.h $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) -std=c11 -D_GNU_SOURCE -g -O1 $(WARN) -fPIC -shared -o $@ $< -lpthread
$(BUILD)/tests/shim/replay: tests/shim/replay.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -o $@ $< -ldl
shim-tests: $(addprefix $(BUILD)/tests/shim/,core_test memory_test kill_test replay replay_cupti.so)
.PHONY: shim-tests
-include $(SHIM_STOP_OBJ:.o=.d)

# ---- what users run ----

demo: $(BUILD)/baton $(SHIM) doubles simtrain cupti
	@BUILD=$(BUILD) PYTHON=$(PYTHON) sh tools/demo_record.sh
	@BATON=$(BUILD)/baton PYTHON=$(PYTHON) sh tools/demo.sh

# Real PyTorch on the simulated GPUs. The doubles that it needs beside CUDA's own come with the target doubles.
TORCH_NEEDS := $(BUILD)/baton $(SHIM) doubles simtrain cupti
demo-torch: $(TORCH_NEEDS)
	@BUILD=$(BUILD) PYTHON=$(PYTHON) sh tools/demo_torch.sh

test-torch: $(TORCH_NEEDS)
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/torch/run.sh $(CASES)

test-torch-all: $(TORCH_NEEDS)
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/torch/run.sh --all $(CASES)

bench-torch: $(TORCH_NEEDS)
	@BUILD=$(BUILD) PYTHON=$(PYTHON) sh tools/bench/torch.sh
.PHONY: demo-torch test-torch test-torch-all bench-torch

test: $(BUILD)/baton $(BUILD)/digest $(SIM) $(SHIM) $(UNIT) $(SIM_UNIT) headers cupti hooks-tests shim-tests simtrain doubles
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/run.sh $(PARTS)

unit: $(UNIT) $(SIM_UNIT)
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/run.sh unit

fuzz: $(BUILD)/digest
	$(PYTHON) tests/fuzz/differential.py --digest $(BUILD)/digest --seed 1 --count 100000

accuracy: $(BUILD)/baton $(SIM)
	@BATON=$(BUILD)/baton PYTHON=$(PYTHON) ACCURACY_SCENARIOS=full ACCURACY_WRITE=docs/ACCURACY.md \
		sh tests/accuracy/run.sh 1000

bench: $(BUILD)/baton bench-record
	@BATON=$(BUILD)/baton PYTHON=$(PYTHON) sh tools/bench/run.sh

bench-record: $(BUILD)/baton $(SHIM) doubles simtrain cupti $(BUILD)/bench/libbench.so $(BUILD)/bench/fake_cupti.so
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tools/bench/record.sh
.PHONY: bench-record
$(BUILD)/bench/libbench.so: tools/bench/launch.c $(SHIM_OBJ)
	@mkdir -p $(@D)
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) $(SHIM_FLAGS) $(SHIM_INCLUDES) -shared -o $@ $< $(SHIM_OBJ) \
		-Wl,--exclude-libs,ALL $(SHIM_LIBS)
$(BUILD)/bench/fake_cupti.so: tools/bench/fake_cupti.c
	@mkdir -p $(@D)
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -fPIC -shared -o $@ $<

# the simulator's distributions, out of the sample traces
tables: $(BUILD)/baton
	$(PYTHON) tools/simgpu/tables.py --baton $< --data $(or $(BATON_DATA),../shared/data) --out tools/simgpu

bench-scale: $(BUILD)/baton $(SIM) $(BUILD)/decode_loop
	@BUILD=$(BUILD) PYTHON=$(PYTHON) sh tools/bench/scale.sh

$(BUILD)/decode_loop: tools/bench/decode_loop.c include/baton/reader.h include/baton/columns.h $(BUILD)/flags
	@$(CC) $(CFLAGS_ALL) -Iinclude -o $@ $< -lzstd -lxxhash

# ---- the GPU probe, and the fakes that its logic is tested over (never sanitized: run.sh's own build loads them too) ----

PROBE := $(BUILD)/probe
PROBE_FILES := $(wildcard tests/gpu/probe/*.[ch])
PROBE_SRC := $(filter-out %_test.c %_dump.c tests/gpu/probe/fake_%,$(filter %.c,$(PROBE_FILES)))
PROBE_CC = $(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -Itests/unit -o $@ $(filter %.c,$^)
PROBE_ALL := $(addprefix $(PROBE)/,probe fixture_test fixture_dump fake/libcupti.so.13 poor/libcupti.so.13)
probe: $(PROBE_ALL)
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/run.sh probe
test: $(PROBE_ALL)
.PHONY: probe
$(PROBE_ALL): $(filter %.h,$(PROBE_FILES)) $(BUILD)/flags
$(PROBE)/probe: $(PROBE_SRC)
	@mkdir -p $(@D)
	@$(PROBE_CC) -ldl
$(PROBE)/fixture_test: $(addprefix tests/gpu/probe/,fixture_test.c fixture_write.c cupti.c)
	@mkdir -p $(@D)
	@$(PROBE_CC) -ldl
$(PROBE)/fixture_dump: tests/gpu/probe/fixture_dump.c
	@mkdir -p $(@D)
	@$(PROBE_CC)
$(PROBE)/%/libcupti.so.13: tests/gpu/probe/fake_cuda.c tests/gpu/probe/fake_cudart.c tests/gpu/probe/fake_cupti.c
	@mkdir -p $(@D)
	@fake() { $(CC) -std=c11 -O2 $(WARN) $(WARN_C) -D_GNU_SOURCE -pthread -fPIC -shared "$$@"; }; \
	poor=$(if $(filter poor,$*),-DFAKE_POOR); \
	fake $$poor -Wl,-soname,libcuda.so.1 -o $(@D)/libcuda.so.1 tests/gpu/probe/fake_cuda.c && \
	fake -o $(@D)/libcudart.so.13 tests/gpu/probe/fake_cudart.c -L$(@D) -l:libcuda.so.1 && \
	fake $$poor -Wl,-soname,libcupti.so.13 -o $@ tests/gpu/probe/fake_cupti.c

# every header compiles alone
headers: $(HEADERS:%=$(BUILD)/headers/%.ok) $(SIM_HEADERS:%=$(BUILD)/headers/%.ok) $(SHIM_HEADERS:%=$(BUILD)/headers/%.ok)
$(SHIM_HEADERS:%=$(BUILD)/headers/%.ok): HEADER_INCLUDES := $(SHIM_INCLUDES)
$(SIM_HEADERS:%=$(BUILD)/headers/%.ok): HEADER_INCLUDES := $(SIM_INCLUDES)
HEADER_INCLUDES := $(REDUCER_INCLUDES)
$(BUILD)/headers/%.ok: % | build/deps.ok
	@mkdir -p $(@D)
	@$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -Wno-unused-function $(HEADER_INCLUDES) -fsyntax-only -x c $<
	@touch $@

man: $(MAN)
$(BUILD)/man/baton-%.1: $(BUILD)/baton
	@mkdir -p $(@D)
	$(BUILD)/baton man $* > $@

install: $(BUILD)/baton $(SHIM) $(MAN)
	install -D -m 755 $(BUILD)/baton $(DESTDIR)$(PREFIX)/bin/baton
	install -D -m 755 $(SHIM) $(DESTDIR)$(PREFIX)/lib/baton/libbaton.so
	install -D -m 644 $(SHIM_PYTHON) $(DESTDIR)$(PREFIX)/lib/baton/python/sitecustomize.py
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/include/baton
	install -m 644 $(MAN) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 include/baton/*.h $(DESTDIR)$(PREFIX)/include/baton

format:
	clang-format -i $(REDUCER_SRC) $(REDUCER_CXX) $(HEADERS) $(UNIT_SRC) tests/fuzz/digest.c \
		$(filter-out %/quantiles.c %/kernel_names.c,$(SIM_SRC)) $(SIM_HEADERS) $(SIM_UNIT_SRC) $(filter-out %_plt.c,$(filter %.c,$(SHIM_SRC))) $(SHIM_HEADERS) \
		$(wildcard tools/simgpu/rt/*.h tools/simgpu/rt/*/*.[ch] tests/double/*.c)

clean:
	rm -rf build

-include $(REDUCER_OBJ:.o=.d) $(SIM_OBJ:.o=.d) $(SHIM_OBJ:.o=.d) $(DRIVER_OBJ:.o=.d) \
	$(foreach n,12 13,$(RUNTIME_SRC:%.c=$(DOUBLES)/obj/runtime$(n)/%.d))
