// Each function of the two headers with values that no program should pass: NULL, misaligned, negative, zero, huge,
// dead and foreign ones, tables of garbage, overlapping memory. Memory that a function may read ends at an inaccessible
// page. values SEED ROUNDS

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "statictramp_interop.h"

#define CHECK(condition) ((condition) ? (void)0 : (fprintf(stderr, "%s, line %d: %s\n", __func__, __LINE__, #condition), exit(1)))
#define COUNT(list) (sizeof(list) / sizeof *(list))
#define FN(function) ((statictramp_fn)(function))
#define E(name) STATICTRAMP_##name

static uint64_t state;
static uint64_t any(void)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}
static const long longs[] = {0, 1, -1, 2, 3, -5, 7, 8, 255, 256, 1 << 20, INT_MAX, INT_MIN, LONG_MAX, LONG_MIN, LONG_MAX / 2, 1L << 32, 1L << 62};
static long some_long(void) { return any() % 4 ? (long)(any() % 5) : longs[any() % COUNT(longs)]; }

enum { PAGE = 4096, ROOM = 16 * PAGE };
static unsigned char *edge; // one past the last accessible byte
static void *before_edge(size_t bytes) { return edge - bytes; }

static void *wild(void)
{
    switch (any() % 6) {
    case 0: return NULL;
    case 1: return (void *)(any() % 4096);
    case 2: return (void *)any();
    case 3: return &state;
    case 4: return (char *)(uintptr_t)exit + any() % 8;
    default: return edge;
    }
}

static void nothing(void *context) { (void)context; }

static void plain(void)
{
    statictramp_fn callee;
    void *chain;
    for (size_t i = 0; i < COUNT(longs); i++) {
        errno = 0;
        statictramp_fn made = statictramp_bind(FN(nothing), &state, (unsigned)longs[i]);
        CHECK(made ? (unsigned)longs[i] < 6 : errno == EINVAL);
        CHECK(!made || (statictramp_lookup(made, &callee, &chain) == 1 && callee == FN(nothing) && chain == &state));
        CHECK(!made || (statictramp_lookup(made, NULL, NULL) == 1 && statictramp_free(made) == 0));
        if (made) {
            CHECK(statictramp_lookup(made, &callee, &chain) == 0 && chain == NULL && statictramp_free(made) == -1);
            for (int into = 1; into < 32; into++) // or the next stub
                CHECK(statictramp_lookup(FN((char *)made + into), NULL, NULL) == -1 && statictramp_free(FN((char *)made + into)) == -1);
        }
        CHECK(statictramp_bind(NULL, NULL, (unsigned)longs[i]) == NULL && errno == EINVAL);
        statictramp_set_limit((size_t)longs[i]);
        CHECK(statictramp_capacity() >= 1024);
    }
    errno = 0;
    CHECK(statictramp_alloc(NULL, &state) == NULL && errno == EINVAL);
    for (int i = 0; i < 10000; i++) {
        statictramp_fn foreign = FN(wild());
        CHECK(statictramp_lookup(foreign, &callee, &chain) == -1 && statictramp_lookup(foreign, NULL, NULL) == -1);
        CHECK(statictramp_free(foreign) == -1);
        statictramp_fn made = statictramp_alloc(FN(wild()), wild()); // never called
        CHECK(!made || statictramp_free(made) == 0);
    }
    statictramp_on_dead_call(NULL);
    CHECK(statictramp_live() == 0 && statictramp_version() == STATICTRAMP_VERSION);
}

