# Tests the upper bound on the cost of a claim, and compares the stubs of two assemblers. Sourced by tests/legs/bare.sh.

say "the maximum number of instructions for a claim"
# claims TRIPLE BOARD QEMU-ARGUMENT...: counts instructions for tables of four sizes. A line with the slope from the second to the
# third number must meet the first three within eight instructions, and be an upper bound for the last, for whose number of slots the
# compiler needs more instructions.
claims() {
    local triple=$1 board=$2 n each fixed above said longest=()
    shift 2
    for n in 8 64 128 1024; do
        slots=$n BOARD=$board LINKER=ld.lld-19 images "$triple" tests/programs/bare count
        limit=300 run "${board%%-aarch64}" "$image" "$@"
        longest+=("$(sed -n 's/^slots [0-9]* longest \([0-9]*\) .*/\1/p' <<<"$said")")
    done
    each=$(((longest[2] - longest[1] + 63) / 64)) fixed=0
    for n in 0:8 1:64 2:128; do
        above=$((longest[${n%:*}] - ${n#*:} * each))
        [ $fixed -ge $above ] || fixed=$above
    done
    for n in 0:8 1:64 2:128; do
        [ $((fixed + ${n#*:} * each - longest[${n%:*}])) -le 8 ] ||
            fail "$triple: the maximum instruction counts per claim with 8, 64, 128 and 1,024 slots (${longest[*]}) do not grow linearly"
    done
    grep -qF "$fixed + $each·N" docs/boards.md || fail "docs/boards.md does not state the maximum for $triple, $fixed + $each·N"
    [ "${longest[3]}" -le $((fixed + 1024 * (each + 2))) ] || fail "$triple: a claim among 1,024 slots takes ${longest[3]} instructions, expected at most $((fixed + 1024 * (each + 2)))"
    echo "$triple: $fixed + $each for each slot (with 1,024 slots: ${longest[3]}), without concurrent claims or frees"
}
claims thumbv6m-none-eabi mps2-an385 qemu-system-arm -icount shift=10
claims thumbv7m-none-eabi mps2-an385 qemu-system-arm -icount shift=10
claims riscv32imac-unknown-none-elf virt qemu-system-riscv32 -bios none -icount shift=0
if [ "$effort" -ge 100 ]; then
    claims riscv32imc-unknown-none-elf virt qemu-system-riscv32 -bios none -icount shift=0
    claims thumbv8m.main-none-eabi mps2-an505 qemu-system-arm -icount shift=10
    claims riscv64gc-unknown-none-elf virt qemu-system-riscv64 -bios none -icount shift=0
    claims aarch64-unknown-none virt-aarch64 qemu-system-aarch64 -cpu cortex-a53 -nic none -icount shift=10
fi

say "the same assembly by two assemblers"
target=$out/stubs
CC_thumbv6m_none_eabi=arm-none-eabi-gcc same_stubs thumbv6m-none-eabi arm-none-eabi- 20 4
CC_thumbv7m_none_eabi=arm-none-eabi-gcc same_stubs thumbv7m-none-eabi arm-none-eabi- 16 4
CC_riscv32imac_unknown_none_elf=riscv64-unknown-elf-gcc same_stubs riscv32imac-unknown-none-elf riscv64-unknown-elf- 32 4
