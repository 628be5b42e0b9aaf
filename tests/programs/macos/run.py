"""Runs functions of a linked Mach-O library in an emulated processor: run.py LIBRARY SYMBOL[@THREAD]...

The segments are mapped with their permissions in the file, so code is not writable and data is not executable. The system is
missing: each library function below has a short replacement, which does only what its manual page says. Each symbol is a
function without parameters; the output is its result, or how it ended. Each thread has its own value of the thread pointer;
all threads see the same memory.
"""

import struct
import sys

from unicorn import (UC_ARCH_ARM64, UC_ARCH_X86, UC_HOOK_CODE, UC_MODE_64, UC_MODE_ARM, UC_PROT_EXEC, UC_PROT_READ,
                     UC_PROT_WRITE, Uc, UcError)
from unicorn.arm64_const import (UC_ARM64_REG_LR, UC_ARM64_REG_PC, UC_ARM64_REG_SP, UC_ARM64_REG_TPIDRRO_EL0,
                                 UC_ARM64_REG_X0, UC_ARM64_REG_X18, UC_CPU_ARM64_MAX)
from unicorn.x86_const import (UC_X86_REG_GS_BASE, UC_X86_REG_R8, UC_X86_REG_R9, UC_X86_REG_RAX, UC_X86_REG_RCX,
                               UC_X86_REG_RDI, UC_X86_REG_RDX, UC_X86_REG_RIP, UC_X86_REG_RSI, UC_X86_REG_RSP)

BASE, STACK, THREADS, SYSTEM = 0x100000000, 0x200000000, 0x300000000, 0x400000000
STACK_SIZE, THREAD_SIZE, ENTRY, X18 = 1 << 20, 0x4000, 16, 0x1818181818181818
STOP = SYSTEM  # its first entry: functions return to it
MORE, TASK, NO_MEMORY, REFUSED = 0x500000000, 0x203, 3, 2  # KERN_NO_SPACE, KERN_PROTECTION_FAILURE


class Failure(Exception):
    pass


