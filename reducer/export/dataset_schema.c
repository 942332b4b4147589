#include "export/dataset_schema.h"

#define COLUMN(id, name, type) {name, DATASET_##type},
static const struct dataset_column kernels[] = {DATASET_KERNELS_COLUMNS(COLUMN)};
static const struct dataset_column calls[] = {DATASET_CALLS_COLUMNS(COLUMN)};
static const struct dataset_column gaps[] = {DATASET_GAPS_COLUMNS(COLUMN)};
static const struct dataset_column collectives[] = {DATASET_COLLECTIVES_COLUMNS(COLUMN)};
static const struct dataset_column ranges[] = {DATASET_RANGES_COLUMNS(COLUMN)};
static const struct dataset_column steps[] = {DATASET_STEPS_COLUMNS(COLUMN)};
static const struct dataset_column stacks[] = {DATASET_STACKS_COLUMNS(COLUMN)};
static const struct dataset_column gauges[] = {DATASET_GAUGES_COLUMNS(COLUMN)};

const struct dataset_table dataset_tables[DATASET_TABLES] = {
	[DATASET_KERNELS] = {"kernels", kernels, KERNEL_COLUMNS, true},
	[DATASET_CALLS] = {"calls", calls, CALL_ROW_COLUMNS, true},
	[DATASET_GAPS] = {"gaps", gaps, GAP_COLUMNS, true},
	[DATASET_COLLECTIVES] = {"collectives", collectives, COLLECTIVE_COLUMNS, true},
	[DATASET_RANGES] = {"ranges", ranges, RANGE_ROW_COLUMNS, true},
	[DATASET_STEPS] = {"steps", steps, STEP_COLUMNS, false},
	[DATASET_STACKS] = {"stacks", stacks, STACK_COLUMNS, false},
	[DATASET_GAUGES] = {"gauges", gauges, GAUGE_ROW_COLUMNS, false},
};
