#include "stats/reports.h"

#include <string.h>

#define TIMES "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"
#define LETTER_TIMES(letter) \
	letter "Avg (ns)", letter "Med (ns)", letter "Min (ns)", letter "Max (ns)", letter "StdDev (ns)"

/* clang-format off */
static const char *const kernel_heads[] = {"Time (%)", "Total Time (ns)", "Instances", TIMES, "Name", NULL};
static const char *const call_heads[] = {"Time (%)", "Total Time (ns)", "Num Calls", TIMES, "Name", NULL};
static const char *const copy_heads[] = {"Time (%)", "Total Time (ns)", "Count", TIMES, "Operation", NULL};
static const char *const size_heads[] = {"Total (MB)", "Count", "Avg (MB)", "Med (MB)", "Min (MB)", "Max (MB)", "StdDev (MB)", "Operation", NULL};
static const char *const gpu_heads[] = {"Time (%)", "Total Time (ns)", "Instances", TIMES, "Category", "Operation", NULL};
static const char *const range_heads[] = {"Time (%)", "Total Time (ns)", "Instances", TIMES, "Style", "Range", NULL};
static const char *const pushed_heads[] = {"Time (%)", "Total Time (ns)", "Instances", TIMES, "Range", NULL};
static const char *const gpu_trace_heads[] = {
	"Start (ns)", "Duration (ns)", "CorrId", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd",
	"StcSMem (MB)", "DymSMem (MB)", "Bytes (MB)", "Throughput (MB/s)", "SrcMemKd", "DstMemKd", "Device",
	"Ctx", "GreenCtx", "Strm", "Name", NULL};
static const char *const call_trace_heads[] = {
	"Start (ns)", "Duration (ns)", "Name", "Result", "CorrID", "Pid", "Tid", "T-Pri", "Thread Name", NULL};
static const char *const exec_trace_heads[] = {
	"API Start (ns)", "API Dur (ns)", "Queue Start (ns)", "Queue Dur (ns)", "Kernel Start (ns)",
	"Kernel Dur (ns)", "Total Dur (ns)", "PID", "TID", "DevId", "API Function", "GridXYZ", "BlockXYZ",
	"Kernel Name", NULL};
static const char *const exec_sum_heads[] = {
	"PID", "TID", "DevId", "Count", "QCount", LETTER_TIMES("T"), LETTER_TIMES("A"), LETTER_TIMES("Q"),
	LETTER_TIMES("K"), "API Name", "Kernel Name", NULL};
static const char *const projection_heads[] = {
	"Range", "Style", "Total Proj Time (ns)", "Total Range Time (ns)", "Range Instances", "Proj Avg (ns)",
	"Proj Med (ns)", "Proj Min (ns)", "Proj Max (ns)", "Proj StdDev (ns)", "Total GPU Ops", "Avg GPU Ops",
	"Avg Range Lvl", "Avg Num Child", NULL};
static const char *const range_kernel_heads[] = {
	"NVTX Range", "Style", "PID", "TID", "NVTX Inst", "Kern Inst", "Total Time (ns)", TIMES, "Kernel Name", NULL};

const struct stats_report stats_reports[] = {
	{{"cuda_gpu_kern_sum", "CUDA GPU Kernel Summary", kernel_heads}, "kernels by name", sums_write, SUMS_KERNELS},
	{{"cuda_gpu_trace", "CUDA GPU Trace", gpu_trace_heads}, "each kernel, copy and fill", traces_write, TRACES_GPU},
	{{"cuda_api_sum", "CUDA API Summary", call_heads}, "CUDA calls by name", sums_write, SUMS_CALLS},
	{{"cuda_api_trace", "CUDA API Trace", call_trace_heads}, "each CUDA call", traces_write, TRACES_CALLS},
	{{"cuda_kern_exec_sum", "CUDA Kernel Launch & Exec Time Summary", exec_sum_heads},
	 "how long kernels took to launch, to begin and to run", exec_sums_write, 0},
	{{"cuda_kern_exec_trace", "CUDA Kernel Launch & Exec Time Trace", exec_trace_heads},
	 "the same for each kernel", traces_write, TRACES_EXEC},
	{{"cuda_gpu_mem_time_sum", "CUDA GPU MemOps Summary (by Time)", copy_heads},
	 "copies and fills by time", sums_write, SUMS_COPY_TIMES},
	{{"cuda_gpu_mem_size_sum", "CUDA GPU MemOps Summary (by Size)", size_heads},
	 "copies and fills by size", sums_write, SUMS_COPY_SIZES},
	{{"cuda_gpu_sum", "CUDA GPU Summary (Kernels/MemOps)", gpu_heads},
	 "kernels, copies and fills in one table", sums_write, SUMS_GPU},
	{{"nvtx_sum", "NVTX Range Summary", range_heads}, "ranges by name", sums_write, SUMS_RANGES},
	{{"nvtx_pushpop_sum", "NVTX Push/Pop Range Summary", pushed_heads},
	 "ranges that were pushed, by name", sums_write, SUMS_PUSHED},
	{{"nvtx_gpu_proj_sum", "NVTX GPU Projection Summary", projection_heads},
	 "ranges, and the GPU time of what they launched", projections_write, 0},
	{{"nvtx_kern_sum", "NVTX Range Kernel Summary", range_kernel_heads},
	 "kernels by the ranges that launched them", range_kernels_write, 0},
	{{"nccl_sum", "NCCL Range Summary", pushed_heads}, "the ranges that NCCL marks", sums_write, SUMS_NCCL},
	{{NULL, NULL, NULL}, NULL, NULL, 0},
};
/* clang-format on */

const struct stats_report *stats_report_find(const char *name)
{
	for (const struct stats_report *r = stats_reports; r->spec.name; r++)
		if (strcmp(r->spec.name, name) == 0)
			return r;
	return NULL;
}
