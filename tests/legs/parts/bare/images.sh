# Three images in memory at the same time, each with slots of its own, as docs/boards.md describes. A part of the "bare" leg.

say "several images"
images_compiler="arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb"
make_sysroot thumbv7m-none-eabi
images_prefix=$(unset STATICTRAMP_SLOTS && cross_capi thumbv7m-none-eabi CC="$images_compiler")/..
rm -rf "$out/several"
mkdir -p "$out/several"
doc_block docs/boards.md ld 3 >"$out/several/slots_of_images.x"
grep -q SLOTS_2 "$out/several/slots_of_images.x" || fail "the third linker-script block in docs/boards.md is not the one for several images"
# several LINKER REGION...: builds an image with its slots in each of these regions, and runs them.
several() {
    local linker=$1 number=0 region
    shift
    for region in "$@"; do
        sed "s/NUMBER/$number/g; s/FIRST/$region/" tests/programs/bare/c/images.x >"$out/several/$number.x"
        $images_compiler -Os -Wall -Wextra -Werror -ffreestanding -Icapi/include -DIMAGE=$number \
            -c tests/programs/bare/c/images.c -o "$out/several/$number.o" || fail "images.c does not compile"
        $images_compiler -Os -ffreestanding -c examples/boards/board/startup.c -o "$out/several/startup.o"
        $linker "$out/several/$number.o" "$out/several/startup.o" "$images_prefix/lib/libstatictramp.a" "-L$out/several" \
            "-L$images_prefix/share/statictramp" -T "$out/several/$number.x" --gc-sections -z noexecstack -o "$out/several/$number" ||
            fail "$linker: image $number does not link"
        # QEMU does not load two files that reserve the same memory.
        arm-none-eabi-objcopy -O binary -j .text "$out/several/$number" "$out/several/$number.bin"
        number=$((number + 1))
    done
    said=$(timeout 300 qemu-system-arm -M mps2-an385 -nographic -semihosting-config enable=on,target=native -kernel "$out/several/0" \
        -device loader,file="$out/several/1.bin",addr=0x20000,force-raw=on \
        -device loader,file="$out/several/2.bin",addr=0x40000,force-raw=on </dev/null 2>&1)
}
for linker in arm-none-eabi-ld ld.lld-19; do
    several $linker 0 1 2 || fail "$linker: $said"
    must_say "every trampoline of 3 images reaches its own callee"
    ! several $linker 0 0 1 || fail "$linker: two images with the same slots work, so this test detects nothing"
    must_say "failed: made"
done
echo "three images with slots of their own reach all callees; two with the same slots do not"
