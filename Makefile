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
LIBS := -lsimdjson -lsqlite3 -lz -lzstd -lxxhash -lpthread

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
MAN := $(patsubst %,$(BUILD)/man/baton-%.1,record import reduce report compare jitter whatif stats \
	classify export dump check doctor)

.PHONY: tables all help deps demo test unit fuzz accuracy bench bench-scale headers man install clean format
.PRECIOUS: $(BUILD)/%.o

all: $(BUILD)/baton $(BUILD)/digest $(SIM)

help:
	@echo "make              build build/release/baton (installs the libraries it needs when root)"
	@echo "make demo         import the sample traces, report and compare them"
	@echo "make test         all tests (unit, command line, format, fuzz, accuracy)"
	@echo "make fuzz         100,000 mutated files through both readers of the format"
	@echo "make accuracy     the attribution against the slow reference (1,000 random traces) and against the truth"
	@echo "                  of simulated runs; writes the table of docs/ACCURACY.md"
	@echo "make bench        speed and memory, printed with this machine's name"
	@echo "make bench-scale  a run of 960 ranks made and reduced (BENCH_RANKS=960; 1.3 GB free)"
	@echo "make man          the manual pages, build/release/man"
	@echo "make install      PREFIX=$(PREFIX) DESTDIR="
	@echo "make doubles      CUDA's libraries simulated in real time, build/release/simgpu (docs/SIMGPU.md)"
	@echo "make test PARTS=\"unit cli\"   only some of: unit format cli fuzz names double accuracy"
	@echo "variables         SAN=address,undefined | SAN=thread, WERROR=1, DEBUG=1"

# ---- what the build needs: headers and libraries, no GPU, no CUDA ----

deps: build/deps.ok
build/deps.ok: tools/deps.sh
	@mkdir -p build
	@sh tools/deps.sh
	@touch $@

# ---- objects; the flags are an input like any other ----

$(BUILD)/flags: force
	@mkdir -p $(BUILD)
	@echo '$(CC) $(CXX) $(CFLAGS_ALL) $(CXXFLAGS_ALL)' | cmp -s - $@ || \
		echo '$(CC) $(CXX) $(CFLAGS_ALL) $(CXXFLAGS_ALL)' > $@
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

doubles: $(DOUBLES)/libcuda.so.1 $(RUNTIMES)
.PHONY: doubles
all: doubles

$(DOUBLES)/obj/driver/%.o: %.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $@"
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -Itools/simgpu/rt/driver -c $< -o $@

$(DOUBLES)/libcuda.so.1: $(DRIVER_OBJ)
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
$(RUNTIMES): $(DOUBLES)/libcudart.so.%: $$(addprefix $(DOUBLES)/obj/runtime$$*/,$$(RUNTIME_SRC:.c=.o)) $(DOUBLES)/libcuda.so.1
	@echo "  link  $@"
	@echo 'libcudart.so.$* { global: *; };' > $(DOUBLES)/obj/cudart$*.map
	@$(CC) $(DOUBLE_FLAGS) -shared -Wl,-soname,libcudart.so.$* -Wl,--version-script=$(DOUBLES)/obj/cudart$*.map \
		-Wl,-rpath,'$$ORIGIN' -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs -o $@ $(filter %.o,$^) -L$(DOUBLES) -l:libcuda.so.1 -ldl
	@ln -sf libcudart.so.13 $(DOUBLES)/libcudart.so

# ---- the doubles of NCCL and NVML, on the libcuda double; the training job on all of them ----

