# Random signatures for the C++ wrapper: signatures.pl COUNT SEED [TARGET]. For each, a callback that checks its
# arguments, and a caller, which another compiler may compile (-DCALLERS).

use strict;
use warnings;

my ($count, $seed, $target) = (@ARGV, 'x86_64');
srand $seed;

# The number of integer registers that an argument takes, and a result.
my %argument = (
    (map { $_ => 1 } 'bool', 'char', 'signed char', 'unsigned char', 'short', 'unsigned short', 'int', 'unsigned', 'long',
        'unsigned long', 'long long', 'wchar_t', 'char16_t', 'char32_t', 'small_enum', 'long_enum', 'void *', 'const char *',
        'int (*)(double)', 'std::nullptr_t', 'long host::*', 'int &', 'const words3 &', 'std::string &', 'double &&', 'words3 &&',
        'copied', 'destroyed', 'with_table', 'holds_nothing', 'std::string', 'std::unique_ptr<long>'),
    (map { $_ => 0 } 'float', 'double', 'long double', 'empty', 'empty16', 'two_empty', 'words3', 'words4', 'doubles3', 'bytes17',
        'packed19', 'mixed4', 'cache_line', 'wide_fields', 'either', 'shorts15', 'moved_only'),
    (map { $_ => 2 } 'statictramp::detail::signed_wide', 'statictramp::detail::unsigned_wide'),
);
my %result = (
    (map { $_ => 0 } 'void', 'of_bit', 'of_bytes', 'of_short', 'empty', 'empty16', 'two_empty'),
    (map { $_ => $argument{$_} ? 0 : /float|double$/ ? 0 : 1 } keys %argument),
    (map { $_ => 1 } 'copied', 'destroyed', 'with_table', 'holds_nothing', 'std::string', 'std::unique_ptr<long>'),
);
$result{$_} = 0 for qw(empty empty16 two_empty);
# Differences on other targets: rejected types, and types in other registers.
my $most = { x86_64 => 6, aarch64 => 8, ppc => 8, ppc64le => 8, riscv64 => 8, arm => 4, windows => 4, s390x => 4, i386 => 16 }->{$target} // die "no calling convention is called $target\n";
my @large = qw(words3 words4 doubles3 bytes17 packed19 mixed4 wide_fields either shorts15 moved_only);
if ($target ne 'x86_64') {
    delete @argument{qw(empty empty16 two_empty)};
    if ($target eq 'riscv64') {
        $argument{$_} = 1 for @large, 'cache_line';
    } elsif ($target eq 'ppc') {        # every class by the address of a copy; a long takes one register
        my @classes = (@large, qw(empty empty16 two_empty cache_line of_bit of_bytes of_short));
        $argument{$_} = $result{$_} = 1 for @classes;
        delete @argument{ 'cache_line', grep { /_wide$/ } keys %argument };
        delete @result{ grep { /_wide$/ } keys %result };
        $argument{'long long'} = 2;
    } elsif ($target eq 'ppc64le') {    # each takes its words, also values in other registers
        delete @argument{ 'cache_line', 'wide_fields' };
        delete @result{ 'empty16', 'cache_line', @large };
        $argument{$_} = 3 for @large;
        @argument{qw(words4 shorts15 mixed4)} = (4, 4, 5);
        delete $argument{wide_fields};
        @argument{ 'float', 'double', 'long double' } = (1, 1, 2);
    } elsif ($target eq 'windows') {    # one each; a long has 32 bits, so some structs are small there
        $argument{$_} = 1 for keys %argument, 'of_bit', 'of_bytes', 'of_short';
        delete @result{qw(empty16 words3 words4 packed19 moved_only)};
        $result{'long double'} = 1;
    } elsif ($target eq 's390x') {      # one each, except floating-point numbers that fit a register
        my @wide = ('long double', grep { /_wide$/ } keys %argument);
        $argument{$_} = 1 for @large, @wide;
        delete @argument{qw(cache_line wide_fields)};
        delete @result{qw(cache_line wide_fields empty empty16 two_empty of_bit of_bytes of_short std::nullptr_t)};
        $result{$_} = 1 for @wide;
    } elsif ($target eq 'i386') {       # stack words; a long takes one, so some structs are small there
        my %words = ('long long' => 2, double => 2, 'long double' => 3, doubles3 => 6, bytes17 => 5, mixed4 => 6, either => 6, shorts15 => 8);
        delete @argument{ 'cache_line', @large, grep { /_wide$/ } keys %argument };
        @argument{ 'float', keys %words } = (1, values %words);
        delete @result{ qw(empty empty16 two_empty of_bit of_bytes of_short words3 words4 packed19 moved_only), grep { /_wide$/ } keys %result };
    } else {
        delete @argument{@large};
        $argument{cache_line} = 1;
    }
    if ($target eq 'arm') {
        delete @argument{ 'cache_line', grep { /_wide$/ } keys %argument };
        delete @result{ 'empty16', @large, grep { /_wide$/ } keys %result };
        $argument{'long long'} = 2;
    }
    if ($target eq 'aarch64') { $_ = 0 for values %result }
}
# The registers in use after an argument, given those before: integer, and floating-point.
sub after {
    my ($type, $integers, $floats) = @_;
    if ($target eq 'riscv64' && $type =~ /^(float|double|long double)$/) {
        return ($integers + 2, $floats) if $type eq 'long double';
        return $floats < 8 ? ($integers, $floats + 1) : ($integers + 1, $floats);
    }
    $integers += $integers % 2 if $argument{$type} == 2 && $target =~ /^a|^ppc$/;
    return ($integers + $argument{$type}, $floats);
}
my @arguments = sort keys %argument;
my @results = sort keys %result;

