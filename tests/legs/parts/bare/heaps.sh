# Tests programs whose libc has a heap. Each position that a script gives the slots either works or is rejected. Sourced by
# in_c.sh.

say "no heap grows over the slots"
need /usr/lib/arm-none-eabi/lib/nano.specs=libnewlib-arm-none-eabi \
    /usr/lib/picolibc/arm-none-eabi/picolibc.specs=picolibc-arm-none-eabi \
    /usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs=picolibc-riscv64-unknown-elf
m3="-mcpu=cortex-m3 -mthumb -Os -ffunction-sections -Wall -Wextra -Werror -Icapi/include"
# shellcheck disable=SC2086 # several words
{
    arm-none-eabi-gcc $m3 -DBY_HAND -c tests/programs/bare/c/heap.c -o "$out/newlib.o"
    newlib=$(arm-none-eabi-gcc $m3 --specs=nano.specs -print-file-name=libc_nano.a)
    libgcc=$(arm-none-eabi-gcc $m3 -print-libgcc-file-name)
}
slots=$(doc_block docs/boards.md ld 2)

# script BEFORE-SECTIONS BEFORE-DATA AFTER-BSS [LAST]: writes a vendor's script with these lines.
script() {
    printf '%s\n' 'MEMORY { FLASH (rx) : ORIGIN = 0, LENGTH = 256K RAM (xrw) : ORIGIN = 0x20000000, LENGTH = 32K' \
        'LOW (xrw) : ORIGIN = 0x01000000, LENGTH = 16K HIGH (xrw) : ORIGIN = 0x20008000, LENGTH = 32K }' \
        'ENTRY(_start) _estack = ORIGIN(RAM) + LENGTH(RAM);' "$1" \
        'SECTIONS { .text : { KEEP(*(.vectors)) *(.text*) *(.rodata*) } > FLASH .ARM.exidx : { *(.ARM.exidx*) } > FLASH' "$2" \
        '.data : { *(.data*) } > RAM AT> FLASH' \
        '.bss : { __bss_start__ = .; *(.bss*) *(COMMON) . = ALIGN(4); __bss_end__ = .; } > RAM' "$3" '}' "${4-}" >"$out/heap.ld"
}
# linked WORD...: links the program and sets `said`.
linked() {
    said=$("$linker" -z noexecstack --gc-sections --fatal-warnings -Llinker "${@--T$out/heap.ld}" "$out/newlib.o" "$out/thumbv7m-none-eabi.a" \
        --start-group "$newlib" "${newlib%/*}/libnosys.a" "$libgcc" --end-group -o "$out/heap" 2>&1)
}
# apart NAME WORD...: checks that the program links and runs.
apart() {
    linked "${@:2}" || fail "$linker cannot link $1: $said"
    limit=60 run mps2-an385 "$out/heap" qemu-system-arm
    must_say "a heap and the slots are apart"
}
# over SYMBOL NAME WORD...: checks that the linker reports a heap that begins at the symbol.
over() {
    ! linked "${@:3}" || fail "$linker accepts a script that it must reject: $2"
    must_say "ERROR(statictramp): .*heap.* begins at the symbol $1 .*INCLUDE tramp_slots.x"
}
# rejected MESSAGE NAME: checks that the linker rejects the script with this message.
rejected() {
    ! linked || fail "$linker accepts a script that it must reject: $2"
    must_say "ERROR(statictramp): $1"
}
heap='.heap : { . = ALIGN(8); PROVIDE(end = .); PROVIDE(_end = .); . = . + 0x200; } > RAM'
high='.tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > HIGH'
limit_high='__statictramp_heap_limit = ORIGIN(HIGH);'
limit_bank='write __statictramp_heap_limit = ORIGIN(BANK);'
for linker in arm-none-eabi-ld ld.lld-19; do
    for end in 'end = .;' "$heap"; do
        script '' '' "$end" 'INCLUDE tramp.x'
        over end "tramp.x last, after $end"
        script 'INCLUDE tramp.x' '' "$end"
        apart "tramp.x before SECTIONS with $end"
        script '' "$slots" "$end"
        apart "the slots before .data, $end"
        script '' '' "$slots $end"
        rejected "a heap after the section .bss .*INCLUDE tramp_slots.x } > RAM before .data" "the slots between .bss and $end"
        script '' '' "$end $slots"
        over end "the slots after $end"
        script '' '' "$end $high"
        over end "the slots in the bank above, $end"
        script "$limit_high" '' "$end $high"
        apart "the slots in the bank above, with a limit, $end"
        for bank in LOW RAM; do
            script "REGION_ALIAS(\"STATICTRAMP_RAM\", $bank); INCLUDE tramp_in_region.x" '' "$end"
            apart "the slots in $bank, $end"
        done
        script 'REGION_ALIAS("STATICTRAMP_RAM", HIGH); INCLUDE tramp_in_region.x' '' "$end"
        rejected "a heap after the section .bss .*$limit_bank" "the slots in the bank above, $end"
        script "$limit_high"' REGION_ALIAS("STATICTRAMP_RAM", HIGH); INCLUDE tramp_in_region.x' '' "$end"
        apart "the slots in the bank above, with a limit, $end"
        script 'REGION_ALIAS("STATICTRAMP_RAM", HIGH);' '' "$end" 'INCLUDE tramp_in_region.x'
        over end "the slots in the bank above, named last, $end"
        script "$limit_high"' REGION_ALIAS("STATICTRAMP_RAM", HIGH);' '' "$end" 'INCLUDE tramp_in_region.x'
        apart "the slots in the bank above, named last, with a limit, $end"
        script '' "$high" "$end"
        rejected "a heap after the section .bss .*$limit_bank" "the slots in the bank above, before .data, $end"
        script 'REGION_ALIAS("STATICTRAMP_RAM", RAM);' '' "$end" 'INCLUDE tramp_in_region.x'
        over end "tramp_in_region.x last, $end"
    done
    script '' '.tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > FLASH' "$heap"
    rejected "the slots are beside the initial values of .data, in read-only memory" "the slots in flash, before .data"
    script '' '' "$heap .tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > FLASH"
    rejected "the slots are beside the initial values of .data, in read-only memory" "the slots in flash, after .data"
    # RAM follows flash, which is nearly full, so the slots are less than 4 KiB after the initial values of .data.
    script '' "$slots" "$heap"
    sed -i 's/LENGTH = 256K RAM (xrw) : ORIGIN = 0x20000000/LENGTH = 64K RAM (xrw) : ORIGIN = 0x10000/; s/[*](.rodata[*]) }/*(.rodata*) . = 0xf400; }/' "$out/heap.ld"
    apart "the slots directly after flash" -T "$out/heap.ld"
    for end in 'end = .;' "$heap" 'PROVIDE(end = __bss_end__);'; do
        script '' '' "$end"
        apart "the vendor's script unchanged, $end" -T tramp_before_bss.x -T "$out/heap.ld"
    done
    script '' '' "$slots PROVIDE(end = __bss_end__);"
    rejected "a heap after the section .bss" "a heap that begins at a symbol in .bss, with the slots after .bss"
    sed -i 's/FLASH (rx)/FLASH (xrw)/' "$out/heap.ld"
    ! linked -T tramp_before_bss.x -T "$out/heap.ld" || fail "$linker places the slots in flash"
    must_say "ERROR(statictramp): the first region whose attributes match is not that of .bss"
    for symbol in _end __end__ __heap_start __heap_start__ __heap_base__ _heap_base _pvHeapStart; do
        script '' '' "$symbol = .; $heap" 'INCLUDE tramp.x'
        over $symbol "the slots after $symbol"
    done
    # newlib's _sbrk has no limit, so no symbol marks the end of a heap.
    for last in __HeapLimit __heap_end _heap_end __StackTop; do
        script '' '' "end = .; .heap : { . = . + 0x100; $last = .; } > RAM $slots"
        over end "a heap with the end $last before the slots"
    done
    script '' '' "__statictramp_heap_limit = .; end = .; $slots"
    over end "a limit that is not above the heap's begin"
    script '' '' "end = .; .reserved : { . = . + 0x1100; __statictramp_heap_limit = .; } > RAM $slots"
    apart "a limit between heap and slots"
