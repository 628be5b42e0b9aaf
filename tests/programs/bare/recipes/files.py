# files.py DIR WORK: checks the files for PlatformIO, Arduino, Zephyr and ESP-IDF in the output of packaging/boards.sh, and runs
# platformio/select.py with a small replacement for SCons.
import json
import os
import sys
import types

import kconfiglib
import yaml

directory = sys.argv[1]


def text(name):
    with open(os.path.join(directory, name)) as file:
        contents = file.read()
    assert "@" not in contents, name + " has an unfilled placeholder"
    return contents


library = json.loads(text("library.json"))
properties = dict(line.split("=", 1) for line in text("library.properties").splitlines())
component = yaml.safe_load(text("idf_component.yml"))
module = yaml.safe_load(text("zephyr/module.yml"))
assert library["name"] == properties["name"] == module["name"] == "statictramp"
assert library["version"] == properties["version"] == component["version"]
for header in library["headers"]:
    assert os.path.exists(os.path.join(directory, library["build"]["includeDir"], header)), header
assert properties["precompiled"] == "true"
for name in (library["build"]["extraScript"], module["build"]["cmake"] + "/CMakeLists.txt", module["build"]["kconfig"]):
    text(name)

kconfig = os.path.join(sys.argv[2], "Kconfig")
with open(kconfig, "w") as file:
    for name, default in (("CPU_CORTEX_M", "y"), ("RISCV", "n"), ("64BIT", "n")):
        file.write("config %s\n\tbool\n\tdefault %s\n" % (name, default))
    file.write('source "%s"\n' % os.path.join(directory, module["build"]["kconfig"]))
symbols = kconfiglib.Kconfig(kconfig)
symbols.syms["STATICTRAMP"].set_value("y")
assert symbols.syms["STATICTRAMP"].str_value == "y" and not symbols.warnings, symbols.warnings


class Environment(dict):
    """The parts of SCons and PlatformIO that select.py uses."""

    def __init__(self, cpu, flags, script):
        super().__init__(CCFLAGS=flags, LINKFLAGS=["-Town.ld"], LIBS=[], LIBPATH=[])
        self.cpu, self.script = cpu, script

    def BoardConfig(self):
        return {"build.cpu": self.cpu}

    def GetProjectOption(self, name, default):
        assert name == "custom_statictramp_script"
        return self.script or default

    def Flatten(self, values):
        return [value for part in values for value in (part if isinstance(part, list) else [part])]

    def Dir(self, name):
        return self

    def srcnode(self):
        return types.SimpleNamespace(abspath=directory)

    def Append(self, **values):
        for name, value in values.items():
            self[name] = self[name] + value

    def Prepend(self, **values):
        for name, value in values.items():
            self[name] = value + self[name]


def select(cpu, flags=(), script=None):
    env = Environment(cpu, list(flags), script)
    scons = types.ModuleType("SCons.Script")
    scons.DefaultEnvironment = lambda: env
    sys.modules.update({"SCons": types.ModuleType("SCons"), "SCons.Script": scons})
    path = library["build"]["extraScript"]
    exec(compile(text(path), path, "exec"), {"Import": lambda name: None, "env": env})
    for place in env["LIBPATH"]:
        assert os.path.isdir(place), place
    return env


made = select("cortex-m3")
assert made["LINKFLAGS"] == ["-Ttramp_before_bss.x", "-Town.ld"] and made["LIBS"] == ["statictramp"], made
assert "thumbv7m-none-eabi" in made["LIBPATH"][0], made
assert select("cortex-m0plus", script="no")["LINKFLAGS"] == ["-Town.ld"]
for cpu, flags in (("cortex-m3", ["-mfloat-abi=hard"]), ("", []), ("esp32", [])):
    try:
        select(cpu, flags)
    except SystemExit as end:
        assert "no library" in str(end), end
    else:
        raise AssertionError("a library for " + cpu)
print("the files for PlatformIO, Arduino, Zephyr and ESP-IDF are valid")
