# Properties of each machine that legs and parts use, one line for each. A blank within a value is written as a comma.
#
# machine      name in QEMU
# triple       Rust's target; without one, the cross leg omits the machine
# gnu          prefix of the GNU tools; $machine-linux-gnu by default
# debian       Debian's name of the architecture
# sid          version of Debian sid's GCC for it, if Debian 12 has none; QEMU and libc are also those of sid in that case
# libffi       Debian suites, in order of preference, whose libffi is the reference for signatures; none: Debian has none
# emulator     runs its programs; QEMU by default
# bits=64, stride=32   word size in bits; stub size in bytes
# registers=8, hidden=1   count of integer argument registers; whether the address of a result in memory takes the first
# pairs=1      whether an argument of two registers begins in an even one
# float=0, last_float=0   integer registers that a floating-point argument takes; the same behind all others
# counts       the macro of capi/tests/programs/c/counts.c that states how many registers types take whose size does not show it
# simd         options that give the C compilers the vector types of random signatures
# complex=32   the largest size in bytes of a complex number that is returned in registers
# differences  options with macros for results that compilers pass differently (capi/tests/programs/signatures/results.c)
# types=without-int128   gcc and LLVM pass 128-bit integers in different ways (tests/programs/abi/types.rs has other limits)
# breakpoints  instructions that gdb and lldb write into code, as hexadecimal bytes in the order of memory
# trampolines  compilers (gcc, gcc,OPTION, clang) whose trampolines `audit` recognises
# unstable=1   Rust's inline assembly is unstable for it; the build script then sets `unstable_asm`
# assembly     file in asm/, if its name is not $machine; pads=1: its stubs may begin with landing pads
# assembler, emulation, for_clang   options of GNU as; of both linkers; those that make clang compile as gcc does
# links        options with which gcc links programs so that their stack is not executable
# clang=19     the version of clang whose callers are compared with gcc's
# cpu          processor that QEMU emulates, with `;` for its commas
# loader       -DLOADER_WRITES_CODE if the loader writes the code of .plt (capi/tests/programs/c/grow.c)
# lld=ld.lld-19   LLVM's linker; empty if it lacks relocations of the processor
# optimize=0   the level at which the core is optimized in its own tests
# vectors      options that give the C compilers the vector types that Rust has there
# nest         -DAS_FIRST_ARGUMENT if LLVM passes a static chain as the first argument (tests/programs/cross/nest.c)
# memrefs      without-halves if memrefs' closures take no f16 by value, no if there are none; 32-bit machines have none
# misuse=SMALL_STRUCT,MEMBER_MISSING,OVER_ALIGNED,MEMBER_OVER_ALIGNED,PACKED,TOO_MANY   declarations that the C++ wrapper rejects (capi/tests/programs/c/wrapper_misuse.cpp)
# wrapper_arguments, wrapper_results   types besides the common ones that the C++ wrapper accepts as parameters and results (sets in
#              tests/tools/src/cpp_signatures.rs)
# most=600     the most random Rust signatures that are needed
# needs        more packages, in the format of `need`
# exe          file-name suffix of a program
#
# For the generator of random signatures for C (tests/tools/src/signatures/), which counts registers independently of the library.
# SIZE is a number of bytes, or two for structs and for scalars; empty is any size.
#
# long_double=16, align=16   size of a long double; the largest alignment of a scalar
# kinds        kinds of scalars that it has besides those that all have: INT128, COMPLEX, VECTOR64, VECTOR128
# returned=SIZE   the largest result in registers; powers: a struct of 1, 2, 4 or 8 bytes
# floats       arguments in floating-point registers: eightbytes (as on x86-64), homogeneous (at most four floating-point numbers of one
#              size), homogeneous8 (that fit into eight registers), members (at most two members, one of them a floating-point
#              number), alone (a floating-point number, which may be in a struct), scalars; none if they take integer registers, too
# float_registers=8   the number of these registers
# reference=SIZE   the largest argument that is passed by value
# even=all     arguments of two words' alignment begin in an even register: all, structs, no
# rest=split   an argument that does not fit into the remaining registers: split, close (it and all later ones are on the stack),
#              split-first (as close, unless it is a struct and the first argument on the stack)
# leaves       members: structs are described only by their members, not by all scalars in them
# ambiguous    arguments that compilers pass differently (Convention::differs), so that no signature has them
machines=(
    'machine=x86_64 libffi=native emulator= registers=6 pairs=0 pads=1 emulation=-melf_x86_64 trampolines=clang floats=eightbytes kinds=INT128,COMPLEX,VECTOR64,VECTOR128 ambiguous=int128-in-last-register wrapper_arguments=large,wide_fields,empty,vector8,vector16,complex,char32,second_int128 wrapper_results=large,aligned,empty,vector8,vector16,complex,char32,int128'
    'machine=aarch64 triple=aarch64-unknown-linux-gnu debian=arm64 libffi=bookworm hidden=0 pads=1 emulation=-maarch64linux counts=COUNTS_LIKE_AARCH64 breakpoints=000020d4 trampolines=gcc;clang floats=homogeneous reference=16 rest=close kinds=INT128,COMPLEX,VECTOR64,VECTOR128 wrapper_arguments=cache_line,vector8,vector16,complex,char32,int128 wrapper_results=large,aligned,small,vector8,vector16,complex,char32,int128'
    'machine=riscv64 complex=16 triple=riscv64gc-unknown-linux-gnu debian=riscv64 libffi=trixie,sid assembly=riscv assembler=-march=rv64gc emulation=-melf64lriscv for_clang=-march=rv64gc,-mabi=lp64d counts=COUNTS_LIKE_RISCV breakpoints=73001000,0290 trampolines=gcc;clang floats=members reference=16 even=no wrapper_arguments=large,aligned,complex,char32,int128 wrapper_results=large,aligned,small,complex,char32,int128'
    'machine=loongarch64 complex=16 triple=loongarch64-unknown-linux-gnu debian=loong64 sid=16 libffi=sid stride=16 emulation=-melf64loongarch nest=-DAS_FIRST_ARGUMENT memrefs=without-halves counts=COUNTS_LIKE_RISCV breakpoints=05002a00 floats=members reference=16 even=no wrapper_arguments=large,aligned,complex,char32,int128 wrapper_results=large,aligned,small,complex,char32,int128'
    'machine=arm simd=-mfpu=neon triple=armv7-unknown-linux-gnueabihf gnu=arm-linux-gnueabihf debian=armhf libffi=bookworm bits=32 stride=16 registers=4 assembler=-march=armv7-a emulation=-marmelf_linux_eabi counts=COUNTS_LIKE_ARM breakpoints=f001f0e7 trampolines=gcc;gcc,-marm floats=homogeneous returned=4,16 rest=split-first long_double=8 align=8 kinds=COMPLEX,VECTOR64,VECTOR128 wrapper_arguments=vector8,vector16,complex,char32 wrapper_results=small,cache_line,vector8,vector16,complex,char32'
    'machine=ppc64le triple=powerpc64le-unknown-linux-gnu gnu=powerpc64le-linux-gnu debian=ppc64el libffi=bookworm float=1 assembly=powerpc64le emulation=-melf64lppc memrefs=without-halves breakpoints=0810827d,0800e07f trampolines=clang floats=homogeneous8 float_registers=13 even=structs kinds=INT128,COMPLEX,VECTOR128 wrapper_arguments=vector16,complex,char32,int128 wrapper_results=small,vector16,complex,char32,int128'
    # -msecure-plt: otherwise the linker makes the program write to code. All structs are passed in the same way there.
    'machine=ppc triple=powerpc-unknown-linux-gnu gnu=powerpc-linux-gnu debian=powerpc bits=32 stride=64 assembly=powerpc emulation=-melf32ppc for_clang=-msecure-plt misuse=MEMBER_MISSING,OVER_ALIGNED,MEMBER_OVER_ALIGNED,PACKED,TOO_MANY counts=COUNTS_LIKE_POWERPC breakpoints=7d821008,7fe00008 trampolines=gcc;clang floats=scalars returned=0,32 reference=0,32 rest=close kinds= wrapper_arguments=large,wide_fields,small,empty,char32 wrapper_results=large,aligned,small,empty,char32'
    'machine=mips64el complex=16 differences=-DVARIADIC_COMPLEX_DIFFERS triple=mips64el-unknown-linux-gnuabi64 gnu=mips64el-linux-gnuabi64 debian=mips64el libffi=bookworm float=1 last_float=1 types=without-int128 unstable=1 links=-static,-z,noexecstack assembler=-march=mips64r2,-KPIC emulation=-melf64ltsmip nest=-DAS_FIRST_ARGUMENT memrefs=no breakpoints=0d000500 leaves=members ambiguous=int128-in-odd-register,complex-in-parts,small-structs wrapper_results=large,aligned,small'
    'machine=s390x complex=0 triple=s390x-unknown-linux-gnu debian=s390x libffi=bookworm stride=16 registers=4 pairs=0 emulation=-melf64_s390 nest=-DAS_FIRST_ARGUMENT memrefs=without-halves breakpoints=0001 floats=alone returned=0,8 reference=8 align=8 wrapper_arguments=large,complex,char32,int128 wrapper_results=large,small,complex,char32,int128'
    # Register windows and returns are expensive in QEMU. Debian's main archive has no libffi for it.
    'machine=sparc64 types=without-int128-and-float-arrays differences=-DARRAYS_ARE_INTEGERS,-DVARIADIC_FLOATS_DIFFER loader=-DLOADER_WRITES_CODE triple=sparc64-unknown-linux-gnu debian=sparc64 unstable=1 registers=6 float=1 last_float=1 emulation=-melf64_sparc clang=22 lld= cpu=TI-UltraSparc-IIi;nwindows=32 optimize=1 nest=-DAS_FIRST_ARGUMENT memrefs=no breakpoints=91d02001 returned=32 reference=16 kinds=COMPLEX ambiguous=aligned-structs,complex-across-words,variadic-floats-in-structs wrapper_arguments=large,wide_fields,char32 wrapper_results=large,aligned,small,char32'
    # The kernel runs i386 programs without an emulator. Nearly all signatures are passed in the same way.
    'machine=i386 complex=8 triple=i686-unknown-linux-gnu gnu=i686-linux-gnu debian=i386 libffi=bookworm emulator=env bits=32 registers=16 float=2 last_float=2 assembly=x86 pads=1 misuse=MEMBER_MISSING,OVER_ALIGNED,MEMBER_OVER_ALIGNED,PACKED,TOO_MANY emulation=-melf_i386 vectors=-msse2 most=200 breakpoints=cc needs=/lib/ld-linux.so.2=libc6-i386,/usr/lib32/libgcc_s.so.1=lib32gcc-s1 trampolines=clang returned=0,32 long_double=12 align=4 kinds=COMPLEX wrapper_arguments=large,small,complex,char32 wrapper_results=large,aligned,complex,char32'
    'machine=windows complex=8 gnu=x86_64-w64-mingw32 emulator=timeout,300,wine registers=4 exe=.exe returned=powers reference=8 kinds=INT128,COMPLEX,VECTOR128 wrapper_arguments=large,aligned,small,vector16,complex,char32,int128 wrapper_results=large,aligned,small,vector16,complex,char32,int128' # Debian has no libffi for it
)

