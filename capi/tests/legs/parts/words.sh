# Arguments and variables of install.sh, and its error messages. Sourced by the install leg.

# refuses STATUS SENTENCE COMMAND...: the command exits with this status and prints one line.
refuses() {
    local said status=0
    said=$("${@:3}" 2>&1 >/dev/null) || status=$?
    [ $status = "$1" ] || fail "${*:3} exited with status $status, expected $1: $said"
    [ "$(wc -l <<<"$said")" = 1 ] && grep -q "^install.sh: .*$2" <<<"$said" || fail "${*:3}: $said"
}
refuses 2 "PREFIX must be an absolute path" capi/install.sh relative
refuses 2 "PREFIX must be an absolute path" capi/install.sh ""
refuses 2 "PREFIX must be an absolute path" dash capi/install.sh relative
refuses 2 "PREFIX must be an absolute path" capi/install.sh --prefix=/usr
refuses 2 "may contain only letters, digits" capi/install.sh "$out/with blank"
refuses 2 "may contain only letters, digits" capi/install.sh "$out/100%"
refuses 2 "may contain only letters, digits" env LIBDIR='lib;x' capi/install.sh "$out"/usr
refuses 2 "LIBDIR cannot be" env LIBDIR=/ capi/install.sh "$out"/usr
refuses 1 "cannot write to" capi/install.sh "$PWD/README.md/below"
refuses 1 "cannot write to" capi/install.sh /proc/self/statictramp
refuses 2 "the C compiler \"nocc\" does not exist" env CC=nocc capi/install.sh "$out"/usr
refuses 2 "OBJCOPY is set to \"noobjcopy\", which does not exist" env OBJCOPY=noobjcopy capi/install.sh "$out"/usr
refuses 2 "there is no cargo" env CARGO=nocargo capi/install.sh "$out"/usr
refuses 2 "there is no norustc" env RUSTC=norustc capi/install.sh "$out"/usr
refuses 2 "set CC to the C compiler for thumbv7m-none-eabi" env CARGO_BUILD_TARGET=thumbv7m-none-eabi capi/install.sh "$out"/usr
refuses 2 "set CC to the C compiler for thumbv7m-none-eabi" capi/install.sh "$out"/usr --target thumbv7m-none-eabi
refuses 2 "set CC to the C compiler for thumbv7m-none-eabi" capi/install.sh "$out"/usr --config 'build.target="thumbv7m-none-eabi"'
refuses 2 "OBJCOPY is set to" env CARGO_BUILD_TARGET=host-tuple OBJCOPY=noobjcopy capi/install.sh "$out"/usr
mkdir -p "$out"/cargo-home
printf '[build]\ntarget = "thumbv7m-none-eabi"\n' >"$out"/cargo-home/config.toml
refuses 2 "set CC to the C compiler for thumbv7m-none-eabi" env CARGO_HOME="$out"/cargo-home capi/install.sh "$out"/usr
refuses 2 "LDFLAGS contains an unterminated quotation" env LDFLAGS="-Wl,'x" capi/install.sh "$out"/usr
(source capi/install/tools.sh && source capi/install/archive.sh && here() { echo aarch64-linux-android; } && configured_target() { :; } && set_target --offline && is_android) || fail "capi/install.sh does not recognize Android as this machine"
# The other install scripts handle arguments and variables in the same way. CARGO=true does not report
# which files it has built.
for script in cli flang; do
    refuses 2 "PREFIX must be an absolute path" env LLVM_CONFIG=llvm-config-19 $script/install.sh ""
    refuses 2 "there is no cargo" env LLVM_CONFIG=llvm-config-19 CARGO=nocargo $script/install.sh "$out"/usr
    mkdir -p "$out"/stale/release "$out"/stale/flang-install-19/release
    touch "$out"/stale/{,flang-install-19/}release/{statictramp,statictramp-rewrite,libstatictramp_flang.so}
    refuses 1 "cargo has built no" env LLVM_CONFIG=llvm-config-19 CARGO=true CARGO_TARGET_DIR="$out"/stale $script/install.sh "$out"/stale-prefix
