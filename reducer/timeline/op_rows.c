#include "timeline/op_rows.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

int op_rows_add(struct op_rows *rows, const struct op_row *row)
{
	if (room_for((void **)&rows->at, rows->n, &rows->room, 4096, sizeof(*rows->at)) != 0)
		return -ENOMEM;
	rows->at[rows->n++] = *row;
	return 0;
}

void op_rows_free(struct op_rows *rows)
{
	free(rows->at);
	*rows = (struct op_rows){0};
}
