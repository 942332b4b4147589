# The training job on the doubles, its launcher, and programs that launch in other ways.

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

TRAIN := $(BUILD)/simtrain $(BUILD)/simtrain13 $(BUILD)/simlaunch $(BUILD)/simcaller $(CALLERS) $(RT)/libnccl.so.2 $(RT)/libnvidia-ml.so.1
.PHONY: simtrain
simtrain: $(TRAIN)
