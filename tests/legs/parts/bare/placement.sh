# Tests the placement of the slots, and the linker's messages if a placement is impossible, with lld, GNU ld and flip-link.
# Sourced by tests/legs/bare.sh.

ticks=1
trap 'rm -f tests/programs/bare/boards/made-*.x' EXIT
address() { nm "$image" | awk -v name="$1" '$3 == name { print $1 }'; }
value() { echo $((16#$(address "$1"))); }

# board_like BOARD NAME SED-SCRIPT: creates a temporary board that differs from another.
board_like() { sed "$3" "tests/programs/bare/boards/$1.x" >"tests/programs/bare/boards/made-$2.x"; }

# cannot_link MESSAGE TRIPLE BOARD: checks that the linker fails with this message.
cannot_link() {
    local said
    said=$(image "$2" "$3" 2>&1) && fail "$2: $linker links $3, but must reject it"
    grep -qF "$1" <<<"$said" || fail "$2: $linker printed a different error: $said"
}

# in_order BOARD SYMBOL...: checks that the addresses of the symbols do not decrease.
in_order() {
    local last=0 now name board=$1
    shift
    for name in "$@"; do
        now=$(value "$name")
        [ "$now" -ge "$last" ] || fail "$board, $linker: $name is at $now, below a section that must precede it"
        last=$now
    done
}

say "the positions of the slots"
missing=statictramp_error_add_INCLUDE_tramp_x_to_memory_x
board_like mps2-an385 without '/tramp.x/d'
board_like virt without-riscv '/tramp.x/d'
# lld does not warn about the note's relocations.
for linker in "ld.lld-19 --fatal-warnings" arm-none-eabi-ld; do
    image thumbv7m-none-eabi mps2-an385
    in_order mps2-an385 __statictramp_start statictramp_0_1_slots_end __statictramp_end __sdata __sbss __sheap
    [ "$(address __statictramp_start)" = 20000000 ] || fail "$linker: the slots are not at the beginning of the region"
    start=$(value __statictramp_start) end=$(value __statictramp_end)
    [ $((end - start)) = 256 ] && [ $((start % 256)) = 0 ] ||
        fail "$linker: the slots occupy $start to $end, expected 256 bytes aligned to 256 bytes"
    cannot_link $missing thumbv7m-none-eabi made-without
done
for linker in "ld.lld-19 --fatal-warnings" "riscv64-unknown-elf-ld -melf32lriscv"; do
    image riscv32imac-unknown-none-elf virt
    in_order virt __statictramp_start statictramp_0_1_slots_end __statictramp_end __sdata __sbss __sheap
    cannot_link $missing riscv32imac-unknown-none-elf made-without-riscv
done
echo "256 bytes of slots are at the beginning of the region, in a separate 256-byte region; without the script the linker requests it"

# The start-up code clears the memory between two symbols, which must not be in two banks.
for linker in ld.lld-19 arm-none-eabi-ld; do
    image thumbv7m-none-eabi mps2-an385-bank
    [ "$(address __statictramp_start)" = 01000000 ] || fail "$linker: the slots are not in the named region"
    limit=300 run mps2-an385 "$image" qemu-system-arm
    must_say "a call after free is diagnosed"
done
board_like mps2-an385-bank same-bank 's/BANK);/RAM);/'
board_like mps2-an385-bank zero 's/0x00000000, LENGTH = 4M/0x01000000, LENGTH = 16K/; s/0x01000000, LENGTH = 16K$/&/; s/BANK : ORIGIN = 0x01000000/BANK : ORIGIN = 0x00000000/'
for linker in ld.lld-19 arm-none-eabi-ld; do
    image thumbv7m-none-eabi made-same-bank
    in_order made-same-bank __statictramp_start statictramp_0_1_slots_end __sbss __ebss __sheap
    cannot_link "the slots would begin at address 0" thumbv7m-none-eabi made-zero
done
echo "the slots may be in another bank of RAM, but not at address 0"

say "flip-link"
# flip-link runs rust-lld, which is lld under another name.
ln -sf "$(readlink -f "$(command -v ld.lld-19)")" "$out/rust-lld"
[ -x .toolchains/cargo/bin/flip-link ] ||
    CARGO_PROFILE_DEV_DEBUG=false locked flip-link fetch cargo install --quiet --debug --locked --root .toolchains/cargo --version 0.1.12 flip-link
linker="$PWD/.toolchains/cargo/bin/flip-link -flavor gnu"
# If flip-link mistook a comment for a directive, it would read the file forever.
image=$(
    ulimit -v 4000000
    ulimit -t 200
    PATH=$out:$PATH image thumbv7m-none-eabi mps2-an385 >&2
    echo "$image"
)
in_order mps2-an385 _stack_start __statictramp_start statictramp_0_1_slots_end __statictramp_end __sdata __sbss
limit=300 run mps2-an385 "$image" qemu-system-arm
must_say "a call after free is diagnosed"
echo "a program that flip-link links runs, with its stack below its data"
for script in linker/tramp*.x; do
    ! sed -n '/\/\*/,/\*\//p' "$script" | grep -nE '^ *(INCLUDE|RAM)' || fail "$script: flip-link would mistake this comment
    ! line for a directive"
done

say "the linker scripts' assertions"
for n in 1 2 3 4; do
    printf 'MEMORY { FLASH : ORIGIN = 0, LENGTH = 64K RAM : ORIGIN = 0x20000010, LENGTH = 64K\n BANK : ORIGIN = 0x30000000, LENGTH = 64K }\n'
    [ $n != 4 ] || printf '__statictramp_heap_limit = ORIGIN(BANK);\nREGION_ALIAS("STATICTRAMP_RAM", BANK);\nINCLUDE tramp_in_region.x\n'
    [ $n = 2 ] && bss=BANK || bss=RAM
    echo "SECTIONS { .text : { *(.text*) } > FLASH .data : { *(.data*) } > $bss .bss : { *(.bss*) . = . + 4; } > $bss }"
    case $n in 1 | 2) echo 'INCLUDE tramp.x' ;; 3) printf 'REGION_ALIAS("STATICTRAMP_RAM", RAM);\nINCLUDE tramp_in_region.x\n' ;; esac
done | awk -v to="$out/script" '/^MEMORY/ { n++ } { print >(to n ".x") }'
printf 'SECTIONS { .text 0x1000 : { *(.text*) } .bss : { *(.bss*) . = . + 4; } }\n' >"$out/script5.x"
printf '%s\n' 'MEMORY { RAM : ORIGIN = 0x20000000, LENGTH = 64K }' 'INCLUDE tramp.x' \
    'SECTIONS { .text : { *(.text*) } > RAM .data : { *(.data*) . = . + 4; } > RAM .bss : { *(.bss*) } > RAM }' >"$out/script6.x"
for what in main:statictramp_0_1_stubs both:statictramp_0_1_stubs,statictramp_0_2_stubs unused:0; do
    printf '.globl main\n.text\nmain: .long %s\n.section .note.GNU-stack,"",%%progbits\n' "${what#*:}" >"$out/${what%:*}.s"
    clang-19 --target=thumbv7m-none-eabi -c "$out/${what%:*}.s" -o "$out/${what%:*}.o"
done
for linker in ld.lld-19 arm-none-eabi-ld; do
    # linked SCRIPT OBJECT...: links the objects, and sets `said` to the linker's messages.
    linked() {
        local first=()
        [ "$1" != 5 ] || first=(-T tramp_before_bss.x)
        said=$($linker --gc-sections -Llinker "${first[@]}" -T "$out/script$1.x" "${@:2}" -e main -o "$out/asserted" 2>&1)
    }
    for wrong in RIGHT:1 WRONG_SLOTS:1 WRONG_STUBS:1 WRONG_PLACE:1 RIGHT:2 RIGHT:3 RIGHT:4 RIGHT:5 WRONG_PLACE:4 WRONG_SLOTS:5; do
        script=${wrong#*:}
        case $wrong in
        RIGHT:[1245]) sentence= ;;
        RIGHT:3) sentence="a heap after the section .bss" ;;
        WRONG_STUBS:*) sentence="there is not one stub for each slot" ;;
        *) sentence="does not hold just the slots" ;;
        esac
        clang-19 --target=thumbv7m-none-eabi -D"${wrong%:*}" -c tests/programs/bare/asserted.S -o "$out/table.o"
        rm -f "$out/table.a"
        ar rc "$out/table.a" "$out/table.o"
        linked "$script" "$out/unused.o" "$out/table.a" && [ "$(nm "$out/asserted" | grep -c statictramp_0_1)" = 0 ] ||
            fail "$linker, $wrong: the linker reports trampolines in a program without trampolines: $said"
        if linked "$script" "$out/main.o" "$out/table.a"; then
            [ -z "$sentence" ] || fail "$linker accepts $wrong"
        else
            [ -n "$sentence" ] && grep -q "$sentence" <<<"$said" || fail "$linker printed a different error for $wrong: $said"
        fi
    done
    linked 1 "$out/unused.o" || fail "$linker: $said"
    # Links two versions, each with its own table, in either order.
    for version in 1 2; do
        sed "s/_0_1_/_0_${version}_/g" tests/programs/bare/asserted.S >"$out/version.S"
        clang-19 --target=thumbv7m-none-eabi -DRIGHT -c "$out/version.S" -o "$out/version$version.o"
    done
    for first in 1 2; do
        ! linked 1 "$out/both.o" "$out/version$first.o" "$out/version$((3 - first)).o" || fail "$linker accepts two versions of the library in one program"
        must_say "two versions of statictramp are in this program"
    done
    # The code in RAM comes first.
    ! linked 6 "$out/main.o" "$out/version1.o" || fail "$linker places the slots before the code"
    must_say "INCLUDE tramp.x places the slots before it"
    sed "s/^INCLUDE tramp.x/$(sed -n 's/.*write instead \(SECTIONS .*data;\)".*/\1/p' linker/tramp_slots.x)/" "$out/script6.x" >"$out/script7.x"
    linked 7 "$out/main.o" "$out/version1.o" || fail "$linker: $said"