done
refuses 2 "does not print an LLVM version" env LLVM_CONFIG=true flang/install.sh "$out"/usr
[ ! -e "$out"/stale-prefix ] || fail "cli/install.sh or flang/install.sh installed files that cargo did not build"
said=$(LDFLAGS=-nostdlib capi/install.sh "$out"/unlinked 2>&1) && fail "capi/install.sh linked a shared library without a C library"
grep -q '^install.sh: "cc" could not link the shared library$' <<<"$said" || fail "$said"
[ -z "$(find "$out"/unlinked -type f)" ] || fail "capi/install.sh left an incomplete installation behind"
# cargo and its build scripts print error messages of their own.
said=$(STATICTRAMP_SLOTS=many CARGO_TARGET_DIR=target/install/refused capi/install.sh "$out"/usr 2>&1) && fail "capi/install.sh accepted STATICTRAMP_SLOTS=many"
grep -q 'STATICTRAMP_SLOTS is "many"' <<<"$said" || fail "$said"
said=$(FEATURES=nothing capi/install.sh "$out"/usr 2>&1) && fail "capi/install.sh accepted FEATURES=nothing"
grep -q nothing <<<"$said" && grep -q '^install.sh: cargo could not build' <<<"$said" || fail "$said"
# The file system does not support locks.
mkdir -p "$out"/fakes
printf '#!/bin/sh\nexit 1\n' >"$out"/fakes/flock
printf '#!/bin/sh\necho "in $CARGO_BUILD_TARGET_DIR" >&2\nexit 1\n' >"$out"/fakes/cargo
chmod +x "$out"/fakes/*
said=$(cd "$out" && PATH=$out/fakes:$PATH CARGO_BUILD_TARGET_DIR=built "$OLDPWD/capi/install.sh" "$out"/usr 2>&1) && fail "capi/install.sh succeeded although cargo failed"
grep -q '^install.sh: cargo could not build' <<<"$said" || fail "$said"
grep -qx "in $out/built" <<<"$said" || fail "CARGO_BUILD_TARGET_DIR is not relative to the caller's directory: $said"
# LLVM's headers are in a separate package.
printf '#!/bin/sh\n[ "$1" = --includedir ] && exec echo /nowhere\nexec llvm-config-19 "$@"\n' >"$out"/llvm-config
chmod +x "$out"/llvm-config
said=$(LLVM_CONFIG=$out/llvm-config CARGO_TARGET_DIR=target/install/refused flang/install.sh "$out"/usr 2>&1) && fail "flang/install.sh built the plugin without LLVM's headers"
grep -q 'finds no LLVM headers: install them (Debian: llvm-19-dev)' <<<"$said" || fail "$said"

# Tests paths relative to the caller's directory, other locations, arguments for cargo, and other tools.
mkdir -p "$out/with blank"
(cd "$out/with blank" && CARGO_TARGET_DIR=built DESTDIR="a destination" LIBDIR=/usr/lib/x86_64-linux-gnu FEATURES="hardened" \
    STATICTRAMP_SLOTS=64 CFLAGS="-O3 -g -flto -fstack-protector-all -Wl,-rpath,/of-cflags -DBLANK='a b'" LDFLAGS="-Wl,--build-id=none -g" CC="gcc -m64" \
    "$OLDPWD/capi/install.sh" /usr/ --locked) >/dev/null
there="$out/with blank/a destination/usr"
[ -e "$out/with blank/built/release/libstatictramp_archive.a" ] || fail "CARGO_TARGET_DIR is not relative to the caller's directory"
readelf -n "$there/lib/x86_64-linux-gnu/libstatictramp.so.0" | grep -q '40 00 00 00 20 00 00 00' || fail "STATICTRAMP_SLOTS is ignored"
! readelf -n "$there/lib/x86_64-linux-gnu/libstatictramp.so.0" | grep 'Build ID' || fail "LDFLAGS is ignored"
readelf -d "$there/lib/x86_64-linux-gnu/libstatictramp.so.0" | grep -q '\[/of-cflags\]' || fail "CFLAGS is ignored"
grep -q '^libdir=${prefix}/lib/x86_64-linux-gnu$' "$there/lib/x86_64-linux-gnu/pkgconfig/statictramp.pc" || fail "an absolute LIBDIR is ignored"
"$test_tools" only-ours "$there/lib/x86_64-linux-gnu/libstatictramp.a"
# The loader does not search other directories below /usr/lib. A link to a directory is replaced.
there=$out/odd/usr/lib/llvm/lib
mkdir -p "$there"
ln -s / "$there/libstatictramp_core.so"
DESTDIR=$out/odd LIBDIR=lib/llvm/lib capi/install.sh /usr >/dev/null
readelf -d "$there/libstatictramp_runtime.so.0" | grep -q 'ORIGIN' || fail "a shared library in /usr/lib/llvm/lib does not find the libraries beside it"
[ "$(readlink "$there/libstatictramp_core.so")" = libstatictramp_core.so.0 ] || fail "capi/install.sh does not replace a link to a directory"
# Other directories that a shell searches.
mkdir -p "$out/elsewhere/capi"
(umask 077 && CDPATH=$out/elsewhere capi/install.sh "$out/tools" >/dev/null)
[ -z "$(find "$out/tools" ! -type l ! -perm -a=r)" ] || fail "files installed with umask 077 are not readable by all users"
mkdir target/release/statictramp-archives/work.killed
touch -d yesterday target/release/statictramp-archives/work.killed
for tools in "CC=clang-19" "LD=ld.lld-19" "LD=ld OBJCOPY=llvm-objcopy-19 AR=llvm-ar-19" "CC=clang-19 -fuse-ld=lld"; do
    case $tools in
    CC=*) set -- "$tools" ;;
    *) read -ra words <<<"$tools" && set -- "${words[@]}" ;;
    esac
    env "$@" capi/install.sh "$out/tools" >/dev/null
    "$test_tools" only-ours "$out/tools/lib/libstatictramp.a"
    gcc -O2 -I"$out/tools/include" -DSTUB_STRIDE=32 capi/tests/programs/c/plain.c "$out/tools/lib/libstatictramp.a" -o "$out/plain"
    "$out/plain" >/dev/null || fail "the archive made with $tools does not work"
    # Each function has its unwind information.
    [ "$(readelf --debug-dump=frames "$out/tools/lib/libstatictramp.a" 2>&1 | grep -c FDE)" -ge 100 ] || fail "the archive made with $tools lacks unwind information"
    ! readelf --debug-dump=frames "$out/tools/lib/libstatictramp.a" 2>&1 | grep -i warning || fail "the archive made with $tools contains invalid unwind information"
done
[ ! -e target/release/statictramp-archives/work.killed ] || fail "capi/install.sh did not remove the files of a killed installation"
# A second installation, through a symbolic link to the script, is byte-for-byte identical.
cp "$out"/usr/lib/libstatictramp.a "$out"/first.a
rm -r target/release/statictramp-archives
ln -s "$PWD/capi/install.sh" "$out/install-by-link"
"$out/install-by-link" "$out"/usr >/dev/null
cmp "$out"/first.a "$out"/usr/lib/libstatictramp.a || fail "the archives of two installations differ"

# An installation fails in the middle, and --uninstall removes its files.
mkdir -p "$out"/half/share/man/man3/statictramp_free.3/full
said=$(LIBDIR=../half/./lib capi/install.sh "$out/twice/..//half" 2>&1) && fail "capi/install.sh replaced a directory"
grep -q "cannot write .*/statictramp_free.3" <<<"$said" || fail "$said"
[ -e "$out"/half/lib/libstatictramp.a ] || fail "the installation failed before it installed the archive, so this test proves nothing"
capi/install.sh --uninstall "$out/twice/../half/" >/dev/null
[ -z "$(find "$out"/half ! -type d)" ] || fail "--uninstall leaves files of an installation that failed"
# Runs concurrent installations into one prefix, and lists and removes the installed files. An earlier installation of another version
# was killed and has left a temporary file; the disk was full in the middle of the list's last line.
mkdir -p "$out"/twice/{lib,share/doc/libstatictramp}
mkdir "$out"/twice/lib/.statictramp.folder # cannot be removed as a file
for file in libstatictramp.so.0.0.9 .statictramp.folder .statictramp.abcdef; do
    touch "$out/twice/lib/$file"
    printf '\n%s' "$out/twice/lib/$file" >>"$out"/twice/share/doc/libstatictramp/installed-files
