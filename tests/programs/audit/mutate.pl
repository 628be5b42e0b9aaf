# mutate.pl SEED FILE OUT: copies a file, either with a few bytes changed or truncated. Most changes are in the headers.
use strict;
use warnings;
my ($seed, $from, $to) = @ARGV;
srand $seed;
open my $in, '<:raw', $from or die "$from: $!";
local $/;
my $bytes = <$in>;
for (1 .. 1 + int rand 8) {
    my $within = rand() < 0.7 ? 1024 : length $bytes;
    $within = length $bytes if $within > length $bytes;
    my $value = (0, 0xff, 0x7f, 0x80, int rand 256)[rand 5];
    substr $bytes, int(rand $within), 1, chr $value;
}
$bytes = substr $bytes, 0, int rand length $bytes if rand() < 0.2;
open my $out, '>:raw', $to or die "$to: $!";
print $out $bytes;
