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
# Invariants are tested where speed is no matter (reducer/base/holds.h).
CHECKS := $(if $(DEBUG)$(SAN),-DBATON_CHECKS)
COMMON := $(OPT) $(WARN) $(SANFLAGS) $(CHECKS) -D_GNU_SOURCE -MMD -MP -pthread
CFLAGS_ALL := -std=c11 $(COMMON) $(WARN_C) $(CFLAGS)
CXXFLAGS_ALL := -std=c++17 -fno-exceptions -fno-rtti $(COMMON) $(CXXFLAGS)

MAN := $(BUILD)/man/baton.1 $(patsubst %,$(BUILD)/man/baton-%.1,record import reduce merge report top metrics compare jitter whatif stragglers stats \
	classify export dump check doctor)

# What is built where: the parts with names of their own, beside what they build.
.DEFAULT_GOAL := all
include include/codec/build.mk reducer/build.mk tools/mpi/build.mk tools/simgpu/build.mk shim/build.mk tools/simgpu/doubles/build.mk tools/simtrain/build.mk tools/probe/build.mk tests/build.mk

.PHONY: tables all help deps demo test unit fuzz accuracy bench bench-scale headers man install clean format
.PRECIOUS: $(BUILD)/%.o
.DELETE_ON_ERROR:

all: $(BUILD)/baton $(BUILD)/digest $(SIM) $(SHIM) mpi

help:
	@echo "make              build build/release/baton (installs the libraries it needs when root)"
	@echo "make demo         record 1, 2 and 4 simulated GPUs, report and compare; then the sample traces"
	@echo "make test         all tests (unit, command line, format, fuzz, accuracy)"
	@echo "make demo-torch   the same with real PyTorch and torchrun on simulated GPUs (installs PyTorch without CUDA, 1.3 GB)"
	@echo "make test-torch   real PyTorch with and without the recorder; test-torch-all: torch.compile and a second release too"
	@echo "make bench-torch  what recording costs a PyTorch program, against torch.profiler"
	@echo "make fuzz         100,000 mutated files through both readers, 1,000 hostile directories through all commands"
	@echo "make hard         the twenty rows of docs/RELIABILITY.md, hours; it goes on where it stopped (tests/hard/reached)"
	@echo "                  ROWS=\"1 3 13\": these; SECONDS_A_ROW=60: less of each; AGAIN=1: from the beginning"
	@echo "make accuracy     the attribution against the slow reference (1,000 random traces) and against the truth"
	@echo "                  of scenarios and of 600 random jobs (FAMILY=\"--seed 7\": others)"
	@echo "                  of simulated runs; writes the table of docs/ACCURACY.md"
	@echo "make probe        the GPU probe over fakes; on a machine with a GPU: sh tools/probe/run.sh OUT_DIR"
	@echo "make bench        speed and memory, printed with this machine's name (bench-record: recording alone; with"
	@echo "                  BEFORE=DIR, a build directory of another state, its launch path in turn with that)"
	@echo "make bench-scale  a run of 960 ranks made and reduced (BENCH_RANKS=960; 1.3 GB free), and other tools beside"
	@echo "                  baton jitter on a smaller run (BENCH_OTHERS=48 ranks; 0: none; installs them, 1 GB)"
	@echo "make bench-level  what baton record --level summary costs a job, and how exact it is (ROUNDS=3, STEPS=1500)"
	@echo "make bench-top    what baton top costs a job beside it, and how soon it names a slow GPU (ROUNDS=5, STEPS=400)"
	@echo "make pictures     the pictures in README.md and docs, from simulated runs (those of the page need a Chromium)"
	@echo "make bench-page   the page of a run of 960 ranks: bytes, first paint, interactions (PAGE_RANKS=960; node, chromium)"
	@echo "make page         build reducer/page/template.html anew from tools/page (node and npm; it is checked in)"
	@echo "make mpi          baton-mpi, where there is an MPI (Open MPI, MPICH); make builds it too; deps-mpi installs one"
	@echo "make man          the manual pages, build/release/man"
	@echo "make install      PREFIX=$(PREFIX) DESTDIR="
	@echo "make doubles      CUDA's libraries simulated in real time, build/release/simgpu (docs/SIMGPU.md)"
	@echo "make format       clang-format 14 over the sources; format-check: would it change anything"
	@echo "make test PARTS=\"unit cli\"   only some parts of it (tests/run.sh lists them); PARTS=cli/by: one case"
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

$(BUILD)/flags: force | build/deps.ok
	@mkdir -p $(BUILD)
	@echo '$(CC) $(CXX) $(CFLAGS_ALL) $(CXXFLAGS_ALL) $(SHIM_FLAGS) $(DOUBLE_FLAGS)' | cmp -s - $@ || \
		echo '$(CC) $(CXX) $(CFLAGS_ALL) $(CXXFLAGS_ALL) $(SHIM_FLAGS) $(DOUBLE_FLAGS)' > $@
