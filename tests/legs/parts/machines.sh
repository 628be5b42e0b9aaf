# Properties of each machine that legs and parts use, one line for each. A blank within a value is written as a comma.
#
# machine      name in QEMU, and in the signature generators
# triple       Rust's target; without one, the leg cross omits the machine
# gnu          prefix of the GNU tools; $machine-linux-gnu by default
# debian       Debian's name of the architecture
# sid          version of Debian sid's GCC for it, if Debian 12 has none; QEMU and the C library are then sid's, too
# libffi       Debian suites, in order of preference, whose libffi is the reference for signatures; none: Debian has none
# emulator     runs its programs; QEMU by default
# bits=64, stride=32   word size in bits; stub size in bytes
# registers=8, hidden=1   count of integer argument registers; whether the address of a result in memory takes the first
# assembly     file in asm/, if its name is not $machine; pads=1: its stubs may begin with landing pads
# assembler, emulation, for_clang   options of GNU as; of both linkers; those that make clang compile as gcc does
# vectors      options that give the C compilers the vector types that Rust has there
# nest         -DAS_FIRST_ARGUMENT if LLVM passes a static chain as the first argument (tests/programs/cross/nest.c)
# halves       without-halves if memrefs' closures take no f16 by value
# misuse=SMALL_STRUCT,TOO_MANY   declarations that the C++ wrapper rejects (tests/programs/c/wrapper_misuse.cpp)
# most=600     the most random Rust signatures that are needed
# needs        more packages, in the format of `need`
# exe          file-name suffix of a program
machines=(
    'machine=x86_64 libffi=native emulator= registers=6 pads=1 emulation=-melf_x86_64'
    'machine=aarch64 triple=aarch64-unknown-linux-gnu debian=arm64 libffi=bookworm hidden=0 pads=1 emulation=-maarch64linux'
    'machine=riscv64 triple=riscv64gc-unknown-linux-gnu debian=riscv64 libffi=trixie,sid assembly=riscv assembler=-march=rv64gc emulation=-melf64lriscv for_clang=-march=rv64gc,-mabi=lp64d'
    'machine=loongarch64 triple=loongarch64-unknown-linux-gnu debian=loong64 sid=16 libffi=sid stride=16 emulation=-melf64loongarch nest=-DAS_FIRST_ARGUMENT halves=without-halves'
    'machine=arm triple=armv7-unknown-linux-gnueabihf gnu=arm-linux-gnueabihf debian=armhf libffi=bookworm bits=32 stride=16 registers=4 assembler=-march=armv7-a emulation=-marmelf_linux_eabi'
    'machine=ppc64le triple=powerpc64le-unknown-linux-gnu gnu=powerpc64le-linux-gnu debian=ppc64el libffi=bookworm assembly=powerpc64le emulation=-melf64lppc halves=without-halves'
    # -msecure-plt: otherwise the linker makes the program write to code. Every struct travels in the same way there.
    'machine=ppc triple=powerpc-unknown-linux-gnu gnu=powerpc-linux-gnu debian=powerpc bits=32 stride=64 assembly=powerpc emulation=-melf32ppc for_clang=-msecure-plt misuse=TOO_MANY'
    'machine=s390x triple=s390x-unknown-linux-gnu debian=s390x libffi=bookworm stride=16 registers=4 emulation=-melf64_s390 nest=-DAS_FIRST_ARGUMENT halves=without-halves'
    # The kernel runs its programs. Nearly all signatures travel in the same way.
    'machine=i386 triple=i686-unknown-linux-gnu gnu=i686-linux-gnu debian=i386 libffi=bookworm emulator=env bits=32 registers=16 assembly=x86 pads=1 emulation=-melf_i386 vectors=-msse2 most=200 needs=/lib/ld-linux.so.2=libc6-i386,/usr/lib32/libgcc_s.so.1=lib32gcc-s1'
    'machine=windows gnu=x86_64-w64-mingw32 emulator=timeout,300,wine registers=4 exe=.exe' # Debian has no libffi for it
)

# machine NAME|TRIPLE: sets the variables above, except for `triple`; and `root`, the directory of sid's files.
machine() {
    local row word value
    for row in "${machines[@]}"; do
        case " $row " in *" machine=$1 "* | *" triple=$1 "*) break ;; esac
        row=
    done
    [ -n "$row" ] || fail "tests/legs/parts/machines.sh has no $1"
    gnu='' debian='' sid='' libffi='' emulator=qemu bits=64 stride=32 registers=8 hidden=1 assembly='' pads=0 assembler='' emulation='' for_clang=''
    vectors='' nest='' halves='' misuse='SMALL_STRUCT TOO_MANY' most=600 needs='' exe='' root=''
    for word in $row; do
        [ "${word%%=*}" = triple ] || { value=${word#*=} && printf -v "${word%%=*}" %s "${value//,/ }"; }
    done
    gnu=${gnu:-$machine-linux-gnu} assembly=${assembly:-$machine}
    [ -z "$sid" ] || root=$chroot
    [ "$emulator" != qemu ] || emulator="qemu-$machine-static -L /usr/$gnu"
    [ -z "$sid" ] || emulator="$root/usr/bin/qemu-$machine -L $root/usr/$gnu" # QEMU 7.2 lacks features that its C library uses
}

# crossed: the triples that the leg cross tests.
crossed() { printf '%s\n' "${machines[@]}" | sed -n 's/.* triple=\([^ ]*\).*/\1/p'; }

# need_machines TOOL...: requests these GNU tools for all machines of the leg cross, by `need` and `need_sid`; for gcc
# also the files that its programs need.
need_machines() {
    local triple tool entries=() from_sid=() machine gnu debian sid libffi emulator bits stride registers hidden assembly pads assembler emulation
    local for_clang vectors nest halves misuse most needs exe root set_of
    for triple in $(crossed); do
        machine "$triple"
        set_of=()
        for tool; do
            case $tool in
            gcc | g++) set_of+=("$gnu-$tool${sid:+-$sid}=$tool${sid:+-$sid}-$gnu") ;;
            *) set_of+=("$gnu-$tool=binutils-$gnu") ;;
            esac
            # shellcheck disable=SC2206 # several words
            [ "$tool" != gcc ] || set_of+=("/usr/$gnu/lib/crt1.o=libc6-dev-$debian-cross" $needs)
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
