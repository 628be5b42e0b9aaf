// SPDX-License-Identifier: MIT OR Apache-2.0
// statictramp for C++: makes a plain function pointer from a lambda or any other function object. The wrapper consists of this
// header only and needs C++11. With C++17 the types are deduced:
//
//     statictramp::callback compare{[&](const void *a, const void *b) { return key(a) - key(b); }};
//     std::qsort(base, count, size, compare.get());
//
// A callback contains the function object. While no thread is calling it, it can be moved; its function pointer stays the same.
// statictramp::function<R(A...)> is a single type for all function objects that can be called with this signature, meant for
// members, vectors and maps. It keeps the function object on the heap. Destroying either object invalidates its function pointer:
// a later call prints a message and aborts the program. An exception thrown by the function object propagates to the caller, as
// from any function. Concurrent calls are safe if the function object allows them.
//
// If every trampoline is in use and the table cannot grow, the constructors throw std::bad_alloc. With std::nothrow as the last
// argument, or without exceptions (-fno-exceptions), the new object is empty instead. An empty object converts to false, and its
// pointer is null.
//
// The context is passed in the integer-argument register after those that the arguments take; on 32-bit x86 it is passed in the
// first word on the stack, before the arguments. The registers are counted at compile time for the calling convention. A type is
// rejected if no property that C++ code can query determines how it is passed. The table shows how many registers a parameter of
// each type takes:
//
//   accepted (elsewhere: below)             x86-64   AArch64   RISC-V (8)  PowerPC (4)  Arm       as a result, if in memory
//   integers, bool, enumerations,           1        1         1           1            1
//     pointers, references, nullptr_t
//   integers of twice a register's size     2        2, even   2           2            2, even
//   float, double                           none     none      none (1)    1            none
//   long double                             none     none      2           2 (5)        none
//   classes: empty                          none     rejected  rejected    rejected     rejected  of more than 16 bytes (Arm: 4) rejected
//     not trivial (a destructor or copy     1        1         1           1            1         1 (AArch64: none)
//       constructor)
//     trivially copyable, more than 16 B    none     1 (2)     1           its words    rejected  1 (AArch64: none; Arm: 2; x86-64: 3;
//                                                                          (6)                    PowerPC: 7)
//     trivially copyable, of 1 or 2 bytes   rejected rejected  rejected    rejected     rejected  none
//
// (1) 1 after the first eight. (2) Of more than 64 bytes; others are rejected. (3) Rejected: those of 32 bytes with AVX, and those
// of 32 or 64 bytes with AVX-512. (4) 64-bit, little-endian, ELFv2. (5) In IBM's format; in IEEE's format it is rejected. (6) One
// for each 8 bytes; a class aligned to more than 8 bytes is rejected. (7) Of more than 128 bytes; others are rejected. (8) 64-bit,
// and 64-bit LoongArch as well.
// x86-64 Windows (mingw-w64): every parameter takes 1, but an empty class and a class of size 0 are rejected. Class results are
// accepted and rejected as on x86-64, and a long double of 16 bytes is in memory.
// s390x: four registers. Floating-point numbers of up to 8 bytes take none; every other parameter takes 1. A long double, an
// integer of 16 bytes, and a trivially copyable class of more than 16 bytes are passed as the address of a copy, and returned in
// memory. Classes aligned to more than 8 bytes are rejected, and so is nullptr_t as a result.
// 32-bit x86 (Linux): 15 words of the stack, including the pointer to a result in memory. A non-trivial class takes 1; every
// other parameter takes 1 for each 4 bytes. A trivially copyable class of more than 16 bytes is returned in memory (3); it
// is rejected as a parameter if it is aligned to 16 bytes or more, contains no data, or has no trivial default constructor.
// On s390x and 32-bit x86, empty classes and classes of 1 or 2 bytes are rejected even as results.
// 32-bit PowerPC (Linux, big-endian): eight registers. A float, double or long double takes none, a long long takes 2 and begins
// in an even register, and any class takes 1. Every class is returned in memory. Classes aligned to more than 16 bytes are rejected.
// All other types are rejected: other small classes, vectors, _Complex, _Float16, pointers to member functions. So are other
// processors, and Arm without registers for floating-point arguments. Some options change how arguments are passed, and the
// header cannot detect them: -mregparm (32-bit x86), clang's -msoft-float (s390x, PowerPC) and gcc's -msvr4-struct-return
// (32-bit PowerPC). It must not be used with these options.

