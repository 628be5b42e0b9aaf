# mutate.pl SEED FILE: reroutes pointers without changing their values or the program's meaning. It reroutes each pointer that a
# line names in "; mutate %x" and, in a module from flang, the chain of each trampoline.
use strict;
use warnings;

my ($seed, $path) = @ARGV;
srand($seed);
open(my $file, '<', $path) or die "$path: $!\n";
my @lines = <$file>;
my $is_generated = grep { /; mutate %/ } @lines;
my $next = 0;
sub one_of { $_[rand @_] }
# Some modules have few rerouted pointers, so that most cells are still found, and others have none.
my $share = one_of(0, 0.06, 0.06, 0.2, 0.6);
sub name { "$_[0].$seed." . $next++ }

# Each route consists of a function from a pointer's name to three results: lines for the entry, lines before the use, and the new
# pointer's name.
my %way = (
    freeze => sub { my ($x) = @_; my $y = '%' . name('frozen'); ([], "  $y = freeze ptr $x\n", $y) },
    steps => sub {
        my ($x) = @_;
        my ($y, $z) = map { '%' . name('step') } 1, 2;
        my $by = one_of(1, 8, 24, 1000);
        ([], "  $y = getelementptr i8, ptr $x, i64 $by\n  $z = getelementptr [$by x i8], ptr $y, i64 -1\n", $z);
    },
    select => sub {
        my ($x) = @_;
        my ($which, $y) = map { '%' . name($_) } qw(which selected);
        ([], "  $which = load volatile i1, ptr \@yes\n  $y = select i1 $which, ptr $x, ptr \@decoy\n", $y);
    },
    phi => sub {
        my ($x) = @_;
        my ($which, $y) = map { '%' . name($_) } qw(which merged);
        my ($one, $other, $joined) = map { name($_) } qw(one other joined);
        ([], "  $which = load volatile i1, ptr \@yes\n  br i1 $which, label %$one, label %$other\n$one:\n  br label %$joined\n$other:\n"
            . "  br label %$joined\n$joined:\n  $y = phi ptr [ $x, %$one ], [ \@decoy, %$other ]\n", $y);
    },
    number => sub {
        my ($x) = @_;
        my ($n, $y) = map { '%' . name($_) } qw(number pointer);
        ([], "  $n = ptrtoint ptr $x to i64\n  $y = inttoptr i64 $n to ptr\n", $y);
    },
    space => sub {
        my ($x) = @_;
        my ($there, $y) = map { '%' . name($_) } qw(there back);
        ([], "  $there = addrspacecast ptr $x to ptr addrspace(1)\n  $y = addrspacecast ptr addrspace(1) $there to ptr\n", $y);
    },
    aggregate => sub {
        my ($x) = @_;
        my ($all, $y) = map { '%' . name($_) } qw(all part);
        ([], "  $all = insertvalue { i32, ptr } undef, ptr $x, 1\n  $y = extractvalue { i32, ptr } $all, 1\n", $y);
    },
    vector => sub {
        my ($x) = @_;
        my ($all, $y) = map { '%' . name($_) } qw(all part);
        ([], "  $all = insertelement <2 x ptr> undef, ptr $x, i64 1\n  $y = extractelement <2 x ptr> $all, i64 1\n", $y);
    },
    same => sub { my ($x) = @_; my $y = '%' . name('same'); ([], "  $y = call ptr \@same(ptr $x)\n", $y) },
    record => sub {
        my ($x) = @_;
        my ($record, $place, $y) = map { '%' . name($_) } qw(record place loaded);
        (["  $record = alloca { ptr, ptr, i64 }\n"], "  store ptr \@decoy, ptr $record\n  $place = getelementptr { ptr, ptr, i64 }, ptr $record, i64 0, i32 1\n"
            . "  store ptr $x, ptr $place\n  $y = load ptr, ptr $place\n", $y);
    },
    copied => sub {
        my ($x) = @_;
        my ($one, $two, $y) = map { '%' . name($_) } qw(one two loaded);
        (["  $one = alloca ptr\n", "  $two = alloca ptr\n"], "  store ptr $x, ptr $one\n"
            . "  call void \@llvm.memcpy.p0.p0.i64(ptr $two, ptr $one, i64 8, i1 false)\n  $y = load ptr, ptr $two\n", $y);
    },
    shared => sub {
        my ($x) = @_;
        my $y = '%' . name('kept');
        ([], "  store ptr $x, ptr \@keeper\n  $y = load ptr, ptr \@keeper\n", $y);
    },
);

