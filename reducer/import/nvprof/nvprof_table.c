#include "import/nvprof/nvprof_table.h"

#include "base/decimal.h"

#include <string.h>

/* ---- columns ---- */

static const char *const names[NVPROF_FIELDS] = {
	[NVPROF_START] = "Start",
	[NVPROF_DURATION] = "Duration",
	[NVPROF_GRID] = "Grid X",
	[NVPROF_GRID + 1] = "Grid Y",
	[NVPROF_GRID + 2] = "Grid Z",
	[NVPROF_BLOCK] = "Block X",
	[NVPROF_BLOCK + 1] = "Block Y",
	[NVPROF_BLOCK + 2] = "Block Z",
	[NVPROF_REGISTERS] = "Registers Per Thread",
	[NVPROF_STATIC] = "Static SMem",
	[NVPROF_DYNAMIC] = "Dynamic SMem",
	[NVPROF_SIZE] = "Size",
	[NVPROF_SOURCE] = "SrcMemType",
	[NVPROF_TARGET] = "DstMemType",
	[NVPROF_DEVICE] = "Device",
	[NVPROF_CONTEXT] = "Context",
	[NVPROF_STREAM] = "Stream",
	[NVPROF_SOURCE_DEVICE] = "Src Dev",
	[NVPROF_TARGET_DEVICE] = "Dst Dev",
	[NVPROF_NAME] = "Name",
	[NVPROF_CORRELATION] = "Correlation_ID",
};

static bool is(const struct csv_cell *cell, const char *text)
{
	return cell->bytes == strlen(text) && memcmp(cell->at, text, cell->bytes) == 0;
}

static int field_of(const struct csv_cell *cell)
{
	for (int field = 0; field < NVPROF_FIELDS; field++)
		if (is(cell, names[field]))
			return field;
	return -1;
}

enum nvprof_line nvprof_line_of(const char *line, size_t bytes)
{
	const char *at = line, *end = line + bytes;
	const struct csv_cell first = csv_cell_next(&at, end);
	const struct csv_cell second = at ? csv_cell_next(&at, end) : (struct csv_cell){.at = ""};
	if (is(&first, "Start") && is(&second, "Duration"))
		return NVPROF_TRACE;
	if (is(&first, "Time(%)") || (is(&first, "Type") && is(&second, "Time(%)")))
		return NVPROF_SUMMARY;
	if (is(&first, "Device") && (is(&second, "Kernel") || is(&second, "Context")))
		return NVPROF_METRICS;
	return NVPROF_OTHER;
}

const char *nvprof_table_head(struct nvprof_table *table, const char *line, size_t bytes)
{
	const char *end = line + bytes;
	*table = (struct nvprof_table){0};
	for (const char *at = line; at;) {
		const struct csv_cell cell = csv_cell_next(&at, end);
		const int field = field_of(&cell);
		if (table->n_columns == NVPROF_COLUMNS_MOST)
			return "more than 64 columns";
		if (field >= 0 && table->has[field])
			return "two columns have one name";
		if (field >= 0)
			table->has[field] = true;
		table->field[table->n_columns++] = (int8_t)field;
	}
	return table->has[NVPROF_NAME] ? NULL : "no column Name";
}

/* ---- units ---- */

static bool time_unit(const struct csv_cell *cell, int *scale)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	for (int i = 0; i < 4; i++)
		if (is(cell, units[i])) {
			*scale = 3 * i;
			return true;
		}
	return false;
}

static bool size_unit(const struct csv_cell *cell, int *scale)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	for (int i = 0; i < 5; i++)
		if (is(cell, units[i])) {
			*scale = i;
			return true;
		}
	return false;
}

const char *nvprof_table_units(struct nvprof_table *table, const char *line, size_t bytes)
{
	const char *end = line + bytes;
	size_t n = 0;
	for (const char *at = line; at; n++) {
		const struct csv_cell cell = csv_cell_next(&at, end);
		const int field = n < table->n_columns ? table->field[n] : -1;
		const bool time = field == NVPROF_START || field == NVPROF_DURATION;
		const bool size = field == NVPROF_SIZE || field == NVPROF_STATIC || field == NVPROF_DYNAMIC;
		if (time && !time_unit(&cell, &table->scale[field]))
			return "no row of units (s, ms, us or ns) after the names of the columns, so its times "
				   "cannot be read";
		if (size && cell.bytes > 0 && !size_unit(&cell, &table->scale[field]))
			return "a size has a unit that is none of B, KB, MB, GB and TB";
	}
	return n == table->n_columns ? NULL : "as many units as columns are expected";
}

/* ---- rows ---- */

size_t nvprof_table_row(const struct nvprof_table *table, const char *line, size_t bytes,
						struct csv_cell cells[NVPROF_FIELDS])
{
	const char *end = line + bytes;
	size_t n = 0;
	memset(cells, 0, NVPROF_FIELDS * sizeof(*cells));
	for (const char *at = line; at; n++) {
		const struct csv_cell cell = csv_cell_next(&at, end);
		if (cell.open)
			return n < table->n_columns ? n : n + 1;
		if (n < table->n_columns && table->field[n] >= 0)
			cells[table->field[n]] = cell;
	}
	return n;
}

bool nvprof_time(const struct nvprof_table *table, const struct csv_cell *cells,
				 enum nvprof_field field, int64_t *ns)
{
	return cells[field].bytes > 0 &&
		   decimal_scaled(cells[field].at, cells[field].bytes, table->scale[field], ns) == 0;
}

/* nvprof's KB is 1,024 bytes. The printed digits seldom hit a whole byte. */
bool nvprof_bytes(const struct nvprof_table *table, const struct csv_cell *cells,
				  enum nvprof_field field, int64_t *bytes)
{
	int64_t millionths;
	if (cells[field].bytes == 0 ||
		decimal_scaled(cells[field].at, cells[field].bytes, 6, &millionths) != 0 || millionths < 0)
		return false;
	const __int128 exact =
		(((__int128)millionths << (10 * table->scale[field])) + 500000) / 1000000;
	*bytes = exact < INT64_MAX ? (int64_t)exact : INT64_MAX;
	return true;
}

bool nvprof_number(const struct csv_cell *cells, enum nvprof_field field, int64_t *number)
{
	return cells[field].bytes > 0 &&
		   decimal_scaled(cells[field].at, cells[field].bytes, 0, number) == 0;
}

int64_t nvprof_digit_ns(const struct nvprof_table *table, const struct csv_cell *cells,
						enum nvprof_field field)
{
	const struct csv_cell *cell = &cells[field];
	const char *point = memchr(cell->at, '.', cell->bytes);
	int places = table->scale[field] - (point ? (int)(cell->at + cell->bytes - point) - 1 : 0);
	int64_t ns = places > 0;
	for (; places > 0; places--)
		ns *= 10;
	return ns;
}