#ifndef STATICTRAMP_HPP
#define STATICTRAMP_HPP

#if defined(__MINGW64__) && defined(__x86_64__)
#define STATICTRAMP_WINDOWS 1
#elif defined(_WIN32) || defined(__CYGWIN__) || defined(__APPLE__)
#error "statictramp.hpp: the wrapper does not know this system's calling convention; use statictramp_bind"
#elif defined(__x86_64__) && defined(__SSE2__) && !defined(__ILP32__)
#define STATICTRAMP_X86_64 1
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__)
#define STATICTRAMP_AARCH64 1
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__) && _CALL_ELF == 2
#define STATICTRAMP_POWERPC64 1
#elif defined(__powerpc__) && !defined(__powerpc64__) && defined(__linux__) && defined(__BIG_ENDIAN__) && \
    !defined(_SOFT_FLOAT) && !defined(__SPE__) && !defined(__LONG_DOUBLE_IEEE128__)
#define STATICTRAMP_POWERPC 1
#elif defined(__riscv) && __riscv_xlen == 64 && defined(__riscv_float_abi_double)
#define STATICTRAMP_RISCV64 1
#elif defined(__loongarch_lp64) && defined(__loongarch_double_float)
#define STATICTRAMP_RISCV64 1 // the same rules apply to LoongArch
#elif defined(__arm__) && defined(__ARM_PCS_VFP) && !defined(__ARMEB__)
#define STATICTRAMP_ARM 1
#elif defined(__s390x__) && (defined(__clang__) || defined(__FP_FAST_FMA)) // gcc defines the second macro only with -mhard-float
#define STATICTRAMP_S390X 1
#elif defined(__i386__) && defined(__linux__) && !defined(__iamcu__)
#define STATICTRAMP_X86 1
#else
#error "statictramp.hpp: the wrapper does not know this calling convention; use statictramp_bind"
#endif

#include "statictramp.h"

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace statictramp {

namespace detail {

#if defined(__GNUC__) && defined(STATICTRAMP_X86_64)
static_assert(std::is_same<void (*)(), void(__attribute__((sysv_abi)) *)()>::value,
              "statictramp: functions have another calling convention than System V's (-mabi=ms)");
#elif defined(__GNUC__) && defined(STATICTRAMP_WINDOWS)
static_assert(std::is_same<void (*)(), void(__attribute__((ms_abi)) *)()>::value,
              "statictramp: functions have another calling convention than Microsoft's (-mabi=sysv)");
#elif defined(__GNUC__) && defined(STATICTRAMP_X86)
static_assert(std::is_same<void (*)(int), void(__attribute__((cdecl)) *)(int)>::value,
              "statictramp: functions have another calling convention than System V's (-mrtd)");
#endif

// The way in which a value of a type is passed (System V x86-64 psABI, section 3.2.3; AAPCS64, section 6.8.2; RISC-V ELF psABI;
// AAPCS32, section 6.5; System V psABI for i386, section 2.2.3; System V ABI, PowerPC Processor Supplement; ELF ABI s390x
// Supplement; Itanium C++ ABI, sections 1.1 and 3.1; on Windows, Microsoft's x64 calling convention as implemented by gcc and
// clang for mingw).
enum travels {
    unknown,      // cannot be determined
    integer,      // in one or two integer registers
    floating,     // in no integer register
    nothing,      // not passed at all
    tiny,         // in a register of either kind, or not passed at all
    in_memory,    // trivial, and larger than two 64-bit words; a result is at the address in a hidden pointer
    by_reference, // as the address of a copy; a result is at the address in a hidden pointer
};

// Whether a class may have clang's attribute trivial_abi, because of which a non-trivial class is passed in registers. A class
// with this attribute is trivially relocatable.
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
    static constexpr bool value = false; // an old gcc, which supports neither
#endif
};

// Whether a class is trivial for the purposes of calls. This means that its copy and move constructors and its destructor do
// nothing, and that at least one of these constructors is not deleted. A private or missing constructor cannot be distinguished
// from a deleted one. So a class counts as trivial only if it can be copied or moved and is trivially copyable, which depends on
// all of its constructors. (A class that is trivially copied but not trivially assigned, such as std::pair, is also trivial for
// calls, but no trait covers all of its constructors.)
template <class T>
struct is_trivial {
    static constexpr bool value = std::is_trivially_copyable<T>::value &&
                                  (std::is_copy_constructible<T>::value || std::is_move_constructible<T>::value);
};

// Whether a class is not trivial for the purposes of calls, because its destructor or its copy constructor does something.
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

// The size of a passed value. For a reference, this is the size of an address, since the referenced type may be incomplete.
template <class T>
struct size_of {
    static constexpr std::size_t value = sizeof(T);
};
template <class T>
struct size_of<T &> : size_of<void *> {};
template <class T>
struct size_of<T &&> : size_of<void *> {};
template <>
struct size_of<void> {
    static constexpr std::size_t value = 0;
};

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
#if defined(STATICTRAMP_POWERPC)
    static constexpr travels value = by_reference; // this applies to trivial and non-trivial types of any size
#else
    // A class larger than two words is in memory, unless it contains only a vector that fills one register.
    static constexpr travels value = is_not_trivial<T>::value ? by_reference
                                     : !is_trivial<T>::value  ? unknown
                                     : std::is_empty<T>::value ? nothing
                                     : sizeof(T) > 16          ? in_memory
                                     : sizeof(T) <= 2          ? tiny
                                                               : unknown;
#endif
};

