# Tests packaging/boards.sh, and the projects in examples/boards, which use its result without Rust. Sourced by
# tests/legs/bare.sh.

say "a library for boards, for projects without Rust"
need make=make
project_targets="thumbv6m-none-eabi thumbv7m-none-eabi riscv32imac-unknown-none-elf"
[ "$effort" -lt 100 ] || project_targets="thumbv6m-none-eabi thumbv7m-none-eabi thumbv7em-none-eabi thumbv7em-none-eabihf \
thumbv8m.main-none-eabi riscv32imc-unknown-none-elf riscv32imac-unknown-none-elf"
for triple in $project_targets; do make_sysroot "$triple"; done
# in_boards WORD...: boards.sh with the compiler of Debian and a target directory of its own.
in_boards() { RUSTC=$sysroots/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$out/boards-target packaging/boards.sh "$@" 2>&1; }
! said=$(in_boards "$out/none" 0) || fail "boards.sh accepts 0 slots"
must_say "boards.sh: the number of slots is a decimal number from 1 on, not \"0\""
! said=$(TARGETS="thumbv7m-none-eabi x86_64" in_boards "$out/none") || fail "boards.sh accepts a target that it does not know"
must_say "boards.sh: \"x86_64\" in TARGETS is none of: thumbv6m-none-eabi"
[ ! -e "$out/none" ] || fail "boards.sh writes a directory although an argument is invalid"
rm -rf "$out/boards" "$out/moved" "$out/projects"
# A full run writes all of the script's targets.
said=$([ "$effort" -ge 100 ] || export TARGETS="$project_targets"; in_boards "$out/boards" 32) || fail "boards.sh: $said"
[ "$said" = "libstatictramp with 32 slots is below $out/boards for: $project_targets" ] || fail "boards.sh has written other targets: $said"
only_ours "$out/boards/thumbv7m-none-eabi/lib/libstatictramp.a" arm-none-eabi-nm
mv "$out/boards" "$out/moved"

# make_projects WORD...: make in examples/boards, with a PATH in which cargo and rustc fail.
mkdir -p "$out/no-rust"
printf '#!/bin/sh\necho "Rust is used" >&2\nexit 127\n' | tee "$out/no-rust/cargo" >"$out/no-rust/rustc"
chmod +x "$out/no-rust"/*
make_projects() {
    said=$(PATH=$out/no-rust:$PATH make --silent -C examples/boards STATICTRAMP="$out/moved" BUILD="$out/projects" "$@" 2>&1) || fail "make $*: $said"
}
make_projects targets="$project_targets" check
for triple in $project_targets; do
    [ "$(cat "$out/projects/$triple/sensors.said")" = "$(sed -n '/^    first sensor/,/^$/s/^    //p' examples/boards/README.md)" ] ||
        fail "$triple: sensors prints: $(cat "$out/projects/$triple/sensors.said")"
done
echo "sensors.c runs on: $project_targets"
