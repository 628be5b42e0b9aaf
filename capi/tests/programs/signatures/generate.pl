#!/usr/bin/perl
# generate.pl COUNT SEED TARGET DIRECTORY: random signatures for statictramp_bind_raw, statictramp_bind_first and
# statictramp_bind_types. TARGET is a `convention` in tests/legs/parts/machines.sh.
#
# types.h    struct types, and the values that are passed and returned
# calls.c    for each signature a caller, which passes the values and checks the result, and a function with a context as
#            first parameter, which checks its arguments; compiled several times, once for each PREFIX
# table.c    the signatures as data, and the number of integer registers that each one's arguments take on TARGET, which
#            this file computes from the calling conventions, independently of the library (in general not for complex
#            numbers and vectors, with which statictramp_bind_first is not called)
# main.c, which is not generated, runs through the table.

use strict;
use warnings;

my ($count, $seed, $target, $directory) = @ARGV;
srand $seed;
my ($arm, $i386) = ($target eq 'arm', $target eq 'i386');
my $apple = $target eq 'aarch64-apple';    # only raw trampolines
my $ppc = $target eq 'ppc';
my $mips = $target eq 'mips64el';
my $sparc = $target eq 'sparc64';
my $word = $arm || $i386 || $ppc ? 4 : 8;

# C's type, kind, bytes, letter: i an integer, f floating-point, c complex, v a vector.
my @scalars = (
    ['int8_t', 'INT8', 1, 'i'], ['uint8_t', 'UINT8', 1, 'i'], ['int16_t', 'INT16', 2, 'i'], ['uint16_t', 'UINT16', 2, 'i'],
    ['int32_t', 'INT32', 4, 'i'], ['uint32_t', 'UINT32', 4, 'i'], ['int64_t', 'INT64', 8, 'i'], ['uint64_t', 'UINT64', 8, 'i'],
    ['void *', 'POINTER', $word, 'i'], ['bool', 'UINT8', 1, 'i'], ['float', 'FLOAT', 4, 'f'], ['double', 'DOUBLE', 8, 'f'],
    ['float', 'FLOAT', 4, 'f'], ['double', 'DOUBLE', 8, 'f'], ['long double', 'LONG_DOUBLE', $arm || $apple ? 8 : $i386 ? 12 : 16, 'f'],
);
push @scalars, ['__int128', 'INT128', 16, 'i'] unless $word == 4 || $sparc;    # there gcc aligns an argument, and clang does not
my ($long_double) = map { $_->[2] } grep { $_->[1] eq 'LONG_DOUBLE' } @scalars;
my @others = $ppc ? () : (
    ['float _Complex', 'COMPLEX_FLOAT', 8, 'c'], ['double _Complex', 'COMPLEX_DOUBLE', 16, 'c'],
    ['long double _Complex', 'COMPLEX_LONG_DOUBLE', 2 * $long_double, 'c'],
);
push @others, ['vector8', 'VECTOR64', 8, 'v'] if $target =~ /^(x86_64|aarch64|arm)$/;
push @others, ['vector16', 'VECTOR128', 16, 'v'] if $target =~ /^(x86_64|aarch64|arm|ppc64le|windows)$/;
# Where one register is left for an __int128, compilers differ.
my @every = ((grep { $_->[1] ne 'INT128' } @scalars), @others);
my @promoted = grep { $_->[0] =~ /^(int32_t|uint32_t|int64_t|void|double|long double|__int128)/ } @scalars;

sub any { $_[int rand @_] }
sub up { my ($n, $to) = @_; int(($n + $to - 1) / $to) * $to }

my ($structs, $header, $number) = (0, '', 0);

# A type: {c, scalar, size, align, leaves: [[offset, scalar, path]...], fields}
sub scalar_type {
    my $s = shift;
    my $most = $i386 ? 4 : $target eq 's390x' ? 8 : 16;
    my $natural = $s->[3] eq 'c' ? $s->[2] / 2 : $s->[2];
    $most = 8 if $arm;
    my $align = $natural > $most ? $most : $natural;
    return { c => $s->[0], scalar => $s, size => $s->[2], align => $align, leaves => [[0, $s, '']] };
}