// Whether a class has no data (members of empty classes and unnamed bit-fields are not data). This is the case if a constant of
// the class needs no initializer although the default constructor does nothing. gcc does not pass such a class at all, whatever
// its size, and clang passes it in memory. However, a class that can be initialized with {0} has data, in an unnamed union. (If
// the default constructor does something, only an empty class is known to have no data.)
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

#if defined(STATICTRAMP_POWERPC64)
#if defined(__LONG_DOUBLE_IEEE128__)
static constexpr bool is_vector_float = true;
#else
static constexpr bool is_vector_float = false;
#endif
// For a type that may be larger than one doubleword or aligned to more, the number of its doublewords, and whether it begins in
// an even-numbered register.
template <class T, bool = way<T>::value == floating || way<T>::value == in_memory>
struct doublewords {
    static constexpr unsigned value = 1;
    static constexpr bool is_even = false;
};
template <class T>
struct doublewords<T, true> {
    static constexpr unsigned value = static_cast<unsigned>((sizeof(T) + 7) / 8);
    static constexpr bool is_even = way<T>::value == in_memory ? alignof(T) > 8
                                                               : std::is_same<T, long double>::value && is_vector_float;
};
#endif

#if defined(STATICTRAMP_X86)
// Whether a parameter is passed as stack words that directly follow those before it. This is uncertain for a class without data,
// because compilers differ, and for a class that contains a vector, because compilers align it to 16 bytes.
template <class T, bool = way<T>::value == in_memory>
struct has_words {
    static constexpr bool value = way<T>::value == integer || way<T>::value == by_reference ||
                                  (way<T>::value == floating && (!std::is_same<T, long double>::value || __LDBL_MANT_DIG__ <= 64));
};
template <class T>
struct has_words<T, true> {
    static constexpr bool value =
        std::is_trivially_default_constructible<T>::value && !has_no_data<T>::value && alignof(T) < 16;
};
#endif

#if defined(STATICTRAMP_S390X) || defined(STATICTRAMP_POWERPC)
// Whether a type is aligned to more than the stack. gcc does not align copies of such a type (nor, on s390x, results of such a
// type), but clang relies on the alignment.
#if defined(STATICTRAMP_S390X)
static constexpr std::size_t stack_alignment = 8;
#else
static constexpr std::size_t stack_alignment = 16;
#endif
template <class T, bool = way<T>::value == in_memory || way<T>::value == by_reference>
struct is_over_aligned : std::false_type {};
template <class T>
struct is_over_aligned<T, true> {
    static constexpr bool value = alignof(T) > stack_alignment;
};
#endif

