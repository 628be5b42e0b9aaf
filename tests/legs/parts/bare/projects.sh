# Tests packaging/boards.sh, and the projects in examples/boards, which use its result without Rust. Sourced by
# tests/legs/bare.sh.

say "a library for boards, for projects without Rust"
need make=make clang++-19=clang-19 /usr/include/newlib/c++=libstdc++-arm-none-eabi-dev /usr/lib/arm-none-eabi/lib/nano.specs=libnewlib-arm-none-eabi
project_targets="thumbv6m-none-eabi thumbv7m-none-eabi riscv32imac-unknown-none-elf"
[ "$effort" -lt 100 ] || project_targets="thumbv6m-none-eabi thumbv7m-none-eabi thumbv7em-none-eabi thumbv7em-none-eabihf \
thumbv8m.main-none-eabi riscv32imc-unknown-none-elf riscv32imac-unknown-none-elf"
for triple in $project_targets; do make_sysroot "$triple"; done
# in_boards WORD...: boards.sh with the compiler of Debian and a target directory of its own.
in_boards() { RUSTC=$sysroots/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$out/boards-target ${shell-} packaging/boards.sh "$@" 2>&1; }
! said=$(shell=dash in_boards "$out/none" 0) || fail "boards.sh accepts 0 slots"
must_say "boards.sh: the number of slots must be a decimal number"
for n in 0 010 65537; do
    ! said=$(in_boards "$out/none" "$n") || fail "boards.sh accepts $n slots"
    must_say "boards.sh: the number of slots must be a decimal number from 1 to 65536, not \"$n\""
done
! said=$(TARGETS="thumbv7m-none-eabi x86_64" in_boards "$out/none") || fail "boards.sh accepts an unknown target"
must_say "boards.sh: TARGETS contains \"x86_64\", which is not one of: thumbv6m-none-eabi"
! said=$(TARGETS='*' in_boards "$out/none") || fail "boards.sh accepts a pattern as a target"
must_say "boards.sh: TARGETS contains \"[*]\", which is not one of: thumbv6m-none-eabi"
! said=$(TARGETS=' ' in_boards "$out/none") || fail "boards.sh accepts an empty TARGETS"
must_say "boards.sh: TARGETS is empty; unset it, or name some of: thumbv6m-none-eabi"
[ ! -e "$out/none" ] || fail "boards.sh creates a directory although an argument is invalid"
rm -rf "$out/boards" "$out/boards.said" "$out/moved" "$out/projects"
# While another run has locked the directory, boards.sh waits.
mkdir "$out/boards"
exec 5<"$out/boards"
flock 5
# A full run writes all of the script's targets.
(exec 5<&-; [ "$effort" -ge 100 ] || export TARGETS="$project_targets"; in_boards "$out/boards" 32) >"$out/boards.said" & writer=$!
for ((i = 0; i < 6000; i++)); do ! grep -q waiting "$out/boards.said" || break; sleep 0.1; done
said=$(cat "$out/boards.said")
must_say "boards.sh: waiting for another run that writes to $out/boards"
[ -z "$(ls "$out/boards")" ] || fail "boards.sh writes to a directory that another run has locked"
exec 5<&-
wait $writer || fail "boards.sh: $(cat "$out/boards.said")"
said=$(grep -v waiting "$out/boards.said") || fail "boards.sh does not print a result"
[[ "$said" = "built libstatictramp with 32 slots in "*" for: $project_targets" ]] || fail "boards.sh does not report 32 slots for $project_targets: $said"
"$test_tools" only-ours "$out/boards/thumbv7m-none-eabi/lib/libstatictramp.a" arm-none-eabi-nm
mv "$out/boards" "$out/moved"

