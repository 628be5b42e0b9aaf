# Tests closures with ten arguments in a shared library that a program loads. Sourced by the "cross" leg with $triple, $machine,
# $gnu and $emulator set.

library=$PWD/target/cross/loaded-$machine
new_package "$library" loaded
cp tests/programs/loaded/lib.rs "$library/src"
printf 'statictramp = { path = "%s" }\n[lib]\ncrate-type = ["cdylib"]\n[profile.dev]\ndebug = false\nopt-level = 1\n' "$PWD" >>"$library/Cargo.toml"
cross_cargo "$triple" build --offline --manifest-path "$library/Cargo.toml"
"$gnu"-gcc -O2 -Wall -Wextra tests/programs/loaded/main.c -o "$library/main" -ldl -pthread
$emulator "$library/main" "$PWD/target/cross/$triple/debug/libloaded.so"