done
for i in 1 2 3 4; do
    capi/install.sh "$out"/twice >/dev/null & first=$!
    capi/install.sh "$out"/twice >/dev/null || fail "one of two concurrent installations failed"
    wait $first || fail "one of two concurrent installations failed"
done
env CARGO_TARGET_DIR="$PWD/target" "${unoptimized[@]}" cli/install.sh "$out"/twice >/dev/null
[ ! -e "$out"/twice/lib/.statictramp.abcdef ] || fail "capi/install.sh did not remove the temporary file of a killed installation"
rmdir "$out"/twice/lib/.statictramp.folder
(cd "$out"/twice && find "$PWD" \( -type f -o -type l \) | sort) >"$out"/there
cat "$out"/twice/share/doc/{libstatictramp,statictramp}/installed-files | sort >"$out"/listed
diff "$out"/listed "$out"/there || fail "the installed files differ from the list, or two packages share a file"
rm -r "$out"/twice/share/man/man3 "$out"/twice/lib/cmake # another program has removed a part of the installation
capi/install.sh --uninstall "$out"/twice >/dev/null
[ -x "$out"/twice/bin/statictramp ] && [ -x "$out"/twice/lib/statictramp/emulate.so ] && [ ! -e "$out"/twice/lib/libstatictramp.a ] || fail "capi/install.sh --uninstall removes files of the tool, or leaves the archive"
cli/install.sh --uninstall "$out"/twice >/dev/null
left=$(find "$out"/twice ! -type d -o -path "$out/twice/*statictramp*")
[ -z "$left" ] || fail "--uninstall leaves files, or directories of its own: $left"
[ -d "$out"/twice/lib ] || fail "--uninstall removes an empty directory that it may not have created"
refuses 1 "nothing of libstatictramp is installed there" capi/install.sh --uninstall "$out"/twice
mkdir -p "$out"/twice/share/doc/libstatictramp
for file in "$out/twice/../usr/lib/libstatictramp.a" "target/install/usr/lib/libstatictramp.a"; do
    touch "$out"/twice/kept
    printf '%s\n' "$out/twice/kept" "$file" >"$out"/twice/share/doc/libstatictramp/installed-files
    refuses 1 "the list of installed files contains \"$file\"" capi/install.sh --uninstall "$out"/twice
    [ -e "$out"/usr/lib/libstatictramp.a ] || fail "--uninstall removes $file"
    [ -e "$out"/twice/kept ] || fail "--uninstall removes files before it has read the whole list"
