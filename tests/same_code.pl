#!/usr/bin/perl
# same_code.pl BEFORE AFTER [SUBSTITUTION...]: prints the functions of two archives or object files whose instructions
# or relocations differ, and exits with 1 if any does. Addresses and the order of functions do not count. A Perl
# SUBSTITUTION is applied to the demangled names of both, for renamed functions: 's/arch::isa::/arch::/'.
#
# For a change that must not affect the code: build the C library for the affected targets before and after, from the
# same folder and with the same CARGO_TARGET_DIR, as `cross_capi` in tests/legs/parts/other_targets.sh does.
use strict;
use warnings;

my ($before, $after, @substitutions) = @ARGV;
die "usage: same_code.pl BEFORE AFTER [SUBSTITUTION...]\n" unless $after;

sub functions {
    my ($file) = @_;
    my (%bodies, $name, $body);
    # A function's section is called .text.NAME, and on macOS names begin with one underscore more.
    my $objdump = 'llvm-objdump-22 -d -r --no-show-raw-insn --no-leading-addr';
    open my $in, '-|', "$objdump '$file' | sed -E 's/\\.text\\.(unlikely\\.)?_|[ \t]__(R[INX])/ _\\2/g; s/<__R/<_R/' | llvm-cxxfilt-22"
        or die "llvm-objdump-22: $!\n";
    while (<$in>) {
        next if /^$|file format|^Disassembly/;
        s/0x[0-9a-f]+ (?=<)//;                           # the address before a symbol's name
        s/^\s*[0-9a-f]+:\s+//;                           # that of a relocation
        s/\[[0-9a-f]{8,}\]|::h[0-9a-f]{16}\b//g;         # hashes
        s/\b[0-9a-f]{32}\b/HASH/g;
        s/\b(anon|switch)\.[0-9a-f]+|\.L(tmp|_?)\w+(\.HASH\.\d+)?/LABEL/g;
        for my $substitution (@substitutions) { eval "$substitution; 1" or die "$substitution: $@" }
        if (/^<(.*)>:$/) {
            push @{ $bodies{$name} }, $body if defined $name;
            ($name, $body) = ($1, '');
        } elsif (defined $name) {
            $body .= $_;
        }
    }
    close $in or die "$file: cannot be disassembled\n";
    push @{ $bodies{$name} }, $body if defined $name;
    die "$file: no functions\n" unless %bodies;
    return { map { $_ => join "-\n", sort @{ $bodies{$_} } } keys %bodies };
}

my ($old, $new) = (functions($before), functions($after));
my @different = grep { ($old->{$_} // '') ne ($new->{$_} // '') } sort keys %{ { %$old, %$new } };
print "$_\n" for @different;
printf "%d functions are the same, %d are not\n", keys(%$new) - grep({ exists $new->{$_} } @different), scalar @different;
exit(@different > 0);
