# PlatformIO runs this script for each project that uses the library. It selects the archive for an Arm processor, and passes the
# script that places the slots before the project's own script. If the project's own script has a line for the slots, write
# custom_statictramp_script = no in platformio.ini.
import os
import sys

from SCons.Script import DefaultEnvironment

Import("env")  # noqa: F821

TARGETS = {
    "cortex-m0": "thumbv6m-none-eabi",
    "cortex-m0plus": "thumbv6m-none-eabi",
    "cortex-m3": "thumbv7m-none-eabi",
    "cortex-m4": "thumbv7em-none-eabi",
    "cortex-m7": "thumbv7em-none-eabi",
    "cortex-m33": "thumbv8m.main-none-eabi",
}
program = DefaultEnvironment()
cpu = program.BoardConfig().get("build.cpu", "")
target = TARGETS.get(cpu, "")
if "-mfloat-abi=hard" in program.Flatten([program.get("CCFLAGS", []), program.get("LINKFLAGS", [])]):
    target += "hf"
directory = os.path.join(env.Dir(".").srcnode().abspath, target)  # noqa: F821
if not target or not os.path.isdir(directory):
    sys.exit("statictramp: no library for %s in %s; build it with packaging/boards.sh" % (cpu or "this board", directory))
program.Append(
    LIBPATH=[os.path.join(directory, "lib"), os.path.join(directory, "share", "statictramp")],
    LIBS=["statictramp"],
)
if program.GetProjectOption("custom_statictramp_script", "yes") != "no":
    program.Prepend(LINKFLAGS=["-Ttramp_before_bss.x"])
