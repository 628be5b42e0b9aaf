// Tests when the C++ wrapper destroys function objects (also during their own calls and by assignment), and which callees make
// an empty wrapper.

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%d: %s\n", __LINE__, #condition), std::exit(1)))

static int twice(int x) { return 2 * x; }

// The destructor of the function object destroys its owner again.
struct ender {
    statictramp::function<int(int)> *holder;
    int *ended;
    ender(statictramp::function<int(int)> *held_by, int *count) : holder(held_by), ended(count) {}
    ender(ender &&other) : holder(other.holder), ended(other.ended) { other.ended = nullptr; }
    ~ender()
    {
        if (!ended || ++*ended > 3)
            return;
        CHECK(!*holder && holder->get() == nullptr);
        holder->reset();
    }
    int operator()(int x) const { return x; }
};

static void ends()
{
    int ended = 0;
    statictramp::function<int(int)> holder;
    holder = statictramp::function<int(int)>(ender(&holder, &ended));
    CHECK(holder(4) == 4);
    holder.reset();
    CHECK(ended == 1 && statictramp_live() == 0);
}

// A call destroys, empties or replaces its own statictramp::function. The function object remains until its last call ends.
struct counted {
    static int live;
    std::vector<int> held;
    counted() : held(100, 7) { ++live; }
    counted(const counted &other) : held(other.held) { ++live; }
    ~counted() { held.assign(held.size(), 0), --live; }
    int get() const { return held[99]; }
};
int counted::live;
using many_words = int(int, long, long, long, long, long, long, long, long, const std::string &);
static std::map<int, statictramp::function<int(int)>> timers;
static statictramp::function<many_words> last;
static int last_call(int deep) { return last.get()(deep, 2, 3, 4, 5, 6, 7, 8, 9, "text"); }

static void ends_during_call()
{
    const counted state;
    timers.emplace(1, [state](int x) { timers.erase(1); return x + state.get(); });
    timers.emplace(2, [state](int x) { timers.at(2).reset(); return x + state.get(); });
    timers.emplace(3, [state](int x) { timers.at(3) = nullptr; return x + state.get(); });
    timers.emplace(4, [state](int x) { timers.at(4) = [](int y) { return -y; }; return x + state.get(); });
    timers.emplace(5, [state](int x) { swap(timers.at(5), timers.at(6)); timers.erase(6); return x + state.get(); });
    timers.emplace(6, twice);
    for (int i = 1; i < 6; i++) {
        int (*f)(int) = timers.at(i);
        CHECK(counted::live == 7 - i && f(i) == 7 + i && counted::live == 6 - i);
    }
    CHECK(!timers.count(1) && !timers.at(2) && !timers.at(3) && timers.at(4)(5) == -5 && timers.at(5)(5) == 10);
    timers.clear();
    // The innermost of several calls destroys the function, and the arguments take more than all registers.
    last = [state](int deep, long a, long, long, long, long, long, long, long b, const std::string &text) -> int {
        if (deep)
            return last_call(deep - 1) + state.get();
        last.reset();
        CHECK(a == 2 && b == 9 && text == "text" && state.get() == 7);
        return 0;
    };
    CHECK(last_call(3) == 21 && !last && counted::live == 1);
    // The result refers to the function object, and is copied when the call ends.
    statictramp::function<std::string()> copied;
    struct {
        std::string text;
        statictramp::function<std::string()> *owner;
        const std::string &operator()() { owner->reset(); return text; }
    } by_reference = {std::string(100, 'x'), &copied};
    copied = by_reference;
    CHECK(copied.get()() == std::string(100, 'x'));
#if defined(__cpp_exceptions)
    statictramp::function<void()> throws;
    throws = [state, &throws] { throws.reset(); throw state.get(); };
    int caught = 0;
    try {
        throws.get()();
    } catch (int value) {
        caught = value;
    }
    CHECK(caught == 7);
#endif
    CHECK(counted::live == 1 && statictramp_live() == 0);
}

// A callback is replaced by one that its function object owns, and by itself.
struct node {
    std::unique_ptr<statictramp::callback<node, int()>> next;
    int value;
    node(int of, std::unique_ptr<statictramp::callback<node, int()>> owned) : next(std::move(owned)), value(of) {}
    int operator()() { return value; }
};

static void assigned()
{
    using callback = statictramp::callback<node, int()>;
    std::unique_ptr<callback> second(new callback(node(2, nullptr)));
    int (*pointer)() = *second;
    callback *successor = second.get(), head(node(1, std::move(second)));
    head = std::move(*successor);
    CHECK(head.get() == pointer && pointer() == 2 && statictramp_live() == 1);
    callback &same = head;
    head = std::move(same);
    CHECK(head.get() == pointer && pointer() == 2 && statictramp_live() == 1);
}

// A callback may end in its own call, like an object with `delete this`, if the call does not use the function object afterwards.
struct ends_itself {
    std::unique_ptr<statictramp::callback<ends_itself, many_words>> *owner;
    std::string text;
    int operator()(int x, long, long, long, long, long, long, long, long, const std::string &other)
    {
        std::string kept = text;
        owner->reset();
        return x + static_cast<int>(kept.size() + other.size());
    }
};

static void ends_itself_during_call()
{
    std::unique_ptr<statictramp::callback<ends_itself, many_words>> owner;
    owner.reset(new statictramp::callback<ends_itself, many_words>(ends_itself{&owner, std::string(50, 'y')}));
    CHECK(owner->get()(1, 2, 3, 4, 5, 6, 7, 8, 9, "text") == 55 && !owner && statictramp_live() == 0);
}

static void empties()
{
    int (*pointer)(int) = nullptr;
    std::function<int(int)> nothing, something = twice;
    statictramp::function<int(int)> a = pointer, b = nothing, c(std::function<int(int)>(), std::nothrow), d = something;
    CHECK(!a && !b && !c && d(4) == 8);
    statictramp::function<long(int)> of_empty = std::move(a), of_other = std::move(d);
    CHECK(!of_empty && of_other(4) == 8);
    statictramp::callback<std::function<int(int)>, int(int)> e(nothing), f(something);
    CHECK(!e && f(4) == 8);
    statictramp::callback<int (*)(int)> g(pointer), h(twice);
    CHECK(!g && h(4) == 8);
#if defined(__cpp_lib_move_only_function)
    statictramp::function<int(int)> i = std::move_only_function<int(int)>(), j = std::move_only_function<int(int)>(twice);
    CHECK(!i && j(4) == 8);
#endif
    of_other = nothing;
    CHECK(!of_other);
}

int main()
{
    ends();
    ends_during_call();
    assigned();
    ends_itself_during_call();
    empties();
    CHECK(statictramp_live() == 0);
    std::puts("lifetimes.cpp: ok");
    return 0;
}
