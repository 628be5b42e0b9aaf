#!/usr/bin/perl
# calls.pl LIBGCC LIBM: prints a C program that calls each function of two lists, one name per line, with many inputs, and prints
# a digest of each one's results. The argument types of libgcc's functions follow from their names (GCC internals, "Library
# functions"), those of libm's from <math.h>. If a name is unknown, the script ends with an error.
use strict;
use warnings;

my ($libgcc, $libm) = map { open my $file, '<', $_ or die "$_: $!\n"; chomp(my @names = <$file>); [@names] } @ARGV;
my %type = (hf => '_Float16', sf => 'float', df => 'double', tf => 'quad', si => 'int32_t', di => 'int64_t', ti => '__int128',
    sc => '_Complex float', dc => '_Complex double', tc => '_Complex quad');
my %part = (sc => 'sf', dc => 'df', tc => 'tf');
my $f = qr/(hf|sf|df|tf)/;
my $i = qr/(si|di|ti)/;

# prototype NAME: returns the function's result type, and the KIND and mode of each argument.
sub prototype_of {
    local $_ = shift;
    return ("$1", "any $1", "any $1") if /^__(?:add|sub|mul|div)${f}3$/;
    return ('si', "any $1", "any $1") if /^__(?:eq|ne|lt|le|gt|ge|unord|cmp)${f}2$/;
    return ("$1", "any $1") if /^__neg${f}2$/;
    return ("$2", "any $1") if /^__fix(?:uns)?$f$i$/;
    return ("$2", "any $1") if /^__float(?:un)?$i$f$/;
    return ("$2", "any $1") if /^__(?:extend|trunc)$f${f}2$/;
    return ("$1", "any $1", 'power si') if /^__powi${f}2$/;
    return ("$1", ("any $part{$1}") x 4) if /^__(?:mul|div)(sc|dc|tc)3$/;
    return ("$1", "any $1", "shift_$1 si") if /^__(?:ashl|ashr|lshr)${i}3$/;
    return ("$1", "any $1", "any $1") if /^__mul${i}3$/;
    return ("$1", "any $1", "divisor $1") if /^__u?(?:div|mod)${i}3$/;
    return ("$1", "small $1", "small $1") if /^__(?:add|sub|mul)v${i}3$/;
    return ("$1", "small $1") if /^__(?:neg|abs)v${i}2$/;
    return ("$1", "any $1") if /^__(?:neg|bswap)${i}2$/;
    return ('si', "divisor $1") if /^__c[lt]z${i}2$/; # undefined for zero
    return ('si', "any $1") if /^__(?:ffs|popcount|parity|clrsb)${i}2$/;
    return ('si', "any $1", "any $1") if /^__u?cmp${i}2$/;
    return ("$1", "any $1", "divisor $1", "rest $1") if /^__u?divmod${i}4$/;
    return ('sf', 'half') if /^__gnu_h2f_ieee$/;
    return ('half', 'any sf') if /^__gnu_f2h_ieee$/;
    return;
}

