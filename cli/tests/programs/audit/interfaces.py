"""interfaces.py SCHEMA JSON SARIF: validates the JSON output against its schema and against the format's first schema.

Also checks the parts of SARIF 2.1.0 that every reader needs.
"""

import json
import sys
from pathlib import Path

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
with open(sys.argv[2], encoding="utf-8") as file:
    found = json.load(file)
for error in validator.iter_errors(found):
    sys.exit(f"the JSON output is invalid: {error.json_path}: {error.message}")
# Readers of the first release's output can still read the output. Fields and tags may have been added since.
with open(Path(__file__).with_name("schema-1.json"), encoding="utf-8") as file:
    first = json.load(file)
for error in jsonschema.Draft202012Validator(first).iter_errors(found):
    sys.exit(f"the JSON output is invalid under its first schema: {error.json_path}: {error.message}")
# A schema that accepts everything would prove nothing.
for key in ("stack", "tags", "writes"):
    broken = json.loads(json.dumps(found))
    del broken["findings"][0][key]
    if not any(validator.iter_errors(broken)):
        sys.exit(f"the schema accepts a finding without {key}")
odd = [it for it in found["findings"] if "path_bytes" in it]
if len({it["path_bytes"] for it in odd}) < 2 or len({it["path"] for it in odd}) < 2:
    sys.exit("names that are not UTF-8 are not distinct")
if found["schema"] != 1 or not found["excepted"] or not found["unused_exceptions"]:
    sys.exit("exceptions are missing")
stacks = {it["stack"] for it in found["findings"]}
if not {"RWE", "none"} <= stacks <= {"RWE", "RW", "none"}:
    sys.exit(f"wrong stacks: {stacks}")

with open(sys.argv[3], encoding="utf-8") as file:
    sarif = json.load(file)
(run,) = sarif["runs"]
rules = run["tool"]["driver"]["rules"]
if sarif["version"] != "2.1.0" or len({it["id"] for it in rules}) != len(rules):
    sys.exit("the SARIF output has a wrong version or a rule twice")
for result in run["results"]:
    if rules[result["ruleIndex"]]["id"] != result["ruleId"] or result["level"] not in ("error", "warning", "note"):
        sys.exit(f"a SARIF result names another rule: {result}")
    if not result["message"]["text"] or not result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]:
        sys.exit(f"a SARIF result lacks its text or place: {result}")
files = {it["path"] for it in found["findings"]}
print(f"{len(files)} findings, {len(run['results'])} SARIF results, {len(rules)} rules")
