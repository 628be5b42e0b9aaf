# Installs libstatictramp for macOS. Sourced by install.sh, on a Mac and on Linux. On a Mac it needs only rustc and Xcode's command
# line tools, and runs in the system's bash 3.2, where an empty array counts as unset.
#
# Link-time optimization makes one object, whose external symbols are the interface and names with the version or a hash. The object
# has no names of Rust's own libraries or of compiler_builtins. A linker divides it into functions (-dead_strip). In the archive, all
# symbols are private externs: they are visible to other objects of the same image, and the image does not export them.

triple=$made_for
case $triple in x86_64-*) arch=x86_64 ;; *) arch=arm64 ;; esac
read -r -a cc <<<"${CC:-cc}"
command -v "${cc[0]}" >/dev/null || refuse "the C compiler \"${cc[0]}\" does not exist; set CC"
read -r -a ar <<<"${AR:-ar}"
read -r -a nm <<<"${NM:-nm}"
work=$(mktemp -d) pointer=8 scripts=''
trap 'rm -rf "$work"' EXIT

# The object contains the stubs only if rustc assembles them.
export STATICTRAMP_ASM=rust
lock_builds
build library rustc -p statictramp-archive --target "$triple" --config profile.release.lto=true ${FEATURES:+--features "$FEATURES"} \
    ${1+"$@"} -- --emit=obj="$work/statictramp.o" -Cllvm-args=-inline-threshold=135
unlock_builds
# The interface, with the underscore before C names, and the table of slots, which the symbols of the stubs share.
interface | sed 's/^/_/' | sort -u >"$work/interface"
"${nm[@]}" -gU "$work/statictramp.o" 2>/dev/null | awk '$2 ~ /[TDS]/ { print $3 }' | sort -u >"$work/defined" &&
    comm -12 "$work/defined" "$work/interface" >"$work/exports" && grep -qx _statictramp_alloc "$work/exports" ||
    give_up "\"${nm[*]}\" finds no symbols in the object that cargo has built; set NM"
# The names of the others contain the version, or are mangled. The dylib does not export them.
! comm -23 "$work/defined" "$work/exports" | grep -Ev '^_statictramp_c_|^__ZN|^__R' >&2 ||
    give_up "BUG: the object has external symbols besides the interface"
divide "$work/statictramp.o" >/dev/null || give_up "the symbols of the archive cannot be hidden"
"${ar[@]}" rcs "$work/libstatictramp.a" "$work/members/statictramp.o" || give_up "\"${ar[*]}\" cannot write an archive"

# The install name contains the number that changes with the interface, as on Linux.
dylib=libstatictramp.0.dylib
split CFLAGS && flags=(${words[@]+"${words[@]}"})
split LDFLAGS && flags+=(${words[@]+"${words[@]}"})
run "${cc[@]}" -arch $arch -dynamiclib -o "$work/$dylib" "$work/statictramp.o" -install_name "$libdir/$dylib" -compatibility_version 0.1 \
    -current_version "$version" -Wl,-dead_strip -Wl,-exported_symbols_list,"$work/exports" ${flags[@]+"${flags[@]}"} ||
    give_up "\"${cc[*]}\" could not link the shared library"

put 644 "$work/libstatictramp.a" "$libdir/libstatictramp.a"
put 755 "$work/$dylib" "$libdir/libstatictramp.$version.dylib"
put_link "libstatictramp.$version.dylib" "$libdir/$dylib"
put_link "$dylib" "$libdir/libstatictramp.dylib"
for header in capi/include/*; do put 644 "$header" "$prefix/include/${header##*/}"; done
put_packages
put_pages capi/install/man/*.3
put_documents LICENSE-APACHE LICENSE-MIT CHANGELOG.md
echo "statictramp $version is installed below $root${prefix:-/}"
exit 0
