/* Recurrent networks: descriptors, where a weight lies in the weights' space, sizes of the other
 * spaces. Matrices of all pseudo-layers (a layer's two directions are two) come first, then biases;
 * a matrix or a bias per gate, those for the input before those for the state. */
#include "doubles/cudnn/rnn.h"

#include "doubles/cudnn/descriptor.h"
#include "doubles/cudnn/handle.h"

#include <stdlib.h>
#include <string.h>

enum { CELL_RELU, CELL_TANH, CELL_LSTM, CELL_GRU };
enum { BIASES_NONE, BIASES_INPUT, BIASES_BOTH, BIASES_STATE };
enum { DIRECTION_BOTH = 1 };

DNN_API(int, cudnnSetRNNDescriptor_v8, void *handle, int algorithm, int cell, int biases,
		int direction, int input_mode, int type, int precision, int math, int input, int hidden,
		int projection, int layers, void *dropout, unsigned flags)
{
	struct descriptor *d = descriptor_of(handle, DESCRIPTOR_RNN);
	(void)input_mode, (void)precision, (void)flags;
	if (!d || !descriptor_of(dropout, DESCRIPTOR_DROPOUT))
		return dnn_refuse(DNN_NULL_POINTER, "no RNN descriptor, or no dropout descriptor");
	if (cell < CELL_RELU || cell > CELL_GRU || biases < BIASES_NONE || biases > BIASES_STATE)
		return dnn_refuse(DNN_BAD_PARAM, "no such cell, or no such biases");
	if (input < 1 || hidden < 1 || layers < 1 || projection < 1 || projection > hidden)
		return dnn_refuse(DNN_BAD_PARAM, "a size below 1, or a projection longer than its cell");
	if (projection != hidden && cell != CELL_LSTM)
		return dnn_refuse(DNN_NOT_SUPPORTED, "only LSTMs have projections");
	d->type = type;
	d->math = math;
	d->rnn = (struct rnn){.algorithm = algorithm,
						  .cell = cell,
						  .biases = biases,
						  .directions = direction == DIRECTION_BOTH ? 2 : 1,
						  .layers = layers,
						  .input = input,
						  .hidden = hidden,
						  .projection = projection};
	return DNN_OK;
}

DNN_API(int, cudnnSetRNNDataDescriptor, void *handle, int type, int layout, int steps, int batch,
		int vector, const int *lengths, void *padding)
{
	struct descriptor *d = descriptor_of(handle, DESCRIPTOR_RNN_DATA);
	int positions = 0;
	(void)layout, (void)padding;
	if (!d || !lengths)
		return dnn_refuse(DNN_NULL_POINTER, "no RNN data descriptor, or no lengths");
	if (steps < 1 || batch < 1 || vector < 1)
		return dnn_refuse(DNN_BAD_PARAM, "a size below 1");
	for (int i = 0; i < batch; positions += lengths[i++])
		if (lengths[i] < 0 || lengths[i] > steps)
			return dnn_refuse(DNN_BAD_PARAM, "a sequence longer than the longest");
	d->type = type;
	d->steps = steps;
	d->batch = batch;
	d->positions = positions;
	d->dims[0] = vector;
	return DNN_OK;
}

/* ---- weights ---- */

static size_t type_bytes(int type)
{
	return type == DNN_DOUBLE ? 8 : type == DNN_FLOAT ? 4 : 2;
}

int rnn_gates(const struct rnn *rnn)
{
	return rnn->cell == CELL_LSTM ? 4 : rnn->cell == CELL_GRU ? 3 : 1;
}

int rnn_input(const struct rnn *rnn, int pseudo_layer)
{
	return pseudo_layer < rnn->directions ? rnn->input : rnn->projection * rnn->directions;
}

static int columns(const struct rnn *rnn, int pseudo_layer, int id)
{
	return id < rnn_gates(rnn)       ? rnn_input(rnn, pseudo_layer)
		   : id < 2 * rnn_gates(rnn) ? rnn->projection
									 : rnn->hidden;
}

static bool has_projection(const struct rnn *rnn)
{
	return rnn->projection != rnn->hidden;
}

/* Elements of the matrices of a pseudo-layer before `id`. */
static size_t matrices_before(const struct rnn *rnn, int pseudo_layer, int id)
{
	size_t n = 0;
	for (int i = 0; i < id; i++)
		n += (size_t)(i == 2 * rnn_gates(rnn) ? rnn->projection : rnn->hidden) *
			 (size_t)columns(rnn, pseudo_layer, i);
	return n;
}

