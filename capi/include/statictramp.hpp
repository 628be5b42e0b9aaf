// SPDX-License-Identifier: MIT OR Apache-2.0
// statictramp for C++: makes a plain function pointer from a lambda or any other function object. The wrapper consists of this
// header alone, and requires C++11. With C++17, the types are deduced:
//
//     statictramp::callback compare{[&](const void *a, const void *b) { return key(a) - key(b); }};
//     std::qsort(base, count, size, compare.get());
//
// A callback contains its function object. It can be moved while no thread is calling it, and its function pointer stays the
// same. statictramp::function<R(A...)> is a single type for all function objects that can be called with this
// signature. It stores the function object on the heap, and is meant for members, vectors and maps. From C++17 on, a
// function pointer can call a method of an object in two ways (the object must outlive the pointer):
//
//     statictramp::callback clicked{&window, &window_type::on_click};
//     statictramp::method<&window_type::on_click> clicked{&window}; // contains no function object
//
// statictramp::one_shot makes a function pointer that is freed by its only call. For a variadic signature such as
// void(int, const char *, ...), the function object takes a std::va_list in place of the variadic arguments.
//
// Destroying a callback, function or method invalidates its function pointer: a later call prints a message and aborts
// the program. An exception thrown by the function object propagates to the caller, as from any function. Concurrent
// calls are safe if the function object allows them.
//
// A call may destroy, empty or replace its own statictramp::function. The function object is destroyed when the last
// call in progress returns or throws, on whichever thread. (A call left by longjmp never ends, so its function object
// is never destroyed.) A callback contains its function object, so a call that destroys or replaces its own callback
// must not use that object afterwards, as after `delete this`.
//
// If every trampoline is in use and the table cannot grow, the constructors throw std::bad_alloc. With std::nothrow as the last
// argument, or without exceptions (-fno-exceptions), the new object is empty instead. An empty object converts to false, and its
// pointer is null.
//
// The C library determines how arguments are passed (statictramp_bind_types_last), so a function object may have up to 64
// parameters. On targets without an operating system, the arguments and the context must fit into registers. Otherwise,
// creation fails, as if every trampoline were in use. Parameters and results may have these types:
//
// * Integers, bool, enumerations, 128-bit integers, pointers, references, pointers to data members, va_list.
// * The types float, double, long double, and complex numbers such as `double _Complex` (not on 32-bit PowerPC).
// * Vectors of 8 and 16 bytes, with two or more elements, on processors where the C library supports their kinds.
// * Classes whose copy constructor or destructor is not trivial, such as std::string, without clang's attribute trivial_abi.
// * std::pair (of other types in this list), std::string_view and std::chrono::duration.
// * Trivially copyable classes with a public destructor, and a public copy or move constructor, whose members STATICTRAMP_MEMBERS
//   lists, or whose size alone determines how they are passed.
//
// Sizes of parameters and results that by themselves determine how a class is passed:
// * On x86-64: parameters and results of more than 16 bytes (1).
// * On x86-64 Windows (mingw-w64): any size.
// * On 32-bit x86 (Linux): parameters of any size (2), results of any size except 1, 2, 4 and 8 bytes.
// * On AArch64: parameters of more than 64 bytes, results of any size.
// * On RISC-V and LoongArch: parameters of more than two registers (3), results of any size.
// * On Arm: parameters of more than 64 bytes (2, 3), results of up to 4, or more than 64 bytes (3).
// * On 64-bit PowerPC: parameters of more than 128 bytes (2), results of up to 16, or more than 128 bytes.
// * On 32-bit PowerPC: parameters of any size (4), results of any size.
// * On s390x: parameters of more than 16 bytes, or with a size that is not a power of two (4), results of any size (4).
// * On 64-bit MIPS: no parameters, results of any size.
// * On 64-bit SPARC: parameters of more than 16 bytes (4), results of any size.
//
// (1) Except 32 bytes with AVX, and 64 bytes with AVX-512. A parameter may be aligned to at most 16 bytes.
// (2) Only with an alignment of at most 8 bytes (on Arm, 4 bytes). On 32-bit x86, also only with a trivial default constructor.
// (3) Any size if floating-point numbers are not passed in floating-point registers.
// (4) Only with an alignment of at most 16 bytes (on s390x, 8 bytes for both parameters and results).
//
// With clang, 128-bit integers are rejected on MIPS and SPARC, and complex numbers on MIPS. std::nullptr_t is rejected,
// because compilers return it in different ways on s390x. A class without data is rejected, except on 32-bit PowerPC
// and, if the class is empty, on x86-64. Any other type, such as a pointer to a member function (except as a parameter
// on Windows), is rejected at compile time. The header cannot detect some compiler options that change how arguments
// are passed: -mregparm and -freg-struct-return (32-bit x86), clang's -msoft-float (s390x, PowerPC) and gcc's
// -msvr4-struct-return (32-bit PowerPC). The header must not be used with these options.
//
// Code that names these classes must include this header and must not declare them itself. They are members of an inline namespace,
// so such a declaration introduces a second class, and every use of its name is ambiguous.

#ifndef STATICTRAMP_HPP
#define STATICTRAMP_HPP

#if defined(__MINGW64__) && defined(__x86_64__)
#define STATICTRAMP_WINDOWS 1
#elif defined(_WIN32) || defined(__CYGWIN__)
#error "statictramp.hpp: the wrapper does not know this system's calling convention; use statictramp_bind_types"
#elif defined(__x86_64__) && defined(__SSE2__) && !defined(__ILP32__)
#define STATICTRAMP_X86_64 1
#elif defined(__aarch64__) && defined(__LP64__) && !defined(__AARCH64EB__) && defined(__ARM_FP)
#define STATICTRAMP_AARCH64 1
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__) && _CALL_ELF == 2
#define STATICTRAMP_POWERPC64 1
#elif defined(__powerpc__) && !defined(__powerpc64__) && defined(__linux__) && defined(__BIG_ENDIAN__) && \
    !defined(_SOFT_FLOAT) && !defined(__SPE__) && !defined(__LONG_DOUBLE_IEEE128__)
#define STATICTRAMP_POWERPC 1
#elif (defined(__riscv) && !defined(__riscv_32e) && !defined(__riscv_64e)) || \
    (defined(__loongarch_lp64) && defined(__loongarch_double_float)) // the same rules apply to LoongArch
#define STATICTRAMP_RISCV 1
#elif defined(__arm__) && defined(__ARM_EABI__) && !defined(__ARMEB__)
#define STATICTRAMP_ARM 1
#elif defined(__s390x__) && (defined(__clang__) || defined(__FP_FAST_FMA)) // gcc defines the second macro only with -mhard-float
#define STATICTRAMP_S390X 1
#elif defined(__i386__) && defined(__linux__) && !defined(__iamcu__)
#define STATICTRAMP_X86 1
#elif defined(__mips64) && defined(_ABI64) && _MIPS_SIM == _ABI64 && defined(__mips_hard_float) && defined(__MIPSEL__)
#define STATICTRAMP_MIPS64 1
#elif defined(__sparc__) && defined(__arch64__)
#define STATICTRAMP_SPARC64 1
#else
#error "statictramp.hpp: the wrapper does not know this calling convention; use statictramp_bind_types"
#endif

#include "statictramp.h"

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

// All shared objects of a process use the same definition of an inline function, but each of them may contain its own copy of the C
// library (the archive). Each shared object has its own definition of a hidden function, which calls its own copy. The owner of a
// trampoline stores a pointer to such a function, so the copy that made a trampoline frees it, whichever shared object destroys the
// owner. The owner must be destroyed before the shared object with that copy is unloaded.
#if defined(__ELF__) || defined(__APPLE__)
#define STATICTRAMP_HIDDEN __attribute__((visibility("hidden")))
#else // a DLL has its own definitions
#define STATICTRAMP_HIDDEN
#endif

#if __cplusplus >= 201703L && __STDC_HOSTED__
#if __has_include(<string_view>) && __has_include(<wchar.h>) // <string_view> includes <wchar.h>, which a board may lack
#include <string_view>
#define STATICTRAMP_STRING_VIEW 1
#endif
#endif

