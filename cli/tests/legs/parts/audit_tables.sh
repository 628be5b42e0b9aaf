# Assembles each target's table from asm/, links it with GNU ld and lld, and decodes it: stub i must read only slot i. Then tests
# corrupt tables. Sourced by the leg "audit", which has set $out and $tool.

say "this library's own table, for every target"
mkdir -p "$out/tables"
# is 0|1: the same as in JSON.
is() { [ "$1" = 1 ] && echo true || echo false; }
# table NAME SOURCE STRIDE WORD PADS AS EMULATION [BARE]: assembles and links a table of 3,000 slots. $signed states whether its
# slots are signed.
table() {
    local name=$1 source=$2 stride=$3 word=$4 pads=$5 linker file=$out/tables/$1
    {
        printf '.set %s\n' "SLOTS, 3000" "LEAD, $((${8-0} ? 0 : 64))" "SLOT_STRIDE, $stride" "SLOTS_ROOM, 65536" "LANDING_PADS, $pads" "CHAIN_IN_X18, $pads" \
            "SIGN, ${signed-0}" "WORD, $word" "BARE, ${8-0}" "EXTRAS, 0"
        cat "asm/$source.S" asm/table.S
    } | sed 's,//.*,,; s/VERSION/0_1/g' >"$file.S"
    # shellcheck disable=SC2086 # several words
    $6 -o "$file.o" "$file.S"
    for linker in "${7%% *}ld" $lld; do
        # shellcheck disable=SC2086 # several words
        $linker ${7#* } -e 0 -z noexecstack "$file.o" -o "$file.$linker"
        said=$("$tool" audit --json "$file.$linker") || fail "$file.$linker: $said"
        grep -q '"state": "whole"' <<<"$said" && grep -q '"slots": 3000' <<<"$said" || fail "$file.$linker: $said"
        grep -q "\"landing_pads\": $(is "$pads")" <<<"$said" || fail "$file.$linker: landing pads: $said"
        grep -q "\"signed\": $(is "${signed-0}")" <<<"$said" || fail "$file.$linker: signed slots: $said"
    done
    said=$("$tool" audit --json --all "$file.o") || fail "$file.o: $said"
    grep -q '"state": "not-linked"' <<<"$said" || fail "$file.o: $said"
}
for triple in x86_64 $(crossed); do
    machine "$triple"
    # A slot consists of three pointers and two 4-byte numbers.
    for pads in $(seq 0 "$pads"); do
        table "$machine-$pads" "$assembly" $((3 * bits / 8 + 8)) $((bits / 8)) "$pads" "$gnu-as $assembler" "$gnu- $emulation"
        [ "$machine" != aarch64 ] || signed=1 table "aarch64-$pads-signed" aarch64 32 8 "$pads" aarch64-linux-gnu-as "$gnu- $emulation"
    done
done
# The tables of boards.
table riscv32 riscv 16 4 0 "riscv64-linux-gnu-as -march=rv32imac -mabi=ilp32" "riscv64-linux-gnu- -melf32lriscv"
table arm arm 16 4 0 "arm-linux-gnueabihf-as -march=armv7-a" "arm-linux-gnueabihf- -marmelf_linux_eabi"
table thumb2 thumb2 16 4 0 "arm-linux-gnueabihf-as -march=armv7-m" "arm-linux-gnueabihf- -marmelf_linux_eabi"
table thumb1 thumb1 16 4 0 "arm-linux-gnueabihf-as -march=armv6-m" "arm-linux-gnueabihf- -marmelf_linux_eabi"
# This table has the note for boards, which contains absolute addresses.
provided=--defsym=statictramp_error_add_INCLUDE_tramp_x_to_memory_x=0
table riscv32-bare riscv 8 4 0 "riscv64-linux-gnu-as -march=rv32imac -mabi=ilp32" "riscv64-linux-gnu- -melf32lriscv $provided" 1
table riscv64-bare riscv 16 8 0 "riscv64-linux-gnu-as -march=rv64gc" "riscv64-linux-gnu- -melf64lriscv $provided" 1
table thumb2-bare thumb2 8 4 0 "arm-linux-gnueabihf-as -march=armv7-m" "arm-linux-gnueabihf- -marmelf_linux_eabi $provided" 1
# If any bit of a stub in the middle of a table is flipped, the table is corrupt.
for file in "$out"/tables/*ld "$out"/tables/*.ld.lld-19; do
    [ -e "$file" ] || continue
    python3 cli/tests/programs/audit/flip.py "$file" "$tool" $((effort < 100 ? 23 : 5))
done
said=$("$tool" audit "$tool") || fail "$said"
grep -q 'intact: 1024 stubs, each of which reads only its own slot' <<<"$said" || fail "audit does not report the tool's own table as intact: $said"
