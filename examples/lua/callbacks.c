/* A Lua module that turns Lua functions into C function pointers, of a type that the Lua program specifies. Build it as a
   shared library:

       cc -O2 -shared -fPIC -I/usr/include/lua5.4 callbacks.c -lstatictramp -o callbacks.so

   local callbacks = require "callbacks" local f <close> = callbacks.new("i(pp)", function(a, b) ... end)

   The letters of a type are: v no value, b B 8 bits, h H 16, i I 32, l L 64 (lower-case letters are signed), f float,
   d double, p a pointer (light userdata), s a zero-terminated string (only as an argument). */

#include <lauxlib.h>
#include <lua.h>
#include <statictramp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME "statictramp callback"
enum { MOST = 16 };

struct callback {
    lua_State *lua;
    int function; /* its reference in the registry */
    int failure;  /* the reference of its error, or LUA_NOREF */
    char types[MOST + 2];
    statictramp_fn pointer;
};

static unsigned kind_of(char letter)
{
    switch (letter) {
    case 'b': return STATICTRAMP_KIND_INT8;
    case 'B': return STATICTRAMP_KIND_UINT8;
    case 'h': return STATICTRAMP_KIND_INT16;
    case 'H': return STATICTRAMP_KIND_UINT16;
    case 'i': return STATICTRAMP_KIND_INT32;
    case 'I': return STATICTRAMP_KIND_UINT32;
    case 'l': return STATICTRAMP_KIND_INT64;
    case 'L': return STATICTRAMP_KIND_UINT64;
    case 'p':
    case 's': return STATICTRAMP_KIND_POINTER;
    case 'f': return STATICTRAMP_KIND_FLOAT;
    case 'd': return STATICTRAMP_KIND_DOUBLE;
    default: return 0;
    }
}

union value {
    int8_t b;
    uint8_t B;
    int16_t h;
    uint16_t H;
    int32_t i;
    uint32_t I;
    int64_t l;
    uint64_t L;
    void *p;
    const char *s;
    float f;
    double d;
};

static void push(lua_State *L, char letter, const union value *value)
{
    switch (letter) {
    case 'b': lua_pushinteger(L, value->b); break;
    case 'B': lua_pushinteger(L, value->B); break;
    case 'h': lua_pushinteger(L, value->h); break;
    case 'H': lua_pushinteger(L, value->H); break;
    case 'i': lua_pushinteger(L, value->i); break;
    case 'I': lua_pushinteger(L, value->I); break;
    case 'l': lua_pushinteger(L, value->l); break;
    case 'L': lua_pushinteger(L, (lua_Integer)value->L); break;
    case 'f': lua_pushnumber(L, value->f); break;
    case 'd': lua_pushnumber(L, value->d); break;
    case 's': lua_pushstring(L, value->s); break;
    default: lua_pushlightuserdata(L, value->p);
    }
}

/* Converts the top of Lua's stack to a C value. Raises an error if the top value has another type. */
static void fetch(lua_State *L, char letter, union value *value)
{
    if (letter == 'f')
        value->f = (float)luaL_checknumber(L, -1);
    else if (letter == 'd')
        value->d = luaL_checknumber(L, -1);
    else if (letter == 'p')
        value->p = lua_touserdata(L, -1);
    else
        value->l = luaL_checkinteger(L, -1); /* little-endian, so smaller integers are its first bytes */
}

struct arguments {
    struct callback *callback;
    statictramp_raw_call *call;
};

/* Runs under lua_pcall, so that no error jumps over C frames. */
static int run(lua_State *L)
{
    struct arguments *with = lua_touserdata(L, 1);
    struct callback *callback = with->callback;
    int count = 0;
    union value value;
    luaL_checkstack(L, MOST + 2, NULL);
    lua_rawgeti(L, LUA_REGISTRYINDEX, callback->function);
    for (const char *letter = callback->types + 1; *letter; letter++, count++) {
        statictramp_raw_next(with->call, kind_of(*letter), &value);
        push(L, *letter, &value);
    }
    lua_call(L, count, callback->types[0] != 'v');
    if (callback->types[0] != 'v') {
        fetch(L, callback->types[0], &value);
        statictramp_raw_return(with->call, kind_of(callback->types[0]), &value);
    }
    return 0;
}

static void handler(void *context, statictramp_raw_call *call)
{
    struct arguments with = {context, call};
    struct callback *callback = context;
    lua_State *L = callback->lua;
    if (callback->failure != LUA_NOREF || !lua_checkstack(L, 3))
        return; /* an earlier call has failed, so the result is 0 until the C function returns */
    lua_pushcfunction(L, run);
    lua_pushlightuserdata(L, &with);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK)
        callback->failure = luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Re-raises the error that a Lua function raised during the call. Must be called after the C function has returned. */
