# Boards without an operating system, run by QEMU: the slots where the linker script puts them, and, where the board
# can, all RAM execute-never. The image is in tests/bare.

need_debian_rust
# A newer qemu-utils than the systems' own would not let them be installed.
need qemu-system-arm="qemu-system-arm qemu-utils-" qemu-system-riscv64="qemu-system-misc qemu-utils-" \
    ld.lld-19=lld-19 clang-19=clang-19 arm-none-eabi-gcc=gcc-arm-none-eabi riscv64-unknown-elf-gcc=gcc-riscv64-unknown-elf
source tests/review/archive/symbols.sh
ticks=$(share 1000000)
out=$PWD/target/cross/bare
mkdir -p "$out"
# The linker is chosen by $LINKER, so that one core of each target serves all images.
printf '#!/bin/sh\nexec $LINKER "$@"\n' >"$out/linker"
chmod +x "$out/linker"

# images TRIPLE DIRECTORY ARGUMENT...: builds what is in a directory; into $out.
images() (
    cd "$2"
    export STATICTRAMP_SLOTS=${slots:-32} STATICTRAMP_ASM=rust TICKS=$ticks
    export CARGO_ENCODED_RUSTFLAGS=-Clinker=$out/linker$'\x1f'-Clinker-flavor=ld
    target=$out debian_cargo "$1" build --release --locked -Zbuild-std=core,compiler_builtins "${@:3}"
)

# image TRIPLE BOARD: builds the image for a board.
image() {
    BOARD=$2 LINKER=${linker:-ld.lld-19} images "$1" tests/bare --bin bare || return
    image=$out/$1/release/bare
}

# run BOARD IMAGE QEMU-ARGUMENT...: sets `said` to what an image says, which must end well, within $limit seconds.
run() {
    said=$(timeout "$limit" "${@:3}" -M "$1" -nographic -semihosting-config enable=on,target=native -kernel "$2" </dev/null 2>&1) ||
        fail "the image ended with $?: $said"
}

# must_say TEXT...: looks for each in what the last image said.
must_say() {
    local wanted
    for wanted in "$@"; do
        grep -q "$wanted" <<<"$said" || fail "\"$wanted\" is missing: $said"
    done
}

# board TRIPLE BOARD QEMU-ARGUMENT...: builds and runs it.
board() {
    local triple=$1 name=$2 said
    shift 2
    say "$triple on $name"
    image "$triple" "$name"
    limit=600 run "${name%%-aarch64}" "$image" "$@"
    must_say "before: code on the stack runs" "$ticks interrupts between" "a late call is diagnosed" \
        ${cores:+"two cores made $ticks"} ${cause:+"code on the stack ends in a fault: $cause = 1"}
    echo "$said"
}

cause=CFSR
board thumbv7m-none-eabi mps2-an385 qemu-system-arm
board thumbv7m-none-eabi lm3s6965evb qemu-system-arm
board thumbv7em-none-eabihf mps2-an386 qemu-system-arm
board thumbv7em-none-eabihf mps2-an500 qemu-system-arm
linker=arm-none-eabi-ld board thumbv7m-none-eabi mps2-an385 qemu-system-arm
cause=mcause
cores=2
board riscv32imac-unknown-none-elf virt qemu-system-riscv32 -bios none -smp 2
board riscv64gc-unknown-none-elf virt qemu-system-riscv64 -bios none -smp 2
linker="riscv64-unknown-elf-ld -melf32lriscv" board riscv32imac-unknown-none-elf virt qemu-system-riscv32 -bios none -smp 2
linker=riscv64-unknown-elf-ld board riscv64gc-unknown-none-elf virt qemu-system-riscv64 -bios none -smp 2
cores=
cause= # these cannot protect their memory, or have another unit for it
board thumbv8m.main-none-eabi mps2-an505 qemu-system-arm
board thumbv8m.base-none-eabi mps2-an505 qemu-system-arm
board riscv32imc-unknown-none-elf virt qemu-system-riscv32 -bios none
board thumbv6m-none-eabi microbit qemu-system-arm
board aarch64-unknown-none virt-aarch64 qemu-system-aarch64 -cpu cortex-a53 -nic none

