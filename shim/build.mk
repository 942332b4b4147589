# The shim is a library of its own: C, hidden symbols but for shim/export.map, zstd and xxHash inside.
SHIM_INCLUDES := -Ishim -Iinclude
SHIM_FLAGS := -fPIC -fvisibility=hidden -DXXH_INLINE_ALL $(if $(SAN),,-include shim/base/glibc.h)
SHIM_FOLDERS := shim $(addprefix shim/,base ring drain) $(wildcard shim/sources/*)
SHIM_SRC := $(sort $(wildcard $(SHIM_FOLDERS:%=%/*.c)) $(wildcard shim/*_$(shell uname -m).S))
# the wrappers that differ only in their arguments
SHIM_WRAPPERS := $(addprefix $(BUILD)/shim/sources/,launch/launch_wrappers.c nccl/nccl_wrappers.c)
SHIM_OBJ := $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(SHIM_SRC)))) $(SHIM_WRAPPERS:.c=.o)
SHIM_OBJ += $(CODEC_RECORDER:%=$(BUILD)/shim/codec/%.o)
SHIM_LIBS := -l:libzstd.a $(if $(SAN),-lpthread -ldl,-Wl$(comma)--no-as-needed -l:libpthread.so.0 -l:libdl.so.2)
SHIM := $(BUILD)/libbaton.so
SHIM_PYTHON := $(BUILD)/python/sitecustomize.py
SHIM_HEADERS := $(sort $(wildcard $(SHIM_FOLDERS:%=%/*.h)))

$(BUILD)/shim/%.o: shim/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(SHIM_FLAGS) $(SHIM_INCLUDES) -c $< -o $@

$(BUILD)/shim/codec/%.o: include/codec/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $< for libbaton.so"
	@$(CC) $(CFLAGS_ALL) $(SHIM_FLAGS) -Iinclude -c $< -o $@

$(BUILD)/shim/%_wrappers.c: shim/wrappers.py | build/deps.ok
	@mkdir -p $(@D)
	@$(PYTHON) $< $(notdir $*) > $@

$(SHIM_WRAPPERS:.c=.o): %.o: %.c $(BUILD)/flags | build/deps.ok
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

-include $(SHIM_OBJ:.o=.d)
