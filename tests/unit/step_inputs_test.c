/* A step begins with the copies to the device after the last kernel of the step before. */
#include "check.h"
#include "steps/step_inputs.h"

#include <stdlib.h>

static struct input_copies copies_of(const int64_t *at, size_t n)
{
	struct input_copies copies = {0};
	for (size_t i = 0; i < n; i++)
		CHECK(step_inputs_add(&copies, at[i]) == 0, "no memory");
	step_inputs_sort(&copies);
	return copies;
}

static void kernels(void)
{
	static const struct launch_mark marks[] = {{100, 1, 0}, {110, 2, 1}, {200, 1, 2},
											   {210, 2, 3}, {300, 1, 4}, {310, 2, 5}};
	static const int64_t at[] = {195, 90, 105, 190, 305, 320}; /* as their ops were met */
	struct input_copies copies = copies_of(at, 6);
	int64_t begins[] = {100, 200, 300};
	CHECK(0 == step_inputs_take(&copies, marks, 6, &(struct graph_launches){0}, begins, 3),
		  "no memory");
	CHECK(begins[0] == 100, "nothing was launched before: %lld", (long long)begins[0]);
	CHECK(begins[1] == 190, "the first of two copies: %lld", (long long)begins[1]);
	CHECK(begins[2] == 300, "no copy between the steps: %lld", (long long)begins[2]);
	step_inputs_free(&copies);
}

/* Steps that are launches of a graph; other kernels come between. */
static void graphs(void)
{
	static const struct launch_mark marks[] = {{150, 1, 0}};
	struct graph_launch launches[] = {{100, 5, 0}, {200, 5, 0}, {300, 5, 0}};
	const struct graph_launches all = {.at = launches, .n = 3, .room = 3};
	static const int64_t at[] = {120, 160, 250, 300};
	struct input_copies copies = copies_of(at, 4);
	int64_t begins[] = {100, 200, 300};
	CHECK(0 == step_inputs_take(&copies, marks, 1, &all, begins, 3), "no memory");
	CHECK(begins[0] == 100 && begins[1] == 160 && begins[2] == 250, "%lld %lld %lld",
		  (long long)begins[0], (long long)begins[1], (long long)begins[2]);
	step_inputs_free(&copies);
}

/* Two graphs, as they lie when they were sorted by name: the other one is launched between. */
static void two_graphs(void)
{
	struct graph_launch launches[] = {{350, 5, 0}, {100, 5, 1}, {200, 5, 1},
									  {300, 5, 1}, {150, 5, 2}, {250, 5, 2}};
	const struct graph_launches all = {.at = launches, .n = 6, .room = 6};
	static const int64_t at[] = {120, 160, 260};
	struct input_copies copies = copies_of(at, 3);
	int64_t begins[] = {100, 200, 300};
	CHECK(0 == step_inputs_take(&copies, NULL, 0, &all, begins, 3), "no memory");
	CHECK(begins[0] == 100 && begins[1] == 160 && begins[2] == 260, "%lld %lld %lld",
		  (long long)begins[0], (long long)begins[1], (long long)begins[2]);
	step_inputs_free(&copies);
}

static void none(void)
{
	struct input_copies copies = {0};
	int64_t begins[] = {100};
	step_inputs_sort(&copies);
	CHECK(0 == step_inputs_take(&copies, NULL, 0, &(struct graph_launches){0}, begins, 1),
		  "no memory");
	CHECK(begins[0] == 100, "no copies, no launches");
	step_inputs_free(&copies);
}

int main(void)
{
	kernels();
	graphs();
	two_graphs();
	none();
	return finish();
}
