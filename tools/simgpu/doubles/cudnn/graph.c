#include "doubles/cudnn/graph.h"

#include "doubles/cudnn/handle.h"

#include <string.h>

/* An operation that decides by itself what the graph is, and the tensor that says how large. */
static const struct {
	int operation, tensor;
	enum work_kind kind;
} deciding[] = {
	{DNN_CONV_FORWARD, DNN_CONV_FORWARD_Y, WORK_CONV_FORWARD},
	{DNN_CONV_DATA, DNN_CONV_DATA_DX, WORK_CONV_DATA},
	{DNN_CONV_FILTER, DNN_CONV_FILTER_DW, WORK_CONV_FILTER},
	{DNN_SDPA_FORWARD, DNN_SDPA_FORWARD_Q, WORK_SDPA_FORWARD},
	{DNN_SDPA_BACKWARD, DNN_SDPA_BACKWARD_Q, WORK_SDPA_BACKWARD},
	{DNN_NORM_FORWARD, DNN_NORM_FORWARD_X, WORK_NORM_FORWARD},
	{DNN_NORM_BACKWARD, DNN_NORM_BACKWARD_X, WORK_NORM_BACKWARD},
};

static void take_shape(const struct bag *tensor, struct work *work)
{
	const struct bag_value *type = tensor ? bag_get(tensor, DNN_TENSOR_TYPE) : NULL;
	const struct bag_value *dims = tensor ? bag_get(tensor, DNN_TENSOR_DIMENSIONS) : NULL;
	const struct bag_value *strides = tensor ? bag_get(tensor, DNN_TENSOR_STRIDES) : NULL;
	if (type && type->n > 0)
		memcpy(&work->type, type->data, sizeof(work->type));
	if (!dims)
		return;
	work->n_dims = dims->n < DNN_MAX_DIMENSIONS ? (int)dims->n : DNN_MAX_DIMENSIONS;
	memcpy(work->dims, dims->data, (size_t)work->n_dims * sizeof(int64_t));
	int64_t channel_stride = 0;
	if (strides && strides->n > 1)
		memcpy(&channel_stride, strides->data + sizeof(int64_t), sizeof(channel_stride));
	work->channels_last = work->n_dims > 2 && channel_stride == 1;
}

static bool decide(const struct bag *operation, struct work *work)
{
	for (size_t i = 0; i < sizeof(deciding) / sizeof(deciding[0]); i++)
		if (operation->type == deciding[i].operation) {
			work->kind = deciding[i].kind;
			take_shape(bag_descriptor(operation, deciding[i].tensor, 0), work);
			return true;
		}
	return false;
}

/* Attention written out: two products forward, five backward. */
static enum work_kind kind_of_products(int products)
{
	return products >= 4   ? WORK_SDPA_BACKWARD
		   : products >= 2 ? WORK_SDPA_FORWARD
		   : products == 1 ? WORK_MATMUL
						   : WORK_OTHER;
}

int graph_work(const struct bag *graph, struct work *work)
{
	const struct bag_value *operations = bag_get(graph, DNN_GRAPH_OPERATIONS);
	const struct bag *first_product = NULL, *first = NULL;
	int products = 0;
	*work = (struct work){0};
	for (int64_t i = 0; operations && i < operations->n; i++) {
		const struct bag *operation = bag_descriptor(graph, DNN_GRAPH_OPERATIONS, i);
		if (!operation || !operation->finalized)
			return dnn_refuse(DNN_NOT_FINALIZED, "an operation of the graph is not finalized");
		first = first ? first : operation;
		if (decide(operation, work))
			return DNN_OK;
		if (operation->type == DNN_MATMUL && ++products == 1)
			first_product = operation;
	}
	if (!first)
		return dnn_refuse(DNN_BAD_PARAM, "a graph without operations");
	work->kind = kind_of_products(products);
	if (first_product)
		take_shape(bag_descriptor(first_product, DNN_MATMUL_A, 0), work);
	else
		take_shape(bag_descriptor(first, DNN_POINTWISE_X, 0), work);
	return DNN_OK;
}
