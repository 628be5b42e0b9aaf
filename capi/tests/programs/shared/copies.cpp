// Two libraries (-DFIRST, -DSECOND) and a program link the archive and use different functions. Objects of the C++ wrapper are made
// by a library, and moved and destroyed by the program or the other library. The process has one definition for all of the wrapper's
// inline functions. With -DLOADS, the program opens the libraries by dlopen: l with RTLD_LOCAL, g with RTLD_GLOBAL.

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <vector>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%d: %s\n", __LINE__, #condition), std::exit(1)))

struct adder {
    int *sum;
    void operator()(int x) const { *sum += x; }
    void operator()(double x) const { *sum += static_cast<int>(x); }
    void operator()(int count, std::va_list rest) const
    {
        while (count--)
            *sum += va_arg(rest, int);
    }
    void add(int x) { *sum += x; }
};

struct owner { // its implicit members are inline
    std::vector<statictramp::callback<adder, void(int)>> callbacks;
    std::vector<statictramp::method<&adder::add>> methods;
    statictramp::function<void(double)> function;
    statictramp::function<void(int, ...)> variadic;
};

struct library {
    owner (*make)(adder *);
    void (*(*make_once)(adder *))(int);
    void (*end)(owner &&);
    std::size_t (*live)();
};
extern "C" const library first, second;

#if defined(FIRST) || defined(SECOND)
static owner make(adder *add)
{
    owner made;
    std::size_t before = statictramp_live();
#ifdef FIRST
    statictramp_fn f = statictramp_alloc(reinterpret_cast<statictramp_fn>(make), add);
    for (int i = 0; i < 3; i++) {
        made.callbacks.emplace_back(*add);
        made.methods.emplace_back(add);
    }
#else
    statictramp_fn f = statictramp_bind_first(reinterpret_cast<statictramp_fn>(make), add, 0);
    made.function = *add;
    made.variadic = *add;
#endif
    CHECK(f && statictramp_free(f) == 0 && statictramp_live() > before);
    return made;
}
static void (*make_once(adder *add))(int) { return statictramp::one_shot<void(int)>(*add); }
static void end(owner &&given) { owner taken(std::move(given)); }

#ifdef FIRST
const library first
#else
const library second
#endif
    = {make, make_once, end, statictramp_live};
#else
#ifdef LOADS
static const library &load(const char *path, const char *name, char how)
{
    void *handle = dlopen(path, RTLD_NOW | (how == 'l' ? RTLD_LOCAL : RTLD_GLOBAL));
    const void *found = handle ? dlsym(handle, name) : nullptr;
    CHECK(found);
    return *static_cast<const library *>(found);
}
#endif

int main(int, char **argv)
{
#ifdef LOADS
    const library libraries[] = {load(argv[2], "first", *argv[1]), load(argv[3], "second", *argv[1])};
#else
    static_cast<void>(argv);
    const library libraries[] = {first, second};
#endif
    int sum = 0;
    adder add{&sum};
    for (int round = 0; round < 2; round++) {
        owner one = libraries[0].make(&add), two = libraries[1].make(&add);
        one.callbacks.reserve(100); // moves them
        one.methods.reserve(100);
        owner all(std::move(two));
        all.callbacks = std::move(one.callbacks);
        all.methods = std::move(one.methods);
        sum = 0;
        for (auto &callback : all.callbacks)
            callback.get()(1);
        for (auto &method : all.methods)
            method.get()(10);
        all.function.get()(100.0);
        all.variadic.get()(2, 500, 500);
        for (auto &library : libraries)
            library.make_once(&add)(10000);
        CHECK(sum == 21133);
        if (round)
            libraries[0].end(std::move(all));
        // In the other round, the program destroys the objects.
    }
    std::printf("%zu %zu\n", libraries[0].live(), libraries[1].live());
    return 0;
}
#endif
