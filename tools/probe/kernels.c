#include "kernels.h"

#include <stdio.h>

static const char *const targets[] = {
	".version 6.0\n.target sm_50\n",
	".version 6.3\n.target sm_75\n",
	".version 7.8\n.target sm_90\n",
};

/* probe_empty(): nothing. probe_spin(u64 ns): turns until %globaltimer has moved by ns (its
 * resolution is up to 1 us). probe_write(u32 *out, u32 n): out[i] = i. */
static const char body[] =
	".address_size 64\n"
	".visible .entry probe_empty()\n"
	"{\n"
	"	ret;\n"
	"}\n"
	".visible .entry probe_spin(.param .u64 spin_ns)\n"
	"{\n"
	"	.reg .u64 %ns, %from, %now;\n"
	"	.reg .pred %more;\n"
	"	ld.param.u64 %ns, [spin_ns];\n"
	"	mov.u64 %from, %globaltimer;\n"
	"again:\n"
	"	mov.u64 %now, %globaltimer;\n"
	"	sub.u64 %now, %now, %from;\n"
	"	setp.lt.u64 %more, %now, %ns;\n"
	"	@%more bra again;\n"
	"	ret;\n"
	"}\n"
	".visible .entry probe_write(.param .u64 write_out, .param .u32 write_n)\n"
	"{\n"
	"	.reg .u64 %out, %at;\n"
	"	.reg .u32 %block, %width, %i, %n;\n"
	"	.reg .pred %beyond;\n"
	"	ld.param.u64 %out, [write_out];\n"
	"	ld.param.u32 %n, [write_n];\n"
	"	cvta.to.global.u64 %out, %out;\n"
	"	mov.u32 %block, %ctaid.x;\n"
	"	mov.u32 %width, %ntid.x;\n"
	"	mov.u32 %i, %tid.x;\n"
	"	mad.lo.u32 %i, %block, %width, %i;\n"
	"	setp.ge.u32 %beyond, %i, %n;\n"
	"	@%beyond bra done;\n"
	"	mul.wide.u32 %at, %i, 4;\n"
	"	add.u64 %at, %out, %at;\n"
	"	st.global.u32 [%at], %i;\n"
	"done:\n"
	"	ret;\n"
	"}\n";

const char *kernels_ptx(int n)
{
	static char text[sizeof(body) + 64];

	if (n < 0 || n >= (int)(sizeof(targets) / sizeof(targets[0])))
		return NULL;
	snprintf(text, sizeof(text), "%s%s", targets[n], body);
	return text;
}
