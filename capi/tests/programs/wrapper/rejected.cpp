// Types that the wrapper must reject, each under its own name.

#include "statictramp.hpp" // first: its message for other machines must precede errors about missing features

#include <functional>
#include <ratio>

struct pair_of_kinds { double a; long b; };
struct word { long a; };
struct four_longs { long a[4]; };
struct __attribute__((packed)) packed { char a; int b; long c; };
struct alignas(8) packed_inside { char a; struct __attribute__((packed)) { unsigned b; } c; };
struct moved_only {
    int a;
    moved_only(moved_only &&) = default;
};
struct fixed { // can neither be copied nor moved
    long a[3];
    fixed(const fixed &) = delete;
};
class kept { // only friends can copy it
    kept(const kept &) = default;

  public:
    long a[3];
};
class guarded { // only friends can destroy it
    ~guarded() = default;

  public:
    long a[3];
};
struct templated { // passed by address, because the template is not a move constructor
    long a[3];
    templated(const templated &) = delete;
    template <class T>
    templated(T &&) {}
};
struct assigned {
    long a, b, c;
    assigned(const assigned &) = default;
    assigned &operator=(const assigned &) { return *this; }
};
class with_private {
    with_private(const with_private &other) : a(other.a), b(), c() {}

  public:
    with_private(with_private &&) = default;
    long a, b, c;
};
struct from_anything {
    long a, b, c;
    from_anything(const from_anything &) = default;
    template <class T>
    from_anything(T &&) {}
};
struct __attribute__((trivial_abi)) by_attribute {
    long a;
    by_attribute(const by_attribute &other) : a(other.a) {}
    ~by_attribute() {}
};
struct holds_empty { struct {} a; };
union number { int a; float b; };
typedef float four_floats __attribute__((vector_size(16)));
typedef int two_ints __attribute__((vector_size(8)));
struct host { long a; };
struct alignas(32) large_empty {};
struct large_derived : large_empty {};
struct tags {
    struct tag {} a[24];
};
class hidden_tags {
    tags a;
};
struct fillers { long : 64; long : 64; long : 64; };
struct without_name { union { long a[3]; double b[3]; }; };
union either { long a[4]; double b; };
struct alignas(16) empty16 {};
struct alignas(16) aligned { long a[8]; };
struct alignas(32) over_aligned { long a; };
struct mixed { double a; int b; short c[6]; };
struct with_values { double a = 0, b = 0, c = 0; };
struct in_tail { double a; float b; int c; };
struct in_middle { char a, c; int b; };
struct array_in_tail { long a; char b[3], c[2]; };
struct union_in_tail { double a; float b; union { int i; float f; } c; };
struct default_in_tail { double a = 0; float b = 0; int c = 0; };
struct text {
    char *a;
    text(const text &);
    ~text();
};
namespace geometry {
struct point { float x, y; };
struct line { point from, to; short tags[3]; };
}
using listed = geometry::line;
STATICTRAMP_MEMBERS(geometry::point, x, y);
STATICTRAMP_MEMBERS(geometry::line, from, to, tags);
// Complete lists of which the compiler counts fewer, or other, initializers.
struct nothing {};
struct nested { int a[2][2]; geometry::point b[2]; char c[3]; };
struct constructed {
    int a, b;
    constructed(int, int, int);
};
struct protected_copy {
    int a;

  protected:
    protected_copy(const protected_copy &, int = 0);
};
struct derived : nothing { double a; float b; };
struct unnamed { struct { int a, b; }; int c; };
struct with_nothing { double a; short b; nothing c; };
STATICTRAMP_MEMBERS(nested, a, b, c);
STATICTRAMP_MEMBERS(constructed, a, b);
STATICTRAMP_MEMBERS(protected_copy, a);
STATICTRAMP_MEMBERS(derived, a, b);
STATICTRAMP_MEMBERS(unnamed, a, b, c);
STATICTRAMP_MEMBERS(with_nothing, a, b);
#if defined(PADDING)
STATICTRAMP_MEMBERS(PADDING, a, b);
#elif defined(MISSING)
STATICTRAMP_MEMBERS(pair_of_kinds, a);
#elif defined(SWAPPED)
STATICTRAMP_MEMBERS(pair_of_kinds, b, a);
#elif defined(PACKED)
STATICTRAMP_MEMBERS(packed, a, b, c);
#elif defined(OVER_ALIGNED)
STATICTRAMP_MEMBERS(over_aligned, a);
#elif defined(UNION)
STATICTRAMP_MEMBERS(number, a);
#elif defined(UNLISTED)
struct holds_word { word a; };
STATICTRAMP_MEMBERS(holds_word, a);
#endif

