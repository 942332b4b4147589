/* What curing a loss of all ranks wins, as the replay says it. */
#ifndef CONCLUDE_FINDING_GAIN_H
#define CONCLUDE_FINDING_GAIN_H

#include "conclude/finding.h"

/* What the step would win without it on all ranks, where a replay asked; and its rank by that. Of a
 * finding that is a part of a loss of `whole_ns`: so much of that. */
void finding_take_gain(const struct finding_source *m, int64_t whole_ns, struct finding *out);
/* How severe it is by its gain, where that says more than its share. */
void finding_judge_gain(const struct finding_source *m, struct finding *loss);
/* Where the replay does not know why much of the step took so long, its gains are not told. */
void finding_say_unsized(const struct finding_source *m, struct finding *out);
/* What a step without any transfer, or copy, would win: nothing tells how fast they should be. */
void finding_say_transfer_gain(const struct finding_source *m, struct finding *out);
void finding_say_hidden_transfers(const struct finding_source *m, struct finding *out);
void finding_say_copies_gain(const struct finding_source *m, struct finding *out);

#endif
