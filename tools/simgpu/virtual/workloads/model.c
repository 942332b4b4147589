/* Lists of kernels from recipes: forward as written, backward derived from it in reverse. Owner:
 * the workload that builds; freed before the script is handed out. */
#include "virtual/workloads/model.h"

#include "engine/room.h"
#include "virtual/draw/rng.h"

#include <errno.h>
#include <stdlib.h>

#define FACTOR SCALE_ONE
#define MOST_KERNELS 1000000 /* also what a subtraction below zero gives */
#define MOST_MEANS 8         /* no kernel is longer than so many of its phase's mean */
#define LEAST_NS 1500        /* no kernel is shorter, however a model is scaled */

static const struct recipe EMBEDDING[] = {
	{TABLE_EMBEDDING, FACTOR}, {TABLE_POINTWISE, FACTOR}, {0, 0}};
static const struct recipe ATTENTION[] = {{TABLE_NORM, FACTOR},
										  {TABLE_GEMM, 2 * FACTOR},
										  {TABLE_COPY_KERNEL, FACTOR},
										  {TABLE_ATTENTION, FACTOR},
										  {TABLE_GEMM, FACTOR},
										  {TABLE_POINTWISE, FACTOR},
										  {0, 0}};
static const struct recipe FEED_FORWARD[] = {{TABLE_NORM, FACTOR},      {TABLE_GEMM, 3 * FACTOR},
											 {TABLE_POINTWISE, FACTOR}, {TABLE_GEMM, 3 * FACTOR},
											 {TABLE_POINTWISE, FACTOR}, {0, 0}};
static const struct recipe LANGUAGE_LOSS[] = {{TABLE_NORM, FACTOR},
											  {TABLE_GEMM, 3 * FACTOR},
											  {TABLE_SOFTMAX, FACTOR},
											  {TABLE_LOSS, FACTOR},
											  {0, 0}};
static const struct recipe STEM[] = {{TABLE_CONV, FACTOR},
									 {TABLE_NORM, FACTOR},
									 {TABLE_POINTWISE, FACTOR},
									 {TABLE_REDUCE, FACTOR},
									 {0, 0}};
static const struct recipe BOTTLENECK[] = {{TABLE_CONV, FACTOR},
										   {TABLE_NORM, FACTOR},
										   {TABLE_POINTWISE, FACTOR},
										   {TABLE_CONV, 2 * FACTOR},
										   {TABLE_NORM, FACTOR},
										   {TABLE_POINTWISE, FACTOR},
										   {TABLE_CONV, FACTOR},
										   {TABLE_NORM, FACTOR},
										   {TABLE_POINTWISE, FACTOR},
										   {TABLE_POINTWISE, FACTOR},
										   {0, 0}};
static const struct recipe IMAGE_LOSS[] = {{TABLE_REDUCE, FACTOR},
										   {TABLE_GEMM, FACTOR},
										   {TABLE_SOFTMAX, FACTOR},
										   {TABLE_LOSS, FACTOR},
										   {0, 0}};
static const struct recipe SAMPLING[] = {{TABLE_NORM, FACTOR},
										 {TABLE_GEMM, FACTOR},
										 {TABLE_SOFTMAX, FACTOR},
										 {TABLE_REDUCE, FACTOR},
										 {0, 0}};
static const struct recipe LINEAR[] = {{TABLE_GEMM, FACTOR}, {TABLE_POINTWISE, FACTOR}, {0, 0}};
static const struct recipe SMALL_LOSS[] = {{TABLE_LOSS, FACTOR}, {0, 0}};

const struct architecture architecture_transformer = {
	EMBEDDING, {ATTENTION, FEED_FORWARD}, LANGUAGE_LOSS, false};
const struct architecture architecture_decode = {
	EMBEDDING, {ATTENTION, FEED_FORWARD}, SAMPLING, true};
const struct architecture architecture_resnet = {STEM, {BOTTLENECK, NULL}, IMAGE_LOSS, false};
const struct architecture architecture_mlp = {LINEAR, {LINEAR, NULL}, SMALL_LOSS, false};

static void list_add(struct kernel_list *list, uint32_t kernel)
{
	list->at = room_for(list->at, list->n, &list->room, 16, sizeof *list->at);
	list->at[list->n++] = kernel;
}

static void list_copy(struct kernel_list *to, const struct kernel_list *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		list_add(to, from->at[i]);
}

int64_t list_ns(const struct script *s, const struct kernel_list *list)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < list->n; i++)
		sum += s->kernels[list->at[i]].dur_ns;
	return sum;
}

int64_t table_mean(enum sim_table table)
{
	enum { DRAWS = 1024 };
	int64_t sum = 0;
	for (uint64_t i = 0; i < DRAWS; i++)
		sum += table_draw(table, rng_hash(1, (uint64_t)table, i, 0));
	return sum / DRAWS;
}