#if defined(STATICTRAMP_AARCH64)
#if defined(__ARM_FP)
static constexpr bool has_float_registers = true;
#else
static constexpr bool has_float_registers = false; // clang with -mabi=aapcs-soft
#endif
#endif

// Whether a parameter's type determines how it is passed on this processor.
template <class T>
struct is_known {
    static constexpr travels how = way<T>::value;
    static constexpr bool value =
#if defined(STATICTRAMP_X86_64)
        how != unknown && how != tiny;
#elif defined(STATICTRAMP_WINDOWS)
        // Each parameter takes one register, which holds its value or the address of a copy.
        how != nothing && size_of<T>::value > 0;
#elif defined(STATICTRAMP_AARCH64)
        // A class of up to four vectors is passed in vector registers.
        how == integer || (how == floating && has_float_registers) || how == by_reference ||
        (how == in_memory && size_of<T>::value > 64);
#elif defined(STATICTRAMP_POWERPC)
        (how == integer || how == floating || how == by_reference) && !is_over_aligned<T>::value;
#elif defined(STATICTRAMP_POWERPC64)
        // If a type begins in an even-numbered register, it is a vector, or a class with members that are unknown here.
        (how == integer || how == floating || how == by_reference || how == in_memory) && !doublewords<T>::is_even;
#elif defined(STATICTRAMP_RISCV64)
        how == integer || how == floating || how == by_reference || how == in_memory;
#elif defined(STATICTRAMP_S390X)
        (how == integer || how == floating || how == by_reference || how == in_memory) && !is_over_aligned<T>::value;
#elif defined(STATICTRAMP_X86)
        has_words<T>::value;
#else
        how == integer || how == floating || how == by_reference;
#endif
};

// The number of integer registers that are taken after a parameter, given those taken before it. Floating-point registers are
// counted only on processors where they affect the result.
template <class T, unsigned Integers, unsigned Floats>
struct after {
    static constexpr travels how = way<T>::value;
    static_assert(is_known<T>::value,
                  "statictramp: how a parameter of this type travels cannot be told from its type (a small class, a vector, a "
                  "complex number, ...); pass it by pointer or by reference");
    static constexpr bool is_pair = how == integer && size_of<T>::value > sizeof(void *);
#if defined(STATICTRAMP_X86_64)
    static constexpr unsigned integers = Integers + (is_pair ? 2 : how == integer || how == by_reference ? 1 : 0);
    static constexpr unsigned floats = 0;
#elif defined(STATICTRAMP_WINDOWS)
    static constexpr unsigned integers = Integers + 1;
    static constexpr unsigned floats = 0;
#elif defined(STATICTRAMP_POWERPC64) // a parameter that is passed elsewhere still takes its registers here
    static constexpr unsigned integers = Integers + (is_pair ? 2 : doublewords<T>::value);
    static constexpr unsigned floats = 0;
#elif defined(STATICTRAMP_RISCV64)
    static constexpr bool in_float = how == floating && size_of<T>::value <= 8 && Floats < 8;
    static constexpr bool is_long_double = how == floating && size_of<T>::value > 8;
    static constexpr unsigned integers = Integers + (in_float ? 0 : is_pair || is_long_double ? 2 : 1);
    static constexpr unsigned floats = Floats + (in_float ? 1 : 0);
#elif defined(STATICTRAMP_S390X) // a value larger than a register is passed as the address of a copy
    static constexpr unsigned integers = Integers + (how == floating && size_of<T>::value <= 8 ? 0 : 1);
    static constexpr unsigned floats = 0;
#elif defined(STATICTRAMP_X86) // the words on the stack
    static constexpr unsigned integers =
        Integers + (how == by_reference ? 1 : static_cast<unsigned>((size_of<T>::value + 3) / 4));
    static constexpr unsigned floats = 0;
#else // a pair begins in an even-numbered register
    static constexpr unsigned integers = is_pair ? (Integers + 1) / 2 * 2 + 2 : Integers + (how == floating ? 0 : 1);
    static constexpr unsigned floats = 0;
#endif
};

