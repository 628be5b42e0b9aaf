/* The functions of libstatictramp_runtime.so and libstatictramp_interop.so, each of which jumps to a private function of
   libstatictramp_core.so, statictramp_private_NAME. Arguments, stack and return address stay unchanged. install.sh appends a line
   "forward NAME" for each function. */

/* JUMP: a jump to the private function, whose address is in the global offset table. It clobbers only registers that hold no live
   value at function entry. */
#if defined __x86_64__
#define JUMP endbr64; jmp *statictramp_private_\name@GOTPCREL(%rip)
#elif defined __i386__
#define JUMP endbr32; call 2f; .cfi_adjust_cfa_offset 4; 2: popl %ecx; .cfi_adjust_cfa_offset -4; \
    3: addl $_GLOBAL_OFFSET_TABLE_ + (3b - 2b), %ecx; jmp *statictramp_private_\name@GOT(%ecx)
#elif defined __aarch64__
/* hint #34 is `bti c`, which a jump may reach only through x16 or x17. */
#define JUMP hint #34; adrp x16, :got:statictramp_private_\name; ldr x16, [x16, :got_lo12:statictramp_private_\name]; br x16
#elif defined __arm__
        .syntax unified
        .arm
#ifdef __ARM_PCS_VFP
        .eabi_attribute Tag_ABI_VFP_args, 1 /* otherwise the loader rejects the library in programs with hardware floating point */
#endif
#define JUMP ldr ip, 3f; 2: ldr ip, [pc, ip]; bx ip; 3: .word statictramp_private_\name(GOT_PREL) + (. - (2b + 8))
#elif defined __riscv && __riscv_xlen == 64
#define JUMP 2: auipc t1, %got_pcrel_hi(statictramp_private_\name); ld t1, %pcrel_lo(2b)(t1); jr t1
#elif defined __riscv
#define JUMP 2: auipc t1, %got_pcrel_hi(statictramp_private_\name); lw t1, %pcrel_lo(2b)(t1); jr t1
#elif defined __powerpc64__
/* At function entry, r12 contains the address of this function. The linker's own code, through which other libraries call it, has
   saved r2. */
#define JUMP addis 2, 12, (.TOC. - \name)@ha; addi 2, 2, (.TOC. - \name)@l; .localentry \name, . - \name; \
    addis 12, 2, statictramp_private_\name@got@ha; ld 12, statictramp_private_\name@got@l(12); mtctr 12; bctr
#elif defined __powerpc__
#define JUMP mflr 0; bcl 20, 31, 2f; 2: mflr 12; mtlr 0; addis 12, 12, (_GLOBAL_OFFSET_TABLE_ - 2b)@ha; \
    addi 12, 12, (_GLOBAL_OFFSET_TABLE_ - 2b)@l; lwz 12, statictramp_private_\name@got(12); mtctr 12; bctr
#elif defined __s390x__
#define JUMP lgrl %r1, statictramp_private_\name@GOT; br %r1
#elif defined __loongarch_lp64
#define JUMP la.got $t0, statictramp_private_\name; jr $t0
#elif defined __mips64
/* At function entry, $25 contains the address of this function. */
        .set noreorder
#define JUMP lui $24, %hi(%neg(%gp_rel(\name))); daddu $24, $24, $25; daddiu $24, $24, %lo(%neg(%gp_rel(\name))); \
    ld $25, %got_disp(statictramp_private_\name)($24); jr $25; nop
#elif defined __sparc_v9__
#define JUMP 2: rd %pc, %g1; sethi %pc22(_GLOBAL_OFFSET_TABLE_ + (. - 2b)), %g4; \
    or %g4, %pc10(_GLOBAL_OFFSET_TABLE_ + (. - 2b)), %g4; add %g1, %g4, %g1; sethi %gdop_hix22(statictramp_private_\name), %g4; \
    xor %g4, %gdop_lox10(statictramp_private_\name), %g4; ldx [%g1 + %g4], %g1, %gdop(statictramp_private_\name); jmp %g1; nop
#else
#error "capi/install/forward.S lacks this processor"
#endif

#ifdef __arm__
#define BEGIN .fnstart
#define END .cantunwind; .fnend
#else
#define BEGIN .cfi_startproc
#define END .cfi_endproc
#endif

#ifdef __x86_64__
/* The functions begin with landing pads, and use no shadow stack: the same promise as the archive's. */
        .section .note.gnu.property,"a",%note
        .balign 8
        .long 4, 16, 5
        .asciz "GNU"
        .long 0xc0000002, 4, 3, 0
#endif
        .section .note.GNU-stack,"",%progbits

        .macro forward name
        .section .text.\name,"ax",%progbits
        .balign 16
        .globl \name
        .type \name, %function
\name:
        BEGIN
        JUMP
        END
        .size \name, . - \name
        .endm