static int biases_of(const struct rnn *rnn)
{
	int gates = rnn_gates(rnn);
	return rnn->biases == BIASES_NONE ? 0 : rnn->biases == BIASES_BOTH ? 2 * gates : gates;
}

/* The bias of a linear layer among those there are; -1: it has none. */
static int bias_of(const struct rnn *rnn, int id)
{
	int gates = rnn_gates(rnn), index = rnn->biases == BIASES_STATE ? id - gates : id;
	return id < 2 * gates && index >= 0 && index < biases_of(rnn) ? index : -1;
}

static size_t all_matrices(const struct rnn *rnn, int before)
{
	size_t n = 0;
	for (int i = 0; i < before; i++)
		n += matrices_before(rnn, i, 2 * rnn_gates(rnn) + has_projection(rnn));
	return n;
}

static size_t weight_bytes(const struct descriptor *d)
{
	int layers = d->rnn.layers * d->rnn.directions;
	size_t biases = (size_t)layers * (size_t)biases_of(&d->rnn) * (size_t)d->rnn.hidden;
	return (all_matrices(&d->rnn, layers) + biases) * type_bytes(d->type);
}

DNN_API(int, cudnnGetRNNWeightSpaceSize, void *handle, const void *rnn, size_t *bytes)
{
	const struct descriptor *d = descriptor_of(rnn, DESCRIPTOR_RNN);
	if (!dnn_handle_of(handle) || !d || !bytes)
		return dnn_refuse(DNN_NULL_POINTER, "no handle, RNN descriptor, or place for the size");
	*bytes = weight_bytes(d);
	return DNN_OK;
}

static void set_matrix(struct descriptor *out, int type, int rows, int n_columns)
{
	const int dims[3] = {1, rows, n_columns}, strides[3] = {rows * n_columns, n_columns, 1};
	out->type = type;
	out->n_dims = 3;
	memcpy(out->dims, dims, sizeof(dims));
	memcpy(out->strides, strides, sizeof(strides));
}

static void *weight_at(const struct descriptor *d, const void *space, size_t element)
{
	return (char *)(uintptr_t)space + element * type_bytes(d->type);
}

/* Where a weight lies: the matrix, the bias or both. Address 0: there is no such weight. */
DNN_API(int, cudnnGetRNNWeightParams, void *handle, const void *rnn, int pseudo_layer, size_t bytes,
		const void *space, int id, void *matrix, void **matrix_address, void *bias,
		void **bias_address)
{
	const struct descriptor *d = descriptor_of(rnn, DESCRIPTOR_RNN);
	struct descriptor *m = descriptor_of(matrix, DESCRIPTOR_TENSOR);
	struct descriptor *b = descriptor_of(bias, DESCRIPTOR_TENSOR);
	if (!dnn_handle_of(handle) || !d || (m && !matrix_address) || (b && !bias_address))
		return dnn_refuse(DNN_NULL_POINTER, "no handle, RNN descriptor, or place for an address");
	const struct rnn *r = &d->rnn;
	int gates = rnn_gates(r), layers = r->layers * r->directions, index = bias_of(r, id);
	if (pseudo_layer < 0 || pseudo_layer >= layers || id < 0 || id > 2 * gates ||
		bytes < weight_bytes(d))
		return dnn_refuse(DNN_BAD_PARAM, "no such layer or matrix, or the space is too short");
	if (m) {
		bool there = id < 2 * gates || has_projection(r);
		size_t at = all_matrices(r, pseudo_layer) + matrices_before(r, pseudo_layer, id);
		set_matrix(m, d->type, id < 2 * gates ? r->hidden : r->projection,
				   columns(r, pseudo_layer, id));
		*matrix_address = there ? weight_at(d, space, at) : NULL;
	}
	if (b) {
		size_t at = (size_t)(pseudo_layer * biases_of(r) + index) * (size_t)r->hidden;
		set_matrix(b, d->type, r->hidden, 1);
		*bias_address = index < 0 ? NULL : weight_at(d, space, all_matrices(r, layers) + at);
	}
	return DNN_OK;
}

/* ---- spaces ---- */

/* Gates of every position: of one layer to work in, of all to come back to. */
static size_t gate_bytes(const struct descriptor *d, const struct descriptor *x)
{
	size_t each = (size_t)rnn_gates(&d->rnn) * (size_t)d->rnn.hidden * type_bytes(d->type);
	return (size_t)x->steps * (size_t)x->batch * (size_t)d->rnn.directions * each;
}

static size_t reserve_bytes(const struct descriptor *d, const struct descriptor *x)
{
	return 2 * (size_t)d->rnn.layers * gate_bytes(d, x);
}

