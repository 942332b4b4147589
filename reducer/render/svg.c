#include "render/svg.h"

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

static const char style[] =
	"<style>\n"
	"svg{font:13px sans-serif;background:#fff}text{fill:#222}.axis{stroke:#888;fill:none}\n"
	".band{fill:#bbb;fill-opacity:.6;stroke:none}path{fill:none;stroke-width:1.2}\n"
	".l0{stroke:#1f5fa8}.l1{stroke:#c0392b}.l2{stroke:#1e8449}.l3{stroke:#8e44ad}\n"
	".b0{fill:#1f5fa8}.b1{fill:#c0392b}.b2{fill:#1e8449}.b3{fill:#8e44ad}\n"
	".l4{stroke:#b9770e}.l5{stroke:#117a8b}.l6{stroke:#943126}.l7{stroke:#566573}\n"
	"@media (prefers-color-scheme:dark){svg{background:#16181c}text{fill:#ddd}.band{fill:#555}\n"
	".l0{stroke:#6fb1ff}.l1{stroke:#ff7b6b}.l2{stroke:#6fdc96}.l3{stroke:#cf9bf0}\n"
	".b0{fill:#6fb1ff}.b1{fill:#ff7b6b}.b2{fill:#6fdc96}.b3{fill:#cf9bf0}\n"
	".l4{stroke:#f5b95b}.l5{stroke:#5fd4e6}.l6{stroke:#f1948a}.l7{stroke:#aeb6bf}}\n"
	"</style>\n";

void svg_text(FILE *out, const char *text)
{
	size_t left = strlen(text);
	while (left > 0) {
		uint32_t code;
		size_t n = utf8_decode(text, left, &code);
		if (n == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xfffe ||
			code == 0xffff)
			fputc('?', out);
		else if (code == '<' || code == '>' || code == '&' || code == '"')
			fprintf(out, "&#%u;", code);
		else
			fwrite(text, 1, n, out);
		n = n ? n : 1;
		text += n;
		left -= n;
	}
}

void svg_label(FILE *out, struct svg_place at, const char *text)
{
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", at.x, at.y, at.anchor);
	svg_text(out, text);
	fputs("</text>\n", out);
}

double svg_x(const struct svg_plot *p, double i)
{
	return SVG_LEFT + (p->n > 1 ? SVG_PLOT_WIDTH * i / (p->n - 1) : SVG_PLOT_WIDTH / 2.0);
}

double svg_y(const struct svg_plot *p, double ns)
{
	return SVG_TOP + SVG_PLOT_HEIGHT * (p->most - ns) / (p->most - p->least);
}

void svg_page(FILE *out, int height)
{
	fprintf(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n%s",
			SVG_WIDTH, height, style);
}

void svg_begin(struct svg_plot *p, const char *title, const char *x, const char *unit)
{
	char text[64];
	if (p->most <= p->least) {
		p->least -= p->unit;
		p->most += p->unit;
	}
	if (p->panel > 0)
		fprintf(p->out, "<svg y=\"%d\" width=\"%d\" height=\"%d\">\n", (p->panel - 1) * SVG_HEIGHT,
				SVG_WIDTH, SVG_HEIGHT);
	else
		svg_page(p->out, SVG_HEIGHT);
	svg_label(p->out, (struct svg_place){SVG_LEFT, 28, "start"}, title);
	svg_label(p->out, (struct svg_place){SVG_LEFT, SVG_TOP - 12, "end"}, unit);
	svg_label(p->out, (struct svg_place){SVG_LEFT + SVG_PLOT_WIDTH / 2, SVG_HEIGHT - 16, "middle"},
			  x);
	fprintf(p->out, "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n", SVG_LEFT, SVG_TOP,
			SVG_TOP + SVG_PLOT_HEIGHT, SVG_LEFT + SVG_PLOT_WIDTH);
	for (int i = 0; i <= SVG_TICKS; i++) {
		const double ns = p->least + (p->most - p->least) * i / SVG_TICKS;
		snprintf(text, sizeof(text), "%.4g", ns / p->unit);
		svg_label(p->out, (struct svg_place){SVG_LEFT - 6, (int)svg_y(p, ns) + 4, "end"}, text);
	}
}

void svg_x_ends(const struct svg_plot *p, int64_t first, int64_t last)
{
	char text[32];
	snprintf(text, sizeof(text), "%lld", (long long)first);
	svg_label(p->out, (struct svg_place){SVG_LEFT, SVG_TOP + SVG_PLOT_HEIGHT + 18, "middle"}, text);
	snprintf(text, sizeof(text), "%lld", (long long)last);
	svg_label(
		p->out,
		(struct svg_place){SVG_LEFT + SVG_PLOT_WIDTH, SVG_TOP + SVG_PLOT_HEIGHT + 18, "middle"},
		text);
}

void svg_key(const struct svg_plot *p, int line, const char *text)
{
	const int y = SVG_TOP + 16 + 20 * line, x = SVG_LEFT + SVG_PLOT_WIDTH + 16;
	fprintf(p->out, "<path class=\"l%d\" d=\"M%d %dh18\"/>\n", line % SVG_LINES, x, y - 4);
	svg_label(p->out, (struct svg_place){x + 24, y, "start"}, text);
}

void svg_end(const struct svg_plot *p)
{
	fputs("</svg>\n", p->out);
}
