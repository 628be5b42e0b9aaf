// attachInterrupt(pin, lambda, mode) for lambdas that capture: copy this header into a sketch.

#include <statictramp.h>
#include "Arduino.h"

// Owns the lambda of a pin. The destructor detaches the interrupt before the lambda is destroyed. The object cannot be copied or
// moved.
template <class F>
class attached {
  public:
    attached(uint32_t pin, F function, uint32_t mode)
        : pin_(pin), function_(static_cast<F &&>(function)), // the context follows the arguments, of which there are none
          trampoline_(statictramp_bind(reinterpret_cast<statictramp_fn>(&call), &function_, 0))
    {
        if (trampoline_)
            attachInterrupt(pin, trampoline_, mode);
    }
    ~attached()
    {
        if (!trampoline_)
            return;
        detachInterrupt(pin_);
        statictramp_free(trampoline_);
    }
    attached(const attached &) = delete;
    attached &operator=(const attached &) = delete;
    // Returns whether the interrupt is attached. It is not attached if no trampoline was free.
    explicit operator bool() const { return trampoline_; }

  private:
    static void call(F *function) { (*function)(); }
    uint32_t pin_;
    F function_;
    statictramp_fn trampoline_;
};

// The result must be kept as long as the interrupt is attached: static auto button = attachInterrupt(2, [&] { ... }, RISING);
template <class F, class = decltype(&F::operator())>
[[nodiscard]] attached<F> attachInterrupt(uint32_t pin, F function, uint32_t mode)
{
    return attached<F>(pin, static_cast<F &&>(function), mode);
}
