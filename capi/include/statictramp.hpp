// statictramp for C++: a lambda, or any function object, as a plain function pointer. Header only, C++11; with C++17
// the types are deduced:
//
//     statictramp::callback compare{[&](const void *a, const void *b) { return key(a) - key(b); }};
//     std::qsort(base, count, size, compare.get());
//
// The function object lives in the callback, which therefore stays where it is; its end ends the pointer's life: a
// call after that is diagnosed and ends the program. An exception thrown by the function object goes on to the caller,
// as from any function. The thread rules are those of the function object.
//
// The context travels in an integer-argument register behind those of the arguments, which are counted at compile time
// for the x86-64 System V ABI. A type for which no property that C++ knows of tells how it travels is refused:
//
//   accepted                                              registers    as a result
//   integers, bool, enumerations, pointers, references,   1            none
//     std::nullptr_t
//   integers of 128 bits (__int128)                       2            none
//   float, double, long double                            none         none
//   classes: empty                                        none         none; of more than 16 bytes refused
//     not trivial (a destructor or copy constructor)      1            1
//     trivially copyable, of more than 16 bytes           none         1, but for 32 bytes with AVX, 64 with AVX-512
//     trivially copyable, of 1 or 2 bytes                 refused      none
//
// All else is refused: other small classes, vectors, _Complex, _Float16, pointers to member functions.

#ifndef STATICTRAMP_HPP
#define STATICTRAMP_HPP

#if !defined(__x86_64__) || !defined(__SSE2__) || defined(__ILP32__) || defined(_WIN32) || defined(__CYGWIN__)
#error "statictramp.hpp: the wrapper knows the calling convention of x86-64 System V alone (Linux); elsewhere use statictramp_bind"
#endif

