"""hardening.py TOOL TREE LIST FILE...: checks the output of `audit --hardening`.

The output for TREE and the FILEs, except the hardening, must be the same without the option. For the FILEs and those that
LIST names, one on each line, the hardening must agree with readelf, scanelf and hardening-check.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema

tool, tree, files = sys.argv[1], sys.argv[2], sys.argv[4:]
with open(sys.argv[3], encoding="utf-8") as lines:
    files += lines.read().splitlines()
first = json.loads(Path(__file__).with_name("schema-1.json").read_text(encoding="utf-8"))


def audit(*arguments):
    """Returns the exit status and the parsed output."""
    done = subprocess.run([tool, "audit", "--json", *arguments], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


schema = json.loads(output(tool, "audit", "--schema"))
(status, plain), (same_status, found) = audit(tree, *files), audit("--hardening", tree, *files)
for version in (schema, first):
    for error in jsonschema.Draft202012Validator(version).iter_errors(found):
        sys.exit(f"the output with --hardening is invalid: {error.json_path}: {error.message}")
elf = [it for it in found["findings"] + found["files"] if it["format"] == "elf"]
if any("hardening" not in it for it in elf):
    sys.exit("an ELF file has no hardening")
hardening = {it["path"]: it.pop("hardening") for it in elf}
if status != same_status or status == 0 or plain["findings"] != found["findings"]:
    sys.exit(f"--hardening changes the findings or the exit status, {status} without it and {same_status} with it")
is_counted = {key for key, value in found.items() if isinstance(value, int)}
if {key: plain[key] for key in is_counted} != {key: found[key] for key in is_counted}:
    sys.exit("--hardening changes the totals")
missing = [it for it in plain["files"] if it not in found["files"]]
if missing or len(found["files"]) <= len(plain["files"]):
    sys.exit(f"--hardening omits files, or lists no more of them: {missing}")

compared, failed = 0, []
by_path = {it["path"]: it for it in elf}
for path in files:
    if path not in by_path:
        continue  # not an ELF file
    file, hard = by_path[path], hardening[path]
    if not file["linked"]:
        continue  # hardening-check and scanelf read only linked files
    compared += 1
    wrong = []

    def equal(what, ours, theirs):
        if ours != theirs:
            wrong.append(f"{what}: {ours}, not {theirs}")

    headers, dynamic, notes = (output("readelf", option, path) for option in ("-lW", "-dW", "-nW"))
    stack = re.search(r"GNU_STACK .* (RWE?) +0x", headers)
    equal("stack (readelf)", file["stack"], stack[1] if stack else "none")
    equal("type (readelf)", hard["position_independent"], "Elf file type is DYN" in headers)
    now = bool(re.search(r"\((BIND_NOW|FLAGS)\).*BIND_NOW|\(BIND_NOW\)|\(FLAGS_1\).*\bNOW\b", dynamic))
    equal("BIND_NOW (readelf)", hard["bind_now"], now if "Dynamic section" in dynamic else None)
    equal("text relocations (readelf)", file["text_relocations"], "TEXTREL" in dynamic)
    features = re.search(r"(?:x86|AArch64) feature: ([A-Z, ]+)", notes)
    equal("features (readelf)", file["control_flow_protection"], features[1].split(", ") if features else [])

    kind, text, binding = output("scanelf", "-BF", "%o|%t|%b|%F", path).split("|")[:3]
    equal("type (scanelf)", hard["position_independent"], kind == "ET_DYN")
    equal("text relocations (scanelf)", file["text_relocations"], "TEXTREL" in text)
    equal("binding (scanelf)", {True: "NOW", False: "LAZY", None: "STATIC"}[hard["bind_now"]], binding)

    said = dict(line.strip().split(": ", 1) for line in output("hardening-check", path).splitlines() if ": " in line)
    equal("RELRO (hardening-check)", file["relro"] != "none", said["Read-only relocations"] == "yes")
    equal("BIND_NOW (hardening-check)", bool(hard["bind_now"]), said["Immediate binding"] == "yes")
    if file["kind"] == "program":  # hardening-check mistakes a static PIE for a library
        equal("PIE (hardening-check)", hard["position_independent"], said["Position Independent Executable"] == "yes")
    if hard["canaries"] is None:
        # hardening-check prints "no" for static programs and the C library, which contain the called function.
        defined = re.search(r"(?<!UND) __stack_chk_fail\b", output("readelf", "-sW", path))
        if file["kind"] != "static-program" and not defined:
            wrong.append("canaries are unknown")
    else:
        equal("canaries (hardening-check)", hard["canaries"], said["Stack protected"] == "yes")
    if hard["fortify"] is None:
        if file["kind"] != "static-program" and not re.search(r"\[libc\.(musl-.*|so)\]", dynamic):
            wrong.append("fortify is unknown")
    else:
        checked, unchecked = hard["fortify"]["checked"] > 0, hard["fortify"]["unchecked"] > 0
        theirs = said["Fortify Source functions"]
        words = {(True, False): "yes", (True, True): "yes (some", (False, True): "no", (False, False): "unknown"}
        if not theirs.startswith(words[checked, unchecked]):
            wrong.append(f"fortify: {hard['fortify']}, not {theirs}")
    failed += [f"{path}: {it}" for it in wrong]
if failed:
    sys.exit("\n".join(failed))
if compared < 20:
    sys.exit(f"only {compared} files were compared")
print(f"{compared} files have the same hardening as in readelf, scanelf and hardening-check")
