# Commands for gdb that print the entries of 64 slots in the static table of an AArch64 program, and the function that each one enters.
set $mask = 0
if !$_isvoid($pauth_cmask)
    set $mask = (unsigned long)$pauth_cmask
end
set $entry = (unsigned long *)&statictramp_c_0_1_slots + 1
set $last = $entry + 4 * 64
while $entry < $last
    printf "%#lx\n", *$entry
    info symbol *$entry & ~$mask
    set $entry = $entry + 4
end