my $functions = '';
my $calls = '';
for my $name (@$libgcc) {
    # These are aliases for Arm's compilers, and atomic exchanges, whose results involve no rounding.
    next if $name =~ /^__aeabi_|^__aarch64_(?:cas|swp|ld)/;
    next if $name =~ /^__gnu_.2._ieee$/ and grep { $_ eq '__aeabi_dadd' } @$libgcc; # two calling conventions
    my ($result, @arguments) = prototype_of($name) or die "calls.pl: what does $name take?\n";
    # For these functions, Arm's run-time ABI passes floating-point arguments in core registers, whatever convention the program
    # uses.
    my $convention = $name =~ /powi|[ds]c3$/ ? '' : 'RUN_TIME_ABI ';
    my @types = map { my ($kind, $mode) = split; $kind eq 'rest' ? "$type{$mode} *" : $type{$mode} } @arguments;
    my @values = map { my ($kind, $mode) = split; $kind eq 'rest' ? '&rest' : "${kind}" . ($kind =~ /_/ ? '' : "_$mode") . "($_)" =~ s/\(.*/()/r } @arguments;
    my $rest = (grep { /^rest/ } @arguments) ? $type{$result} : '';
    $functions .= "$convention$type{$result} $name(" . join(', ', @types) . ");\nstatic void of_$name(void) {\n"
        . "    $convention$type{$result} (*volatile call)(" . join(', ', @types) . ") = $name;\n"
        . ($rest ? "    $rest rest;\n" : '')
        . "    for (long n = 0; n < rounds; n++) {\n"
        . join('', map { $values[$_] eq '&rest' ? '' : "        $types[$_] a$_ = $values[$_];\n" } 0 .. $#values)
        . "        $type{$result} result = call(" . join(', ', map { $values[$_] eq '&rest' ? '&rest' : "a$_" } 0 .. $#values) . ");\n"
        . "        digest(&result, sizeof result);\n" . ($rest ? "        digest(&rest, sizeof rest);\n" : '') . "    }\n}\n";
    $calls .= "    begin(); of_$name(); end(\"$name\");\n";
}
$calls .= "    begin(); OF($_); end(\"$_\");\n" for @$libm;
while (<DATA>) {
    s/^FUNCTIONS$/$functions/;
    s/^CALLS$/$calls/;
    print;
}

__DATA__
#define _GNU_SOURCE
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
typedef __float128 quad;
#elif __SIZEOF_LONG_DOUBLE__ == 16
typedef long double quad;
#endif
#ifdef __arm__
#define RUN_TIME_ABI __attribute__((pcs("aapcs")))
#else
#define RUN_TIME_ABI
#endif

static long rounds;
static uint64_t state, hash;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
static void digest(const void *what, size_t size)
{
    for (const unsigned char *p = what; size--; p++)
        hash = (hash ^ *p) * 0x100000001b3;
}
static void begin(void) { state = 0x9e3779b97f4a7c15, hash = 0xcbf29ce484222325; }
static void end(const char *name) { printf("%s %016llx\n", name, (unsigned long long)hash); }

/* Numbers of any size, near each other, near whole ones, zeroes, infinities and quiet NaNs. */
#define FLOATING(mode, type)                                                               \
    static type any_##mode(void)                                                           \
    {                                                                                      \
        uint64_t random = next();                                                          \
        int64_t whole = (int64_t)next();                                                   \
        switch (random % 16) {                                                             \
        case 0: return 0.0f;                                                               \
        case 1: return -0.0f;                                                              \
        case 2: return (type)__builtin_inff();                                             \
        case 3: return (type)__builtin_nanf("");                                           \
        case 4: return (type)-__builtin_inff();                                            \
        case 5: case 6: return (type)(float)(whole >> (random >> 58));                     \
        case 7: case 8: return (type)((float)(whole >> 50) + 0.5f);                        \
        case 9: return (type)1e-38f * (type)(float)whole;                                  \
        default: return (type)((double)whole / (double)(1 + (random >> (random >> 59))));  \
        }                                                                                  \
    }
FLOATING(sf, float)
FLOATING(df, double)
#ifdef __FLT16_MAX__
FLOATING(hf, _Float16)
#endif
#if __SIZEOF_INT128__ || defined __i386__
FLOATING(tf, quad)
#endif

#define WHOLE(mode, type)                                                                  \
    static type any_##mode(void)                                                           \
    {                                                                                      \
        uint64_t random = next(), low = next();                                            \
        type all = (type)(((random >> 8) * (unsigned long)1) ^ low);                       \
        if (sizeof all == 16)                                                              \
            all = (type)(all * (type)0x10001) * (type)low + (type)random;                  \
        return random & 1 ? all : all >> (random >> 3) % (sizeof all * 8);                 \
    }                                                                                      \
    static inline type small_##mode(void) { return (type)((int64_t)next() >> (64 - sizeof(type) * 4 + 2)); } \
    static inline type divisor_##mode(void)                                                \
    {                                                                                      \
        type any = any_##mode() | 1;                                                       \
        return any == -1 ? 3 : any;                                                        \
    }                                                                                      \
    static inline int shift_##mode(void) { return (int)(next() % (sizeof(type) * 8)); }
WHOLE(si, int32_t)
WHOLE(di, int64_t)
#if __SIZEOF_INT128__
WHOLE(ti, __int128)
#endif
static inline int power_si(void) { return (int)(next() % 61) - 30; }

/* Functions of <math.h>, by their types. */
#define MATH(mode, type)                                                                   \
    static inline void one_##mode(type (*volatile call)(type))                             \
    {                                                                                      \
        for (long n = 0; n < rounds; n++) {                                                \
            type result = call(any_##mode());                                              \
            digest(&result, sizeof result);                                                \
        }                                                                                  \
    }                                                                                      \
    static inline void two_##mode(type (*volatile call)(type, type))                       \
    {                                                                                      \
        for (long n = 0; n < rounds; n++) {                                                \
            type a = any_##mode(), b = any_##mode(), result = call(a, b);                  \
            digest(&result, sizeof result);                                                \
        }                                                                                  \
    }                                                                                      \
    static inline void three_##mode(type (*volatile call)(type, type, type))               \
    {                                                                                      \
        for (long n = 0; n < rounds; n++) {                                                \
            type a = any_##mode(), b = any_##mode(), c = any_##mode(), result = call(a, b, c); \
            digest(&result, sizeof result);                                                \
        }                                                                                  \
    }
#define BY_TYPE(mode, type)                                                                \
    type (*)(type): one_##mode, type (*)(type, type): two_##mode, type (*)(type, type, type): three_##mode
MATH(sf, float)
MATH(df, double)
#if defined __HAVE_FLOAT128 && __HAVE_FLOAT128
static _Float128 any_f128(void) { return any_tf(); }
MATH(f128, _Float128)
#define BY_FLOAT128 , BY_TYPE(f128, _Float128)
#else
#define BY_FLOAT128
#endif
#define OF(name) _Generic(&name, BY_TYPE(sf, float), BY_TYPE(df, double) BY_FLOAT128)(&name)

FUNCTIONS

int main(int count, char **arguments)
{
    rounds = count > 1 ? atol(arguments[1]) : 1000;
CALLS
    volatile _Complex double a = 1.1 + 2.3 * (_Complex double)__extension__ 1.0i, b = 1.0 + 1.3 * (_Complex double)__extension__ 1.0i, q = a / b;
    double real = __real__ q, imaginary = __imag__ q;
    printf("(1.1,2.3)/(1.0,1.3) = (%a,%a)\n", real, imaginary);
    return 0;
}
