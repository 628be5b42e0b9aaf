// The declarations of an Arduino core that the sketch uses.

#include <cstdint>

typedef void (*voidFuncPtr)(void);
enum { CHANGE = 2, FALLING = 3, RISING = 4 };
void attachInterrupt(uint32_t pin, voidFuncPtr function, uint32_t mode);
void detachInterrupt(uint32_t pin);