static void descriptors(long rounds)
{
    statictramp_view view;
    statictramp_descriptor copy, again;
    CHECK(statictramp_view_descriptor(NULL, &view) == E(DESCRIPTOR_ERROR_NULL));
    CHECK(statictramp_view_descriptor(NULL, NULL) == E(DESCRIPTOR_ERROR_NULL));
    CHECK(statictramp_convert_descriptor(NULL, 0, &copy) == E(DESCRIPTOR_ERROR_NULL));
    CHECK(statictramp_copy_back_descriptor(NULL, NULL) == E(DESCRIPTOR_ERROR_NULL));
    for (int by = 1; by < 8; by++) {
        void *off = edge - 64 + by;
        CHECK(statictramp_view_descriptor(off, &view) == E(DESCRIPTOR_ERROR_MISALIGNED));
        CHECK(statictramp_convert_descriptor(off, 0, &copy) == E(DESCRIPTOR_ERROR_MISALIGNED));
        CHECK(statictramp_copy_back_descriptor(off, &copy) == E(DESCRIPTOR_ERROR_MISALIGNED));
    }
    static const int32_t versions[] = {1, 20180515, 20240719, 0, -1};
    long good = 0;
    for (long round = 0; round < rounds; round++) {
        unsigned rank = any() % 8 ? any() % 16 : any() % 256, known = rank <= 15 ? rank : 0;
        int32_t version = versions[any() % 16 ? any() % 3 : any() % 5];
        unsigned char rest[3];
        for (int i = 0; i < 3; i++)
            rest[i] = (unsigned char)(any() % 8 ? any() % 10 : any());
        unsigned addendum = rest[2] & 1; /* in flang's layouts, the addendum begins with the address of a table */
        uint64_t *words = before_edge(24 + 24 * known + 8 * addendum);
        unsigned char *bytes = (unsigned char *)words;
        for (unsigned i = 0; i < 3 + 3 * known + addendum; i++)
            words[i] = (uint64_t)some_long();
        words[0] = any() % 4 ? (uint64_t)(uintptr_t)edge : words[0];
        memcpy(bytes + 16, &version, 4);
        bytes[20] = (unsigned char)rank;
        memcpy(bytes + 21, rest, 3);
        statictramp_descriptor_error error = statictramp_view_descriptor(words, &view);
        CHECK(statictramp_view_descriptor(words, NULL) == error);
        CHECK(rank <= 15 || error == E(DESCRIPTOR_ERROR_RANK));
        if (error == E(DESCRIPTOR_ERROR_NONE)) {
            good++;
            CHECK(view.rank == (int)rank && (const void *)view.dimensions == words + 3);
        }
        unsigned layout = any() % 5 ? (unsigned)(any() % 3) : (unsigned)some_long();
        statictramp_descriptor_error converted = statictramp_convert_descriptor(words, layout, &copy);
        CHECK(error == E(DESCRIPTOR_ERROR_NONE) || converted != E(DESCRIPTOR_ERROR_NONE));
        CHECK(layout < 3 || converted == E(DESCRIPTOR_ERROR_VERSION));
        if (converted == E(DESCRIPTOR_ERROR_NONE)) {
            CHECK(statictramp_convert_descriptor(words, layout, NULL) == E(DESCRIPTOR_ERROR_NULL));
            CHECK(statictramp_convert_descriptor(words, layout, (void *)((char *)&again + 4)) == E(DESCRIPTOR_ERROR_MISALIGNED));
            CHECK(statictramp_view_descriptor(&copy, &view) == E(DESCRIPTOR_ERROR_NONE) && view.layout == layout);
            CHECK(statictramp_copy_back_descriptor(&copy, NULL) != E(DESCRIPTOR_ERROR_NONE));
            statictramp_copy_back_descriptor(&copy, words);
            again = copy; // both in the same place
            CHECK(statictramp_convert_descriptor(&again, layout, &again) == E(DESCRIPTOR_ERROR_NONE) && memcmp(&again, &copy, 24 + 24 * rank) == 0);
            statictramp_copy_back_descriptor(&again, &again);
            CHECK(memcmp(&again, &copy, 24 + 24 * rank) == 0);
        }
    }
    CHECK(good > rounds / 100);
    int64_t none[] = {(int64_t)(uintptr_t)edge, 4, 1 | 2L << 32 | 2L << 40 | 1L << 48 | 4L << 56, 0, 0, 4, 0, LONG_MAX, LONG_MAX};
    CHECK(statictramp_view_descriptor(none, &view) == E(DESCRIPTOR_ERROR_NONE));
}

