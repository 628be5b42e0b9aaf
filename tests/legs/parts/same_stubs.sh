# Functions that compare the stubs of two assemblers. Sourced by tests/legs/lib.sh.

# lead OBJECT PREFIX: prints the number of bytes before the first stub in its section.
lead() { echo $((16#$("${2}nm" "$1" | sed -n 's/^\([0-9a-f]*\) . statictramp_\(c_\)\{0,1\}0_1_stubs$/\1/p') & ~1)); }

# stubs_section OBJECT PREFIX STRIDE SLOTS MORE OUTPUT: writes the bytes before the first stub of an object file, 64 stubs, and the MORE bytes
# that follow the last one if there are 64 slots. Fails unless the section contains SLOTS stubs of STRIDE bytes, MORE bytes, the bytes
# before the stubs, and the assembler's padding.
stubs_section() {
    local bytes before size
    before=$(lead "$1" "$2")
    size=$((before + $4 * $3 + $5))
    "${2}objcopy" -O binary -j .text.statictramp "$1" "$6.section"
    bytes=$(stat -c %s "$6.section")
    [ "$bytes" -ge $size ] && [ "$bytes" -lt $((size + 64)) ] || fail "$1: the stubs' section contains $bytes bytes, expected $4 stubs of $3 bytes"
    head -c $((before + 64 * $3 + ($4 == 64 ? $5 : 0))) "$6.section" >"$6"
}

# linked_stubs OBJECT PREFIX BYTES OUTPUT: writes the first stubs of an object file, linked to fixed addresses. The rest of the object,
# which may need other symbols, is left out.
linked_stubs() {
    printf 'SECTIONS { .text.statictramp 0x10000 : { *(.text.statictramp) } .tramp_data 0x100000 : { *(.tramp_data) } /DISCARD/ : { *(*) } }\n' >"$4.ld"
    "$2objcopy" -j .text.statictramp -j .tramp_data --strip-unneeded "$1" "$4.part" &&
        "$2ld" --unresolved-symbols=ignore-all -e 0 -T "$4.ld" "$4.part" -o "$4.linked" &&
        "$2objcopy" -O binary -j .text.statictramp "$4.linked" "$4.section" && head -c "$3" "$4.section" >"$4"
}

# compare_stubs TRIPLE PREFIX STRIDE MORE CC_TABLE CC_SLOTS RUST_OBJECT RUST_SLOTS: compares the stubs that the C compiler has assembled
# (an archive) with those that rustc has (an object file or archive), byte for byte. PREFIX is the target's binutils prefix. MORE bytes
# follow the stubs. Some assemblers leave a number in a field that the linker overwrites, so stubs that differ are compared when linked.
compare_stubs() {
    local triple=$1 prefix=$2 stride=$3 more=$4 out=target/cross/stubs/$1 object bytes
    rm -rf "$out"
    mkdir -p "$out/cc" "$out/rust"
    (cd "$out/cc" && "${prefix}ar" x "$5")
    case $7 in *.o) cp "$7" "$out/rust" ;; *) (cd "$out/rust" && "${prefix}ar" x "$7") ;; esac
    for object in "$out"/rust/*.o; do
        ! "${prefix}objdump" -h "$object" | grep -q ' \.text\.statictramp ' || break
    done
    stubs_section "$out"/cc/*.o "$prefix" "$stride" "$6" "$more" "$out/cc.bin"
    stubs_section "$object" "$prefix" "$stride" "$8" "$more" "$out/rust.bin"
    bytes=$(($(lead "$object" "$prefix") + 64 * stride))
    cmp -s "$out"/cc.bin "$out"/rust.bin || {
        linked_stubs "$out"/cc/*.o "$prefix" "$bytes" "$out/cc.bin" && linked_stubs "$object" "$prefix" "$bytes" "$out/rust.bin" &&
            cmp "$out"/cc.bin "$out"/rust.bin
    } || fail "$triple: the stubs differ between the C compiler and rustc"
    echo "$triple: stubs of $stride bytes, the same by the C compiler and by rustc"
}

# newest PATTERN: prints the newest of the files that match this pattern, which is from the last build.
newest() { compgen -G "$1" | tr '\n' '\0' | xargs -0 ls -t | head -n 1; }

# same_stubs TRIPLE PREFIX STRIDE MORE: compare_stubs for 64 stubs that each assembler makes. CC_... has named the C compiler.
same_stubs() {
    local triple=$1 objects=${target:-target/cross}/$1/release
    # same_stubs_cargo ASSEMBLER COMMAND ARGUMENT...: cargo. Optimization does not change the stubs.
    same_stubs_cargo() {
        STATICTRAMP_ASM=$1 STATICTRAMP_SLOTS=64 cross_cargo "$triple" "$2" --release -p statictramp --no-default-features --lib \
            --config profile.release.lto=false --config profile.release.opt-level=0 "${@:3}"
    }
    same_stubs_cargo cc check # the build script calls the C compiler
    same_stubs_cargo rust rustc -- --emit=obj
    compare_stubs "$triple" "$2" "$3" "$4" "$(realpath "$(newest "$objects/build/statictramp-*/out/libstatictramp_0_1_table.a")")" 64 \
        "$(newest "$objects/deps/statictramp-*.o")" 64
}