sub pick { $_[rand @_] }

print qq(#include "signatures.hpp"\n);
my (@callbacks, @callers);
for my $case (1 .. $count) {
    my $result = pick @results;
    my ($integers, $floats) = ($result{$result}, 0);
    my @types;
    for (1 .. int rand 13) {
        my $type = pick @arguments;
        my @after = after($type, $integers, $floats);
        next if $after[0] >= $most;
        ($integers, $floats) = @after;
        push @types, $type;
    }
    my $number = 0;
    my (@parameters, @checks, @values, @aliases);
    for my $type (@types) {
        my ($of, $is) = ($case + 3 * $number, "a$number");
        push @aliases, "using t${case}_$number = " . ($type =~ s/\(\*\)\(double\)/(*)(double)/r) . ';';
        push @parameters, "t${case}_$number $is";
        push @checks, "CHECK(value<t${case}_$number>::is($is, $of));";
        push @values, "value<t${case}_$number>::of($of)";
        $number++;
    }
    my ($parameters, $values) = (join(', ', @parameters), join(', ', @values));
    my $back = $result eq 'void' ? '' : "return value<r$case>::of(@{[$case + 5]});";
    my $list = join ', ', map { "t${case}_$_" } 0 .. $#types;
    print "@aliases\nusing r$case = $result;\nvoid call_$case(r$case (*function)($list));\n";
    my $call = "function($values)";
    my $check = $result eq 'void' ? "$call;" : "r$case got = $call; CHECK(value<r$case>::is(got, @{[$case + 5]}));";
    push @callers, "void call_$case(r$case (*function)($list))\n{\n    $check\n}\n";
    push @callbacks, <<END;
static void callback_$case()
{
    unsigned long tag = $case * 0x1234567UL;
    int calls = 0;
    auto function = [tag, &calls]($parameters) -> r$case {
        CHECK(tag == $case * 0x1234567UL);
        calls++;
        @checks
        $back
    };
    statictramp::callback<decltype(function)> bound(std::move(function));
    call_$case(bound.get());
    call_$case(bound.get());
    CHECK(calls == 2);
}
END
}
print "#ifdef CALLERS\n@callers#else\n@callbacks";
print "int main()\n{\n", (map { "    callback_$_();\n" } 1 .. $count), "}\n#endif\n";