done
# There is a lower bank directly below the bank of the slots. Its .bss leaves less space than the slots need.
for linker in arm-none-eabi-ld ld.lld-19; do
    for places in ":$high" 'REGION_ALIAS("STATICTRAMP_RAM", HIGH); INCLUDE tramp_in_region.x:'; do
        script "${places%%:*}" "${places#*:}" '.heap : { end = .; . = . + 16; } > RAM'
        sed -i 's/\*(COMMON)/& . = 0x7f00;/' "$out/heap.ld"
        rejected "a heap after the section .bss .*$limit_bank" "a nearly full bank below the slots, $places"
    done
    # The symbol for the destination of the start-up code's copy of .data is in a separate section.
    first='.first : { . = ALIGN(4); SYMBOL = .; } > RAM AT> FLASH'
    for symbol in _data _sdata __data_start__ _srelocate; do
        script '' "${first/SYMBOL/$symbol} $slots" 'end = .;'
        sed -i 's/^\.data : { \*(\.data\*) }/.rest : { *(.data*) } > HIGH AT> FLASH .data : { LONG(7) }/' "$out/heap.ld"
        rejected "the slots are between the section .data and the symbol before it" "the slots between $symbol and .data"
    done
    script '' "$slots ${first/SYMBOL/_data}" 'end = .;'
    sed -i 's/\*(\.data\*)/& . = . + 4;/' "$out/heap.ld"
    apart "the slots before _data"
    # This script calls its .data section .relocate.
    script '__statictramp_heap_limit = ORIGIN(RAM);' "$slots" 'end = .;'
    sed -i 's/^\.data :/.relocate :/; s/\*(\.data\*)/& . = . + 256;/' "$out/heap.ld"
    apart "the slots before .relocate, with a limit"
    sed -i 's/^__statictramp_heap_limit[^;]*;//; s/^\.tramp_data.*//' "$out/heap.ld"
    apart "the slots after .relocate" -T tramp_before_bss.x -T "$out/heap.ld"