done
rm -r "$out"/twice/{kept,share}
# The tools that the script runs, and debugging information, whose paths must reveal nothing about this machine.
refuses 2 "STRIP must be 1 or 0" env STRIP=no capi/install.sh "$out"/debug
said=$(STRIP=0 CARGO_PROFILE_RELEASE_DEBUG=1 CFLAGS="-g -ffile-prefix-map=$PWD=/usr/src" CARGO_TARGET_DIR=target/install/debug-build STATICTRAMP_SLOTS=64 \
    capi/install.sh "$out"/debug -vv 2>&1) || fail "$said"
grep -q "Running .*rustc.* statictramp_archive" <<<"$said" && grep -q "Running .cc -shared" <<<"$said" || fail "capi/install.sh -vv does not show the calls of rustc and cc"
for file in "$out"/debug/lib/libstatictramp.{a,so.0}; do
    readelf --debug-dump=info "$file" >"$out"/information 2>/dev/null
    grep -q '/usr/src/statictramp-' "$out"/information || fail "$file has no debug information of Rust's standard library"
    ! strings -a "$file" | grep -F -e "$PWD" -e "$HOME/" || fail "$file contains the path of the build directory"
done
! readelf -SW "$out"/usr/lib/libstatictramp.so.0 | grep '\.debug_' || fail "the shared library contains debug information"
echo "arguments and variables are obeyed, or rejected with a message"

say "flags"
cargo build --quiet -p statictramp-cli
tool=target/debug/statictramp
for asked in "--prefix $out/usr" "--prefix=$out/usr" "PKG_CONFIG_PATH=$out/usr/lib/pkgconfig"; do
    case $asked in
    PKG*) set -- ;;
    *) read -ra words <<<"$asked" && set -- "${words[@]}" ;;
    esac
    export PKG_CONFIG_PATH=${asked#PKG_CONFIG_PATH=}
    # shellcheck disable=SC2046 # several words
    gcc -O2 -DSTUB_STRIDE=32 capi/tests/programs/c/plain.c $($tool flags "$@" --c) $($tool flags --script "$@") -o "$out"/flagged
    "$out"/flagged >/dev/null || fail "the program built with the output of flags $asked failed"
    [ "$($tool flags "$@" --c)" = "-I$out/usr/include $out/usr/lib/libstatictramp.a" ] || fail "flags $asked --c printed unexpected paths: $($tool flags "$@" --c)"
done
unset PKG_CONFIG_PATH
cp -r "$out"/usr "$out/us r"
said=$($tool flags --prefix "$out/us r" --c 2>&1) && fail "flags printed a path that a shell would change"
grep -q 'a shell would change this path' <<<"$said" || fail "$said"
said=$($tool flags --prefix $'/no\e[31m\nsuch' 2>&1) && fail "flags succeeded although the library does not exist"
[ "$(wc -l <<<"$said")" = 1 ] && ! grep -q $'\e' <<<"$said" || fail "the error message of flags has more than one line, or contains the control sequences in the prefix"
rm -r "$out/us r"
mkdir -p "$out"/usr/bin "$out"/alone
cp $tool "$out"/usr/bin
cp $tool "$out"/alone
[ "$("$out"/usr/bin/statictramp flags --c)" = "-I$out/usr/include $out/usr/lib/libstatictramp.a" ] || fail "an installed tool does not find its library"
said=$("$out"/alone/statictramp flags --c 2>&1) && fail "flags succeeded although the library does not exist"
grep -q 'install it with: capi/install.sh PREFIX' <<<"$said" || fail "$said"
said=$($tool flags --prefix "$out"/alone 2>&1) && fail "flags succeeded although the library does not exist"
grep -q "below $out/alone; install them with: capi/install.sh PREFIX" <<<"$said" || fail "$said"
rm "$out"/usr/bin/statictramp
echo "below --prefix, by pkg-config, around the tool; else a message"
