set(statictramp_VERSION "@VERSION@")
set(statictramp_POINTER @POINTER@)
file(RELATIVE_PATH statictramp_UP "@LIBDIR@" "@PREFIX@")