DNN_API(int, cudnnGetRNNTempSpaceSizes, void *handle, const void *rnn, int training, const void *x,
		size_t *work, size_t *reserve)
{
	const struct descriptor *d = descriptor_of(rnn, DESCRIPTOR_RNN);
	const struct descriptor *data = descriptor_of(x, DESCRIPTOR_RNN_DATA);
	if (!dnn_handle_of(handle) || !d || !data)
		return dnn_refuse(DNN_NULL_POINTER, "no handle, or no descriptor");
	if (work)
		*work = gate_bytes(d, data);
	if (reserve)
		*reserve = training ? reserve_bytes(d, data) : 0;
	return DNN_OK;
}

/* ---- calls ---- */

struct spaces {
	size_t weight_bytes, work_bytes, reserve_bytes;
};

static int run(void *handle, const void *rnn, enum rnn_pass pass, const void *x_descriptor,
			   const struct spaces *spaces, bool pointers)
{
	const struct dnn_handle *dnn = dnn_handle_of(handle);
	const struct descriptor *d = descriptor_of(rnn, DESCRIPTOR_RNN);
	const struct descriptor *x = descriptor_of(x_descriptor, DESCRIPTOR_RNN_DATA);
	if (!dnn || !d || !x || !pointers)
		return dnn_refuse(DNN_NULL_POINTER, "RNN: no handle, descriptor or data");
	if (x->dims[0] != d->rnn.input || x->type != d->type)
		return dnn_refuse(DNN_BAD_PARAM, "RNN: the input is of another size or type");
	if (spaces->weight_bytes < weight_bytes(d) || spaces->work_bytes < gate_bytes(d, x) ||
		(pass != RNN_INFERENCE && spaces->reserve_bytes < reserve_bytes(d, x)))
		return dnn_refuse(DNN_BAD_PARAM, "RNN: a space is too short");
	return rnn_launch(d, x, pass, dnn);
}

DNN_API(int, cudnnRNNForward, void *handle, const void *rnn, int training, const int *lengths,
		const void *x_descriptor, const void *x, const void *y_descriptor, void *y,
		const void *h_descriptor, const void *hx, void *hy, const void *c_descriptor,
		const void *cx, void *cy, size_t weight_space_bytes, const void *weights, size_t work_bytes,
		void *work, size_t reserve_space_bytes, void *reserve)
{
	const struct spaces spaces = {weight_space_bytes, work_bytes, reserve_space_bytes};
	(void)lengths, (void)h_descriptor, (void)hx, (void)hy, (void)c_descriptor, (void)cx, (void)cy;
	(void)reserve;
	return run(handle, rnn, training ? RNN_TRAINING : RNN_INFERENCE, x_descriptor, &spaces,
			   x && y && weights && work && descriptor_of(y_descriptor, DESCRIPTOR_RNN_DATA));
}

DNN_API(int, cudnnRNNBackwardData_v8, void *handle, const void *rnn, const int *lengths,
		const void *y_descriptor, const void *y, const void *dy, const void *x_descriptor, void *dx,
		const void *h_descriptor, const void *hx, const void *dhy, void *dhx,
		const void *c_descriptor, const void *cx, const void *dcy, void *dcx,
		size_t weight_space_bytes, const void *weights, size_t work_bytes, void *work,
		size_t reserve_space_bytes, void *reserve)
{
	const struct spaces spaces = {weight_space_bytes, work_bytes, reserve_space_bytes};
	(void)lengths, (void)h_descriptor, (void)hx, (void)dhy, (void)dhx, (void)c_descriptor;
	(void)cx, (void)dcy, (void)dcx;
	return run(handle, rnn, RNN_BACKWARD_DATA, x_descriptor, &spaces,
			   y && dy && dx && weights && work && reserve &&
				   descriptor_of(y_descriptor, DESCRIPTOR_RNN_DATA));
}

DNN_API(int, cudnnRNNBackwardWeights_v8, void *handle, const void *rnn, int add, const int *lengths,
		const void *x_descriptor, const void *x, const void *h_descriptor, const void *hx,
		const void *y_descriptor, const void *y, size_t weight_space_bytes, void *d_weights,
		size_t work_bytes, void *work, size_t reserve_space_bytes, void *reserve)
{
	const struct spaces spaces = {weight_space_bytes, work_bytes, reserve_space_bytes};
	(void)add, (void)lengths, (void)h_descriptor, (void)hx;
	return run(handle, rnn, RNN_BACKWARD_WEIGHTS, x_descriptor, &spaces,
			   x && y && d_weights && work && reserve &&
				   descriptor_of(y_descriptor, DESCRIPTOR_RNN_DATA));
}
