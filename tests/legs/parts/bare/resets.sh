# Tests the slots after a second boot, and the stack use of each function. Sourced by in_c.sh.

# in_c PROGRAM TRIPLE CPU: builds a program for mps2-an385 and runs it.
in_c() {
    arm-none-eabi-gcc "-mcpu=$3" -mthumb -O2 -Wall -Wextra -Werror -Wno-unused-function -ffreestanding -nostdlib -Icapi/include "-I$out" "tests/programs/bare/c/$1.c" \
        tests/programs/bare/c/memory.c "$out/$2.a" -lgcc -Llinker -Ltests/programs/bare/boards -Wl,-T,mps2-an385.x,-T,tests/programs/bare/c/sections.x,--gc-sections \
        -z noexecstack -o "$out/$1"
    limit=60 run mps2-an385 "$out/$1" qemu-system-arm
}

say "a second boot with the contents of RAM preserved"
doc_block docs/boards.md c 1 >"$out/clear_slots.h"
in_c reset thumbv7m-none-eabi cortex-m3
must_say "a pointer from the previous boot calls its callee" "after the slots are cleared, a call through a pointer from the previous boot faults"
echo "$said"

say "before .bss is cleared"
# The reset vector is the second word.
sed 's/(vector)stack_top, start,/(vector)stack_top, start_early,/; s/^typedef void (\*vector)(void);/void start_early(void);\n&/' tests/programs/bare/c/board.h >"$out/board.h"
sed "s|\"board.h\"|\"$out/board.h\"|" tests/programs/bare/c/early.c >"$out/early.c"
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -Wall -Wextra -Werror -Wno-unused-function -ffreestanding -nostdlib -Icapi/include "$out/early.c" \
    tests/programs/bare/c/memory.c "$out/thumbv7m-none-eabi.a" -lgcc -Llinker -Ltests/programs/bare/boards -Wl,-T,mps2-an385.x,-T,tests/programs/bare/c/sections.x,--gc-sections \
    -z noexecstack -o "$out/early"
limit=60 run mps2-an385 "$out/early" qemu-system-arm
must_say "a trampoline from before .bss was cleared is lost"
tr '\n' ' ' <docs/boards.md | sed 's/## .*//' | grep -q "must not make any before it has cleared \`.bss\`" || fail "the beginning of docs/boards.md does not state this rule"
echo "$said"

say "the caller of a dead call"
for row in thumbv7m-none-eabi:mps2-an385:"arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb":qemu-system-arm thumbv6m-none-eabi:mps2-an385:"arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb":qemu-system-arm \
    riscv32imc-unknown-none-elf:virt:"riscv64-unknown-elf-gcc -mcmodel=medany -march=rv32imc_zicsr -mabi=ilp32":"qemu-system-riscv32 -bios none" \
    riscv64gc-unknown-none-elf:virt:"riscv64-unknown-elf-gcc -mcmodel=medany -march=rv64gc_zicsr -mabi=lp64d":"qemu-system-riscv64 -bios none"; do
    IFS=: read -r triple board gcc qemu <<<"$row"
    # shellcheck disable=SC2086 # several words
    $gcc -O2 -Wall -Wextra -Werror -Wno-unused-function -ffreestanding -nostdlib -Icapi/include tests/programs/bare/c/{dead_call,memory}.c "$out/$triple.a" -lgcc \
        -Llinker -Ltests/programs/bare/boards "-Wl,-T,$board.x,-T,tests/programs/bare/c/sections.x,--gc-sections" -z noexecstack -o "$out/dead_call"
    # shellcheck disable=SC2086 # as above
    limit=60 run $board "$out/dead_call" $qemu
    must_say "the trap shows the slot and the caller"
    echo "$triple: $said"
done

say "slots in read-only memory"
for row in thumbv7m-none-eabi:cortex-m3:lm3s6965evb thumbv6m-none-eabi:cortex-m0:microbit; do
    IFS=: read -r triple cpu board <<<"$row"
    {
        sed '/INCLUDE/d' "tests/programs/bare/boards/$board.x"
        sed 's/^  \.data :/  __statictramp_heap_limit = .;\n  .tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > FLASH\n&/' tests/programs/bare/c/sections.x
    } >"$out/read_only.ld"
    arm-none-eabi-gcc "-mcpu=$cpu" -mthumb -O2 -Wall -Wextra -Werror -Wno-unused-function -ffreestanding -nostdlib -Icapi/include tests/programs/bare/c/{read_only,memory}.c \
        "$out/$triple.a" -lgcc -Llinker "-Wl,-T,$out/read_only.ld,--gc-sections" -z noexecstack -o "$out/read_only"
    limit=60 run "$board" "$out/read_only" qemu-system-arm
    must_say "no trampoline is made in read-only memory"
    echo "$triple: $said"
done

say "stack"
for row in thumbv6m-none-eabi:cortex-m0:Cortex-M0:"12 bytes on a" thumbv7m-none-eabi:cortex-m3:Cortex-M3:"no stack on a"; do
    IFS=: read -r triple cpu part call <<<"$row"
    in_c stack "$triple" "$cpu"
    measured="| $part |$(awk '$1 != "call_alloc" { printf " %d |", $2 }' <<<"$said")"
    flock docs/boards.md "$test_tools" stated docs/boards.md "$measured" || fail "STATICTRAMP_WRITE_SIZES=1 tests/run bare:sizes corrects this row: $measured"
    [ "$(awk '$1 == "call_alloc" { print $2 + 0 }' <<<"$said")" = "$(sed 's/^no /0 /; s/ .*//' <<<"$call")" ] &&
        tr '\n' ' ' <docs/boards.md | grep -q "A call through a trampoline made by \`statictramp_alloc\` takes [^.]*$call $part" ||
        fail "docs/boards.md does not state this stack use of a call on a $part: $said"
    echo "$measured"
done