// The first integer register that parameters leave free.
template <unsigned Integers, unsigned Floats, class... Args>
struct registers {
    static constexpr unsigned value = Integers;
};
template <unsigned Integers, unsigned Floats, class First, class... Rest>
struct registers<Integers, Floats, First, Rest...> {
    using then = after<First, Integers, Floats>;
    static constexpr unsigned value = registers<then::integers, then::floats, Rest...>::value;
};
#if defined(STATICTRAMP_X86_64)
static constexpr unsigned argument_registers = 6;
#elif defined(STATICTRAMP_ARM) || defined(STATICTRAMP_WINDOWS) || defined(STATICTRAMP_S390X) // on s390x the fifth register is callee-saved
static constexpr unsigned argument_registers = 4;
#elif defined(STATICTRAMP_X86) // the words on the stack, including the context's word
static constexpr unsigned argument_registers = 16;
#else
static constexpr unsigned argument_registers = 8;
#endif

template <class R>
struct may_be_vector {
#if defined(__AVX512F__)
    static constexpr bool value = size_of<R>::value == 32 || size_of<R>::value == 64;
#elif defined(__AVX__)
    static constexpr bool value = size_of<R>::value == 32;
#else
    static constexpr bool value = false;
#endif
};

#if defined(STATICTRAMP_ARM)
static constexpr std::size_t most_in_registers = 4;
#elif defined(STATICTRAMP_WINDOWS)
static constexpr std::size_t most_in_registers = 8;
#elif defined(STATICTRAMP_S390X) || defined(STATICTRAMP_X86) // in memory, with or without data
static constexpr std::size_t most_in_registers = ~std::size_t();
#else
static constexpr std::size_t most_in_registers = 16;
#endif
// The largest size of a struct of equal numbers or vectors that is returned in registers.
#if defined(STATICTRAMP_POWERPC64)
static constexpr std::size_t most_in_floats = 128;
#else
static constexpr std::size_t most_in_floats = 64;
#endif
template <class R, bool = way<R>::value == nothing || way<R>::value == in_memory>
struct is_large_without_data : std::false_type {};
template <class R>
struct is_large_without_data<R, true> {
    static constexpr bool value = sizeof(R) > most_in_registers && has_no_data<R>::value;
};
template <>
struct is_large_without_data<void, true> : std::false_type {};

// 1 if the result is returned through a hidden pointer, otherwise 0.
template <class R>
struct result {
    static constexpr travels how = way<typename std::remove_cv<R>::type>::value;
#if defined(STATICTRAMP_S390X) || defined(STATICTRAMP_X86)
    static constexpr bool is_known = how != unknown && how != tiny && (how != nothing || std::is_void<R>::value);
#else
    static constexpr bool is_known = how != unknown;
#endif
    static_assert(is_known,
                  "statictramp: how a result of this type is returned cannot be told from its type (a small class, a vector, "
                  "a complex number, ...); return it by a pointer that is passed");
    static_assert(how != in_memory || !may_be_vector<R>::value,
                  "statictramp: a result of this size may be a vector, which AVX returns in a register; return it by a "
                  "pointer that is passed");
    static_assert(!is_large_without_data<typename std::remove_cv<R>::type>::value,
                  "statictramp: compilers differ in how they return a class of more than 16 bytes (Arm: 4, Windows: 8) that has no data; "
                  "return it by a pointer that is passed");
#if defined(STATICTRAMP_AARCH64)
    static constexpr unsigned value = 0;
#else
#if defined(STATICTRAMP_ARM) || defined(STATICTRAMP_POWERPC64)
    static_assert(how != in_memory || size_of<R>::value > most_in_floats,
                  "statictramp: a result of this size may travel in registers; return it by a pointer that is passed");
#endif
#if defined(STATICTRAMP_WINDOWS)
    static_assert(std::is_void<R>::value || size_of<R>::value > 0,
                  "statictramp: compilers differ in how they return a class of no size; return it by a pointer that is passed");
    static constexpr bool is_wide_scalar = how == floating && size_of<R>::value > 8;
#elif defined(STATICTRAMP_S390X)
    static_assert(!std::is_same<typename std::remove_cv<R>::type, std::nullptr_t>::value,
                  "statictramp: compilers differ in how they return std::nullptr_t; return void *");
    static_assert(!is_over_aligned<typename std::remove_cv<R>::type>::value,
                  "statictramp: compilers differ in where a result of this alignment may lie; return it by a pointer that is passed");
    static constexpr bool is_wide_scalar = (how == floating || how == integer) && size_of<R>::value > 8;
#elif defined(STATICTRAMP_X86)
    static_assert(how != floating || has_words<typename std::remove_cv<R>::type>::value,
                  "statictramp: compilers differ in how they return a long double of this format (-mlong-double-128)");
    static constexpr bool is_wide_scalar = false; // these processors have registers for such a result
#else
    static constexpr bool is_wide_scalar = false; // these processors have registers for such a result
#endif
    static constexpr unsigned value = how == in_memory || how == by_reference || is_wide_scalar ? 1 : 0;
#endif
};

