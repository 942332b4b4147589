/* dlsym: asks dlsym_filter; without an answer jumps on, leaving the caller's return address where
 * it was. */
#if defined(__x86_64__)
	.text
	.globl	dlsym
	.type	dlsym, @function
	.p2align 4
dlsym:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	dlsym_filter
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	testq	%rax, %rax
	jz	1f
	ret
1:
	jmp	*dlsym_jump(%rip)
	.cfi_endproc
	.size	dlsym, . - dlsym
#endif
	.section .note.GNU-stack, "", %progbits
