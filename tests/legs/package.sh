# Tests everything that users of a release get: the crates, which are packed and built from the packages; the promised interface
# of the shared library; the sources for a build without a network; and Debian packages, which are built from these sources,
# installed and used. The packages must have identical bytes if they are built in two directories. docs/packaging.md documents all
# of this for packagers.
# Installs: gcc, the tools that build Debian packages, lintian, LLVM 19.
# Takes: 3 minutes.

need gcc=gcc dpkg-buildpackage=dpkg-dev dh=debhelper lintian=lintian pkg-config=pkg-config man=man-db readelf=binutils perl=perl \
    /usr/lib/llvm-19/include/llvm/Config/llvm-config.h=llvm-19-dev unshare=util-linux
[ "$(id -u)" = 0 ] || { echo "tests/run: only root can install Debian's packages: sudo tests/run package" >&2; exit 2; }
out=$PWD/target/package-leg
mkdir -p "$out"

say "the crates build from their packages alone"
crates=(statictramp-targets statictramp statictramp-raw statictramp-capture-rules statictramp-interop statictramp-captures statictramp-cli)
# If this leg has run here before, cargo would use the packages of that run, even if the sources have changed since then.
[ ! -e "$out/packed" ] || rm -rf "${CARGO_HOME:-$HOME/.cargo}"/registry/{cache,src}/-*/statictramp* target/debug/.fingerprint/statictramp-*
# Each crate is unpacked, and built from its own package, from crates of the registry, and from the packages before it.
published=$(sed -n '/^cargo publish /,/^```/p' CONTRIBUTING.md | tr -d '\\`' | xargs)
[ "$published" = "cargo publish$(printf ' -p %s' "${crates[@]}")" ] || fail "CONTRIBUTING.md does not publish the crates that this leg packs"
cargo publish --dry-run --allow-dirty "${crates[@]/#/-p}" 2>"$out/packed" || { cat "$out/packed"; fail "cargo publish --dry-run failed"; }
! grep '^warning: ' "$out/packed" | grep -v 'aborting upload due to dry run' || fail "cargo publish --dry-run prints warnings"
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
head -n 1 packaging/debian/changelog | grep -q "^statictramp ($version-" && grep -q "^## \[$version\]" CHANGELOG.md || fail "the version in packaging/debian/changelog or CHANGELOG.md is not $version"
! grep -E '^statictramp.* path = ' {.,raw,interop{,/capi},cli,capi{,/archive},flang/capture{-rules,s},examples/*}/Cargo.toml | grep -v "version = \"=\?$version\"" ||
    fail "a dependency on a crate of this workspace lacks version = \"$version\""
# Any version may change hidden items, so a crate that uses them requires the same version.
git grep -lE 'statictramp(_raw)?::(__|for_)' -- '*/src/*.rs' ':!tests' | while read -r file; do
    manifest=${file%%/src/*}/Cargo.toml
    grep -qE '^statictramp(-raw)? = .* version = "=' "$manifest" || fail "$manifest does not require an exact version, although $file uses hidden items"
done
for crate in "${crates[@]}"; do
    package=target/package/$crate-$version
    for file in LICENSE-APACHE LICENSE-MIT README.md; do
        [ -f "$package/$file" ] && [ ! -L "$package/$file" ] || fail "the package of $crate does not contain $file"
    done
    for key in repository keywords categories description license '\[package.metadata.docs.rs\]'; do
        grep -q "^$key" "$package/Cargo.toml" || fail "Cargo.toml in the package of $crate has no $key"
    done
    packed=$package.crate
    [ -f "$packed" ] || packed=target/package/tmp-crate/${package##*/}.crate # cargo 1.95 leaves it there after --dry-run
    size=$((($(stat -c %s "$packed") + 1023) / 1024))
    most=$(sed -n "s/^| \`$crate\` | \([0-9]*\) KiB .*/\1/p" docs/packaging.md)
    [ "$size" -le "${most:-0}" ] || fail "the package of $crate takes $size KiB, but docs/packaging.md states at most $most KiB"
    echo "$crate: $size KiB"
done
target/debug/statictramp --json >/dev/null # the last one built
features=$(sed -n '/^\[package.metadata.docs.rs\]/,/^$/s/^features = //p' Cargo.toml | tr -d '[]" ')
# As on docs.rs, which uses a nightly compiler: each item names the feature that it needs.
RUSTC_BOOTSTRAP=1 RUSTDOCFLAGS="--cfg docsrs -D warnings" cargo doc --quiet --no-deps -p statictramp --features "$features" --target-dir target/variants

