"""Checks the workflow of continuous integration: workflow.py FILE. Prints each error, and the number of jobs and steps.

The schema is a part of GitHub's: the keys that the file may use. Actions must be pinned to commits; expressions may name only keys of
the job's matrix; a step may run only files that exist; shellcheck checks each script.
"""

import os
import re
import subprocess
import sys

import yaml

KEYS = {
    "workflow": {"name", True, "permissions", "concurrency", "env", "defaults", "jobs"},  # yaml reads "on" as true
    "job": {"name", "strategy", "runs-on", "timeout-minutes", "container", "env", "steps"},
    "step": {"name", "if", "uses", "with", "run", "shell", "env"},
}
NEEDED = {"job": {"runs-on", "timeout-minutes", "steps"}, "workflow": {True, "permissions", "jobs"}}
CONTEXTS = r"matrix\.|github\.(workflow|ref)$|runner\.os|hashFiles\(|endsWith\(|always\(\)$"
errors = []


def keys(kind, where, found):
    errors.extend(f"{where}: unknown key {key}" for key in set(found) - KEYS[kind])
    errors.extend(f"{where}: no {key}" for key in NEEDED.get(kind, set()) - set(found))


def expressions(where, text, matrix):
    for expression in re.findall(r"\$\{\{(.*?)\}\}", text):
        if not re.match(CONTEXTS, expression.strip()):
            errors.append(f"{where}: unknown expression {expression.strip()}")
        errors.extend(f"{where}: the matrix has no {key}" for key in re.findall(r"matrix\.(\w+)", expression) if key not in matrix)
    if text.count("${{") != len(re.findall(r"\$\{\{(.*?)\}\}", text)):
        errors.append(f"{where}: an expression does not end")


def script(where, step, commands):
    text = re.sub(r"\$\{\{.*?\}\}", "value", step["run"])
    for command in commands + re.findall(r"(?:^|[ (])((?:\.ci|tests|capi)/[\w./-]+)", text):
        if not os.path.exists(command):
            errors.append(f"{where}: {command} does not exist")
    if step.get("shell") != "cmd":
        said = subprocess.run(["shellcheck", "-s", "bash", "-"], input=text, text=True, capture_output=True)
        if said.returncode:
            errors.append(f"{where}: {said.stdout}")


def main(path):
    text = open(path).read()
    workflow = yaml.safe_load(text)
    keys("workflow", path, workflow)
    steps = 0
    for name, job in workflow["jobs"].items():
        keys("job", name, job)
        rows = job.get("strategy", {}).get("matrix", {}).get("include", [{}])
        matrix = set.intersection(*(set(row) for row in rows))
        expressions(name, str({key: value for key, value in job.items() if key != "steps"}), matrix)
        for number, step in enumerate(job.get("steps", [])):
            where = f"{name}, step {number + 1}"
            steps += 1
            keys("step", where, step)
            expressions(where, str(step) + f"${{{{ {step.get('if', 'always()')} }}}}", matrix)
            if ("uses" in step) == ("run" in step):
                errors.append(f"{where}: neither or both of uses and run")
            if "run" in step:
                script(where, step, [row["command"] for row in rows if "command" in row and "matrix.command" in step["run"]])
    for line in re.findall(r"^ *- uses: (.*)$", text, re.M):
        if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", line):
            errors.append(f"{line} is not pinned to a commit with its version in a comment")
    if not re.search(r"^# Disk: ", text, re.M):
        errors.append("the file does not state the jobs' use of the disk")
    print("\n".join(errors) or f"{len(workflow['jobs'])} jobs, {steps} steps")
    return bool(errors)


sys.exit(main(sys.argv[1]))