/* Typical durations stay within a factor of four of their class: no outlier dominates the model. */
static uint32_t model_kernel(struct model *m, enum sim_table table, uint32_t factor)
{
	struct script *s = m->script;
	uint32_t number = script_kernel(s, table, s->n_kernels, factor);
	struct kernel_def *k = &s->kernels[number];
	int64_t middle = table_median(table) * factor / SCALE_ONE;
	if (k->dur_ns > 4 * middle)
		k->dur_ns = 4 * middle;
	if (k->dur_ns < middle / 4)
		k->dur_ns = middle / 4;
	k->sequence = table != TABLE_OPTIMIZER;
	return number;
}

static void forward_add(struct model *m, struct kernel_list *list, const struct recipe *r)
{
	for (; r->factor; r++)
		list_add(list, model_kernel(m, r->table, r->factor));
}

/* Products and convolutions have two gradients (input and weight); norms reduce theirs over the
 * batch. */
static void backward_add(struct model *m, struct kernel_list *list, const struct recipe *r)
{
	uint32_t n = 0;
	while (r[n].factor)
		n++;
	while (n-- > 0) {
		uint32_t factor = r[n].factor;
		if (r[n].table == TABLE_ATTENTION)
			factor *= 2;
		list_add(list, model_kernel(m, r[n].table, factor));
		if (r[n].table == TABLE_GEMM || r[n].table == TABLE_CONV)
			list_add(list, model_kernel(m, r[n].table, factor));
		if (r[n].table == TABLE_NORM)
			list_add(list, model_kernel(m, TABLE_REDUCE, FACTOR));
		if (r[n].table == TABLE_GEMM) /* the gradient joins what was there */
			list_add(list, model_kernel(m, TABLE_POINTWISE, FACTOR));
	}
}

static struct block block_copy(const struct block *from)
{
	struct block b = {{0}, {0}};
	list_copy(&b.forward, &from->forward);
	list_copy(&b.backward, &from->backward);
	return b;
}

static uint32_t block_kernels(const struct block *b)
{
	return b->forward.n + b->backward.n;
}

uint32_t model_layers(const struct model *m)
{
	return (m->n_blocks - 1) / m->parts;
}

uint32_t model_kernels(const struct model *m)
{
	uint32_t n = m->loss.n + m->optimizer.n + model_layers(m) * m->per_layer;
	for (uint32_t i = 0; i < m->n_blocks; i++)
		n += block_kernels(&m->blocks[i]);
	return n;
}

/* Layers while they fit: the first ones are there, each further one is a copy of them. */
static void layers_add(struct model *m, uint32_t kernels)
{
	uint32_t layer = m->per_layer;
	for (uint32_t i = 1; i < m->n_blocks; i++)
		layer += block_kernels(&m->blocks[i]);
	uint32_t have = model_kernels(m), more = kernels > have ? (kernels - have) / layer : 0;
	uint32_t n = 1 + m->parts * (1 + more);
	m->blocks = must(realloc(m->blocks, n * sizeof *m->blocks));
	while (m->n_blocks < n) {
		m->blocks[m->n_blocks] = block_copy(&m->blocks[1 + (m->n_blocks - 1) % m->parts]);
		m->n_blocks++;
	}
}

/* What is left is less than a layer: small kernels, two in the backward for each in the forward. */
static void pad(struct model *m, uint32_t kernels)
{
	for (uint32_t i = 0; model_kernels(m) < kernels; i++) {
		struct block *b = &m->blocks[(i / 3 + 1) % m->n_blocks];
		bool backward = i % 3 && !m->forward_only;
		list_add(backward ? &b->backward : &b->forward, m->padding[backward]);
	}
}

static bool list_trim(struct kernel_list *list)
{
	if (list->n < 2)
		return false;
	list->n--;
	return true;
}

/* Fewer than one layer has: kernels leave from wherever two are left. */
static int trim(struct model *m, uint32_t kernels)
{
	bool trimmed = true;
	while (model_kernels(m) > kernels && trimmed) {
		trimmed = list_trim(&m->optimizer) || list_trim(&m->loss);
		for (uint32_t i = 0; i < m->n_blocks && model_kernels(m) > kernels; i++) {
			trimmed |= list_trim(&m->blocks[i].backward);
			if (model_kernels(m) > kernels)
				trimmed |= list_trim(&m->blocks[i].forward);
		}
	}
	return model_kernels(m) > kernels ? -EINVAL : 0;
}

