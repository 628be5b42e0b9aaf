/* Tests tables of device functions: rejected tables, with their error messages; the names that compiled code
   uses; and tables that a plugin writes to the two variables. With -DOWN_GLOBALS, the program itself defines the
   two variables, as a compiler may. */

#include "../../../../tests/common/check.h"
#include "statictramp_interop.h"

void __tgt_rtl_set_function_ptr_map(int32_t device, uint64_t count, const void *pairs);
void *__kmpc_target_translate_fptr(void *host);
void *__llvm_omp_indirect_call_lookup(void *host);
#ifdef OWN_GLOBALS
const statictramp_function_pair *__omp_offloading_fptr_map_p;
uint64_t __omp_offloading_fptr_map_size;
#else
extern const statictramp_function_pair *__omp_offloading_fptr_map_p;
extern uint64_t __omp_offloading_fptr_map_size;
#endif

static uint64_t translated(uint64_t host) { return (uint64_t)__kmpc_target_translate_fptr((void *)host); }

static const statictramp_function_pair unsorted[] = {{30, 3}, {10, 1}, {20, 2}, {10, 1}};

static void assert_old_table(void)
{
    CHECK(translated(0) == 0 && translated(10) == 1 && translated(15) == 15 && translated(20) == 2 && translated(30) == 3);
    CHECK(translated(9) == 9 && translated(31) == 31 && translated(UINT64_MAX) == UINT64_MAX);
    CHECK((uint64_t)__llvm_omp_indirect_call_lookup((void *)20) == 2);
    CHECK(__omp_offloading_fptr_map_size == 3);
    for (uint64_t i = 0; i < 3; i++)
        CHECK(__omp_offloading_fptr_map_p[i].host == 10 * (i + 1) && __omp_offloading_fptr_map_p[i].target == i + 1);
}

/* Checks a rejected table: its arguments, the error, and the text of the message. */
static const statictramp_function_pair conflict[] = {{10, 1}, {20, 5}, {10, 2}}, null_host[] = {{1, 1}, {0, 1}}, null_target[] = {{1, 0}};
static const struct rejection {
    int device;
    uint64_t count;
    const void *table;
    statictramp_map_error error;
    const char *line;
} rejections[] = {
    {0, 3, conflict, STATICTRAMP_MAP_ERROR_CONFLICT, "different device addresses for the host address 0xa\n"},
    {0, 2, null_host, STATICTRAMP_MAP_ERROR_NULL_HOST, "the host's address is null in entry 1\n"},
    {0, 1, null_target, STATICTRAMP_MAP_ERROR_NULL_TARGET, "the device's address is null in entry 0\n"},
    {0, 1, NULL, STATICTRAMP_MAP_ERROR_TABLE, "the table is null although it has entries\n"},
    {0, 1, (const char *)unsorted + 4, STATICTRAMP_MAP_ERROR_TABLE, "the table is not aligned\n"},
    {0, UINT64_MAX, unsorted, STATICTRAMP_MAP_ERROR_TOO_MANY, "but this one has 18446744073709551615\n"},
    {-1, 4, unsorted, STATICTRAMP_MAP_ERROR_DEVICE, "device -1 is unchanged: the device number is invalid; devices are numbered from 0 to 63"},
    {64, 4, unsorted, STATICTRAMP_MAP_ERROR_DEVICE, "device 64 is unchanged: the device number is invalid; devices are numbered from 0 to 63"},
    {INT32_MIN, 4, unsorted, STATICTRAMP_MAP_ERROR_DEVICE, "device -2147483648 is unchanged"},
};

static const struct rejection *rejection;
static void rejected(void)
{
    __tgt_rtl_set_function_ptr_map(rejection->device, rejection->count, rejection->table);
    assert_old_table();
}

/* Tables that a plugin has written to the two variables. */
static const statictramp_function_pair sorted[] = {{10, 1}, {10, 1}, {20, 2}, {30, 3}}, disordered[] = {{10, 1}, {30, 3}, {20, 2}},
                                       side_by_side[] = {{10, 1}, {10, 2}};
