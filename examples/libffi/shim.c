/*
 * SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * libffi's closures on raw trampolines: a library to preload into programs that use libffi.
 *
 *     cc -O2 -fPIC -shared shim.c -lstatictramp -o shim.so
 *     LD_PRELOAD=./shim.so program
 *
 * The shim replaces ffi_closure_alloc, ffi_closure_free, ffi_prep_closure_loc and ffi_prep_closure. libffi itself still makes
 * calls (ffi_call). Only the default calling convention is supported: for any other convention, preparing a closure
 * fails with FFI_BAD_ABI, and for types that the library cannot describe, it fails with FFI_BAD_TYPEDEF.
 */
#include <ffi.h>
#include <statictramp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The description of a closure's function type, made when the closure is prepared. */
struct signature {
    statictramp_type result;
    /* The result described as a struct, if the library needs this description before it takes the first argument; otherwise NULL.
     * */
    const statictramp_struct *in_memory;
    /* The parameters other than those of type void, which libffi accepts and which take no argument. */
    statictramp_type *parameters;
    size_t count;
    /* The number of bytes for copies of all arguments, each aligned to 16 bytes. */
    size_t room;
};

/* A closure with its trampoline. Callers of libffi's functions see only the last member. */
struct closure {
    statictramp_fn code;
    struct signature *signature;
    struct arena *arena;
    _Alignas(16) ffi_closure ffi;
};

/* Memory of one signature, which is freed as a whole. */
struct arena {
    struct arena *next;
    _Alignas(16) char bytes[];
};

static void free_arena(struct arena *arena)
{
    while (arena) {
        struct arena *next = arena->next;
        free(arena);
        arena = next;
    }
}

static void *allocate(struct arena **arena, size_t size)
{
    struct arena *made = calloc(1, sizeof *made + size);
    if (!made)
        return NULL;
    made->next = *arena;
    *arena = made;
    return made->bytes;
}

static size_t up(size_t size, size_t alignment)
{
    return alignment ? (size + alignment - 1) / alignment * alignment : size;
}

static int describe(const ffi_type *type, statictramp_type *to, struct arena **arena, unsigned depth);

/* Describes the members of a struct. Returns NULL if there is no memory or a member cannot be described. */
static statictramp_struct *describe_struct(const ffi_type *type, struct arena **arena, unsigned depth)
{
    statictramp_struct *made = allocate(arena, sizeof *made);
    size_t count = 0, offset = 0;
    while (type->elements[count])
        count++;
    statictramp_leaf *leaves = allocate(arena, count * sizeof *leaves);
    if (!made || !leaves)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const ffi_type *element = type->elements[i];
        statictramp_type described;
        if (!describe(element, &described, arena, depth + 1))
            return NULL;
        offset = up(offset, element->alignment);
        leaves[i].offset = offset;
        leaves[i].kind = described.kind;
        leaves[i].of = described.of;
        offset += element->size;
    }
    made->size = type->size;
    made->count = count;
    made->leaves = leaves;
    return made;
}

