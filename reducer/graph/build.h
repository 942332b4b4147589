/* Builds the model of a run's sample. */
#ifndef GRAPH_BUILD_H
#define GRAPH_BUILD_H

#include "graph/model.h"
#include "graph/sample.h"

/* Fills `model`, sealed; free it with model_free() also after an error. 0 or -errno. */
int model_build(struct model *model, struct sample *sample);

#endif
