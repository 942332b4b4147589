/* The screen of `baton top` as lines of text: of a view and what the person at the keyboard chose.
 * It knows nothing of terminals. */
#ifndef TOP_BOARD_H
#define TOP_BOARD_H

#include "render/text.h"
#include "top/view.h"

enum top_order {
	TOP_BY_RANK,
	TOP_BY_STEP,
	TOP_BY_LATE,
	TOP_BY_COMPUTING,
	TOP_BY_IDLE,
	TOP_BY_LOST,
	TOP_ORDERS
};

struct top_board {
	const char *dir;
	const char *notice;   /* what is wrong; NULL: nothing */
	enum top_order order; /* the largest first, but ranks */
	bool paused, help, topology;
	uint32_t chosen; /* line of the table; its row's leaves stand below */
	bool moved;      /* else the slowest row is the chosen one */
	uint32_t first;  /* line of the table that is shown first */
};

/* All of a view, for a file: no line is left out. */
void top_board_plain(const struct top_board *board, const struct top_view *view,
					 const struct screen *screen);
/* At most `height` lines; moves `first` so that the chosen row is shown. `view` NULL: nothing is
 * known yet. */
void top_board_draw(struct top_board *board, const struct top_view *view,
					const struct screen *screen, int height);

#endif
