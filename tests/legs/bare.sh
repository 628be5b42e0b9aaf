# Boards without an operating system, in QEMU: the slots are where the linker script places them, and all RAM is
# execute-never on boards that support it. The image is in tests/programs/bare.
# Installs: QEMU for Arm and RISC-V, clang 19, GCC for bare metal; Rust for boards.
# Takes: 3 minutes.
# Parts: sizes, boards_arm, in_c, projects, placement, boards_others, threads, rejected, costs, claims, template, scripts,
#   clients (only if named in short runs).
# Targets: thumbv6m-none-eabi, thumbv7m-none-eabi, thumbv7em-none-eabihf, thumbv8m.base-none-eabi, thumbv8m.main-none-eabi,
#   riscv32imac-unknown-none-elf, riscv32imc-unknown-none-elf, riscv64gc-unknown-none-elf, aarch64-unknown-none.

need_cross_rust
# A newer qemu-utils than the system's would prevent the installation of these packages.
need qemu-system-arm="qemu-system-arm qemu-utils-" qemu-system-riscv64="qemu-system-misc qemu-utils-" \
    ld.lld-19=lld-19 clang-19=clang-19 arm-none-eabi-gcc=gcc-arm-none-eabi riscv64-unknown-elf-gcc=gcc-riscv64-unknown-elf
need_test_tools
ticks=$(share 1000000)
[ "$effort" -ge 100 ] || ticks=$(((ticks + 4) / 5))
out=$PWD/target/cross/bare
rm -rf "$out/images"
mkdir -p "$out/images"
# $LINKER chooses the linker, so that one core per target is enough for all images.
printf '#!/bin/sh\nexec $LINKER "$@"\n' >"$out/linker"
chmod +x "$out/linker"

# images TRIPLE DIRECTORY NAME: builds a program of the package in a directory, and sets `image` to a copy that later
# builds do not overwrite.
images() {
    image=$(mktemp "$out/images/$3.XXXXXX")
    (
        cd "$2"
        export STATICTRAMP_SLOTS=${slots:-32} STATICTRAMP_ASM=rust TICKS=$ticks
        export CARGO_ENCODED_RUSTFLAGS=-Clinker=$out/linker$'\x1f'-Clinker-flavor=ld
        flock 8
        target=$out cross_cargo "$1" build --release --locked --bin "$3" && cp "$out/$1/release/$3" "$image"
    ) 8>"$out/lock"
}

# image TRIPLE BOARD: builds the image for a board.
image() { BOARD=$2 LINKER=${linker:-ld.lld-19} images "$1" tests/programs/bare bare; }

# run BOARD IMAGE QEMU-ARGUMENT...: sets `said` to the output of an image, which must exit successfully within $limit
# seconds.
run() {
    said=$(timeout "$limit" "${@:3}" -M "$1" -nographic -semihosting-config enable=on,target=native -kernel "$2" </dev/null 2>&1) ||
        fail "the image exited with status $?, expected 0: $said"
}

# must_say TEXT...: checks that the output of the last image contains each text.
must_say() {
    local wanted
    for wanted in "$@"; do
        grep -q "$wanted" <<<"$said" || fail "the output lacks \"$wanted\": $said"
    done
}

# board TRIPLE BOARD QEMU-ARGUMENT...: builds and runs the image for a board.
board() {
    local triple=$1 name=$2 said
    [ -n "$named" ] || [ -n "$(wanted "$triple")" ] || return 0
    shift 2
    say "$triple on $name"
    image "$triple" "$name"
    limit=600 run "${name%%-aarch64}" "$image" "$@"
    must_say "before: code on the stack runs" "$ticks interrupts between" "a call after free is diagnosed" \
        ${floats:+"64 signatures in"} ${cores:+"two cores made $ticks"} ${cause:+"code on the stack ends in a fault: $cause = 1"}
    echo "$said"
}

# measure NAME IMAGE: sets `flash` and `ram` to the sizes of a program that does nothing else. `flash` covers the loaded
# code and constants. `ram` covers everything from the beginning of its region, including gaps.
measure() {
    local type at size flags end initial=0
    flash=0 ram=0
    while read -r _ type at _ size _ flags _; do
        case $flags in
        *W*A* | *A*W*)
            end=$((16#$at + 16#$size - 0x20000000))
            [ $((16#$size)) = 0 ] || [ $end -le $ram ] || ram=$end
            [ "$type" = NOBITS ] || initial=$((initial + 16#$size))
            ;;
        *A*) flash=$((flash + 16#$size)) ;;
        esac
    done < <(readelf -SW "$2" | sed -n 's/^ *\[ *[0-9]*\] *//p')
    [ "$initial" = 0 ] || fail "$1: start-up code would have to copy $initial bytes of initial values"
}

# part NAME: runs one file in parts/bare. These files share the functions above. The slowest files run first.
part() {
    local named=
    ! wants "$1" || named=1
    source "tests/legs/parts/bare/$1.sh"
}
parts=(boards_arm in_c projects placement boards_others threads rejected costs claims template scripts)
chosen=()
for name in "${parts[@]}"; do
    found=
    # shellcheck disable=SC2046 # names of targets
    case $name in
    # The boards whose targets are named.
    boards_*) found=$(wanted $(sed -n 's/.*\<board \([^ ]*\) .*/\1/p' "tests/legs/parts/bare/$name.sh")) ;;
    # The parts that measure what docs/boards.md and docs/boards-projects.md state.
    in_c | projects | costs) ! wants sizes || found=yes ;;
    esac
    if wants "$name" || [ -n "$found" ]; then chosen+=("$name"); fi
done
! wants_long clients || chosen+=(clients)
side_by_side part "${chosen[@]}"