#include "statictramp.h"

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace statictramp {

namespace detail {

#if defined(__GNUC__)
static_assert(std::is_same<void (*)(), void(__attribute__((sysv_abi)) *)()>::value,
              "statictramp: functions have another calling convention than System V's (-mabi=ms)");
#endif

// How a type travels (System V x86-64 psABI, section 3.2.3; Itanium C++ ABI, sections 1.1 and 3.1).
enum travels {
    unknown,      // it cannot be told
    integer,      // in an integer register, or two
    floating,     // in none of them
    nothing,      // not at all
    tiny,         // in a register of either kind, or not at all
    in_memory,    // on the stack; a result where a hidden pointer says
    by_reference, // the address of a copy; a result where a hidden pointer says
};

// Where there is the attribute trivial_abi (clang), it makes a class travel in registers that is not trivial. It is
// trivially relocatable then.
template <class T>
struct may_have_attribute {
#if defined(__has_attribute) && defined(__has_builtin)
#if !__has_attribute(trivial_abi)
    static constexpr bool value = false;
#elif __has_builtin(__is_trivially_relocatable)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wdeprecated-builtins"
    static constexpr bool value = __is_trivially_relocatable(T);
#pragma GCC diagnostic pop
#else
    static constexpr bool value = true;
#endif
#else
    static constexpr bool value = false; // an old gcc, which has neither
#endif
};

// Trivial for the purposes of calls: no copy or move constructor and no destructor does anything, and one of the
// constructors is not deleted. A private one, or one that is not there, cannot be told from a deleted one: so only what is
// trivially copyable, which sees all of them, and can be made of another. (What is trivially copied but not trivially
// assigned, as std::pair, is trivial too, but nothing says so of all its constructors.)
template <class T>
struct is_trivial {
    static constexpr bool value = std::is_trivially_copyable<T>::value &&
                                  (std::is_copy_constructible<T>::value || std::is_move_constructible<T>::value);
};

// Not trivial for the purposes of calls: the destructor does something, or the constructor that copies.
template <class T>
struct is_not_trivial {
    static constexpr bool value =
        (!std::is_trivially_destructible<T>::value ||
         (std::is_copy_constructible<T>::value && !std::is_trivially_copy_constructible<T>::value)) &&
        !may_have_attribute<T>::value;
};

template <class T>
struct is_wide : std::false_type {};
#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 signed_wide;
__extension__ typedef unsigned __int128 unsigned_wide;
template <>
struct is_wide<signed_wide> : std::true_type {};
template <>
struct is_wide<unsigned_wide> : std::true_type {};
#endif

template <class T, bool = std::is_class<T>::value || std::is_union<T>::value>
struct way {
    static constexpr bool is_word = std::is_pointer<T>::value || std::is_member_object_pointer<T>::value ||
                                    std::is_same<T, std::nullptr_t>::value ||
                                    ((std::is_integral<T>::value || std::is_enum<T>::value) && sizeof(T) <= 8);
    static constexpr bool is_float =
        std::is_same<T, float>::value || std::is_same<T, double>::value || std::is_same<T, long double>::value;
    static constexpr travels value = is_word || is_wide<T>::value ? integer : is_float ? floating : unknown;
};
template <class T>
struct way<T &, false> {
    static constexpr travels value = integer;
};
template <class T>
struct way<T &&, false> {
    static constexpr travels value = integer;
};
template <>
struct way<void, false> {
    static constexpr travels value = nothing;
};
template <class T>
struct way<T, true> {
    // Larger than two words, it is in memory, unless it is a vector for a register of just that size.
    static constexpr travels value = is_not_trivial<T>::value ? by_reference
                                     : !is_trivial<T>::value  ? unknown
                                     : std::is_empty<T>::value ? nothing
                                     : sizeof(T) > 16          ? in_memory
                                     : sizeof(T) <= 2          ? tiny
                                                               : unknown;
};

// Whether nothing can be left uninitialized in a constant, although no constructor does anything: then a class has no
// data (members of empty classes, or bit-fields without a name, are none). gcc passes the like in nothing, of whatever
// size, and clang in memory. What a list can begin with 0 for has data, too, in a union without a name. (Where a
// constructor does something, only an empty class is known to have none.)
template <class T, class = void>
struct may_be_constant : std::false_type {};
template <class T>
struct may_be_constant<T, decltype(static_cast<void>(new const T))> : std::true_type {};
template <class T, class = void>
struct begins_with_number : std::false_type {};
template <class T>
struct begins_with_number<T, decltype(static_cast<void>(T{0}))> : std::true_type {};
template <class T, bool = std::is_trivially_default_constructible<T>::value>
struct has_no_data {
    static constexpr bool value = std::is_empty<T>::value;
};
template <class T>
struct has_no_data<T, true> {
    static constexpr bool value =
        std::is_empty<T>::value || (may_be_constant<T>::value && !begins_with_number<T>::value);
};

// How many integer-argument registers a parameter takes.
template <class T>
struct registers {
    static constexpr travels how = way<T>::value;
    static_assert(how != unknown && how != tiny,
                  "statictramp: how a parameter of this type travels cannot be told from its type (a small class, a vector, a "
                  "complex number, ...); pass it by pointer or by reference");
    static constexpr unsigned value = is_wide<T>::value ? 2 : how == integer || how == by_reference ? 1 : 0;
};

template <class... Args>
struct sum {
    static constexpr unsigned value = 0;
};
template <class First, class... Rest>
struct sum<First, Rest...> {
    static constexpr unsigned value = registers<First>::value + sum<Rest...>::value;
};

template <class R>
struct may_be_vector {
#if defined(__AVX512F__)
    static constexpr bool value = sizeof(R) == 32 || sizeof(R) == 64;
#elif defined(__AVX__)
    static constexpr bool value = sizeof(R) == 32;
#else
    static constexpr bool value = false;
#endif
};
template <>
struct may_be_vector<void> {
    static constexpr bool value = false;
};

template <class R, bool = way<R>::value == nothing || way<R>::value == in_memory>
struct is_large_without_data : std::false_type {};
template <class R>
struct is_large_without_data<R, true> {
    static constexpr bool value = sizeof(R) > 16 && has_no_data<R>::value;
};
template <>
struct is_large_without_data<void, true> : std::false_type {};

// One, if the result is returned through a hidden pointer.
template <class R>
struct result {
    static constexpr travels how = way<typename std::remove_cv<R>::type>::value;
    static_assert(how != unknown,
                  "statictramp: how a result of this type is returned cannot be told from its type (a small class, a vector, "
                  "a complex number, ...); return it by a pointer that is passed");
    static_assert(how != in_memory || !may_be_vector<typename std::remove_reference<R>::type>::value,
                  "statictramp: a result of this size may be a vector, which AVX returns in a register; return it by a "
                  "pointer that is passed");
    static_assert(!is_large_without_data<typename std::remove_cv<R>::type>::value,
                  "statictramp: compilers differ in how they return a class of more than 16 bytes that has no data; return "
                  "it by a pointer that is passed");
    static constexpr unsigned value = how == in_memory || how == by_reference ? 1 : 0;
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

// The address, also of what has an operator & of its own.
template <class F>
void *address_of(F &function) noexcept
{
    return const_cast<char *>(&reinterpret_cast<const volatile char &>(function));
}

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
          trampoline_(statictramp_bind(reinterpret_cast<statictramp_fn>(&thunk::call), detail::address_of(function_),
                                       thunk::position))
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
