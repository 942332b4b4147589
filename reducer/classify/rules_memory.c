#include "classify/rules.h"

/* Records of the copy engines, which some tools print among the kernels. Ten spellings: nsys and
 * nvprof
 * "[CUDA memcpy HtoD]", "[CUDA memcpy Host-to-Device]", "[CUDA Unified Memory memcpy ...]"; Kineto
 * "Memcpy HtoD (Pageable -> Device)", "Memset (Device)"; CUPTI "CUDA_MEMCPY_KIND_HTOD"; TensorFlow
 * "MEMCPYHtoD", "MemcpyD2D"; roctracer "CopyDeviceToDevice", "FillBuffer"; HIP's own copy kernels
 * "__amd_rocclr_...". */
const struct rule RULES_MEMORY[] = {
	WHOLE("memory.cuda_memcpy",
		  "^[cudamemcpy ^[cudaunifiedmemorymemcpy ^cudamemcpy ^hipmemcpy "
		  "^[hipmemcpy",
		  MEMCPY),
	WHOLE("memory.cuda_memset",
		  "^[cudamemset ^cudamemset ^hipmemset ^[hipmemset "
		  "^[cudaunifiedmemorymemset",
		  MEMSET),
	WHOLE("memory.memcpy",
		  "^memcpy*htod ^memcpy*dtoh ^memcpy*dtod ^memcpy*ptop ^memcpy*htoh ^memcpy*dtoa "
		  "^memcpy*atod ^memcpy*htoa ^memcpy*atoh ^memcpy*h2d ^memcpy*d2h ^memcpy*d2d ^memcpy*p2p "
		  "^memcpy*h2h "
		  "^memcpy*hosttodevice ^memcpy*devicetohost ^memcpy*devicetodevice ^memcpy*peertopeer "
		  "^memcpy(",
		  MEMCPY),
	WHOLE("memory.memcpy.word",
		  "^memcpy$ ^memcpy32 ^memcpy128 ^memcpypeer ^memcpyasync ^memcpykernel "
		  "^cumemcpy "
		  "^htod$ ^dtoh$ ^dtod$ ^ptop$ ^h2d$ ^d2h$ ^d2d$ ^p2p$ ^[memcpy",
		  MEMCPY),
	WHOLE("memory.hip_copy",
		  "^copydevicetodevice ^copyhosttodevice ^copydevicetohost ^copyhosttohost "
		  "^copydevicetopeer ^copybuffer",
		  MEMCPY),
	WHOLE(
		"memory.memset",
		"^memset$ ^memset( ^memset(device ^memsetd8 ^memsetd16 ^memsetd32 ^[memset "
		"^cumemset "
		"^memsetkernel ^memset8 ^memset16 ^memset32 ^memset128 ^fillbuffer ^memsetasync ^memsetd2d "
		"^memsetdevice ^memsetunknown",
		MEMSET),
	BASE("memory.rocclr_copy", "^amdrocclrcopy ^amdrocclrread ^amdrocclrwrite", MEMCPY),
	BASE("memory.rocclr_fill", "^amdrocclrfill ^amdrocclrinit", MEMSET),
	BASE("memory.rocclr", "^amdrocclr", MEMCPY),
	BASE("memory.device_memset", "^=memset$ ^memset*kernel$", MEMSET),
	END,
};