say "features"
# Every pair of features must be possible. In a full run, all permitted features are also combined.
count=0
for heap in "" alloc std; do
    for last in "" scratch hardened; do
        for more in "" grow; do
            [ "$effort" -ge 100 ] || case $heap:$last:$more in
            ::grow | :scratch: | :hardened:grow | alloc:: | alloc:scratch:grow | alloc:hardened: | std:: | std:scratch:grow | std:hardened:) ;;
            *) continue ;;
            esac
            cargo check --quiet -p statictramp --no-default-features --features "$heap,$last,$more" --target-dir target/variants ||
                fail "the features \"$heap,$last,$more\" cannot be combined"
            count=$((count + 1))
        done
    done
done
for crate in raw interop; do cargo check --quiet -p statictramp-$crate --no-default-features --target-dir target/variants; done
echo "$count combinations"

say "sources without a network"
# These are the compiler flags with which Debian packages are built. Files linked with
# LDFLAGS contain a mark.
export DEB_LDFLAGS_APPEND=-Wl,--build-id=0x57a71c57a71c57a7
# flags DIRECTORY: sets CFLAGS, LDFLAGS and the like for this directory.
flags() { eval "$(cd "$1" && DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --export=sh)"; }
# alone VARIABLE=VALUE... COMMAND...: runs the command without a network and without cargo's downloads.
alone() { unshare -n env CARGO_HOME="$out/cargo-home" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" "$@"; }
rm -rf "$out/small" "$out/small-prefix" "$out/cargo-home"
for words in "" --prefix "$out" "$out/small tool"; do
    read -ra words <<<"$words"
    status=0
    packaging/sources.sh "${words[@]}" 2>/dev/null || status=$?
    [ $status = 2 ] || fail "sources.sh ${words[*]} exited with status $status, expected 2"
done
CARGO=false packaging/sources.sh "$out/small" 2>/dev/null && fail "sources.sh succeeded although cargo failed"
(umask 077 && packaging/sources.sh "$out/small")
[ -z "$(find "$out/small" ! -perm -a=r)" ] || fail "the sources are not readable by all users"
crates_there=$(ls "$out/small/vendor" | wc -l)
grep -q "contains $crates_there crates" docs/packaging.md || fail "docs/packaging.md does not state that the sources of libstatictramp contain $crates_there crates"
megabytes=$(du -sm "$out/small" | cut -f 1)
[ "$megabytes" -le 18 ] || fail "the sources of libstatictramp take $megabytes MB, more than 18 MB"
[ "$(tar cJ -C "$out" small | wc -c)" -lt 1700000 ] || fail "the compressed sources of libstatictramp take more than 1.7 MB"
libdir=lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
(
    flags "$out/small"
    alone LIBDIR="$libdir" "$out/small/capi/install.sh" "$out/small-prefix" >/dev/null
)
echo "libstatictramp: $crates_there crates, $megabytes MB"

say "the promised interface"
library=$(echo "$out"/small-prefix/lib/*/libstatictramp.so.0)
packaging/interface.pl "$library" capi/include/statictramp.h interop/capi/include/statictramp_interop.h >"$out/interface"
lost=$(comm -23 <(sort packaging/interface) <(sort "$out/interface"))
[ -z "$lost" ] || fail "these lines of packaging/interface, which programs rely on, are missing from the interface; a new SONAME is required (docs/packaging.md): $lost"
[ -z "${STATICTRAMP_WRITE_INTERFACE:-}" ] || cp "$out/interface" packaging/interface
diff packaging/interface "$out/interface" || fail "packaging/interface is out of date (missing lines are marked > above); to update it, run STATICTRAMP_WRITE_INTERFACE=1 tests/run package"
# noticed CHANGE: applies CHANGE to both headers with sed, and checks that a line is missing afterwards or that the headers do not
# compile.
noticed() {
    local header
    mkdir -p "$out/changed"
    for header in {capi,interop/capi}/include/*.h; do
        sed "$1" "$header" >"$out/changed/${header##*/}"
    done
    CC="gcc -m64" packaging/interface.pl "$library" "$out"/changed/statictramp{,_interop}.h >"$out/changed/interface" 2>/dev/null || return 0
    [ -n "$(comm -23 <(sort packaging/interface) <(sort "$out/changed/interface"))" ]
}
for change in 's/KIND_VECTOR128$/&, STATICTRAMP_FURTHER = 0xfffffffff/' 's/KIND_VECTOR128$/&, STATICTRAMP_FURTHER = -1/' \
    's/int device/long device/' 's/STATICTRAMP_CAPTURE_BIND_C = 2/STATICTRAMP_CAPTURE_BIND_C = 3/' 's/ptrdiff_t extent;/int extent;/' \
    's/^int statictramp_rebind/#if 0\n&/; s/^int statictramp_free/#endif\n&/' '0,/^typedef struct {/s//#pragma pack(push, 1)\n&/' \
    '/define STATICTRAMP_EVEN_PAIR/s/$/\n#undef STATICTRAMP_EVEN_PAIR/' '/extern "C"/d' '/include <stddef.h>/d; /include <stdint.h>/d' \
    '/define STATICTRAMP_H/s/$/\n#define statictramp_free other/'; do
    noticed "$change" || fail "packaging/interface.pl does not detect the change \"$change\", so this test proves nothing"
