# The reducer: an archive and its program, baton.

REDUCER_INCLUDES := -Ireducer -Iinclude
REDUCER_SRC := $(sort $(wildcard reducer/*.c reducer/*/*.c reducer/*/*/*.c))
REDUCER_CXX := $(sort $(wildcard reducer/*/*.cpp reducer/*/*/*.cpp))
REDUCER_OBJ := $(REDUCER_SRC:%.c=$(BUILD)/%.o) $(REDUCER_CXX:%.cpp=$(BUILD)/%.o)
LIB := $(BUILD)/libreducer.a
HEADERS := $(sort $(wildcard include/baton/*.h include/baton/*/*.h reducer/*.h reducer/*/*.h reducer/*/*/*.h))
LIBS := -lsimdjson -lsqlite3 -lz -lzstd -lxxhash -lpthread -ldl -lm

$(BUILD)/reducer/%.o: reducer/%.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -c $< -o $@

$(BUILD)/reducer/%.o: reducer/%.cpp $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  c++   $<"
	@$(CXX) $(CXXFLAGS_ALL) $(REDUCER_INCLUDES) -c $< -o $@

$(BUILD)/reducer/page/template.o: reducer/page/template.html

$(LIB): $(filter-out $(BUILD)/reducer/main.o,$(REDUCER_OBJ)) $(CODEC_OBJ)
	@rm -f $@
	@$(AR) rcs $@ $^

$(BUILD)/baton: $(BUILD)/reducer/main.o $(LIB)
	@echo "  link  $@"
	@$(CXX) $(SANFLAGS) -o $@ $^ $(LIBS)

-include $(REDUCER_OBJ:.o=.d)