# c_board TRIPLE BOARD "COMPILER AND FLAGS" QEMU-ARGUMENT...: the same in C, without a C library.
c_board() {
    local triple=$1 name=$2 compiler=$3 prefix archive said
    shift 3
    say "C without a C library: $triple on $name"
    prefix=$(cross_capi "$triple" STATICTRAMP_SLOTS=32 CC="$compiler")/..
    archive=$prefix/lib/libstatictramp.a
    # What compilers take from libgcc, and every memcpy, stays what the program has.
    local replaceable=()
    case $triple in thumbv6m* | riscv32imc-*) replaceable=(_critical_section_1_0_{acquire,release}) ;; esac
    only_ours "$archive" "${compiler%%gcc *}nm" "${replaceable[@]}"
    for level in -O0 -O2 -Os; do
        # shellcheck disable=SC2086: several words
        $compiler $level -Wall -Wextra -Werror -ffreestanding -nostdlib -Icapi/include tests/bare/c/{main,memory}.c "$archive" -lgcc \
            -Ltests/bare/boards "-L$prefix/share/statictramp" -Wl,-T,"$name.x",-T,tests/bare/c/sections.x,--gc-sections -z noexecstack -o "$out/c"
        echo "$level"
        limit=100 run "$name" "$out/c" "$@"
        must_say "drivers have their devices" "a context may be in any register" "a full table recovers" \
            "nested functions run" ${timer:+"a timer's handler has its context"} ${own:+"exchanges are the program's critical sections"} "a late call is diagnosed"
    done
    echo "$said"
    cp "$archive" "$out/$triple.a"
}
timer=1
c_board thumbv7m-none-eabi mps2-an385 "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb" qemu-system-arm
timer=
c_board thumbv6m-none-eabi microbit "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb" qemu-system-arm
own=-DOWN_CRITICAL_SECTION
c_board thumbv6m-none-eabi microbit "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb $own" qemu-system-arm
own=
riscv="riscv64-unknown-elf-gcc -mcmodel=medany"
c_board riscv32imac-unknown-none-elf virt "$riscv -march=rv32imac_zicsr -mabi=ilp32" qemu-system-riscv32 -bios none
c_board riscv32imc-unknown-none-elf virt "$riscv -march=rv32imc_zicsr -mabi=ilp32" qemu-system-riscv32 -bios none
c_board riscv64gc-unknown-none-elf virt "$riscv -march=rv64gc_zicsr -mabi=lp64d" qemu-system-riscv64 -bios none

source tests/bare/threads.sh
source tests/bare/placement.sh
source tests/bare/scripts.sh
source tests/bare/newlib.sh

say "the template, as somebody who copies it has it"
copy=$PWD/target/cross/template
rm -rf "$copy"
cp -r examples/cortex-m "$copy"
sed -i "s|\"../..\"|\"$PWD\"|" "$copy/Cargo.toml"
# The compiler at hand has no core for the target; somebody with rustup types cargo run --release.
said=$(cd "$copy" && CARGO_TARGET_THUMBV7M_NONE_EABI_LINKER=ld.lld-19 target=$copy/target \
    debian_cargo thumbv7m-none-eabi run --release -Zbuild-std=core,compiler_builtins 2>&1)
wanted=$(sed -n '/^    channel/,/^$/s/^    //p' examples/cortex-m/README.md)
[ "$said" = "$wanted" ] || fail "the template says: $said"
echo "$said"

