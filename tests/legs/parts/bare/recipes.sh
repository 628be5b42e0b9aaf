# Tests the files of packaging/boards for CMake, Meson, PlatformIO, Arduino, Zephyr and ESP-IDF. Sourced by projects.sh, which has
# written the libraries to $out/moved.

say "files for build systems"
need cmake=cmake meson=meson ninja=ninja-build pkg-config=pkg-config /usr/lib/python3/dist-packages/kconfiglib.py=python3-kconfiglib \
    /usr/lib/python3/dist-packages/yaml/__init__.py=python3-yaml
recipes=$out/recipes examples=$PWD/examples/boards
rm -rf "$recipes"
mkdir -p "$recipes"
# recipe NAME TARGET IMAGE SAID: runs an image, which must print what another build of the program printed.
recipe() {
    case $2 in thumb*) qemu=(mps2-an385 "$3" qemu-system-arm) ;; *) qemu=(virt "$3" qemu-system-riscv32 -bios none) ;; esac
    limit=300 run "${qemu[@]}"
    [ "$said" = "$(cat "$out/projects/$4.said")" ] || fail "$1: $2 prints: $said"
    echo "$1: $2"
}
# with_cmake SOURCE TARGET WORD...: builds a project with the toolchain file of a target.
with_cmake() {
    built=$recipes/${1##*/}-$2
    said=$(cmake -S "$1" -B "$built" --toolchain "$out/moved/$2/toolchain.cmake" -DDIR="$out/moved" -DEXAMPLES="$examples" "${@:3}" 2>&1 &&
        cmake --build "$built" 2>&1)
}
for triple in "$arm" riscv32imac-unknown-none-elf; do
    with_cmake examples/boards "$triple" || fail "CMake: $said"
    recipe CMake "$triple" "$built/sensors" "$triple/sensors"
    said=$(meson setup "$recipes/meson-$triple" examples/boards --cross-file "$out/moved/$triple/meson.ini" \
        -Dpkg_config_path="$out/moved/$triple/lib/pkgconfig" 2>&1 && ninja -C "$recipes/meson-$triple" 2>&1) || fail "Meson: $said"
    recipe Meson "$triple" "$recipes/meson-$triple/sensors" "$triple/sensors"
done
with_cmake tests/programs/bare/recipes/zephyr "$arm" -DCONFIG_STATICTRAMP=y -DCONFIG_CPU_CORTEX_M=y -DCONFIG_CPU_CORTEX_M3=y || fail "Zephyr: $said"
recipe "Zephyr module" "$arm" "$built/program" "$arm/zephyr"
! with_cmake tests/programs/bare/recipes/zephyr "$arm" -DCONFIG_FP_HARDABI=y || fail "the Zephyr module accepts a calling convention without a library"
must_say "no library for this processor"
triple=riscv32imac-unknown-none-elf
with_cmake tests/programs/bare/recipes/esp-idf "$triple" -DIDF_TARGET=esp32c6 || fail "ESP-IDF: $said"
recipe "ESP-IDF component" "$triple" "$built/program" "$triple/sensors"
! with_cmake tests/programs/bare/recipes/esp-idf "$triple" -DIDF_TARGET=esp32s3 || fail "the ESP-IDF component accepts a chip without a library"
must_say "there is no library for esp32s3"
/usr/bin/python3 tests/programs/bare/recipes/files.py "$out/moved" "$recipes" || fail "a file for a build system is invalid"