static void write_variables(uint64_t count, const void *table)
{
    __omp_offloading_fptr_map_p = table;
    __omp_offloading_fptr_map_size = count;
}
static const struct rejection invalid[] = {
    {0, 2, side_by_side, 0, "different device addresses for the host address 0xa\n"},
    {0, 2, null_host, 0, "the host's address is null in entry 1\n"},
    {0, 1, null_target, 0, "the device's address is null in entry 0\n"},
    {0, 3, disordered, 0, "the host addresses are not in ascending order at entry 2\n"},
    {0, 1, NULL, 0, "the table is null although it has entries\n"},
    {0, 1, (const char *)sorted + 4, 0, "the table is not aligned\n"},
    {0, UINT64_MAX, sorted, 0, "but this one has 18446744073709551615\n"},
};
static void looked_up_in_invalid(void)
{
    write_variables(rejection->count, rejection->table);
    for (int i = 0; i < 3; i++)
        CHECK(translated(10) == 10 && translated(20) == 20);
    /* Sets a valid table in place of the rejected one. */
    write_variables(4, sorted);
    CHECK(translated(20) == 2);
}
static void plugin_tables(void)
{
    write_variables(4, sorted);
    CHECK(translated(0) == 0 && translated(9) == 9 && translated(10) == 1 && translated(15) == 15 && translated(20) == 2);
    CHECK(translated(30) == 3 && translated(31) == 31 && (uint64_t)__llvm_omp_indirect_call_lookup((void *)20) == 2);
    /* Functions are identified by their device's number, which the variables do not contain. */
    CHECK(!statictramp_function_on(0, (statictramp_fn)10));
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        rejection = &invalid[i];
        char text[512];
        CHECK(in_child(looked_up_in_invalid, text, sizeof text) == 0);
        if (strncmp(text, "statictramp: the functions at __omp_offloading_fptr_map_p are ignored: ", 71) != 0 || !strstr(text, rejection->line)
            || strchr(text, '\n')[1]) {
            fprintf(stderr, "said: %s", text);
            exit(1);
        }
    }
    /* Another table at the same address. */
    statictramp_function_pair changed[] = {{10, 1}, {20, 2}};
    write_variables(2, changed);
    CHECK(translated(10) == 1 && translated(20) == 2);
    changed[0] = (statictramp_function_pair){20, 3};
    changed[1] = (statictramp_function_pair){30, 4};
    CHECK(translated(10) == 10 && translated(20) == 3 && translated(30) == 4);
    write_variables(0, changed);
    CHECK(translated(20) == 20);
    write_variables(0, NULL);
}

static void *no_memory(const void *memory, int device)
{
    (void)memory, (void)device;
    return NULL;
}

