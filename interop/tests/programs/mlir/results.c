/* Results of handlers that contradict the function's type: each aborts with a message, because MLIR code uses the sizes, strides and
   offset of the type. This program calls as code lowered from MLIR does. */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../../../../tests/common/check.h"
#include "statictramp_interop.h"

typedef STATICTRAMP_MEMREF(float, 1) vector;
typedef STATICTRAMP_MEMREF(float, 2) matrix;
typedef STATICTRAMP_MEMREF_0(float) scalar;
typedef statictramp_unranked_memref unranked;

static float elements[64];
#define E elements, elements

static union {
    vector v;
    matrix m;
    scalar s;
    unranked u;
    struct {
        int8_t n;
        vector v;
        double x;
        matrix m;
    } list;
} result;
static size_t size;
static void answer(void *context, const void *const *arguments, void *results)
{
    (void)context, (void)arguments;
    memcpy(results, &result, size);
}

/* Calls a function of this type, which returns `result`. Returns the library's message, or an empty text if the call returned. */
static const char *call(const char *type, size_t bytes)
{
    static char text[256];
    static statictramp_memref_closure closure;
    size = bytes;
    statictramp_fn f = statictramp_bind_memref(&closure, type, answer, NULL);
    CHECK(f);
    int pipes[2], status;
    CHECK(pipe(pipes) == 0);
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        dup2(pipes[1], 2);
        typedef struct {
            char bytes[sizeof result];
        } returned;
        if (bytes == sizeof(unranked)) {
            unranked u = ((unranked(*)(void))f)();
            _exit(memcmp(&u, &result, bytes) != 0);
        }
        if (bytes == sizeof(scalar)) { /* three registers, which C cannot name */
            ((void (*)(void))f)();
            _exit(0);
        }
        returned r = ((returned(*)(void))f)();
        _exit(memcmp(&r, &result, bytes) != 0);
    }
    close(pipes[1]);
    ssize_t length = read(pipes[0], text, sizeof text - 1);
    text[length > 0 ? length : 0] = '\0';
    close(pipes[0]);
    CHECK(waitpid(child, &status, 0) == child);
    if (*text ? !WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT : !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "%s: status %#x, message \"%s\"\n", type, status, text);
        exit(1);
    }
    CHECK(statictramp_free(f) == 0);
    return text;
}

#define RETURNS(type, message, member, ...) (result.member = __VA_ARGS__, check_result("-> " type, sizeof result.member, message))
static void check_result(const char *type, size_t bytes, const char *message)
{
    const char *text = call(type, bytes);
    if (*message ? !strstr(text, message) : *text) {
        fprintf(stderr, "%s: expected \"%s\", got \"%s\"\n", type, message, text);
        exit(1);
    }
}

