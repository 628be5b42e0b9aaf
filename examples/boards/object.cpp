// An object with three callbacks for a driver, implemented with the library and in the usual ways. The driver stores
// one function pointer for each event, as in many vendors' libraries for radios. The program creates OBJECTS objects.
// METHOD selects how a callback finds its object:
//
//   1  statictramp_bind: the driver is unchanged, and objects can be made at run time
//   2  a static pointer and three functions for each object: the driver is unchanged, and the source fixes the number of objects
//   3  a table of void *: the driver is changed so that it passes an index
//   4  std::function: the driver is changed so that it stores function objects
//
// None of these ways uses a heap. The fourth way needs none because a std::function has room for a lambda that
// captures one pointer.

#include "board.h"
#include <new>

#ifndef METHOD
#define METHOD 1
#endif
#ifndef OBJECTS
#define OBJECTS 4
#endif

#if METHOD == 1
#include <statictramp.h>
#elif METHOD == 4
#include <functional>
// Without this function, libstdc++ would print a message.
void std::__throw_bad_function_call() { leave(1); }
#endif

// The driver. Each radio sends a packet and receives it again.
#if METHOD == 3
#define CONTEXT unsigned
#define PASS_ONLY(radio) (radio).index
#define PASS(radio) (radio).index,
#define TAKE unsigned,
#else
#define CONTEXT
#define PASS_ONLY(radio)
#define PASS(radio)
#define TAKE
#endif
struct events {
#if METHOD == 4
    std::function<void()> sent;
    std::function<void(const char *data, int bytes)> received;
    std::function<void(int code)> failed;
#else
    void (*sent)(CONTEXT);
    void (*received)(TAKE const char *data, int bytes);
    void (*failed)(TAKE int code);
#endif
};
struct radio {
    const events *callbacks;
#if METHOD == 3
    unsigned index;
#endif
};
static void run(const radio &radio, int packets)
{
    for (int i = 0; i < packets; i++) {
        radio.callbacks->sent(PASS_ONLY(radio));
        radio.callbacks->received(PASS(radio) "data", i);
    }
    radio.callbacks->failed(PASS(radio) packets);
}

// The program's object.
class link {
  public:
    void on_sent() { sent_++; }
    void on_received(const char *, int bytes) { bytes_ += bytes; }
    void on_failed(int code) { code_ = code; }
    int result() const { return 10000 * sent_ + 100 * bytes_ + code_; }
    explicit link(unsigned index);
    radio driver;

  private:
    int sent_ = 0, bytes_ = 0, code_ = 0;
#if METHOD == 1
    // The context follows the driver's arguments.
    static void sent(link *self) { self->on_sent(); }
    static void received(const char *data, int bytes, link *self) { self->on_received(data, bytes); }
    static void failed(int code, link *self) { self->on_failed(code); }
#endif
    events events_;
};

#if METHOD == 1
template <class Pointer, class Function>
static Pointer bound(Function *function, link *self, unsigned arguments)
{
    return reinterpret_cast<Pointer>(statictramp_bind(reinterpret_cast<statictramp_fn>(function), self, arguments));
}
link::link(unsigned) : driver{&events_}
{
    events_ = {bound<decltype(events_.sent)>(sent, this, 0), bound<decltype(events_.received)>(received, this, 2),
               bound<decltype(events_.failed)>(failed, this, 1)};
    check(events_.sent && events_.received && events_.failed);
}
#elif METHOD == 2
#define FUNCTIONS(n)                                                                            \
    static link *link##n;                                                                       \
    static void sent##n() { link##n->on_sent(); }                                               \
    static void received##n(const char *data, int bytes) { link##n->on_received(data, bytes); } \
    static void failed##n(int code) { link##n->on_failed(code); }
FUNCTIONS(0)
#if OBJECTS > 1
FUNCTIONS(1)
FUNCTIONS(2)
FUNCTIONS(3)
#endif
link::link(unsigned index) : driver{&events_}
{
    switch (index) {
#define CASE(n)                                  \
    case n:                                      \
        link##n = this;                          \
        events_ = {sent##n, received##n, failed##n}; \
        break;
        CASE(0)
#if OBJECTS > 1
        CASE(1)
        CASE(2)
        CASE(3)
#endif
    }
}
#elif METHOD == 3
static void *table[OBJECTS];
static void sent(unsigned index) { static_cast<link *>(table[index])->on_sent(); }
static void received(unsigned index, const char *data, int bytes) { static_cast<link *>(table[index])->on_received(data, bytes); }
static void failed(unsigned index, int code) { static_cast<link *>(table[index])->on_failed(code); }
link::link(unsigned index) : driver{&events_, index}, events_{sent, received, failed} { table[index] = this; }
#elif METHOD == 4
link::link(unsigned)
    : driver{&events_}, events_{[this] { on_sent(); }, [this](const char *data, int bytes) { on_received(data, bytes); },
                                [this](int code) { on_failed(code); }}
{
}
#endif

// The objects are never destroyed, so that no way needs atexit.
alignas(link) static unsigned char memory[OBJECTS][sizeof(link)];

int main()
{
    link *made[OBJECTS];
    for (unsigned i = 0; i < OBJECTS; i++)
        made[i] = new (memory[i]) link(i);
    for (unsigned i = 0; i < OBJECTS; i++) {
        run(made[i]->driver, (int)i + 1);
        say_number("result: ", made[i]->result());
    }
    return 0;
}
