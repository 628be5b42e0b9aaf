// Throws through a Fortran host from frames at many addresses. As after longjmp, a host whose frame is at the address of an
// abandoned frame gets the slots of that frame, and slots abandoned below it are reclaimed when the table is full. Therefore
// the table keeps the size that the first rounds needed, however many rounds follow.

#include <alloca.h>
#include <cstdio>
#include <cstdlib>

extern "C" {
size_t statictramp_live(void);
size_t statictramp_capacity(void);
void host(int round, int *sum);

void call_back(void (*f)(void), int round)
{
    f();
    if (round % 3 != 0)
        throw round;
}
}

static const int depths = 61;

static void round_at_some_depth(int round, int *sum)
{
    auto *room = static_cast<volatile char *>(alloca(16 * (round % depths) + 16));
    room[0] = 1;
    host(round, sum);
}

int main(int, char **arguments)
{
    int rounds = std::atoi(arguments[1]), sum = 0, caught = 0;
    size_t capacity = 0;
    for (int round = 0; round < rounds; round++) {
        if (round == 100 * depths)
            capacity = statictramp_capacity();
        try {
            round_at_some_depth(round, &sum);
        } catch (int thrown) {
            caught += thrown == round || thrown == round + 1;
        }
    }
    // In one of three rounds the sibling throws, and in the other two the host does. Of these two, only the first calls the
    // sibling.
    std::printf("%d rounds, %d exceptions, %d calls; the table %s\n", rounds, caught, sum,
                statictramp_capacity() == capacity ? "is as large as at first" : "has grown");
    return caught == rounds && sum == rounds + (rounds + 2) / 3 && statictramp_capacity() == capacity ? 0 : 1;
}
