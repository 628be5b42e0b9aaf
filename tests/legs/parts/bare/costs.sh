# Measures the sizes in the table of docs/boards.md. Sourced by tests/legs/bare.sh.

say "the costs of trampolines"
# in_rust TRIPLE SLOTS, in_c FUNCTION SLOTS: build a program and measure it.
in_rust() {
    slots=$2 LINKER=ld.lld-19 images "$1" tests/programs/bare/sizes sizes
    measure "$1" "$image"
}
gcc="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"
in_c() {
    local prefix=$PWD/target/prefix-thumbv7m-none-eabi-costs-$2
    [ -n "${built[$2]-}" ] || variant=-costs-$2 cross_capi thumbv7m-none-eabi "STATICTRAMP_SLOTS=$2" STATICTRAMP_ASM=rust CC="$gcc" >/dev/null
    built[$2]=1
    $gcc -Os -Wall -Wextra -Werror "-D$1" -Icapi/include -ffreestanding -nostdlib tests/programs/bare/c/costs.c "$prefix/lib/libstatictramp.a" -lgcc \
        "-L$prefix/share/statictramp" -Wl,-T,tests/programs/bare/sizes/sizes.x,--gc-sections,--build-id=none -z noexecstack -o "$out/costs"
    measure "$1" "$out/costs"
}
declare -A built
# costs NAME STUB COMMAND WORD: makes a row of the table. A short run does not verify the column for 32 slots.
costs() {
    local name=$1 stub=$2 row='' n least_flash least_ram
    for n in 8 32 1024; do
        if [ $n = 32 ] && [ "$effort" -lt 100 ]; then
            row+=' | [0-9]* + [0-9]*'
            continue
        fi
        "$3" "$4" $n
        row+=" | $flash + $ram"
        [ $n != 8 ] || least_flash=$flash least_ram=$ram
    done
    each_flash=$(((flash - least_flash) / 1016)) each_ram=$(((ram - least_ram + 1015) / 1016)) code=$((least_flash - 8 * stub))
    row="| $name | $each_flash + $each_ram | $code$row |"
    echo "$row" | tee -a "$out/sizes.md"
    grep -qx "$row" docs/boards.md || wrong+=("$row")
}
wrong=()
printf '| bytes of flash + RAM | each | fixed code | 8 slots | 32 slots | 1,024 slots |\n|---|---|---|---|---|---|\n' | tee "$out/sizes.md"
costs Cortex-M0 20 in_rust thumbv6m-none-eabi
costs Cortex-M3 16 in_rust thumbv7m-none-eabi
[ $each_flash -le 24 ] && [ $each_ram -le 16 ] && [ $code -le 600 ] || fail "Cortex-M3: the costs exceed 24 bytes of flash or 16 bytes of RAM per slot, or 600 bytes of code"
costs 'Cortex-M3, C, `statictramp_alloc`' 16 in_c ALLOC
costs 'Cortex-M3, C, `statictramp_bind`' 16 in_c BIND
[ $each_ram -le 24 ] && [ $code -le 1200 ] || fail "Cortex-M3, statictramp_bind in C: the costs exceed 24 bytes of RAM per slot, or 1,200 bytes of code"
[ "$effort" -lt 100 ] || costs Cortex-M4F 16 in_rust thumbv7em-none-eabihf # instructions of the Cortex-M3
costs "RISC-V, 32 bits" 32 in_rust riscv32imac-unknown-none-elf
costs "RISC-V, 64 bits" 32 in_rust riscv64gc-unknown-none-elf
costs AArch64 32 in_rust aarch64-unknown-none
[ ${#wrong[@]} = 0 ] || fail "docs/boards.md lacks these rows: ${wrong[*]}"