done
# The limit is also needed for a heap in another bank, and for a script with different section names.
for linker in arm-none-eabi-ld ld.lld-19; do
    low=".heap : { end = .; . = . + 0x1000; } > LOW"
    script '' "$low $slots" ''
    over end "a heap in the bank below"
    must_say "$limit_bank"
    script '__statictramp_heap_limit = ORIGIN(RAM);' "$low $slots" ''
    apart "a heap in the bank below, with a limit"
    script '' '' "end = .;" "SECTIONS { .tramp_data (NOLOAD) : { INCLUDE tramp_slots.x } > RAM } INSERT BEFORE .data;"
    over end "INSERT BEFORE .data after SECTIONS"
    script 'REGION_ALIAS("STATICTRAMP_RAM", HIGH); INCLUDE tramp_in_region.x' '' 'end = .;'
    sed -i 's/^\.bss :/.zeroed :/' "$out/heap.ld"
    ! linked || fail "$linker accepts a heap in a script without .bss"
    must_say "undefined section .\.bss.\|a heap after the section .data"
    sed -i "s/^REGION_ALIAS/$limit_high &/" "$out/heap.ld"
    apart "the slots in the bank above, without .bss"
done
# GNU ld itself prints nothing here. lld rejects overlaps and a second INCLUDE.
linker=arm-none-eabi-ld
script 'INCLUDE tramp.x' '.retained 0x20000000 (NOLOAD) : { . = . + 0x40; } > RAM' 'end = .;'
rejected "the section .bss overlaps the slots" "a section at a fixed address over the slots"
script 'INCLUDE tramp.x' '.mine 0x20000000 : { *(.data*) } > RAM AT> FLASH' 'end = .;'
rejected "the section .bss overlaps the slots" ".bss behind a section at a fixed address"
script 'INCLUDE tramp.x' '' 'end = .;'
sed -i 's/^\.data :/.data 0x20000000 :/; s/\*(\.data\*)/& . = . + 0x200;/' "$out/heap.ld"
rejected "the section .data overlaps the slots" "a large .data at a fixed address over the slots"
script '' '.retained 0x20000000 (NOLOAD) : { . = . + 0x40; } > RAM '"$slots" 'end = .;'
apart "the slots after a section at a fixed address"
script 'INCLUDE tramp.x' "$slots" 'end = .;'
rejected "INCLUDE tramp_slots.x must be all of one output section .tramp_data" "the slots twice"
for linker in arm-none-eabi-ld ld.lld-19; do
    script '' ".tramp_data (NOLOAD) : { . = . + 256; INCLUDE tramp_slots.x } > RAM" 'end = .;'
    rejected "INCLUDE tramp_slots.x must be all of one output section .tramp_data" "other contents before the slots"
    script '' ".noinit (NOLOAD) : { INCLUDE tramp_slots.x } > RAM" 'end = .;'
    ! linked || fail "$linker accepts slots in a different output section"
    must_say "undefined section .\.tramp_data.\|must be all of one output section .tramp_data"