// The signature of a function object with exactly one operator().
template <class F>
struct signature : signature<decltype(&F::operator())> {};
template <class F, class Member>
struct signature<Member F::*> {
    static_assert(sizeof(F) == 0, "statictramp: this operator() cannot be called as that of a callback is: it is && or variadic");
};
#define STATICTRAMP_SIGNATURE(...)                       \
    template <class F, class R, class... Args>           \
    struct signature<R (F::*)(Args...) __VA_ARGS__> {    \
        using type = R(Args...);                         \
    };
STATICTRAMP_SIGNATURE()
STATICTRAMP_SIGNATURE(const)
STATICTRAMP_SIGNATURE(volatile)
STATICTRAMP_SIGNATURE(const volatile)
STATICTRAMP_SIGNATURE(&)
STATICTRAMP_SIGNATURE(const &)
STATICTRAMP_SIGNATURE(volatile &)
STATICTRAMP_SIGNATURE(const volatile &)
#if __cplusplus >= 201703L
STATICTRAMP_SIGNATURE(noexcept)
STATICTRAMP_SIGNATURE(const noexcept)
STATICTRAMP_SIGNATURE(volatile noexcept)
STATICTRAMP_SIGNATURE(const volatile noexcept)
STATICTRAMP_SIGNATURE(& noexcept)
STATICTRAMP_SIGNATURE(const & noexcept)
STATICTRAMP_SIGNATURE(volatile & noexcept)
STATICTRAMP_SIGNATURE(const volatile & noexcept)
#endif
#undef STATICTRAMP_SIGNATURE
// The signature of a function pointer, or of the static operator() of C++23.
template <class R, class... Args>
struct signature<R (*)(Args...)> {
    using type = R(Args...);
};
#if __cplusplus >= 201703L
template <class R, class... Args>
struct signature<R (*)(Args...) noexcept> {
    using type = R(Args...);
};
#endif

// Calls a function object, and discards its result if the signature returns void.
template <class R>
struct returning {
    template <class F, class... Args>
    static R call(F &function, Args &&...args)
    {
        return function(std::forward<Args>(args)...);
    }
};
template <>
struct returning<void> {
    template <class F, class... Args>
    static void call(F &function, Args &&...args)
    {
        static_cast<void>(function(std::forward<Args>(args)...));
    }
};

template <class F, class Signature>
struct thunk;
template <class F, class R, class... Args>
struct thunk<F, R(Args...)> {
    using pointer = R (*)(Args...);
    // The number of the register after those that the arguments take.
    static constexpr unsigned position = registers<result<R>::value, 0, Args...>::value;
#if defined(STATICTRAMP_X86)
    static_assert(position < argument_registers, "statictramp: the parameters, and the pointer to a result in memory, take more than "
                                                 "15 words of the stack; take fewer, or pass some by pointer to a struct");
#else
    static_assert(position < argument_registers, "statictramp: no integer-argument register is left for the context; take fewer "
                                                 "parameters, or pass some by pointer to a struct");
#endif
#if defined(STATICTRAMP_X86)
    // The context comes first, because the words after those of the arguments belong to the caller.
    static R call(void *context, Args... args)
#else
    static R call(Args... args, void *context)
#endif
    {
        return returning<R>::call(*static_cast<F *>(context), std::forward<Args>(args)...);
    }
    static statictramp_fn bind(void *context) noexcept
    {
#if defined(STATICTRAMP_X86)
        return statictramp_bind_first(reinterpret_cast<statictramp_fn>(&call), context,
                                      result<R>::value ? position - 1 + STATICTRAMP_RESULT_IN_MEMORY : position);
#else
        return statictramp_bind(reinterpret_cast<statictramp_fn>(&call), context, position);
#endif
    }
};

