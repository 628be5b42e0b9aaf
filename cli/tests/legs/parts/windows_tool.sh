# The tool on Windows. Sourced by the leg "windows", which has built libstatictramp and a program with it, and set $out
# and $odd.

say "the tool"
cross_cargo "$triple" build -p statictramp-cli
installed=$out/installed
rm -rf "$installed" "$out/tree" "$odd/tree"
mkdir -p "$installed/bin" "$out/tree" "$odd/tree/deep/deeper"
cp -r "$prefix/include" "$prefix/lib" "$installed"
cp "$target/$triple/debug/statictramp.exe" "$out/bcryptprimitives.dll" "$installed/bin"

# tool STATUS ARGUMENT...: the tool exits with this status; its standard output is in $said, followed by its standard
# error.
tool() {
    local status=0
    timeout 120 wine "$installed/bin/statictramp.exe" "${@:2}" >"$out/said" 2>"$out/complaint" </dev/null || status=$?
    said=$(cat "$out/said" "$out/complaint")
    [ $status = "$1" ] || fail "statictramp.exe ${*:2}: exit status $status, expected $1: $said"
    ! grep -q $'panicked\|[\e\a\r]' <<<"$said" || fail "statictramp.exe ${*:2}: $said"
}
# says TEXT...: the tool's output contains each text.
says() {
    local text
    for text in "$@"; do
        grep -qF -- "$text" <<<"$said" || fail "the output lacks \"$text\": $said"
    done
}
# verdict WORD STATUS FILE: checks the verdict on one file.
verdict() {
    tool "$2" audit --json --all "$3"
    says "\"verdict\": \"$1\""
}

tool 0
says "every result correct" "1024 of 1024" "10240 of 16384" "Windows" "a stub, in code         16 bytes"
tool 0 --json --static
says '"alive_now": 0' '"grown": null' '"mappings": "none of '
for command in dump flags audit run completions man; do
    tool 0 $command --help
    says "Usage: statictramp.exe $command"
done
tool 0 completions powershell
says "statictramp"
tool 0 man
says ".TH statictramp 1"
tool 2 nonsense
tool 2 audit

# Unsupported commands.
tool 2 dump 1
says "statictramp: dump is not available on Windows"
tool 2 run cmd.exe
says "statictramp: run is not available on Windows"
tool 2 audit --pid 1
says "--pid is not available on Windows"

# Quoted for cmd.exe, PowerShell and shells; Linux has no drives.
tool 0 flags --c
read -ra words <<<"${said//Z:/}"
compile "$gcc" "$out/flags.exe" capi/tests/programs/install/program.c "${words[@]}"
wine "$out/flags.exe" >/dev/null
tool 1 flags --prefix "$odd"
tool 1 flags --script
says "the script is not available on Windows"
cp -r "$installed/include" "$installed/lib" "$odd"
tool 1 flags --c --prefix "$odd"
says "a shell would change this path, or it is not UTF-8: " 'a päth of Ωs\lib\libstatictramp.a'

# Linux files: one that needs an executable stack, one that requests nothing, one that does not say, one that requests
# it.
tree=$odd/tree
gcc -O2 -DWITHOUT_MAIN -c cli/tests/programs/audit/nested.c -o "$tree/needs.o"
gcc -c cli/tests/programs/audit/plain.c -o "$tree/plain.o"
as cli/tests/programs/audit/plain.s -o "$tree/deep/answer.o"
gcc "$tree/plain.o" "$tree/deep/answer.o" -o "$out/asks ß" 2>/dev/null
verdict needed 1 "$tree/needs.o"
verdict clean 0 "$tree/plain.o"
verdict says-nothing 1 "$tree/deep/answer.o"
verdict asked-only 1 "$out/asks ß"
rm -f "$out/asks ß.cleared"
tool 0 audit --clear "$out/asks ß"
says "statictramp audit --clear \"$out/asks ß\""
[ "$(stack_rights "$out/asks ß.cleared")" = RW ] && [ "$(stack_rights "$out/asks ß")" = RWE ] || fail "--clear did not clear only the copy: $said"
verdict clean 0 "$out/asks ß.cleared"
tool 2 audit --clear --in-place "$out/asks ß"
says "not cleared: --in-place is not available on Windows"
[ "$(stack_rights "$out/asks ß")" = RWE ] || fail "statictramp.exe replaced the file"

# A tree: a path of more than 260 characters, a file of 5 GiB, circular links, a FIFO, device names, names with terminal
# escapes, names that are not UTF-8. Each file that cannot be opened is named.
long=$tree/deep
for ((i = 0; i < 5; i++)); do
    long+=/$(printf '%060d' $i)
done
mkdir -p "$long"
cp "$out/asks ß" "$long/far"
cp "$out/asks ß" "$tree/large"
truncate -s 5G "$tree/large"
ln -s . "$tree/loop"
ln -s ../.. "$tree/deep/deeper/loop"
mkfifo "$tree/fifo"
for name in NUL CON COM1.o $'bell\a\e[31m'; do
    cp "$tree/needs.o" "$tree/$name"
