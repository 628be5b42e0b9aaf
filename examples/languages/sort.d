// Sorts places by their keys: `compare` gets the keys as its context.
import core.stdc.stdio : printf;
import core.stdc.stdlib : qsort;

extern (C) nothrow @nogc:
void* statictramp_bind_signature(void* callee, void* context, const char* signature);
ptrdiff_t statictramp_signature_error(const char* signature);
int statictramp_free(void* pointer);

int compare(const int* keys, const ubyte* a, const ubyte* b)
{
    return keys[*a] - keys[*b];
}

alias comparer = int function(scope const void*, scope const void*);

int main()
{
    int[4][2] tables = [[40, 3, 17, 9], [1, 2, 3, 4]];
    foreach (ref keys; tables)
    {
        ubyte[4] order = [0, 1, 2, 3];
        void* callback = statictramp_bind_signature(&compare, keys.ptr, "i(pp)");
        if (!callback)
            return 1;
        qsort(order.ptr, 4, 1, cast(comparer) callback);
        statictramp_free(callback);
        printf("%d %d %d %d\n", order[0], order[1], order[2], order[3]);
    }
    if (!statictramp_bind_signature(&compare, null, "i(p?)"))
        printf("error at byte %td of i(p?)\n", statictramp_signature_error("i(p?)"));
    return 0;
}