// Throws std::bad_alloc if no trampoline could be made.
inline void throw_if_null(statictramp_fn trampoline)
{
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
    if (!trampoline)
        throw std::bad_alloc();
#else
    static_cast<void>(trampoline);
#endif
}

inline void end(statictramp_fn trampoline) noexcept
{
    if (trampoline)
        statictramp_free(trampoline);
}

// The address of a function object, even if its class overloads operator &.
template <class F>
void *address_of(F &function) noexcept
{
    return const_cast<char *>(&reinterpret_cast<const volatile char &>(function));
}

// Creates and destroys an object on the heap, without using an operator new or delete of its class.
template <class T, bool = (alignof(T) > alignof(std::max_align_t))>
struct on_heap {
    template <class F>
    static T *make(F &&from)
    {
        return ::new (std::nothrow) T(std::forward<F>(from));
    }
    static void end(void *object) { ::delete static_cast<T *>(object); }
};
// The same for a type that is aligned to more than any scalar, which operator new supports only since C++17. The address of the
// allocated memory is stored before the object.
template <class T>
struct on_heap<T, true> {
    template <class F>
    static T *make(F &&from)
    {
        struct room {
            void *address;
            ~room() { ::operator delete(address); }
        } room = {::operator new(sizeof(T) + alignof(T) + sizeof(void *), std::nothrow)};
        if (!room.address)
            return nullptr;
        char *least = static_cast<char *>(room.address) + sizeof(void *);
        std::size_t over = reinterpret_cast<std::uintptr_t>(least) % alignof(T);
        char *place = least + (over ? alignof(T) - over : 0);
        T *made = ::new (static_cast<void *>(place)) T(std::forward<F>(from));
        ::new (static_cast<void *>(place - sizeof(void *))) void *(room.address);
        room.address = nullptr;
        return made;
    }
    static void end(void *object)
    {
        void *room = *reinterpret_cast<void **>(static_cast<char *>(object) - sizeof(void *));
        static_cast<T *>(object)->~T();
        ::operator delete(room);
    }
};

// Whether a function object can be called with arguments of these types, and returns R or a result that converts to R.
template <class F, class Signature, class = void>
struct can_be_called : std::false_type {};
template <class F, class R, class... Args>
struct can_be_called<F, R(Args...), decltype(static_cast<void>(std::declval<F &>()(std::declval<Args>()...)))> {
    using made = decltype(std::declval<F &>()(std::declval<Args>()...));
    static constexpr bool value =
        std::is_void<R>::value || std::is_same<made, R>::value || std::is_convertible<made, R>::value;
};

} // namespace detail

// A function object and its function pointer.
template <class F, class Signature = typename detail::signature<F>::type>
class callback {
    using thunk = detail::thunk<F, Signature>;

  public:
    // The plain function pointer: R (*)(Args...).
    using pointer = typename thunk::pointer;

    // Throws std::bad_alloc if every trampoline is in use and the table cannot grow. Without exceptions, the callback is empty in
    // that case.
    explicit callback(F function) : callback(std::move(function), std::nothrow) { detail::throw_if_null(trampoline_); }
    // If every trampoline is in use and the table cannot grow, the callback is empty.
    callback(F function, std::nothrow_t)
        : function_(std::move(function)), trampoline_(thunk::bind(detail::address_of(function_)))
    {
    }
    ~callback() { detail::end(trampoline_); }