/* Describes a type other than void. Returns 0 if the type cannot be described. */
static int describe(const ffi_type *type, statictramp_type *to, struct arena **arena, unsigned depth)
{
    static const unsigned char kinds[] = {
        [FFI_TYPE_INT] = STATICTRAMP_KIND_INT32,       [FFI_TYPE_FLOAT] = STATICTRAMP_KIND_FLOAT,
        [FFI_TYPE_DOUBLE] = STATICTRAMP_KIND_DOUBLE,   [FFI_TYPE_UINT8] = STATICTRAMP_KIND_UINT8,
        [FFI_TYPE_SINT8] = STATICTRAMP_KIND_INT8,      [FFI_TYPE_UINT16] = STATICTRAMP_KIND_UINT16,
        [FFI_TYPE_SINT16] = STATICTRAMP_KIND_INT16,    [FFI_TYPE_UINT32] = STATICTRAMP_KIND_UINT32,
        [FFI_TYPE_SINT32] = STATICTRAMP_KIND_INT32,    [FFI_TYPE_UINT64] = STATICTRAMP_KIND_UINT64,
        [FFI_TYPE_SINT64] = STATICTRAMP_KIND_INT64,    [FFI_TYPE_POINTER] = STATICTRAMP_KIND_POINTER,
        [FFI_TYPE_STRUCT] = STATICTRAMP_KIND_STRUCT,
#if FFI_TYPE_LONGDOUBLE != FFI_TYPE_DOUBLE
        [FFI_TYPE_LONGDOUBLE] = STATICTRAMP_KIND_LONG_DOUBLE,
#endif
    };
    if (depth > 16)
        return 0;
    to->of = NULL;
    if (type->type == FFI_TYPE_COMPLEX) {
        switch (type->elements[0]->type) {
        case FFI_TYPE_FLOAT:
            to->kind = STATICTRAMP_KIND_COMPLEX_FLOAT;
            return 1;
        case FFI_TYPE_DOUBLE:
            to->kind = STATICTRAMP_KIND_COMPLEX_DOUBLE;
            return 1;
#if FFI_TYPE_LONGDOUBLE != FFI_TYPE_DOUBLE
        case FFI_TYPE_LONGDOUBLE:
            to->kind = STATICTRAMP_KIND_COMPLEX_LONG_DOUBLE;
            return 1;
#endif
        default: /* GCC's complex integers */
            return 0;
        }
    }
    to->kind = type->type < sizeof kinds ? kinds[type->type] : 0;
    if (to->kind == STATICTRAMP_KIND_STRUCT)
        to->of = describe_struct(type, arena, depth);
    return to->kind && (to->kind != STATICTRAMP_KIND_STRUCT || to->of);
}

/* Returns a struct that describes the two parts of a complex result, if the result is returned in memory on this processor.
 * Returns NULL if the result is returned in registers. */
static const statictramp_struct *complex_in_memory(unsigned kind, struct arena **arena)
{
#ifdef __i386__
    unsigned part = kind == STATICTRAMP_KIND_COMPLEX_DOUBLE        ? STATICTRAMP_KIND_DOUBLE
                    : kind == STATICTRAMP_KIND_COMPLEX_LONG_DOUBLE ? STATICTRAMP_KIND_LONG_DOUBLE
                                                                   : 0;
    size_t size = part == STATICTRAMP_KIND_DOUBLE ? sizeof(double) : sizeof(long double);
    statictramp_struct *made = part ? allocate(arena, sizeof *made) : NULL;
    statictramp_leaf *leaves = made ? allocate(arena, 2 * sizeof *leaves) : NULL;
    if (!leaves)
        return NULL;
    for (size_t i = 0; i < 2; i++) {
        leaves[i].offset = i * size;
        leaves[i].kind = part;
    }
    made->size = 2 * size;
    made->count = 2;
    made->leaves = leaves;
    return made;
#else
    (void)kind, (void)arena;
    return NULL;
#endif
}

static struct signature *describe_signature(const ffi_cif *cif, struct arena **arena)
{
    struct signature *made = allocate(arena, sizeof *made);
    if (!made || !(made->parameters = allocate(arena, cif->nargs * sizeof *made->parameters)))
        return NULL;
    for (unsigned i = 0; i < cif->nargs; i++) {
        if (cif->arg_types[i]->type != FFI_TYPE_VOID &&
            !describe(cif->arg_types[i], &made->parameters[made->count++], arena, 0))
            return NULL;
        made->room += up(cif->arg_types[i]->size, 16);
    }
    if (cif->rtype->type == FFI_TYPE_VOID)
        return made;
    if (!describe(cif->rtype, &made->result, arena, 0))
        return NULL;
    made->in_memory = made->result.kind == STATICTRAMP_KIND_STRUCT ? made->result.of
                                                                   : complex_in_memory(made->result.kind, arena);
    return made;
}

