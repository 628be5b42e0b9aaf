# sizes.pl KIND COUNT: prints IR of a given size, for the test that the time of the analysis is linear in the size.
use strict; use warnings;
my ($kind, $count) = @ARGV;
print "declare void \@llvm.init.trampoline(ptr, ptr, ptr)\ndeclare ptr \@llvm.adjust.trampoline(ptr)\ndeclare void \@elsewhere(ptr)\n";
print "define internal i32 \@inner(ptr nest %chain) {\n  %n = load i32, ptr %chain\n  ret i32 %n\n}\n";
sub take { my ($chain) = @_; "  call void \@llvm.init.trampoline(ptr %memory, ptr \@inner, ptr $chain)\n  %address = call ptr \@llvm.adjust.trampoline(ptr %memory)\n  call void \@elsewhere(ptr %address)\n" }
if ($kind eq 'steps' || $kind eq 'selects') {
    print "define void \@host(i1 %which) {\n  %p0 = alloca i32\n  %other = alloca i32\n  %memory = alloca [32 x i8]\n";
    for my $i (1 .. $count) {
        my $before = $i - 1;
        print $kind eq 'steps' ? "  %p$i = getelementptr i8, ptr %p$before, i64 ${\($i % 2 ? 1 : -1)}\n" : "  %p$i = select i1 %which, ptr %p$before, ptr %other\n";
    }
    print take("%p$count"), "  ret void\n}\n";
} elsif ($kind eq 'hosts') {
    # Each host takes the address itself, and calls a sibling that takes it.
    for my $i (1 .. $count) {
        print "define internal void \@sibling$i(ptr nest %tuple) {\n  %memory = alloca [32 x i8]\n", take("%tuple"), "  ret void\n}\n";
        print "define void \@host$i(ptr %x) {\n  %tuple = alloca { ptr }\n  %memory = alloca [32 x i8]\n  store ptr %x, ptr %tuple\n  call void \@sibling$i(ptr %tuple)\n", take("%tuple"), "  ret void\n}\n";
    }
} elsif ($kind eq 'calls') {
    # Each host calls the next one.
    for my $i (1 .. $count) {
        my $next = $i < $count ? "  call void \@host${\($i + 1)}(ptr %x)\n" : '';
        print "define void \@host$i(ptr %x) {\n  %tuple = alloca { ptr }\n  %memory = alloca [32 x i8]\n  store ptr %x, ptr %tuple\n$next", take("%tuple"), "  ret void\n}\n";
    }
} elsif ($kind eq 'siblings') {
    # The siblings pass the tuple on, and each of them takes the address.
    for my $i (1 .. $count) {
        my $next = $i < $count ? "  call void \@sibling${\($i + 1)}(ptr %tuple)\n" : '';
        print "define internal void \@sibling$i(ptr nest %tuple) {\n  %memory = alloca [32 x i8]\n$next", take("%tuple"), "  ret void\n}\n";
    }
    print "define void \@host(ptr %x) {\n  %tuple = alloca { ptr }\n  store ptr %x, ptr %tuple\n  call void \@sibling1(ptr %tuple)\n  ret void\n}\n";
} elsif ($kind eq 'procedures') {
    # There is one host with many procedures, in many blocks with returns.
    print "define internal i32 \@inner$_(ptr nest %chain) {\n  ret i32 $_\n}\n" for 1 .. $count;
    print "define void \@host(i1 %x) {\n  %tuple = alloca { ptr }\n  %memory = alloca [32 x i8]\n";
    for my $i (1 .. $count) {
        print "  call void \@llvm.init.trampoline(ptr %memory, ptr \@inner$i, ptr %tuple)\n  %address$i = call ptr \@llvm.adjust.trampoline(ptr %memory)\n  call void \@elsewhere(ptr %address$i)\n";
    }
    print "  ret void\n}\n";
}