RT := $(DOUBLES)
RT_HEADERS := $(wildcard tools/simgpu/rt/*.h tools/simgpu/rt/nccl/*.h tools/simgpu/rt/nvml/*.h)
PLAIN_CFLAGS = $(filter-out -MMD -MP,$(DOUBLE_FLAGS))
$(RT)/libnccl.so.2: $(sort $(wildcard tools/simgpu/rt/nccl/*.c))
$(RT)/libnvidia-ml.so.1: $(sort $(wildcard tools/simgpu/rt/nvml/*.c))
$(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1: $(RT)/libcuda.so.1 $(RT_HEADERS) $(BUILD)/flags
	@echo "  link  $@"
	@$(CC) $(PLAIN_CFLAGS) -fwrapv -shared -Wl,-soname,$(@F) \
		-Wl,-z,defs -Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.c,$^) $(RT)/libcuda.so.1

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
	@$(CC) $(PLAIN_CFLAGS) -shared -o $@ $< -ldl
$(RT)/libcount.so: tests/double/count.c $(RT_HEADERS) $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(PLAIN_CFLAGS) -shared -Itools/simgpu/rt -o $@ $< -ldl
$(RT)/nvtx_listener.so: tests/double/nvtx_listener.c $(BUILD)/flags
	@mkdir -p $(@D)
	@$(CC) $(PLAIN_CFLAGS) -shared -o $@ $<
$(RT)/nccl_test $(RT)/nvml_test: $(RT)/%: tests/double/%.c $(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1 \
		$(RT)/libcudart.so.12 $(BUILD)/flags
	@$(CC) $(PLAIN_CFLAGS) -Itools/simgpu/rt -Itools/simgpu/rt/nccl -Itools/simgpu/rt/nvml \
		-Wl,-rpath,'$$ORIGIN' -o $@ $< $(filter %.so.1 %.so.2 %.so.12,$^) $(RT)/libcuda.so.1 -lm

TRAIN := $(BUILD)/simtrain $(BUILD)/simtrain13 $(BUILD)/simlaunch $(BUILD)/simcaller $(CALLERS) \
	$(RT)/libcount.so $(RT)/nvtx_listener.so $(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1 $(RT)/nccl_test $(RT)/nvml_test
.PHONY: simtrain
simtrain: $(TRAIN)
all: simtrain
test: simtrain

# ---- what users run ----

demo: $(BUILD)/baton
	@BATON=$(BUILD)/baton PYTHON=$(PYTHON) sh tools/demo.sh

test: $(BUILD)/baton $(BUILD)/digest $(SIM) $(UNIT) $(SIM_UNIT) headers doubles
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/run.sh $(PARTS)

unit: $(UNIT) $(SIM_UNIT)
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/run.sh unit

fuzz: $(BUILD)/digest
	$(PYTHON) tests/fuzz/differential.py --digest $(BUILD)/digest --seed 1 --count 100000

accuracy: $(BUILD)/baton $(SIM)
	@BATON=$(BUILD)/baton PYTHON=$(PYTHON) ACCURACY_SCENARIOS=full ACCURACY_WRITE=docs/ACCURACY.md \
		sh tests/accuracy/run.sh 1000

bench: $(BUILD)/baton
	@BATON=$(BUILD)/baton PYTHON=$(PYTHON) sh tools/bench/run.sh

# the simulator's distributions, out of the sample traces
tables: $(BUILD)/baton
	$(PYTHON) tools/simgpu/tables.py --baton $< --data $(or $(BATON_DATA),../shared/data) > tools/simgpu/tables.c.new
	mv tools/simgpu/tables.c.new tools/simgpu/tables.c

bench-scale: $(BUILD)/baton $(SIM) $(BUILD)/decode_loop
	@BUILD=$(BUILD) PYTHON=$(PYTHON) sh tools/bench/scale.sh

$(BUILD)/decode_loop: tools/bench/decode_loop.c include/baton/reader.h include/baton/columns.h $(BUILD)/flags
	@$(CC) $(CFLAGS_ALL) -Iinclude -o $@ $< -lzstd -lxxhash

# every header compiles alone
headers: $(HEADERS:%=$(BUILD)/headers/%.ok) $(SIM_HEADERS:%=$(BUILD)/headers/%.ok)
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

install: $(BUILD)/baton $(MAN)
	install -D -m 755 $(BUILD)/baton $(DESTDIR)$(PREFIX)/bin/baton
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/include/baton
	install -m 644 $(MAN) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 include/baton/*.h $(DESTDIR)$(PREFIX)/include/baton

format:
	clang-format -i $(REDUCER_SRC) $(REDUCER_CXX) $(HEADERS) $(UNIT_SRC) tests/fuzz/digest.c \
		$(SIM_SRC) $(SIM_HEADERS) $(SIM_UNIT_SRC) $(wildcard tools/simgpu/rt/*.h tools/simgpu/rt/*/*.[ch] tests/double/*.c)

clean:
	rm -rf build

-include $(REDUCER_OBJ:.o=.d) $(SIM_OBJ:.o=.d) $(DRIVER_OBJ:.o=.d) $(foreach n,12 13,$(RUNTIME_SRC:%.c=$(DOUBLES)/obj/runtime$(n)/%.d))
