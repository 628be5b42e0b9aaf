# Tests images that contain two copies of the library. Sourced by in_c.sh, which has built the archives with 32 slots.

say "the crate and the C library in one image"
slots=64 # the crate's slots then take as many bytes as the archive's with the contexts and callees
for entry in "thumbv7m-none-eabi mps2-an385 ld.lld-19" "thumbv7m-none-eabi mps2-an385 arm-none-eabi-ld" "thumbv6m-none-eabi microbit ld.lld-19" \
    "riscv32imac-unknown-none-elf virt riscv64-unknown-elf-ld -melf32lriscv"; do
    read -r triple board linker <<<"$entry"
    ARCHIVE=$out/$triple.a BOARD=$board LINKER=$linker images "$triple" tests/programs/bare copies
    case $triple in thumb*) qemu=(qemu-system-arm) ;; *) qemu=(qemu-system-riscv32 -bios none) ;; esac
    limit=300 run "$board" "$image" "${qemu[@]}"
    must_say "crate and archive: 1024 orders"
    echo "$triple, $linker: $said"
done
slots=

say "two copies of one minor version of the crate"
# The stubs are in an object of their own, of which the linker would use only one.
same=$out/same
later_core "$same/next" 0.1.7
new_package "$same/program" same
for name in this:$PWD next:$same/next; do
    printf '%s = { package = "statictramp", path = "%s", default-features = false }\n' "${name%%:*}" "${name#*:}" >>"$same/program/Cargo.toml"
done
printf '[profile.release]\npanic = "abort"\n' >>"$same/program/Cargo.toml"
cat >"$same/program/src/main.rs" <<'END'
#![no_std]
#![no_main]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
#[unsafe(no_mangle)]
extern "C" fn main() -> bool {
    let (one, two) = (|x: usize| x + 1, |x: usize| x + 2);
    this::bind(&one).is_ok() && next::bind(&two).is_ok()
}
END
for linker in ld.lld-19 arm-none-eabi-ld; do
    ! said=$(CC_thumbv7m_none_eabi=arm-none-eabi-gcc STATICTRAMP_ASM=cc target=$out cross_cargo thumbv7m-none-eabi rustc --release --offline \
        --manifest-path "$same/program/Cargo.toml" -- -Clinker=$linker -Clinker-flavor=ld -Clink-arg=-T"$PWD/tests/programs/bare/boards/mps2-an385.x" \
        -Clink-arg=-emain 2>&1) || fail "$linker links two copies of one minor version"
    must_say "\(duplicate symbol:\|multiple definition of\) .\?statictramp_0_1_pool"
done
echo "rejected by each linker"

# table SLOTS FILE: assembles the crate's table. c_table: that of the C library.
table() { assemble "$1" 0 0_1 c_0_1 "$2"; }
c_table() { assemble "$1" 1 c_0_1 0_1 "$2"; }
assemble() {
    local room=32
    while [ $room -lt $((8 * $1)) ]; do room=$((2 * room)); done
    {
        printf '.set %s\n' "SLOTS, $1" 'SLOT_STRIDE, 8' "SLOTS_ROOM, $room" 'WORD, 4' 'BARE, 1' "EXTRAS, $2"
        cat asm/thumb2.S asm/table.S
    } | sed "s/statictramp_VERSION_/statictramp_$3_/g; s/statictramp_OTHER_/statictramp_$4_/g" |
        clang-19 --target=thumbv7m-none-eabi -xassembler -c - -o "$5"
}
# protected NAME SIZE SYMBOL...: links these symbols' tables at an odd address with each linker. The slots must be in one region of
# this size.
protected() {
    local linker start end last name=$1 size=$2
    shift 2
    printf '.globl main\n.text\nmain: .long %s\n' "$(IFS=,; echo "$*")" | clang-19 --target=thumbv7m-none-eabi -xassembler -c - -o "$out/uses.o"
    for linker in ld.lld-19 arm-none-eabi-ld; do
        image=$out/protected
        $linker --gc-sections -z noexecstack -Llinker -T "$out/odd.x" "$out/uses.o" "$out"/table-*.o -e main -o "$image" || fail "$linker cannot link $name"
        start=$((16#$(nm "$image" | sed -n 's/ . __statictramp_start$//p'))) end=$((16#$(nm "$image" | sed -n 's/ . __statictramp_end$//p')))
        [ $((end - start)) = "$size" ] && [ $((start % size)) = 0 ] ||
            fail "$linker, $name: the slots occupy $((end - start)) bytes at $start, expected $size bytes, aligned to their size"
        while read -r last _ symbol; do
            [ $((16#$last)) -ge $start ] && [ $((16#$last)) -le $end ] || fail "$linker, $name: $symbol is not in the region"
        done < <(nm "$image" | grep '_slots$\|_slots_end$\|_extras$')
    done
}
say "one region of an MPU for the slots of two copies"
printf '%s\n' 'MEMORY { FLASH : ORIGIN = 0, LENGTH = 64K RAM : ORIGIN = 0x20000010, LENGTH = 64K }' 'INCLUDE tramp.x' \
    'SECTIONS { .text : { *(.text*) } > FLASH .bss : { *(.bss*) . = . + 4; } > RAM }' >"$out/odd.x"
rm -f "$out"/table-*.o
c_table 64 "$out/table-c.o" # 512 bytes of slots, and as many of contexts and callees
protected "C alone" 512 statictramp_c_0_1_slots
protected "C alone, with contexts" 1024 statictramp_c_0_1_slots statictramp_c_0_1_extras
# slots, size, size with contexts
for entry in "1 1024 2048" "32 1024 2048" "64 1024 2048" "100 2048 2048" "128 2048 2048" "256 4096 4096" "1000 16384 16384"; do
    read -r number without with <<<"$entry"
    table "$number" "$out/table-rust.o"
    protected "$number slots in Rust" "$without" statictramp_0_1_slots statictramp_c_0_1_slots
    protected "$number slots in Rust, with contexts" "$with" statictramp_0_1_slots statictramp_c_0_1_slots statictramp_c_0_1_extras
done
rm "$out/table-c.o"
protected "Rust alone" 8192 statictramp_0_1_slots
unset image
echo "7 numbers of slots, with each linker"
