/* A driver passes no context to its callbacks, but each of two sensors needs its own. The program runs on every target of
 * packaging/boards.sh. */

#include "board.h"
#include <statictramp.h>

/* The driver is a table of functions, as in a vendor's C library. */
struct driver {
    int (*read)(int channel);
    void (*alarm)(int channel, int value);
};

static void poll(const struct driver *driver, int limit)
{
    for (int channel = 0; channel < 4; channel++) {
        int value = driver->read(channel);
        if (value > limit)
            driver->alarm(channel, value);
    }
}

/* The program keeps the data of each sensor in a struct. */
struct sensor {
    int offset, alarms;
};

static int sensor_read(struct sensor *sensor, int channel) { return sensor->offset + 10 * channel; }
static void sensor_alarm(struct sensor *sensor, int channel, int value)
{
    sensor->alarms += channel + value;
}

int main(void)
{
    static struct sensor sensors[2] = {{1, 0}, {20, 0}};
    struct driver drivers[2];
    for (int i = 0; i < 2; i++) {
        drivers[i].read = (int (*)(int))STATICTRAMP_BIND(sensor_read, &sensors[i], int, int);
        drivers[i].alarm = (void (*)(int, int))STATICTRAMP_BIND(sensor_alarm, &sensors[i], void, int, int);
        check(drivers[i].read && drivers[i].alarm);
        poll(&drivers[i], 30);
    }
    say_number("first sensor: ", sensors[0].alarms);
    say_number("second sensor: ", sensors[1].alarms);
    for (int i = 0; i < 2; i++) {
        check(statictramp_free((statictramp_fn)drivers[i].read) == 0);
        check(statictramp_free((statictramp_fn)drivers[i].alarm) == 0);
    }
    say_number("live: ", (long)statictramp_live());
    return 0;
}
