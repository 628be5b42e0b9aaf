/* A program whose own code has only the deviations that docs/boards-safety.md states for registrations. */
#include <statictramp.h>

struct port {
    int bytes;
};
typedef int (*handler)(int byte);
handler bind_port(struct port *port);
void free_port(handler received);

static int received_byte(struct port *port, int byte)
{
    port->bytes += byte;
    return port->bytes;
}

handler bind_port(struct port *port)
{
    return (handler)STATICTRAMP_BIND(received_byte, port, int, int);
}

void free_port(handler received)
{
    (void)statictramp_free((void (*)(void))received);
}
