# Tests `statictramp audit --hardening`: each property with and without the option that sets it, and agreement with readelf,
# scanelf and hardening-check. Sourced by the leg "audit", after audit_more.sh.

need scanelf=pax-utils hardening-check=devscripts
hardened=$out/hardened
rm -rf "$hardened"
mkdir -p "$hardened/tree"

# property WORD FILE: the line about a file contains this property.
property() {
    local line
    line=$("$tool" audit --hardening "$2") || [ $? = 1 ] || fail "audit --hardening $2: $line"
    grep -qE -- "^$2: .*$1( |\$)" <<<"$line" || fail "audit --hardening $2: the line has no \"$1\": $line"
}

say "each hardening property, with and without the option that sets it"
number=0
while IFS='|' read -r words options; do
    file=$hardened/$((number += 1))
    # shellcheck disable=SC2086 # several words
    $options cli/tests/programs/audit/hardened.c -o "$file" 2>/dev/null || fail "the compiler rejects: $options"
    for word in $words; do property "$word" "$file"; done
done <<'PROPERTIES'
type=pie bind-now=no relro=partial stack=RW textrel=no|gcc -O2 -fPIE -pie -z lazy -z relro
type=no-pie|gcc -O2 -fno-pie -no-pie
type=static bind-now=- canary=[?] fortify=[?]|gcc -O2 -static
type=static-pie|gcc -O2 -static-pie -fPIE
type=library|gcc -O2 -shared -fPIC -DLIBRARY
type=object relro=- bind-now=- textrel=- stack=RW|gcc -O2 -c
relro=none bind-now=no|gcc -z norelro -z lazy
relro=none bind-now=yes|gcc -z norelro -z now
relro=full bind-now=yes|gcc -z relro -z now
stack=RWE|gcc -z execstack
canary=yes|gcc -O2 -fstack-protector
canary=no|gcc -O2 -fno-stack-protector
canary=yes|gcc -O2 -fstack-protector -c
canary=no|gcc -O2 -fno-stack-protector -c
canary=yes|i686-linux-gnu-gcc -O2 -fPIC -fstack-protector -c
fortify=1/1|gcc -O2 -D_FORTIFY_SOURCE=2 -DLIBRARY -shared -fPIC
fortify=0/1|gcc -O2 -U_FORTIFY_SOURCE -DLIBRARY -shared -fPIC
fortify=-|gcc -O2 -DEMPTY -c
canary=[?] fortify=[?]|gcc -O2 -flto -fstack-protector -c
control-flow=IBT,SHSTK|gcc -O2 -fcf-protection=full -c
control-flow=IBT|gcc -O2 -fcf-protection=branch -c
control-flow=none|gcc -O2 -fcf-protection=none -c
control-flow=IBT,SHSTK|gcc -O2 -fPIC -fcf-protection=full -DLIBRARY -shared -nostartfiles
control-flow=none|gcc -O2 -fPIC -fcf-protection=none -DLIBRARY -shared -nostartfiles
control-flow=BTI,PAC|aarch64-linux-gnu-gcc -O2 -mbranch-protection=standard -c
control-flow=BTI|aarch64-linux-gnu-gcc -O2 -fPIC -mbranch-protection=bti -DLIBRARY -shared -nostartfiles
control-flow=none|aarch64-linux-gnu-gcc -O2 -mbranch-protection=none -c
control-flow=-|arm-linux-gnueabihf-gcc -O2 -c
textrel=yes|i686-linux-gnu-gcc -O2 -fno-pic -DLIBRARY -shared -Wl,-z,notext
textrel=no|i686-linux-gnu-gcc -O2 -fPIC -DLIBRARY -shared
PROPERTIES
# musl has no checking variants, so symbols do not show FORTIFY.
gcc -shared -fPIC -DEMPTY -Wl,-soname,libc.so cli/tests/programs/audit/hardened.c -o "$hardened/musl.so"
gcc -O2 -shared -fPIC -DLIBRARY cli/tests/programs/audit/hardened.c -Wl,--no-as-needed "$hardened/musl.so" -o "$hardened/for-musl"
property "canary=no fortify=[?]" "$hardened/for-musl"

say "files of other formats, archives and packages"
x86_64-w64-mingw32-gcc -O2 -c cli/tests/programs/audit/hardened.c -o "$hardened/pe.o"
property "a PE file, not an ELF file" "$hardened/pe.o"
ar rcs "$hardened/tree/both.a" "$hardened/11" "$hardened/12"
tar -C "$hardened" -czf "$hardened/tree/package.tar.gz" 1 9
echo text >"$hardened/tree/text"
said=$("$tool" audit --hardening "$hardened/tree") || [ $? = 1 ] || fail "$said"
for line in "both.a\(11\): stack=RW .*canary=yes" "both.a\(12\): stack=RW .*canary=no" "package.tar.gz:1: .*relro=partial" "package.tar.gz:9: .*relro=full"; do
    grep -qE "tree/$line" <<<"$said" || fail "audit --hardening does not print $line: $said"
done
status=0
said=$("$tool" audit --hardening "$hardened/tree/text" 2>&1) || status=$?
[ $status = 2 ] && grep -q "text: not an ELF" <<<"$said" || fail "audit --hardening of a text file: exit status $status: $said"

say "the same verdicts and exit status without --hardening, and the same properties as those of other tools"
cp -r "$out/needed" "$out/hidden" "$out/mixed.a" "$hardened/tree"
# Installed programs and libraries, small because hardening-check disassembles them.
wanted=60
[ "$effort" -ge 100 ] || wanted=15
find /usr/bin /usr/sbin /usr/lib/x86_64-linux-gnu /usr/i686-linux-gnu/lib /usr/aarch64-linux-gnu/lib -maxdepth 1 -type f -size -200k |
    LC_ALL=C sort >"$hardened/all"
awk "NR % $(($(wc -l <"$hardened/all") / wanted + 1)) == 1" "$hardened/all" >"$hardened/list"
python3 cli/tests/programs/audit/hardening.py "$tool" "$hardened/tree" "$hardened/list" "$hardened"/[0-9]*
"$tool" audit --hardening --format sarif "$hardened/1" >/dev/null 2>&1 && fail "audit --hardening accepts SARIF"
"$tool" audit --hardening --quick "$hardened/1" >/dev/null 2>&1 && fail "audit --hardening accepts --quick"
true
