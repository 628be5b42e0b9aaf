# Measures the sizes in the table of docs/boards.md. Sourced by tests/legs/bare.sh.

say "the costs of trampolines"
# in_rust TRIPLE SLOTS, in_c "TRIPLE:COMPILER AND FLAGS:FUNCTION" SLOTS: build a program and measure it.
in_rust() {
    slots=$2 LINKER=ld.lld-19 images "$1" tests/programs/bare/sizes sizes
    measure "$1" "$image"
}
in_c() {
    local triple compiler function prefix
    IFS=: read -r triple compiler function <<<"$1"
    prefix=$PWD/target/prefix-$triple-costs-$2
    [ -n "${built[$triple$2]-}" ] || variant=-costs-$2 cross_capi "$triple" "STATICTRAMP_SLOTS=$2" STATICTRAMP_ASM=rust CC="$compiler" >/dev/null
    built[$triple$2]=1
    # shellcheck disable=SC2086 # several words
    $compiler ${level--Os} -Wall -Wextra -Werror "-D$function" -Icapi/include -ffreestanding -nostdlib tests/programs/bare/c/costs.c "$prefix/lib/libstatictramp.a" -lgcc \
        "-L$prefix/share/statictramp" -Wl,-T,tests/programs/bare/sizes/sizes.x,--build-id=none -z noexecstack -o "$out/costs"
    measure "$triple" "$out/costs"
}
declare -A built
# costs NAME STUB COMMAND WORD: makes a row of the table. A short run does not verify the column for 16 slots.
costs() {
    local name=$1 stub=$2 row='' n least_flash least_ram
    for n in 8 16 1024; do
        if [ $n = 16 ] && [ "$effort" -lt 100 ]; then
            row+=' | ?'
            continue
        fi
        "$3" "$4" $n
        row+=" | $flash + $ram"
        [ $n != 8 ] || least_flash=$flash least_ram=$ram
    done
    each_flash=$(((flash - least_flash) / 1016)) each_ram=$(((ram - least_ram + 1015) / 1016)) code=$((least_flash - 8 * stub))
    row="| $name | $each_flash + $each_ram | $code$row |"
    echo "$row"
    flock docs/boards.md "$test_tools" stated docs/boards.md "$row" || wrong+=("$row")
}
wrong=()
[ -z "${STATICTRAMP_WRITE_SIZES:-}" ] || effort=100 # all rows and columns
costs Cortex-M0 20 in_rust thumbv6m-none-eabi
costs Cortex-M3 16 in_rust thumbv7m-none-eabi
[ $each_flash -le 24 ] && [ $each_ram -le 16 ] && [ $code -le 652 ] || fail "Cortex-M3: the costs exceed 24 bytes of flash or 16 bytes of RAM per slot, or 652 bytes of code"
# in_c_rows NAME STUB TRIPLE "COMPILER AND FLAGS" MOST: the rows for the functions that bind a context. MOST is the maximum size of the code for
# statictramp_bind. If all parameters are words, STATICTRAMP_BIND may take 512 bytes more, even without optimization: the linker must drop the
# code that determines the registers from types.
in_c_rows() {
    local least level function bind
    costs "$1, C, \`statictramp_bind\`" "$2" in_c "$3:$4:BIND"
    [ $each_ram -le 24 ] && [ $code -le "$5" ] || fail "$1, statictramp_bind in C: the costs exceed 24 bytes of RAM per slot, or $5 bytes of code"
    least=$code each_slot="$each_flash bytes of flash and $each_ram bytes of RAM"
    costs "$1, C, \`STATICTRAMP_BIND\`, words" "$2" in_c "$3:$4:WORDS"
    [ $((code - least)) -le 512 ] || fail "$1: STATICTRAMP_BIND takes $((code - least)) bytes more than statictramp_bind, expected at most 512"
    for level in -O0 -O2; do
        in_c "$3:$4:BIND" 8
        bind=$flash
        in_c "$3:$4:WORDS" 8
        [ $((flash - bind)) -le 512 ] || fail "$1, $level: STATICTRAMP_BIND takes $((flash - bind)) bytes more than statictramp_bind"
    done
    [ "$effort" -lt 100 ] || costs "$1, C, \`STATICTRAMP_BIND\`, \`double\`" "$2" in_c "$3:$4:DOUBLE"
}
arm="arm-none-eabi-gcc -mthumb -mcpu"
costs 'Cortex-M3, C, `statictramp_alloc`' 16 in_c "thumbv7m-none-eabi:$arm=cortex-m3:ALLOC"
in_c_rows Cortex-M3 16 thumbv7m-none-eabi "$arm=cortex-m3" 1200
tr '\n' ' ' <docs/boards-projects.md | grep -qF "Each slot in the first row takes $each_slot" || fail "docs/boards-projects.md does not state the size of a slot, $each_slot"
# With 16 slots, at most 1,900 bytes, and 2,000 on RISC-V.
in_c_rows Cortex-M0 20 thumbv6m-none-eabi "$arm=cortex-m0" 1580
[ "$effort" -lt 100 ] || in_c_rows "RISC-V, 32 bits, without the A extension" 32 riscv32imc-unknown-none-elf "riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32" 1488
[ "$effort" -lt 100 ] || costs Cortex-M4F 16 in_rust thumbv7em-none-eabihf # instructions of the Cortex-M3
costs "RISC-V, 32 bits" 32 in_rust riscv32imac-unknown-none-elf
costs "RISC-V, 64 bits" 32 in_rust riscv64gc-unknown-none-elf
costs AArch64 32 in_rust aarch64-unknown-none
[ ${#wrong[@]} = 0 ] || fail "these rows are out of date; to update them, run STATICTRAMP_WRITE_SIZES=1 tests/run bare:sizes: ${wrong[*]}"

say "the size of thunks without the library"
thunks=()
for n in 1 2; do
    arm-none-eabi-g++ -std=c++17 -mcpu=cortex-m3 -mthumb -Os -Wall -Wextra -fno-exceptions -fno-rtti -ffunction-sections -ffreestanding -nostdlib \
        -DSIGNATURES=$n tests/programs/bare/c/thunks.cpp -Wl,-e,start,--gc-sections,-Ttext=0,-Tbss=0x20000000 -z noexecstack -lgcc -o "$out/thunks"
    read -r flash _ ram _ < <(arm-none-eabi-size "$out/thunks" | tail -n 1)
    thunks+=("$flash" "$ram")
done
said="the first signature takes ${thunks[0]} bytes of flash and ${thunks[1]} of RAM, and each additional one takes $((thunks[2] - thunks[0])) and $((thunks[3] - thunks[1]))"
tr '\n' ' ' <docs/boards.md | grep -qF "$said" || fail "docs/boards.md does not state: $said"
echo "$said"