static void memrefs(long rounds)
{
    CHECK(statictramp_check_memref(2, NULL, 1, 1) == E(MEMREF_ERROR_NULL) && statictramp_check_memref_identity(2, NULL) == E(MEMREF_ERROR_NULL));
    errno = 0;
    CHECK(statictramp_unranked_result(2, NULL) == NULL && errno == EINVAL);
    int64_t *words = before_edge(24);
    memset(words, 0, 24);
    for (size_t i = 0; i < COUNT(longs); i++) {
        unsigned rank = (unsigned)longs[i];
        if (rank <= 255)
            continue;
        CHECK(statictramp_check_memref(rank, words, 1, 1) == E(MEMREF_ERROR_OUT_OF_BOUNDS));
        CHECK(statictramp_check_memref_identity(rank, words) == E(MEMREF_ERROR_OUT_OF_BOUNDS));
        CHECK(statictramp_unranked_result(rank, words) == NULL && errno == EINVAL);
    }
    CHECK(statictramp_check_memref(0, (char *)words - 4, 1, 1) == E(MEMREF_ERROR_MISALIGNED));
    for (long round = 0; round < rounds; round++) {
        unsigned rank = any() % 64 ? any() % 5 : any() % 256;
        words = before_edge(24 + 16 * rank);
        int negative = 0, zero = 0;
        for (unsigned i = 0; i < 3 + 2 * rank; i++)
            words[i] = some_long();
        for (unsigned i = 3; i < 3 + rank; i++)
            negative |= words[i] < 0, zero |= words[i] == 0;
        size_t align = (size_t)some_long();
        statictramp_memref_error checked = statictramp_check_memref(rank, words, (size_t)some_long(), align);
        statictramp_memref_error same = statictramp_check_memref_identity(rank, words);
        CHECK((checked == E(MEMREF_ERROR_NEGATIVE_SIZE)) == negative && (same == E(MEMREF_ERROR_NEGATIVE_SIZE)) == negative);
        CHECK(negative || (align && !(align & (align - 1))) || checked == E(MEMREF_ERROR_MISALIGNED));
        if (zero && !negative) // no element is outside of any array
            CHECK(checked != E(MEMREF_ERROR_OUT_OF_BOUNDS) && same == (words[2] ? E(MEMREF_ERROR_NOT_IDENTITY) : E(MEMREF_ERROR_NONE)));
        void *copy = statictramp_unranked_result(rank, words);
        CHECK(copy && memcmp(copy, words, 24 + 16 * rank) == 0);
        free(copy);
    }
    int64_t none[] = {0, 0, 0, 0, LONG_MAX, LONG_MAX, 5, 6, 7}, below[] = {0, 0, 0, -5, LONG_MIN, 1, 1, 1, 1};
    CHECK(statictramp_check_memref_identity(3, none) == E(MEMREF_ERROR_NONE) && statictramp_check_memref(3, none, 0, 4) == E(MEMREF_ERROR_NONE));
    CHECK(statictramp_check_memref_identity(3, below) == E(MEMREF_ERROR_NEGATIVE_SIZE));
}

static void *nowhere(const void *memory, int device) { (void)memory, (void)device; return NULL; }
static void *there(const void *memory, int device) { (void)device; return (void *)(uintptr_t)memory; }

struct entry32 { void *address; const char *name; uint64_t size; int32_t flags, reserved; };
struct entry56 { uint64_t reserved; uint16_t version, kind; uint32_t flags; void *address; const char *name; uint64_t size, data, auxiliary; };

