"""processors.py: compares the table of Linux processors in docs/targets.md with the properties that the tests use
(tests/legs/parts/machines.sh) and with the register that the code uses (src/arch/*/registers.rs)."""

import pathlib
import re
import sys

page = pathlib.Path("docs/targets.md").read_text()
table = page[page.index("\n| processor |") :].split("\n\n")[0].strip().splitlines()
columns = [cell.strip() for cell in table[0].strip("|").split("|")]
documented = {}
for line in table[2:]:
    row = dict(zip(columns, (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).strip() for cell in line.strip("|").split("|")), strict=True))
    documented[re.search(r"\(`(\w+)`\)", row["processor"])[1]] = row

machines = {}
for line in re.findall(r"^    '(machine=.*)'", pathlib.Path("tests/legs/parts/machines.sh").read_text(), re.M):
    machine = dict(word.split("=", 1) for word in line.split())
    if machine["machine"] != "windows":
        machines[machine.get("triple", machine["machine"]).split("-")[0]] = machine

wrong = []
if set(documented) != set(machines):
    wrong.append(f"the page has {sorted(documented)}, machines.sh {sorted(machines)}")
for name in sorted(set(documented) & set(machines)):
    row, machine = documented[name], machines[name]
    folders = [path for path in pathlib.Path("src/arch").iterdir() if (path / "registers.rs").exists()]
    folder = max((path for path in folders if name.replace("i686", "x86").startswith(path.name)), key=lambda path: len(path.name))
    chain = re.search(r'\(chain .* "([^"]+)" \}', (folder / "registers.rs").read_text())[1].lstrip("$%")
    if chain.isdigit():
        chain = ("r" + chain, "$" + chain)  # the assembler of some processors has only numbers
    memrefs = machine.get("memrefs", "no" if machine.get("bits") == "32" else "yes")
    expected = {
        "stub": f"{machine.get('stride', '32')} bytes",
        "static chain": chain,
        "`nest`": "no" if "nest" in machine else ("yes", "some"),
        "C++": "no" if machine.get("misuse") == "no" else "yes",
        "MLIR": memrefs.replace("without-halves", "some"),
        "run on": {None: "QEMU", "env": "x86-64 kernel"}.get(machine.get("emulator"), "the machine"),
    }
    for column, value in expected.items():
        if not row[column].startswith(value):
            wrong.append(f"{name}, {column}: the page has {row[column]!r} instead of {value!r}")
    if "triple" in machine and f"| `{machine['triple']}` |" not in page:
        wrong.append(f"{machine['triple']} is not among the targets")
print("\n".join(wrong) or f"{len(machines)} processors in docs/targets.md, as in the sources")
sys.exit(bool(wrong))
