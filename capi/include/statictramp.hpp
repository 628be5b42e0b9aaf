// statictramp for C++: a lambda, or any function object, as a plain function pointer. Header only, C++11; with C++17
// the types are deduced:
//
//     statictramp::callback compare{[&](const void *a, const void *b) { return key(a) - key(b); }};
//     std::qsort(base, count, size, compare.get());
//
// The function object lives in the callback, which therefore stays where it is; its end ends the pointer's life: a
// call after that is diagnosed and ends the program. An exception thrown by the function object goes on to the caller,
// as from any function. The thread rules are those of the function object.

#ifndef STATICTRAMP_HPP
#define STATICTRAMP_HPP

#include "statictramp.h"

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace statictramp {

namespace detail {

// Whether a class is passed as its bytes (Itanium C++ ABI, section 1.1: trivial for the purposes of calls).
template <class T>
struct as_bytes {
    static constexpr bool value = std::is_trivially_copy_constructible<T>::value &&
                                  std::is_trivially_move_constructible<T>::value &&
                                  std::is_trivially_destructible<T>::value;
};

// How many integer-argument registers a parameter takes (System V x86-64 psABI, section 3.2.3).
template <class T, class = void>
struct registers {
    static_assert(!std::is_class<T>::value && !std::is_union<T>::value,
                  "statictramp: a struct of up to 16 bytes may travel in registers of either kind, which cannot be told "
                  "from its type; pass it by pointer or by reference");
    using passed = typename std::conditional<std::is_reference<T>::value, void *, T>::type;
    static_assert(sizeof(passed) <= sizeof(void *), "statictramp: a parameter of two words (an integer of 128 bits, a pointer "
                                               "to a member function) is not supported; pass it by pointer");
    static constexpr unsigned value = 1;
};
template <class T>
struct registers<T, typename std::enable_if<std::is_floating_point<T>::value>::type> {
    static constexpr unsigned value = 0;
};
// The address of a copy; else, if larger than two words: in memory.
template <class T>
struct registers<T, typename std::enable_if<(std::is_class<T>::value || std::is_union<T>::value) &&
                                            (!as_bytes<T>::value || (sizeof(T) > 16))>::type> {
    static constexpr unsigned value = as_bytes<T>::value ? 0 : 1;
};

template <class... Args>
struct sum {
    static constexpr unsigned value = 0;
};
template <class First, class... Rest>
struct sum<First, Rest...> {
    static constexpr unsigned value = registers<First>::value + sum<Rest...>::value;
};

// One, if the result is returned through a hidden pointer.
template <class R>
struct hidden {
    static constexpr unsigned value = 0;
};

template <class R, bool = std::is_class<R>::value || std::is_union<R>::value>
struct result : hidden<R> {};
template <class R>
struct result<R, true> {
    static constexpr unsigned value = !as_bytes<R>::value || (sizeof(R) > 16);
};

// The signature of a function object with one operator().
template <class F>
struct signature : signature<decltype(&F::operator())> {};
template <class F, class R, class... Args>
struct signature<R (F::*)(Args...)> {
    using type = R(Args...);
};
template <class F, class R, class... Args>
struct signature<R (F::*)(Args...) const> {
    using type = R(Args...);
};
#if __cplusplus >= 201703L
template <class F, class R, class... Args>
struct signature<R (F::*)(Args...) noexcept> {
    using type = R(Args...);
};
template <class F, class R, class... Args>
struct signature<R (F::*)(Args...) const noexcept> {
    using type = R(Args...);
};
#endif

template <class F, class Signature>
struct thunk;
template <class F, class R, class... Args>
struct thunk<F, R(Args...)> {
    using pointer = R (*)(Args...);
    // The register behind those that the arguments take.
    static constexpr unsigned position = result<R>::value + sum<Args...>::value;
    static_assert(position <= 5, "statictramp: no integer-argument register is left for the context; take fewer "
                                 "parameters, or pass some by pointer to a struct");
    static R call(Args... args, void *context) { return (*static_cast<F *>(context))(std::forward<Args>(args)...); }
};

} // namespace detail

// A function object and its function pointer.
template <class F, class Signature = typename detail::signature<F>::type>
class callback {
    using thunk = detail::thunk<F, Signature>;

  public:
    // The plain function pointer: R (*)(Args...).
    using pointer = typename thunk::pointer;

    // Throws std::bad_alloc if every trampoline is in use and there can be no more.
    explicit callback(F function)
        : function_(std::move(function)),
          trampoline_(statictramp_bind(reinterpret_cast<statictramp_fn>(&thunk::call), &function_, thunk::position))
    {
        if (!trampoline_)
            throw std::bad_alloc();
    }
    ~callback() { statictramp_free(trampoline_); }

    callback(const callback &) = delete;
    callback &operator=(const callback &) = delete;

    pointer get() const noexcept { return reinterpret_cast<pointer>(trampoline_); }
    operator pointer() const noexcept { return get(); }

  private:
    F function_;
    statictramp_fn trampoline_;
};

} // namespace statictramp

#endif