static void raise_failure(lua_State *L, struct callback *callback)
{
    if (callback->failure == LUA_NOREF)
        return;
    lua_rawgeti(L, LUA_REGISTRYINDEX, callback->failure);
    luaL_unref(L, LUA_REGISTRYINDEX, callback->failure);
    callback->failure = LUA_NOREF;
    lua_error(L);
}

/* new(types, function) */
static int new_callback(lua_State *L)
{
    size_t length;
    const char *types = luaL_checklstring(L, 1, &length);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    luaL_argcheck(L, length >= 3 && length <= MOST + 3 && types[1] == '(' && types[length - 1] == ')', 1, "not like \"i(pp)\"");
    luaL_argcheck(L, types[0] == 'v' || (types[0] != 's' && kind_of(types[0])), 1, "no such result");
    struct callback *callback = lua_newuserdatauv(L, sizeof *callback, 0);
    memset(callback, 0, sizeof *callback);
    callback->function = callback->failure = LUA_NOREF;
    luaL_setmetatable(L, NAME);
    callback->types[0] = types[0];
    memcpy(callback->types + 1, types + 2, length - 3);
    for (const char *letter = callback->types + 1; *letter; letter++)
        luaL_argcheck(L, kind_of(*letter), 1, "no such argument");
    /* A coroutine may have ended by the time the callback is called. */
    lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
    callback->lua = lua_tothread(L, -1);
    lua_pop(L, 1);
    lua_pushvalue(L, 2);
    callback->function = luaL_ref(L, LUA_REGISTRYINDEX);
    callback->pointer = statictramp_bind_raw(handler, callback);
    if (!callback->pointer)
        return luaL_error(L, "no trampoline is left");
    return 1;
}

static int end(lua_State *L)
{
    struct callback *callback = luaL_checkudata(L, 1, NAME);
    if (callback->pointer)
        statictramp_free(callback->pointer);
    callback->pointer = NULL;
    luaL_unref(L, LUA_REGISTRYINDEX, callback->function);
    luaL_unref(L, LUA_REGISTRYINDEX, callback->failure);
    callback->function = callback->failure = LUA_NOREF;
    return 0;
}

static struct callback *checked(lua_State *L, int argument, const char *types)
{
    struct callback *callback = luaL_checkudata(L, argument, NAME);
    luaL_argcheck(L, callback->pointer && strcmp(callback->types, types) == 0, argument, "a callback of another type, or ended");
    return callback;
}

/* sort(numbers, callback): sorts with C's qsort. */
static int sort(lua_State *L)
{
    struct callback *order = checked(L, 2, "ipp");
    size_t count = lua_rawlen(L, 1);
    double *numbers = lua_newuserdatauv(L, (count + 1) * sizeof *numbers, 0);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(L, 1, (lua_Integer)i + 1);
        numbers[i] = luaL_checknumber(L, -1);
        lua_pop(L, 1);
    }
    qsort(numbers, count, sizeof *numbers, (int (*)(const void *, const void *))order->pointer);
    raise_failure(L, order);
    for (size_t i = 0; i < count; i++) {
        lua_pushnumber(L, numbers[i]);
        lua_rawseti(L, 1, (lua_Integer)i + 1);
    }
    return 0;
}

/* number(pointer): returns the number that the pointer points to. */
static int number(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TLIGHTUSERDATA);
    lua_pushnumber(L, *(double *)lua_touserdata(L, 1));
    return 1;
}

/* integrate(callback, from, to, steps): calls a callback of type double f(double, int step, float, const char *). */
static int integrate(lua_State *L)
{
    struct callback *callback = checked(L, 1, "ddifs");
    double (*f)(double, int, float, const char *) = (double (*)(double, int, float, const char *))callback->pointer;
    double from = luaL_checknumber(L, 2), to = luaL_checknumber(L, 3), sum = 0;
    int steps = (int)luaL_checkinteger(L, 4);
    for (int i = 0; i < steps; i++)
        sum += f(from + (to - from) * (i + 0.5) / steps, i, 0.5f, "midpoint");
    raise_failure(L, callback);
    lua_pushnumber(L, sum * (to - from) / steps);
    return 1;
}

int luaopen_callbacks(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"new", new_callback}, {"sort", sort}, {"number", number}, {"integrate", integrate}, {NULL, NULL}};
    static const luaL_Reg methods[] = {{"__gc", end}, {"__close", end}, {"close", end}, {NULL, NULL}};
    luaL_newmetatable(L, NAME);
    luaL_setfuncs(L, methods, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    luaL_newlib(L, functions);
    return 1;
}