done
unset linker
echo "each invalid table and each invalid position is rejected; a program without trampolines links, and has no table"

say "more slots than a processor supports"
for count in 65536 65537; do
    said=$(STATICTRAMP_SLOTS=$count STATICTRAMP_ASM=rust cross_cargo thumbv7m-none-eabi check \
        -p statictramp --no-default-features --lib 2>&1) && [ $count = 65536 ] && continue
    [ $count = 65537 ] && grep -q "without an operating system is 65536" <<<"$said" || fail "$count slots: $said"
done
echo "65,536 on 32-bit processors; one more is rejected with a message"
(
    unset STATICTRAMP_SLOTS
    STATICTRAMP_ASM=rust cross_cargo thumbv7m-none-eabi check -p statictramp --no-default-features --lib
    said=$(cat "$(ls -t target/cross/thumbv7m-none-eabi/debug/build/statictramp-*/output | head -n 1)")
    must_say "STATICTRAMP_SLOTS=16$"
)
echo "16 by default"

# After the first 4,096 slots of a table, an address no longer fits the addend of a movw or movt relocation; GNU `as` and newer
# versions of LLVM reject it, and in LLVM 19 it wraps around.
for assembler in cc rust; do
    for slots in 4097 20000; do
        # A short run has one of the two numbers for each assembler.
        [ "$effort" -ge 100 ] || case $assembler$slots in cc4097 | rust20000) ;; *) continue ;; esac
        prefix=$(variant=-many target=$PWD/target/cross/many cross_capi thumbv7m-none-eabi STATICTRAMP_SLOTS=$slots STATICTRAMP_ASM=$assembler \
            CC="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb")/..
        arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib "-DSLOTS=$slots" -Icapi/include \
            tests/programs/bare/c/{many,memory}.c "$prefix/lib/libstatictramp.a" -lgcc -Ltests/programs/bare/boards "-L$prefix/share/statictramp" \
            -Wl,-T,mps2-an385.x,-T,tests/programs/bare/c/sections.x,--gc-sections -z noexecstack -o "$out/many"
        limit=300 run mps2-an385 "$out/many" qemu-system-arm
    done
done
unset slots
echo "each stub of a long table has its own slot, with either assembler"