class Image:
    """A file as it is mapped, with all of its pointers relocated."""

    def __init__(self, path):
        self.bytes = open(path, "rb").read()
        magic, self.cpu = struct.unpack_from("<II", self.bytes)
        if magic != 0xFEEDFACF:
            raise Failure(f"{path} is no Mach-O file of 64 bits")
        self.segments, self.symbols, self.wanted, self.memory = [], {}, {}, {}
        parts = []
        at = 32
        for _ in range(struct.unpack_from("<I", self.bytes, 16)[0]):
            command, size = struct.unpack_from("<II", self.bytes, at)
            if command == 0x19:
                self.segment(at)
            elif command == 0x2:
                self.names(*struct.unpack_from("<IIII", self.bytes, at + 8))
            elif command & 0x7FFFFFFF == 0x22:
                parts = struct.unpack_from("<10I", self.bytes, at + 8)
            elif command == 0x80000034:
                raise Failure("chained fixups: link with -no_fixup_chains")
            at += size
        if parts:
            self.rebase(self.bytes[parts[0]:][:parts[1]])
            for i in (2, 4, 6):
                self.bind(self.bytes[parts[i]:][:parts[i + 1]])

    def segment(self, at):
        name, address, size, offset, length, most, rights = struct.unpack_from("<16sQQQQII", self.bytes, at + 8)
        if name.startswith(b"__TEXT"):
            self.most = most
        self.segments.append((address, size, rights, name.rstrip(b"\0").decode()))
        self.memory[len(self.segments) - 1] = bytearray(self.bytes[offset:offset + length].ljust(size, b"\0"))

    def names(self, offset, count, strings, _):
        for i in range(count):
            name, kind, _, _, value = struct.unpack_from("<IBBHQ", self.bytes, offset + 16 * i)
            end = self.bytes.index(b"\0", strings + name)
            if kind & 0xE0 == 0 and kind & 0x0E == 0x0E:
                self.symbols[self.bytes[strings + name:end].decode()] = BASE + value

    def add(self, segment, offset, value, old=True):
        place = self.memory[segment]
        if old:
            value += struct.unpack_from("<Q", place, offset)[0]
        struct.pack_into("<Q", place, offset, value & (1 << 64) - 1)

    @staticmethod
    def number(code, at):
        value = shift = 0
        while True:
            value |= (code[at] & 0x7F) << shift
            shift += 7
            at += 1
            if code[at - 1] < 0x80:
                return value, at

    def rebase(self, code):
        at = segment = offset = 0
        while at < len(code):
            op, small = code[at] & 0xF0, code[at] & 0xF
            at += 1
            count, skip = 0, 0
            if op == 0x00:
                return
            if op == 0x10:
                if small != 1:
                    raise Failure(f"rebase of type {small}")
            elif op == 0x20:
                segment = small
                offset, at = self.number(code, at)
            elif op == 0x30:
                more, at = self.number(code, at)
                offset += more
            elif op == 0x40:
                offset += 8 * small
            elif op == 0x50:
                count = small
            elif op == 0x60:
                count, at = self.number(code, at)
            elif op == 0x70:
                count = 1
                skip, at = self.number(code, at)
            elif op == 0x80:
                count, at = self.number(code, at)
                skip, at = self.number(code, at)
            else:
                raise Failure(f"rebase opcode {op:#x}")
            for _ in range(count):
                self.add(segment, offset, BASE)
                offset = (offset + 8 + skip) & (1 << 64) - 1

    def bind(self, code):
        at = segment = offset = addend = 0
        name = ""
        while at < len(code):
            op, small = code[at] & 0xF0, code[at] & 0xF
            at += 1
            count, skip = 0, 0
            if op in (0x00, 0x10, 0x30):
                pass
            elif op == 0x20:
                _, at = self.number(code, at)
            elif op == 0x40:
                end = code.index(b"\0", at)
                name, at = code[at:end].decode(), end + 1
            elif op == 0x50:
                if small != 1:
                    raise Failure(f"bind of type {small}")
            elif op == 0x60:
                addend, at = self.number(code, at)
            elif op == 0x70:
                segment = small
                offset, at = self.number(code, at)
            elif op == 0x80:
                more, at = self.number(code, at)
                offset = (offset + more) & (1 << 64) - 1
            elif op == 0x90:
                count = 1
            elif op == 0xA0:
                count = 1
                skip, at = self.number(code, at)
            elif op == 0xB0:
                count, skip = 1, 8 * small
            elif op == 0xC0:
                count, at = self.number(code, at)
                skip, at = self.number(code, at)
            else:
                raise Failure(f"bind opcode {op:#x}")
            for _ in range(count):
                address = self.symbols.get(name) or self.stand_in(name)
                self.add(segment, offset, address + addend, old=False)
                offset = (offset + 8 + skip) & (1 << 64) - 1

    def stand_in(self, name):
        return self.wanted.setdefault(name, SYSTEM + ENTRY * (len(self.wanted) + 1))


