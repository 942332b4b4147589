/* dlsym: asks dlsym_filter, with the caller's return address; without an answer jumps on, leaving
 * that where it was. The answer dlsym_nothing stands for NULL. */
#if defined(__x86_64__)
	.text
	.globl	dlsym
	.type	dlsym, @function
	.p2align 4
dlsym:
	.cfi_startproc
	endbr64
	movq	(%rsp), %rdx
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
	leaq	dlsym_nothing(%rip), %rcx
	cmpq	%rcx, %rax
	jne	2f
	xorl	%eax, %eax
2:
	ret
1:
	jmp	*dlsym_jump(%rip)
	.cfi_endproc
	.size	dlsym, . - dlsym
#endif
	.section .note.GNU-stack, "", %progbits