.PHONY: force

# ---- what users run ----

demo: $(BUILD)/baton $(SIM) $(SHIM) doubles simtrain cupti # baton-sim: the README goes on with it
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

# What a part of the tests needs; the parts that are not here need all. What a sanitizer is not built into is made once: no header is
# compiled alone for it, and there are no doubles.
TEST_ALL = $(BUILD)/baton $(BUILD)/digest $(BUILD)/tests/commands $(SIM) $(SHIM) $(UNIT) $(SIM_UNIT) hooks-tests shim-tests $(PROBE_ALL) \
	$(if $(SAN),,$(MPI) headers cupti hard-programs simtrain doubles)
NEEDS_floors =
NEEDS_unit = $(UNIT) $(SIM_UNIT)
NEEDS_format = $(BUILD)/baton $(BUILD)/digest
NEEDS_fuzz = $(BUILD)/digest $(BUILD)/baton $(BUILD)/tests/commands
NEEDS_names = $(BUILD)/baton
NEEDS_accuracy = $(BUILD)/baton $(SIM)
NEEDS_page = $(BUILD)/baton $(SIM)
NEEDS_probe = $(BUILD)/baton $(PROBE_ALL) $(if $(SAN),,$(SHIM) doubles simtrain cupti)
# Under a sanitizer most shim cases are left out, and those that are not preload into the programs of build/release.
NEEDS_shim = $(if $(SAN),$(BUILD)/baton $(SIM) $(SHIM) hooks-tests shim-tests,$(TEST_ALL))
NEEDS_KNOWN := floors unit format fuzz names accuracy probe page shim
PARTS_OF = $(foreach part,$(PARTS),$(firstword $(subst /, ,$(part)))) # of cli/by: cli
test: $(if $(PARTS),$(if $(filter-out $(NEEDS_KNOWN),$(PARTS_OF)),$(TEST_ALL),$(foreach part,$(PARTS_OF),$(NEEDS_$(part)))),$(TEST_ALL))
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/run.sh $(PARTS)

test-build: $(TEST_ALL) # all that the tests need, and no test
.PHONY: test-build

unit: $(UNIT) $(SIM_UNIT)
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tests/run.sh unit

fuzz: $(NEEDS_fuzz)
	$(PYTHON) tests/fuzz/differential.py --digest $(BUILD)/digest --seed 1 --count 100000
	$(PYTHON) tests/fuzz/hostile.py --baton $(BUILD)/baton --commands $(BUILD)/tests/commands --seed $(or $(SEED),1) --count 1000 \
		$(if $(STATE),--state $(STATE))

hard: $(BUILD)/baton $(SIM) $(MPI) $(SHIM) doubles simtrain cupti shim-tests $(PROBE_ALL) hard-programs
	@BUILD=$(BUILD) $(PYTHON) tests/hard/hard.py --rows "$(ROWS)" --seconds $(or $(SECONDS_A_ROW),7200) --state "$(or $(HARD_STATE),tests/hard/reached)" \
		$(if $(AGAIN),--again)
.PHONY: hard

accuracy: $(BUILD)/baton $(SIM)
	@BATON=$(BUILD)/baton PYTHON=$(PYTHON) ACCURACY_SCENARIOS=full ACCURACY_WRITE=docs/ACCURACY.md \
		sh tests/accuracy/run.sh 1000

bench: $(BUILD)/baton $(SIM) bench-record
	@BATON=$(BUILD)/baton SIM=$(SIM) PYTHON=$(PYTHON) sh tools/bench/run.sh

bench-record: $(BUILD)/baton $(SHIM) doubles simtrain cupti $(BUILD)/bench/libbench.so $(BUILD)/tests/shim/replay_cupti.so
	@BUILD=$(BUILD) PYTHON=$(PYTHON) bash tools/bench/record.sh
.PHONY: bench-record
$(BUILD)/bench/libbench.so: tools/bench/launch.c $(SHIM_OBJ)
	@mkdir -p $(@D)
	@$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) $(SHIM_FLAGS) $(SHIM_INCLUDES) -shared -o $@ $< $(SHIM_OBJ) \
		-Wl,--exclude-libs,ALL $(SHIM_LIBS)

bench-scale: $(BUILD)/baton $(SIM) $(BUILD)/decode_loop $(BUILD)/jitter_loop $(BUILD)/peak $(BUILD)/stages
	@BUILD=$(BUILD) PYTHON=$(PYTHON) sh tools/bench/scale.sh

# The page that --html writes. What it is built into is checked in, so that nothing else needs node.
page:
	@sh tools/page/build.sh reducer/page/template.html
bench-page: $(BUILD)/baton $(SIM)
	@BUILD=$(BUILD) sh tools/bench/page.sh
