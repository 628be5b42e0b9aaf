# Installs files in which the paths and the version are filled in. Sourced by install.sh, even on a Mac: bash 3.2 and the system's
# sed must understand it.

# fill FILE: writes the file to $work/filled, with the paths and the version of this installation filled in. $pointer is the size of
# a pointer in bytes, and $scripts the option that names the directory of the linker scripts.
fill() {
    local libdir_of_pc=$libdir
    # The path is relative to the prefix, so that pkg-config finds the files even in a tree that has been moved.
    case $libdir in "${prefix:-//}"/*) libdir_of_pc="\${prefix}${libdir#"$prefix"}" ;; esac
    sed -e "s|@VERSION@|$version|g" -e "s|@POINTER@|$pointer|g" -e "s|@PREFIX@|${prefix:-/}|g" -e "s|@LIBDIR@|$libdir|g" -e "s|@LIBDIR_OF_PC@|$libdir_of_pc|g" \
        -e "s|@SCRIPTS@|$scripts|" -e "/^@REGISTERS@\$/r $work/registers" -e '/^@REGISTERS@$/d' \
        -e "s/statictramp_\(c_\)\{0,1\}0_1_/statictramp_\1$infix/g" -e "s/statictramp_VERSION_/statictramp_c_$infix/g" "$1" >"$work/filled"
}

# put_filled FILE PLACE
put_filled() { fill "$1" && put 644 "$work/filled" "$2"; }

# put_packages: installs the pkg-config file and the CMake package.
put_packages() {
    local file
    put_filled capi/install/statictramp.pc "$libdir/pkgconfig/statictramp.pc"
    for file in statictramp-{config,config-version,installation}.cmake; do
        put_filled "capi/install/$file" "$libdir/cmake/statictramp/$file"
    done
}

# put_pages PAGE...: installs manual pages.
put_pages() {
    local page
    awk -f capi/install/registers.awk docs/targets.md capi/install/registers.md >"$work/registers"
    for page; do put_filled "$page" "$prefix/share/man/man3/${page##*/}"; done
}
