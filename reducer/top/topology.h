/* How the GPUs of a node are connected: the matrix of nvidia-smi topo -m, as text and as JSON. */
#ifndef TOP_TOPOLOGY_H
#define TOP_TOPOLOGY_H

#include "render/json.h"
#include "render/text.h"
#include "top/view.h"

/* Of the node `host`; NULL: of all. */
void topology_text(const struct top_view *view, const char *host, const struct screen *screen);
void topology_json(struct json *json, const struct top_view *view);

#endif
