# The table of every target, assembled from asm/, linked by GNU ld and by lld, and decoded: stub i reads slot i alone. Then
# broken ones. Sourced by the leg "audit", which has set $out and $tool.

say "this library's own table, of every target"
mkdir -p "$out/tables"
# table NAME SOURCE STRIDE WORD PADS AS EMULATION: assembles a table of 3,000 slots, and links it.
table() {
    local name=$1 source=$2 stride=$3 word=$4 pads=$5 linker file=$out/tables/$1
    {
        printf '.set %s\n' "SLOTS, 3000" "SLOT_STRIDE, $stride" "SLOTS_ROOM, 65536" "LANDING_PADS, $pads" "CHAIN_IN_X18, $pads" \
            "WORD, $word" "BARE, 0"
        cat "asm/$source.S" asm/table.S
    } | sed 's,//.*,,; s/VERSION/0_1/g' >"$file.S"
    # shellcheck disable=SC2086 # several words
    $6 -o "$file.o" "$file.S"
    for linker in "${7%% *}ld" ld.lld-19; do
        # shellcheck disable=SC2086 # several words
        $linker ${7#* } -e 0 -z noexecstack "$file.o" -o "$file.$linker"
        said=$("$tool" audit --json "$file.$linker") || fail "$file.$linker: $said"
        grep -q '"state": "whole"' <<<"$said" && grep -q '"slots": 3000' <<<"$said" || fail "$file.$linker: $said"
        grep -q "\"landing_pads\": $([ "$pads" = 1 ] && echo true || echo false)" <<<"$said" || fail "$file.$linker: landing pads: $said"
    done
    said=$("$tool" audit --json --all "$file.o") || fail "$file.o: $said"
    grep -q '"state": "not-linked"' <<<"$said" || fail "$file.o: $said"
}
table x86-64-pads x86_64 32 8 1 "as" " -melf_x86_64"
table x86-64 x86_64 32 8 0 "as" " -melf_x86_64"
table x86-pads x86 20 4 1 "as --32" " -melf_i386"
table x86 x86 20 4 0 "as --32" " -melf_i386"
table aarch64-pads aarch64 32 8 1 "aarch64-linux-gnu-as" "aarch64-linux-gnu- -maarch64linux"
table aarch64 aarch64 32 8 0 "aarch64-linux-gnu-as" "aarch64-linux-gnu- -maarch64linux"
table riscv64 riscv 32 8 0 "riscv64-linux-gnu-as -march=rv64gc" "riscv64-linux-gnu- -melf64lriscv"
table riscv32 riscv 16 4 0 "riscv64-linux-gnu-as -march=rv32imac -mabi=ilp32" "riscv64-linux-gnu- -melf32lriscv"
table arm arm 16 4 0 "arm-linux-gnueabihf-as -march=armv7-a" "arm-linux-gnueabihf- -marmelf_linux_eabi"
table thumb2 thumb2 16 4 0 "arm-linux-gnueabihf-as -march=armv7-m" "arm-linux-gnueabihf- -marmelf_linux_eabi"
table thumb1 thumb1 16 4 0 "arm-linux-gnueabihf-as -march=armv6-m" "arm-linux-gnueabihf- -marmelf_linux_eabi"
table powerpc powerpc 20 4 0 "powerpc-linux-gnu-as" "powerpc-linux-gnu- -melf32ppc"
table powerpc64le powerpc64le 32 8 0 "powerpc64le-linux-gnu-as" "powerpc64le-linux-gnu- -melf64lppc"
table loongarch64 loongarch64 32 8 0 "loongarch64-linux-gnu-as" "loongarch64-linux-gnu- -melf64loongarch"
table s390x s390x 32 8 0 "s390x-linux-gnu-as" "s390x-linux-gnu- -melf64_s390"
# Every bit of a stub in the middle of each table: with it changed, the table is broken.
for file in "$out"/tables/*ld "$out"/tables/*.ld.lld-19; do
    [ -e "$file" ] || continue
    python3 tests/programs/audit/flip.py "$file" "$tool"
done
said=$("$tool" audit "$tool") || fail "$said"
grep -q 'whole: 1024 stubs, each of which reads its own slot alone' <<<"$said" || fail "the tool's own table: $said"
