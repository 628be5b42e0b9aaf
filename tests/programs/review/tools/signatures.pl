# Random signatures for the C++ wrapper: signatures.pl COUNT SEED [TARGET]. For each, a callback that checks its
# arguments, and a caller, which another compiler may compile (-DCALLERS).

use strict;
use warnings;

my ($count, $seed, $target) = (@ARGV, 'x86_64');
srand $seed;

# The types of arguments and results on every target, and those that only some targets accept.
my @classes = qw(copied destroyed with_table holds_nothing std::string std::unique_ptr<long>);
my @listed = qw(point tagged small halves triple_float nested with_array bits_and_float long_fields);
my @scalars = (
    'bool', 'char', 'signed char', 'unsigned char', 'short', 'unsigned short', 'int', 'unsigned', 'long', 'unsigned long',
    'long long', 'wchar_t', 'char16_t', 'char32_t', 'small_enum', 'long_enum', 'void *', 'const char *', 'int (*)(double)',
    'long host::*', 'int &', 'const words3 &', 'std::string &', 'double &&', 'words3 &&', 'float', 'double', 'long double',
);
my @wide = map { "statictramp::detail::${_}_wide" } qw(signed unsigned);
my @complex = map { "statictramp::detail::$_" } qw(complex_float complex_double longest_complex);
my @large = qw(words3 words4 doubles3 bytes17 packed19 mixed4 either shorts15 moved_only);
my @aligned = qw(wide_fields cache_line);
my @small = qw(of_bit of_bytes of_short);
my @empty = qw(empty empty16 two_empty);
my %argument = (
    x86_64 => [@large, 'wide_fields', @empty], aarch64 => ['cache_line'], riscv64 => [@large, @aligned], ppc => [@large, 'wide_fields', @small, @empty],
    windows => [@large, @aligned, @small], s390x => \@large, i386 => [@large, @small], sparc64 => [@large, 'wide_fields'],
);
my %result = (
    x86_64 => [@large, @aligned, @empty], aarch64 => [@large, @aligned, @small], riscv64 => [@large, @aligned, @small], ppc64le => \@small,
    ppc => [@large, @aligned, @small, @empty], windows => [@large, @aligned, @small], s390x => [@large, @small],
    i386 => [@large, @aligned], arm => [@small, 'cache_line'], mips64el => [@large, @aligned, @small], sparc64 => [@large, @aligned, @small],
);
my @arguments = (@scalars, @classes, @listed, @listed, @{ $argument{$target} // [] });
my @results = ('void', @scalars, @classes, @listed, @{ $result{$target} // die "no calling convention is called $target\n" });
my @vectors = $target =~ /^(x86_64|aarch64|arm)$/ ? qw(vector8 vector16) : $target =~ /^(ppc64le|windows)$/ ? 'vector16' : ();
push @arguments, @vectors;
push @results, @vectors;
# On MIPS, clang differs from gcc in how it passes complex numbers. On SPARC, gcc 12 fails to compile some
# signatures.
push @arguments, @complex if $target !~ /^(ppc|sparc64|mips64el)$/;
push @results, @complex if $target !~ /^(ppc|sparc64|mips64el)$/;
push @arguments, @wide if $target =~ /^(aarch64|riscv64|ppc64le|windows|s390x)$/;
push @results, @wide if $target !~ /^(i386|arm|ppc|mips64el|sparc64)$/;

sub pick { $_[rand @_] }

print qq(#include "signatures.hpp"\n);
my (@callbacks, @callers);
for my $case (1 .. $count) {
    my $result = pick @results;
    my @types = map { pick @arguments } 1 .. int rand(rand() < 0.1 ? 40 : 13);
    # clang 19 differs from gcc in how it passes parameters after a 128-bit integer that does not fit into registers.
    @types = (pick(@scalars), pick(@wide), pick(@scalars)) if $target eq 'x86_64' && rand() < 0.05;
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