class Machine:
    """A processor with an image in its memory, and replacements for the system functions that the image imports."""

    def __init__(self, image):
        self.image = image
        self.arm = image.cpu == 0x0100000C
        self.uc = Uc(UC_ARCH_ARM64, UC_MODE_ARM) if self.arm else Uc(UC_ARCH_X86, UC_MODE_64)
        if self.arm:
            self.uc.ctl_set_cpu_model(UC_CPU_ARM64_MAX)  # the first model with `ldapur`, which Apple's processors have
        for number, (address, size, rights, name) in enumerate(image.segments):
            if name in ("__LINKEDIT", "__PAGEZERO") or size == 0:
                continue
            if rights & 6 == 6:
                raise Failure(f"{name} is writable and executable")
            self.uc.mem_map(BASE + address, self.whole_pages(size), self.rights(rights))
            self.uc.mem_write(BASE + address, bytes(image.memory[number]))
        self.uc.mem_map(STACK, STACK_SIZE, UC_PROT_READ | UC_PROT_WRITE)
        self.uc.mem_map(THREADS, 16 * THREAD_SIZE, UC_PROT_READ | UC_PROT_WRITE)
        for thread in range(16):
            self.uc.mem_write(self.thread(thread), struct.pack("<Q", self.thread(thread)))
        self.uc.mem_map(SYSTEM, 0x4000, UC_PROT_READ | UC_PROT_EXEC)
        back = struct.pack("<I", 0xD65F03C0) if self.arm else b"\xc3"
        self.uc.mem_write(SYSTEM, back.ljust(ENTRY, b"\0") * (0x4000 // ENTRY))
        self.names = {address: name for name, address in image.wanted.items()}
        for address in (address for address, name in self.names.items() if name == "_mach_task_self_"):
            self.uc.mem_write(address, struct.pack("<I", TASK))  # the only imported variable
        self.more, self.allocated, self.refuses, self.taken_away = MORE, 0, "", False
        self.words, self.keys = {}, 0x100
        self.uc.hook_add(UC_HOOK_CODE, self.entered, begin=SYSTEM + ENTRY, end=SYSTEM + 0x3FFF)
        self.said, self.ended = b"", None

    def whole_pages(self, size):
        return (size + self.page() - 1) // self.page() * self.page()

    def page(self):
        return 0x4000 if self.arm else 0x1000

    @staticmethod
    def rights(rights):
        return (UC_PROT_READ if rights & 1 else 0) | (UC_PROT_WRITE if rights & 2 else 0) | (UC_PROT_EXEC if rights & 4 else 0)

    @staticmethod
    def thread(number):
        return THREADS + number * THREAD_SIZE

    def argument(self, number):
        if self.arm and number < 8:
            return self.uc.reg_read(UC_ARM64_REG_X0 + number)
        if not self.arm and number < 6:
            return self.uc.reg_read((UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX, UC_X86_REG_RCX, UC_X86_REG_R8,
                                     UC_X86_REG_R9)[number])
        place = self.uc.reg_read(UC_ARM64_REG_SP) + 8 * (number - 8) if self.arm else (
            self.uc.reg_read(UC_X86_REG_RSP) + 8 * (number - 5))
        return self.word(place)

    def word(self, place, write=None):
        if write is not None:
            self.uc.mem_write(place, struct.pack("<Q", write & (1 << 64) - 1))
        return struct.unpack("<Q", self.uc.mem_read(place, 8))[0]

    # Memory, in whole pages. `_stand_in_denies` has selected the one that fails.

    def mach_vm_allocate(self, task, place, size, flags):
        if (task, flags) != (TASK, 1):
            raise Failure("mach_vm_allocate, and not ANYWHERE")
        if self.refuses == "allocate":
            return NO_MEMORY
        size = self.whole_pages(size)
        self.uc.mem_map(self.more, size, UC_PROT_READ | UC_PROT_WRITE)
        self.word(place, self.more)
        self.more += size + self.page()
        self.allocated += size
        return 0

    def mach_vm_deallocate(self, _task, start, size):
        self.uc.mem_unmap(start, self.whole_pages(size))
        self.allocated -= self.whole_pages(size)
        return 0

    def mach_vm_remap(self, task, place, size, mask, flags, from_task, source, copy, rights, most, inherit):
        at = self.word(place)
        if (task, mask, flags & 0xFFFFFFFF, from_task, copy & 0xFFFFFFFF, inherit & 0xFFFFFFFF) != (TASK, 0, 0x4000, TASK, 0, 0):
            raise Failure("mach_vm_remap: another call than growth makes")
        if (at | size | source) % self.page():
            raise Failure("mach_vm_remap: not whole pages")
        had = [region for region in self.uc.mem_regions() if region[0] <= source and source + size - 1 <= region[1]]
        if not had or had[0][2] != UC_PROT_READ | UC_PROT_EXEC or self.refuses == "remap":
            return REFUSED
        code = bytes(self.uc.mem_read(source, size))
        self.uc.mem_unmap(at, size)
        self.uc.mem_map(at, size, had[0][2])
        self.uc.mem_write(at, code)
        self.uc.mem_write(rights, struct.pack("<I", 1 if self.refuses == "execute" else 5))
        self.uc.mem_write(most, struct.pack("<I", 7 if self.refuses in ("write", "protect") else self.image.most))
        return 0

    def mach_vm_protect(self, _task, start, size, maximum, rights):
        if (maximum & 0xFFFFFFFF, rights & 0xFFFFFFFF) != (1, 5):
            raise Failure("mach_vm_protect: other rights than READ and EXECUTE, for good")
        self.taken_away = True
        self.uc.mem_protect(start, size, UC_PROT_READ | UC_PROT_EXEC)
        return REFUSED if self.refuses == "protect" else 0

    def text(self, place):
        return bytes(self.uc.mem_read(place, 16)).split(b"\0")[0].decode()

    def entered(self, uc, address, _size, _data):
        name = self.names.get(address, "?")
        to, second, size = (self.argument(i) for i in range(3))
        result = to
        if name in ("_memcpy", "_memmove"):
            uc.mem_write(to, bytes(uc.mem_read(second, size)))
        elif name == "_memcmp":
            one, other = bytes(uc.mem_read(to, size)), bytes(uc.mem_read(second, size))
            result = (one > other) - (one < other)
        elif name == "_memset":
            uc.mem_write(to, bytes([second & 0xFF]) * size)
        elif name == "_memset_pattern16":
            uc.mem_write(to, (bytes(uc.mem_read(second, 16)) * (size // 16 + 1))[:size])
        elif name == "_strlen":
            result = 0
            while uc.mem_read(to + result, 1) != b"\0":
                result += 1
        elif name in ("_bzero", "___bzero"):
            uc.mem_write(to, bytes(second))
        elif name == "_write":
            self.said += uc.mem_read(second, size)
            result = size
        elif name == "___error":
            result = self.thread(self.running) + 64
        elif name in ("_signal", "___clear_cache", "_getenv", "_issetugid"):
            result = 0
        elif name == "_pthread_self":
            result = self.thread(self.running)
        elif name == "_pthread_get_stackaddr_np":
            result = STACK + STACK_SIZE
        elif name == "_pthread_get_stacksize_np":
            result = STACK_SIZE
        elif name == "_sigaltstack":  # no new stack: returns the current one, whose flags are the third word
            uc.mem_write(second + 16, struct.pack("<I", 1 if self.refuses == "on a signal stack" else 4))
            result = 0
        elif name == "_pthread_key_create":
            self.keys += 1
            result = 0 * self.word(to, self.keys)
        elif name == "_pthread_getspecific":
            result = self.words.get((self.running, to), 0)
        elif name == "_pthread_setspecific":
            self.words[self.running, to] = second
            result = 0
        elif name == "_getpagesize":
            result = self.page()
        elif name in ("_mach_vm_allocate", "_mach_vm_deallocate", "_mach_vm_remap", "_mach_vm_protect"):
            function = getattr(self, name[1:])
            result = function(*(self.argument(i) for i in range(function.__code__.co_argcount - 1)))
        elif name == "_stand_in_denies":
            self.refuses = self.text(to)
        elif name == "_stand_in_allocated":
            result = self.allocated
        elif name == "_stand_in_took_away":
            result, self.taken_away = self.taken_away, False
        else:  # abort, and unexpected functions
            self.ended = name
            uc.emu_stop()
            return
        uc.reg_write(UC_ARM64_REG_X0 if self.arm else UC_X86_REG_RAX, result & (1 << 64) - 1)

    def call(self, symbol, thread):
        if symbol not in self.image.symbols:
            raise Failure(f"there is no {symbol}")
        uc, top = self.uc, STACK + STACK_SIZE - 64
        self.running, self.ended, self.said = thread, None, b""
        if self.arm:
            uc.reg_write(UC_ARM64_REG_TPIDRRO_EL0, self.thread(thread) | thread & 7)  # as on older systems
            uc.reg_write(UC_ARM64_REG_SP, top)
            uc.reg_write(UC_ARM64_REG_LR, STOP)
            uc.reg_write(UC_ARM64_REG_X18, X18)
        else:
            uc.reg_write(UC_X86_REG_GS_BASE, self.thread(thread))
            uc.mem_write(top - 8, struct.pack("<Q", STOP))
            uc.reg_write(UC_X86_REG_RSP, top - 8)
        try:
            uc.emu_start(self.image.symbols[symbol], STOP)
        except UcError as error:
            return f"{error} at {uc.reg_read(UC_ARM64_REG_PC if self.arm else UC_X86_REG_RIP):#x}"
        if self.arm and uc.reg_read(UC_ARM64_REG_X18) != X18:
            return "x18 was changed"
        if self.ended:
            return f"{self.ended}, after: {self.said.decode(errors='replace').strip()}"
        return str(uc.reg_read(UC_ARM64_REG_X0 if self.arm else UC_X86_REG_RAX) & 0xFFFFFFFF)


def main(library, *symbols):
    machine = Machine(Image(library))
    for word in symbols:
        symbol, _, thread = word.partition("@")
        print(f"{word}: {machine.call(symbol, int(thread or 0))}")


try:
    main(*sys.argv[1:])
except Failure as why:
    sys.exit(f"run.py: {why}")