sub struct_type {
    my ($depth, @of) = @_;
    my $form = int rand 6;
    my @members;
    if ($form == 0) { my $f = any(grep { $_->[3] =~ /[fcv]/ } @of); @members = ([scalar_type($f), 1]) x (1 + int rand 5) }
    elsif ($form == 1) { @members = map { [scalar_type(any(grep { $_->[2] <= 8 } @of)), 1] } 1 .. 2 }
    else {
        for (1 .. 1 + int rand($form == 2 ? 8 : 3)) {
            my $of = $depth && rand() < 0.2 ? struct_type($depth - 1, @of) : scalar_type(any(@of));
            my $times = rand() < 0.15 ? 1 + int rand 3 : 1;
            $times = 1 if $sparc && grep { $_->[1][3] ne 'i' } @{ $of->{leaves} };    # C passes an array like integers
            push @members, [$of, $times];
        }
    }
    my $name = 'struct s' . $structs++;
    my ($end, $align, @leaves, $text, @fields, @described) = (0, 1);
    my $i = 0;
    for (@members) {
        my ($of, $times) = @$_;
        my $array = $times > 1;
        $end = up($end, $of->{align});
        $align = $of->{align} if $of->{align} > $align;
        for my $k (0 .. $times - 1) {
            push @leaves, [$end + $_->[0], $_->[1], ".f$i" . ($array ? "[$k]" : '') . $_->[2]] for @{ $of->{leaves} };
            push @fields, $of;
            push @described, [$end, $of, $array];
            $end += $of->{size};
        }
        $text .= "    $of->{c} f$i" . ($array ? "[$times]" : '') . ";\n";
        $i++;
    }
    $header .= "$name {\n$text};\n";
    my $id = $structs - 1;
    return { c => $name, id => $id, size => up($end, $align), align => $align, leaves => \@leaves, fields => \@fields, members => \@described };
}
my %described;

