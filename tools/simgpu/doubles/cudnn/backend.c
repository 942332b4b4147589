/* The exported functions of the graph interface. A plan launches what its engine's graph is; there
 * is one engine, index 0, without knobs, notes and workspace. */
#include "doubles/cudnn/bag.h"
#include "doubles/cudnn/graph.h"
#include "doubles/cudnn/handle.h"

#include <string.h>

DNN_API(int, cudnnBackendCreateDescriptor, int type, void **descriptor)
{
	if (!descriptor)
		return dnn_refuse(DNN_NULL_POINTER, "no place for the descriptor");
	if (type < 0 || type > DNN_DESCRIPTOR_LAST)
		return dnn_refuse(DNN_DESCRIPTOR_TYPE, "no such type of descriptor");
	*descriptor = bag_new(type);
	return *descriptor ? DNN_OK : dnn_refuse(DNN_NO_HOST_MEMORY, "no memory");
}

DNN_API(int, cudnnBackendDestroyDescriptor, void *descriptor)
{
	struct bag *bag = bag_of(descriptor);
	if (!descriptor)
		return DNN_OK;
	if (!bag)
		return dnn_refuse(DNN_BAD_PARAM, "not a descriptor");
	bag_free(bag);
	return DNN_OK;
}

DNN_API(int, cudnnBackendSetAttribute, void *descriptor, int attribute, int type, int64_t n,
		const void *elements)
{
	struct bag *bag = bag_of(descriptor);
	if (!bag || (n > 0 && !elements))
		return dnn_refuse(DNN_NULL_POINTER, "no descriptor, or no elements");
	if (bag->finalized)
		return dnn_refuse(DNN_BAD_PARAM, "the descriptor is finalized");
	if (n < 0 || !bag_type_bytes(type))
		return dnn_refuse(DNN_ATTRIBUTE_TYPE, "no such type of attribute");
	struct bag_value what = {.attribute = attribute, .type = type, .n = n};
	return bag_set(bag, &what, elements) ? DNN_OK : dnn_refuse(DNN_NO_HOST_MEMORY, "no memory");
}

/* ---- finalizing: what a graph is goes from descriptor to descriptor ---- */

static int take_from(struct bag *bag, int attribute, int type)
{
	const struct bag *from = bag_descriptor(bag, attribute, 0);
	if (!from || from->type != type || !from->finalized)
		return dnn_refuse(DNN_NOT_FINALIZED, "what the descriptor is made from is not finalized");
	bag->work = from->work;
	return DNN_OK;
}

static int finalize(struct bag *bag)
{
	switch (bag->type) {
	case DNN_GRAPH:
		return graph_work(bag, &bag->work);
	case DNN_HEURISTICS:
		return take_from(bag, DNN_HEURISTICS_GRAPH, DNN_GRAPH);
	case DNN_ENGINE:
		return take_from(bag, DNN_ENGINE_GRAPH, DNN_GRAPH);
	case DNN_ENGINE_CONFIG:
		return take_from(bag, DNN_CONFIG_ENGINE, DNN_ENGINE);
	case DNN_PLAN:
		return take_from(bag, DNN_PLAN_CONFIG, DNN_ENGINE_CONFIG);
	default:
		return DNN_OK;
	}
}

DNN_API(int, cudnnBackendFinalize, void *descriptor)
{
	struct bag *bag = bag_of(descriptor);
	if (!bag)
		return dnn_refuse(DNN_NULL_POINTER, "no descriptor");
	int failed = finalize(bag);
	bag->finalized = !failed;
	return failed;
}

/* ---- reading ---- */

struct reading {
	const struct bag *bag;
	int type;
	int64_t room;
	int64_t *n;
	void *elements;
};

/* Fills the caller's own descriptor. */
static int give_descriptor(const struct reading *r, int type)
{
	void *handle = NULL;
	*r->n = 1;
	if (r->room < 1 || !r->elements)
		return DNN_OK;
	memcpy(&handle, r->elements, sizeof(handle));
	struct bag *to = bag_of(handle);
	if (!to || to->type != type)
		return dnn_refuse(DNN_DESCRIPTOR_TYPE, "no descriptor to fill, or one of another type");
	to->work = r->bag->work;
	to->finalized = true;
	return DNN_OK;
}

static int give_number(const struct reading *r, int64_t number)
{
	size_t bytes = bag_type_bytes(r->type);
	*r->n = 1;
	if (r->room > 0 && r->elements)
		memcpy(r->elements, &number, bytes < sizeof(number) ? bytes : sizeof(number));
	return DNN_OK;
}

static int give_set(const struct reading *r, int attribute)
{
	const struct bag_value *value = bag_get(r->bag, attribute);
	*r->n = value ? value->n : 0;
	if (!value)
		return r->elements ? dnn_refuse(DNN_NOT_SUPPORTED, "the attribute was not set") : DNN_OK;
	if (value->type != r->type)
		return dnn_refuse(DNN_ATTRIBUTE_TYPE, "the attribute is of another type");
	int64_t n = value->n < r->room ? value->n : r->room;
	if (n > 0 && r->elements)
		memcpy(r->elements, value->data, (size_t)n * bag_type_bytes(value->type));
	return DNN_OK;
}

static int give(const struct reading *r, int attribute)
{
	switch (attribute) {
	case DNN_HEURISTICS_RESULTS:
		return give_descriptor(r, DNN_ENGINE_CONFIG);
	case DNN_CONFIG_ENGINE:
		return give_descriptor(r, DNN_ENGINE);
	case DNN_GRAPH_ENGINES:
		return give_number(r, 1);
	case DNN_ENGINE_INDEX:
	case DNN_CONFIG_WORKSPACE:
	case DNN_CONFIG_SHARED_MEMORY:
	case DNN_PLAN_WORKSPACE:
		return give_number(r, 0);
	case DNN_ENGINE_KNOBS:
	case DNN_ENGINE_NUMERICAL_NOTES:
	case DNN_ENGINE_LAYOUTS:
	case DNN_ENGINE_BEHAVIOR_NOTES:
	case DNN_CONFIG_KNOBS:
		*r->n = 0;
		return DNN_OK;
	default:
		return give_set(r, attribute);
	}
}

DNN_API(int, cudnnBackendGetAttribute, const void *descriptor, int attribute, int type,
		int64_t room, int64_t *n, void *elements)
{
	int64_t unread;
	struct reading reading = {bag_of(descriptor), type, room, n ? n : &unread, elements};
	if (!reading.bag)
		return dnn_refuse(DNN_NULL_POINTER, "no descriptor");
	if (!bag_type_bytes(type))
		return dnn_refuse(DNN_ATTRIBUTE_TYPE, "no such type of attribute");
	if (!reading.bag->finalized)
		return dnn_refuse(DNN_NOT_FINALIZED, "the descriptor is not finalized");
	return give(&reading, attribute);
}

DNN_API(int, cudnnBackendExecute, void *handle, void *plan, void *variant_pack)
{
	const struct dnn_handle *dnn = dnn_handle_of(handle);
	const struct bag *what = bag_of(plan), *with = bag_of(variant_pack);
	if (!dnn || !what || !with)
		return dnn_refuse(DNN_NULL_POINTER, "no handle, plan or variant pack");
	if (what->type != DNN_PLAN || with->type != DNN_VARIANT_PACK)
		return dnn_refuse(DNN_DESCRIPTOR_TYPE, "not a plan and a variant pack");
	if (!what->finalized || !with->finalized)
		return dnn_refuse(DNN_NOT_FINALIZED, "the plan or the variant pack is not finalized");
	return work_launch(&what->work, dnn);
}