done
cp "$tree/needs.o" "$tree/$(printf 'no\377name')"
tool 2 audit "$tree"
says '\NUL: ' '\CON: ' '\COM1.o: ' '\fifo: ' 'bell\u{7}\u{1b}[31m: ' '\far: asks' '\large: asks' 'name: needs' \
    "6 files examined, 5 with findings, 5 unreadable"
tool 2 audit --json "$tree"
says '"looked_at": 6,' '"unreadable": 5'
for name in NUL 'CONIN$' "$tree/CON" "$tree/fifo" "$tree/nothing" 'what?'; do
    tool 2 audit "$name"
done
# The reader of the output may stop early.
for words in man "audit --all $out/tree $lib"; do
    # shellcheck disable=SC2086 # several words
    (set -o pipefail; timeout 120 wine "$installed/bin/statictramp.exe" $words 2>"$out/complaint" | head -n 1 >/dev/null) || fail "$words | head: exit status $?, expected 0"
    [ ! -s "$out/complaint" ] || fail "$words | head: $(cat "$out/complaint")"
done

# The library's own table, with and without symbols; then with one bit of one stub flipped, for some bits of some stubs.
x86_64-w64-mingw32-strip -o "$out/stripped.exe" "$out/library.exe"
for file in "$out/closures.exe=1024" "$out/library.exe=64" "$out/stripped.exe=64" "$odd/statictramp.dll=64"; do
    tool 0 audit "${file%=*}"
    says "intact: ${file##*=} stubs, each of which reads only its own slot"
done
tool 0 audit --all "$archive"
says "to be linked: 64 slots"
for file in library stripped; do
    perl -e 'local $/; my ($from, $to) = @ARGV; open my $in, "<:raw", $from or die; my $image = <$in>;
        my @stubs; push @stubs, $-[0] while $image =~ /\x4c\x8b\x15....\xff\x25....\xcc{3}/sg; @stubs == 64 or die scalar @stubs;
        for my $stub (0, 1, 3, 31, 62, 63) { for my $bit (0, 30, 60, 90, 110, 127) {
            my $other = $image; vec($other, 8 * $stubs[$stub] + $bit, 1) ^= 1;
            open my $out, ">:raw", sprintf "%s-%02d-%03d.exe", $to, $stub, $bit or die; print $out $other } }' \
        "$out/$file.exe" "$out/tree/$file"
done
# In a program without symbols, only its own code identifies the last stub.
rm "$out"/tree/stripped-63-*
tool 1 audit "$out/tree"
[ "$(grep -c 'has a statictramp table that is BROKEN: ' <<<"$said")" = 66 ] || fail "audit does not report all 66 tables with one changed bit: $said"
says "66 files examined, 66 with findings, 0 unreadable" "BROKEN: stub 31 (at "

# Tables in an image that contains nothing else. table SLOTS VERSION FILE; image FILE WORD...
table() {
    {
        printf '.set %s\n' "SLOTS, $1" 'LEAD, 64' 'SLOT_STRIDE, 32' 'LISTED, 0'
        cat asm/windows/x86_64.S asm/windows/table.S
    } | sed "s/statictramp_VERSION_/statictramp_$2_/" | $gcc -x assembler-with-cpp -c - -o "$3"
}
image() { $gcc -shared -nostdlib -Wl,--entry,0 -o "$@"; }
# spoil FROM TO NUMBER: flips one bit of a stub.
spoil() {
    perl -e 'local $/; my ($from, $to, $number) = @ARGV; open my $in, "<:raw", $from or die; my $image = <$in>;
        my @stubs; push @stubs, $-[0] while $image =~ /\x4c\x8b\x15....\xff\x25....\xcc{3}/sg; @stubs > $number or die scalar @stubs;
        vec($image, 8 * $stubs[$number] + 30, 1) ^= 1; open my $out, ">:raw", $to or die; print $out $image' "$@"
}
# tables STATUS FILE WANTED...: audit finds exactly these.
tables() {
    tool "$1" audit --all "$2"
    diff <(printf '    has a statictramp table, %s\n' "${@:3}" | sort) <(grep -F 'has a statictramp table' <<<"$said" | sed 's/ that is BROKEN/, BROKEN/; s/ (\?at 0x.*//' | sort) ||
        fail "$2"
}
own='stubs, each of which reads only its own slot'
rm -rf "$out/tree"
mkdir "$out/tree"
# Two copies. The bytes before the stubs of the second separate the tables.
for slots in 63 64; do
    table $slots 0_1 "$out/tree/one.o"
    table $slots 0_2 "$out/tree/other.o"
    image "$out/tree/two-$slots.dll" "$out/tree/one.o" "$out/tree/other.o"
    tables 0 "$out/tree/two-$slots.dll" "intact: $slots $own" "intact: $slots $own"
    x86_64-w64-mingw32-strip -o "$out/tree/two-$slots-stripped.dll" "$out/tree/two-$slots.dll"
