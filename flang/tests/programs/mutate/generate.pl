# generate.pl SEED: prints an IR module with hosts, siblings and callers, in which every address is only used while the function
# that took it runs, so that stock LLVM gives it the same meaning. Guards next to each tuple are checked by the program. Each line
# that ends in "; mutate %x" names a pointer that mutate.pl may reroute.
use strict;
use warnings;

srand($ARGV[0]);
my $next = 0;
sub one_of { $_[rand @_] }
sub name { '%' . $_[0] . $next++ }

print <<'IR';
declare void @llvm.init.trampoline(ptr, ptr, ptr)
declare ptr @llvm.adjust.trampoline(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @printf(ptr, ...)
@format = private constant [22 x i8] c"%d of %d: %d, %d bad\0A\00"
@yes = global i1 true
@keeper = global ptr null
@decoy = global [16 x i64] zeroinitializer

define internal i32 @call_it(ptr %f) noinline {
  %value = call i32 %f()
  ret i32 %value
}

define internal i32 @call_both(ptr %f, ptr %g) noinline {
  %one = call i32 %f()
  %two = call i32 %g()
  %sum = add i32 %one, %two
  ret i32 %sum
}

define internal ptr @same(ptr %pointer) noinline {
  ret ptr %pointer
}

define internal void @assign(ptr %variable, ptr %to) noinline {
  store ptr %to, ptr %variable
  ret void
}

define void @assign_from_anywhere(ptr %variable, ptr %to) noinline {
  store ptr %to, ptr %variable
  ret void
}
IR

my @guard = map { "i64 $_" } 11, 22, 33, 44;
my $guard = "[4 x i64] [" . join(', ', @guard) . "]";
my $hosts = 1 + int rand 3;
for my $h (0 .. $hosts - 1) { host($h) }

# Returns code that adds the value of an address to the sum. Lines for the function's entry are added to the first array.
sub take {
    my ($entry, $h, $chain, $inners) = @_;
    my $memory = name('memory');
    push @$entry, "  $memory = alloca [32 x i8], align 8\n";
    my ($address, $value, $old, $new) = map { name($_) } qw(address value old new);
    my $inner = int rand $inners;
    my $init = "  call void \@llvm.init.trampoline(ptr $memory, ptr \@inner_${h}_$inner, ptr $chain) ; mutate $chain\n";
    my $adjust = "  $address = call ptr \@llvm.adjust.trampoline(ptr $memory)\n";
    my $way = int rand 6;
    my $text;
    if ($way == 0) { # in another block
        my $label = substr(name('later'), 1);
        $text = "$init  br label %$label\n$label:\n$adjust  $value = call i32 \@call_it(ptr $address)\n";
    } elsif ($way == 1) { # through a pointer
        my ($p, $loaded) = (name('p'), name('loaded'));
        push @$entry, "  $p = alloca ptr\n";
        $text = "$init$adjust  store ptr $address, ptr $p\n  $loaded = load ptr, ptr $p\n  $value = call i32 $loaded()\n";
    } elsif ($way == 2) { # directly
        $text = "$init$adjust  $value = call i32 $address()\n";
    } elsif ($way == 3) { # with another address, in separate memory
        my ($memory2, $address2) = (name('memory'), name('address'));
        push @$entry, "  $memory2 = alloca [32 x i8], align 8\n";
        my $inner2 = int rand $inners;
        $text = "$init  call void \@llvm.init.trampoline(ptr $memory2, ptr \@inner_${h}_$inner2, ptr $chain) ; mutate $chain\n$adjust"
            . "  $address2 = call ptr \@llvm.adjust.trampoline(ptr $memory2)\n  $value = call i32 \@call_both(ptr $address, ptr $address2)\n";
    } elsif ($way == 4) { # in one of two variables
        my ($memory2, $which, $chosen) = (name('memory'), name('which'), name('chosen'));
        push @$entry, "  $memory2 = alloca [32 x i8], align 8\n";
        $text = "  $which = load volatile i1, ptr \@yes\n  $chosen = select i1 $which, ptr $memory, ptr $memory2\n$init$adjust";
        $text =~ s/ptr \Q$memory\E(?=[,)])/ptr $chosen/g;
        $text =~ s/(select i1 \S+, ptr )\S+,/$1$memory,/;
        $text .= "  $value = call i32 \@call_it(ptr $address)\n";
    } else {
        $text = "$init$adjust  $value = call i32 \@call_it(ptr $address)\n";
    }
    return $text . "  $old = load i32, ptr %sum\n  $new = add i32 $old, $value\n  store i32 $new, ptr %sum\n";
}

