#include "values/view.h"

#include "values/known.h"

/* Elements that lie apart are looked up one by one, in a list of which as many are kept as fit
 * beside others. */
#define MOST_APART 64

void view_row(struct view *view, void *at, size_t bytes, size_t n)
{
	view->at = at;
	view->bytes = bytes;
	view->n = n;
	view->dims = 0;
	view_dimension(view, (uint32_t)n, (uint32_t)bytes);
}

void view_dimension(struct view *view, uint32_t size, uint32_t stride)
{
	view->sizes[view->dims] = size;
	view->strides[view->dims++] = stride;
}

/* From the first element to the end of the last one. */
static size_t span(const struct view *view)
{
	size_t bytes = view->bytes;
	for (unsigned i = 0; i < view->dims; i++)
		bytes += (size_t)(view->sizes[i] - 1) * view->strides[i];
	return bytes;
}

bool view_is_sound(const struct view *view)
{
	void *start;
	size_t room, n = 1;
	for (unsigned i = 0; i < view->dims; i++) {
		if (!view->sizes[i] || n > view->n)
			return false;
		n *= view->sizes[i];
	}
	return n == view->n && view->n && view->bytes && known_block(view->at, &start, &room) &&
		   (size_t)(view->at - (uint8_t *)start) + span(view) <= room;
}

size_t view_run(const struct view *view)
{
	size_t run = 1;
	for (unsigned i = 0; i < view->dims; run *= view->sizes[i++])
		if (view->sizes[i] != 1 && view->strides[i] != run * view->bytes)
			break;
	return run;
}

bool view_is_row(const struct view *view)
{
	return view_run(view) == view->n;
}

uint8_t *view_element(const struct view *view, size_t i)
{
	size_t offset = 0;
	for (unsigned d = 0; d < view->dims; i /= view->sizes[d++])
		offset += i % view->sizes[d] * view->strides[d];
	return view->at + offset;
}

bool view_known(const struct view *view)
{
	if (known_bytes(view->at, span(view)))
		return true;
	bool known = !view_is_row(view) && view->n <= MOST_APART;
	for (size_t i = 0; known && i < view->n; i++)
		known = known_bytes(view_element(view, i), view->bytes);
	return known;
}

void view_write(const struct view *view, bool known)
{
	if (view_is_row(view) || !known || view->n > MOST_APART) {
		known_write(view->at, span(view), known && view_is_row(view));
		return;
	}
	for (size_t i = 0; i < view->n; i++)
		known_write(view_element(view, i), view->bytes, true);
}
