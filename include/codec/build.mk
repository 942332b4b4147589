# The codec of the format: what include/baton/ declares. The reducer and the simulator share these objects; the shim
# compiles what a recorder needs of it once more, for itself: hidden, position-independent, with xxHash inside (shim/build.mk).

CODEC_SRC := $(sort $(wildcard include/codec/*.c))
CODEC_OBJ := $(CODEC_SRC:include/%.c=$(BUILD)/%.o)
CODEC_RECORDER := bitplane columns_encode drain encoder live predict writer

$(BUILD)/codec/%.o: include/codec/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) -Iinclude -c $< -o $@

-include $(CODEC_OBJ:.o=.d)
