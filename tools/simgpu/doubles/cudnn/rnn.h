/* Recurrent networks: what a call comes down to. */
#ifndef SIMGPU_DOUBLES_CUDNN_RNN_H
#define SIMGPU_DOUBLES_CUDNN_RNN_H

#include "doubles/cudnn/dnn_abi.h"

struct rnn;
struct descriptor;
struct dnn_handle;

enum rnn_pass { RNN_INFERENCE, RNN_TRAINING, RNN_BACKWARD_DATA, RNN_BACKWARD_WEIGHTS };

int rnn_gates(const struct rnn *rnn);
/* How long the vectors are that a pseudo-layer takes. */
int rnn_input(const struct rnn *rnn, int pseudo_layer);
/* Launches a pass over the data `x`. A status. */
int rnn_launch(const struct descriptor *rnn, const struct descriptor *x, enum rnn_pass pass,
			   const struct dnn_handle *handle);

#endif