done
for change in '' 's/KIND_VECTOR128$/&, STATICTRAMP_FURTHER/' 's/KIND_INT8 = 1/KIND_INT8 = 0x1/' 's/void \*context/void* context/' 's/^int statictramp_rebind/static inline int twice(int x) { return 2 * x; }\n&/'; do
    ! noticed "$change" || fail "packaging/interface.pl reports the change \"$change\", although it does not affect programs"
done
for file in {capi,interop/capi}/include/* interop/capi/device/* linker/*; do
    head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT OR Apache-2.0' || fail "the first line of $file does not name the licences (SPDX)"
done
echo "$(wc -l <packaging/interface) lines"

say "copyright notices of the installed files"
# notices FILE PACKAGE...: compares packaging/copyright/FILE with the notices of the crates that these packages contain.
notices() {
    packaging/copyright.pl --linked "${@:2}" >"$out/notices"
    [ -z "${STATICTRAMP_WRITE_COPYRIGHT:-}" ] || cp "$out/notices" "packaging/copyright/$1"
    diff "packaging/copyright/$1" "$out/notices" || fail "packaging/copyright/$1 differs from the crates' notices (marked > above); to update it, run STATICTRAMP_WRITE_COPYRIGHT=1 tests/run package"
}
notices libstatictramp statictramp-archive
notices statictramp statictramp-cli statictramp-emulate
notices statictramp-flang statictramp-flang
cmp packaging/copyright/libstatictramp "$out/small-prefix/share/doc/libstatictramp/copyright" || fail "capi/install.sh does not install the copyright notices"
for project in rust/library/core vendor/libc- vendor/spin-; do
    grep -q "^Files: $project" packaging/copyright/libstatictramp || fail "packaging/copyright/libstatictramp does not list $project, although the archive contains its code"
done

say "Debian's packages"
# Optimization takes most of the time.
[ "$effort" -ge 100 ] || export DEB_BUILD_OPTIONS=noopt
# A blank in a directory's name must make no difference.
rm -rf "$out/o ne" "$out/two" "$out/built"
mkdir -p "$out/licences/crate-1.0.0"
printf '[package]\nname = "crate"\nlicense = "MIT OR Zlib"\n' >"$out/licences/crate-1.0.0/Cargo.toml"
packaging/copyright.pl "$out/licences" | grep -q '^License: MIT$' || fail "copyright.pl does not select MIT from \"MIT OR Zlib\""
printf '[package]\nname = "crate"\nlicense = "MIT AND GPL-2.0"\n' >"$out/licences/crate-1.0.0/Cargo.toml"
packaging/copyright.pl "$out/licences" >/dev/null 2>&1 && fail "copyright.pl accepts the unknown licence GPL-2.0"
[ "$(doc_block docs/first-packager.md sh 1)" = "packaging/sources.sh /tmp/statictramp-$version cli flang
cd /tmp/statictramp-$version
cp -r packaging/debian debian
dpkg-buildpackage -b -us -uc" ] || fail "the commands in docs/first-packager.md are not those that this leg runs"
packaging/sources.sh "$out/o ne/statictramp-$version" cli flang
for crate in "$out/o ne/statictramp-$version"/vendor/*; do
    grep -qxF "Files: vendor/${crate##*/}/*" "$out/o ne/statictramp-$version/packaging/debian/copyright" || fail "debian/copyright does not list ${crate##*/}"
