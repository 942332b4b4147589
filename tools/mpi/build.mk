# baton-mpi, where there is an MPI: mpicc of Open MPI or MPICH, or MPICC=.

ifeq ($(origin MPICC),undefined)
MPICC := $(firstword $(foreach cc,mpicc mpicc.openmpi mpicc.mpich,$(shell command -v $(cc) 2>/dev/null)))
endif
MPI := $(if $(MPICC),$(BUILD)/baton-mpi)

# The wrapper knows where its MPI is; ours is C++ because of simdjson.
$(BUILD)/tools/mpi/baton_mpi.o: tools/mpi/baton_mpi.c $(BUILD)/flags | build/deps.ok
	@mkdir -p $(@D)
	@echo "  mpicc $<"
	@$(MPICC) $(CFLAGS_ALL) $(REDUCER_INCLUDES) -c $< -o $@

$(BUILD)/baton-mpi: $(BUILD)/tools/mpi/baton_mpi.o $(LIB)
	@echo "  link  $@"
	@$(MPICC) $(SANFLAGS) -o $@ $^ $(LIBS) -lstdc++

.PHONY: mpi deps-mpi
mpi: $(MPI)
	@$(if $(MPI),,echo "baton-mpi is not built: no mpicc found (Debian: openmpi-bin libopenmpi-dev, or mpich libmpich-dev; MPICC= names one)")

# Open MPI from Debian, 40 MB: not part of `make deps`, as everything else works without.
deps-mpi:
	@if [ -n "$(MPICC)" ]; then echo "MPI: $(MPICC)"; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends openmpi-bin libopenmpi-dev \
			>build/deps-mpi.log 2>&1; then echo "MPI: installed"; \
	else echo "no MPI (Debian: openmpi-bin libopenmpi-dev): baton-mpi is not built, its test is skipped"; fi

-include $(BUILD)/tools/mpi/baton_mpi.d