# The pointer is loaded from a variable. Another frame is visibly assigned to the variable first, and then the right frame in one
# of these ways.
my %writer = (
    call => sub { my ($v, $x) = @_; "  call void \@assign(ptr $v, ptr $x)\n" },
    outside => sub { my ($v, $x) = @_; "  call void \@assign_from_anywhere(ptr $v, ptr $x)\n" },
    exchange => sub { my ($v, $x) = @_; '  %' . name('old') . " = atomicrmw xchg ptr $v, ptr $x seq_cst\n" },
    kept => sub {
        my ($v, $x) = @_;
        my $kept = '%' . name('kept');
        "  store ptr $v, ptr \@keeper\n  $kept = load ptr, ptr \@keeper\n  store ptr $x, ptr $kept\n";
    },
    parts => sub {
        my ($v, $x) = @_;
        my ($bits, $low, $shifted, $high, $upper) = map { '%' . name($_) } qw(bits low shifted high upper);
        "  $bits = ptrtoint ptr $x to i64\n  $low = trunc i64 $bits to i32\n  $shifted = lshr i64 $bits, 32\n  $high = trunc i64 $shifted to i32\n"
            . "  store i32 $low, ptr $v\n  $upper = getelementptr i8, ptr $v, i64 4\n  store i32 $high, ptr $upper\n";
    },
    chosen => sub {
        my ($v, $x) = @_;
        my ($which, $place) = map { '%' . name($_) } qw(which place);
        "  $which = load volatile i1, ptr \@yes\n  $place = select i1 $which, ptr $v, ptr \@decoy\n  store ptr $x, ptr $place\n";
    },
    same => sub {
        my ($v, $x) = @_;
        my $place = '%' . name('same');
        "  $place = call ptr \@same(ptr $v)\n  store ptr $x, ptr $place\n";
    },
    computed => sub {
        my ($v, $x) = @_;
        my ($which, $n, $place) = map { '%' . name($_) } qw(which number place);
        "  $which = load volatile i1, ptr \@yes\n  $n = zext i1 $which to i64\n  $place = getelementptr [8 x i8], ptr $v, i64 $n\n"
            . "  %back$next = getelementptr i8, ptr $place, i64 -8\n  store ptr $x, ptr %back$next\n";
    },
);
for my $writer (sort keys %writer) {
    $way{"decoy_$writer"} = sub {
        my ($x) = @_;
        my ($variable, $frame, $y) = map { '%' . name($_) } qw(variable frame loaded);
        (["  $variable = alloca [2 x ptr]\n", "  $frame = alloca [2 x i64]\n"], "  store ptr $frame, ptr $variable\n"
            . $writer{$writer}->($variable, $x) . "  $y = load ptr, ptr $variable\n", $y);
    };
}
# flang's modules contain phis, so their blocks must keep their names. They do not contain the functions that are called here.
my @ways = grep { $is_generated || /^(?:freeze|steps|number|space|aggregate|vector|record|decoy_exchange|decoy_parts)$/ } sort keys %way;

# Each function is handled separately, because variables are added to its entry.
my ($entry_at, @out);
for my $line (@lines) {
    if ($line =~ /^define /) {
        push @out, $line;
        $entry_at = @out;
        next;
    }
    if (defined $entry_at && $entry_at == @out && $line =~ /^[\w.\$]+:/) {
        push @out, $line;
        $entry_at = @out;
        next;
    }
    my $pointer;
    if ($is_generated) {
        $pointer = $1 if $line =~ s/ ; mutate (%[\w.]+)$//;
    } elsif ($line =~ /call void \@llvm\.init\.trampoline\(ptr \S+, ptr \S+, ptr (%[\w.]+)\)/) {
        $pointer = $1;
    }
    if (defined $pointer && rand() < $share) {
        my ($before, $now) = ('', $pointer);
        for (1 .. 1 + int rand 2) {
            my ($entry, $text, $new) = $way{one_of(@ways)}->($now);
            splice @out, $entry_at, 0, @$entry;
            $before .= $text;
            $now = $new;
        }
        push @out, $before;
        # This is the last operand with the name, which is the chain of a trampoline.
        $line =~ s/^(.*)ptr ((?:\w+ )*)\Q$pointer\E\b/$1ptr $2$now/;
        $line =~ s/^(  store )ptr \Q$pointer\E,/$1ptr $now,/;
    }
    push @out, $line;
}
print @out;