static void devices(long rounds)
{
    statictramp_function_pair pairs[8], *misaligned = (void *)((char *)pairs + 4);
    statictramp_parts_on_device parts;
    for (size_t i = 0; i < COUNT(longs); i++) {
        int device = (int)longs[i], known = device >= 0 && device < 64;
        uint64_t count = (uint64_t)longs[i];
        CHECK(statictramp_set_functions(device, 0, NULL) == (known ? E(MAP_ERROR_SET) : E(MAP_ERROR_DEVICE)));
        CHECK(count == 0 || statictramp_set_functions(0, count, NULL) == E(MAP_ERROR_TABLE));
        CHECK(count <= 1 << 20 || statictramp_set_functions(0, count, pairs) == E(MAP_ERROR_TOO_MANY));
        CHECK(statictramp_set_functions(0, 1, misaligned) == E(MAP_ERROR_TABLE));
        CHECK(statictramp_function_on(device, NULL) == NULL && statictramp_function_on(device, FN(wild())) == NULL);
        CHECK(statictramp_on_device(device, FN(wild()), NULL, NULL) == E(NOT_ON_DEVICE_FOREIGN));
        size_t size = (size_t)longs[i];
        CHECK(statictramp_set_functions_of_entries(0, size, NULL, NULL, NULL, NULL) == E(MAP_ERROR_LAYOUT));
    }
    CHECK(statictramp_set_functions_of_entries(0, 32, NULL, NULL, NULL, NULL) == E(MAP_ERROR_SET));
    CHECK(statictramp_set_functions_of_entries(64, 32, NULL, NULL, NULL, NULL) == E(MAP_ERROR_DEVICE));
    CHECK(statictramp_set_functions_of_entries(0, 56, NULL, edge, NULL, NULL) == E(MAP_ERROR_TABLE));
    CHECK(statictramp_set_functions_of_entries(0, 56, edge, NULL, edge, edge) == E(MAP_ERROR_TABLE));
    CHECK(statictramp_set_functions_of_entries(0, 56, edge, edge - 1, edge, edge - 56) == E(MAP_ERROR_SET));
    for (long round = 0; round < rounds; round++) {
        size_t count = any() % 9;
        statictramp_function_pair *table = before_edge(count * sizeof *table);
        for (size_t i = 0; i < count; i++)
            table[i] = (statictramp_function_pair){any() % 16 ? 1 + any() % 9 : any(), any() % 16 ? 1 + any() % 2 : any()};
        int device = any() % 8 ? (int)(any() % 3) : (int)some_long();
        if (statictramp_set_functions(device, count, table) == E(MAP_ERROR_SET))
            for (size_t i = 0; i < count; i++)
                CHECK((uint64_t)(uintptr_t)statictramp_function_on(device, FN(table[i].host)) == table[i].target);
        // Random entries, except for names and the device's variables, which exist.
        static uint64_t held[4];
        static const char *names[] = {"a", "b", "", "a long name of something", NULL};
        size_t of = any() % 2 ? 32 : 56, entries = any() % 5, part = any() % 3 ? 0 : any() % of;
        char *start = before_edge(entries * of + part);
        memset(start, 0, entries * of + part);
        for (size_t i = 0; i < entries; i++) {
            const char *name = names[any() % COUNT(names)];
            int32_t flags = any() % 2 ? 8 : any() % 2 ? 0x20 : (int32_t)any();
            uint64_t size = any() % 2 ? 8 : any() % 2 ? 8 * (any() % 5) : any();
            held[i % 4] = any() % 4 ? any() : 0;
            struct entry32 first = {&held[any() % 4], name, size, flags, 0};
            struct entry56 second = {0, any() % 8 ? 1 : (uint16_t)any(), any() % 8 ? 1 : (uint16_t)any(), (uint32_t)flags,
                &held[any() % 4], name, size, any(), any()};
            memcpy(start + i * of, of == 32 ? (void *)&first : (void *)&second, of); // also misaligned
        }
        statictramp_set_functions_of_entries((int)(any() % 3), of, start, edge, start, edge);
    }
    pairs[0] = (statictramp_function_pair){(uint64_t)(uintptr_t)nothing, 0x1000};
    CHECK(statictramp_set_functions(0, 1, pairs) == E(MAP_ERROR_SET));
    statictramp_fn bound = statictramp_bind(FN(nothing), &state, 2), bare = statictramp_alloc(FN(nothing), NULL);
    CHECK(statictramp_on_device(0, bound, nowhere, &parts) == E(NOT_ON_DEVICE_NOT_MAPPED));
    CHECK(statictramp_on_device(0, bound, NULL, &parts) == E(NOT_ON_DEVICE_NOT_MAPPED));
    CHECK(statictramp_on_device(0, bound, there, NULL) == E(NOT_ON_DEVICE_HAS));
    CHECK(statictramp_on_device(0, bound, there, &parts) == E(NOT_ON_DEVICE_HAS) && parts.chain == &state && parts.position == 2);
    CHECK(statictramp_on_device(0, bare, NULL, &parts) == E(NOT_ON_DEVICE_HAS) && parts.chain == NULL && parts.position == -1);
    CHECK(statictramp_on_device(-1, bare, NULL, &parts) == E(NOT_ON_DEVICE_NO_FUNCTION));
    CHECK(statictramp_free(bound) == 0 && statictramp_free(bare) == 0);
    CHECK(statictramp_on_device(0, bare, there, &parts) == E(NOT_ON_DEVICE_DEAD));
}

