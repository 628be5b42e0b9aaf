# Tests signed slots on Linux for AArch64, which QEMU runs as a whole machine: the tool's self-test, `statictramp dump`, and a core file
# in gdb. Sourced by the hardened leg.

say "AArch64: signed slots, on a Linux kernel that QEMU runs"
need qemu-system-aarch64="qemu-system-arm qemu-utils-" gdb-multiarch=gdb-multiarch cpio=cpio gzip=gzip
fetch_foreign arm64 bookworm busybox-static
kernel=$PWD/.toolchains/arm64-kernel/linux
# download_kernel: puts the kernel into $kernel, unless another leg has.
download_kernel() {
    [ ! -e "$kernel" ] || return 0
    fetch download_foreign "${kernel%/*}" arm64 bookworm debian-installer-12-netboot-arm64
    dpkg --fsys-tarfile "${kernel%/*}"/*.deb | tar -xO ./usr/lib/debian-installer/images/12/arm64/text/debian-installer/arm64/linux >"$kernel.part"
    rm "${kernel%/*}"/*.deb
    mv "$kernel.part" "$kernel"
}
locked arm64-kernel download_kernel

boot=$PWD/target/hardened/boot
signed=$(variant=-signed cross_capi aarch64-unknown-linux-gnu STATICTRAMP_SIGN=1 CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc)
mkdir -p "$boot/root"/{bin,dev,proc}
cp "$foreign/bin/busybox" "$boot/root/bin"
cp tests/programs/hardened/init "$boot/root"
CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS=-Ctarget-feature=+crt-static \
    CARGO_PROFILE_DEV_DEBUG=false STATICTRAMP_SIGN=1 target=target/hardened-tool cross_cargo aarch64-unknown-linux-gnu build -p statictramp-cli
cp target/hardened-tool/aarch64-unknown-linux-gnu/debug/statictramp "$boot/root/bin"
aarch64-linux-gnu-gcc -O2 -Wall -Wextra -static-pie -fPIE -Icapi/include cli/tests/programs/dump/dumped.c "$signed/libstatictramp.a" -o "$boot/root/bin/dumped"
(cd "$boot/root" && find . | cpio --quiet -o -H newc | gzip -1) >"$boot/initrd"

for processor in max,pauth-impdef=on cortex-a57; do
    timeout 300 qemu-system-aarch64 -M virt -nic none -cpu $processor -m 512 -nographic -no-reboot -kernel "$kernel" -initrd "$boot/initrd" \
        -append "console=ttyAMA0 quiet rdinit=/init panic=-1" </dev/null >"$boot/console" 2>&1 || fail "QEMU: $(tail -n 5 "$boot/console")"
    tr -d '\r' <"$boot/console" >"$boot/lines"
    grep -qx 'END all' "$boot/lines" || fail "$processor: $(tail -n 20 "$boot/lines")"
    for part in release self-test says dump core; do # the lines between the two marks that init prints
        sed -n "/^BEGIN $part\$/,/^END $part\$/p" "$boot/lines" | sed '1d;$d' >"$boot/$part"
    done
    grep -q 'alive now *0' "$boot/self-test" || fail "$processor: the tool's self-test does not report 0 live trampolines: $(cat "$boot/self-test")"
    grep -v 'bound\|ready' "$boot/says" | sort >"$boot/wanted"
    sed -n 's/^  \(0x[0-9a-f]*\)  slot [0-9]*  callee \(0x[0-9a-f]*\) (first)  chain \(0x[0-9a-f]*\)$/\1 \2 \3/p' "$boot/dump" | sort >"$boot/found"
    [ "$(wc -l <"$boot/wanted")" = 1000 ] && cmp "$boot/wanted" "$boot/found" || fail "$processor: the dump differs from what the program printed: $(head "$boot/dump")"
    read -r _ stub callee < <(grep bound "$boot/says")
    grep -q "^  $stub  slot .*  callee $callee (second)  chain .*  by way of 0x.*statictramp_bind_0" "$boot/dump" ||
        fail "$processor: the dump does not name the adapter of the bound closure: $(grep "$stub" "$boot/dump")"

    base64 -d "$boot/core" | gzip -d >"$boot/core.elf"
    # The entries of 64 slots as they are stored, and their names without the codes.
    gdb-multiarch -nx -batch -x tests/programs/hardened/entries.gdb "$boot/root/bin/dumped" "$boot/core.elf" >"$boot/entries" 2>&1 || fail "$processor: gdb: $(cat "$boot/entries")"
    named=$(grep -c '^first in section .text' "$boot/entries") || :
    plain=$(grep -c "^$(sed -n '1s/^[^ ]* \([^ ]*\) .*/\1/p' "$boot/says")\$" "$boot/entries") || :
    [ "$named" -gt 30 ] || fail "$processor: gdb does not name the callees of signed slots in a core file: $(cat "$boot/entries")"
    if [ $processor = cortex-a57 ]; then
        [ "$plain" = "$named" ] || fail "$processor: the entries in the core file are not plain addresses: $(cat "$boot/entries")"
    else
        [ "$plain" -lt 10 ] || fail "the entries in the core file are not signed: $(cat "$boot/entries")" # one code in 128 is 0
    fi
    echo "$processor: Linux $(cat "$boot/release"): the tool's self-test, a dump of 1,000 trampolines, a core file"
done