done
tables 0 "$out/tree/two-63-stripped.dll" "intact: 63 $own" "intact: 63 $own"
tables 0 "$out/tree/two-64-stripped.dll" "intact: 64 $own" "intact: 64 $own"
spoil "$out/tree/two-63-stripped.dll" "$out/tree/broken.dll" 70
tables 1 "$out/tree/broken.dll" "intact: 63 $own" "BROKEN: stub 7"
# Two copies whose symbols have the same names; one copy without symbols.
table 64 0_1 "$out/tree/other.o"
x86_64-w64-mingw32-objcopy --wildcard --localize-symbol 'statictramp_*' "$out/tree/other.o"
image "$out/tree/local.dll" "$out/tree/one.o" "$out/tree/other.o"
x86_64-w64-mingw32-strip -x "$out/tree/other.o" -o "$out/tree/nameless.o"
image "$out/tree/nameless.dll" "$out/tree/one.o" "$out/tree/nameless.o"
for file in local nameless; do
    tables 0 "$out/tree/$file.dll" "intact: 64 $own" "intact: 64 $own"
    spoil "$out/tree/$file.dll" "$out/tree/broken.dll" 69
    tables 1 "$out/tree/broken.dll" "intact: 64 $own" "BROKEN: stub 5"
done
# An image's claims about itself: imports whose addresses are written to stubs, a section at the addresses of another
# one. The changed words are in the headers: of the import directory, of each section.
cat >"$out/tree/imports.s" <<'END'
        .section .idata$2,"dr"
        .globl  imports
imports:
        .rva    names
        .long   0, 0
        .rva    file, TABLE
        .long   0, 0, 0, 0, 0
names:  .rva    name
        .long   0, 0, 0
file:   .asciz  "kernel32.dll"
name:   .short  0
        .asciz  "ExitProcess"
END
for written in statictramp_0_1_stubs statictramp_0_1_slots imports; do
    sed "s/TABLE/$written/" "$out/tree/imports.s" | $gcc -x assembler-with-cpp -c - -o "$out/tree/imports.o"
    image "$out/tree/imports.dll" "$out/tree/one.o" "$out/tree/imports.o"
    perl -e 'local $/; open my $file, "+<:raw", $ARGV[0] or die; my $image = <$file>; my $at = unpack "x60 V", $image;
        my $number = unpack "v", substr $image, $at + 6; my ($in) = grep { substr($image, $_, 6) eq ".idata" } map { $at + 264 + 40 * $_ } 0 .. $number - 1;
        seek $file, $at + 144, 0; print $file substr($image, $in + 12, 4), substr($image, $in + 8, 4)' "$out/tree/imports.dll"
    case $written in
    imports) tables 0 "$out/tree/imports.dll" "intact: 64 $own" ;;
    *) tables 1 "$out/tree/imports.dll" "BROKEN: the loader writes to it," ;;
    esac
done
image "$out/tree/one.dll" "$out/tree/one.o"
for section in .idata .bss; do
    perl -e 'local $/; my ($from, $to, $name) = @ARGV; open my $in, "<:raw", $from or die; my $image = <$in>; my $at = unpack "x60 V", $image;
        my ($it) = grep { substr($image, $_, length $name) eq $name } map { $at + 264 + 40 * $_ } 0 .. 15; $it or die;
        substr($image, $it + 12, 4) = substr $image, $at + 264 + 12, 4; open my $out, ">:raw", $to or die; print $out $image' \
        "$out/tree/one.dll" "$out/tree/over.dll" $section
    tool 1 audit "$out/tree/over.dll"
    says "BROKEN: "
    ! grep -q intact: <<<"$said" || fail "audit reports an intact table in $section, which has the addresses of .text: $said"
done
# Only debugging information.
for file in library closures msvc; do
    [ -e "$out/$file.exe" ] || continue
    x86_64-w64-mingw32-objcopy --only-keep-debug "$out/$file.exe" "$out/tree/$file.debug"
    tool 2 audit "$out/tree/$file.debug"
    says "debug information only, without code"
done

# For each truncated file, the tool must print a message or a verdict.
rm -rf "$out/tree"
mkdir "$out/tree"
for file in "$out/library.exe" "$out/stripped.exe" "$tree/needs.o" "$out/asks ß" "$archive"; do
    size=$(stat -c %s "$file")
    for part in 1 5 20 63 130 $((size / 3)) $((size / 2)) $((size - 1)); do
        head -c "$part" "$file" >"$out/tree/$part-$(basename "$file")"
    done
done
tool 2 audit "$out/tree"
[[ $said =~ ([0-9]+)\ files\ examined.*,\ ([0-9]+)\ unreadable ]] && [ $((BASH_REMATCH[1] + BASH_REMATCH[2])) -ge 40 ] ||
    fail "audit did not count at least 40 truncated files as examined or unreadable: $said"
echo "self-test, flags, verdicts, a tree of odd names, 66 broken tables and others, two copies, 40 truncated files, unsupported commands"