/* Returns whether libffi's handlers store a result of this kind as an ffi_arg. */
static int is_widened(unsigned kind, size_t size)
{
    return kind <= STATICTRAMP_KIND_UINT64 && size < sizeof(ffi_arg);
}

static void handle(void *context, statictramp_raw_call *call)
{
    const struct closure *closure = context;
    const struct signature *signature = closure->signature;
    ffi_cif *cif = closure->ffi.cif;
    size_t result_size = up(cif->rtype->size, sizeof(ffi_arg)) + 16;
    _Alignas(16) char arguments[signature->room + 16], result[result_size];
    void *values[cif->nargs + 1];
    char *next = arguments;
    memset(result, 0, result_size);
    if (signature->in_memory)
        statictramp_raw_expect(call, signature->in_memory, STATICTRAMP_NOT_VARIADIC);
    const statictramp_type *type = signature->parameters;
    for (unsigned i = 0; i < cif->nargs; i++) {
        values[i] = next;
        next += up(cif->arg_types[i]->size, 16);
        if (cif->arg_types[i]->type == FFI_TYPE_VOID)
            continue;
        if (type->of)
            statictramp_raw_next_struct(call, type->of, values[i]);
        else
            statictramp_raw_next(call, type->kind, values[i]);
        type++;
    }
    closure->ffi.fun(cif, result, values, closure->ffi.user_data);
    if (signature->in_memory) {
        statictramp_raw_return_struct(call, signature->in_memory, result);
    } else if (signature->result.kind) {
        const char *from = result;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        if (is_widened(signature->result.kind, cif->rtype->size))
            from += sizeof(ffi_arg) - cif->rtype->size;
#else
        (void)is_widened;
#endif
        statictramp_raw_return(call, signature->result.kind, from);
    }
}

/* The pointer that ffi_closure_alloc returned is the address of the member `ffi` of a struct closure. */
static struct closure *of_ffi(void *ffi)
{
    return (struct closure *)((char *)ffi - offsetof(struct closure, ffi));
}

void *ffi_closure_alloc(size_t size, void **code)
{
    size_t extra = size > sizeof(ffi_closure) ? size - sizeof(ffi_closure) : 0;
    struct closure *made = calloc(1, sizeof *made + extra);
    if (!made || !(made->code = statictramp_bind_raw(handle, made))) {
        free(made);
        return NULL;
    }
    *code = (void *)made->code;
    return &made->ffi;
}

void ffi_closure_free(void *ffi)
{
    if (!ffi)
        return;
    struct closure *closure = of_ffi(ffi);
    statictramp_free(closure->code);
    free_arena(closure->arena);
    free(closure);
}

ffi_status ffi_prep_closure_loc(ffi_closure *ffi, ffi_cif *cif, void (*fun)(ffi_cif *, void *, void **, void *),
                                void *user_data, void *code)
{
    struct closure *closure = of_ffi(ffi);
    struct arena *arena = NULL;
    if (cif->abi != FFI_DEFAULT_ABI)
        return FFI_BAD_ABI;
    struct signature *signature = describe_signature(cif, &arena);
    if (code != (void *)closure->code || !signature ||
        statictramp_raw_check(signature->result.kind ? &signature->result : NULL, signature->parameters, signature->count,
                              STATICTRAMP_NOT_VARIADIC) != 0) {
        free_arena(arena);
        return FFI_BAD_TYPEDEF;
    }
    free_arena(closure->arena); /* of an earlier preparation */
    closure->arena = arena;
    closure->signature = signature;
    ffi->cif = cif;
    ffi->fun = fun;
    ffi->user_data = user_data;
    return FFI_OK;
}

ffi_status ffi_prep_closure(ffi_closure *ffi, ffi_cif *cif, void (*fun)(ffi_cif *, void *, void **, void *), void *user_data)
{
    return ffi_prep_closure_loc(ffi, cif, fun, user_data, (void *)of_ffi(ffi)->code);
}

/* statictramp_reserve() for programs with the shim, because a shared library does not export functions of the archive. */
int shim_reserve(size_t count)
{
    return statictramp_reserve(count);
}