int main(void)
{
    /* This test runs before any table is set. */
    CHECK(translated(10) == 10 && translated(0) == 0);
    CHECK(!statictramp_function_on(0, FN(main)) && !statictramp_function_on(-1, FN(main)));

    plugin_tables();
    CHECK(translated(10) == 10 && translated(0) == 0);

    /* A table that a function has set has precedence over a plugin's table, whether that was stored earlier or later. */
    static const statictramp_function_pair plugin[] = {{10, 6}};
    write_variables(1, plugin);
    CHECK(translated(10) == 6 && statictramp_set_functions(0, 4, unsorted) == STATICTRAMP_MAP_ERROR_SET);
    assert_old_table();
    write_variables(1, plugin);
    CHECK(translated(10) == 1 && translated(20) == 2);
    CHECK(statictramp_set_functions(0, 4, unsorted) == STATICTRAMP_MAP_ERROR_SET);
    assert_old_table();
    for (size_t i = 0; i < sizeof rejections / sizeof *rejections; i++) {
        rejection = &rejections[i];
        char text[512];
        CHECK(in_child(rejected, text, sizeof text) == 0);
        if (strncmp(text, "statictramp: the function table of device ", 42) != 0 || !strstr(text, rejection->line) || strchr(text, '\n')[1]) {
            fprintf(stderr, "said: %s", text);
            return 1;
        }
        CHECK(statictramp_set_functions(rejection->device, rejection->count, rejection->table) == rejection->error);
        assert_old_table();
    }

    /* This table is for another device. A caller that is in no device's image gets the table that was set last. */
    const statictramp_function_pair other = {10, 11};
    __tgt_rtl_set_function_ptr_map(7, 1, &other);
    CHECK(translated(10) == 11 && translated(20) == 20 && __omp_offloading_fptr_map_size == 1);
    CHECK(statictramp_function_on(7, (statictramp_fn)10) == (statictramp_fn)11);
    CHECK(statictramp_function_on(0, (statictramp_fn)10) == (statictramp_fn)1);
    /* If the device's function is a function of this program, this program becomes the device's image. */
    const statictramp_function_pair own = {10, (uint64_t)main};
    CHECK(statictramp_set_functions(3, 1, &own) == STATICTRAMP_MAP_ERROR_SET);
    __tgt_rtl_set_function_ptr_map(0, 4, unsorted);
    CHECK(translated(10) == (uint64_t)main && __omp_offloading_fptr_map_size == 3);
    __tgt_rtl_set_function_ptr_map(3, 0, NULL);
    CHECK(translated(10) == 10 && __omp_offloading_fptr_map_size == 0);
    __tgt_rtl_set_function_ptr_map(0, 4, unsorted);
    assert_old_table();

    statictramp_parts_on_device parts;
    long chain = 5;
    statictramp_fn plain = statictramp_alloc(FN(the_long), &chain), bound = statictramp_bind(FN(main), NULL, 1);
    CHECK(statictramp_on_device(0, plain, no_memory, &parts) == STATICTRAMP_NOT_ON_DEVICE_NO_FUNCTION);
    const statictramp_function_pair both[] = {{(uint64_t)the_long, 8}, {(uint64_t)main, 9}};
    CHECK(statictramp_set_functions(0, 2, both) == STATICTRAMP_MAP_ERROR_SET);
    CHECK(statictramp_on_device(0, plain, no_memory, &parts) == STATICTRAMP_NOT_ON_DEVICE_NOT_MAPPED);
    CHECK(statictramp_on_device(0, bound, no_memory, &parts) == STATICTRAMP_NOT_ON_DEVICE_HAS);
    CHECK(parts.callee == (statictramp_fn)9 && parts.chain == NULL && parts.position == 1);
    CHECK(statictramp_on_device(99, bound, no_memory, &parts) == STATICTRAMP_NOT_ON_DEVICE_NO_FUNCTION);
    CHECK(statictramp_on_device(0, (statictramp_fn)((char *)bound + 1), no_memory, &parts) == STATICTRAMP_NOT_ON_DEVICE_FOREIGN);
    statictramp_free(bound);
    CHECK(statictramp_on_device(0, bound, no_memory, &parts) == STATICTRAMP_NOT_ON_DEVICE_DEAD);

    /* Eight integers and a context need the stack on every processor, so arguments are copied. With one integer, a trampoline
       is like one of statictramp_bind_first or statictramp_bind. */
    statictramp_type ints[8];
    for (int i = 0; i < 8; i++)
        ints[i] = (statictramp_type){STATICTRAMP_KIND_INT32, NULL};
    const struct { statictramp_fn made; int position; } typed[] = {
        {statictramp_bind_types(FN(main), NULL, NULL, ints, 8), -65},
        {statictramp_bind_types_last(FN(main), NULL, NULL, ints, 8), -65},
        {statictramp_bind_types(FN(main), NULL, NULL, ints, 1), -3},
        {statictramp_bind_types_last(FN(main), NULL, NULL, ints, 1), 1},
    };
    for (unsigned i = 0; i < sizeof typed / sizeof *typed; i++) {
        CHECK(statictramp_on_device(0, typed[i].made, no_memory, &parts) == STATICTRAMP_NOT_ON_DEVICE_HAS);
        CHECK(parts.callee == (statictramp_fn)9 && parts.position == typed[i].position);
        statictramp_free(typed[i].made);
    }

    /* A bound trampoline's context is inspected like a chain. */
    const struct { char letter; int number; } context = {'x', 42};
    statictramp_captured_variable number;
    bound = statictramp_bind(FN(main), (void *)&context, 0);
    const char *layout = "letter: integer(1) value, number: integer(4) value";
    CHECK(statictramp_captured(bound, layout, "number", &number) == 0 && *(int *)number.address == 42 && number.size == 4);
    statictramp_free(bound);
    CHECK(statictramp_captured(bound, layout, "number", &number) == -1);
    return 0;
}
