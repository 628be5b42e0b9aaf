"""processors.py: compares the tables in docs/targets.md and the properties that the tests use
(tests/legs/parts/machines.sh) with the table of targets (targets/processors.rs) and with the register that the code uses
(src/arch/*/registers.rs or src/arch/*.rs)."""

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

# The table of targets: the instruction sets, each with the fields that it takes from another one, then the rows.
source = pathlib.Path("targets/processors.rs").read_text()
isas = {}
for name, fields in re.findall(r"^const (\w+): Isa =\s+Isa \{(.*?)\};", source, re.M | re.S):
    isa = dict(isas[base[1]]) if (base := re.search(r"\.\.(\w+)", fields)) else {}
    isa |= dict(re.findall(r'(arch|bits|endian): "?(\w+)"?', fields))
    if families := re.search(r"families: &\[(.*?)\]", fields, re.S):
        isa["families"] = re.findall(r'"(\w+)"', families[1])
    isas[name] = isa
rows = re.findall(r'Row \{ isa: (\w+), os: "(\w+)".*?assembly: "([^"]+)"', source)

# The register of the static chain, by the name of the processor's directory or file.
chains = {}
for path in (*pathlib.Path("src/arch").glob("*/registers.rs"), *pathlib.Path("src/arch").glob("*.rs")):
    if found := re.search(r'\(chain .* "([^"]+)" \}', path.read_text()):
        chains[path.parent.name if path.name == "registers.rs" else path.stem] = found[1].lstrip("$%")

wrong = []
listed = set()
for triples, assembly in re.findall(r"^\| ((?:`[^`|]+-[^`|]+`(?:, )?)+) \| `([^`]+)`", page, re.M):
    for triple in re.findall(r"`([^`]+)`", triples):
        listed.add(triple)
        processor = re.sub("^thumb", "arm", triple.split("-")[0]).replace("i686", "x86")
        if not any(file == assembly and processor.startswith(isas[isa]["arch"]) for isa, _, file in rows):
            wrong.append(f"{triple}: the page has {assembly}, which the table of targets does not have for this processor")
if set(documented) != set(machines):
    wrong.append(f"the page has {sorted(documented)}, machines.sh {sorted(machines)}")
for name in sorted(set(documented) & set(machines)):
    row, machine = documented[name], machines[name]
    fitting = [it for it in chains if name.replace("i686", "x86").startswith(it)]
    if not fitting:
        wrong.append(f"{name}: no file in src/arch/ defines the register of the static chain")
        continue
    chain = chains[max(fitting, key=len)]
    if chain.isdigit():
        chain = ("r" + chain, "$" + chain)  # the assembler of some processors has only numbers
    memrefs = machine.get("memrefs", "no" if machine.get("bits") == "32" else "yes")
    assembly = machine.get("assembly", machine["machine"]) + ".S"
    isa = next((isas[isa] for isa, system, file in rows if (system, file) == ("linux", assembly)), None)
    if not isa:
        wrong.append(f"{name}: the table of targets has no row for Linux with {assembly}")
        continue
    for key, value, default in (
        ("bits", isa["bits"], "64"),
        ("pads", str(int("pads" in isa["families"])), "0"),
        ("unstable", "1" if "unstable_asm" in isa["families"] else None, None),
        ("nest", "-DAS_FIRST_ARGUMENT" if "chain_is_an_argument" in isa["families"] else None, None),
    ):
        if machine.get(key, default) != value:
            wrong.append(f"{name}, {key}: machines.sh has {machine.get(key)}, the table of targets {value}")
    expected = {
        "stub": f"{machine.get('stride', '32')} bytes",
        "static chain": chain,
        "`nest`": "no" if "nest" in machine else ("yes", "some"),
        "MLIR": memrefs.replace("without-halves", "some"),
    }
    for column, value in expected.items():
        if not row[column].startswith(value):
            wrong.append(f"{name}, {column}: the page has {row[column]!r} instead of {value!r}")
    if "triple" in machine and machine["triple"] not in listed:
        wrong.append(f"{machine['triple']} is not among the targets")
print("\n".join(wrong) or f"{len(machines)} processors in docs/targets.md, as in the sources")
sys.exit(bool(wrong))