#define LAYOUT "result 1 has other strides or another offset than its type"
#define IDENTITY "result 1 has an offset or is not contiguous and row-major, but its type has no layout"
int main(void)
{
    RETURNS("memref<4xf32>", "", v, (vector){E, 0, {4}, {1}});
    RETURNS("memref<4xf32>", "dimension 0 of result 1 has size 9, but its type requires 4", v, (vector){E, 0, {9}, {1}});
    RETURNS("memref<4xf32>", "dimension 0 of result 1 has size -4, but its type requires 4", v, (vector){E, 0, {-4}, {1}});
    RETURNS("memref<4xf32>", IDENTITY, v, (vector){E, 0, {4}, {2}});
    RETURNS("memref<4xf32>", IDENTITY, v, (vector){E, 3, {4}, {1}});
    RETURNS("memref<4xf32, 1>", IDENTITY, v, (vector){E, 3, {4}, {1}});
    RETURNS("memref<?xf32>", "", v, (vector){E, 0, {7}, {1}});
    RETURNS("memref<?xf32>", "", v, (vector){E, 0, {0}, {5}}); /* no elements: no stride matters */
    RETURNS("memref<?xf32>", "", v, (vector){E, 0, {1}, {5}});
    RETURNS("memref<?xf32>", "dimension 0 of result 1 has a negative size", v, (vector){E, 0, {-1}, {1}});
    RETURNS("memref<?x?xf32, strided<[?, 1], offset: ?>>", "dimension 1 of result 1 has a negative size", m, (matrix){E, 0, {2, -1}, {9, 1}});
    RETURNS("memref<f32>", "", s, (scalar){E, 0});
    RETURNS("memref<f32>", IDENTITY, s, (scalar){E, 1});
    RETURNS("memref<?x?xf32>", "", m, (matrix){E, 0, {2, 5}, {5, 1}});
    RETURNS("memref<?x?xf32>", IDENTITY, m, (matrix){E, 0, {5, 2}, {1, 5}}); /* transposed */
    RETURNS("memref<?x5xf32>", "dimension 1 of result 1 has size 6, but its type requires 5", m, (matrix){E, 0, {4, 6}, {6, 1}});
    RETURNS("memref<?x5xf32>", IDENTITY, m, (matrix){E, 0, {4, 5}, {7, 1}});
    RETURNS("memref<?x?xf32, strided<[?, ?], offset: ?>>", "", m, (matrix){E, 9, {5, 2}, {1, 5}});
    RETURNS("memref<4xf32, strided<[2], offset: 3>>", "", v, (vector){E, 3, {4}, {2}});
    RETURNS("memref<4xf32, strided<[2], offset: 3>>", LAYOUT, v, (vector){E, 0, {4}, {2}});
    RETURNS("memref<4xf32, strided<[2], offset: 3>>", LAYOUT, v, (vector){E, 3, {4}, {1}});
    RETURNS("memref<4xf32, strided<[-2], offset: ?>, 1>", "", v, (vector){E, 8, {4}, {-2}});
    RETURNS("memref<4xf32, strided<[-2], offset: ?>, 1>", LAYOUT, v, (vector){E, 8, {4}, {2}});
    RETURNS("memref<4xf32, strided<[2]>>", LAYOUT, v, (vector){E, 1, {4}, {2}});
    RETURNS("memref<?x?xf32, strided<[?, 3]>>", LAYOUT, m, (matrix){E, 0, {2, 2}, {7, 1}});
    RETURNS("memref<?x?xf32, strided<[?, 3]>>", "", m, (matrix){E, 0, {2, 2}, {7, 3}});
    RETURNS("memref<4xf32, affine_map<(d0) -> (2 * d0)>>", "", v, (vector){E, 0, {4}, {2}}); /* not checked */
    RETURNS("memref<*xf32>", "", u, (unranked){2, elements});
    RETURNS("memref<*xf32>", "result 1 is no unranked memref", u, (unranked){-1, elements});
    RETURNS("memref<*xf32>", "result 1 is no unranked memref", u, (unranked){1, NULL});

    /* Numbers of arguments and earlier results precede those of a later one. */
    static const char list[] = "i8, memref<4xf32, strided<[2], offset: 3>>, f64, memref<?x5xf32>";
    memset(&result, 0, sizeof result);
    result.list.n = 1, result.list.v = (vector){E, 3, {4}, {2}}, result.list.x = 2, result.list.m = (matrix){E, 0, {2, 5}, {5, 1}};
    char type[256];
    snprintf(type, sizeof type, "() -> (%s)", list);
    check_result(type, sizeof result.list, "");
    result.list.m.sizes[1] = 4;
    check_result(type, sizeof result.list, "dimension 1 of result 4 has size 4, but its type requires 5");
    result.list.m.sizes[1] = 5, result.list.v.strides[0] = 1;
    check_result(type, sizeof result.list, "result 2 has other strides");

    CHECK(!statictramp_bind_memref(&(statictramp_memref_closure){0}, "memref<4xf32, strided<[2, 1]>>", answer, NULL));
    CHECK(!statictramp_bind_memref(&(statictramp_memref_closure){0}, "memref<4xf32, strided<[], offset: 1>>", answer, NULL));
    CHECK(!statictramp_bind_memref(&(statictramp_memref_closure){0}, "memref<4xf32, strided<[x]>>", answer, NULL));
    return 0;
}