# make_projects WORD...: make in examples/boards, with a PATH in which cargo and rustc fail.
mkdir -p "$out/no-rust"
printf '#!/bin/sh\necho "Rust is used" >&2\nexit 127\n' | tee "$out/no-rust/cargo" >"$out/no-rust/rustc"
chmod +x "$out/no-rust"/*
make_projects() {
    said=$(PATH=$out/no-rust:$PATH make --silent -C examples/boards STATICTRAMP="$out/moved" BUILD="$out/projects" "$@" 2>&1) || fail "make $*: $said"
}
! said=$(make --silent -C examples/boards STATICTRAMP="$out/none" 2>&1) || fail "make accepts a directory without the library"
must_say "has no library; name the directory of packaging/boards.sh by an absolute path"
make_projects targets="$project_targets" check
# as_shown NAME IMAGE...: compares the outputs of images with the README, which shows them below a line that begins with `NAME`.
as_shown() {
    local wanted image
    wanted=$(awk -v start="\`$1\`" 'index($0, start) == 1 { on = 1 } on && /^    / { print substr($0, 5); seen = 1; next } seen && /./ { exit }' \
        examples/boards/README.md)
    for image in "${@:2}"; do
        [ -n "$wanted" ] && [ "$(cat "$out/projects/$image.said")" = "$wanted" ] ||
            fail "examples/boards/README.md does not show what $image prints: $(cat "$out/projects/$image.said")"
    done
    echo "$1: ${*:2}"
}
arm=thumbv7m-none-eabi
# shellcheck disable=SC2046,SC2086 # several words
{
    as_shown sensors.c $(printf '%s/sensors ' $project_targets)
    as_shown lambdas.cpp {thumbv6m-none-eabi,$arm,riscv32imac-unknown-none-elf}/lambdas-{gcc,clang}
    [ "$effort" -lt 100 ] || as_shown lambdas.cpp thumbv7em-none-eabihf/lambdas-{gcc,clang}
}
as_shown object.cpp $arm/object-{1,2,3,4}-4
for project in stm32cube arduino freertos zephyr; do as_shown $project $arm/$project; done
as_shown pico thumbv6m-none-eabi/pico

say "an object with three callbacks: the costs in four ways"
# costs_of METHOD NAME DRIVER: measures the program with one object and with four, and checks the row of the table.
costs_of() {
    local row="| $2 | $3" n
    for n in 1 4; do
        measure "object.cpp" "$out/projects/$arm/object-$1-$n"
        row+=" | $flash + $ram"
    done
    echo "$row |"
    flock docs/boards-projects.md "$test_tools" stated docs/boards-projects.md "$row |" || lacking+=("$row |")
}
lacking=()
costs_of 1 '`statictramp_bind`, 32 slots' unchanged
costs_of 2 'a static pointer and three functions for each object' unchanged
costs_of 3 'a table of `void *`' 'passes an index'
costs_of 4 '`std::function`' 'stores function objects'
[ ${#lacking[@]} = 0 ] || fail "these rows are out of date; to update them, run STATICTRAMP_WRITE_SIZES=1 tests/run bare:sizes: ${lacking[*]}"

say "the pages and the projects"
# The page shows lines from the projects, including the README's commands.
for shown in README.md:"$(doc_block docs/boards-projects.md sh 1)" ../rtic-embassy/src/bin/embassy.rs:"$(doc_block docs/boards-projects.md rust,ignore 1)" \
    stm32cube/main.c:"$(doc_block docs/boards-projects.md c 1)" pico/main.c:"$(doc_block docs/boards-projects.md c 2)" \
    arduino/sketch.cpp:"$(doc_block docs/boards-projects.md cpp 1)" ../../packaging/boards/zephyr/statictramp.ld:"$(doc_block docs/boards-projects.md ld 1)"; do
    while read -r line; do
        grep -qF "$line" "examples/boards/${shown%%:*}" || fail "docs/boards-projects.md shows this line, which ${shown%%:*} lacks: $line"
    done <<<"${shown#*:}"
done
if [ "$effort" -ge 100 ]; then
    # Without the lock, two cores corrupt the table, though only after some time.
    rm "$out/projects/thumbv6m-none-eabi/pico"
    make_projects PICO="-DNO_LOCK -DROUNDS=40000" "$out/projects/thumbv6m-none-eabi/pico"
    ! said=$(timeout 300 qemu-system-arm -M mps2-an521 -nographic -semihosting-config enable=on,target=native \
        -kernel "$out/projects/thumbv6m-none-eabi/pico" </dev/null 2>&1) || fail "without the lock, two cores did not corrupt the table, so this test proves nothing"
    must_say "failed: cores"
fi
# A program that needs a heap links only if it provides its own.
rm -rf "$out/own-heap" && cp -r examples/boards "$out/own-heap"
cp tests/programs/bare/c/function.cpp "$out/own-heap/lambdas.cpp"
for image in {thumbv6m-none-eabi,riscv32imac-unknown-none-elf}/lambdas-{gcc,clang}; do
    said=$(make --silent -C "$out/own-heap" STATICTRAMP="$out/moved" BUILD="$out/own-heap/build" "$out/own-heap/build/$image.said" 2>&1) || fail "function.cpp: $said"
    must_say "a heap and a va_list"
done
printf '#include <statictramp.hpp>\nint main() { return statictramp::function<int(int)>([](int a) { return a; }).get()(0); }\n' >"$out/heap.cpp"
! said=$(arm-none-eabi-g++ -mthumb -mcpu=cortex-m3 -std=c++17 -fno-exceptions -fno-rtti -nostdlib "-I$out/moved/$arm/include" \
    "$out/heap.cpp" "$out/moved/$arm/lib/libstatictramp.a" -lgcc -o "$out/projects/heap" 2>&1) || fail "a program that needs a heap links without one"
must_say "undefined reference to .operator new"
source tests/legs/parts/bare/recipes.sh
source tests/legs/parts/bare/safety.sh