say "what trampolines cost"
# cost TRIPLE SLOTS: sets flash and ram to the bytes of a program that does nothing else.
cost() {
    slots=$2 LINKER=ld.lld-19 images "$1" tests/bare/sizes
    # Of what is in memory: code and constants, memory that starts as zero or as anything, and what has initial values.
    read -r flash ram initial < <(readelf -SW "$out/$1/release/sizes" | sed -n 's/^ *\[ *[0-9]*\] *//p' |
        perl -ne 'my ($type, $size, $flags) = (split)[1, 4, 6]; next unless $flags =~ /A/;
            $sum{$flags !~ /W/ ? "flash" : $type eq "NOBITS" ? "ram" : "initial"} += hex $size;
            END { printf "%d %d %d\n", map { $sum{$_} // 0 } qw(flash ram initial) }')
    [ "$initial" = 0 ] || fail "$1: $initial bytes have initial values, which start-up code would have to copy"
}
# costs TRIPLE PART STUB: a row of the table.
costs() {
    local triple=$1 part=$2 stub=$3 row n least_flash least_ram
    for n in 8 64 1024; do
        cost "$triple" $n
        row="${row-} | $flash + $ram"
        [ $n != 8 ] || least_flash=$flash least_ram=$ram
    done
    each_flash=$(((flash - least_flash) / 1016)) each_ram=$(((ram - least_ram + 1015) / 1016)) code=$((least_flash - 8 * stub))
    echo "| $part | $each_flash + $each_ram | $code$row |" | tee -a "$out/sizes.md"
}
printf '| bytes of flash + RAM | each | fixed code | 8 slots | 64 slots | 1,024 slots |\n|---|---|---|---|---|---|\n' | tee "$out/sizes.md"
costs thumbv6m-none-eabi Cortex-M0 20
costs thumbv7m-none-eabi Cortex-M3 16
[ $each_flash -le 24 ] && [ $each_ram -le 16 ] && [ $code -le 600 ] || fail "more than 24 and 16 bytes each, or than 600"
costs thumbv7em-none-eabihf Cortex-M4F 16
costs riscv32imac-unknown-none-elf "RISC-V, 32 bits" 32
costs riscv64gc-unknown-none-elf "RISC-V, 64 bits" 32
costs aarch64-unknown-none AArch64 32

say "the instructions of a claim, at most"
# claims TRIPLE BOARD QEMU-ARGUMENT...: counts with four sizes; a line through two must meet the third, and bound the
# last, whose number takes the compiler more instructions.
claims() {
    local triple=$1 board=$2 n each fixed said longest=()
    shift 2
    for n in 8 64 128 1024; do
        slots=$n BOARD=$board LINKER=ld.lld-19 images "$triple" tests/bare --bin count
        limit=300 run "$board" "$out/$triple/release/count" "$@"
        longest+=("$(sed -n 's/^slots [0-9]* longest \([0-9]*\) .*/\1/p' <<<"$said")")
    done
    each=$(((longest[1] - longest[0]) / 56)) fixed=$((longest[0] - 8 * each))
    [ "${longest[2]}" = $((fixed + 128 * each)) ] && [ "${longest[1]}" = $((fixed + 64 * each)) ] ||
        fail "$triple: ${longest[*]} instructions for 8, 64, 128 and 1,024 slots are not on a line"
    [ "${longest[3]}" -le $((fixed + 1024 * (each + 2))) ] || fail "$triple: ${longest[3]} instructions for 1,024 slots"
    echo "$triple: $fixed + $each for each slot (of 1,024: ${longest[3]}), when nobody makes or frees meanwhile"
}
claims thumbv7m-none-eabi mps2-an385 qemu-system-arm -icount shift=10
claims riscv32imac-unknown-none-elf virt qemu-system-riscv32 -bios none -icount shift=0

say "one assembly, two assemblers"
CC_thumbv6m_none_eabi=arm-none-eabi-gcc same_stubs thumbv6m-none-eabi arm-none-eabi- 20 4
CC_thumbv7m_none_eabi=arm-none-eabi-gcc same_stubs thumbv7m-none-eabi arm-none-eabi- 16 4
CC_riscv32imac_unknown_none_elf=riscv64-unknown-elf-gcc same_stubs riscv32imac-unknown-none-elf riscv64-unknown-elf- 32 4
