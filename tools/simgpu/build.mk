# The simulator in virtual time: an archive and its program, baton-sim. (doubles/build.mk: the libraries in real time.)

# The simulator sees the format and nothing of the reducer; nor does the reducer see it.
SIM_INCLUDES := -Itools/simgpu -Iinclude
SIM_SRC := $(sort $(shell find tools/simgpu/engine tools/simgpu/virtual -name '*.c'))
SIM_OBJ := $(SIM_SRC:%.c=$(BUILD)/%.o)
SIM_LIB := $(BUILD)/libsimgpu.a
SIM_MAIN := $(BUILD)/tools/simgpu/virtual/main.o
SIM := $(if $(filter $(SIM_MAIN),$(SIM_OBJ)),$(BUILD)/baton-sim)
SIM_LIBS := -lzstd -lxxhash -lpthread
SIM_HEADERS := $(sort $(shell find tools/simgpu/engine tools/simgpu/virtual -name '*.h'))

$(SIM_OBJ): $(BUILD)/%.o: %.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(SIM_INCLUDES) -c $< -o $@

$(SIM_LIB): $(filter-out $(SIM_MAIN),$(SIM_OBJ)) $(CODEC_OBJ)
	@rm -f $@
	@$(AR) qcs $@ $^ # q, not r: files of one name in two rooms

$(BUILD)/baton-sim: $(SIM_MAIN) $(SIM_LIB)
	@echo "  link  $@"
	@$(CC) $(SANFLAGS) -o $@ $^ $(SIM_LIBS)

# the simulator's distributions, out of the sample traces
tables: $(BUILD)/baton
	$(PYTHON) tools/simgpu/virtual/draw/tables.py --baton $< --data $(or $(BATON_DATA),../shared/data) --out tools/simgpu/virtual/draw

-include $(SIM_OBJ:.o=.d)