template <class F>
void rejected(F f)
{
    statictramp::callback<F> bound(std::move(f));
}
template <class T>
void takes() { rejected([](T) {}); }
template <class T>
void returns() { rejected([](T (*made)()) -> T { return made(); }); }
// A callback that returns To from a function object that returns From.
template <class To, class From>
void converts()
{
    statictramp::function<To(From (*)())> bound = [](From (*made)()) -> From { return made(); };
}
struct from_word : word {
    from_word(const char *);
};
struct refers { // conversion to a word
    operator const word &() const;
};
struct copies {
    operator word() const;
};

struct methods {
    void plain(int) {}
    void constant(int) const {}
    void temporary(int) && {}
    void variadic(int, ...) {}
    void overloaded(int) {}
    void overloaded(long) {}
    void takes_pair(pair_of_kinds) {}
    static void without_object(methods *, int) {}
    int data;
};
template <class Number, class Period>
struct like_duration { // like std::chrono::duration, but of another size
    using rep = Number;
    using period = Period;
    Number number, more;
    Number count() const;
    static like_duration zero(), max();
};
using duration_of_two = like_duration<int, std::ratio<1>>;
using pair_with_word = std::pair<int, word>;
using pair_of_references = std::pair<int &, double &>;

void test()
{
#if defined(CONVERTS)
    converts<CONVERTS>();
#elif defined(TAKES)
    takes<TAKES>();
#elif defined(RETURNS)
    returns<RETURNS>();
#elif defined(REFERENCES) // all are passed by reference
    rejected([](pair_of_kinds &, packed &&, const moved_only &, four_floats &, _Complex float &) {});
    returns<packed_inside &>(), returns<const two_ints &>(), returns<with_private &&>(), returns<number &>();
    returns<_Float16 &>(), returns<four_longs &>(), returns<by_attribute &>(), returns<void (host::*&)()>();
    returns<large_empty &>(), returns<tags &>();
#elif defined(DATA) // more than 16 bytes with data, or an empty class of at most 16 bytes
    returns<without_name>(), returns<with_values>(), returns<either>(), takes<with_values>(), takes<either>();
    returns<empty16>(), takes<empty16>();
#elif defined(LISTS)
    takes<nested>(), takes<constructed>(), takes<derived>(), takes<unnamed>(), takes<with_nothing>();
#elif defined(PADDING)
    takes<PADDING>();
#elif defined(METHOD)
    methods the_object;
    const methods the_constant{};
    word the_other;
    [[maybe_unused]] int (*prints)(const char *, ...) = nullptr;
    METHOD;
#elif defined(CPP23)
    struct by_move {
        int operator()(this by_move &&, int x) { return x; }
        int method(this by_move &, int x) { return x; }
    };
    struct unmovable {
        unmovable(int);
        unmovable(unmovable &&) = delete;
    };
    struct takes_first { // static, but with a parameter that a call through a pointer cannot move
        static int operator()(unmovable, int = 7) { return 0; }
    };
    struct calls_another { // also converts to a function that takes the object
        using another = int (*)(const calls_another &, int);
        int operator()(this const calls_another &, int x) { return x; }
        operator another() const { return nullptr; }
    };
    [[maybe_unused]] by_move the_object;
    [[maybe_unused]] auto recursive = [](this auto self, int x) -> int { return x ? self(x - 1) : 0; };
    CPP23;
#elif defined(INCOMPLETE) // used through references
    rejected([](struct nowhere &from, struct nowhere &&) -> struct nowhere & { return from; });
#elif defined(RVALUE) // a callback's function object must not be one
    struct temporary {
        int operator()(int x) && { return x; }
    };
    statictramp::callback never{temporary{}};
#elif defined(SIXTEEN) // 32-bit words
    rejected([](long long, long long, long long, long long, long long, long long, long long, long long) {});
#elif defined(MISSING) || defined(SWAPPED) || defined(PACKED) || defined(OVER_ALIGNED) || defined(UNION) || defined(UNLISTED)
#if defined(PACKED)
    takes<packed>();
#elif defined(OVER_ALIGNED)
    takes<over_aligned>();
#elif defined(UNION)
    takes<number>();
#elif defined(UNLISTED)
    takes<holds_word>();
#else
    takes<pair_of_kinds>();
#endif
#elif defined(SEVEN)
    rejected([](int, int, int, int, int, int) {});
#elif defined(HIDDEN)
    rejected([](int, int, int, int, int) -> text { return *static_cast<text *>(nullptr); });
#elif defined(WIDE)
    rejected([](int, int, int, int, statictramp::detail::signed_wide) {});
#endif
}