namespace statictramp {
// Increase the number in this name when you change the layout of a class or the meaning of its data. Shared objects that are compiled
// with different versions of this file must not use each other's definitions of inline functions.
inline namespace abi_1 {

namespace detail {
template <class T>
struct standard_members;
}
// The members of a class. STATICTRAMP_MEMBERS specializes this template for a class.
template <class T>
struct members : detail::standard_members<T> {};

namespace detail {

#if defined(__GNUC__) && defined(STATICTRAMP_X86_64)
static_assert(std::is_same<void (*)(), void(__attribute__((sysv_abi)) *)()>::value,
              "statictramp: functions do not have System V's calling convention (-mabi=ms)");
#elif defined(__GNUC__) && defined(STATICTRAMP_WINDOWS)
static_assert(std::is_same<void (*)(), void(__attribute__((ms_abi)) *)()>::value,
              "statictramp: functions do not have Microsoft's calling convention (-mabi=sysv)");
#elif defined(__GNUC__) && defined(STATICTRAMP_X86)
static_assert(std::is_same<void (*)(int), void(__attribute__((cdecl)) *)(int)>::value,
              "statictramp: functions do not have System V's calling convention (-mrtd)");
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wdeprecated-builtins"
// Whether a class may have the attribute trivial_abi, with which clang passes a non-trivial class in registers. A class
// with this attribute is trivially relocatable.
template <class T>
struct may_have_attribute {
#if defined(__has_attribute) && defined(__has_builtin)
#if !__has_attribute(trivial_abi)
    static constexpr bool value = false;
#elif __has_builtin(__is_trivially_relocatable)
    static constexpr bool value = __is_trivially_relocatable(T);
#else
    static constexpr bool value = true;
#endif
#else
    static constexpr bool value = false; // an old gcc, which supports neither
#endif
};

// Whether the copy constructors and the destructor are trivial. Unlike the standard library's traits, the compiler's traits used
// here ignore access, as the ABI does.
template <class T>
struct has_trivial_copy_and_destructor {
    static constexpr bool value = __has_trivial_copy(T) && __has_trivial_destructor(T);
};
#pragma GCC diagnostic pop

// A class is passed and returned by address if it is "not trivial for the purposes of calls": a copy or move constructor or the
// destructor is not trivial, or all of these constructors are deleted. Each of the following two templates is true only if its
// property is certain. If neither is true, the class is rejected.
//
// In a trivially copyable class, all of these members are trivial or deleted. The standard library's traits count a constructor as
// trivial only if it is not deleted. (A class that is trivially copied but not trivially assigned, such as std::pair, is also
// trivial for calls, but no trait covers all of its constructors.)
template <class T>
struct is_trivial {
    static constexpr bool value =
        std::is_trivially_copyable<T>::value && has_trivial_copy_and_destructor<T>::value &&
        (std::is_trivially_copy_constructible<T>::value || std::is_trivially_move_constructible<T>::value);
};
// (A class in which only the move constructor is not trivial cannot be distinguished from one with a constructor template.)
template <class T>
struct is_not_trivial {
    static constexpr bool value = !has_trivial_copy_and_destructor<T>::value && !may_have_attribute<T>::value;
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

// The kind of an integer of this size.
constexpr unsigned integer_kind(std::size_t size, bool is_unsigned)
{
    return (size == 1 ? STATICTRAMP_KIND_INT8 : size == 2 ? STATICTRAMP_KIND_INT16 : size == 4 ? STATICTRAMP_KIND_INT32 : STATICTRAMP_KIND_INT64) +
           (is_unsigned ? 1u : 0u);
}

// The format of a long double, which options such as -mlong-double-64 and -m128bit-long-double change.
#if defined(__LDBL_MANT_DIG__) && __LDBL_MANT_DIG__ == __DBL_MANT_DIG__
static constexpr unsigned long_double = STATICTRAMP_KIND_DOUBLE, complex_long_double = STATICTRAMP_KIND_COMPLEX_DOUBLE;
#elif ((defined(__i386__) || defined(__x86_64__)) && __LDBL_MANT_DIG__ != 64) || (defined(__i386__) && __SIZEOF_LONG_DOUBLE__ != 12)
static constexpr unsigned long_double = 0, complex_long_double = 0;
#else
static constexpr unsigned long_double = STATICTRAMP_KIND_LONG_DOUBLE, complex_long_double = STATICTRAMP_KIND_COMPLEX_LONG_DOUBLE;
#endif
// On these targets, clang passes 128-bit integers in different registers than gcc does, so they are rejected with
// clang. On MIPS, the same applies to complex numbers.
#if defined(__clang__) && (defined(STATICTRAMP_MIPS64) || defined(STATICTRAMP_SPARC64))
static constexpr bool follows_gcc = false;
#else
static constexpr bool follows_gcc = true;
#endif
#if defined(__GNUC__) && !defined(STATICTRAMP_POWERPC) && !(defined(__clang__) && defined(STATICTRAMP_MIPS64))
#define STATICTRAMP_COMPLEX 1
__extension__ typedef float _Complex complex_float;
__extension__ typedef double _Complex complex_double;
__extension__ typedef long double _Complex longest_complex;
#endif

// The kind of a vector type, which is recognised by its elements. The kind is 0 for any other type, and on targets
// without such a kind.
template <class T, class = void>
struct vector_kind {
    static constexpr unsigned value = 0;
};
#if defined(STATICTRAMP_X86_64) || defined(STATICTRAMP_AARCH64) || (defined(STATICTRAMP_ARM) && defined(__ARM_PCS_VFP))
static constexpr bool has_vector64 = true;
#else
static constexpr bool has_vector64 = false;
#endif
#if defined(STATICTRAMP_X86_64) || defined(STATICTRAMP_WINDOWS) || defined(STATICTRAMP_AARCH64) || \
    (defined(STATICTRAMP_ARM) && defined(__ARM_PCS_VFP)) || (defined(STATICTRAMP_POWERPC64) && defined(__ALTIVEC__))
template <class T>
struct vector_kind<T, typename std::enable_if<!std::is_pointer<T>::value && !std::is_class<T>::value, decltype(static_cast<void>(std::declval<T &>()[0]))>::type> {
    using element = typename std::remove_cv<typename std::remove_reference<decltype(std::declval<T &>()[0])>::type>::type;
    static constexpr bool has_elements = std::is_arithmetic<element>::value && !std::is_same<element, bool>::value &&
                                         sizeof(element) <= 8 && sizeof(T) >= 2 * sizeof(element);
    static constexpr unsigned value = !has_elements                    ? 0u
                                      : sizeof(T) == 8 && has_vector64 ? +STATICTRAMP_KIND_VECTOR64
                                      : sizeof(T) == 16                ? +STATICTRAMP_KIND_VECTOR128
                                                                       : 0u;
};
#endif

// The kind of a type that is not a class, or 0 if there is none.
template <class T>
struct kind {
    static constexpr bool is_word = std::is_member_object_pointer<T>::value;
    static constexpr bool is_integer = (std::is_integral<T>::value && !is_wide<T>::value) || std::is_enum<T>::value || is_word;
    static constexpr unsigned value =
        is_integer && sizeof(T) <= 8 && (sizeof(T) & (sizeof(T) - 1)) == 0 ? integer_kind(sizeof(T), std::is_unsigned<T>::value)
        : is_wide<T>::value                                                ? (follows_gcc ? +STATICTRAMP_KIND_INT128 : 0u)
        : std::is_pointer<T>::value                                            ? +STATICTRAMP_KIND_POINTER
        : std::is_same<T, float>::value                                       ? +STATICTRAMP_KIND_FLOAT
        : std::is_same<T, double>::value                                      ? +STATICTRAMP_KIND_DOUBLE
        : std::is_same<T, long double>::value                                 ? long_double
#if defined(STATICTRAMP_COMPLEX)
        : std::is_same<T, complex_float>::value   ? +STATICTRAMP_KIND_COMPLEX_FLOAT
        : std::is_same<T, complex_double>::value  ? +STATICTRAMP_KIND_COMPLEX_DOUBLE
        : std::is_same<T, longest_complex>::value ? complex_long_double
#endif
                                                  : vector_kind<T>::value;
};

// Describes a class that is passed according to its size and alignment alone. The description contains an integer at each end
// of the class.
template <std::size_t Size, std::size_t Align>
struct bytes {
    static constexpr unsigned kind_of = Align == 16 ? +STATICTRAMP_KIND_INT128 : integer_kind(Align, true);
    static constexpr statictramp_leaf leaves[] = {{0, kind_of, nullptr}, {Size - Align, kind_of, nullptr}};
    static constexpr statictramp_struct of = {Size, Size > Align ? 2 : 1, leaves};
};
// On every target, a result of this type is returned in memory.
using in_memory = bytes<16 * sizeof(void *), sizeof(void *)>;

// Describes `Count` equal parts in sequence. Structs of structs keep the description small.
template <std::size_t Count, class Part>
struct repeated {
    static constexpr std::size_t half = Count / 2;
    static constexpr statictramp_leaf leaves[] = {
        {0, STATICTRAMP_KIND_STRUCT, &repeated<half, Part>::of},
        {half * Part::size, STATICTRAMP_KIND_STRUCT, &repeated<Count - half, Part>::of}};
    static constexpr statictramp_struct of = {Count * Part::size, 2, leaves};
};
template <class Part>
struct repeated<1, Part> {
    static constexpr statictramp_leaf leaves[] = {{0, Part::kind_of, Part::of()}};
    static constexpr statictramp_struct of = {Part::size, 1, leaves};
};
#if __cplusplus < 201703L
template <std::size_t Size, std::size_t Align>
constexpr statictramp_leaf bytes<Size, Align>::leaves[];
template <std::size_t Size, std::size_t Align>
constexpr statictramp_struct bytes<Size, Align>::of;
template <std::size_t Count, class Part>
constexpr statictramp_leaf repeated<Count, Part>::leaves[];
template <std::size_t Count, class Part>
constexpr statictramp_struct repeated<Count, Part>::of;
template <class Part>
constexpr statictramp_leaf repeated<1, Part>::leaves[];
template <class Part>
constexpr statictramp_struct repeated<1, Part>::of;
#endif

// A member of a class, or an element of an array. A type whose members are listed is described as a class.
template <class T, bool = members<T>::are_listed>
struct unit {
    static constexpr std::size_t size = sizeof(T);
    static constexpr unsigned kind_of = kind<T>::value;
    static_assert(kind_of != 0, "statictramp: a listed member has an unsupported type, or is a class whose members are not listed");
    static constexpr const statictramp_struct *of() { return nullptr; }
};
template <class T>
struct unit<T, true> {
    static constexpr std::size_t size = sizeof(T);
    static constexpr unsigned kind_of = STATICTRAMP_KIND_STRUCT;
    static constexpr const statictramp_struct *of() { return &members<T>::of; }
};
template <class T, std::size_t Count>
struct unit<T[Count], false> {
    static constexpr std::size_t size = Count * sizeof(T);
    static constexpr unsigned kind_of = STATICTRAMP_KIND_STRUCT;
#if defined(STATICTRAMP_SPARC64) // arrays in structs are passed like integers
    struct part {
        static constexpr std::size_t size = alignof(T);
        static constexpr unsigned kind_of = size == 16 ? +STATICTRAMP_KIND_INT128 : integer_kind(size, true);
        static constexpr const statictramp_struct *of() { return nullptr; }
    };
    using elements = repeated<size / alignof(T), part>;
#else
    using elements = repeated<Count, unit<typename std::remove_cv<T>::type>>;
#endif
#if defined(STATICTRAMP_S390X)
    static_assert(Count > 1, "statictramp: an array of one element cannot be described on s390x");
#endif
    static_assert(Count <= 4096, "statictramp: the array is too large; pass it by pointer");
    static constexpr const statictramp_struct *of() { return &elements::of; }
};

template <class T>
struct beside_byte {
    char first;
    T second;
};
template <std::size_t Offset, class T>
struct member {
    using type = unit<typename std::remove_cv<T>::type>;
    static constexpr std::size_t offset = Offset, align = offsetof(beside_byte<T>, second), size = sizeof(T);
    static constexpr statictramp_leaf leaf() { return {Offset, type::kind_of, type::of()}; }
};

constexpr std::size_t rounded(std::size_t size, std::size_t align) { return (size + align - 1) / align * align; }
// Whether the members follow one another, up to the end of the class, with no more padding than their alignment
// requires, and the class is aligned like one of them.
template <class T, std::size_t End, std::size_t Align, class... Members>
struct fill {
    static constexpr bool value = rounded(End, Align) == sizeof(T) && Align == alignof(T);
};
template <class T, std::size_t End, std::size_t Align, class First, class... Rest>
struct fill<T, End, Align, First, Rest...> {
    static constexpr bool value = First::offset == rounded(End, First::align) &&
                                  fill<T, First::offset + First::size, (First::align > Align ? First::align : Align), Rest...>::value;
};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunknown-warning-option"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wbraced-scalar-init"
// Whether an aggregate has more members than are listed. Each initializer initializes a whole array or class. (No
// initializer fits an empty member or base class, so a class with one has no more members by this count.)
template <class>
struct initializer {
    template <class U, class = typename std::enable_if<!std::is_empty<U>::value>::type>
    operator U() const;
};
template <class T>
struct is_aggregate {
#if defined(__clang__) || __GNUC__ >= 7
    static constexpr bool value = __is_aggregate(T);
#else
    static constexpr bool value = false;
#endif
};
template <class, class T, class... Members>
struct has_more : std::false_type {};
template <class T, class... Members>
struct has_more<decltype(static_cast<void>(T{{initializer<Members>()}..., {initializer<T>()}})), T, Members...> : std::true_type {};
#pragma GCC diagnostic pop

template <class T, class... Members>
struct listed {
    static_assert(std::is_class<T>::value && std::is_standard_layout<T>::value,
                  "statictramp: the members of this type cannot be listed: it is a union, or not a standard-layout class");
    static_assert(fill<T, 0, 1, Members...>::value,
                  "statictramp: STATICTRAMP_MEMBERS must list all members in order, and the class must be neither packed nor over-aligned");
    // clang reports some inaccessible constructors of other classes as errors.
    static_assert(!std::conditional<is_aggregate<T>::value, has_more<void, T, Members...>, std::false_type>::type::value,
                  "statictramp: STATICTRAMP_MEMBERS must list all members in order, and one in padding is missing");
    static constexpr bool are_listed = true;
    static constexpr statictramp_leaf leaves[] = {Members::leaf()...};
    static constexpr statictramp_struct of = {sizeof(T), sizeof...(Members), leaves};
};
#if __cplusplus < 201703L
template <class T, class... Members>
constexpr statictramp_leaf listed<T, Members...>::leaves[];
template <class T, class... Members>
constexpr statictramp_struct listed<T, Members...>::of;
#endif

// The members of classes of the standard library that are passed without a list.
template <class T>
struct standard_members {
    static constexpr bool are_listed = false;
};
struct not_listed {
    static constexpr bool are_listed = false;
};
template <class T>
struct is_described {
    static constexpr bool value = !std::is_reference<T>::value && (members<T>::are_listed || kind<T>::value != 0);
};
// std::pair, unless a member cannot be described. Its assignment is not trivial, and it declares no constructors that copy or move
// it except the usual two. It may have an empty base class, which old versions of gcc do not ignore in C++17.
#if __cplusplus < 201703L || defined(__clang__) || __GNUC__ >= 12 || (__GNUC__ >= 10 && !defined(STATICTRAMP_MIPS64))
template <class First, class Second>
struct is_trivial<std::pair<First, Second>> {
    using pair = std::pair<First, Second>;
    static constexpr bool value = std::is_trivially_copy_constructible<pair>::value &&
                                  std::is_trivially_move_constructible<pair>::value && std::is_trivially_destructible<pair>::value;
};
template <class Pair, class First, class Second, bool = is_trivial<Pair>::value && std::is_standard_layout<Pair>::value>
struct pair_members : not_listed {};
template <class Pair, class First, class Second>
struct pair_members<Pair, First, Second, true>
    : listed<Pair, member<offsetof(Pair, first), First>, member<offsetof(Pair, second), Second>> {};
template <class First, class Second>
struct standard_members<std::pair<First, Second>>
    : std::conditional<is_described<typename std::remove_cv<First>::type>::value && is_described<typename std::remove_cv<Second>::type>::value,
                       pair_members<std::pair<First, Second>, First, Second>, not_listed>::type {};
#endif
// std::chrono::duration, which consists of one number. It is recognized by its interface, because <chrono> is a large header.
template <class T, class Number, class Period, class = void>
struct is_duration : std::false_type {};
template <class T, class Number, class Period>
struct is_duration<T, Number, Period,
                   typename std::enable_if<std::is_same<typename T::rep, Number>::value && std::is_same<typename T::period, Period>::value &&
                                           std::is_same<decltype(std::declval<const T &>().count()), Number>::value &&
                                           std::is_same<decltype(T::zero()), T>::value && std::is_same<decltype(T::max()), T>::value &&
                                           std::is_same<decltype(Period::num), const std::intmax_t>::value &&
                                           std::is_same<decltype(Period::den), const std::intmax_t>::value>::type> {
    static constexpr bool value = std::is_arithmetic<Number>::value && is_trivial<T>::value && std::is_standard_layout<T>::value &&
                                  sizeof(T) == sizeof(Number) && alignof(T) == alignof(Number);
};
template <template <class, class> class T, class Number, class Period>
struct standard_members<T<Number, Period>>
    : std::conditional<is_duration<T<Number, Period>, Number, Period>::value, listed<T<Number, Period>, member<0, Number>>, not_listed>::type {};
#if defined(STATICTRAMP_STRING_VIEW)
// A pointer and a length. Their order does not matter, because no calling convention distinguishes them.
template <class Character, class Traits>
struct standard_members<std::basic_string_view<Character, Traits>>
    : listed<std::basic_string_view<Character, Traits>, member<0, const Character *>, member<sizeof(void *), std::size_t>> {};
#endif

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

// How a trivially copyable class whose members are not listed is passed or returned, as far as its size and alignment
// determine this.
enum travels {
    unknown,
    as_bytes,     // like a struct of integers with the class's alignment
    as_pointer,   // as the address of a copy; a result is in memory
    in_registers, // of a result: not in memory
};

#if defined(STATICTRAMP_X86_64)
// Whether a class of this size may consist of one vector that is passed in a register if AVX is enabled.
constexpr bool may_be_vector(std::size_t size)
{
#if defined(__AVX512F__)
    return size == 32 || size == 64;
#elif defined(__AVX__)
    return size == 32;
#else
    return size == 0;
#endif
}
constexpr travels parameter_of(std::size_t size, std::size_t align)
{
    return size > 16 && align <= 16 && !may_be_vector(size) ? as_bytes : unknown;
}
constexpr travels result_of(std::size_t size, std::size_t) { return size > 16 && !may_be_vector(size) ? as_pointer : unknown; }
#elif defined(STATICTRAMP_WINDOWS)
constexpr bool fits_register(std::size_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }
constexpr travels parameter_of(std::size_t size, std::size_t) { return fits_register(size) ? as_bytes : as_pointer; }
constexpr travels result_of(std::size_t size, std::size_t) { return fits_register(size) ? in_registers : as_pointer; }
#elif defined(STATICTRAMP_X86)
constexpr travels parameter_of(std::size_t, std::size_t align) { return align <= 8 ? as_bytes : unknown; }
// gcc's -freg-struct-return changes how classes of these sizes are returned.
constexpr travels result_of(std::size_t size, std::size_t)
{
    return size == 1 || size == 2 || size == 4 || size == 8 ? unknown : as_pointer;
}
#elif defined(STATICTRAMP_AARCH64)
constexpr travels parameter_of(std::size_t size, std::size_t) { return size > 64 ? as_pointer : unknown; }
// The address of a result takes no argument register, so it does not matter whether the result is in memory.
constexpr travels result_of(std::size_t, std::size_t) { return in_registers; }
#elif defined(STATICTRAMP_RISCV)
#if defined(__riscv_float_abi_soft)
static constexpr travels of_registers = as_bytes;
#else
static constexpr travels of_registers = unknown;
#endif
constexpr travels parameter_of(std::size_t size, std::size_t align)
{
    return size > 2 * sizeof(void *) ? as_pointer : align <= 2 * sizeof(void *) ? of_registers : unknown;
}
constexpr travels result_of(std::size_t size, std::size_t) { return size > 2 * sizeof(void *) ? as_pointer : in_registers; }
#elif defined(STATICTRAMP_ARM)
// The largest total size of up to four equal floating-point numbers or vectors.
#if defined(__ARM_PCS_VFP)
static constexpr std::size_t most_in_floats = 64;
#else
static constexpr std::size_t most_in_floats = 0;
#endif
// The members of a class that is aligned to 8 bytes determine whether it begins in an even-numbered register.
constexpr travels parameter_of(std::size_t size, std::size_t align)
{
    return size > most_in_floats && align <= 4 ? as_bytes : unknown;
}
constexpr travels result_of(std::size_t size, std::size_t)
{
    return size <= 4 ? in_registers : size > most_in_floats ? as_pointer : unknown;
}
#elif defined(STATICTRAMP_POWERPC64)
// Up to eight equal floating-point numbers or vectors are passed in floating-point or vector registers.
constexpr travels parameter_of(std::size_t size, std::size_t align)
{
    return size > 128 && align <= 8 ? as_bytes : unknown;
}
constexpr travels result_of(std::size_t size, std::size_t) { return size <= 16 ? in_registers : size > 128 ? as_pointer : unknown; }
#elif defined(STATICTRAMP_POWERPC)
constexpr travels parameter_of(std::size_t, std::size_t) { return unknown; } // see by_address
constexpr travels result_of(std::size_t, std::size_t) { return as_pointer; }
#elif defined(STATICTRAMP_S390X)
// A class of another size may consist of one floating-point number or vector. by_address explains the condition on
// the alignment.
constexpr travels parameter_of(std::size_t size, std::size_t align)
{
    return align <= 8 && (size > 16 || (size & (size - 1)) != 0) ? as_pointer : unknown;
}
constexpr travels result_of(std::size_t, std::size_t align) { return align <= 8 ? as_pointer : unknown; }
#elif defined(STATICTRAMP_MIPS64)
constexpr travels parameter_of(std::size_t, std::size_t) { return unknown; }
constexpr travels result_of(std::size_t size, std::size_t) { return size > 16 ? as_pointer : in_registers; }
#elif defined(STATICTRAMP_SPARC64)
constexpr travels parameter_of(std::size_t size, std::size_t align)
{
    return size > 16 && align <= 16 ? as_pointer : unknown;
}
constexpr travels result_of(std::size_t size, std::size_t) { return size > 32 ? as_pointer : in_registers; }
#endif

#if defined(STATICTRAMP_X86_64)
static constexpr std::size_t largest_empty = 16;
#else
static constexpr std::size_t largest_empty = 0;
#endif

// The facts that are known about a class whose members are not listed.
template <class T>
struct unlisted {
    static constexpr bool is_nothing = std::is_empty<T>::value && sizeof(T) <= largest_empty;
    static constexpr bool has_data = sizeof(T) > 0 && !has_no_data<T>::value;
#if defined(STATICTRAMP_X86)
    static constexpr bool surely_has_data = has_data && std::is_trivially_default_constructible<T>::value;
#else
    static constexpr bool surely_has_data = has_data;
#endif
    static constexpr travels parameter = surely_has_data ? parameter_of(sizeof(T), alignof(T)) : unknown;
    static constexpr travels result = is_nothing ? in_registers : has_data ? result_of(sizeof(T), alignof(T)) : unknown;
};

// Whether a class is passed as the address of a copy, either because it is not trivial or because the target passes all
// classes in this way. On s390x and 32-bit PowerPC, gcc does not align the copy of a class that is aligned more
// strictly than the stack, but clang relies on the alignment.
template <class T>
struct by_address {
#if defined(STATICTRAMP_POWERPC)
    static constexpr bool value = sizeof(T) > 0 && alignof(T) <= 16, is_result = sizeof(T) > 0;
#elif defined(STATICTRAMP_S390X)
    static constexpr bool value = is_not_trivial<T>::value && alignof(T) <= 8, is_result = value;
#else
    static constexpr bool value = is_not_trivial<T>::value, is_result = value;
#endif
};

// Whether the header can tell if a class is passed by address.
template <class T, bool = std::is_class<T>::value || std::is_union<T>::value>
struct is_clear : std::true_type {};
template <class T>
struct is_clear<T, true> {
    static constexpr bool value = is_trivial<T>::value || by_address<T>::value;
};

// The description of a parameter's type.
template <class T, bool = std::is_class<T>::value || std::is_union<T>::value>
struct parameter {
#if defined(STATICTRAMP_WINDOWS) // which passes the address of a value of 16 bytes
    static constexpr unsigned kind_of = std::is_member_function_pointer<T>::value ? +STATICTRAMP_KIND_POINTER : kind<T>::value;
#else
    static constexpr unsigned kind_of = kind<T>::value;
#endif
    static constexpr bool is_known = kind_of != 0;
    static constexpr statictramp_type type() { return {kind_of, nullptr}; }
};
template <class T>
struct parameter<T &, false> {
    static constexpr bool is_known = true;
    static constexpr statictramp_type type() { return {STATICTRAMP_KIND_POINTER, nullptr}; }
};
template <class T>
struct parameter<T &&, false> : parameter<T &, false> {};
// On these processors, a va_list is a struct (though gcc does not treat it as a class); elsewhere, including on macOS,
// it is a pointer or an array. AArch64 passes the address of a copy, and Arm the pointer in the struct.
#if (defined(STATICTRAMP_AARCH64) && !defined(__APPLE__)) || defined(STATICTRAMP_ARM)
template <>
struct parameter<std::va_list> : parameter<void *> {};
template <>
struct is_clear<std::va_list> : std::true_type {};
#endif
// A class that is not passed at all, since it has no data.
template <class T>
struct nothing {
    static constexpr statictramp_struct of = {0, 0, nullptr};
};
#if __cplusplus < 201703L
template <class T>
constexpr statictramp_struct nothing<T>::of;
#endif
template <class T, bool = members<T>::are_listed>
struct trivial_parameter {
    static constexpr travels how = unlisted<T>::parameter;
    static constexpr bool is_nothing = unlisted<T>::is_nothing;
    static constexpr bool is_known = is_nothing || how != unknown;
    static constexpr statictramp_type type()
    {
        return how == as_pointer ? statictramp_type{STATICTRAMP_KIND_POINTER, nullptr}
               : is_nothing      ? statictramp_type{STATICTRAMP_KIND_STRUCT, &nothing<T>::of}
                                 : statictramp_type{STATICTRAMP_KIND_STRUCT, &bytes<sizeof(T), how == as_bytes ? alignof(T) : 1>::of};
    }
};
template <class T>
struct trivial_parameter<T, true> {
#if defined(STATICTRAMP_SPARC64) // compilers differ in whether such a class begins in an even register
    static constexpr bool is_known = follows_gcc || sizeof(T) != 16 || alignof(T) != 16;
#else
    static constexpr bool is_known = true;
#endif
    static constexpr statictramp_type type() { return {STATICTRAMP_KIND_STRUCT, &members<T>::of}; }
};
template <class T>
struct unknown_parameter {
    static constexpr bool is_known = false;
    static constexpr statictramp_type type() { return {0, nullptr}; }
};
template <class T>
struct parameter<T, true>
    : std::conditional<by_address<T>::value, parameter<T *>,
                       typename std::conditional<is_trivial<T>::value, trivial_parameter<T>, unknown_parameter<T>>::type>::type {};

// The description of a result's type. If the members of a class are not listed, the description only has to specify
// whether the result is in memory.
template <class T, bool = std::is_class<T>::value || std::is_union<T>::value>
struct result : parameter<T> {
    static constexpr bool is_known = parameter<T>::is_known && !std::is_member_function_pointer<T>::value, is_void = false;
};
template <>
struct result<void, false> {
    static constexpr bool is_known = true, is_void = true;
    static constexpr statictramp_type type() { return {0, nullptr}; }
};
template <class T, bool = members<T>::are_listed>
struct trivial_result {
    static constexpr travels how = unlisted<T>::result;
    static constexpr bool is_known = how != unknown, is_void = how == in_registers;
    static constexpr statictramp_type type() { return {STATICTRAMP_KIND_STRUCT, &in_memory::of}; }
};
template <class T>
struct trivial_result<T, true> : trivial_parameter<T, true> {
    static constexpr bool is_void = false;
};
template <class T>
struct unknown_result : unknown_parameter<T> {
    static constexpr bool is_void = true;
};
struct memory_result {
    static constexpr bool is_known = true, is_void = false;
    static constexpr statictramp_type type() { return {STATICTRAMP_KIND_STRUCT, &in_memory::of}; }
};
template <class T>
struct result<T, true>
    : std::conditional<by_address<T>::is_result, memory_result,
                       typename std::conditional<is_trivial<T>::value, trivial_result<T>, unknown_result<T>>::type>::type {};

// The signature of a function object with exactly one operator(), or of a method. For a method, there are also the
// signature with noexcept, if the method has it, and the class of its objects.
template <class F>
struct undeduced;
template <class F, class = void>
struct signature {
    using type = undeduced<F>;
};
template <class F, class Operator>
struct signature_of_operator : signature<Operator> {};
template <class F>
struct signature<F, decltype(static_cast<void>(&F::operator()))> : signature_of_operator<F, decltype(&F::operator())> {};
template <class F, class Member>
struct signature<Member F::*> {
    static_assert(std::is_function<Member>::value, "statictramp: this is a pointer to a data member, not to a method");
    static_assert(!std::is_function<Member>::value,
                  "statictramp: a callback cannot call this operator() or method: it is &&-qualified or variadic, or "
                  "has another calling convention, such as ms_abi");
};
#define STATICTRAMP_SIGNATURE(qualifier, reference, exceptions)                \
    template <class F, class R, class... Args>                                 \
    struct signature<R (F::*)(Args...) qualifier reference exceptions> {       \
        using type = R(Args...);                                               \
        using exact = R(Args...) exceptions;                                   \
        static constexpr bool is_noexcept = !std::is_same<type, exact>::value; \
        using object = qualifier F;                                            \
    };
#define STATICTRAMP_SIGNATURES(exceptions)                  \
    STATICTRAMP_SIGNATURE(, , exceptions)                   \
    STATICTRAMP_SIGNATURE(const, , exceptions)              \
    STATICTRAMP_SIGNATURE(volatile, , exceptions)           \
    STATICTRAMP_SIGNATURE(const volatile, , exceptions)     \
    STATICTRAMP_SIGNATURE(, &, exceptions)                  \
    STATICTRAMP_SIGNATURE(const, &, exceptions)             \
    STATICTRAMP_SIGNATURE(volatile, &, exceptions)          \
    STATICTRAMP_SIGNATURE(const volatile, &, exceptions)
STATICTRAMP_SIGNATURES()
#if __cplusplus >= 201703L
STATICTRAMP_SIGNATURES(noexcept)
#endif
#undef STATICTRAMP_SIGNATURES
#undef STATICTRAMP_SIGNATURE
// The signature of a function pointer, or of the static operator() of C++23.
template <class R, class... Args>
struct signature<R (*)(Args...)> {
    using type = R(Args...);
    static constexpr bool is_noexcept = false;
};
#if __cplusplus >= 201703L
template <class R, class... Args>
struct signature<R (*)(Args...) noexcept> {
    using type = R(Args...);
    static constexpr bool is_noexcept = true;
};
#endif

// Whether a const or rvalue reference to T binds to a temporary object if it is initialized with a result of type Made. A result
// of an unrelated type is converted. The converted object is temporary unless a conversion function returns an lvalue reference.
template <class T, class Made, class Plain = typename std::remove_cv<typename std::remove_reference<Made>::type>::type>
struct is_temporary {
    using is_related = typename std::conditional<std::is_same<typename std::remove_cv<T>::type, Plain>::value, std::true_type,
                                                 std::is_base_of<typename std::remove_cv<T>::type, Plain>>::type;
    using is_converted = std::integral_constant<bool, std::is_convertible<Made, T &&>::value &&
                                                          !std::is_convertible<Made, typename std::remove_const<T>::type &>::value>;
    static constexpr bool value =
        std::conditional<is_related::value, std::integral_constant<bool, !std::is_reference<Made>::value>, is_converted>::type::value;
};
template <class R, class Made>
struct dangles : std::false_type {};
template <class T, class Made>
struct dangles<T &, Made>
    : std::conditional<std::is_const<T>::value && !std::is_volatile<T>::value, is_temporary<T, Made>, std::false_type>::type {};
template <class T, class Made>
struct dangles<T &&, Made> : is_temporary<T, Made> {};

// Calls a function object, and discards its result if the signature returns void.
template <class R>
struct returning {
    template <class F, class... Args>
    static R call(F &function, Args &&...args)
    {
        static_assert(!dangles<R, decltype(function(std::forward<Args>(args)...))>::value,
                      "statictramp: the signature returns a reference, which would refer to a temporary object; return the result "
                      "by value, or let the function object return such a reference");
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

// The types of a signature, for the C library.
template <class Signature>
struct types;
template <class R, class... Args>
struct types<R(Args...)> {
    static_assert(sizeof...(Args) <= 64, "statictramp: there are more than 64 parameters");
    // The first element describes the result.
    static constexpr statictramp_type list[] = {result<R>::type(), parameter<Args>::type()...};
};
#if __cplusplus < 201703L
template <class R, class... Args>
constexpr statictramp_type types<R(Args...)>::list[];
#endif

#if defined(STATICTRAMP_X86_64) && defined(__clang__) && __clang_major__ < 22
// The maximum number of integer registers taken by one parameter (most_registers), and by several parameters together
// (counted).
template <class T, bool = std::is_class<T>::value || std::is_union<T>::value>
struct most_registers {
    static constexpr std::size_t value = std::is_floating_point<T>::value ? 0 : (sizeof(T) + 7) / 8;
};
template <class T>
struct most_registers<T &, false> : most_registers<void *> {};
template <class T>
struct most_registers<T &&, false> : most_registers<void *> {};
template <class T>
struct most_registers<T, true> {
    static constexpr std::size_t value = is_not_trivial<T>::value ? 1 : sizeof(T) > 16 ? 0 : (sizeof(T) + 7) / 8;
};
template <class... Args>
struct counted {
    static constexpr bool has_wide = false;
    static constexpr std::size_t registers = 0;
};
template <class First, class... Rest>
struct counted<First, Rest...> {
    static constexpr bool has_wide = is_wide<First>::value || counted<Rest...>::has_wide;
    static constexpr std::size_t registers = most_registers<First>::value + counted<Rest...>::registers;
};
#endif

template <bool... Are>
struct all : std::is_same<all<true, Are...>, all<Are..., true>> {};

#if (defined(STATICTRAMP_ARM) || defined(STATICTRAMP_RISCV)) && !defined(__linux__)
// Whether a value takes one integer register. If all values of a signature do, the number of parameters is the position
// of the context. On a board, a program with only such signatures does not contain the C library's code for other types
// (about 3 KB).
#define STATICTRAMP_WORDS 1
template <class T>
struct is_word {
    static constexpr bool value =
        sizeof(T) <= sizeof(void *) && (std::is_integral<T>::value || std::is_enum<T>::value || std::is_pointer<T>::value);
};
template <class T>
struct is_word<T &> : std::true_type {};
template <class T>
struct is_word<T &&> : std::true_type {};
template <>
struct is_word<void> : std::true_type {};
#if defined(STATICTRAMP_ARM)
template <>
struct is_word<std::va_list> : std::true_type {};
static constexpr std::size_t argument_registers = 4;
#elif defined(__riscv_32e) || defined(__riscv_64e)
static constexpr std::size_t argument_registers = 6;
#else
static constexpr std::size_t argument_registers = 8;
#endif
#endif

// The function that a trampoline calls. Its context is a Holder, which contains the function object.
template <class Holder, class Signature>
struct STATICTRAMP_HIDDEN thunk; // clang ignores this attribute on a partial specialization
template <class Holder, class R, class... Args>
struct STATICTRAMP_HIDDEN thunk<Holder, R(Args...)> {
    using pointer = R (*)(Args...);
#if defined(STATICTRAMP_X86)
    // The context comes first, because the words after the arguments belong to the caller.
    static R call(void *context, Args... args)
#else
    static R call(Args... args, void *context)
#endif
    {
        typename Holder::running running(context);
        return returning<R>::call(running.function, std::forward<Args>(args)...);
    }
    template <class T>
    using plain = typename std::remove_cv<T>::type;
    static statictramp_fn bind(void *context) noexcept
    {
        using from = result<plain<R>>;
        static_assert(all<is_clear<plain<R>>::value, is_clear<plain<Args>>::value...>::value,
                      "statictramp: whether a class is passed by address cannot be determined: its destructor, or each copy and move "
                      "constructor, is private or deleted, or only its move constructor or its assignment is not trivial; make "
                      "these members public and trivial, or pass the class by pointer or by reference");
        static_assert(from::is_known || !is_clear<plain<R>>::value, "statictramp: how a result of this type is returned cannot be determined; list the "
                                      "members of a class with STATICTRAMP_MEMBERS, or return it through a pointer that the caller passes");
        static_assert(all<(parameter<plain<Args>>::is_known || !is_clear<plain<Args>>::value)...>::value,
                      "statictramp: how a parameter of this type is passed cannot be determined; list the members of a class "
                      "with STATICTRAMP_MEMBERS, or pass it by pointer or by reference");
#if defined(STATICTRAMP_X86_64) && defined(__clang__) && __clang_major__ < 22
        using integers = counted<plain<Args>...>;
        static_assert(!integers::has_wide || integers::registers + !from::is_void <= 5,
                      "statictramp: clang before version 22 differs from gcc in how it passes parameters after a 128-bit integer for "
                      "which not enough registers are left; take fewer parameters, or pass it by reference");
#endif
#if defined(STATICTRAMP_WORDS)
        if (all<is_word<plain<R>>::value, is_word<plain<Args>>::value...,
                (sizeof...(Args) < argument_registers)>::value)
            return statictramp_bind(reinterpret_cast<statictramp_fn>(&call), context, sizeof...(Args));
#endif
        using list = types<plain<R>(plain<Args>...)>;
        const statictramp_type *types_of = list::list;
#if defined(STATICTRAMP_X86)
        return statictramp_bind_types(
#else
        return statictramp_bind_types_last(
#endif
            reinterpret_cast<statictramp_fn>(&call), context, from::is_void ? nullptr : types_of, types_of + 1, sizeof...(Args));
    }
};

#if __cplusplus >= 201703L
template <class Holder, class R, class... Args>
struct STATICTRAMP_HIDDEN thunk<Holder, R(Args...) noexcept> : thunk<Holder, R(Args...)> {
    using pointer = R (*)(Args...) noexcept;
};
#endif

// An argument that a raw call has passed.
template <class T, bool = std::is_class<T>::value || std::is_union<T>::value>
struct STATICTRAMP_HIDDEN taken {
    T value;
    explicit taken(statictramp_raw_call *call) { statictramp_raw_next(call, parameter<T>::type().kind, &value); }
    T &&get() { return std::move(value); }
};
template <class T>
struct STATICTRAMP_HIDDEN taken<T &, false> {
    typename std::remove_reference<T>::type *address;
    explicit taken(statictramp_raw_call *call) { statictramp_raw_next(call, STATICTRAMP_KIND_POINTER, &address); }
    T &get() { return *address; }
};
template <class T>
struct STATICTRAMP_HIDDEN taken<T &&, false> : taken<T &, false> {
    using taken<T &, false>::taken;
    T &&get() { return std::move(*this->address); }
};
// A class that is either passed as the address of a copy, or trivial.
template <class T>
struct STATICTRAMP_HIDDEN taken<T, true> {
    alignas(T) unsigned char bytes[sizeof(T)];
    T *address;
    explicit taken(statictramp_raw_call *call) : address(reinterpret_cast<T *>(bytes))
    {
        const statictramp_type type = parameter<T>::type();
        if (type.kind == STATICTRAMP_KIND_STRUCT)
            statictramp_raw_next_struct(call, type.of, bytes);
        else
            statictramp_raw_next(call, type.kind, &address);
    }
    T &&get() { return std::move(*address); }
};

// Takes the named arguments one by one, and then calls the function object with these and a va_list.
template <class R, class... Args>
struct STATICTRAMP_HIDDEN passing {
    template <class F, class... Taken>
    static R on(F &function, statictramp_raw_call *call, Taken &...before)
    {
        std::va_list rest;
        statictramp_raw_va_list(call, &rest);
        return returning<R>::call(function, before.get()..., rest);
    }
};
template <class R, class First, class... Rest>
struct STATICTRAMP_HIDDEN passing<R, First, Rest...> {
    template <class F, class... Taken>
    static R on(F &function, statictramp_raw_call *call, Taken &...before)
    {
        taken<First> next(call);
        return passing<R, Rest...>::on(function, call, before..., next);
    }
};
// Sets the result of a raw call.
template <class R>
struct STATICTRAMP_HIDDEN giving {
    static constexpr bool is_known = (kind<R>::value >= STATICTRAMP_KIND_INT8 && kind<R>::value <= STATICTRAMP_KIND_UINT64) ||
                                     kind<R>::value == STATICTRAMP_KIND_POINTER || kind<R>::value == STATICTRAMP_KIND_FLOAT ||
                                     (kind<R>::value == STATICTRAMP_KIND_DOUBLE && std::is_same<R, double>::value);
    template <class F, class... Args>
    static void by(F &function, statictramp_raw_call *call)
    {
        R made = passing<R, Args...>::on(function, call);
        statictramp_raw_return(call, kind<R>::value, &made);
    }
};
template <>
struct STATICTRAMP_HIDDEN giving<void> {
    static constexpr bool is_known = true;
    template <class F, class... Args>
    static void by(F &function, statictramp_raw_call *call)
    {
        passing<void, Args...>::on(function, call);
    }
};
// A variadic function. The function object takes the variadic arguments as a va_list.
template <class Holder, class R, class... Args>
struct STATICTRAMP_HIDDEN thunk<Holder, R(Args..., ...)> {
    using pointer = R (*)(Args..., ...);
    template <class T>
    using plain = typename std::remove_cv<T>::type;
    static void handle(void *context, statictramp_raw_call *call)
    {
        typename Holder::running running(context);
        statictramp_raw_expect(call, nullptr, sizeof...(Args));
        giving<plain<R>>::template by<decltype(running.function), plain<Args>...>(running.function, call);
    }
    static statictramp_fn bind(void *context) noexcept
    {
        static_assert(giving<plain<R>>::is_known, "statictramp: a variadic signature may only return void, a pointer, a float, a double or an "
                                                  "integer of at most 64 bits");
        static_assert(all<(is_clear<plain<Args>>::value && parameter<plain<Args>>::is_known)...>::value,
                      "statictramp: how a parameter of this type is passed cannot be determined; list the members of a class "
                      "with STATICTRAMP_MEMBERS, or pass it by pointer or by reference");
        return statictramp_bind_raw(&handle, context);
    }
};

// Throws std::bad_alloc unless a trampoline was made. Without exceptions, does nothing.
inline void require(bool is_made)
{
#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
    if (!is_made)
        throw std::bad_alloc();
#else
    static_cast<void>(is_made);
#endif
}

// Whether a callee is a null pointer, or an empty object such as a std::function, which can be compared with nullptr.
template <class F, class = void>
struct emptiness {
    static bool of(const F &) { return false; }
};
template <class F>
struct emptiness<F, decltype(static_cast<void>(static_cast<bool>(std::declval<const F &>() == nullptr)))> {
    static bool of(const F &callee) { return static_cast<bool>(callee == nullptr); }
};

// A trampoline that is freed with its owner. Null if no trampoline was made.
class trampoline {
  public:
    STATICTRAMP_HIDDEN explicit trampoline(statictramp_fn made) noexcept : address_(made) {}
    trampoline(trampoline &&other) noexcept : trampoline(other) { other.address_ = nullptr; }
    trampoline &operator=(trampoline &&other) noexcept
    {
        trampoline taken(std::move(other));
        trampoline old(std::move(*this));
        *this = taken;
        taken.address_ = nullptr;
        return *this;
    }
    ~trampoline() { rebind(nullptr); }
    statictramp_fn get() const noexcept { return address_; }
    // Replaces the context, or frees the trampoline if the context is null.
    void rebind(void *context) noexcept
    {
        if (address_)
            change_(address_, context);
    }

  private:
    trampoline(const trampoline &) = default;
    trampoline &operator=(const trampoline &) = default;
    STATICTRAMP_HIDDEN static void change(statictramp_fn address, void *context)
    {
        if (context)
            statictramp_rebind(address, context);
        else
            statictramp_free(address);
    }

    statictramp_fn address_;
#if defined(__unix__) || defined(__APPLE__) || defined(_WIN32)
    void (*change_)(statictramp_fn, void *) = &change; // in the shared object that made the trampoline
#else // without shared objects
    static void change_(statictramp_fn address, void *context) { change(address, context); }
#endif
};

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
// Like the template above, but for a type with a larger alignment than any scalar. (operator new supports such a type only
// since C++17.) The address of the allocated memory is stored before the object.
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
        char *aligned = least + (over ? alignof(T) - over : 0);
        T *made = ::new (static_cast<void *>(aligned)) T(std::forward<F>(from));
        ::new (static_cast<void *>(aligned - sizeof(void *))) void *(room.address);
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

// The function object of a statictramp::callback.
template <class F>
struct in_place {
    F function;
    struct running {
        F &function;
        explicit running(void *context) : function(static_cast<in_place *>(context)->function) {}
    };
};

// The function object of a callback for an object and a method.
template <class Object, class Method>
struct bound_method {
    Object *object;
    Method method;

    template <class... Args>
    auto operator()(Args &&...args) const noexcept(noexcept((object->*method)(std::forward<Args>(args)...)))
        -> decltype((object->*method)(std::forward<Args>(args)...))
    {
        return (object->*method)(std::forward<Args>(args)...);
    }
    bool operator==(std::nullptr_t) const { return !object || !method; }
};

// Wrong arguments of callback{&object, &C::method}. The type of a method with an explicit object parameter (C++23) does not distinguish
// it from another function.
template <class Function>
struct not_a_method;
template <class Function>
struct signature<not_a_method<Function>> {
    static_assert(sizeof(Function *) == 0,
                  "statictramp: this is not a pointer to a method; call a static method, or a method with an explicit object parameter, "
                  "from a lambda");
};
template <class Object>
struct not_a_pointer;
template <class Object>
struct signature<not_a_pointer<Object>> {
    static_assert(sizeof(Object *) == 0,
                  "statictramp: a method requires a pointer to its object; pass &object, or get() of a smart pointer");
};

// The function object of a statictramp::one_shot, on the heap. Its call frees the trampoline first, so a second call aborts.
template <class F>
struct once {
    F function;
    statictramp_fn trampoline;

    template <class From>
    explicit once(From &&from) : function(std::forward<From>(from)), trampoline(nullptr)
    {
    }
    struct STATICTRAMP_HIDDEN running {
        once *holder;
        F &function;
        explicit running(void *context) : holder(static_cast<once *>(context)), function(holder->function)
        {
            if (statictramp_free(holder->trampoline) != 0)
                __builtin_trap();
        }
        running(const running &) = delete;
        running &operator=(const running &) = delete;
        ~running() { on_heap<once>::end(holder); }
    };
};

#if __GCC_ATOMIC_INT_LOCK_FREE == 2
inline unsigned add(unsigned &number, unsigned amount)
{
    // Acquire and Release: the last user sees the changes that the other users made to the function object.
    return __atomic_add_fetch(&number, amount, __ATOMIC_ACQ_REL);
}
#else // the C library uses the same critical section
extern "C" bool _critical_section_1_0_acquire(void);
extern "C" void _critical_section_1_0_release(bool);
inline unsigned add(unsigned &number, unsigned amount)
{
    bool before = _critical_section_1_0_acquire();
    unsigned sum = number += amount;
    _critical_section_1_0_release(before);
    return sum;
}
#endif

// The function object of a statictramp::function, on the heap. Its users are the statictramp::function and the calls in
// progress. The last user destroys it, so a call may destroy the statictramp::function.
template <class F>
struct shared {
    F function;
    unsigned users;

    template <class From>
    explicit shared(From &&from) : function(std::forward<From>(from)), users(1)
    {
    }
    static void leave(void *holder)
    {
        if (add(static_cast<shared *>(holder)->users, -1u) == 0)
            on_heap<shared>::end(holder);
    }
    // Called when the owner no longer needs the function pointer.
    STATICTRAMP_HIDDEN static void end(void *holder, statictramp_fn trampoline)
    {
        if (trampoline)
            statictramp_free(trampoline);
        leave(holder);
    }
    struct running {
        shared *holder;
        F &function;
        explicit running(void *context) : holder(static_cast<shared *>(context)), function(holder->function) { add(holder->users, 1); }
        running(const running &) = delete;
        running &operator=(const running &) = delete;
        ~running() { leave(holder); }
    };
};

// Whether a function object can be called with arguments of these types (and a va_list, if the signature is variadic), and returns R
// or a result that converts to R.
template <class F, class Signature, class = void>
struct can_be_called : std::false_type {};
template <class R, class Made>
struct can_return : std::integral_constant<bool, std::is_void<R>::value || std::is_same<Made, R>::value || std::is_convertible<Made, R>::value> {};
template <class F, class R, class... Args>
struct can_be_called<F, R(Args...), decltype(static_cast<void>(std::declval<F &>()(std::declval<Args>()...)))>
    : can_return<R, decltype(std::declval<F &>()(std::declval<Args>()...))> {};
template <class F, class R, class... Args>
struct can_be_called<F, R(Args..., ...),
                     decltype(static_cast<void>(std::declval<F &>()(std::declval<Args>()..., std::declval<std::va_list &>())))>
    : can_return<R, decltype(std::declval<F &>()(std::declval<Args>()..., std::declval<std::va_list &>()))> {};

// From C++23 on, the address of an operator() may be a plain function pointer: the operator() is static, or its first parameter is the
// function object (`this F &self`). The calls that compile must show which of the two it is.
template <class F, class R, class First, class... Rest>
struct signature_of_operator<F, R (*)(First, Rest...)>
    : signature<typename std::conditional<can_be_called<F, R(First, Rest...)>::value, R (*)(First, Rest...), R (*)(Rest...)>::type> {
    static_assert(can_be_called<F, R(First, Rest...)>::value !=
                      (std::is_convertible<F &, First>::value && can_be_called<F, R(Rest...)>::value),
                  "statictramp: this operator() cannot be called on an lvalue of its class, or its address does not show whether it is "
                  "static; pass a lambda that calls it");
};
#if __cplusplus >= 201703L
template <class F, class R, class First, class... Rest>
struct signature_of_operator<F, R (*)(First, Rest...) noexcept> : signature_of_operator<F, R (*)(First, Rest...)> {
    static constexpr bool is_noexcept = true;
};
#endif

template <class Object, class Method>
struct signature<bound_method<Object, Method>> : signature<Method> {
    static_assert(can_be_called<bound_method<Object, Method>, typename signature<Method>::type>::value,
                  "statictramp: the method cannot be called on this object: the object is const, or its class does not have the method");
};

// The function pointer of a signature, and whether a function object may be called through it.
template <class Signature>
struct call_type {
    static_assert(sizeof(Signature *) == 0,
                  "statictramp: this is not a signature R(Args...), or it has another calling convention, such as ms_abi, for which "
                  "only statictramp_bind in the C interface works");
};
template <class F>
struct call_type<undeduced<F>> {
    static_assert(sizeof(F) == 0, "statictramp: the signature cannot be deduced, because operator() is overloaded, variadic or a template "
                                  "(which has auto parameters, such as `this auto self`), or is inaccessible, or its class is incomplete; use "
                                  "statictramp::function<R(Args...)>, statictramp::callback<F, R(Args...)> or "
                                  "statictramp::one_shot<R(Args...)>");
};
template <class Function>
struct call_type<undeduced<Function *>> {
    static_assert(sizeof(Function *) == 0, "statictramp: a callback cannot call this pointer: its function is variadic or has another "
                                           "calling convention, such as ms_abi; call the function from a lambda");
};
template <class R, class... Args>
struct call_type<R(Args...)> {
    using pointer = R (*)(Args...);
    template <class F>
    using accepts = can_be_called<F, R(Args...)>;
    template <class F>
    struct may_throw : std::false_type {};
};
template <class R, class... Args>
struct call_type<R(Args..., ...)> {
    using pointer = R (*)(Args..., ...);
    template <class F>
    using accepts = can_be_called<F, R(Args..., ...)>;
    template <class F>
    struct may_throw : std::false_type {};
};
#if __cplusplus >= 201703L
template <class R, class... Args>
struct call_type<R(Args...) noexcept> {
    using pointer = R (*)(Args...) noexcept;
    template <class F>
    using accepts = std::is_nothrow_invocable_r<R, F &, Args...>;
    template <class F>
    using may_throw = std::bool_constant<!accepts<F>::value && can_be_called<F, R(Args...)>::value>;
};

// Calls a method that is known at compile time. The context is the object.
template <auto Method>
struct of_method {
    using object = typename signature<decltype(Method)>::object;
    struct running {
        struct {
            object *self;
            template <class... Args>
            auto operator()(Args &&...args) const -> decltype((self->*Method)(std::forward<Args>(args)...))
            {
                return (self->*Method)(std::forward<Args>(args)...);
            }
        } function;
        explicit running(void *context) : function{static_cast<object *>(context)} {}
    };
};
#endif

// The signature that one_shot deduces from a function object. From C++17 on, it is noexcept if the function object is, unless the
// move constructor of a parameter may throw. (The type callback<F> can be named while a parameter's class is incomplete, so it
// does not depend on this.)
template <class F, class Signature = typename signature<F>::type>
struct deduced {
    using type = Signature;
};
#if __cplusplus >= 201703L
template <class F, class R, class... Args>
struct deduced<F, R(Args...)> {
    using is_nothrow =
        typename std::conditional<signature<F>::is_noexcept, std::is_nothrow_invocable_r<R, F &, Args...>, std::false_type>::type;
    using type = typename std::conditional<is_nothrow::value, R(Args...) noexcept, R(Args...)>::type;
};
#endif

// The signature of a statictramp::one_shot: the given one, or the function object's.
template <class Signature, class F>
struct chosen {
    using type = Signature;
};
template <class F>
struct chosen<void, F> : deduced<F> {};

} // namespace detail

// A function object and its function pointer.
template <class F, class Signature = typename detail::signature<F>::type>
class callback {
    using holder = detail::in_place<F>;
    using thunk = detail::thunk<holder, Signature>;
    static_assert(!detail::call_type<Signature>::template may_throw<F>::value,
                  "statictramp: the signature is noexcept, but the function object is not");

  public:
    // The plain function pointer: R (*)(Args...), with noexcept if the given signature has it.
    using pointer = typename thunk::pointer;

    // Throws std::bad_alloc if every trampoline is in use and the table cannot grow. Without exceptions, the callback
    // is empty in that case. A callback made from a null pointer or an empty std::function is empty.
    explicit callback(F function) : callback(std::move(function), std::nothrow) { detail::require(*this || is_null()); }
    // If every trampoline is in use and the table cannot grow, the callback is empty.
    callback(F function, std::nothrow_t)
        : holder_{std::move(function)}, trampoline_(is_null() ? nullptr : thunk::bind(&holder_))
    {
    }
    // The function object that calls a method of an object. The object must outlive the callback. The callback is empty
    // if the object or the method is null.
    template <class Object, class Method, class = typename std::enable_if<std::is_same<F, detail::bound_method<Object, Method>>::value>::type>
    callback(Object *object, Method method) : callback(F{object, method})
    {
    }
    template <class Object, class Method, class = typename std::enable_if<std::is_same<F, detail::bound_method<Object, Method>>::value>::type>
    callback(Object *object, Method method, std::nothrow_t) : callback(F{object, method}, std::nothrow)
    {
    }
    callback(const callback &) = delete;
    callback &operator=(const callback &) = delete;
    // The function pointer stays valid. No thread may call it during the move. `other` is empty afterwards.
    callback(callback &&other) noexcept(std::is_nothrow_move_constructible<F>::value)
        : holder_{std::move(other.holder_.function)}, trampoline_(std::move(other.trampoline_))
    {
        trampoline_.rebind(&holder_);
    }
    // The old function object is destroyed last, because it may own `other`.
    callback &operator=(callback &&other) noexcept
    {
        // Constructs a new object in place of the old one, because a lambda cannot be assigned.
        static_assert(std::is_nothrow_move_constructible<F>::value, "statictramp: a function object that may throw when it is "
                                                                    "moved cannot replace another");
        callback taken(std::move(other));
        callback old(std::move(*this));
        this->~callback();
        ::new (static_cast<void *>(this)) callback(std::move(taken));
        return *this;
    }

    pointer get() const noexcept { return reinterpret_cast<pointer>(trampoline_.get()); }
    operator pointer() const noexcept { return get(); }
    explicit operator bool() const noexcept { return get() != nullptr; }

  private:
    bool is_null() const { return detail::emptiness<F>::of(holder_.function); }

    holder holder_;
    detail::trampoline trampoline_; // freed before the function object is destroyed
};

#if __cplusplus >= 201703L
// callback{&object, &C::method}
template <class Object, class C, class Method>
callback(Object *, Method C::*) // if the method is overloaded, cast it: static_cast<R (C::*)(Args...)>(&C::method)
    -> callback<detail::bound_method<Object, Method C::*>>;
template <class Object, class C, class Method>
callback(Object *, Method C::*, std::nothrow_t) // if the method is overloaded, cast it, as above
    -> callback<detail::bound_method<Object, Method C::*>>;
template <class Object, class R, class... Args>
callback(Object *, R (*)(Args...), std::nothrow_t = std::nothrow) -> callback<detail::not_a_method<R(Args...)>>;
template <class Object, class C, class Method,
          class = typename std::enable_if<!std::is_pointer<typename std::decay<Object>::type>::value>::type>
callback(const Object &, Method C::*, std::nothrow_t = std::nothrow) -> callback<detail::not_a_pointer<Object>>;

// A function pointer that calls a method of an object. The object must outlive the function pointer. This class
// contains no function object, so it can be moved at any time.
template <auto Method>
class method {
    static_assert(std::is_member_pointer<decltype(Method)>::value,
                  "statictramp: this is not a pointer to a method; call a static method, or a method with an explicit object parameter, "
                  "from a lambda");
    using traits = detail::signature<decltype(Method)>;
    using thunk = detail::thunk<detail::of_method<Method>, typename traits::exact>;

  public:
    // The class of the method, const if the method is.
    using object = typename traits::object;
    // The plain function pointer: R (*)(Args...), with noexcept if the method has it.
    using pointer = typename thunk::pointer;

    // Throws std::bad_alloc if every trampoline is in use and the table cannot grow. Without exceptions, the new object is empty in
    // that case. It is also empty if `self` is null.
    explicit method(object *self) : method(self, std::nothrow) { detail::require(*this || !self); }
    // If every trampoline is in use and the table cannot grow, the new object is empty.
    method(object *self, std::nothrow_t) noexcept
        : trampoline_(self ? thunk::bind(const_cast<void *>(static_cast<const volatile void *>(self))) : nullptr)
    {
    }

    // After a move, the function pointer stays valid.
    method(method &&) noexcept = default;
    method &operator=(method &&) noexcept = default;

    pointer get() const noexcept { return reinterpret_cast<pointer>(trampoline_.get()); }
    operator pointer() const noexcept { return get(); }
    explicit operator bool() const noexcept { return get() != nullptr; }

  private:
    detail::trampoline trampoline_;
};
#endif

// A function pointer for any function object that can be called with this signature. From C++17 on, the signature may
// be noexcept. All these function objects have the same wrapper type.
template <class Signature>
class function {
    template <class F, class Object = typename std::decay<F>::type>
    using if_other = typename std::enable_if<
        std::conditional<std::is_same<Object, function>::value, std::false_type,
                         typename detail::call_type<Signature>::template accepts<Object>>::type::value>::type;
    template <class F>
    using if_may_throw =
        typename std::enable_if<detail::call_type<Signature>::template may_throw<typename std::decay<F>::type>::value, int>::type;

  public:
    // The plain function pointer.
    using pointer = typename detail::call_type<Signature>::pointer;

    function() noexcept = default;
    function(std::nullptr_t) noexcept {}
    // Throws std::bad_alloc if there is no memory, or if every trampoline is in use and the table cannot grow. Without
    // exceptions, the function is empty in these cases. A function made from a null pointer or an empty std::function
    // is empty.
    template <class F, class = if_other<F>>
    function(F &&callee)
    {
        detail::require(make(std::forward<F>(callee)));
    }
    // The function is empty in the cases in which the constructor above throws.
    template <class F, class = if_other<F>>
    function(F &&callee, std::nothrow_t)
    {
        make(std::forward<F>(callee));
    }
    template <class F, if_may_throw<F> = 0>
    function(F &&) = delete; // statictramp: the signature is noexcept, but the function object is not
    ~function() { reset(); }

    function(const function &) = delete;
    function &operator=(const function &) = delete;
    // The function pointer stays valid, even if a call is in progress.
    function(function &&other) noexcept { swap(other); }
    function &operator=(function &&other) noexcept
    {
        function taken(std::move(other));
        swap(taken);
        return *this;
    }

    void swap(function &other) noexcept
    {
        std::swap(holder_, other.holder_);
        std::swap(end_, other.end_);
        std::swap(trampoline_, other.trampoline_);
    }
    // Frees the trampoline and destroys the function object, or lets the last call in progress destroy it. When its
    // destructor runs, this function is already empty.
    void reset() noexcept
    {
        statictramp_fn trampoline = trampoline_;
        void *holder = holder_;
        trampoline_ = nullptr;
        holder_ = nullptr;
        if (holder)
            end_(holder, trampoline);
    }

    pointer get() const noexcept { return reinterpret_cast<pointer>(trampoline_); }
    operator pointer() const noexcept { return get(); }
    explicit operator bool() const noexcept { return trampoline_ != nullptr; }

  private:
    // Returns false if no memory or no trampoline is available.
    template <class F>
    bool make(F &&callee)
    {
        using object = typename std::decay<F>::type;
        using holder = detail::shared<object>;
        if (detail::emptiness<object>::of(callee))
            return true;
        holder *made = detail::on_heap<holder>::make(std::forward<F>(callee));
        if (!made)
            return false;
        holder_ = made;
        end_ = &holder::end;
        trampoline_ = detail::thunk<holder, Signature>::bind(made);
        if (!trampoline_)
            reset();
        return trampoline_ != nullptr;
    }

    void *holder_ = nullptr;
    void (*end_)(void *, statictramp_fn) = nullptr;
    statictramp_fn trampoline_ = nullptr;
};

template <class Signature>
void swap(function<Signature> &a, function<Signature> &b) noexcept
{
    a.swap(b);
}

// Makes a function pointer that can be called once, for callers that do not report when they no longer need it. The call frees the
// trampoline when it begins, and destroys the function object, which is on the heap, when it ends. A second call prints a message
// and aborts, like any call after free. The trampoline and the function object leak if the pointer is never called, or
// if longjmp leaves the call. The signature is deduced if the function object has exactly one operator():
// one_shot([](int) {}), otherwise one_shot<void(int)>(function).
//
// If every trampoline is in use and the table cannot grow, the result is null. It is also null if no memory is
// available, or if the function object is a null pointer or an empty std::function.
template <class Signature = void, class F, class Object = typename std::decay<F>::type,
          class Chosen = typename detail::chosen<Signature, Object>::type>
typename detail::call_type<Chosen>::pointer one_shot(F &&callee, std::nothrow_t)
{
    static_assert(detail::call_type<Chosen>::template accepts<Object>::value,
                  "statictramp: the function object cannot be called with this signature");
    using holder = detail::once<Object>;
    if (detail::emptiness<Object>::of(callee))
        return nullptr;
    holder *made = detail::on_heap<holder>::make(std::forward<F>(callee));
    if (!made)
        return nullptr;
    made->trampoline = detail::thunk<holder, Chosen>::bind(made);
    if (!made->trampoline)
        detail::on_heap<holder>::end(made);
    else
        return reinterpret_cast<typename detail::call_type<Chosen>::pointer>(made->trampoline);
    return nullptr;
}
// Like the function above, but throws std::bad_alloc if no memory or trampoline is available. (Without exceptions, the result is
// null.)
template <class Signature = void, class F, class Object = typename std::decay<F>::type,
          class Chosen = typename detail::chosen<Signature, Object>::type>
typename detail::call_type<Chosen>::pointer one_shot(F &&callee)
{
    bool is_null = detail::emptiness<Object>::of(callee);
    auto made = one_shot<Chosen>(std::forward<F>(callee), std::nothrow);
    detail::require(made || is_null);
    return made;
}

} // namespace abi_1
} // namespace statictramp

// STATICTRAMP_MEMBERS(type, member...), outside any namespace, lists the members of a trivially copyable class that is passed or
// returned by value. All members (at most 32) must be listed in order, for example STATICTRAMP_MEMBERS(geometry::point, x, y).
// Members may have the types listed at the beginning of this file, without references, and arrays of these. The class must have
// no base class, no bit-fields, no zero-sized members and no unions. It must be neither packed nor over-aligned. If the class is not
// an aggregate or has empty or unnamed members, the header cannot detect a missing member that fits into padding. Begin the type's
// name with `::` if a name in it, such as `detail`, also exists in the namespace statictramp.
#define STATICTRAMP_MEMBERS(type, ...) \
    template <> \
    struct statictramp::members<type> : ::statictramp::detail::listed<type STATICTRAMP_MEMBERS_(type, __VA_ARGS__)> {}

// Implementation of the macro; programs must not use these names.
#define STATICTRAMP_MEMBER_(type, name) , ::statictramp::detail::member<offsetof(type, name), decltype(type::name)>
#define STATICTRAMP_MEMBERS_(type, ...) \
    STATICTRAMP_MEMBERS_PICK_(__VA_ARGS__, STATICTRAMP_MEMBERS_32_, STATICTRAMP_MEMBERS_31_, STATICTRAMP_MEMBERS_30_, \
    STATICTRAMP_MEMBERS_29_, STATICTRAMP_MEMBERS_28_, STATICTRAMP_MEMBERS_27_, STATICTRAMP_MEMBERS_26_, STATICTRAMP_MEMBERS_25_, \
    STATICTRAMP_MEMBERS_24_, STATICTRAMP_MEMBERS_23_, STATICTRAMP_MEMBERS_22_, STATICTRAMP_MEMBERS_21_, STATICTRAMP_MEMBERS_20_, \
    STATICTRAMP_MEMBERS_19_, STATICTRAMP_MEMBERS_18_, STATICTRAMP_MEMBERS_17_, STATICTRAMP_MEMBERS_16_, STATICTRAMP_MEMBERS_15_, \
    STATICTRAMP_MEMBERS_14_, STATICTRAMP_MEMBERS_13_, STATICTRAMP_MEMBERS_12_, STATICTRAMP_MEMBERS_11_, STATICTRAMP_MEMBERS_10_, \
    STATICTRAMP_MEMBERS_9_, STATICTRAMP_MEMBERS_8_, STATICTRAMP_MEMBERS_7_, STATICTRAMP_MEMBERS_6_, STATICTRAMP_MEMBERS_5_, \
    STATICTRAMP_MEMBERS_4_, STATICTRAMP_MEMBERS_3_, STATICTRAMP_MEMBERS_2_, STATICTRAMP_MEMBERS_1_, 0)(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_PICK_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, \
    a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, chosen, ...) chosen
#define STATICTRAMP_MEMBERS_1_(type, name) STATICTRAMP_MEMBER_(type, name)
#define STATICTRAMP_MEMBERS_2_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_1_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_3_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_2_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_4_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_3_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_5_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_4_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_6_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_5_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_7_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_6_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_8_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_7_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_9_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_8_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_10_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_9_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_11_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_10_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_12_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_11_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_13_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_12_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_14_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_13_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_15_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_14_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_16_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_15_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_17_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_16_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_18_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_17_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_19_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_18_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_20_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_19_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_21_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_20_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_22_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_21_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_23_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_22_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_24_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_23_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_25_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_24_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_26_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_25_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_27_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_26_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_28_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_27_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_29_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_28_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_30_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_29_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_31_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_30_(type, __VA_ARGS__)
#define STATICTRAMP_MEMBERS_32_(type, name, ...) STATICTRAMP_MEMBER_(type, name) STATICTRAMP_MEMBERS_31_(type, __VA_ARGS__)

#undef STATICTRAMP_X86_64
#undef STATICTRAMP_WINDOWS
#undef STATICTRAMP_AARCH64
#undef STATICTRAMP_POWERPC
#undef STATICTRAMP_POWERPC64
#undef STATICTRAMP_RISCV
#undef STATICTRAMP_ARM
#undef STATICTRAMP_WORDS
#undef STATICTRAMP_HIDDEN
#undef STATICTRAMP_STRING_VIEW
#undef STATICTRAMP_S390X
#undef STATICTRAMP_X86
#undef STATICTRAMP_COMPLEX
#undef STATICTRAMP_MIPS64
#undef STATICTRAMP_SPARC64

#endif
