#include "doubles/cudnn/bag.h"

#include <stdlib.h>
#include <string.h>

#define BAG_MAGIC 0x53494d4241472121ull

struct bag *bag_new(int type)
{
	struct bag *bag = calloc(1, sizeof(*bag));
	if (bag) {
		bag->magic = BAG_MAGIC;
		bag->type = type;
	}
	return bag;
}

struct bag *bag_of(const void *handle)
{
	struct bag *bag = (struct bag *)handle;
	return bag && bag->magic == BAG_MAGIC ? bag : NULL;
}

void bag_free(struct bag *bag)
{
	struct bag_value *next;
	for (struct bag_value *value = bag->values; value; value = next) {
		next = value->next;
		free(value);
	}
	bag->magic = 0;
	free(bag);
}

size_t bag_type_bytes(int type)
{
	switch (type) {
	case DNN_TYPE_HANDLE:
	case DNN_TYPE_INT64:
	case DNN_TYPE_DOUBLE:
	case DNN_TYPE_VOID_PTR:
	case DNN_TYPE_DESCRIPTOR:
		return 8;
	case DNN_TYPE_FRACTION:
		return 16;
	case DNN_TYPE_BOOLEAN:
	case DNN_TYPE_CHAR:
		return 1;
	default:
		return type > 0 && type <= DNN_TYPE_LAST ? 4 : 0;
	}
}

bool bag_set(struct bag *bag, const struct bag_value *what, const void *elements)
{
	size_t bytes = (size_t)what->n * bag_type_bytes(what->type);
	struct bag_value *made = malloc(sizeof(*made) + bytes), **at = &bag->values;
	if (!made)
		return false;
	*made = *what;
	if (bytes)
		memcpy(made->data, elements, bytes);
	while (*at && (*at)->attribute != what->attribute)
		at = &(*at)->next;
	struct bag_value *old = *at;
	made->next = old ? old->next : NULL;
	*at = made;
	free(old);
	return true;
}

const struct bag_value *bag_get(const struct bag *bag, int attribute)
{
	const struct bag_value *value = bag->values;
	while (value && value->attribute != attribute)
		value = value->next;
	return value;
}

struct bag *bag_descriptor(const struct bag *bag, int attribute, int64_t i)
{
	const struct bag_value *value = bag_get(bag, attribute);
	void *handle;
	if (!value || value->type != DNN_TYPE_DESCRIPTOR || i >= value->n)
		return NULL;
	memcpy(&handle, value->data + (size_t)i * sizeof(handle), sizeof(handle));
	return bag_of(handle);
}
