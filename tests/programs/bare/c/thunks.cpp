/* 16 thunks for each of SIGNATURES signatures, written by hand as a team would do without the library: for the comparison in
   docs/boards.md. */

template <int Which, typename... A> struct Thunks {
    struct Slot {
        void (*callee)(void *, A...);
        void *context;
    };
    using Function = void (*)(A...);
    static inline Slot slots[16];
    template <int N> static void thunk(A... arguments) { slots[N].callee(slots[N].context, arguments...); }
    static constexpr Function table[16] = {thunk<0>, thunk<1>, thunk<2>,  thunk<3>,  thunk<4>,  thunk<5>,  thunk<6>,  thunk<7>,
                                           thunk<8>, thunk<9>, thunk<10>, thunk<11>, thunk<12>, thunk<13>, thunk<14>, thunk<15>};

    __attribute__((noinline)) static Function make(void (*callee)(void *, A...), void *context)
    {
        for (int i = 0; i < 16; i++) {
            void (*none)(void *, A...) = nullptr;
            if (__atomic_compare_exchange_n(&slots[i].callee, &none, callee, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
                slots[i].context = context;
                return table[i];
            }
        }
        return nullptr;
    }
    __attribute__((noinline)) static void free(Function function)
    {
        for (int i = 0; i < 16; i++)
            if (table[i] == function) {
                __atomic_store_n(&slots[i].callee, nullptr, __ATOMIC_RELEASE);
                return;
            }
    }
    static void use()
    {
        static volatile int context;
        auto callee = [](void *at, A... arguments) { *static_cast<volatile int *>(at) = (0 + ... + (int)arguments); };
        Function function = make(callee, const_cast<int *>(&context));
        function(A()...);
        free(function);
    }
};

#ifdef COUNT /* for counts.c */
using One = Thunks<0, int>;
extern "C" One::Function thunk_make(void (*callee)(void *, int), void *context) { return One::make(callee, context); }
extern "C" void thunk_free(One::Function function) { One::free(function); }
#else
extern "C" void start()
{
    Thunks<0, int>::use();
#if SIGNATURES > 1
    Thunks<1, int, int>::use();
#endif
#if SIGNATURES > 2
    Thunks<2, int, int, int>::use();
#endif
    for (;;)
        ;
}
#endif
