/* Scaling: the base, weak or strong, and a bridge whose terms add up to the lost time exactly. */
#include "check.h"
#include "conclude/scaling.h"

#include <stdlib.h>
#include <string.h>

static const struct scaling_wanted by_itself = {SCALING_AUTO, false};

static struct figures make(uint32_t devices, int64_t matmul, int64_t wait, int64_t input)
{
	struct figures f;
	memset(&f, 0, sizeof(f));
	f.devices = devices;
	f.kernels = 1000;
	f.time_ns[LEAF_WORK_MATMUL] = matmul;
	f.time_ns[LEAF_NCCL_WAIT] = wait;
	f.time_ns[LEAF_HOST_INPUT] = input;
	f.step_ns = matmul + wait + input;
	return f;
}

static void bridge_sums(const struct scaling_run *run)
{
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += run->terms_ns[leaf];
	CHECK(sum == run->loss_ns && run->residual_ns == 0, "terms add up to %lld, the loss is %lld",
		  (long long)sum, (long long)run->loss_ns);
	CHECK(run->loss_ns == run->figures->step_ns - run->ideal_ns, "the loss is not step - ideal");
}

static void weak_and_strong(void)
{
	struct figures f[3] = {make(4, 1000, 100, 7), make(1, 1010, 0, 3), make(2, 1005, 50, 0)};
	struct scaling_run runs[3] = {{.figures = &f[0], .busy_ns = 1000},
								  {.figures = &f[1], .busy_ns = 1010},
								  {.figures = &f[2], .busy_ns = 1005}};
	struct scaling_result result;
	scaling_compute(runs, 3, by_itself, &result);
	CHECK(result.base == 1, "the base is not the run with the fewest GPUs");
	CHECK(result.scaling == SCALING_WEAK && result.sure, "equal work per GPU is weak scaling");
	CHECK(runs[0].ideal_ns == 1013, "weak: ideal is the base's step");
	for (int i = 0; i < 3; i++)
		bridge_sums(&runs[i]);
	runs[0].busy_ns = 250;
	runs[2].busy_ns = 505;
	scaling_compute(runs, 3, by_itself, &result);
	CHECK(result.scaling == SCALING_STRONG && result.sure,
		  "a quarter of the work on four GPUs is strong scaling");
	CHECK(runs[0].ideal_ns == 253, "strong: ideal is the base's step x m / n, rounded");
	for (int i = 0; i < 3; i++)
		bridge_sums(&runs[i]);
	runs[2].busy_ns = 9;
	runs[2].aside = true;
	scaling_compute(runs, 3, by_itself, &result);
	CHECK(result.scaling == SCALING_STRONG && result.sure && result.work_difference < 0.02,
		  "a run with other work has no say in how the others scale");
	runs[0].busy_ns = 700;
	scaling_compute(runs, 3, by_itself, &result);
	CHECK(result.scaling == SCALING_WEAK && !result.sure,
		  "work that fits neither is taken as weak, and said so");
}

static void random_bridges(void)
{
	srand(7);
	for (int round = 0; round < 2000; round++) {
		struct figures f[2];
		struct scaling_run runs[2];
		struct scaling_result result;
		memset(runs, 0, sizeof(runs));
		for (int i = 0; i < 2; i++) {
			f[i] = make((uint32_t)(1 + rand() % 8), rand(), rand(), rand());
			f[i].step_ns = 0;
			for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
				f[i].time_ns[leaf] = rand() % 1000;
				f[i].step_ns += f[i].time_ns[leaf];
			}
			runs[i].figures = &f[i];
			runs[i].busy_ns = rand() % 1000;
		}
		const enum scaling scaling = round % 2 ? SCALING_STRONG : SCALING_WEAK;
		scaling_compute(runs, 2, (struct scaling_wanted){scaling, false}, &result);
		bridge_sums(&runs[0]);
		bridge_sums(&runs[1]);
	}
}

int main(void)
{
	weak_and_strong();
	random_bridges();
	return finish();
}
