// Tests the C++ wrapper: callbacks and type-erased functions that move, in vectors and maps, with and without exceptions, on
// every supported processor.

#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%d: %s\n", __LINE__, #condition), std::exit(1)))

struct large {
    long a[20];
};
struct tracked { // not trivial: passed by reference
    int *count, value;
    tracked(int *counted, int with) : count(counted), value(with) { ++*count; }
    tracked(const tracked &other) : count(other.count), value(other.value) { ++*count; }
    ~tracked() { --*count; }
};

namespace geometry {
struct point {
    double x, y;
};
struct segment {
    point from, to;
    short tags[3];
};
}
STATICTRAMP_MEMBERS(geometry::point, x, y);
STATICTRAMP_MEMBERS(geometry::segment, from, to, tags);

template <class F>
statictramp::callback<F> make(F f)
{
    return statictramp::callback<F>(std::move(f));
}

static int twice(int x) { return 2 * x; }

static void moves()
{
    int sum = 0;
    auto add = [&sum](int x) { return sum += x; };
    std::vector<statictramp::callback<decltype(add)>> all;
    std::vector<int (*)(int)> pointers;
    for (int i = 0; i < 40; i++) {
        all.push_back(make(add));
        pointers.push_back(all.back().get());
    }
    // The vector has moved the functions several times, but their pointers are unchanged.
    for (std::size_t i = 0; i < all.size(); i++)
        CHECK(all[i].get() == pointers[i] && pointers[i](1) == static_cast<int>(i) + 1);
    all.erase(all.begin(), all.begin() + 10);
    CHECK(all.size() == 30 && all[0].get() == pointers[10] && pointers[10](1) == 41);
    CHECK(statictramp_live() == 30);
    // A function object's own state moves with it.
    std::vector<int> kept(3, 7);
    auto counts = make([kept](int x) mutable { return kept[0] += x; });
    CHECK(counts(1) == 8);
    auto moved = std::move(counts);
    CHECK(!counts && moved && moved(1) == 9 && moved(1) == 10);
}

static void erased()
{
    int base = 100;
    std::vector<statictramp::function<int(int)>> all;
    all.emplace_back([base](int x) { return base + x; });
    all.emplace_back(twice);
    auto owner = std::make_shared<int>(3);
    all.emplace_back([owner](int x) { return *owner * x; });
    struct { short operator()(long x) const { return static_cast<short>(-x); } } negative; // converts other types
    all.push_back(negative);
    int (*second)(int) = all[1];
    all.resize(20);
    CHECK(all[0](1) == 101 && all[1](4) == 8 && all[2](5) == 15 && all[3](6) == -6 && !all[4] && second == all[1].get());
    CHECK(owner.use_count() == 2);
    all[2] = nullptr;
    CHECK(owner.use_count() == 1 && !all[2] && statictramp_live() == 3);
    std::map<std::string, statictramp::function<void(int)>> named;
    int seen = 0;
    named["set"] = [&seen](int x) { return seen = x; }; // the result is ignored
    named["set"](5);
    CHECK(seen == 5);
    statictramp::function<void(int)> other;
    swap(other, named["set"]);
    other(6);
    CHECK(seen == 6 && !named["set"]);
}

