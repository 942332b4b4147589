#include "page/template.h"

/* The assembler reads the file, because a string of C would need another program to write it. The
 * path is relative to where make runs; reducer/build.mk says that this object depends on it. */
__asm__(".section .rodata\n"
		".global page_template, page_template_end\n"
		"page_template:\n"
		".incbin \"reducer/page/template.html\"\n"
		"page_template_end:\n"
		".byte 0\n"
		".previous\n");
