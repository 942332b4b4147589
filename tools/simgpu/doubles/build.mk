# CUDA's libraries, simulated in real time: libcuda.so.1, libcudart.so.12 and .13 (docs/SIMGPU.md). They are the tests'
# surroundings, loaded into programs without a sanitizer: SAN= does not touch them, DOUBLE_SAN=thread does.

DOUBLES := $(BUILD)/simgpu
DOUBLE_INCLUDES := -Itools/simgpu
DOUBLE_FLAGS := -std=c11 $(OPT) $(WARN) $(WARN_C) -D_GNU_SOURCE -MMD -MP -pthread -fPIC -fvisibility=hidden \
	$(if $(DOUBLE_SAN),-fsanitize=$(DOUBLE_SAN) -fno-omit-frame-pointer) $(CFLAGS)
DRIVER_SRC := $(sort $(shell find tools/simgpu/engine tools/simgpu/values tools/simgpu/doubles/driver -name '*.c'))
DRIVER_OBJ := $(DRIVER_SRC:%.c=$(DOUBLES)/obj/driver/%.o)
RUNTIME_SRC := $(sort $(wildcard tools/simgpu/doubles/runtime/*.c))
RUNTIMES := $(DOUBLES)/libcudart.so.12 $(DOUBLES)/libcudart.so.13

doubles: $(DOUBLES)/libcuda.so.1 $(RUNTIMES) $(addprefix $(DOUBLES)/,libnccl.so.2 libnvidia-ml.so.1 libcupti.so.12 libcupti.so.13)
.PHONY: doubles
all: doubles

# What PyTorch imports and no source defines is written by stubs.py, from lists that are part of the tree (imports.py).
IMPORTS := $(sort $(wildcard tools/simgpu/doubles/stubs/*.txt))
STUBS := tools/simgpu/doubles/stubs/stubs.py
WRITE_STUBS = mkdir -p $(@D) && $(PYTHON) $(STUBS) $(1) $@ $(@:.c=.map) $(IMPORTS) $(filter %.o,$^)

$(DOUBLES)/obj/driver/%.o: %.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $@"
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -c $< -o $@

$(DOUBLES)/obj/driver/stubs.c: $(DRIVER_OBJ) $(STUBS) $(IMPORTS)
	@$(call WRITE_STUBS,libcuda.so.1)
$(DOUBLES)/obj/driver/stubs.o: $(DOUBLES)/obj/driver/stubs.c tools/simgpu/doubles/stubs/stub.h $(BUILD)/flags
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -c $< -o $@

$(DOUBLES)/libcuda.so.1: $(DRIVER_OBJ) $(DOUBLES)/obj/driver/stubs.o
	@echo "  link  $@"
	@echo '{ global: cu*; simgpu_*; local: *; };' > $(DOUBLES)/obj/cuda.map
	@$(CC) $(DOUBLE_FLAGS) -shared -Wl,-soname,libcuda.so.1 -Wl,--version-script=$(DOUBLES)/obj/cuda.map -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs -o $@ $^ -ldl -lm
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
$(foreach n,12 13,$(DOUBLES)/obj/runtime$(n)/stubs.o): %.o: %.c tools/simgpu/doubles/stubs/stub.h $(BUILD)/flags
	@$(CC) $(DOUBLE_FLAGS) $(DOUBLE_INCLUDES) -c $< -o $@
$(RUNTIMES): $(DOUBLES)/libcudart.so.%: $$(addprefix $(DOUBLES)/obj/runtime$$*/,$$(RUNTIME_SRC:.c=.o) stubs.o) $(DOUBLES)/libcuda.so.1
	@echo "  link  $@"
	@echo 'libcudart.so.$* { global: *; };' > $(DOUBLES)/obj/cudart$*.map
	@$(CC) $(DOUBLE_FLAGS) -shared -Wl,-soname,libcudart.so.$* -Wl,--version-script=$(DOUBLES)/obj/cudart$*.map \
		-Wl,-rpath,'$$ORIGIN' -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs -o $@ $(filter %.o,$^) -L$(DOUBLES) -l:libcuda.so.1 -ldl
	@ln -sf libcudart.so.13 $(DOUBLES)/libcudart.so

# ---- the libraries of which PyTorch needs a few functions, or only that they are there. What the sources in the directory
# after ':' define is exported when it begins as the library's functions do (stubs.py); the rest is stubs.

LIBRARIES := libcublas.so.12:cublas libcublas.so.13:cublas libcublasLt.so.12:cublas libcublasLt.so.13:cublas libcudnn.so.9:cudnn \
	libnvrtc.so.12:nvrtc libnvrtc.so.13:nvrtc libcufft.so.11:cufft libcufft.so.12:cufft libcurand.so.10: libcusparse.so.12: \
	libcusparseLt.so.0: libcusolver.so.11: libcusolver.so.12: libcufile.so.0: libnvshmem_host.so.3:
SONAME = $(firstword $(subst :, ,$(1)))
SOURCES = $(if $(word 2,$(subst :, ,$(1))),$(sort $(wildcard tools/simgpu/doubles/shared/*.c tools/simgpu/doubles/$(word 2,$(subst :, ,$(1)))/*.c)))
doubles: $(foreach l,$(LIBRARIES),$(DOUBLES)/$(call SONAME,$(l)))

# library SONAME, its sources: compiled for one major release, CUDA_MAJOR
define library
$(DOUBLES)/obj/$(1)/%.o: %.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $$(@D)
	@echo "  cc    $$@"
	@$(CC) $(DOUBLE_FLAGS) -fvisibility=default $(DOUBLE_INCLUDES) -DCUDA_MAJOR=$(patsubst .%,%,$(suffix $(1))) -c $$< -o $$@
$(DOUBLES)/obj/$(1)/stubs.c: $(2:%.c=$(DOUBLES)/obj/$(1)/%.o) $(STUBS) $(IMPORTS)
	@$$(call WRITE_STUBS,$(1))
$(DOUBLES)/$(1): $(DOUBLES)/obj/$(1)/stubs.c $(2:%.c=$(DOUBLES)/obj/$(1)/%.o) $(DOUBLES)/libcuda.so.1 tools/simgpu/doubles/stubs/stub.h
	@echo "  link  $$@"
	@$(CC) $(filter-out -MMD -MP,$(DOUBLE_FLAGS)) $(DOUBLE_INCLUDES) -shared -Wl,-soname,$(1) -Wl,--version-script=$$(<:.c=.map) \
		-Wl,-rpath,'$$$$ORIGIN' -Wl,-Bsymbolic-functions -Wl,-z,nodelete,-z,defs -o $$@ $$(filter %.c %.o,$$^) \
		-L$(DOUBLES) -Wl,--as-needed -l:libcuda.so.1 -ldl -lm
-include $(2:%.c=$(DOUBLES)/obj/$(1)/%.d)
endef
$(foreach l,$(LIBRARIES),$(eval $(call library,$(call SONAME,$(l)),$(call SOURCES,$(l)))))

# ---- the doubles of NCCL and NVML, on the libcuda double ----

RT := $(BUILD)/simgpu
RT_HEADERS := $(wildcard tools/simgpu/doubles/*.h tools/simgpu/doubles/nccl/*.h tools/simgpu/doubles/nvml/*.h)
PLAIN_CFLAGS = $(filter-out -MMD -MP $(SANFLAGS),$(CFLAGS_ALL))
NCCL_OBJ := $(patsubst %.c,$(RT)/obj/nccl/%.o,$(sort $(wildcard tools/simgpu/doubles/nccl/*.c)))
$(RT)/obj/nccl/%.o: %.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $@"
	@$(CC) $(DOUBLE_FLAGS) -fwrapv $(DOUBLE_INCLUDES) -c $< -o $@
$(RT)/obj/nccl/stubs.c: $(NCCL_OBJ) $(STUBS) $(IMPORTS)
	@$(call WRITE_STUBS,libnccl.so.2)
-include $(NCCL_OBJ:.o=.d)
$(RT)/libnccl.so.2: $(RT)/obj/nccl/stubs.c $(NCCL_OBJ)
$(RT)/libnvidia-ml.so.1: $(sort $(wildcard tools/simgpu/doubles/nvml/*.c))
$(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1: $(RT)/libcuda.so.1 $(RT_HEADERS) $(BUILD)/flags
	@echo "  link  $@"
	@$(CC) $(PLAIN_CFLAGS) $(DOUBLE_INCLUDES) -fPIC -fvisibility=hidden -fwrapv -shared -Wl,-soname,$(@F) \
		-Wl,-z,defs -Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.c %.o,$^) $(RT)/libcuda.so.1

# ---- the libcupti double, as three sonames ----

CUPTI_DIR := tools/simgpu/doubles/cupti
CUPTI_ALL := $(sort $(wildcard $(CUPTI_DIR)/*.c $(CUPTI_DIR)/calls/*.c))
CUPTI_SRC := $(filter-out %_main.c,$(CUPTI_ALL))
CUPTI_OBJ := $(filter-out %/release.o,$(CUPTI_SRC:%.c=$(BUILD)/pic/%.o))
CUPTI_LIBS := $(addprefix $(BUILD)/simgpu/libcupti.so.,11.8 12 13)

$(BUILD)/pic/$(CUPTI_DIR)/%.o: $(CUPTI_DIR)/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) -fPIC -fvisibility=hidden $(DOUBLE_INCLUDES) -c $< -o $@

CUPTI_RELEASES := $(addprefix $(BUILD)/pic/$(CUPTI_DIR)/release-,11.8.o 12.o 13.o)
$(CUPTI_RELEASES): $(BUILD)/pic/$(CUPTI_DIR)/release-%.o: $(CUPTI_DIR)/release.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS_ALL) -fPIC -fvisibility=hidden -DCUPTI_MAJOR='"$(basename $*)"' $(DOUBLE_INCLUDES) -c $< -o $@

# 13 came with a second way to subscribe, 12 with hardware tracing
CUPTI_HIDDEN_11.8 := cuptiSubscribe_v2; cuptiActivityEnableHWTrace;
CUPTI_HIDDEN_12. := cuptiSubscribe_v2;
$(CUPTI_LIBS): $(BUILD)/simgpu/libcupti.so.%: $(BUILD)/pic/$(CUPTI_DIR)/release-%.o $(CUPTI_OBJ)
	@mkdir -p $(@D)
	@echo "  link  $@"
	@echo '$(@F) { global: cupti*; local: $(CUPTI_HIDDEN_$(if $(suffix $*),$*,$*.)) *; };' > $@.map
	@$(CC) $(SANFLAGS) -shared -o $@ -Wl,-soname,$(@F) -Wl,--version-script,$@.map -Wl,-z,nodelete $^ -ldl -lpthread

-include $(CUPTI_OBJ:.o=.d) $(CUPTI_RELEASES:.o=.d)
-include $(DRIVER_OBJ:.o=.d) $(foreach n,12 13,$(RUNTIME_SRC:%.c=$(DOUBLES)/obj/runtime$(n)/%.d))