// Arguments and results of every class that all targets accept.
static void travels()
{
    long base = 1000;
    statictramp::function<double(double, int, float, long)> mixed = [base](double x, int y, float z, long w) {
        return static_cast<double>(base) + x + y + static_cast<double>(z) + static_cast<double>(w);
    };
    CHECK(mixed(0.5, 1, 0.25f, 2) == 1003.75);
    // There are more floating-point numbers than registers for them.
    statictramp::function<double(double, double, double, double, double, double, double, double, double, double)> floats =
        [base](double a, double b, double c, double d, double e, double f, double g, double h, double i, double j) {
            return static_cast<double>(base) + a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
        };
    CHECK(floats(1, 1, 1, 1, 1, 1, 1, 1, 1, 1) == 1055);
    // No register is left for the context.
    statictramp::function<geometry::segment(long, long, long, long, geometry::segment, long, long, long, long, geometry::point)> many =
        [base](long a, long b, long c, long d, geometry::segment s, long e, long f, long g, long h, geometry::point p) {
            s.from = p, s.to.x += static_cast<double>(base + a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h), s.tags[1]++;
            return s;
        };
    for (int i = 0; i < 2; i++) {
        geometry::segment s = many(1, 1, 1, 1, {{1, 2}, {3, 4}, {5, 6, 7}}, 1, 1, 1, 1, {8, 9});
        CHECK(s.from.x == 8 && s.from.y == 9 && s.to.x == 1039 && s.to.y == 4 && s.tags[0] == 5 && s.tags[1] == 7 && s.tags[2] == 7);
        auto moved = std::move(many);
        many = std::move(moved);
    }
    statictramp::function<int(long, long, long, long, long, long, long, long, long, std::string)> throws =
        [base](long, long, long, long, long, long, long, long, long last, std::string text) -> int {
#if defined(__cpp_exceptions)
        if (last)
            throw text + std::to_string(base);
#endif
        return static_cast<int>(last + base - 1000) + static_cast<int>(text.size());
    };
    CHECK(throws(1, 2, 3, 4, 5, 6, 7, 8, 0, "four") == 4);
#if defined(__cpp_exceptions)
    bool caught = false;
    try {
        throws(1, 2, 3, 4, 5, 6, 7, 8, 9, "thrown ");
    } catch (const std::string &text) {
        caught = text == "thrown 1000";
    }
    CHECK(caught);
#endif
    statictramp::function<large(long)> in_memory = [base](long x) {
        large result = {};
        result.a[0] = base, result.a[19] = x;
        return result;
    };
    large got = in_memory(-3);
    CHECK(got.a[0] == 1000 && got.a[19] == -3);
    int count = 0;
    {
        statictramp::function<tracked(tracked, int &)> object = [base, &count](tracked t, int &x) {
            x = t.value;
            return tracked(&count, t.value + static_cast<int>(base));
        };
        int x = 0;
        CHECK(object(tracked(&count, 5), x).value == 1005 && x == 5);
    }
    CHECK(count == 0);
    statictramp::function<long long(long long)> wide = [base](long long x) { return x + base; };
    CHECK(wide(1ll << 40) == (1ll << 40) + 1000);
    statictramp::function<std::string(const std::string &, std::string)> text =
        [base](const std::string &a, std::string b) { return a + b + std::to_string(base); };
    CHECK(text("a", "b") == "ab1000");
#if defined(__SIZEOF_INT128__) && !defined(WITHOUT_INT128)
    __extension__ typedef __int128 widest;
    statictramp::function<widest(int, widest)> widest_of = [base](int x, widest y) { return y * x + base; };
    CHECK(widest_of(3, static_cast<widest>(1) << 100) == (static_cast<widest>(3) << 100) + 1000);
    statictramp::function<long double(long double, int)> longest = [base](long double x, int y) { return x * y + base; };
    CHECK(longest(0.5L, 3) == 1001.5L);
#endif
}

// An exception from a function object, or from a raw trampoline's handler, propagates to the caller, whose registers are
// preserved.
static void thrown()
{
#if defined(__cpp_exceptions)
    {
        int base = 10, sum = 0;
        statictramp::function<large(int)> in_memory = [base](int x) -> large { throw base + x; };
        statictramp::function<void(int)> nothing = [base](int x) { throw base + x; };
        for (int i = 0; i < 3; i++) {
            try {
                i % 2 ? static_cast<void>(in_memory(i)) : nothing(i);
            } catch (int value) {
                sum += value;
            }
        }
        CHECK(sum == 33);
    }
    statictramp_fn raw = statictramp_bind_raw([](void *what, statictramp_raw_call *) { throw *static_cast<int *>(what); }, new int(7));
    long kept[6] = {std::rand(), std::rand(), std::rand(), std::rand(), std::rand(), std::rand()};
    long a = kept[0], b = kept[1], c = kept[2], d = kept[3], e = kept[4], f = kept[5];
    int caught = 0;
    for (int i = 0; i < 3; i++) {
        try {
            reinterpret_cast<double (*)(int, double, long, long, long, long, long, long)>(raw)(1, 2.0, a, b, c, d, e, f);
        } catch (int value) {
            caught += value;
        }
        CHECK(a == kept[0] && b == kept[1] && c == kept[2] && d == kept[3] && e == kept[4] && f == kept[5]);
    }
    CHECK(caught == 21);
    void *context;
    CHECK(statictramp_lookup(raw, nullptr, &context) == 1 && statictramp_free(raw) == 0);
    delete static_cast<int *>(context);
#endif
}

