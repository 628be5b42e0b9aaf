# The bytes of the table in docs/boards.md. Sourced by tests/legs/bare.sh.

say "what trampolines cost"
# cost TRIPLE SLOTS: sets flash and ram to the bytes of a program that does nothing else.
cost() {
    slots=$2 LINKER=ld.lld-19 images "$1" tests/programs/bare/sizes sizes
    # Of what is in memory: code and constants, memory that starts as zero or as anything, and what has initial values.
    read -r flash ram initial < <(readelf -SW "$image" | sed -n 's/^ *\[ *[0-9]*\] *//p' |
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
