# Tests critical sections on processors without atomic exchange: those of the library and those of the program. Sourced by
# in_c.sh.

say "a program's own critical sections in an archive"
for triple in thumbv6m-none-eabi riscv32imc-unknown-none-elf; do
    case $triple in
    thumb*) board=microbit linkers="ld.lld-19 arm-none-eabi-ld" gcc="arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb" qemu=qemu-system-arm ;;
    *) board=virt linkers="ld.lld-19 riscv64-unknown-elf-ld+-melf32lriscv" gcc="riscv64-unknown-elf-gcc -mcmodel=medany -march=rv32imc_zicsr -mabi=ilp32" qemu="qemu-system-riscv32 -bios none" ;;
    esac
    gcc+=" -O2 -Wall -Wextra -Werror -ffreestanding -Icapi/include"
    $gcc -c tests/programs/bare/c/main.c -o "$out/main.o"
    $gcc -c tests/programs/bare/c/memory.c -o "$out/memory.o"
    $gcc -c tests/programs/bare/c/own_section.c -o "$out/own_section.o"
    case $triple in thumb*) libgcc=$($gcc -print-libgcc-file-name) ;; *) libgcc= ;; esac
    rm -f "$out/own_section.a"
    ar rc "$out/own_section.a" "$out/own_section.o"
    for linker in $linkers; do
        for own in "" "$out/own_section.a"; do
            image=$out/sections
            # shellcheck disable=SC2086 # several words
            ${linker/+/ } --gc-sections -z noexecstack --fatal-warnings -Llinker -Ltests/programs/bare/boards \
                -T $board.x -T tests/programs/bare/c/sections.x "$out/main.o" "$out/memory.o" "$out/$triple.a" $own \
                $libgcc -o "$image"
            # shellcheck disable=SC2086 # several words
            limit=60 run $board "$image" $qemu
            must_say "a call after free is diagnosed"
            found=$(nm "$image" | grep -c ' [tT] \(own_acquire\|own_release\|statictramp_0_1_single_core_acquire\|statictramp_0_1_single_core_release\)$')
            [ "$found" = 2 ] && [ "$(nm "$image" | grep -c ' [tT] own_')" = $((${#own} > 0 ? 2 : 0)) ] ||
                fail "$triple, $linker${own:+, with its own}: the program contains unexpected functions for critical sections: $(nm "$image" | grep -E 'own_|single_core')"
        done
    done
done
unset image
# One function from the program and the other from the library do not form a critical section.
for name in acquire:'_Bool NAME(void) { return 1; }' release:'void NAME(_Bool before) { (void)before; }'; do
    echo "${name#*:}" | sed "s/NAME/_critical_section_1_0_${name%%:*}/" |
        arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -O2 -ffreestanding -xc -c - -o "$out/half.o"
    arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -O2 -ffreestanding -Icapi/include -c tests/programs/bare/c/main.c -o "$out/main.o"
    arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -O2 -ffreestanding -Icapi/include -c tests/programs/bare/c/memory.c -o "$out/memory.o"
    for linker in ld.lld-19 arm-none-eabi-ld; do
        for collect in --gc-sections --no-gc-sections; do
            ! said=$($linker $collect -z noexecstack -Llinker -Ltests/programs/bare/boards -T microbit.x -T tests/programs/bare/c/sections.x \
                "$out/main.o" "$out/memory.o" "$out/half.o" "$out/thumbv6m-none-eabi.a" \
                "$(arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -print-libgcc-file-name)" -o "$out/half" 2>&1) ||
                fail "$linker $collect links a program that defines only ${name%%:*}"
            must_say "ERROR(statictramp): the program defines only one of"
        done
    done
done
unset linker
echo "a definition in a later archive is used; without one the library's is used; half of one is rejected"

say "a custom linker script, without the library's script"
{
    sed '/INCLUDE/d' tests/programs/bare/boards/microbit.x
    sed 's/^  \.data :/  .tramp_data (NOLOAD) : { *(.tramp_data.extra) *(.tramp_data) } > RAM\n&/' tests/programs/bare/c/sections.x
    grep -o 'statictramp_error_add_INCLUDE_tramp_x_to_memory_x = 0;' docs/boards.md
    grep -o '_critical_section_1_0_acquire = statictramp_0_1_single_core_acquire;' docs/boards.md | tee "$out/acquire"
    sed 's/acquire/release/g' "$out/acquire"
} >"$out/own.ld"
for linker in ld.lld-19 arm-none-eabi-ld; do
    for name in main memory; do
        arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -O2 -Wall -Wextra -Werror -ffreestanding -Icapi/include -c "tests/programs/bare/c/$name.c" -o "$out/$name.o"
    done
    $linker --gc-sections -z noexecstack --fatal-warnings -T "$out/own.ld" "$out/main.o" "$out/memory.o" "$out/thumbv6m-none-eabi.a" \
        "$(arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -print-libgcc-file-name)" -o "$out/own"
    limit=60 run microbit "$out/own" qemu-system-arm
    must_say "a call after free is diagnosed"
done
unset linker
echo "the script places the slots and chooses the critical section"

# cortex_m0 NAME: builds this program of tests/programs/bare/c with the library for a Cortex-M0, as $out/NAME.
cortex_m0() {
    arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib -Icapi/include "tests/programs/bare/c/$1.c" \
        tests/programs/bare/c/memory.c "$out/thumbv6m-none-eabi.a" -lgcc -Llinker -Ltests/programs/bare/boards \
        -Wl,-T,mps2-an385.x,-T,tests/programs/bare/c/sections.x,--gc-sections -z noexecstack -o "$out/$1"
}

say "an unprivileged thread"
cortex_m0 unprivileged
limit=60 run mps2-an385 "$out/unprivileged" qemu-system-arm
must_say "an unprivileged thread gets no trampoline" "one region of the MPU is enough for a call"
echo "$said"

say "a non-maskable interrupt in a claim's critical section, which takes a lock"
cortex_m0 unmasked
limit=60 run mps2-an385 "$out/unmasked" qemu-system-arm
must_say "a free in the handler is kept, and only a claim takes the section" "a call after free is diagnosed in the handler"
echo "$said"

say "the instructions of making and freeing"
cortex_m0 counts
limit=60 run mps2-an385 "$out/counts" qemu-system-arm -icount shift=10
count=$(sed -n 's/^make and free: //p' <<<"$said")
[ "$count" -le 300 ] || fail "on a Cortex-M0, making and freeing a trampoline takes $count instructions, expected at most 300"
echo "$said"

say "the instructions of handwritten thunks, for comparison"
m3="-mcpu=cortex-m3 -mthumb -Os -Wall -Wextra -Werror -Wno-unused-function -ffreestanding -nostdlib"
# shellcheck disable=SC2086 # several words
arm-none-eabi-g++ -std=c++17 $m3 -fno-exceptions -fno-rtti -DCOUNT -c tests/programs/bare/c/thunks.cpp -o "$out/thunks.o"
counts=()
for more in "-DTHUNKS -DLIVE=0" "-DTHUNKS -DLIVE=15" "-DLIVE=0" "-DLIVE=15"; do
    # shellcheck disable=SC2086 # several words
    arm-none-eabi-gcc $m3 -Icapi/include $more tests/programs/bare/c/{counts,memory}.c "$out/thunks.o" "$out/thumbv7m-none-eabi.a" -lgcc -Llinker \
        -Ltests/programs/bare/boards -Wl,-T,mps2-an385.x,-T,tests/programs/bare/c/sections.x,--gc-sections -z noexecstack -o "$out/counts"
    limit=60 run mps2-an385 "$out/counts" qemu-system-arm -icount shift=10
    counts+=("$(sed -n 's/^make and free: //p' <<<"$said")")
done
read -r -a stated <<<"$(tr '\n' ' ' <docs/boards.md | sed -n 's/.*with thunks takes \([0-9]*\) instructions if no other is live and \([0-9]*\) if 15 are; with the library, \([0-9]*\) in both cases.*/\1 \2 \3 \3/p')"
for i in 0 1 2 3; do
    [ $((counts[i] - stated[i])) -le 8 ] && [ $((stated[i] - counts[i])) -le 8 ] || fail "making and freeing takes ${counts[*]} instructions, but docs/boards.md states ${stated[*]}"
done
echo "thunks: ${counts[0]} and ${counts[1]}; the library: ${counts[2]} and ${counts[3]}"
