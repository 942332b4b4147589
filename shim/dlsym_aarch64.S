/* dlsym: asks dlsym_filter, with the caller's return address; without an answer branches on with
 * the caller's link register. The answer dlsym_nothing stands for NULL. */
#if defined(__aarch64__)
	.text
	.globl	dlsym
	.type	dlsym, %function
	.p2align 4
dlsym:
	.cfi_startproc
	hint	#34			/* bti c */
	stp	x29, x30, [sp, #-32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	mov	x2, x30
	stp	x0, x1, [sp, #16]
	bl	dlsym_filter
	cbnz	x0, 1f
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_remember_state
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	adrp	x16, dlsym_jump
	ldr	x16, [x16, #:lo12:dlsym_jump]
	br	x16
1:
	.cfi_restore_state
	adrp	x16, dlsym_nothing
	add	x16, x16, #:lo12:dlsym_nothing
	cmp	x0, x16
	csel	x0, xzr, x0, eq
	ldp	x29, x30, [sp], #32
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	dlsym, . - dlsym
#endif
	.section .note.GNU-stack, "", %progbits
