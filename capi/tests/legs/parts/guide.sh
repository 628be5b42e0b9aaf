# Tests docs/executable-stack.md line by line. The shell lines are run verbatim on the sources that the page shows above them.
# Sourced by the install leg.
# shellcheck disable=SC2086 # $line: several words, or none

need_sid flang-23=flang-23 /usr/lib/llvm-23/bin/llvm-config=llvm-23-dev gfortran-16=gfortran-16 gcc-16=gcc-16 ld=binutils /usr/include/stdio.h=libc6-dev
sid_directory guide
mkdir -p "$chroot/usr/local/lib"
cp "$out"/usr/lib/libstatictramp.a "$chroot/usr/local/lib/"
source tests/legs/parts/plugin.sh
build_plugin 23
cp "$(plugin_target 23)/release/libstatictramp_flang.so" "$chroot/usr/local/lib/libstatictramp_flang-23.so"
doc_block docs/executable-stack.md c 1 >"$chroot$place/nested.c"
doc_block docs/executable-stack.md fortran 1 >"$chroot$place/host.f90"
cat >>"$chroot$place/host.f90" <<'END'
subroutine apply(f)
  external :: f
  integer :: x
  x = 1
  call f(x)
  print '(i0)', x
end subroutine
program main
  call host(41)
end program
END
cat >"$chroot$place/main.c" <<'END'
int host(int y), puts(const char *);
int main(void) { return host(41) == 42 ? puts("42") < 0 : 1; }
END
# The first line causes the warning that the guide mentions, and an executable stack.
said=$(in_sid $place gcc-16 nested.c main.c -o warned 2>&1)
grep -q 'requires executable stack' <<<"$said" && [ "$(stack_rights "$chroot$place/warned")" = RWE ] || fail "without the flag, the linker printed no warning, or the program requests no executable stack: $said"
lines=0
while read -r line; do
    said=$(in_sid $place $line 2>&1) || fail "$line: $said"
    ! grep -q 'executable stack' <<<"$said" || fail "$line: $said"
    lines=$((lines + 1))
    program=$(sed -n 's/.* -o //p' <<<"$line")
    [ -n "$program" ] || continue
    [ "$(stack_rights "$chroot$place/$program")" = RW ] || fail "$line: the program does not request a non-executable stack"
    [ "$(in_sid $place "./$program" | tr -d ' ')" = 42 ] || fail "$line: the program prints a wrong result"
done < <(doc_block docs/executable-stack.md sh 1; doc_block docs/executable-stack.md sh 2)
printf '.globl f\nf: ret\n%s\n' "$(doc_block docs/executable-stack.md asm 1)" >"$out"/note.S
gcc -c "$out"/note.S -o "$out"/note.o
printf 'void f(void); int main(void) { f(); return 0; }\n' | gcc -x c - -x none "$out"/note.o -o "$out"/note 2>&1 | (! grep 'executable stack')
rm "$chroot/usr/local/lib/libstatictramp.a" "$chroot/usr/local/lib/libstatictramp_flang-23.so"
echo "$lines lines of the guide run verbatim"