done
mkdir -p "$out/two"
cp -r "$out/o ne/statictramp-$version" "$out/two/elsewhere"
ln -s elsewhere "$out/two/link"
cp -r packaging/debian "$out/two/elsewhere/debian"
mkdir "$out/two/elsewhere/debian/target" "$out/two/elsewhere/debian/cargo"
(cd "$out/two/elsewhere" && debian/rules clean) >"$out/cleaned" 2>&1 || { cat "$out/cleaned"; fail "debian/rules clean fails"; }
[ ! -e "$out/two/elsewhere/debian/target" ] && [ ! -e "$out/two/elsewhere/debian/cargo" ] || fail "debian/rules clean leaves debian/target or debian/cargo behind"
rm -r "$out/two/elsewhere/debian"
(
    cd "$out/o ne/statictramp-$version"
    cp -r packaging/debian debian
    alone CARGO_TARGET_DIR="$out/built/one" dpkg-buildpackage -b -us -uc -d
) >"$out/o ne/log" 2>&1 || { tail -n 40 "$out/o ne/log"; fail "dpkg-buildpackage failed"; }
# The uploader adds the Debian bug that requests the package, as described in docs/packaging.md.
said=$(lintian --no-cfg --allow-root --display-info "$out/o ne"/*.changes) || fail "lintian: $said"
! grep -v -e '^$' -e '^N: ' -e '^W: [a-z0-9-]*: initial-upload-closes-no-bugs ' <<<"$said" || fail "lintian reports tags that docs/packaging.md does not mention (see above)"
for package in libstatictramp0 libstatictramp-dev statictramp statictramp-flang; do
    [ -f "$(echo "$out/o ne/${package}_${version}"-*.deb)" ] || fail "the package $package was not built"
done
# The packages are installed in a copy of this system, which disappears when the command ends.
cat >"$out/in-a-copy" <<'SH'
set -eu
mount -t tmpfs none "$1/copy"
mkdir "$1/copy/upper" "$1/copy/work" "$1/copy/root"
mount -t overlay none -o "lowerdir=/,upperdir=$1/copy/upper,workdir=$1/copy/work" "$1/copy/root"
mount --rbind /dev "$1/copy/root/dev"
mount -t proc none "$1/copy/root/proc"
mkdir "$1/copy/root/tmp/packages"
cp "$1/o ne"/*.deb "$1/o ne/statictramp-$2/debian/tests/pkg-config" "$1/copy/root/tmp/packages"
chroot "$1/copy/root" sh -ceu 'cd /tmp/packages; dpkg -i *statictramp[0_-]*.deb >log 2>&1 || { cat log; exit 1; }; sh ./pkg-config; statictramp flags --flang'
SH
mkdir -p "$out/copy"
(
    flock 9 # another leg may be running apt
    env -u PKG_CONFIG_PATH unshare -m sh "$out/in-a-copy" "$out" "$version"
) >"$out/copied" 9>target/apt.lock || { cat "$out/copied"; fail "installing the Debian packages, or testing the installed library, failed"; }
cat "$out/copied"
grep -q -- '-fpass-plugin=/usr/lib/.*/statictramp/libstatictramp_flang-19.so /usr/lib/.*/libstatictramp.a' "$out/copied" || fail "the flags that the installed tool prints do not name the installed plugin and archive"

say "the same bytes from another directory"
(
    cd "$out/two/link"
    flags .
    export RUSTFLAGS= # not the caller's flags
    alone "${unoptimized[@]}" CARGO_TARGET_DIR="$out/built/two" cli/install.sh "$out/two/usr" >/dev/null
)
one="$out/o ne/statictramp-$version/debian/tmp/usr"
cmp "$one/bin/statictramp" "$out/two/usr/bin/statictramp" || fail "the tool differs between two build directories"
# The other two shared libraries search a directory that depends on the prefix.
for file in libstatictramp{.a,.so.0,_core.so.0}; do
    cmp "$one"/lib/*/"$file" "$out"/small-prefix/lib/*/"$file" || fail "$file differs between two build directories"
done
for file in "$one"/bin/* "$one"/lib/*/*.so.0 "$one"/lib/*/statictramp/*.so; do
    readelf -n "$file" | grep -q 'Build ID: 57a71c57a71c57a7$' || fail "$file was linked without LDFLAGS"
    ! strings -a "$file" | grep -F -e "$PWD" -e "$HOME/" || fail "$file contains the path of the build directory"
done
echo "the tool, the archive, the shared libraries"
rm -rf "$out/small" "$out/o ne/statictramp-$version" "$out/two" "$out/built"
