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

say "stack"
for row in thumbv6m-none-eabi:cortex-m0:Cortex-M0:"12 bytes on a" thumbv7m-none-eabi:cortex-m3:Cortex-M3:"no stack on a"; do
    IFS=: read -r triple cpu part call <<<"$row"
    in_c stack "$triple" "$cpu"
    measured="| $part |$(awk '$1 != "call_alloc" { printf " %d |", $2 }' <<<"$said")"
    tests/legs/parts/bare/stated.pl docs/boards.md "$measured" || fail "STATICTRAMP_WRITE_SIZES=1 tests/run bare:sizes corrects this row: $measured"
    [ "$(awk '$1 == "call_alloc" { print $2 + 0 }' <<<"$said")" = "$(sed 's/^no /0 /; s/ .*//' <<<"$call")" ] &&
        tr '\n' ' ' <docs/boards.md | grep -q "A call through a trampoline made by \`statictramp_alloc\` takes [^.]*$call $part" ||
        fail "docs/boards.md does not state this stack use of a call on a $part: $said"
    echo "$measured"
done