using logs = void (*)(int level, const char *format, va_list arguments);
using logs_late = int (*)(long, long, long, long, long, long, long, long, const char *format, va_list arguments);
static void log_to(logs logger, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    logger(3, format, arguments);
    va_end(arguments);
}
static int log_late(logs_late logger, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = logger(1, 2, 3, 4, 5, 6, 7, 8, format, arguments);
    va_end(arguments);
    return length;
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void lists()
{
    std::string written;
    char line[100];
    auto logger = [&](int level, const char *format, va_list arguments) {
        std::vsnprintf(line, sizeof line, format, arguments);
        written = std::to_string(level) + line;
    };
    statictramp::function<void(int, const char *, va_list)> erased = logger;
    auto in_place = make(logger);
    for (logs function : {erased.get(), in_place.get()}) {
        log_to(function, " %s %d %g %d %d %d %d %d %d", "x", 5, 2.5, 1, 2, 3, 4, 5, 6);
        CHECK(written == "3 x 5 2.5 1 2 3 4 5 6");
    }
    statictramp::function<int(long, long, long, long, long, long, long, long, const char *, va_list)> late =
        [&](long a, long, long, long, long, long, long, long h, const char *format, va_list arguments) {
            return a == 1 && h == 8 ? std::vsnprintf(line, sizeof line, format, arguments) : -1;
        };
    CHECK(log_late(late, "%s%d%g", "y", 6, 1.5) == 5 && line == std::string("y61.5"));
    statictramp::function<int(va_list *)> by_address = [](va_list *arguments) { return arguments ? 1 : 0; };
    CHECK(by_address.get()(nullptr) == 0);
}
#pragma GCC diagnostic pop

// These classes have operator() with every qualification with which a named object can be called.
struct of_lvalue {
    int operator()(int x) & { return x + 1; }
};
struct of_volatile {
    int operator()(int x) volatile { return x + 2; }
};
struct of_constant_lvalue {
    int operator()(int x) const & noexcept { return x + 3; }
};
#if __cplusplus >= 201703L
static int plus_four(int x) { return x + 4; }
static int plus_five(int x) noexcept { return x + 5; }
// callback<F> can be named while a parameter's class is incomplete.
struct event;
struct on_event {
    int operator()(event) const noexcept;
};
struct event {
    int number;
    statictramp::callback<on_event> *handler;
};
STATICTRAMP_MEMBERS(event, number, handler);
int on_event::operator()(event received) const noexcept { return received.number; }
struct of_throwing_move {
    of_throwing_move(const of_throwing_move &) {}
    ~of_throwing_move() {}
};
static void qualified()
{
    statictramp::callback lvalue{of_lvalue{}};
    statictramp::callback of_any{of_volatile{}};
    statictramp::callback constant{of_constant_lvalue{}};
    statictramp::callback pointer{&plus_four};
    CHECK(lvalue.get()(10) == 11 && of_any.get()(10) == 12 && constant.get()(10) == 13 && pointer.get()(10) == 14);
    // one_shot's pointer is noexcept; callback<F> is one type, whether F is noexcept or not.
    statictramp::callback five{&plus_five};
    int (*once)(int) noexcept = statictramp::one_shot(plus_five);
    CHECK(five.get()(10) == 15 && once(10) == 15);
    statictramp::callback<on_event> handler{on_event{}};
    CHECK(handler.get()(event{16, &handler}) == 16);
    static_assert(std::is_same_v<decltype(constant), statictramp::callback<of_constant_lvalue, int(int)>>);
#if defined(__cpp_exceptions)
    auto takes_copy = [](of_throwing_move) noexcept {}; // the move constructor runs in the call
    static_assert(std::is_same_v<decltype(statictramp::one_shot(takes_copy)), void (*)(of_throwing_move)>);
#endif
}
#if defined(__cpp_explicit_this_parameter) || (defined(__clang__) && __clang_major__ >= 18 && __cplusplus > 202002L)
#define EXPLICIT_OBJECTS 1
// operator() with an explicit object parameter, and a static one that takes an object of its own class.
struct of_explicit_constant {
    int by;
    int operator()(this const of_explicit_constant &self, int x) { return x + self.by; }
};
struct of_explicit_copy : of_explicit_constant {
    int operator()(this of_explicit_copy self, int x) noexcept { return x + 2 * self.by++; }
};
struct inherits : of_explicit_constant {};
struct of_nothing {
    static int operator()(const of_nothing &, int x) { return x + 3; }
};
static void explicit_objects()
{
    statictramp::callback constant{of_explicit_constant{1}};
    statictramp::callback copied{of_explicit_copy{{1}}};
    statictramp::callback inherited{inherits{{4}}};
    statictramp::callback none{of_nothing{}};
    int (*of_reference)(const of_nothing &, int) = none.get();
    CHECK(constant.get()(10) == 11 && copied.get()(10) == 12 && copied.get()(10) == 12 && inherited.get()(10) == 14);
    CHECK(of_reference(of_nothing(), 10) == 13);
    int seen = 0;
    auto sum = [&seen](this auto &self, int x) -> int { return x == 0 ? seen : (seen += x, self(x - 1)); };
    statictramp::callback<decltype(sum), int(int)> given(sum);
    statictramp::function<int(int)> erased{sum};
    CHECK(given.get()(3) == 6 && erased.get()(3) == 12 && statictramp::one_shot<int(int)>(sum)(4) == 22);
}
#endif
#else
static void qualified()
{
    statictramp::function<int(int)> lvalue{of_lvalue{}}, of_any{of_volatile{}}, constant{of_constant_lvalue{}};
    CHECK(lvalue.get()(10) == 11 && of_any.get()(10) == 12 && constant.get()(10) == 13);
}
#endif

struct counter {
    int base;
    explicit counter(int from) : base(from) {}
    virtual ~counter() {}
    int add(int x) { return base += x; }
    int plus(int x) const { return base + x; }
    int lvalue(int x) & { return base + 10 * x; }
    int safe(int x) const & noexcept { return base + 100 * x; }
    int over(int x) { return base + x; }
    double over(double x) const { return base + x; }
    virtual std::string name(const char *of, std::string suffix) { return of + suffix + std::to_string(base); }
};
struct other_base {
    long padding[3];
    virtual ~other_base() {}
    int second(int x) { return x + static_cast<int>(padding[2]); }
};
struct derived : counter, other_base {
    explicit derived(int from) : counter(from) { padding[2] = 7; }
    std::string name(const char *of, std::string suffix) override { return "derived " + counter::name(of, std::move(suffix)); }
};

// Methods of an object, each with a pointer.
#if __cplusplus >= 201703L
static void methods()
{
    counter object(1);
    const counter fixed(1000);
    derived child(5);
    statictramp::callback add{&object, &counter::add};
    auto moved = std::move(add);
    CHECK(!add && moved.get()(2) == 3 && object.base == 3);
    statictramp::callback plus{&fixed, &counter::plus};
    statictramp::callback safe{&object, &counter::safe};
    statictramp::callback lvalue{&object, &counter::lvalue};
    CHECK(plus.get()(2) == 1002 && safe.get()(1) == 103 && lvalue.get()(1) == 13);
    statictramp::callback over{&object, static_cast<double (counter::*)(double) const>(&counter::over), std::nothrow};
    CHECK(over.get()(0.5) == 3.5);
    statictramp::callback name{static_cast<counter *>(&child), &counter::name};
    CHECK(name.get()("a", "b") == "derived ab5");
    statictramp::callback second{&child, &derived::second}; // of a base class with another address
    CHECK(second.get()(1) == 8);
    counter several[] = {counter(1), counter(2)};
    statictramp::callback first{several, &counter::plus};
    CHECK(first.get()(1) == 2);
    counter *none = nullptr;
    statictramp::callback empty{none, &counter::add};
    CHECK(!empty && empty.get() == nullptr);
    // If the layout changes, so must the name of the inline namespace.
    static_assert(sizeof(statictramp::abi_1::method<&counter::add>) == 2 * sizeof(void *));
    static_assert(sizeof(statictramp::abi_1::function<void()>) == 3 * sizeof(void *));

    std::size_t live = statictramp_live();
    {
        statictramp::method<&counter::add> same{&object};
        int (*pointer)(int) = same;
        statictramp::method<&counter::add> taken = std::move(same);
        CHECK(!same && taken && taken.get() == pointer && pointer(4) == 7 && object.base == 7);
        same = std::move(taken);
        CHECK(same.get() == pointer && !taken && statictramp_live() == live + 1);
        statictramp::method<&counter::plus> constant{&fixed}, constant_of_other{&object};
        CHECK(constant.get()(1) == 1001 && constant_of_other.get()(1) == 8);
        statictramp::method<&counter::safe> without_exceptions{&child};
        int (*nothrow)(int) noexcept = without_exceptions;
        CHECK(nothrow(1) == 105);
        statictramp::method<&derived::second> of_base{&child};
        CHECK(of_base.get()(2) == 9);
        statictramp::method<static_cast<int (counter::*)(int)>(&counter::over)> overloaded{&object, std::nothrow};
        CHECK(overloaded.get()(1) == 8);
        statictramp::method<&counter::name> virtual_method{&child};
        CHECK(virtual_method.get()("x", std::string(100, 'y')).size() == 110);
        CHECK(!statictramp::method<&counter::add>(nullptr));
    }
    CHECK(statictramp_live() == live);
    statictramp::function<int(int) noexcept> quiet = [&](int x) noexcept { return x + object.base; };
    int (*no_exceptions)(int) noexcept = quiet;
    statictramp::function<int(int)> loud = [](int x) { return x; };
    CHECK(no_exceptions(1) == 8 && loud(1) == 1);
#if defined(__cpp_exceptions)
    auto may_throw = [](int x) { return x; };
    static_assert(!std::is_constructible_v<statictramp::function<int(int) noexcept>, decltype(may_throw)>);
    static_assert(!std::is_constructible_v<statictramp::function<int(int) noexcept>, int (*)(int)>);
#endif
    statictramp::callback<decltype(plus_five) *, int(int) noexcept> declared(plus_five);
    CHECK(static_cast<int (*)(int) noexcept>(declared)(1) == 6);
}
#else
static void methods()
{
    derived child(5);
    statictramp::function<std::string(const char *, std::string)> name = [&child](const char *of, std::string suffix) {
        return child.name(of, std::move(suffix));
    };
    CHECK(name("a", "b") == "derived ab5");
}
#endif

// Function pointers that end with their call.
static void one_shots()
{
    std::size_t live = statictramp_live();
    auto owner = std::make_shared<int>(3);
    int (*once)(int) = statictramp::one_shot([owner](int x) { return *owner * x; });
    CHECK(owner.use_count() == 2 && statictramp_live() == live + 1 && once(5) == 15);
    CHECK(owner.use_count() == 1 && statictramp_live() == live);
    void (*converted)(short) = statictramp::one_shot<void(short)>([owner](long x) { return *owner += static_cast<int>(x); }, std::nothrow);
    converted(4);
    CHECK(*owner == 7 && statictramp::one_shot<void()>(static_cast<void (*)()>(nullptr)) == nullptr);
#if defined(__cpp_exceptions)
    void (*throws)() = statictramp::one_shot([owner] { throw *owner; });
    bool caught = false;
    try {
        throws();
    } catch (int number) {
        caught = number == 7;
    }
    CHECK(caught);
#endif
    CHECK(owner.use_count() == 1 && statictramp_live() == live);
}

// Classes of the standard library whose members need no list, in registers and on the stack.
#define EIGHT_LONGS long, long, long, long, long, long, long, long
#define EIGHT 1, 2, 3, 4, 5, 6, 7, 8
static void standard_classes()
{
    using seconds = std::chrono::duration<double>;
    using std::chrono::milliseconds;
    statictramp::function<seconds(milliseconds, seconds, EIGHT_LONGS, milliseconds)> wait =
        [](milliseconds a, seconds b, EIGHT_LONGS, milliseconds c) { return a + b + c; };
    CHECK(wait(milliseconds(1500), seconds(0.25), EIGHT, milliseconds(-500)).count() == 1.25);
    using small = std::chrono::duration<short, std::ratio<60>>;
    statictramp::function<small(small, std::chrono::duration<float>)> shorts = [](small a, std::chrono::duration<float> b) {
        return small(static_cast<short>(a.count() + static_cast<short>(b.count())));
    };
    CHECK(shorts(small(-30), std::chrono::duration<float>(10.0F)).count() == -20);
    using mixed = std::pair<double, const int>;
    using floats = std::pair<float, float>;
    using nested = std::pair<std::pair<short, char>, milliseconds>;
    statictramp::function<mixed(nested, mixed, floats, EIGHT_LONGS, mixed, nested)> pairs =
        [](nested a, mixed b, floats c, EIGHT_LONGS, mixed d, nested e) {
            return mixed(b.first + static_cast<double>(c.first) - static_cast<double>(c.second) + d.first,
                         b.second + d.second + a.first.first + a.first.second + static_cast<int>(e.second.count()));
        };
    nested text{{static_cast<short>(-300), 'a'}, milliseconds(70000)};
    mixed sum = pairs(text, {0.5, 10}, {8, 2}, EIGHT, {100, 1000}, text);
    CHECK(sum.first == 106.5 && sum.second == 10 + 1000 - 300 + 'a' + 70000);
    statictramp::function<floats(floats)> swapped = [](floats p) { return floats(p.second, p.first); };
    statictramp::function<std::pair<int, std::string>(std::pair<int, std::string>)> owning = [](std::pair<int, std::string> p) {
        return std::make_pair(p.first + 1, p.second + "!");
    };
    CHECK(swapped(floats(1, 2)) == floats(2, 1) && owning({1, std::string(50, 'x')}).second.size() == 51);
#if __cplusplus >= 201703L
    statictramp::function<std::string_view(std::string_view, long, EIGHT_LONGS, std::string_view)> views =
        [](std::string_view a, long n, EIGHT_LONGS, std::string_view b) { return n ? a.substr(1) : b; };
    CHECK(views("abc", 1, EIGHT, "x") == "bc" && views("abc", 0, EIGHT, "x") == "x");
    statictramp::function<char16_t(std::pair<std::u16string_view, int>)> wide_view = [](std::pair<std::u16string_view, int> p) {
        return p.first[static_cast<std::size_t>(p.second)];
    };
    CHECK(wide_view({u"uvw", 2}) == u'w');
#endif
}

// Variadic signatures, whose function objects take a va_list.
static void variadic()
{
    char line[200];
    std::string lines;
    statictramp::function<void(int, const char *, ...)> log = [&](int level, const char *format, va_list arguments) {
        std::vsnprintf(line, sizeof line, format, arguments);
        lines += std::to_string(level) + line;
    };
    void (*logger)(int, const char *, ...) = log;
    logger(3, " %s %d %g %d %d %d %d %d %d;", "x", 5, 2.5, 1, 2, 3, 4, 5, 6);
    logger(4, "%g%g%g%g%g%g%g%g%g%s%lld", 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.5, "last", 1LL << 40);
    CHECK(lines == "3 x 5 2.5 1 2 3 4 5 6;41234567" "89.5last1099511627776");
    // Named arguments of several kinds, some of them on the stack.
    int count = 0;
    statictramp::function<double(double, geometry::point, short, std::string, int &, float, EIGHT_LONGS, tracked, ...)> sum =
        [&count](double a, geometry::point p, short b, std::string c, int &d, float e, EIGHT_LONGS, tracked t, va_list arguments) {
            double total = a + p.x + 2 * p.y + b + static_cast<double>(c.size()) + d++ + static_cast<double>(e) + t.value;
            for (int i = 0; i < 6; i++)
                total += va_arg(arguments, int) + va_arg(arguments, double);
            count += t.count != nullptr;
            return total;
        };
    int counted = 0, reference = 1;
    double total = sum(0.5, geometry::point{1, 2}, static_cast<short>(-3), std::string(100, 'x'), reference, 0.25F, EIGHT, tracked(&counted, 7), 1,
                       0.5, 2, 0.5, 3, 0.5, 4, 0.5, 5, 0.5, 6, 0.5);
    CHECK(total == 0.5 + 5 - 3 + 100 + 1 + 0.25 + 7 + 21 + 3 && reference == 2 && counted == 0 && count == 1);
    statictramp::function<const char *(const char *, ...)> same = [](const char *format, va_list arguments) {
        va_list copy;
        va_copy(copy, arguments);
        const char *first = va_arg(arguments, const char *), *second = va_arg(copy, const char *);
        va_end(copy);
        return first == second ? first : format;
    };
    CHECK(same("", "same") == std::string("same"));
    auto last = [](int, va_list arguments) -> float { return static_cast<float>(va_arg(arguments, double)); };
    statictramp::callback<decltype(last), float(int, ...)> in_place(last);
    auto moved = std::move(in_place);
    CHECK(moved.get()(1, 2.5) == 2.5F);
    unsigned char (*once)(int, ...) = statictramp::one_shot<unsigned char(int, ...)>([&](int, va_list a) { return va_arg(a, int) + 1; });
    CHECK(once(0, 254) == 255);
#if defined(__cpp_exceptions)
    statictramp::function<int(int, ...)> throws = [](int, va_list arguments) -> int { throw va_arg(arguments, int); };
    int caught = 0;
    try {
        throws(1, 42);
    } catch (int number) {
        caught = number;
    }
    CHECK(caught == 42);
#endif
}

struct alignas(128) wide {
    char bytes[128];
};
struct pooled { // the class has its own allocation functions, which other code must not use
    int base;
    static void *operator new(std::size_t) { std::abort(); }
    static void operator delete(void *) { std::abort(); }
    int operator()(int x) const { return base + x; }
};
static int chosen(statictramp::function<int(int)>) { return 1; }
static int chosen(statictramp::function<int(const char *)>) { return 2; }

static void any_object()
{
    std::vector<statictramp::function<std::size_t(int)>> all;
    for (int i = 0; i < 40; i++) {
        wide filled = {};
        filled.bytes[127] = static_cast<char>(i);
        all.emplace_back([filled](int) {
            const char *volatile address = filled.bytes;
            return reinterpret_cast<std::size_t>(address) % 128 + static_cast<std::size_t>(address[127]);
        });
    }
    for (std::size_t i = 0; i < all.size(); i++)
        CHECK(all[i](0) == i);
    statictramp::function<int(int)> own = pooled{5};
    CHECK(own(2) == 7);
    CHECK(chosen([](int x) { return x; }) == 1 && chosen([](const char *) { return 0; }) == 2);
    CHECK((!std::is_constructible<statictramp::function<int(int)>, int>::value));
#if defined(__cpp_exceptions)
    struct thrower {
        wide filled;
        thrower() : filled() {}
        thrower(const thrower &) : filled() { throw 1; }
        int operator()(int x) const { return x; }
    } thrower;
    bool thrown = false;
    try {
        statictramp::function<int(int)> never(thrower);
    } catch (int) {
        thrown = true;
    }
    CHECK(thrown);
#endif
}

static void full()
{
    statictramp_set_limit(statictramp_capacity());
    while (statictramp_alloc(reinterpret_cast<statictramp_fn>(std::abort), nullptr))
        ;
    auto owner = std::make_shared<int>(1);
    auto holds = [owner](int x) { return *owner + x; };
    {
        statictramp::callback<decltype(holds)> one(holds, std::nothrow);
        statictramp::function<int(int)> other(holds, std::nothrow);
        CHECK(!one && one.get() == nullptr && !other && other.get() == nullptr);
    }
    bool thrown = false;
#if defined(__cpp_exceptions)
    try {
        statictramp::function<int(int)> other(holds);
    } catch (const std::bad_alloc &) {
        thrown = true;
    }
    CHECK(thrown);
#else
    statictramp::function<int(int)> other(holds);
    statictramp::callback<decltype(holds)> one(holds);
    CHECK(!other && !one && !thrown);
#endif
}

int main()
{
    moves();
    erased();
    travels();
    thrown();
    lists();
    qualified();
#ifdef EXPLICIT_OBJECTS
    explicit_objects();
#endif
    methods();
    one_shots();
    standard_classes();
    variadic();
    any_object();
    CHECK(statictramp_live() == 0);
    full();
    std::puts("function.cpp: ok");
    return 0;
}