static void captured(long rounds)
{
    // A host whose every word is a readable address, or a number.
    enum { WORDS = 1024 };
    uint64_t *host = before_edge(WORDS * 8);
    for (int i = 0; i < WORDS; i++)
        host[i] = (uint64_t)(uintptr_t)(edge - 512);
    statictramp_fn made = statictramp_alloc(FN(nothing), host), bare = statictramp_alloc(FN(nothing), NULL);
    statictramp_captured_variable found;
    const char *layout = "n: integer(4)";
    statictramp_fn pointers[] = {NULL, made, bare, FN(exit)};
    for (unsigned bits = 0; bits < 4 * 8; bits++) {
        statictramp_fn of = pointers[bits / 8];
        errno = 0;
        int result = statictramp_captured(of, bits & 1 ? layout : NULL, bits & 2 ? "n" : NULL, bits & 4 ? &found : NULL);
        CHECK(of == made && (bits & 7) == 7 ? result == 0 : result == -1 && errno == EINVAL);
    }
    static const char *parts[] = {"a", "b", ":", ",", "integer(4)", "real(8) value", "character", "descriptor(2)", "class(0)", "pointer", "address",
        "procedure", "{", "}", "ptr", "i64", "[3 x i64]", "[0 x ptr]", " ", "\t", "(", ")", "integer(-1)", "descriptor(99999999999999999999)", "\xff", "\xc3\xa4", "8", "1 x"};
    long good = 0;
    for (long round = 0; round < rounds; round++) {
        char text[1024] = "";
        for (int i = any() % 12; i > 0; i--)
            strcat(text, any() % 2 ? ", b: address" + (*text ? 0 : 2) : parts[any() % COUNT(parts)]);
        char *end = before_edge(strlen(text) + 1);
        memmove(end - WORDS * 8, text, strlen(text) + 1); // not over the host
        good += statictramp_captured(made, text, any() % 2 ? "a" : "b", &found) == 0;
    }
    CHECK(good > 0 || rounds < 100);
    CHECK(statictramp_free(made) == 0 && statictramp_free(bare) == 0);
    CHECK(statictramp_captured(made, layout, "n", &found) == -1);
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15 + 1 : 1;
    long rounds = argc > 2 ? atol(argv[2]) : 1000;
    unsigned char *room = mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(room != MAP_FAILED && mprotect(room + ROOM, PAGE, PROT_NONE) == 0);
    edge = room + ROOM;
    plain();
    descriptors(rounds);
    memrefs(rounds);
    devices(rounds);
    captured(rounds);
    return 0;
}