    callback(const callback &) = delete;
    callback &operator=(const callback &) = delete;
    // The function pointer stays valid. No thread may call it during the move. `other` is empty afterwards.
    callback(callback &&other) noexcept(std::is_nothrow_move_constructible<F>::value)
        : function_(std::move(other.function_)), trampoline_(other.take())
    {
        if (trampoline_)
            statictramp_rebind(trampoline_, detail::address_of(function_));
    }
    callback &operator=(callback &&other) noexcept
    {
        // Destroys the old object and constructs a new one, because a lambda cannot be assigned.
        static_assert(std::is_nothrow_move_constructible<F>::value, "statictramp: a function object that may throw when it is "
                                                                    "moved cannot replace another");
        if (this != &other) {
            this->~callback();
            ::new (static_cast<void *>(this)) callback(std::move(other));
        }
        return *this;
    }

    pointer get() const noexcept { return reinterpret_cast<pointer>(trampoline_); }
    operator pointer() const noexcept { return get(); }
    explicit operator bool() const noexcept { return trampoline_ != nullptr; }

  private:
    statictramp_fn take() noexcept
    {
        statictramp_fn taken = trampoline_;
        trampoline_ = nullptr;
        return taken;
    }

    F function_;
    statictramp_fn trampoline_;
};

// A function pointer for any function object that can be called with this signature. All of these function objects share this one
// type.
template <class Signature>
class function;
template <class R, class... Args>
class function<R(Args...)> {
    template <class F, class Object = typename std::decay<F>::type>
    using if_other =
        typename std::enable_if<std::conditional<std::is_same<Object, function>::value, std::false_type,
                                                 detail::can_be_called<Object, R(Args...)>>::type::value>::type;

  public:
    // The plain function pointer.
    using pointer = R (*)(Args...);

    function() noexcept = default;
    function(std::nullptr_t) noexcept {}
    // Throws std::bad_alloc if there is no memory, or if every trampoline is in use and the table cannot grow. Without
    // exceptions, the function is empty in these cases.
    template <class F, class = if_other<F>>
    function(F &&callee) : function(std::forward<F>(callee), std::nothrow)
    {
        detail::throw_if_null(trampoline_);
    }
    // The function is empty in those cases in which the constructor above throws.
    template <class F, class = if_other<F>>
    function(F &&callee, std::nothrow_t)
    {
        using object = typename std::decay<F>::type;
        object *made = detail::on_heap<object>::make(std::forward<F>(callee));
        if (!made)
            return;
        object_ = detail::address_of(*made);
        destroy_ = &detail::on_heap<object>::end;
        trampoline_ = detail::thunk<object, R(Args...)>::bind(object_);
        if (!trampoline_)
            reset();
    }
    ~function() { reset(); }

    function(const function &) = delete;
    function &operator=(const function &) = delete;
    // The function pointer stays valid, even if a call is running.
    function(function &&other) noexcept { swap(other); }
    function &operator=(function &&other) noexcept
    {
        function taken(std::move(other));
        swap(taken);
        return *this;
    }

    void swap(function &other) noexcept
    {
        std::swap(object_, other.object_);
        std::swap(destroy_, other.destroy_);
        std::swap(trampoline_, other.trampoline_);
    }
    // Frees the trampoline and destroys the function object. When its destructor runs, this function is already empty.
    void reset() noexcept
    {
        statictramp_fn trampoline = trampoline_;
        void *object = object_;
        trampoline_ = nullptr;
        object_ = nullptr;
        detail::end(trampoline);
        if (object)
            destroy_(object);
    }

    pointer get() const noexcept { return reinterpret_cast<pointer>(trampoline_); }
    operator pointer() const noexcept { return get(); }
    explicit operator bool() const noexcept { return trampoline_ != nullptr; }

  private:
    void *object_ = nullptr;
    void (*destroy_)(void *) = nullptr;
    statictramp_fn trampoline_ = nullptr;
};

template <class R, class... Args>
void swap(function<R(Args...)> &a, function<R(Args...)> &b) noexcept
{
    a.swap(b);
}

} // namespace statictramp

#undef STATICTRAMP_X86_64
#undef STATICTRAMP_WINDOWS
#undef STATICTRAMP_AARCH64
#undef STATICTRAMP_POWERPC
#undef STATICTRAMP_POWERPC64
#undef STATICTRAMP_RISCV64
#undef STATICTRAMP_ARM
#undef STATICTRAMP_S390X
#undef STATICTRAMP_X86

#endif
