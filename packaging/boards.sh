#!/usr/bin/env bash
# packaging/boards.sh DIR [SLOTS [ARGUMENT FOR CARGO]...]: builds libstatictramp with SLOTS slots (default 16) for the boards listed
# below, and writes DIR/TARGET/{lib,include,share} for each board target, with files for CMake, Meson and other build systems
# (docs/boards-projects.md). A C or C++ project that uses DIR needs no Rust. DIR can be moved.
#
# This script itself needs Rust's core library for each target (rustup target add TARGET...), or the argument -Zbuild-std=core, and
# one C compiler for each processor family, which only links. CC_thumbv6m_none_eabi and similar variables name other compilers.
# TARGETS selects some of the targets: TARGETS="thumbv6m-none-eabi thumbv7m-none-eabi". The variables that cargo reads, and
# STATICTRAMP_REUSE, are honoured.
#
# Exit status: 0 written; 1 building failed for one target (those before it are written); 2 an argument is invalid, or a tool is
# missing.
[ -n "${BASH_VERSION-}" ] || exec bash "$0" "$@" # after "sh SCRIPT", with another shell than bash
set -euo pipefail
unset CDPATH DESTDIR LIBDIR FEATURES CC CFLAGS LD OBJCOPY AR NM CARGO_BUILD_TARGET
refuse() { printf 'boards.sh: %s\n' "$*" >&2; exit 2; }

# target compiler
boards='
thumbv6m-none-eabi           arm-none-eabi-gcc -mcpu=cortex-m0 -mthumb
thumbv7m-none-eabi           arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb
thumbv7em-none-eabi          arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=soft
thumbv7em-none-eabihf        arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard
thumbv8m.main-none-eabi      arm-none-eabi-gcc -mcpu=cortex-m33 -mthumb -mfloat-abi=soft
riscv32imc-unknown-none-elf  riscv64-unknown-elf-gcc -march=rv32imc_zicsr -mabi=ilp32 -mcmodel=medany
riscv32imac-unknown-none-elf riscv64-unknown-elf-gcc -march=rv32imac_zicsr -mabi=ilp32 -mcmodel=medany
'

case ${1-} in
-h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
'' | -*) refuse "the first argument must name the output directory, not \"${1-}\"" ;;
esac
into=$(realpath -m -- "$1")
slots=${2-${STATICTRAMP_SLOTS-16}}
[[ $slots =~ ^[1-9][0-9]{0,4}$ ]] && [ "$slots" -le 65536 ] ||
    refuse "the number of slots must be a decimal number from 1 to 65536, not \"$slots\""
export STATICTRAMP_SLOTS=$slots STATICTRAMP_ASM=rust
for variable in CARGO_TARGET_DIR CARGO_HOME; do
    [ -z "${!variable-}" ] || export "$variable=$(realpath -m -- "${!variable}")"
done
cd -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")/.."
mapfile -t names < <(awk 'NF { print $1 }' <<<"$boards")
read -r -d '' -a targets <<<"${TARGETS-${names[*]}}" || true # spaces or newlines separate the names, and no name is a pattern
[ ${#targets[@]} -gt 0 ] || refuse "TARGETS is empty; unset it, or name some of: ${names[*]}"
for target in "${targets[@]}"; do
    [[ " ${names[*]} " = *" $target "* ]] || refuse "TARGETS contains \"$target\", which is not one of: ${names[*]}"
done
# While another run writes to this directory, this one waits, so that all files are from the same run.
command -v flock >/dev/null || refuse "there is no flock; install util-linux"
mkdir -p -- "$into/" 2>/dev/null || refuse "cannot write to $into"
exec 9<"$into"
flock -n 9 || { printf 'boards.sh: waiting for another run that writes to %s\n' "$into" >&2; flock 9; }
for target in "${targets[@]}"; do
    own=CC_${target//[-.]/_}
    compiler=$(awk -v target="$target" '$1 == target { $1 = ""; print }' <<<"$boards")
    CARGO_BUILD_TARGET=$target CC=${!own:-$compiler} capi/install.sh "$into/$target" "${@:3}" >/dev/null 9<&-
done
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
url=$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)
# fill FILE PLACE [EXPRESSION FOR SED]...: writes one file of packaging/boards.
fill() { install -D -m 644 /dev/null "$2" && sed -e "s|@VERSION@|$version|; s|@URL@|$url|" "${@:3}" "packaging/boards/$1" >"$2"; }
for file in library.properties library.json CMakeLists.txt idf_component.yml esp-idf/statictramp.ld platformio/select.py \
    zephyr/{module.yml,Kconfig,CMakeLists.txt,statictramp.ld}; do
    fill "$file" "$into/$file"
done
# Arduino searches src/ for the headers, and src/CPU or src/CPU/FPU-ABI for the archive. The linker finds scripts there, too.
for target in "${targets[@]}"; do
    made=$into/$target
    sed -i 's|^prefix=.*|prefix=${pcfiledir}/../..|' "$made/lib/pkgconfig/statictramp.pc" # DIR can be moved
    read -r _ compiler words < <(grep "^$target " <<<"$boards")
    tools=${compiler%gcc} cpu=${words#*=} between="', '"
    case $target in thumb*) family=arm cpu=${cpu%% *} ;; *) family=riscv32 cpu=generic ;; esac
    for file in toolchain.cmake meson.ini; do
        fill target/$file "$made/$file" -e "s|@TARGET@|$target|; s|@TOOLS@|$tools|; s|@FLAGS@|$words|; s|@WORDS@|'${words// /$between}'|; s|@FAMILY@|$family|; s|@CPU@|$cpu|"
    done
    case $target in
    thumbv6m-*) places="cortex-m0 cortex-m0plus" ;;
    thumbv7m-*) places=cortex-m3 ;;
    thumbv7em-*hf) places="cortex-m4/fpv4-sp-d16-hard cortex-m7/fpv5-sp-d16-hard" ;;
    thumbv7em-*) places="cortex-m4 cortex-m7" ;;
    thumbv8m*) places=cortex-m33 ;;
    *) places= ;;
    esac
    for place in $places; do
        install -D -m 644 -t "$into/src/$place" "$made/lib/libstatictramp.a" "$made"/share/statictramp/*.x
    done
    install -D -m 644 -t "$into/src" "$made"/include/statictramp.{h,hpp}
done
echo "built libstatictramp with $slots slots in $into for: ${targets[*]}"