done

# The page names exactly the scripts and symbols that the linker scripts know.
for script in linker/*.x; do
    grep -qF "| \`${script##*/}\` |" docs/boards.md || fail "docs/boards.md does not list $script"
done
known=$(grep -o 'DEFINED([A-Za-z_]*)' linker/tramp_slots.x | sed 's/DEFINED(//; s/)//' | grep -v 'statictramp\|critical' | sort -u)
listed=$(sed -n '/^Every script checks/,/^The checks see only/p' docs/boards.md | grep -o '`[_a-zA-Z]*`' | tr -d '`' | grep -vx SECTIONS | sort -u)
[ "$known" = "$listed" ] || fail "docs/boards.md and the scripts list different symbols: $(comm -3 <(echo "$known") <(echo "$listed") | tr '\n' ' ')"

say "picolibc"
slots=${slots/RAM/ram}
# pico WORD...: links with picolibc's script by $gcc and GNU ld, because lld cannot read the script.
pico() {
    # shellcheck disable=SC2086 # several words
    said=$($gcc --specs=picolibc.specs -Os -Wall -Wextra -Werror -Icapi/include -Llinker "$@" -Wl,--gc-sections,--fatal-warnings -z noexecstack \
        tests/programs/bare/c/heap.c "$out/$triple.a" -o "$out/heap" 2>&1)
}
virt="riscv64-unknown-elf-gcc -mcmodel=medany -Wl,--defsym=__flash=0x80000000,--defsym=__ram=0x80100000"
for triple in thumbv7m-none-eabi riscv32imac-unknown-none-elf riscv32imc-unknown-none-elf riscv64gc-unknown-none-elf; do
    case $triple in
    thumb*) gcc="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -Wl,--defsym=__flash=0" board=mps2-an385 qemu=qemu-system-arm ;;
    riscv32*) gcc="$virt -march=${triple%%-*} -mabi=ilp32" gcc=${gcc/riscv32/rv32} board=virt qemu="qemu-system-riscv32 -bios none" ;;
    *) gcc="$virt -march=rv64gc -mabi=lp64d" board=virt qemu="qemu-system-riscv64 -bios none" ;;
    esac
    case $triple in thumb*) pico=arm-none-eabi ;; *) pico=riscv64-unknown-elf ;; esac
    pico=/usr/lib/picolibc/$pico/lib/picolibc.ld
    sed "s/^\t\.data : /$slots\n&/" $pico >"$out/before-data.ld"
    sed "s/^\tPROVIDE( __non_tls_bss_start/$slots\n&/" $pico >"$out/after-bss.ld"
    sed 's/^SECTIONS/REGION_ALIAS("RAM", ram) INCLUDE tramp.x\n&/' $pico >"$out/first.ld"
    for script in "$out/before-data.ld" "$out/first.ld" tramp_before_bss.x; do
        # shellcheck disable=SC2046 # no word or two
        pico -T "$script" $([ "$script" != tramp_before_bss.x ] || echo -T $pico) || fail "$triple: cannot link with $script: $said"
        # shellcheck disable=SC2086 # several words
        limit=60 run $board "$out/heap" $qemu
        must_say "a heap and the slots are apart"
    done
    ! pico -T "$out/after-bss.ld" || fail "$triple: the linker accepts slots at the beginning of picolibc's heap"
    must_say "ERROR(statictramp): a heap after the section .bss"
done
unset slots linker triple gcc
echo "each place is separate from the heap, or is rejected with a message"
