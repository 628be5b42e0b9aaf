# Tests boards that are programmed in C, without libc and with newlib. Sourced by tests/legs/bare.sh.

# c_board TRIPLE BOARD "COMPILER AND FLAGS" QEMU-ARGUMENT...: runs the board's test in C, without libc.
c_board() {
    local triple=$1 name=$2 compiler=$3 prefix archive said found
    shift 3
    say "C without libc: $triple on $name"
    # shellcheck disable=SC2086 # at most one word
    prefix=$(unset STATICTRAMP_SLOTS && cross_capi "$triple" ${slots:+STATICTRAMP_SLOTS=$slots} CC="$compiler")/..
    archive=$prefix/lib/libstatictramp.a
    found=$("${compiler%%gcc *}nm" "$archive" | sed -n 's/^0*\([0-9a-f]*\) . statictramp_c_0_1_slot_count$/\1/p')
    [ $((16#$found)) = "${slots:-16}" ] || fail "$triple: libstatictramp has $((16#$found)) slots, expected ${slots:-16}"
    # The program's own definitions of functions in the compilers' libgcc, and of memcpy and similar functions, must remain in
    # use.
    "$test_tools" only-ours "$archive" "${compiler%%gcc *}nm"
    for level in -O0 -O2 -Os; do
        # shellcheck disable=SC2086 # several words
        $compiler $level -Wall -Wextra -Werror -ffreestanding -nostdlib -Icapi/include tests/programs/bare/c/{main,memory}.c "$archive" -lgcc \
            -Ltests/programs/bare/boards "-L$prefix/share/statictramp" -Wl,-T,"$name.x",-T,tests/programs/bare/c/sections.x,--gc-sections -z noexecstack -o "$out/c"
        echo "$level"
        limit=300 run "$name" "$out/c" "$@"
        must_say "drivers have their devices" "a context may be in any register" "the macro determines the registers" "a full table recovers" \
            "nested functions run" ${timer:+"a timer's handler has its context"} ${own:+"exchanges are the program's critical sections"} "a call after free is diagnosed"
    done
    echo "$said"
    cp "$archive" "$out/$triple.a"
}

say "the checks of STATICTRAMP_BIND"
riscv="riscv64-unknown-elf-gcc -mcmodel=medany"
for compiler in "arm-none-eabi-gcc -mthumb -mcpu=cortex-m0" "$riscv -march=rv32imc_zicsr -mabi=ilp32"; do
    "$test_tools" bind-uses "$compiler -ffreestanding"
    "$test_tools" bind-misuses "$compiler -ffreestanding"
    "$test_tools" bind-calls "$compiler" "$out"
done

slots=32 timer=1
c_board thumbv7m-none-eabi mps2-an385 "arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb" qemu-system-arm
timer=
c_board thumbv6m-none-eabi microbit "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb" qemu-system-arm
own=-DOWN_CRITICAL_SECTION
c_board thumbv6m-none-eabi microbit "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb $own" qemu-system-arm
own=
c_board riscv32imac-unknown-none-elf virt "$riscv -march=rv32imac_zicsr -mabi=ilp32" qemu-system-riscv32 -bios none
c_board riscv32imc-unknown-none-elf virt "$riscv -march=rv32imc_zicsr -mabi=ilp32" qemu-system-riscv32 -bios none
# The default is 16.
slots=
c_board riscv64gc-unknown-none-elf virt "$riscv -march=rv64gc_zicsr -mabi=lp64d" qemu-system-riscv64 -bios none
source tests/legs/parts/bare/newlib.sh
need /usr/lib/picolibc/arm-none-eabi/picolibc.specs=picolibc-arm-none-eabi \
    /usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs=picolibc-riscv64-unknown-elf
need cmake=cmake pkg-config=pkg-config make=make
with_compilers core heaps sections resets
source tests/legs/parts/bare/copies.sh
source tests/legs/parts/bare/images.sh