# The number of integer registers that the arguments take, and further properties: (used, result in memory, even pair).
sub homogeneous {
    my $t = shift;
    my $first = $t->{leaves}[0][1];
    my $n = @{ $t->{leaves} };
    return 0 if $n > 4 || $t->{size} != $n * $first->[2];
    for (@{ $t->{leaves} }) {
        return 0 if $_->[1][3] ne 'f' || $_->[1][2] != $first->[2];
        return 0 if !$arm && $_->[1][1] ne $first->[1];
    }
    return $n;
}
my $fixed;    # arguments before the variadic ones
sub reckon {
    my ($result, @arguments) = @_;
    my ($used, $floats, $pair, $memory, $closed, $differ) = (0, 0, 0, 0, 0, 0);    # closed: the remaining registers are not used
    my @s = (0) x 16;    # on Arm
    my ($most) = { x86_64 => 6, aarch64 => 8, ppc => 8, ppc64le => 8, riscv64 => 8, arm => 4, s390x => 5, i386 => 16, windows => 4, mips64el => 8, sparc64 => 6 }->{$target};
    if ($target eq 'x86_64') {
        my $classes = sub {
            my $t = shift;
            return if $t->{size} > 16;
            my @c;
            for (@{ $t->{leaves} }) {
                return if $_->[1][1] eq 'LONG_DOUBLE';
                @c = ('i', 'i'), next if $_->[1][2] == 16;
                my $at = int($_->[0] / 8);
                $c[$at] = $_->[1][3] eq 'i' || ($c[$at] // 'f') eq 'i' ? 'i' : 'f';
            }
            return @c;
        };
        if ($result && !$classes->($result) && !(@{ $result->{leaves} } == 1 && $result->{size} == 16)) { $memory = 1; $most-- }
        for my $t (@arguments) {
            my @c = $classes->($t) or next;
            my $i = grep { $_ eq 'i' } @c;
            my $f = @c - $i;
            # With one register left, gcc uses it for a later argument, as the psABI requires, and clang does not.
            $differ = 1 if $t->{scalar} && $i == 2 && $used + 1 == $most;
            next if $used + $i > $most || $floats + $f > 8;
            $used += $i;
            $floats += $f;
        }
    } elsif ($target eq 'aarch64') {
        $memory = 1 if $result && $result->{size} > 16 && !homogeneous($result);
        for my $t (@arguments) {
            if (my $n = homogeneous($t)) { $floats = $floats + $n > 8 ? 8 : $floats + $n; next }
            my ($size, $align) = $t->{size} > 16 ? (8, 8) : @$t{ 'size', 'align' };
            my $words = int(($size + 7) / 8);
            my $first = $align == 16 ? up($used, 2) : $used;
            $closed = 1 if $first + $words > $most;
            next if $closed;
            $pair = 1 if $align == 16;
            $used = $first + $words;
        }
    } elsif ($ppc) {
        $memory = 1 if $result && !$result->{scalar};
        for my $t (@arguments) {
            next if $t->{scalar} && $t->{scalar}[3] eq 'f';    # in their own registers, or on the stack
            my $words = $t->{scalar} && $t->{size} == 8 ? 2 : 1;
            my $first = up($used + $memory, $words) - $memory;
            $closed = 1 if $first + $memory + $words > $most;
            next if $closed;
            $pair = 1 if $words == 2;
            $used = $first + $words;
        }
    } elsif ($target eq 'ppc64le') {
        # The number of leaves, if all have the same floating-point type: up to eight 64-bit registers.
        my $in_floats = sub {
            my $t = shift;
            my $first = $t->{leaves}[0][1];
            my $n = @{ $t->{leaves} };
            return 0 if $t->{size} != $n * $first->[2] || grep { $_->[1][3] ne 'f' || $_->[1][1] ne $first->[1] } @{ $t->{leaves} };
            $n *= 2 if $first->[2] == 16;
            return $n > 8 ? 0 : $n;
        };
        if ($result && $result->{size} > 16 && !$in_floats->($result)) { $memory = 1; $most-- }
        my ($slot, $count) = (0, 0);
        for my $t (@arguments) {
            my $n = $in_floats->($t);
            if (!$n && !$t->{scalar} && $t->{align} == 16) { $pair = 1; $slot = up($slot + $memory, 2) - $memory }
            $slot += int(($t->{size} + 7) / 8);
            $floats += $n if $count < $fixed;
            $used = $slot if !$n || $floats > 13 || $count >= $fixed;
            $count++;
        }
        $used = $most if $used > $most;
    } elsif ($target eq 'riscv64') {
        if ($result && $result->{size} > 16) { $memory = 1; $most-- }
        for my $t (@arguments) {
            my @l = @{ $t->{leaves} };
            my $f = grep { $_->[1][3] eq 'f' } @l;
            if (@l <= 2 && $f && !grep { $_->[1][2] > 8 || $_->[1][1] eq 'POINTER' } @l) {    # a pointer does not count as an integer here
                if ($floats + $f <= 8 && $used + @l - $f <= $most) { $floats += $f; $used += @l - $f; next }
            }
            my $words = $t->{size} > 16 ? 1 : int(($t->{size} + 7) / 8);
            $used = $used + $words > $most ? $most : $used + $words;
        }
    } elsif ($mips) {    # by position, whichever kind of register it is in
        if ($result && $result->{size} > 16) { $memory = 1; $most-- }
        my ($count, $complex) = (-1, 0);
        for my $t (@arguments) {
            $count++;
            my $at = $used + $memory;
            $differ = 1 if $t->{scalar} && $t->{scalar}[1] eq 'INT128' && $at % 2;    # clang does not skip a register
            # clang always passes the parts as two arguments, and aligns later ones as if these took one word.
            if ($t->{scalar} && $t->{scalar}[1] =~ /^COMPLEX_(FLOAT|DOUBLE)$/) {
                $differ = 1 if $count >= $fixed || $at >= 7;
                $complex ||= $1 eq 'FLOAT';
                $used += 2;
                next;
            }
            $differ = 1 if $complex && $t->{align} == 16;
            $differ = 1 if !$t->{scalar} && $t->{size} == 4;    # gcc expects a sign-extended register, and clang does not extend
            $pair = 1 if $t->{align} == 16;
            $used = up($used + $memory, 2) - $memory if $t->{align} == 16;
            $used += int(($t->{size} + 7) / 8);
        }
        $used = $most if $used > $most;
    } elsif ($target eq 's390x') {
        if ($result && (!$result->{scalar} || $result->{size} > 8)) { $memory = 1; $most-- }
        for my $t (@arguments) {
            my @l = @{ $t->{leaves} };
            $used++ unless @l == 1 && $l[0][1][3] eq 'f' && $l[0][1][2] <= 8 || $used == $most;
        }
    } elsif ($sparc) {
        if ($result && $result->{size} > 32) { $memory = 1; $most-- }
        my $count = 0;
        for my $t (@arguments) {
            if ($t->{align} == 16 && $t->{size} == 16) { $pair = 1; $used = up($used + $memory, 2) - $memory }
            $used += $t->{size} > 8 && $t->{size} <= 16 ? 2 : 1;
            $differ = 1 if !$t->{scalar} && $t->{align} == 16 && $t->{size} == 16;    # clang 22 leaves out even registers, too
            # gcc 12 fails to compile some calls with a complex number in two doublewords.
            $differ = 1 if grep { $_->[1][1] eq 'COMPLEX_FLOAT' && $_->[0] % 8 } @{ $t->{leaves} };
            # gcc passes floating-point members like integers, and clang does not.
            $differ = 1 if $count++ >= $fixed && !$t->{scalar} && grep { $_->[1][3] ne 'i' } @{ $t->{leaves} };
        }
        $used = $most if $used > $most;
    } elsif ($target eq 'windows') {    # each takes one register or stack slot, whatever its type
        $memory = 1 if $result && $result->{size} !~ /^[1248]$/ && !($result->{scalar} && $result->{scalar}[1] eq 'INT128');
        $most -= $memory;
        $used = @arguments > $most ? $most : @arguments;
    } elsif ($target eq 'i386') {    # stack words
        $memory = 1 if $result && !$result->{scalar};
        $used += up($_->{size}, 4) / 4 for @arguments;
        $used = $most if $used > $most;
    } elsif ($arm) {
        if ($result && $result->{size} > 4 && !$result->{scalar} && !homogeneous($result)) { $memory = 1; $most-- }
        my $hidden = $memory;
        my $stack = 0;
        for my $t (@arguments) {
            if (my $n = homogeneous($t)) {
                my $step = $t->{leaves}[0][1][2] / 4;
                my $first;
                for (my $at = 0; $at + $n * $step <= 16; $at += $step) {
                    next if grep { $_ } @s[$at .. $at + $n * $step - 1];
                    $first = $at;
                    last;
                }
                if (defined $first) { @s[$first .. $first + $n * $step - 1] = (1) x 16 }
                else { @s = (1) x 16; $stack = 1 }
                next;
            }
            my $at = $used + $hidden;
            $at = up($at, 2) if $t->{align} == 8;
            my $words = int(($t->{size} + 3) / 4);
            if ($at + $words <= 4 && !$closed) { $at += $words }
            elsif (!$t->{scalar} && !$stack && $at < 4 && !$closed) { $at = 4; $stack = 1 }
            else { $closed = $stack = 1; next }
            $pair = 1 if $t->{align} == 8;
            $used = $at - $hidden;
        }
    } else {
        die "no calling convention is called $target\n";
    }
    return ($used, $memory, $pair, $differ);
}

sub value {
    my ($s, $random) = @_;
    my ($c, $kind, $size) = @$s;
    return (int(rand 2000000) - 1000000) . '/64.0' if $s->[3] eq 'f';
    if ($s->[3] eq 'c') {
        my $part = $c =~ s/ _Complex//r;
        return "__builtin_complex(($part)(" . (int(rand 200000) - 100000) . "/64.0), ($part)(" . (int(rand 200000) - 100000) . '/64.0))';
    }
    return '{' . join(', ', map { int(rand 4294967296) . 'u' } 1 .. $size / 4) . '}' if $s->[3] eq 'v';
    return int rand 2 if $c eq 'bool';
    my $bits = join '', map { sprintf '%02x', rand 256 } 1 .. ($size > 8 ? 8 : $size);
    return "(__int128)0x${bits}ull * 0x1000000000001ll" if $size == 16;
    return "($c)(uintptr_t)0x${bits}ull" if $c eq 'void *';
    return "($c)0x${bits}ull";
}
sub initial {    # an initializer of a struct, leaf by leaf, with designators
    my $t = shift;
    return value($t->{scalar}) if $t->{scalar};
    return '{' . join(', ', map { "$_->[2] = " . value($_->[1]) } @{ $t->{leaves} }) . '}';
}
sub compare {
    my ($t, $got, $wanted) = @_;
    return join ' && ', map {
        $_->[1][3] eq 'v' ? "!__builtin_memcmp(&$got$_->[2], &$wanted$_->[2], $_->[1][2])" : "$got$_->[2] == $wanted$_->[2]"
    } @{ $t->{leaves} };
}
sub describe {    # as data: {kind, described struct or NULL}
    my $t = shift;
    return "{STATICTRAMP_KIND_$t->{scalar}[1], NULL, ffi_$t->{scalar}[1], $t->{size}}" if $t->{scalar};
    return "{0, &type$t->{id}, FFI_STRUCT($t->{id}), $t->{size}}";
}

my ($values, $calls, $table, $rows) = ('', '', '', '');
for (grep { $mips && $_->[3] eq 'f' } @scalars[10, 11, 14]) {
    my ($c, $kind, $size) = @$_;
    $table .= "static const statictramp_leaf only_$kind = {0, STATICTRAMP_KIND_$kind};\n";
    $table .= "static const statictramp_struct one_$kind = {$size, 1, &only_$kind};\n";
}
sub ffi_of { my $t = shift; return $t->{scalar} ? "ffi_$t->{scalar}[1]" : "FFI_STRUCT($t->{id})" }
sub declare {
    my $t = shift;
    return if $t->{scalar} || $described{ $t->{id} }++;
    declare($_) for @{ $t->{fields} };
    my $id = $t->{id};
    # By all scalars in it, or by its members. On MIPS a scalar that is not a member by itself is in a struct of its own.
    my @leaves = map { [$_->[0], $_->[1][1]] } @{ $t->{leaves} };
    my $kind = sub {
        my ($of, $array) = @_;
        return "STRUCT, &type$of->{id}" unless $of->{scalar};
        return $mips && $array && $of->{scalar}[3] eq 'f' ? "STRUCT, &one_$of->{scalar}[1]" : $of->{scalar}[1];
    };
    @leaves = map { [$_->[0], $kind->(@$_[1, 2])] } @{ $t->{members} } if $mips || rand() < 0.5;
    # A complex number is a leaf, or two.
    @leaves = map {
        my ($offset, $kind) = @$_;
        my ($part, $size) = ($kind =~ s/^COMPLEX_//r, { FLOAT => 4, DOUBLE => 8, LONG_DOUBLE => $long_double });
        $part ne $kind && !$mips && rand() < 0.3 ? ([$offset, $part], [$offset + $size->{$part}, $part]) : $_
    } @leaves;
    my $leaves = join ', ', map { "{$_->[0], STATICTRAMP_KIND_$_->[1]}" } @leaves;
    $table .= "static const statictramp_leaf leaves$id\[] = {$leaves};\n";
    $table .= "static const statictramp_struct type$t->{id} = {sizeof($t->{c}), " . @leaves . ", leaves$t->{id}};\n";
    my $fields = join ', ', map { ffi_of($_) } @{ $t->{fields} };
    $table .= "#ifdef LIBFFI\nstatic ffi_type *fields$id\[] = {$fields, NULL};\n";
    $table .= "static ffi_type ffi_struct$t->{id} = {0, 0, FFI_TYPE_STRUCT, fields$t->{id}};\n#endif\n";
}

for my $n (0 .. $count - 1) {
    my $variadic = rand() < 0.15;
    my $has_others = rand() < 0.3;
    my @set = $has_others ? @every : @scalars;
    my $choose = sub { my $s = shift; rand() < 0.65 ? scalar_type(any(@$s)) : struct_type(2, @set) };
    my $result = rand() < 0.1 ? undef : $choose->(\@set);
    my $most = any(4, 4, 4, 8, 8, 17, 17, rand() < 0.5 ? 17 : 65);
    my @arguments = map { $choose->(\@set) } 1 .. int rand $most;
    @arguments = (scalar_type($scalars[4])) if $variadic && !@arguments;
    my $named = @arguments;
    if ($variadic) { push @arguments, map { $choose->($has_others ? [grep { $_->[1] ne 'INT128' } @promoted] : \@promoted) } 1 .. 1 + int rand 6 }

    $fixed = $named;
    my $is_counted = !$apple && (!$has_others || $mips || $sparc);
    my ($used, $memory, $pair, $differ) = $is_counted ? reckon($result, @arguments) : (0, 0, 0, 0);
    redo if $differ;
    # With the context before them.
    $fixed++;
    redo if $is_counted && (reckon($result, scalar_type($scalars[8]), @arguments))[3];

    my $types = join ', ', map { $_->{c} } @arguments[0 .. $named - 1];
    my $parameters = $variadic ? "$types, ..." : $types || 'void';
    my $r = $result ? $result->{c} : 'void';
    my @passed = map { "a${n}_$_" } 0 .. $#arguments;
    $values .= "static const $arguments[$_]{c} $passed[$_] = " . initial($arguments[$_]) . ";\n" for 0 .. $#arguments;
    $values .= "static const $r r$n = " . initial($result) . ";\n" if $result;

    $calls .= "int NAME(call$n)(function f)\n{\n";
    my $call = "(($r (*)($parameters))f)(" . join(', ', @passed) . ')';
    $calls .= $result ? "    $r r = $call;\n    return " . compare($result, 'r', "r$n") . ";\n}\n" : "    $call;\n    return 1;\n}\n";
    my $first = 'NULL';
    if (!$variadic) {
        my $list = join '', map { ", $arguments[$_]{c} b$_" } 0 .. $#arguments;
        my $checks = join ' && ', 'context == (void *)&first_right', map { compare($arguments[$_], "b$_", $passed[$_]) } 0 .. $#arguments;
        $calls .= "$r NAME(first$n)(void *context$list)\n{\n    first_right = $checks;\n" . ($result ? "    return r$n;\n" : '') . "}\n";
        $first = "FIRST($n)";
    }
    declare($_) for @arguments, $result ? $result : ();
    my $expected = join ', ', map { describe($arguments[$_]) } 0 .. $#arguments;
    my $given = join ', ', map { "&$passed[$_]" } 0 .. $#arguments;
    $table .= "static const struct described d${n}" . "[] = {" . ($result ? describe($result) : '{0, NULL, ffi_VOID, 0}') . ($expected ? ", $expected" : '') . "};\n";
    $table .= "static const void *const v${n}" . "[] = {" . ($result ? "&r$n" : 'NULL') . ($given ? ", $given" : '') . "};\n";
    $table .= "CALLS($n)\n" . ($variadic ? '' : "FIRSTS($n)\n");
    $rows .= "    {" . join(', ', scalar @arguments, $variadic ? $named : 'STATICTRAMP_NOT_VARIADIC', "d$n", "v$n", "CALLERS($n)", $variadic ? 'NONE' : "CALLEES($n)",
        ($has_others && !$is_counted ? 'UNKNOWN' : "${used}u"), $memory, $pair) . "},\n";
}

sub put { my ($name, $text) = @_; open my $file, '>', "$directory/$name" or die "$name: $!\n"; print $file $text; close $file or die "$name: $!\n" }
put('types.h', "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\ntypedef uint32_t vector8 __attribute__((vector_size(8))), vector16 __attribute__((vector_size(16)));\n" . $header . $values);
put('calls.c', "#define NAME(name) JOINED(PREFIX, name)\n#define JOINED(a, b) JOIN(a, b)\n#define JOIN(a, b) a##_##b\n#include \"types.h\"\n" .
    "typedef void (*function)(void);\nextern volatile int first_right;\n$calls");
put('table.c', $table . "static const struct row rows[] = {\n$rows};\n");