.PHONY: page bench-page
pictures: $(BUILD)/baton $(SIM)
	@$(PYTHON) tools/pictures.py $(BUILD)
.PHONY: pictures
bench-level: $(BUILD)/baton $(SIM) $(SHIM) doubles simtrain cupti
	@$(PYTHON) tools/bench/level.py $(BUILD)
.PHONY: bench-level
bench-top: $(BUILD)/baton $(SIM) $(SHIM) doubles simtrain cupti
	@$(PYTHON) tools/bench/top.py $(BUILD)
.PHONY: bench-top

$(BUILD)/decode_loop: tools/bench/decode_loop.c $(CODEC_OBJ) $(BUILD)/flags
	@$(CC) $(CFLAGS_ALL) -Iinclude -o $@ $< $(CODEC_OBJ) -lzstd -lxxhash

$(BUILD)/jitter_loop: tools/bench/jitter_loop.c $(BUILD)/flags
	@$(CC) $(CFLAGS_ALL) -o $@ $< -lm
$(BUILD)/peak: tools/bench/peak.c $(BUILD)/flags
	@$(CC) $(CFLAGS_ALL) -o $@ $<

# baton with a clock at the borders of its stages: the functions that stages.c stands before.
STAGES := run_open trace_open baton_reader_load baton_columns_decode foreseen_tell device_scan device_scan_keep consensus_propose \
	device_visit device_attribute verdict_add summary_merge summary_sort describe_run summary_store figures_compute findings_make \
	report_json jitter_json reference_find jitter_verdict_make step_ops_read step_ops_read_kept
$(BUILD)/stages.o: tools/bench/stages.c $(BUILD)/flags
	@$(CC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -c $< -o $@
$(BUILD)/stages: $(BUILD)/stages.o $(BUILD)/reducer/main.o $(LIB)
	@echo "  link  $@"
	@$(CXX) $(SANFLAGS) $(STAGES:%=-Wl,--wrap=%) -o $@ $^ $(LIBS)
-include $(BUILD)/stages.d $(BUILD)/decode_loop.d $(BUILD)/jitter_loop.d $(BUILD)/peak.d

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
$(MAN): $(BUILD)/man/%.1: $(BUILD)/baton
	@mkdir -p $(@D)
	@$(BUILD)/baton man $(patsubst baton-%,%,$*) > $@

SHELLS := $(addprefix $(BUILD)/completion/,bash zsh fish)
$(SHELLS): $(BUILD)/baton
	@mkdir -p $(@D)
	@$(BUILD)/baton completion $(@F) > $@

install: $(BUILD)/baton $(MPI) $(SHIM) $(MAN) $(SHELLS)
	install -D -m 755 $(BUILD)/baton $(DESTDIR)$(PREFIX)/bin/baton
	$(if $(MPI),install -D -m 755 $(MPI) $(DESTDIR)$(PREFIX)/bin/baton-mpi)
	install -D -m 755 $(SHIM) $(DESTDIR)$(PREFIX)/lib/baton/libbaton.so
	install -D -m 644 $(SHIM_PYTHON) $(DESTDIR)$(PREFIX)/lib/baton/python/sitecustomize.py
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/include/baton/format $(DESTDIR)$(PREFIX)/share/baton/codec
	install -m 644 $(MAN) $(DESTDIR)$(PREFIX)/share/man/man1
	install -D -m 644 $(BUILD)/completion/bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/baton
	install -D -m 644 $(BUILD)/completion/zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_baton
	install -D -m 644 $(BUILD)/completion/fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/baton.fish
	install -m 644 include/baton/*.h $(DESTDIR)$(PREFIX)/include/baton
	install -m 644 include/baton/format/*.h $(DESTDIR)$(PREFIX)/include/baton/format
	install -m 644 $(CODEC_SRC) $(DESTDIR)$(PREFIX)/share/baton/codec

FORMATTED = tools/mpi/baton_mpi.c $(CODEC_SRC) $(REDUCER_SRC) $(REDUCER_CXX) $(HEADERS) $(UNIT_SRC) tests/fuzz/digest.c tests/fuzz/commands.c tests/hard/fuzz.c tests/hard/fuzz_team.c tests/hard/fuzz_team.h \
	$(filter-out %/quantiles.c %/kernel_names.c,$(SIM_SRC)) $(SIM_HEADERS) $(SIM_UNIT_SRC) \
	$(filter %.c,$(SHIM_SRC)) $(SHIM_HEADERS) \
	$(shell find tools/simgpu/doubles tools/simgpu/values -name '*.[ch]') $(wildcard tests/double/*.c)
format:
	@sh tools/format.sh -i $(FORMATTED)

format-check:
	@sh tools/format.sh --dry-run -Werror $(FORMATTED)
.PHONY: format-check

clean:
	rm -rf build
