/* Tries to exhaust the memory of a tool that inspects it: FILES files of 64 KB, each with TABLES notes of tables of
   SLOTS slots, all marked live, and each mapped executable MAPPINGS times. */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { size = 1 << 16, page = 4096, notes = page, slots_at = 0x8000, slot = 32 };
struct note {
    uint32_t head[3];
    char name[12];
    uint32_t slots, stub_stride, slot_stride, unused;
    uint64_t stubs, slots_at; /* relative to these fields */
};

static void fill(unsigned char *file, int tables, uint32_t slots) {
    Elf64_Ehdr head = {.e_type = ET_DYN, .e_version = 1, .e_phoff = sizeof head, .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2};
    memcpy(head.e_ident, "\177ELF\2\1\1", 7);
    Elf64_Phdr parts[] = {
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = size, .p_memsz = size, .p_align = page},
        {.p_type = PT_NOTE, .p_flags = PF_R, .p_offset = notes, .p_vaddr = notes, .p_filesz = tables * sizeof(struct note), .p_align = 4},
    };
    memcpy(file, &head, sizeof head);
    memcpy(file + sizeof head, parts, sizeof parts);
    for (int t = 0; t < tables; t++) {
        uint64_t here = notes + t * sizeof(struct note);
        struct note note = {{12, 32, 1}, "statictramp", slots, 32, slot, 0, 0x300 + t - (here + offsetof(struct note, stubs)),
                            slots_at - (here + offsetof(struct note, slots_at))};
        memcpy(file + here, &note, sizeof note);
    }
    for (uint32_t s = 0; s < slots && slots_at + (s + 1) * slot <= size; s++)
        file[slots_at + s * slot + 16] = 1; /* live */
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    int files = atoi(argv[1]), mappings = atoi(argv[2]), tables = atoi(argv[3]), slots = atoi(argv[4]);
    for (int f = 0; f < files; f++) {
        char name[] = "/tmp/hostileXXXXXX";
        int file = mkstemp(name);
        if (file < 0 || unlink(name) || ftruncate(file, size)) return perror(name), 1;
        unsigned char *held = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (held == MAP_FAILED) return perror("mmap"), 1;
        fill(held, tables, slots);
        munmap(held, size);
        /* Mappings are 64 KB apart, so that their slots are at the addresses in the notes. */
        for (int m = 0; m < mappings; m++)
            if (mmap(0, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED) return perror("mmap"), 1;
    }
    puts("ready");
    fflush(stdout);
    pause();
}
