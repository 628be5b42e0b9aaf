# Random classes for the C++ wrapper: classes.pl COUNT SEED. Their special members are of every kind, so some classes are passed
# and returned in registers, and some by address. A direct call is the reference. The program prints how many classes the wrapper
# accepts.

use strict;
use warnings;

my ($count, $seed) = @ARGV;
srand $seed;
sub pick { $_[rand @_] }

print <<'END';
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%s: %s\n", __PRETTY_FUNCTION__, #condition), std::exit(1)))
#ifdef __clang__
#define TRIVIAL_ABI __attribute__((trivial_abi))
#else
#define TRIVIAL_ABI
#endif

struct number { // distinguishes the constructor from a number from all others
    long n;
};
struct access { // a friend of all classes
    template <class T>
    static T make(long n) { return T(number{n}); }
    template <class T>
    static void take(long (*f)(long, T, long), long n) { CHECK(f(n, T(number{n + 1}), n + 2) == n + 3); }
    template <class T>
    static void give(T (*f)(long, long), long n)
    {
        T &&given = f(n, n + 1);
        CHECK(given.is(n));
    }
};
template <class T>
constexpr bool is_taken = statictramp::detail::parameter<T>::is_known && statictramp::detail::is_clear<T>::value;
template <class T>
constexpr bool is_given = statictramp::detail::result<T>::is_known && statictramp::detail::is_clear<T>::value;
static unsigned taken, given;
template <class T, bool can_be_given>
void check(long n)
{
    long base = n;
    if constexpr (is_taken<T>) {
        statictramp::function<long(long, T, long)> f = [base](long a, const T &b, long c) {
            return a == base && b.is(base + 1) && c == base + 2 ? base + 3 : 0;
        };
        access::take<T>(f.get(), n);
        taken++;
    }
    if constexpr (is_given<T> && can_be_given) {
        statictramp::function<T(long, long)> f = [base](long a, long b) { return access::make<T>(a == base && b == base + 1 ? a : 0); };
        access::give<T>(f.get(), n);
        given++;
    }
}
END

my (@classes, @checks);
for my $case (1 .. $count) {
    my ($name, @lines, $section) = ("c$case");
    # At most one other class, as a base or as a member.
    my ($other, $how) = @classes && rand() < 0.4 ? (pick(@classes), pick(qw(base member virtual))) : (undef, 'none');
    ($other, $how) = (undef, 'none') if $other && ($other->{destructor} eq 'private' || ($how eq 'member' && $other->{destructor} eq 'protected'));
    my @fields = map { [pick('char', 'int', 'long', 'float', 'double'), "f$_"] } 1 .. pick(1, 1, 2, 2, 3, 4);
    my @ways = rand() < 0.5 ? ('', 'default') : (qw(default delete user later), ''); # the first two are trivial
    my ($copy, $move, $destroy) = (pick(@ways, 'delete', 'of_variable', 'default_argument'), pick(@ways, ''), pick(@ways, ''));
    $destroy = 'default' if $destroy eq 'delete'; # a parameter could not be destroyed
    # A special member of a class with a base or a member may be deleted, and must not be defined later then.
    $_ eq 'later' && $other and $_ = 'default' for $copy, $move, $destroy;
    my %access = map { $_ => pick('public', 'public', 'public', 'protected', 'private') } qw(copy move destroy);
    $access{destroy} = 'public' if !$destroy;
    my $copied = $copy eq 'of_variable' ? "$name &other" : "const $name &other" . ($copy eq 'default_argument' ? ', int = 0' : '');
    my $init = !$other ? '' : $how eq 'member' ? ': member(number{0})' : ": $other->{name}(number{0})";
    my $declare = sub {
        my ($head, $way, $body) = @_;
        return $way =~ /^(default|of_variable)$/ ? "$head = default;" : $way eq 'delete' ? "$head = delete;" : $way eq 'later' ? "$head;" : "$head $body";
    };
    my $bytes = "{ std::memcpy(static_cast<void *>(this), static_cast<const void *>(&other), sizeof *this); }";
    push @lines, "$access{copy}: " . $declare->("$name($copied)", $copy, "$init $bytes") if $copy;
    push @lines, "$access{move}: " . $declare->("$name($name &&other)", $move, "$init $bytes") if $move;
    push @lines, "$access{destroy}: " . $declare->("~$name()", $destroy, '{}') if $destroy;
    push @lines, pick('public: ', 'private: ') . "$name &operator=(const $name &)" . pick(' = default;', ' = delete;', ' { return *this; }') if rand() < 0.3;
    push @lines, "public: template <class T, class = decltype(T::of)> $name(T &&) {}" if rand() < 0.1;
    push @lines, 'public: virtual int table() const { return 1; }' if rand() < 0.1;
    my $number = 0;
    my %value = map { $_->[1] => 'static_cast<' . $_->[0] . '>(from.n * ' . (++$number + 2) . ' % 120)' } @fields;
    my $sets = join '', map { " $_->[1] = $value{$_->[1]};" } @fields;
    my $compares = join ' && ', ($other ? $how eq 'member' ? 'member.is(n + 1)' : "$other->{name}::is(n + 1)" : ()), map { "$_->[1] == $value{$_->[1]}" } @fields;
    my $begin = $other ? $init =~ s/number\{0\}/number{from.n + 1}/r : '';
    my $base = $other && $how ne 'member' ? ' : ' . pick('public ', 'private ') . ($how eq 'virtual' ? 'virtual ' : '') . $other->{name} : '';
    my $attribute = rand() < 0.15 ? 'TRIVIAL_ABI ' : '';
    # An indirect virtual base is initialized by the most derived class.
    my @virtual = $other ? ($how eq 'virtual' ? ($other->{name}) : (), $how ne 'member' ? @{ $other->{virtual} } : ()) : ();
    if (@virtual > ($how eq 'virtual' ? 1 : 0)) { ($other, $how, $base, $init) = (undef, 'none', '', ''); redo; }
    print "struct ${attribute}$name$base {\n    friend struct access;\n", (map { "    $_\n" } @lines),
        "  public:\n    explicit $name(number from) $begin {$sets }\n",
        "    bool is(long n) const { number from{n}; return $compares; }\n",
        ($other && $how eq 'member' ? "    $other->{name} member;\n" : ''), (map { "    $_->[0] $_->[1];\n" } @fields), "};\n";
    my $inline = "inline $name";
    print "${inline}::$name($copied) = default;\n" if $copy eq 'later';
    print "${inline}::$name($name &&other) = default;\n" if $move eq 'later';
    print "${inline}::~$name() = default;\n" if $destroy eq 'later';
    my $standard = !$base && !grep { /virtual/ } @lines;
    my $listed = $standard && (!$other || $other->{listed}) && rand() < 0.7;
    print "STATICTRAMP_MEMBERS($name, ", join(', ', ($other ? 'member' : ()), map { $_->[1] } @fields), ");\n" if $listed;
    # The defaulted copy constructor of a class with such a base or member would also take a reference to a variable.
    push @classes, { name => $name, destructor => $access{destroy}, virtual => \@virtual, listed => $listed }
        if $copy ne 'of_variable';
    push @checks, "    check<$name, " . ($access{destroy} eq 'public' ? 'true' : 'false') . ">($case);\n";
}
print "int main()\n{\n@checks    std::printf(\"%u of $count classes are taken, %u are given\\n\", taken, given);\n}\n";
