/* Plots as plain SVG, without scripts; colours follow the reader's light or dark theme. */
#ifndef RENDER_SVG_H
#define RENDER_SVG_H

#include <stdint.h>
#include <stdio.h>

enum {
	SVG_WIDTH = 1000,
	SVG_HEIGHT = 420,
	SVG_LEFT = 80,
	SVG_TOP = 60,
	SVG_PLOT_WIDTH = 740,
	SVG_PLOT_HEIGHT = 300,
	SVG_LINES = 8, /* colours of lines, classes l0 to l7; of bars b0 to b3 */
	SVG_TICKS = 4
};

struct svg_plot {
	FILE *out;
	double least, most; /* of y, in ns or what it is */
	double unit;        /* how much of that the axis shows as 1 */
	uint32_t n;         /* points of x */
	int panel; /* 0: a file of its own; else, from 1, its place below the others of a page */
};

struct svg_place {
	int x, y;
	const char *anchor;
};

/* A page with room for panels; end it with "</svg>". */
void svg_page(FILE *out, int height);
/* Title, axes and ticks of y; `x` and `unit` say what the axes are. */
void svg_begin(struct svg_plot *plot, const char *title, const char *x, const char *unit);
void svg_end(const struct svg_plot *plot);
/* The first and the last value of x. */
void svg_x_ends(const struct svg_plot *plot, int64_t first, int64_t last);
/* What line i means. */
void svg_key(const struct svg_plot *plot, int line, const char *text);
/* Text of unknown origin. */
void svg_text(FILE *out, const char *text);
void svg_label(FILE *out, struct svg_place at, const char *text);
double svg_x(const struct svg_plot *plot, double i);
double svg_y(const struct svg_plot *plot, double value);

#endif
