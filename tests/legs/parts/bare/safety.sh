# Checks the facts that docs/boards-safety.md states. Sourced by projects.sh.

say "the facts for a safety case"
need cppcheck=cppcheck
for compiler in "arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb" "riscv64-unknown-elf-gcc -march=rv32imac -mabi=ilp32"; do
    # cppcheck sets the macros that the standard defines.
    $compiler -ffreestanding -dM -E -xc /dev/null | grep -v '__STDC' >"$out/predefined.h"
    # -D limits cppcheck to one configuration.
    cppcheck --quiet --enable=style --addon=misra --platform=unix32 --std=c11 -DONE --include="$out/predefined.h" -Icapi/include \
        tests/programs/bare/c/misra.c >"$out/misra.said" 2>&1
    found=$(sed -n 's/^capi\/include\/.*\[misra-c2012-\(.*\)\]$/\1/p' "$out/misra.said" | sort -uV)
    stated=$(sed -n 's/^| \([0-9]*\.[0-9]*\) |.*/\1/p' docs/boards-safety.md)
    [ "$found" = "$stated" ] || fail "$compiler: docs/boards-safety.md does not list exactly the MISRA rules that statictramp.h violates: ${found//$'\n'/ }; $(cat "$out/misra.said")"
    found=$(sed -n 's/^tests\/.*\[misra-c2012-\(.*\)\]$/\1/p' "$out/misra.said" | sort -uV)
    [ "$found" = 11.1 ] || fail "$compiler: a registration should violate exactly MISRA rule 11.1, but violates: ${found//$'\n'/ }"
done
echo "MISRA C:2012: ${stated//$'\n'/ }"
# The bounds for time and stack are those of the tables, which other parts measure.
bound=$(tr '\n' ' ' <docs/boards-safety.md | grep -o 'at most [0-9]* instructions on a Cortex-M3 and [0-9]*')
# bound_of PROCESSOR: what the table states for 16 slots.
bound_of() { echo $(($(sed -n "s/^| $1[^|]*| \([0-9]*\) + \([0-9]*\)·N |$/\1 + \2 * 16/p" docs/boards.md))); }
[ "$bound" = "at most $(bound_of 'Cortex-M3 ') instructions on a Cortex-M3 and $(bound_of 'Cortex-M0 ')" ] ||
    fail "docs/boards-safety.md states \"$bound\", but docs/boards.md $(bound_of 'Cortex-M3 ') and $(bound_of 'Cortex-M0 ')"
read -r least most < <(sed -n '/^| bytes of stack/,/^$/p' docs/boards.md | grep '^| Cortex' | tr '|' '\n' | grep -o '^ [0-9]* $' | sort -n | sed -n '1p;$p' | xargs)
grep -qF "$least to $most bytes of stack" docs/boards-safety.md || fail "docs/boards-safety.md does not state the stack sizes, $least to $most bytes"
echo "$bound; $least to $most bytes of stack"