sub call_sibling {
    my ($h, $j, $chain, $x) = @_;
    my ($value, $old, $new) = map { name($_) } qw(value old new);
    return "  $value = call i32 \@sibling_${h}_$j(i32 $x, ptr $chain) ; mutate $chain\n"
        . "  $old = load i32, ptr %sum\n  $new = add i32 $old, $value\n  store i32 $new, ptr %sum\n";
}

# The value is passed through a record, like the shared variables of an OpenMP region.
sub call_region {
    my ($entry, $h, $chain) = @_;
    my ($record, $place, $value, $old, $new) = map { name($_) } qw(record place value old new);
    push @$entry, "  $record = alloca { i64, ptr, ptr }, align 8\n";
    return "  $place = getelementptr { i64, ptr, ptr }, ptr $record, i64 0, i32 1\n  store ptr $chain, ptr $place ; mutate $chain\n"
        . "  $value = call i32 \@region_$h(ptr $record) ; mutate $record\n"
        . "  $old = load i32, ptr %sum\n  $new = add i32 $old, $value\n  store i32 $new, ptr %sum\n";
}

# Repeats a text several times.
sub rounds {
    my ($entry, $text) = @_;
    my ($i, $loaded, $next, $more) = map { name($_) } qw(i loaded next more);
    my ($head, $done) = map { substr(name($_), 1) } qw(round done);
    push @$entry, "  $i = alloca i32\n";
    return "  store i32 0, ptr $i\n  br label %$head\n$head:\n$text  $loaded = load i32, ptr $i\n  $next = add i32 $loaded, 1\n"
        . "  store i32 $next, ptr $i\n  $more = icmp slt i32 $next, 3\n  br i1 $more, label %$head, label %$done\n$done:\n";
}

# Returns a function with its entry, its variables and its body.
sub function {
    my ($head, $entry, $text) = @_;
    print "\n$head {\nentry:\n", @$entry, "  br label %body\nbody:\n", $text, "}\n";
}