/* The first block and one layer, phase by phase. */
static void phases_build(struct model *m, const struct architecture *a, uint32_t n_optimizer)
{
	struct script *s = m->script;
	for (uint32_t i = 0; i < m->n_blocks; i++)
		forward_add(m, &m->blocks[i].forward, i ? a->parts[i - 1] : a->first);
	forward_add(m, &m->loss, a->loss);
	m->padding[PHASE_FORWARD] = model_kernel(m, TABLE_POINTWISE, FACTOR);
	m->phase_end[PHASE_FORWARD] = s->n_kernels;
	if (!m->forward_only) {
		for (uint32_t i = 0; i < m->n_blocks; i++)
			backward_add(m, &m->blocks[i].backward, i ? a->parts[i - 1] : a->first);
		m->padding[PHASE_BACKWARD] = model_kernel(m, TABLE_COPY_KERNEL, FACTOR);
	}
	m->phase_end[PHASE_BACKWARD] = s->n_kernels;
	for (uint32_t i = 0; i < n_optimizer && !m->forward_only; i++)
		list_add(&m->optimizer, model_kernel(m, TABLE_OPTIMIZER, FACTOR));
	m->phase_end[PHASE_OPTIMIZER] = s->n_kernels;
}

int model_build(struct model *m, struct script *s, const struct architecture *architecture,
				uint32_t kernels, uint32_t per_layer)
{
	*m = (struct model){.script = s,
						.first_kernel = s->n_kernels,
						.per_layer = per_layer,
						.forward_only = architecture->forward_only};
	if (kernels > MOST_KERNELS)
		return -EINVAL;
	m->parts = architecture->parts[1] ? 2 : 1;
	m->n_blocks = 1 + m->parts;
	m->blocks = must(malloc(m->n_blocks * sizeof *m->blocks));
	for (uint32_t i = 0; i < m->n_blocks; i++)
		m->blocks[i] = (struct block){{0}, {0}};
	phases_build(m, architecture, 2 + kernels / 100);
	layers_add(m, kernels);
	int error = trim(m, kernels);
	pad(m, kernels);
	return error;
}

void model_free(struct model *m)
{
	for (uint32_t i = 0; i < m->n_blocks; i++) {
		free(m->blocks[i].forward.at);
		free(m->blocks[i].backward.at);
	}
	free(m->blocks);
	free(m->loss.at);
	free(m->optimizer.at);
	*m = (struct model){0};
}

struct script *model_failed(struct model *m)
{
	struct script *s = m->script;
	model_free(m);
	script_free(s);
	return NULL;
}

struct total {
	int64_t ns;
	uint32_t n;
};

static void total_add(struct total *total, const struct script *s, const struct kernel_list *list)
{
	total->ns += list_ns(s, list);
	total->n += list->n;
}

static struct total phase_total(const struct model *m, enum phase phase)
{
	struct total total = {0, 0};
	for (uint32_t i = 0; i < m->n_blocks && phase != PHASE_OPTIMIZER; i++)
		total_add(&total, m->script,
				  phase == PHASE_FORWARD ? &m->blocks[i].forward : &m->blocks[i].backward);
	if (phase == PHASE_FORWARD)
		total_add(&total, m->script, &m->loss);
	if (phase == PHASE_OPTIMIZER)
		total_add(&total, m->script, &m->optimizer);
	return total;
}

int64_t model_phase_kernels(const struct model *m, enum phase phase)
{
	return phase_total(m, phase).n;
}

int64_t model_ns(const struct model *m)
{
	int64_t sum = 0;
	for (int phase = 0; phase < PHASES; phase++)
		sum += phase_total(m, (enum phase)phase).ns;
	return sum;
}

static void phase_scale(struct model *m, enum phase phase, int64_t wanted_ns, bool cap)
{
	struct total now = phase_total(m, phase);
	uint32_t first = phase ? m->phase_end[phase - 1] : m->first_kernel;
	for (uint32_t i = first; i < m->phase_end[phase] && now.ns; i++) {
		struct kernel_def *k = &m->script->kernels[i];
		int64_t most_ns = MOST_MEANS * wanted_ns / now.n;
		k->dur_ns = (int64_t)((__int128)k->dur_ns * wanted_ns / now.ns);
		if (cap && k->dur_ns > most_ns)
			k->dur_ns = most_ns;
		if (k->dur_ns < LEAST_NS)
			k->dur_ns = LEAST_NS;
	}
}

/* Cutting the longest makes the sum too small: twice cut, then scaled to what was asked for. */
void model_scale_phase(struct model *m, enum phase phase, int64_t wanted_ns)
{
	for (int round = 0; round < 3; round++)
		phase_scale(m, phase, wanted_ns, round < 2);
}

void model_scale(struct model *m, int64_t total_ns)
{
	uint32_t n = 0;
	for (int phase = 0; phase < PHASES; phase++)
		n += phase_total(m, (enum phase)phase).n;
	for (int phase = 0; phase < PHASES; phase++) {
		int64_t wanted_ns = total_ns * phase_total(m, (enum phase)phase).n / n;
		model_scale_phase(m, (enum phase)phase, wanted_ns);
	}
}
