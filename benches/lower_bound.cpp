// The costs of a search for a device's function with C++'s lower_bound: `lower_bound CASE COUNT` prints the nanoseconds
// that COUNT searches took. The cases are "hit, N", "miss, N" and "out of range, N".

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <time.h>
#include <utility>
#include <vector>

static uint64_t state;
static uint64_t below(uint64_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % limit;
}

int main(int argc, char **argv)
{
    if (argc != 3 || !std::strchr(argv[1], ','))
        return 2;
    const uint64_t functions = std::strtoull(std::strchr(argv[1], ',') + 1, nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
    const uint64_t aside = argv[1][0] == 'h' ? 0 : argv[1][0] == 'm' ? 8 : uint64_t(1) << 40;
    std::vector<std::pair<uint64_t, uint64_t>> table;
    std::vector<uint64_t> queries;
    state = 1;
    for (uint64_t at = 0x555555550000, i = 0; i < functions; i++)
        table.emplace_back(at += 16 * (1 + below(64)), 0x700000000000 + i);
    state = 2;
    for (int i = 0; i < 1 << 16; i++)
        queries.push_back(table[below(functions)].first + aside);
    uint64_t sum = 0;
    timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t host = queries[i % queries.size()];
        const auto found = std::lower_bound(table.begin(), table.end(), host, [](const auto &pair, uint64_t key) { return pair.first < key; });
        sum += found != table.end() && found->first == host ? found->second : host;
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    std::printf("%.0f\n", double(end.tv_sec - start.tv_sec) * 1e9 + double(end.tv_nsec - start.tv_nsec));
    return sum == 42;
}