sub host {
    my ($h) = @_;
    my $pad = one_of(0, 1, 3, 8, 20);
    my $tuple = "{ i32, [$pad x i8] }";
    my $inners = 1 + int rand 3;
    my $siblings = int rand 4;
    for my $k (0 .. $inners - 1) {
        my $text = "  %n = load i32, ptr %chain\n";
        if (rand() < 0.3) {
            $text .= "  %more = add i32 %n, 1\n  store i32 %more, ptr %chain\n";
        }
        print "\ndefine internal i32 \@inner_${h}_$k(ptr nest %chain) {\n$text  %result = mul i32 %n, ", $k + 2, "\n  ret i32 %result\n}\n";
    }
    for my $j (0 .. $siblings - 1) {
        my @entry = ("  %sum = alloca i32\n");
        my $text = "  store i32 %x, ptr %sum\n";
        my $nest = one_of('', 'nest ', 'nonnull dereferenceable(4) ');
        $text .= take(\@entry, $h, '%chain', $inners) if rand() < 0.8;
        $text .= call_sibling($h, $j + 1, '%chain', '%x') if $j + 1 < $siblings && rand() < 0.7;
        $text .= take(\@entry, $h, '%chain', $inners) if rand() < 0.3;
        if (rand() < 0.3) { # it calls itself
            my ($ends, $less) = (name('ends'), name('less'));
            my ($again, $done) = map { substr(name($_), 1) } qw(again done);
            my $call = call_sibling($h, $j, '%chain', $less);
            $text .= "  $ends = icmp slt i32 %x, 1\n  br i1 $ends, label %$done, label %$again\n$again:\n  $less = sub i32 %x, 1\n$call  br label %$done\n$done:\n";
        }
        my $inlined = one_of('noinline', '');
        function("define internal i32 \@sibling_${h}_$j(i32 %x, ptr ${nest}%chain) $inlined", \@entry,
            "$text  %result = load i32, ptr %sum\n  ret i32 %result\n");
    }
    my @region = ("  %sum = alloca i32\n");
    function("define internal i32 \@region_$h(ptr %record) noinline", \@region,
        "  store i32 0, ptr %sum\n  %place = getelementptr { i64, ptr, ptr }, ptr %record, i64 0, i32 1\n  %chain = load ptr, ptr %place\n"
            . take(\@region, $h, '%chain', $inners) . "  %result = load i32, ptr %sum\n  ret i32 %result\n");

    my @entry = ("  %sum = alloca i32\n", "  %before = alloca [4 x i64], align 8\n", "  %tuple = alloca $tuple, align 8\n", "  %behind = alloca [4 x i64], align 8\n");
    my $text = "  store i32 0, ptr %sum\n  store $guard, ptr %before\n  store $guard, ptr %behind\n  store i32 %n, ptr %tuple\n";
    for (0 .. rand 4) {
        my $do = int rand 6;
        if ($do == 0) { $text .= call_region(\@entry, $h, '%tuple') }
        elsif ($do <= 2 && $siblings) { $text .= call_sibling($h, int rand $siblings, '%tuple', 1 + int rand 3) }
        elsif ($do == 3) { $text .= rounds(\@entry, take(\@entry, $h, '%tuple', $inners)) }
        elsif ($do == 4 && $siblings) { $text .= rounds(\@entry, call_sibling($h, int rand $siblings, '%tuple', 2)) }
        else { $text .= take(\@entry, $h, '%tuple', $inners) }
        if (rand() < 0.2) { # it returns early
            my ($is, $sum) = (name('is'), name('sum'));
            my ($early, $on) = map { substr(name($_), 1) } qw(early on);
            $text .= "  $is = icmp eq i32 %n, 3\n  br i1 $is, label %$early, label %$on\n$early:\n  $sum = load i32, ptr %sum\n  ret i32 $sum\n$on:\n";
        }
        if (rand() < 0.2) { # it calls itself
            my ($ends, $less, $value, $old, $new) = map { name($_) } qw(ends less value old new);
            my ($again, $done) = map { substr(name($_), 1) } qw(again done);
            $text .= "  $ends = icmp slt i32 %n, 3\n  br i1 $ends, label %$done, label %$again\n$again:\n  $less = sub i32 %n, 2\n"
                . "  $value = call i32 \@host_$h(i32 $less, ptr %bad)\n  $old = load i32, ptr %sum\n  $new = add i32 $old, $value\n"
                . "  store i32 $new, ptr %sum\n  br label %$done\n$done:\n";
        }
    }
    for my $of ('before', 'behind') {
        for my $i (0 .. 3) {
            my ($place, $there, $is, $wide, $old, $new) = map { name($_) } qw(place there is wide old new);
            $text .= "  $place = getelementptr i64, ptr %$of, i64 $i\n  $there = load i64, ptr $place\n  $is = icmp ne i64 $there, " . 11 * ($i + 1)
                . "\n  $wide = zext i1 $is to i32\n  $old = load i32, ptr %bad\n  $new = add i32 $old, $wide\n  store i32 $new, ptr %bad\n";
        }
    }
    my $linkage = one_of('internal ', '');
    my $inlined = one_of('noinline', '');
    function("define ${linkage}i32 \@host_$h(i32 %n, ptr %bad) $inlined", \@entry, "$text  %result = load i32, ptr %sum\n  ret i32 %result\n");
}

print "\ndefine i32 \@main() {\nentry:\n  %bad = alloca i32\n  store i32 0, ptr %bad\n";
for my $h (0 .. $hosts - 1) {
    for my $n (1, 3, 6) {
        my ($value, $there, $printed) = map { name($_) } qw(value there printed);
        print "  $value = call i32 \@host_$h(i32 $n, ptr %bad)\n  $there = load i32, ptr %bad\n",
            "  $printed = call i32 (ptr, ...) \@printf(ptr \@format, i32 $n, i32 $h, i32 $value, i32 $there)\n";
    }
}
print "  ret i32 0\n}\n";