# The default values. $registers and the like are passed to C programs as $counting (tests/common/check.h).
defaults=(machine= gnu= debian= sid= libffi= emulator=qemu bits=64 stride=32 registers=8 hidden=1 pairs=1 float=0 last_float=0 counts= simd=
    complex=32 differences= types= breakpoints= trampolines= clang=19 cpu= loader= lld=ld.lld-19 optimize=0 unstable= assembly= pads=0 assembler= emulation= for_clang= links= vectors= nest= memrefs= misuse='SMALL_STRUCT MEMBER_MISSING OVER_ALIGNED MEMBER_OVER_ALIGNED PACKED TOO_MANY' wrapper_arguments= wrapper_results= most=600
    needs= exe= root= counting= long_double=16 align=16 kinds='INT128 COMPLEX' returned=16 floats= float_registers=8 reference= even=all rest=split
    leaves= ambiguous=)

# machine NAME|TRIPLE: sets the variables above except `triple`. Also sets `root`, the directory of sid's files, `counting`, the options
# for C programs that count registers, and `fields`, all of them as NAME=VALUE.
machine() {
    local row word value
    for row in "${machines[@]}"; do
        case " $row " in *" machine=$1 "* | *" triple=$1 "*) break ;; esac
        row=
    done
    [ -n "$row" ] || fail "tests/legs/parts/machines.sh does not list $1"
    for word in "${defaults[@]}"; do printf -v "${word%%=*}" %s "${word#*=}"; done
    for word in $row; do
        [ "${word%%=*}" = triple ] || { value=${word#*=} && printf -v "${word%%=*}" %s "${value//,/ }"; }
    done
    gnu=${gnu:-$machine-linux-gnu} assembly=${assembly:-$machine}
    [ "$bits" = 64 ] || memrefs=no
    fields=()
    for word in "${defaults[@]}"; do word=${word%%=*} && fields+=("$word=${!word}"); done
    counting="-DINTEGER_REGISTERS=$registers -DHIDDEN_RESULT_TAKES=$hidden -DPAIRS_ARE_EVEN=$pairs -DFLOAT_TAKES=$float -DLAST_FLOAT_TAKES=$last_float"
    [ -z "$sid" ] || root=$chroot
    [ -z "$cpu" ] || cpu=" -cpu ${cpu//;/,}"
    [ "$emulator" != qemu ] || emulator="qemu-$machine-static$cpu -L /usr/$gnu"
    [ -z "$sid" ] || emulator="$root/usr/bin/qemu-$machine -L $root/usr/$gnu" # QEMU 7.2 lacks features that its C library uses
}

# machine_names: prints the names of all machines.
machine_names() { printf '%s\n' "${machines[@]}" | sed 's/^machine=\([^ ]*\).*/\1/'; }

# crossed: prints the triples that the cross leg tests.
crossed() { printf '%s\n' "${machines[@]}" | sed -n 's/.* triple=\([^ ]*\).*/\1/p'; }

# need_machines TOOL...: requests these GNU tools for all machines of the cross leg, through `need` and `need_sid`. For gcc, also
# requests the files that its programs need.
need_machines() {
    local triple tool entries=() from_sid=() set_of "${defaults[@]}"
    for triple in $(crossed); do
        machine "$triple"
        set_of=()
        for tool; do
            case $tool in
            gcc | g++) set_of+=("$gnu-$tool${sid:+-$sid}=$tool${sid:+-$sid}-$gnu") ;;
            *) set_of+=("$gnu-$tool=binutils-$gnu") ;;
            esac
            # shellcheck disable=SC2206 # several words
            [ "$tool" != gcc ] || set_of+=("/usr/$gnu/lib/crt1.o=libc6-dev-$debian-cross" ${sid:+"qemu-$machine=qemu-user"} $needs)
        done
        if [ -n "$sid" ]; then from_sid+=("${set_of[@]}"); else entries+=("${set_of[@]}"); fi
    done
    need "${entries[@]}"
    need_sid "${from_sid[@]}"
    for triple in $(crossed); do
        machine "$triple"
        [ -z "$sid" ] || sid_compilers "$gnu" "$sid"
    done
}

# need_trampoline_compilers: requests the GNU C compilers whose trampolines `audit` recognises.
need_trampoline_compilers() {
    local name "${defaults[@]}"
    for name in $(machine_names); do
        machine "$name"
        case $trampolines in gcc*) need "$gnu-gcc=gcc-$gnu" ;; esac
    done
}
