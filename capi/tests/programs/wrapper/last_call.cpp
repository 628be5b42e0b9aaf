// Several threads call one statictramp::function. One of the calls destroys it; the call that ends last destroys the
// function object. For ThreadSanitizer.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "statictramp.hpp"

#define CHECK(condition) ((condition) ? (void)0 : (std::fprintf(stderr, "%d: %s\n", __LINE__, #condition), std::exit(1)))

static std::atomic<int> destroyed;
struct state {
    std::string text = std::string(50, 'x');
    state() = default;
    state(const state &other) : text(other.text) {}
    ~state()
    {
        text.assign(50, '-');
        destroyed++;
    }
};

int main()
{
    for (int round = 0; round < 200; round++) {
        std::atomic<int> inside{0};
        std::atomic<bool> freed{false};
        statictramp::function<std::size_t(int)> *owner = nullptr;
        {
            state original;
            owner = new statictramp::function<std::size_t(int)>([original, &owner, &inside, &freed](int number) {
                inside++;
                if (number == 0) {
                    while (inside != 4)
                        std::this_thread::yield();
                    delete owner;
                    freed = true;
                }
                while (!freed)
                    std::this_thread::yield();
                return original.text.find('x') + original.text.size();
            });
        }
        auto f = owner->get();
        destroyed = 0;
        std::vector<std::thread> threads;
        for (int number = 0; number < 4; number++)
            threads.emplace_back([f, number] { CHECK(f(number) == 50); });
        for (auto &thread : threads)
            thread.join();
        CHECK(destroyed == 1);
    }
}
